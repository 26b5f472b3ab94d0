"""Quadrilaterals: centre, rotation, distance and overlap of cards given by their four corners."""

from collections.abc import Iterable
from functools import cache
from math import atan2, degrees, hypot

import numpy as np
from numpy.typing import NDArray

from vision.table import Point, Quad

Floats = NDArray[np.float64]

_SAMPLES = (6, 8)
"""Sample points across and down a card, for measuring overlap."""


def centre(quad: Quad) -> Point:
    """The mean of the corners."""
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def turn_deg(quad: Quad) -> float:
    """The rotation of a card, clockwise, from -180 to 180; 0 with its top edge up."""
    # The upper and the lower edge are averaged; the lower one runs backwards.
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return degrees(atan2(by - ay + cy - dy, bx - ax + cx - dx))


def wrapped(angle_deg: float) -> float:
    """The same angle in the range from -180 to 180."""
    return (angle_deg + 180.0) % 360.0 - 180.0


def half_turned(quad: Quad) -> Quad:
    """The same quadrilateral with the corner order of a card turned by 180 degrees."""
    return quad[2], quad[3], quad[0], quad[1]


def distance_mm(one: Quad, other: Quad) -> float:
    """The distance between two centres."""
    (ax, ay), (bx, by) = centre(one), centre(other)
    return hypot(ax - bx, ay - by)


def interpolated(one: Quad, other: Quad, share: float) -> Quad:
    """Corners between one (share 0) and the other (share 1)."""
    pairs = zip(one, other, strict=True)
    a, b, c, d = ((ax + share * (bx - ax), ay + share * (by - ay)) for (ax, ay), (bx, by) in pairs)
    return a, b, c, d


def hidden_share(quad: Quad, above: Iterable[Quad]) -> float:
    """The share of a card that lies under others."""
    points = _sample_points(quad)
    covered = np.zeros(len(points), bool)
    for other in above:
        covered |= _inside(points, np.array(other))
    return float(covered.mean())


def _sample_points(quad: Quad) -> Floats:
    """Points spread evenly over a card."""
    u, v = _sample_fractions()
    a, b, c, d = (np.array(corner) for corner in quad)
    return np.asarray((1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c), float)


@cache
def _sample_fractions() -> tuple[Floats, Floats]:
    """The position of each sample point across and down a card, from 0 to 1."""
    across, down = ((np.arange(count) + 0.5) / count for count in _SAMPLES)
    u, v = (part.ravel()[:, None] for part in np.meshgrid(across, down))
    return u, v


def _inside(points: Floats, corners: Floats) -> NDArray[np.bool_]:
    """Which points lie inside a convex quadrilateral, clockwise or not."""
    start, side = corners[None], (np.roll(corners, -1, 0) - corners)[None]
    offset = points[:, None] - start
    cross = side[..., 0] * offset[..., 1] - side[..., 1] * offset[..., 0]
    return np.asarray((cross >= 0).all(1) | (cross <= 0).all(1))
