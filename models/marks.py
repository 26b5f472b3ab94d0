"""Marks drawn by hand on Lucky Box cards: where they go, and the patches of a crop in which they are looked for."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.art.pen import Point
from models.crops import Image
from models.decks.lucky_box import art as lucky_box

CELLS = tuple(f"r{row}c{column}" for row in (1, 2, 3) for column in (1, 2, 3))
"""The cells of the grid, row by row: crossed when they are used."""
BONUSES = tuple(f"b{number}" for number in range(1, 7))
"""The bonuses of the rows from the top, then of the columns from the left: circled when they are taken."""
PLACES = CELLS + BONUSES
"""The words for all marks, in the order in which the network answers."""
CARD_PX = (96, 132)
"""Width and height of a card that is searched: 1.5 px/mm."""
PATCH_PX = 28
"""A square around each place: a generous circle, and room for a crop that is off by more than a millimetre."""
CHANNELS = 7
"""Of a patch: blue, green, red of the card, the same of its clean face, and what is seen of it."""
PLACE_MM = 13.0
"""The square of a place that counts for how much of it is seen."""
LEAST_SEEN = 0.5
"""A place of which less is seen is unknown: too much of it may be hidden."""

Shares = NDArray[np.float32]


class MarkError(ValueError):
    """A word that is no mark, or pictures that do not fit; the message quotes it and says what was wanted."""


def place_centre(word: str) -> Point:
    """The middle of a place on the card, in millimetres from its upper left corner."""
    if word not in PLACES:
        raise MarkError(f"mark {word!r}, wanted one of {' '.join(PLACES)}")
    place = PLACES.index(word)
    if place < len(CELLS):
        return lucky_box.cell_centre(place)
    bonus = place - len(CELLS)
    return lucky_box.row_centre(bonus) if bonus < 3 else lucky_box.column_centre(bonus - 3)


def cut_patches(crop: Image, seen: Image, template: Image, into: Image | None = None) -> Image:
    """All places of one card: 15 patches of channels, rows and columns, written into an array if there is one.

    The crop is a whole card the right way up, `seen` is 255 where it is seen, the template is its clean face; each of
    any size.
    """
    for name, picture in (("crop", crop), ("template", template)):
        if picture.ndim != 3 or picture.shape[2] != 3 or not picture.size:
            raise MarkError(f"a {name} of shape {picture.shape}, wanted rows, columns and 3 colours")
    crop, template = _at_size(crop), _at_size(template)
    planes = np.empty((CHANNELS, CARD_PX[1], CARD_PX[0]), np.uint8)
    for channel, (plane, gain) in enumerate(zip(cv2.split(crop), _gains(crop, seen, template), strict=True)):
        cv2.convertScaleAbs(plane, planes[channel], alpha=gain)
    planes[3:6] = template.transpose(2, 0, 1)
    planes[6] = _at_size(seen, cv2.INTER_NEAREST)
    half = PATCH_PX // 2
    return np.stack([planes[:, y - half : y + half, x - half : x + half] for x, y in _centres_px()], out=into)


def seen_shares(patches: Image) -> Shares:
    """How much of each place is seen, from 0 to 1."""
    room = round((PATCH_PX - PLACE_MM * CARD_PX[0] / lucky_box.SIZE.width_mm) / 2)
    inside = patches[..., CHANNELS - 1, room : PATCH_PX - room, room : PATCH_PX - room]
    return np.asarray((inside > 127).mean((-2, -1)), np.float32)


def _centres_px() -> list[tuple[int, int]]:
    scale_x, scale_y = CARD_PX[0] / lucky_box.SIZE.width_mm, CARD_PX[1] / lucky_box.SIZE.height_mm
    return [(round(x * scale_x), round(y * scale_y)) for x, y in map(place_centre, PLACES)]


def _at_size(picture: Image, way: int = cv2.INTER_LINEAR) -> Image:
    # A picture turned upside down by its indices is in order too.
    picture = np.ascontiguousarray(picture)
    if picture.shape[1::-1] == CARD_PX:
        return picture
    return np.asarray(cv2.resize(picture, CARD_PX, interpolation=way), np.uint8)


def _gains(crop: Image, seen: Image, template: Image) -> list[float]:
    """A factor for each channel that takes the lamp's colour and brightness out of the crop."""
    size = (seen.shape[1], seen.shape[0])
    mask = seen > 127
    if not mask.any():
        return [1.0, 1.0, 1.0]
    found = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)[mask].astype(np.float32)
    wanted = cv2.resize(template, size, interpolation=cv2.INTER_AREA)[mask].astype(np.float32)
    # The median over the card does not mind a few marks, which are dark in the crop only.
    middle = len(found) // 2
    gains = np.partition((wanted + 2) / (found + 2), middle, axis=0)[middle]
    return [float(gain) for gain in np.clip(gains, 0.3, 4.0)]
