"""Outlines: how much of a card's border is a straight, coherent edge in the picture, and where exactly it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Floats, Image, to_crop
from vision.unknown.tuning import (
    CARD_REACH_PX,
    EDGE_COHERENCE_PX,
    EDGE_FULL_LEVELS,
    EDGE_REACH_PX,
    EDGE_STEP_PX,
    LENGTH_BONUS,
    MAX_CARD_ASPECT,
    MAX_LONGER,
    MIN_CARD_ASPECT,
    MIN_OUTLINE_SUPPORT,
    MIN_SIDE_IN_PICTURE,
    OFFSET_PENALTY,
    OUTLINE_ENDS_SKIPPED,
    OUTLINE_MARGIN_PX,
    OUTLINE_WIDTH_PX,
)

Support = NDArray[np.float32]
"""By pixel of a rectified crop, how strong a straight edge is there, from 0 to 1; NaN outside the picture."""
Places = int | NDArray[np.int64]
"""One place, or several."""
Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom in a rectified crop."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The border of a card in the picture."""

    quad_px: Floats
    """Its corners in the picture, in the order of the detection."""
    sides: tuple[float, float, float, float]
    """The supported share of the left, upper, right and lower side; NaN for a side outside the picture."""

    @property
    def weakest(self) -> float:
        """The support of the weakest side that is inside the picture; 0 if none is."""
        known = [side for side in self.sides if side == side]
        return min(known, default=0.0)

    @property
    def mean(self) -> float:
        """The mean support of the sides that are inside the picture; 0 if none is."""
        known = [side for side in self.sides if side == side]
        return sum(known) / max(1, len(known))

    @property
    def is_closed(self) -> bool:
        """Whether all four sides are in the picture, and each is an edge."""
        return all(side >= MIN_OUTLINE_SUPPORT for side in self.sides)


class _LineSupport:
    """The support of lines that run down a map of edges, by sums over its rows."""

    def __init__(self, support: Support) -> None:
        # An edge may be one pixel beside its line, because cards are not rectified exactly.
        near = cv2.dilate(np.nan_to_num(support), np.ones((1, 3), np.uint8))
        known = ~np.isnan(support)
        self._sums = np.concatenate([np.zeros((1, near.shape[1])), np.cumsum(np.where(known, near, 0), 0)])
        self._counts = np.concatenate([np.zeros((1, near.shape[1])), np.cumsum(known, 0)])

    @property
    def places(self) -> int:
        """The number of places where a line can be."""
        return int(self._sums.shape[1])

    def of_lines(self, place: Places, start: Places, end: Places) -> NDArray[np.float64]:
        """The mean support of lines, without their ends; NaN where most of a line is hidden or outside the picture."""
        skipped = round(OUTLINE_ENDS_SKIPPED * OUTLINE_WIDTH_PX)
        column = np.clip(place, 0, self.places - 1)
        first, last = (np.clip(row, 0, len(self._sums) - 1) for row in (start + skipped, end - skipped))
        counts = self._counts[last, column] - self._counts[first, column]
        sums = self._sums[last, column] - self._sums[first, column]
        inside = (counts >= MIN_SIDE_IN_PICTURE * (end - start - 2 * skipped)) & (column == place) & (counts > 0)
        return np.asarray(np.where(inside, sums / np.maximum(counts, 1), np.nan))


@dataclass(frozen=True, slots=True)
class _EdgeMaps:
    """Edge support in a crop that shows a card with a margin."""

    upright: _LineSupport
    level: _LineSupport
    to_picture: Floats
    rectangle: Rectangle
    """The assumed border of the card."""


def find_outline(image: Image, quad_px: Floats, above_px: Sequence[Floats] = (), known_size: bool = False) -> Outline:
    """The outline nearest to an assumed one; a longer or shorter one where the assumed ends are no edges.

    `above_px` are the corners of cards that may hide a part of it. With `known_size` it is not longer or shorter.
    """
    maps = _edge_maps(image, quad_px, above_px)
    near = _snapped(maps, maps.rectangle)
    sides = _sides(maps, near)
    # A side that something hides may be an edge all the same.
    if not known_size and any(side < MIN_OUTLINE_SUPPORT for side in sides) and not any(np.isnan(sides)):
        other = _closed_rectangle(maps, near)
        if other is not None:
            near, sides = other, _sides(maps, other)
    return Outline(_to_picture(maps, near), sides)


def fitted_corners(image: Image, quad_px: Floats) -> Floats:
    """The corners of a whole card of known size, moved to where its four sides together are the best edges."""
    maps = _edge_maps(image, quad_px, ())
    left, top, right, bottom = maps.rectangle
    x, y = (part.ravel() for part in np.meshgrid(*(np.arange(-reach, reach + 1) for reach in CARD_REACH_PX)))
    sides = (
        maps.upright.of_lines(left + x, top + y, bottom + y),
        maps.level.of_lines(top + y, left + x, right + x),
        maps.upright.of_lines(right + x, top + y, bottom + y),
        maps.level.of_lines(bottom + y, left + x, right + x),
    )
    scores = np.nan_to_num(np.stack(sides)).mean(0) - OFFSET_PENALTY * np.hypot(x, y)
    best = int(scores.argmax())
    if not x[best] and not y[best]:
        return quad_px
    return _to_picture(maps, (left + x[best], top + y[best], right + x[best], bottom + y[best]))


def _edge_maps(image: Image, quad_px: Floats, above_px: Sequence[Floats]) -> _EdgeMaps:
    """Rectify a card with its surroundings, and measure coherent edges in both directions."""
    across = float(np.linalg.norm(quad_px[1] - quad_px[0]) + np.linalg.norm(quad_px[2] - quad_px[3])) / 2
    down = float(np.linalg.norm(quad_px[3] - quad_px[0]) + np.linalg.norm(quad_px[2] - quad_px[1])) / 2
    width = OUTLINE_WIDTH_PX
    height = round(width * float(np.clip(down / max(across, 1e-6), MIN_CARD_ASPECT, MAX_CARD_ASPECT)))
    margin_x, margin_y = OUTLINE_MARGIN_PX, OUTLINE_MARGIN_PX + round(MAX_LONGER * height)
    size = (width + 2 * margin_x, height + 2 * margin_y)
    rectangle = (margin_x, margin_y, margin_x + width, margin_y + height)
    shift = np.array([[1, 0, margin_x], [0, 1, margin_y], [0, 0, 1]], float)
    matrix = shift @ to_crop(quad_px, (width, height))
    corners = np.array([[[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]]], float)
    back = np.asarray(np.linalg.inv(matrix), float)
    box = cv2.perspectiveTransform(corners, back)[0]
    low = np.maximum(0, np.floor(box.min(0)).astype(int) - 2)
    high = np.minimum((image.shape[1], image.shape[0]), np.ceil(box.max(0)).astype(int) + 3)
    if (high - low < 2).any():
        empty = np.full((size[1], size[0]), np.nan, np.float32)
        return _EdgeMaps(_LineSupport(empty), _LineSupport(empty.T), back, rectangle)
    patch = image[low[1] : high[1], low[0] : high[0]]
    # A card that is large in the picture is shrunk first, or its rectified crop would show grain.
    factor = max(1, int(across / width / 1.05))
    if factor > 1:
        patch = np.asarray(
            cv2.resize(patch, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA), np.uint8
        )
    scale = np.array([patch.shape[1] / (high[0] - low[0]), patch.shape[0] / (high[1] - low[1])])
    resize = np.array([[1 / scale[0], 0, low[0]], [0, 1 / scale[1], low[1]], [0, 0, 1]], float)
    crop = cv2.warpPerspective(patch, matrix @ resize, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside = cv2.warpPerspective(
        np.full(patch.shape[:2], 255, np.uint8), matrix @ resize, size, flags=cv2.INTER_NEAREST
    )
    values = crop.astype(np.float32)
    upright = _coherent_steps(values)
    level = np.ascontiguousarray(_coherent_steps(np.ascontiguousarray(values.transpose(1, 0, 2))).T)
    outside = cv2.dilate(255 - inside, np.ones((EDGE_STEP_PX, EDGE_STEP_PX), np.uint8)) > 0
    for other in above_px:
        hidden = np.zeros(outside.shape, np.uint8)
        in_crop = cv2.perspectiveTransform(other.reshape(1, -1, 2), matrix)[0]
        cv2.fillConvexPoly(hidden, np.round(np.clip(in_crop, -1e4, 1e4)).astype(np.int32), 1)
        outside |= hidden > 0
    upright[outside] = level[outside] = np.nan
    return _EdgeMaps(_LineSupport(upright), _LineSupport(level.T), back, rectangle)


def _coherent_steps(values: NDArray[np.float32]) -> Support:
    """The support of an upright edge at every pixel.

    The step from left to right keeps its sign along an edge, while the steps of grain and carpet cancel out.
    """
    kernel = np.concatenate([-np.ones(EDGE_STEP_PX), np.ones(EDGE_STEP_PX)])[None] / EDGE_STEP_PX
    along = np.ones((EDGE_COHERENCE_PX, 1)) / EDGE_COHERENCE_PX
    signed = cv2.filter2D(values, cv2.CV_32F, kernel, anchor=(EDGE_STEP_PX, 0), borderType=cv2.BORDER_REPLICATE)
    mean = cv2.filter2D(signed, cv2.CV_32F, along, borderType=cv2.BORDER_REPLICATE)
    strength = np.abs(mean).max(2)
    # The strips are wider than an edge, so the strength is compared with the strongest place nearby.
    strongest = cv2.dilate(strength, np.ones((1, 2 * EDGE_STEP_PX + 1), np.uint8))
    return np.asarray(np.minimum(strength / EDGE_FULL_LEVELS, 1.0) * strength / np.maximum(strongest, 1e-6), np.float32)


def _sides(maps: _EdgeMaps, rectangle: Rectangle) -> tuple[float, float, float, float]:
    """The support of the left, upper, right and lower side of a rectangle."""
    left, top, right, bottom = rectangle
    return (
        float(maps.upright.of_lines(left, top, bottom)),
        float(maps.level.of_lines(top, left, right)),
        float(maps.upright.of_lines(right, top, bottom)),
        float(maps.level.of_lines(bottom, left, right)),
    )


def _snapped(maps: _EdgeMaps, rectangle: Rectangle) -> Rectangle:
    """Each side moved to the best edge nearby."""
    left, top, right, bottom = rectangle
    left, right = (_best_place(maps.upright, place, top, bottom) for place in (left, right))
    top, bottom = (_best_place(maps.level, place, left, right) for place in (top, bottom))
    return left, top, right, bottom


def _best_place(support: _LineSupport, place: int, start: int, end: int) -> int:
    """The place near a line with the highest support; the nearest of nearly equal ones."""
    offsets = np.arange(-EDGE_REACH_PX, EDGE_REACH_PX + 1)
    scores = np.nan_to_num(support.of_lines(place + offsets, start, end), nan=-1.0) - OFFSET_PENALTY * np.abs(offsets)
    return place + int(offsets[int(scores.argmax())]) if float(scores.max()) > 0 else place


def _closed_rectangle(maps: _EdgeMaps, rectangle: Rectangle) -> Rectangle | None:
    """A rectangle of another length between the same upright sides, if all its sides are edges; the best of them."""
    left, top, right, bottom = rectangle
    rows = np.arange(maps.level.places)
    ends = maps.level.of_lines(rows, left, right)
    strong = rows[np.nan_to_num(ends) >= MIN_OUTLINE_SUPPORT]
    middle, width = (top + bottom) / 2, right - left
    upper, lower = (part.ravel() for part in np.meshgrid(strong[strong < middle], strong[strong > middle]))
    aspects = (lower - upper) / width
    fits = (aspects >= MIN_CARD_ASPECT) & (aspects <= MAX_CARD_ASPECT)
    upper, lower = upper[fits], lower[fits]
    if not len(upper):
        return None
    first, second = (np.nan_to_num(maps.upright.of_lines(side, upper, lower)) for side in (left, right))
    # Print may have straight edges, too, so the longer of two closed rectangles is the card.
    totals = ends[upper] + ends[lower] + first + second + LENGTH_BONUS * (lower - upper) / width
    totals[np.minimum(first, second) < MIN_OUTLINE_SUPPORT] = 0.0
    best = int(totals.argmax())
    return (left, int(upper[best]), right, int(lower[best])) if totals[best] > 0 else None


def _to_picture(maps: _EdgeMaps, rectangle: Rectangle) -> Floats:
    """The corners of a rectangle of the crop in the picture."""
    left, top, right, bottom = rectangle
    # A step between two pixels is half a pixel before the second one.
    corners = np.array([[[left, top], [right, top], [right, bottom], [left, bottom]]], float) - 0.5
    return np.asarray(cv2.perspectiveTransform(corners, maps.to_picture)[0], float)
