"""Shapes: where four corners lie, how they are turned, and how much of one card is under others."""

from collections.abc import Iterable
from functools import cache
from math import atan2, degrees, hypot

import numpy as np
from numpy.typing import NDArray

from vision.table import Point, Quad

Floats = NDArray[np.float64]

_STEPS = (6, 8)
"""A card is tried at so many points across and down."""


def centre(quad: Quad) -> Point:
    """The middle of the corners."""
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def turn_deg(quad: Quad) -> float:
    """How far a card is turned, clockwise, from -180 to 180; 0 with its top edge up."""
    # Both long sides and both short ones say it; the lower edge runs back.
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return degrees(atan2(by - ay + cy - dy, bx - ax + cx - dx))


def wrapped(angle_deg: float) -> float:
    """The same angle from -180 to 180."""
    return (angle_deg + 180.0) % 360.0 - 180.0


def about_face(quad: Quad) -> Quad:
    """The same place, turned by half."""
    return quad[2], quad[3], quad[0], quad[1]


def apart_mm(one: Quad, other: Quad) -> float:
    """How far the middles are from each other."""
    (ax, ay), (bx, by) = centre(one), centre(other)
    return hypot(ax - bx, ay - by)


def between(one: Quad, other: Quad, share: float) -> Quad:
    """Corners that are so far on the way from one to the other."""
    pairs = zip(one, other, strict=True)
    a, b, c, d = ((ax + share * (bx - ax), ay + share * (by - ay)) for (ax, ay), (bx, by) in pairs)
    return a, b, c, d


def hidden_share(quad: Quad, above: Iterable[Quad]) -> float:
    """The part of a card that lies under others."""
    points = _points(quad)
    under = np.zeros(len(points), bool)
    for other in above:
        under |= _inside(points, np.array(other))
    return float(under.mean())


def _points(quad: Quad) -> Floats:
    """Points spread evenly over a card."""
    u, v = _spread()
    a, b, c, d = (np.array(corner) for corner in quad)
    return np.asarray((1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c), float)


@cache
def _spread() -> tuple[Floats, Floats]:
    """How far across and down a card each of the points is."""
    across, down = ((np.arange(steps) + 0.5) / steps for steps in _STEPS)
    u, v = (part.ravel()[:, None] for part in np.meshgrid(across, down))
    return u, v


def _inside(points: Floats, corners: Floats) -> NDArray[np.bool_]:
    """Which points lie in a quadrangle, whichever way round it goes."""
    start, side = corners[None], (np.roll(corners, -1, 0) - corners)[None]
    way = points[:, None] - start
    turn = side[..., 0] * way[..., 1] - side[..., 1] * way[..., 0]
    return np.asarray((turn >= 0).all(1) | (turn <= 0).all(1))
