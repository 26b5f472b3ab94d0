"""Labels: where on a picture of cards a word about each can stand without hiding what matters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

SMALL = 4
"""Free room is looked for in a picture so many times smaller."""
_OTHER, _OWN, _CORNER, _FAR, _OUT = 4.0, 0.9, 3.0, 2.5, 50.0
_ASKEW = 0.6
"""What a place costs: all of it on other cards, on its own card, on corners; a card's width away; outside."""
_CORNER_PART = 0.2
"""The part of a card's width around a corner where its index is printed."""
_TICK_PART = 0.08
_RINGS, _WAYS = (0.0, 0.12, 0.26, 0.45, 0.7, 1.0), 24
_GAP = 0.3
"""Room between two labels, in heights of a label."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a label stands, and the point of its card that it is about."""

    left: int
    top: int
    about: tuple[float, float]
    outside: bool
    """Whether it stands beside what is seen of its card."""


def place_labels(
    size_px: tuple[int, int], cards: Sequence[Floats], seen: Sequence[Image], sizes_px: Sequence[tuple[int, int]]
) -> list[Spot]:
    """A place for every card's label; `seen` are small masks of what is seen of each card."""
    width, height = size_px
    shape = (-(-height // SMALL) + 1, -(-width // SMALL) + 1)
    whole, corners = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for card, mask in zip(cards, seen, strict=True):
        whole += mask[: shape[0], : shape[1]] > 127
        reach = max(1.0, _CORNER_PART * _width(card) / SMALL)
        spots = np.zeros(shape, np.uint8)
        for x, y in card / SMALL:
            cv2.circle(spots, (round(float(x)), round(float(y))), round(reach), 1, -1)
        corners += spots * (mask > 127)
        # The tick at the top edge says which way up the card lies.
        x, y = (card[0] + card[1]) / 2 / SMALL
        cv2.circle(corners, (round(float(x)), round(float(y))), max(1, round(_TICK_PART * reach / _CORNER_PART)), 1, -1)
    all_sum, corner_sum = _integral(whole), _integral(np.minimum(corners, 1))
    # Cards of which little is seen have the fewest places to choose from.
    order = sorted(range(len(cards)), key=lambda number: int(np.count_nonzero(seen[number])))
    placed: dict[int, Spot] = {}
    taken: list[tuple[float, float, float, float]] = []
    for number in order:
        own_sum = _integral((seen[number] > 127).astype(np.float32))
        label, wide = sizes_px[number], _width(cards[number])
        outline, middle = _outline(cards[number], seen[number])
        best: tuple[float, Spot] | None = None
        for left, top in _places(outline, middle, wide, label):
            on_own = _share(own_sum, left, top, label)
            cost = _OWN * on_own + _CORNER * _share(corner_sum, left, top, label)
            cost += _OTHER * max(0.0, _share(all_sum, left, top, label) - on_own)
            cost += _OUT * _outside(left, top, label, size_px)
            cost += sum(_OUT * _shared((left, top, *label), other) for other in taken)
            if best is not None and cost >= best[0]:
                continue
            about, away = _nearest(outline, left, top, label)
            # Straight beside a card is better than beyond its corner, where it could be about the next card too.
            askew = min(abs(left + label[0] / 2 - middle[0]), abs(top + label[1] / 2 - middle[1]))
            cost += (_FAR * away + _ASKEW * float(askew)) / wide
            if best is None or cost < best[0]:
                best = (cost, Spot(round(left), round(top), about, on_own < 0.3))
        if best is None:
            continue
        placed[number] = best[1]
        gap = _GAP * label[1]
        taken.append((best[1].left - gap, best[1].top - gap, label[0] + 2 * gap, label[1] + 2 * gap))
    return [placed[number] for number in range(len(cards))]


def _places(outline: Floats, middle: Floats, wide: float, label: tuple[int, int]) -> Iterator[tuple[float, float]]:
    """Left and top of places on and around what is seen of a card."""
    half = np.array(label, float) / 2
    yield middle[0] - half[0], middle[1] - half[1]
    for way in range(_WAYS):
        angle = 2 * np.pi * way / _WAYS
        towards = np.array([np.cos(angle), np.sin(angle)])
        edge = _ray(outline, middle, towards)
        # As far as the label itself reaches in this direction.
        own = float(np.min(half / np.maximum(np.abs(towards), 1e-9)))
        for ring in _RINGS:
            x, y = middle + towards * (edge + own + (ring + 0.04) * wide) - half
            yield x, y
        x, y = middle + towards * max(0.0, edge - own - 0.04 * wide) - half
        yield x, y


def _outline(card: Floats, seen: Image) -> tuple[Floats, Floats]:
    """The hull of what is seen of a card, and its middle; of a card that is wholly covered, its own."""
    points = cv2.findNonZero(seen)
    if points is None or len(points) < 3:
        return card, np.asarray(card.mean(0), float)
    hull = np.asarray(cv2.convexHull(points), float).reshape(-1, 2) * SMALL
    return hull, np.asarray(np.asarray(points, float).reshape(-1, 2).mean(0) * SMALL, float)


def _ray(outline: Floats, start: Floats, towards: Floats) -> float:
    """How far it is from a point inside to the outline."""
    ahead, beside = (outline - start) @ towards, (outline - start) @ np.array([-towards[1], towards[0]])
    furthest = 0.0
    for i in range(len(outline)):
        j = (i + 1) % len(outline)
        if (beside[i] > 0) != (beside[j] > 0):
            share = beside[i] / (beside[i] - beside[j])
            furthest = max(furthest, float(ahead[i] + share * (ahead[j] - ahead[i])))
    return furthest


def _nearest(outline: Floats, left: float, top: float, label: tuple[int, int]) -> tuple[tuple[float, float], float]:
    """The point of an outline that is nearest to a label, and how far it is from it."""
    starts, ends = outline, np.roll(outline, -1, axis=0)
    points = np.concatenate([starts + (ends - starts) * share for share in np.linspace(0, 1, 9)])
    low, high = np.array([left, top]), np.array([left + label[0], top + label[1]])
    away = np.linalg.norm(np.maximum(0, np.maximum(low - points, points - high)), axis=1)
    # Of several that touch it, the one that is nearest to its middle.
    best = int(np.argmin(away + 0.05 * np.linalg.norm(points - (low + high) / 2, axis=1)))
    return (float(points[best, 0]), float(points[best, 1])), float(away[best])


def _width(card: Floats) -> float:
    return float(min(np.linalg.norm(card[1] - card[0]), np.linalg.norm(card[3] - card[0])))


def _integral(part: NDArray[np.float32]) -> Floats:
    return np.asarray(cv2.integral(part), float)


def _share(total: Floats, left: float, top: float, label: tuple[int, int]) -> float:
    """The mean of a small picture under a label, by its integral."""
    low, high = total.shape[0] - 1, total.shape[1] - 1
    x1, x2 = (min(high, max(0, round(x / SMALL))) for x in (left, left + label[0]))
    y1, y2 = (min(low, max(0, round(y / SMALL))) for y in (top, top + label[1]))
    area = max(1, round(label[0] / SMALL) * round(label[1] / SMALL))
    return float(total[y2, x2] - total[y1, x2] - total[y2, x1] + total[y1, x1]) / area


def _outside(left: float, top: float, label: tuple[int, int], size_px: tuple[int, int]) -> float:
    inside = _shared((left, top, *label), (2.0, 2.0, size_px[0] - 4.0, size_px[1] - 4.0))
    return 1 - inside


def _shared(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> float:
    """The part of a rectangle that lies in another one; left, top, width, height."""
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    tall = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return max(0.0, wide) * max(0.0, tall) / max(1e-6, one[2] * one[3])
