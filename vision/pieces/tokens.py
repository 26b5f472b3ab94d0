"""Discs: figures and tokens as they are printed, and how much a place of a picture looks like one of them."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.seats import Frame, across
from models.art.pen import Size
from models.art.picture import Drawing, draw_pixels
from models.crops import Floats, Image
from vision.look.table_view import Window

Pixels = NDArray[np.float32]
Places = NDArray[np.int64]
"""Pixels by column and row."""
PX_PER_MM = 1.25
"""How finely pieces are looked at: about as finely as a camera of 1280 x 720 sees a table."""
COARSE = 2
"""So many times smaller is enough to see where something may lie."""
_WHITE, _MOST_GAIN, _TOO_BRIGHT = 0.005, 2.5, 250
"""The part of a picture that is taken to be white, and how much weaker than another a colour of the light may be."""
_TURNS, _DRAWN = 16, 4
_SOFT_MM = 0.7
"""Cameras are never quite sharp."""
COLOURS = 0.3
"""The part of a likeness that its colours make, the rest is its pattern."""
STRANGE, STRANGE_COARSE = 0.6, 0.35
"""What agrees less than this in its colours is something else; from afar they are less certain."""
_FLAT = 4.0
"""A place whose colours differ by less than this shows nothing."""


class Patch:
    """A rectangle of somebody's view of the table, cut straight out of frames."""

    def __init__(
        self, window: Window, frame: Frame, right_mm: tuple[float, float], away_mm: tuple[float, float]
    ) -> None:
        self._corner_mm = np.array(frame.place(right_mm[0], away_mm[1]))
        self._across, self._down = np.array(across(frame.turn_deg)), np.array(across(frame.turn_deg + 90.0))
        width = max(1, round((right_mm[1] - right_mm[0]) * PX_PER_MM))
        height = max(1, round((away_mm[1] - away_mm[0]) * PX_PER_MM))
        grid = np.stack(np.meshgrid(np.arange(width, dtype=float), np.arange(height, dtype=float)), 2)
        columns, rows = window.lens.size_px
        _, scale = window.detail(np.zeros((rows, columns), np.uint8))
        source = (window.to_frame(self.to_mm(grid)) + 0.5) * scale - 0.5
        self._x, self._y = (np.ascontiguousarray(source[:, :, axis], np.float32) for axis in (0, 1))

    def cut(self, detail: Image) -> Pixels:
        """What a frame shows there, as fine as the window gives details; black outside of the frame."""
        return np.asarray(cv2.remap(detail, self._x, self._y, cv2.INTER_LINEAR), np.float32)

    def to_mm(self, points_px: Floats) -> Floats:
        """Points of the patch on the table."""
        places = (np.asarray(points_px, float) + 0.5) / PX_PER_MM
        return np.asarray(self._corner_mm + places[..., :1] * self._across + places[..., 1:] * self._down, float)


@dataclass(frozen=True, slots=True)
class Disc:
    """How a round piece looks from above."""

    kind: str
    colour: str
    places: Places
    """The pixels that it covers, from its middle."""
    turns: Pixels
    """What they look like, turned by equal parts of a circle: turns x pixels x channels."""
    squares: Pixels
    """How strong each of them is, turn by turn."""
    blend: Pixels
    """All turns in one, as a small picture."""
    inside: Pixels
    """1 where the small picture shows the disc, 0 around it."""
    radius_px: int
    contrast: float
    """What is paler than this part of the drawing looks less like it the paler it is: a print on paper, not a disc."""


def disc_of(kind: str, colour: str, drawing: Drawing, size: Size, contrast: float = 0.0) -> Disc:
    """A drawing as a disc."""
    drawn, fine = draw_pixels(drawing, size, _DRAWN * PX_PER_MM).astype(np.float32), _DRAWN * PX_PER_MM
    sharp = np.asarray(cv2.GaussianBlur(drawn, (0, 0), _SOFT_MM * fine), np.float32)
    radius = int(np.ceil(size.width_mm / 2 * PX_PER_MM))
    looks = [_shrunk(sharp, 360.0 * number / _TURNS, 1 / _DRAWN, radius) for number in range(_TURNS)]
    # The outermost part is left out: there a drawing has the white of its paper, and a photo the table.
    inner_px = (size.width_mm / 2 - 0.4) * PX_PER_MM
    rows, columns = np.nonzero(_round(radius, inner_px))
    turns = np.stack([look[rows, columns] for look in looks])
    small = -(-radius // COARSE)
    shrunk = [_shrunk(sharp, 360.0 * number / _TURNS, 1 / _DRAWN / COARSE, small) for number in range(_TURNS)]
    inside = _round(small, inner_px / COARSE)
    blend = np.mean(shrunk, axis=0, dtype=np.float32) * inside[:, :, None]
    places = np.stack([columns - radius, rows - radius], 1)
    squares = np.square(turns).sum(2)
    return Disc(kind, colour, places, turns, squares, np.asarray(blend, np.float32), inside, radius, contrast)


def coarse(picture: Pixels) -> Pixels:
    """A picture as small as is enough to see where something may lie."""
    size = (max(1, picture.shape[1] // COARSE), max(1, picture.shape[0] // COARSE))
    whole = picture[: size[1] * COARSE, : size[0] * COARSE]
    return np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), np.float32)


def light_of(image: Image) -> Pixels:
    """The colour of the light by the whitest things of a picture, cards and markers, as gains that make it white."""
    some = image[::3, ::3].reshape(-1, 3)
    # What is too bright for the camera is white in any light.
    some = some[some.max(1) < _TOO_BRIGHT]
    if not len(some):
        return np.ones(3, np.float32)
    whiteness = some.min(1)
    white = some[whiteness >= np.quantile(whiteness, 1 - _WHITE)].mean(0) + 1.0
    return np.asarray(np.clip(white.max() / white, 1.0, _MOST_GAIN), np.float32)


def likeness(small: Pixels, seen: Pixels, disc: Disc) -> tuple[Pixels, Pixels]:
    """For every place of a coarse picture how much it looks like a disc that is turned somehow, -1 to 1, judged by
    what is seen of it, and which part that is."""
    inside = disc.inside
    count = _correlated(seen, inside) + 1e-6
    planes = [small[:, :, channel] * seen for channel in range(3)]
    looks = [np.ascontiguousarray(disc.blend[:, :, channel]) for channel in range(3)]
    like = _agreement(
        count,
        np.stack([_correlated(plane, inside) for plane in planes]),
        np.stack([_correlated(seen, look) for look in looks]),
        np.sum([_correlated(plane, look) for plane, look in zip(planes, looks, strict=True)], axis=0),
        _correlated(np.square(small).sum(2) * seen, inside),
        _correlated(seen, np.square(disc.blend).sum(2)),
        disc.contrast,
        STRANGE_COARSE,
    )
    return like, np.asarray(count / inside.sum(), np.float32)


def turned_likeness(picture: Pixels, seen: Pixels, disc: Disc, middles: Places) -> tuple[Pixels, Pixels]:
    """The same for some places of a picture and a disc turned the best way."""
    columns = np.clip(middles[:, :1] + disc.places[:, 0], 0, picture.shape[1] - 1)
    rows = np.clip(middles[:, 1:] + disc.places[:, 1], 0, picture.shape[0] - 1)
    masks = seen[rows, columns]
    windows = picture[rows, columns] * masks[:, :, None]
    count = masks.sum(1) + 1e-6
    turns = len(disc.turns)
    like = _agreement(
        count[:, None],
        np.einsum("ijk->ki", windows)[:, :, None],
        np.stack([masks @ disc.turns[:, :, channel].T for channel in range(3)]),
        windows.reshape(len(middles), -1) @ disc.turns.reshape(turns, -1).T,
        np.einsum("ijk,ijk->i", windows, windows)[:, None],
        masks @ disc.squares.T,
        disc.contrast,
        STRANGE,
    )
    return np.asarray(like.max(1), np.float32), np.asarray(count / len(disc.places), np.float32)


def _agreement(
    count: Pixels,
    totals: Pixels,
    sums: Pixels,
    shared: Pixels,
    squares: Pixels,
    powers: Pixels,
    contrast: float,
    strange: float,
) -> Pixels:
    """How well what is seen agrees with a look, from sums over pixels: of the picture and of the look, channel by
    channel, of their product and of their squares. Brightness and a veil count nothing.

    Most of it is what differs within the disc, because one colour all over is no disc; but its colours must be right.
    """
    pattern = _ratio(
        shared - (totals * sums).sum(0) / count,
        squares - np.square(totals).sum(0) / count,
        powers - np.square(sums).sum(0) / count,
        count,
        contrast,
    )
    total, look = totals.sum(0), sums.sum(0)
    colours = _ratio(
        shared - total * look / (3 * count),
        squares - np.square(total) / (3 * count),
        powers - np.square(look) / (3 * count),
        count,
        0.0,
    )
    return np.asarray(np.where(colours < strange, -1.0, (1 - COLOURS) * pattern + COLOURS * colours), np.float32)


def _ratio(shared: Pixels, spread: Pixels, power: Pixels, count: Pixels, contrast: float) -> Pixels:
    least = 3.0 * count * _FLAT**2
    power = np.maximum(power, least)
    return np.asarray(shared / np.sqrt(np.maximum(np.maximum(spread, least), contrast**2 * power) * power), np.float32)


def _round(radius_px: int, inner_px: float) -> Pixels:
    """1 inside of a circle in the middle of a picture, 0 around it."""
    rows, columns = np.mgrid[-radius_px : radius_px + 1, -radius_px : radius_px + 1]
    return np.asarray(np.hypot(rows, columns) <= inner_px, np.float32)


def _shrunk(sharp: Pixels, turn_deg: float, scale: float, radius_px: int) -> Pixels:
    """A drawing turned and shrunk, in the middle of a picture of so many pixels to each side."""
    middle, side = (sharp.shape[1] - 1) / 2, 2 * radius_px + 1
    way = cv2.getRotationMatrix2D((middle, middle), turn_deg, scale)
    way[:, 2] += radius_px - middle
    return np.asarray(cv2.warpAffine(sharp, way, (side, side), flags=cv2.INTER_LINEAR), np.float32)


def _correlated(plane: Pixels, kernel: Pixels) -> Pixels:
    return np.asarray(cv2.filter2D(plane, cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT), np.float32)
