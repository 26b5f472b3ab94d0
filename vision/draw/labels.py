"""Label placement: where the label of each card hides nothing that matters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Size = tuple[int, int]
"""Width and height of a label, in px."""
Rectangle = tuple[float, float, float, float]
"""Left, top, width and height, in px."""

MASK_SCALE = 4
"""Free space is searched in masks that are smaller than the picture by this factor."""
# Costs of a label position, set by hand: the cheapest position wins.
_COST_OTHER_CARDS = 4.0
"""Cost of a label that is wholly on other cards."""
_COST_OWN_CARD = 0.9
"""Cost of a label that is wholly on its own card."""
_COST_CORNERS = 3.0
"""Cost of a label that is wholly on corners of cards, where their indices are printed."""
_COST_DISTANCE = 2.5
"""Cost of a label that is one card width away from its card."""
_COST_DIAGONAL = 0.6
"""Cost of a label that is one card width off both axes of its card: there it could belong to the next card."""
_COST_OUTSIDE = 50.0
"""Cost of a label that is wholly outside the picture, or on another label."""
_CORNER_RADIUS = 0.2
"""Radius around a card's corner that should stay free, in card widths."""
_TICK_RADIUS = 0.08
"""The same around the tick at the top edge."""
_RINGS, _DIRECTIONS = (0.0, 0.12, 0.26, 0.45, 0.7, 1.0), 24
"""Distances from the card at which labels are tried, in card widths, and the number of directions."""
_PADDING = 0.04
"""Distance that a label keeps from the outline of its card, in card widths."""
_GAP = 0.3
"""Space between two labels, in label heights."""
_BORDER_PX = 2.0
"""Distance that labels keep from the border of the picture."""
_MAX_OWN_SHARE = 0.3
"""A label that is on its own card by a smaller share stands outside the card."""


@dataclass(frozen=True, slots=True)
class LabelPosition:
    """Where a label stands, and the point of its card that it refers to."""

    left: int
    top: int
    anchor: tuple[float, float]
    outside: bool
    """Whether the label stands beside the visible part of its card."""


def place_labels(
    size_px: tuple[int, int], cards: Sequence[Floats], visible: Sequence[Image], sizes_px: Sequence[Size]
) -> list[LabelPosition]:
    """A position for the label of every card; `visible` are small masks of the visible part of each card."""
    all_sum, corner_sum = _occupied(size_px, cards, visible)
    # Cards with a small visible part have the fewest positions to choose from, so they come first.
    order = sorted(range(len(cards)), key=lambda index: int(np.count_nonzero(visible[index])))
    placed: dict[int, LabelPosition] = {}
    taken: list[Rectangle] = []
    for index in order:
        own_sum = _integral((visible[index] > 127).astype(np.float32))
        label, card_width = sizes_px[index], _width(cards[index])
        outline, centre = _outline(cards[index], visible[index])
        best: tuple[float, LabelPosition] | None = None
        for left, top in _positions(outline, centre, card_width, label):
            on_own = _share(own_sum, left, top, label)
            cost = _COST_OWN_CARD * on_own + _COST_CORNERS * _share(corner_sum, left, top, label)
            cost += _COST_OTHER_CARDS * max(0.0, _share(all_sum, left, top, label) - on_own)
            cost += _COST_OUTSIDE * _outside(left, top, label, size_px)
            cost += sum(_COST_OUTSIDE * _overlap((left, top, *label), other) for other in taken)
            if best is not None and cost >= best[0]:
                continue
            anchor, distance = _nearest(outline, left, top, label)
            off_axis = min(abs(left + label[0] / 2 - centre[0]), abs(top + label[1] / 2 - centre[1]))
            cost += (_COST_DISTANCE * distance + _COST_DIAGONAL * float(off_axis)) / card_width
            if best is None or cost < best[0]:
                best = (cost, LabelPosition(round(left), round(top), anchor, on_own < _MAX_OWN_SHARE))
        if best is None:
            continue
        placed[index] = best[1]
        gap = _GAP * label[1]
        taken.append((best[1].left - gap, best[1].top - gap, label[0] + 2 * gap, label[1] + 2 * gap))
    return [placed[index] for index in range(len(cards))]


def _occupied(size_px: tuple[int, int], cards: Sequence[Floats], visible: Sequence[Image]) -> tuple[Floats, Floats]:
    """Integral images of all cards, and of the corners and ticks that should stay free."""
    width, height = size_px
    shape = (-(-height // MASK_SCALE) + 1, -(-width // MASK_SCALE) + 1)
    all_cards, corners = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for card, mask in zip(cards, visible, strict=True):
        all_cards += mask[: shape[0], : shape[1]] > 127
        radius = max(1.0, _CORNER_RADIUS * _width(card) / MASK_SCALE)
        discs = np.zeros(shape, np.uint8)
        for x, y in card / MASK_SCALE:
            cv2.circle(discs, (round(float(x)), round(float(y))), round(radius), 1, -1)
        corners += discs * (mask > 127)
        # The tick at the top edge shows which way up the card is.
        x, y = (card[0] + card[1]) / 2 / MASK_SCALE
        tick_radius = max(1, round(_TICK_RADIUS * radius / _CORNER_RADIUS))
        cv2.circle(corners, (round(float(x)), round(float(y))), tick_radius, 1, -1)
    return _integral(all_cards), _integral(np.minimum(corners, 1))


def _positions(outline: Floats, centre: Floats, card_width: float, label: Size) -> Iterator[tuple[float, float]]:
    """Left and top of candidate positions on and around the visible part of a card."""
    half = np.array(label, float) / 2
    yield centre[0] - half[0], centre[1] - half[1]
    for step in range(_DIRECTIONS):
        angle = 2 * np.pi * step / _DIRECTIONS
        direction = np.array([np.cos(angle), np.sin(angle)])
        to_edge = _distance_to_outline(outline, centre, direction)
        # Half the extent of the label itself in this direction.
        reach = float(np.min(half / np.maximum(np.abs(direction), 1e-9)))
        for ring in _RINGS:
            x, y = centre + direction * (to_edge + reach + (ring + _PADDING) * card_width) - half
            yield x, y
        x, y = centre + direction * max(0.0, to_edge - reach - _PADDING * card_width) - half
        yield x, y


def _outline(card: Floats, visible: Image) -> tuple[Floats, Floats]:
    """Hull and centre of the visible part of a card; of the whole card if it is covered."""
    points = cv2.findNonZero(visible)
    if points is None or len(points) < 3:
        return card, np.asarray(card.mean(0), float)
    hull = np.asarray(cv2.convexHull(points), float).reshape(-1, 2) * MASK_SCALE
    return hull, np.asarray(np.asarray(points, float).reshape(-1, 2).mean(0) * MASK_SCALE, float)


def _distance_to_outline(outline: Floats, start: Floats, direction: Floats) -> float:
    """Distance from a point inside to the outline, along a direction."""
    ahead, beside = (outline - start) @ direction, (outline - start) @ np.array([-direction[1], direction[0]])
    furthest = 0.0
    for i in range(len(outline)):
        j = (i + 1) % len(outline)
        if (beside[i] > 0) != (beside[j] > 0):
            share = beside[i] / (beside[i] - beside[j])
            furthest = max(furthest, float(ahead[i] + share * (ahead[j] - ahead[i])))
    return furthest


def _nearest(outline: Floats, left: float, top: float, label: Size) -> tuple[tuple[float, float], float]:
    """The point of an outline that is nearest to a label, and its distance."""
    starts, ends = outline, np.roll(outline, -1, axis=0)
    points = np.concatenate([starts + (ends - starts) * share for share in np.linspace(0, 1, 9)])
    low, high = np.array([left, top]), np.array([left + label[0], top + label[1]])
    distances = np.linalg.norm(np.maximum(0, np.maximum(low - points, points - high)), axis=1)
    # Of several points that touch the label, the one nearest to its centre.
    best = int(np.argmin(distances + 0.05 * np.linalg.norm(points - (low + high) / 2, axis=1)))
    return (float(points[best, 0]), float(points[best, 1])), float(distances[best])


def _width(card: Floats) -> float:
    """The shorter side of a card."""
    return float(min(np.linalg.norm(card[1] - card[0]), np.linalg.norm(card[3] - card[0])))


def _integral(mask: NDArray[np.float32]) -> Floats:
    return np.asarray(cv2.integral(mask), float)


def _share(integral: Floats, left: float, top: float, label: Size) -> float:
    """The mean of a mask under a label, from its integral image."""
    rows, columns = integral.shape[0] - 1, integral.shape[1] - 1
    x1, x2 = (min(columns, max(0, round(x / MASK_SCALE))) for x in (left, left + label[0]))
    y1, y2 = (min(rows, max(0, round(y / MASK_SCALE))) for y in (top, top + label[1]))
    area = max(1, round(label[0] / MASK_SCALE) * round(label[1] / MASK_SCALE))
    return float(integral[y2, x2] - integral[y1, x2] - integral[y2, x1] + integral[y1, x1]) / area


def _outside(left: float, top: float, label: Size, size_px: tuple[int, int]) -> float:
    """The share of a label that is outside the picture."""
    picture = (_BORDER_PX, _BORDER_PX, size_px[0] - 2 * _BORDER_PX, size_px[1] - 2 * _BORDER_PX)
    return 1 - _overlap((left, top, *label), picture)


def _overlap(one: Rectangle, other: Rectangle) -> float:
    """The share of a rectangle that is inside another one."""
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height) / max(1e-6, one[2] * one[3])
