"""Marks drawn by hand on Lucky Box cards: their places, and the patches of a crop in which they are searched."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.art.pen import Point
from models.crops import Image
from models.decks.lucky_box import art as lucky_box

CELLS = tuple(f"r{row}c{column}" for row in (1, 2, 3) for column in (1, 2, 3))
"""The cells of the grid, row by row; a used cell is crossed."""
BONUSES = tuple(f"b{number}" for number in range(1, 7))
"""The bonuses of the rows from the top, then of the columns from the left; a taken bonus is circled."""
PLACES = CELLS + BONUSES
"""The names of all marks, in the order of the network's outputs."""
CARD_PX = (96, 132)
"""Width and height of a card that is searched, at 1.5 px/mm."""
PATCH_PX = 28
"""Side of the square around each place: a generous circle, and room for a crop that is off by over a millimetre."""
CHANNELS = 7
"""Channels of a patch: blue, green and red of the card, the same of its clean face, and its visibility."""
PLACE_MM = 13.0
"""Side of the square at a place that must be visible."""
LEAST_SEEN = 0.5
"""Visible share below which a place is unknown: too much of it may be hidden."""

Shares = NDArray[np.float32]


class MarkError(ValueError):
    """A word that is not a mark, or pictures of the wrong shape; the message says what was found and wanted."""


def place_centre(word: str) -> Point:
    """The centre of a place on the card, in millimetres from its upper left corner."""
    if word not in PLACES:
        raise MarkError(f"mark {word!r}, wanted one of {' '.join(PLACES)}")
    place = PLACES.index(word)
    if place < len(CELLS):
        return lucky_box.cell_centre(place)
    bonus = place - len(CELLS)
    return lucky_box.row_centre(bonus) if bonus < 3 else lucky_box.column_centre(bonus - 3)


def cut_patches(crop: Image, seen: Image, template: Image, into: Image | None = None) -> Image:
    """The patches of all 15 places of one card, as channels x rows x columns, written into `into` if it is given.

    The crop is a whole upright card, `seen` is 255 where it is visible, the template is its clean face; each may have
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
    """The visible share of each place, from 0 to 1."""
    room = round((PATCH_PX - PLACE_MM * CARD_PX[0] / lucky_box.SIZE.width_mm) / 2)
    inside = patches[..., CHANNELS - 1, room : PATCH_PX - room, room : PATCH_PX - room]
    return np.asarray((inside > 127).mean((-2, -1)), np.float32)


def _centres_px() -> list[tuple[int, int]]:
    scale_x, scale_y = CARD_PX[0] / lucky_box.SIZE.width_mm, CARD_PX[1] / lucky_box.SIZE.height_mm
    return [(round(x * scale_x), round(y * scale_y)) for x, y in map(place_centre, PLACES)]


def _at_size(picture: Image, way: int = cv2.INTER_LINEAR) -> Image:
    # A picture that was flipped by slicing must be made contiguous.
    picture = np.ascontiguousarray(picture)
    if picture.shape[1::-1] == CARD_PX:
        return picture
    return np.asarray(cv2.resize(picture, CARD_PX, interpolation=way), np.uint8)


def _gains(crop: Image, seen: Image, template: Image) -> list[float]:
    """A factor for each channel that removes the lamp's colour and brightness from the crop."""
    size = (seen.shape[1], seen.shape[0])
    mask = seen > 127
    if not mask.any():
        return [1.0, 1.0, 1.0]
    found = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)[mask].astype(np.float32)
    wanted = cv2.resize(template, size, interpolation=cv2.INTER_AREA)[mask].astype(np.float32)
    # The median over the card ignores a few marks, which are dark in the crop only.
    middle = len(found) // 2
    gains = np.partition((wanted + 2) / (found + 2), middle, axis=0)[middle]
    return [float(gain) for gain in np.clip(gains, 0.3, 4.0)]
