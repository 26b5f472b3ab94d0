"""Arms: whose hands come over the edge of the table while it is played on, and where they reach."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import dist, exp
from re import fullmatch

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.seats import Zone, across
from vision.follow.hand_background import Cells
from vision.sightings import Grid, Look
from vision.table import Arm, Point

Floats = NDArray[np.float64]

LEAST_MM2 = 500.0
"""What covers less of the table is no arm: two finger tips cover as much."""
EDGE_MM = 14.0
"""An arm comes from outside: some of it is nearer than this to where the picture, or the view of the table, ends."""
TIP_MM = 50.0
"""What is at most so much nearer than the far end of an arm are its fingers: what they hold lies under them."""
BEHIND_MM = 300.0
"""The shoulder that an arm comes from is so far behind the edge, in the line of the arm."""
SLOPE_MM = 45.0
"""A seat that is farther from there by this is e times less likely to be the one."""
LEAST_SHARE = 0.05
"""Seats that are less likely than this are left out."""
PAUSE_S = 1.2
"""Looks that are farther apart are not of the same arm; there are three a second while something moves."""
SWAP_S = 0.7
"""An arm that was seen so shortly before may be the one that now seems to come from the other side."""
IN_LINE_MM = 80.0
"""It may, if it came in so near to the line of this one: sleeves are not always seen, finger tips reach far."""
SAME_SEATS = 0.5
"""Two regions may be the same arm when their probabilities of seats have so much in common."""
_STRAIGHT_MM = 40.0
"""How far an arm must reach in before its own direction counts more than straight ahead."""
_GAP = np.ones((5, 5), np.uint8)
"""Parts of an arm that are parted by less, by a card in its hand for one, are one."""


@dataclass(frozen=True, slots=True)
class Region:
    """An arm in one look, or a part of one."""

    points_mm: Floats
    """Everything it covers."""
    seats: tuple[tuple[str, float], ...]
    """Whose it may be, in the order of the zones; empty if it does not come from outside."""
    from_mm: Point
    """Where it comes in; of a part that does not, its middle."""


@dataclass(frozen=True, slots=True)
class _Trail:
    """An arm over several looks."""

    seen: tuple[tuple[tuple[str, float], ...], ...]
    """Whose it may be by each look that shows where it comes in."""
    from_mm: Point
    """Where it came in last."""
    tips_mm: tuple[Point, ...]
    """Where its fingers were in each look."""
    from_s: float
    to_s: float

    @property
    def seats(self) -> dict[str, float]:
        """Whose it is, over all looks that show where it comes from."""
        known = [dict(seats) for seats in self.seen]
        return {name: sum(one.get(name, 0.0) for one in known) / len(known) for one in known for name in one}

    def arm(self) -> Arm:
        """As the referee gets it."""
        ranked = sorted(self.seats.items(), key=lambda pair: (-pair[1], pair[0]))
        return Arm(tuple(ranked), self.tips_mm, self.from_s, self.to_s)

    def after(self, region: Region, at_s: float) -> "_Trail":
        """With one look more."""
        from_mm = region.from_mm if _may_be(self, region) and region.seats else self.from_mm
        seen = (*self.seen, region.seats) if region.seats else self.seen
        if not _may_be(self, region):
            # It comes from one side or from the other: what is known of this arm counts as much as this look.
            seen = (*seen, tuple(self.seats.items()))
        return _Trail(seen, from_mm, (*self.tips_mm, _tip(region.points_mm, from_mm)), self.from_s, at_s)


class Arms:
    """Follows the arms over a table from look to look."""

    def __init__(self, zones: Iterable[Zone]) -> None:
        self._homes = {zone.name: _home(zone) for zone in zones if fullmatch(r"P[0-9]+", zone.name)}
        self._trails: list[_Trail] = []

    def see(self, look: Look) -> None:
        """The arms of one more look."""
        if look.where is None or look.grid is None or not self._homes:
            return
        free = [number for number, trail in enumerate(self._trails) if 0 <= look.at_s - trail.to_s <= PAUSE_S]
        for region in regions_of(look.where, look.grid, self._homes):
            near = [number for number in free if _may_be(self._trails[number], region)]
            if not near:
                recent = [number for number in free if look.at_s - self._trails[number].to_s <= SWAP_S]
                near = [number for number in recent if _reaches_across(self._trails[number], region)]
            if near:
                number = min(near, key=lambda number: dist(self._trails[number].from_mm, region.from_mm))
                free.remove(number)
                self._trails[number] = self._trails[number].after(region, look.at_s)
            elif region.seats:
                tip = _tip(region.points_mm, region.from_mm)
                self._trails.append(_Trail((region.seats,), region.from_mm, (tip,), look.at_s, look.at_s))

    def taken(self) -> tuple[Arm, ...]:
        """All arms since this was asked last, in the order in which they came."""
        trails, self._trails = self._trails, []
        return tuple(trail.arm() for trail in trails)


def regions_of(cells: Cells, grid: Grid, homes: dict[str, Point]) -> list[Region]:
    """The arms that some cells show, largest first; what does not reach to the edge comes last and is nobody's."""
    joined = cv2.dilate(cells.astype(np.uint8), _GAP)
    count, labels = cv2.connectedComponents(joined, connectivity=8)
    parts = [cells & (labels == number) for number in range(1, count)]
    large = sorted((part for part in parts if grid.area_mm2(part) >= LEAST_MM2), key=np.count_nonzero, reverse=True)
    regions = [_region(grid.middles_mm(part), grid, homes) for part in large]
    return sorted(regions, key=lambda region: not region.seats)


def _region(points_mm: Floats, grid: Grid, homes: dict[str, Point]) -> Region:
    """What the points of one arm say."""
    left, top, right, bottom = grid.seen_mm
    x, y = points_mm.T
    sides = {
        (-1.0, 0.0): x < left + EDGE_MM,
        (0.0, -1.0): y < top + EDGE_MM,
        (1.0, 0.0): x > right - EDGE_MM,
        (0.0, 1.0): y > bottom - EDGE_MM,
    }
    # The finger tips may reach the other side; where the arm comes in it is widest.
    outward = max(sides, key=lambda side: np.count_nonzero(sides[side]))
    outer = sides[outward]
    if not outer.any():
        return Region(points_mm, (), _point(points_mm.mean(0)))
    crossing = points_mm[outer].mean(0)
    way = crossing - _tip(points_mm, _point(crossing)) + _STRAIGHT_MM * np.array(outward)
    behind = crossing + BEHIND_MM * way / np.linalg.norm(way)
    return Region(points_mm, _seats(_point(behind), homes), _point(crossing))


def _tip(points_mm: Floats, from_mm: Point) -> Point:
    """The far end of an arm: the middle of its fingers."""
    away = np.linalg.norm(points_mm - from_mm, axis=1)
    return _point(points_mm[away >= away.max() - TIP_MM].mean(0))


def _point(values: Floats) -> Point:
    return float(values[0]), float(values[1])


def _seats(behind_mm: Point, homes: dict[str, Point]) -> tuple[tuple[str, float], ...]:
    """Who sits there, with the probability of each."""
    away = {name: dist(behind_mm, home) for name, home in homes.items()}
    nearest = min(away.values())
    likely = {name: exp((nearest - one) / SLOPE_MM) for name, one in away.items()}
    kept = {name: one for name, one in likely.items() if one >= LEAST_SHARE * sum(likely.values())}
    return tuple((name, one / sum(kept.values())) for name, one in kept.items())


def _home(zone: Zone) -> Point:
    """Where whoever sits at a zone is: behind the middle of its outer side."""
    right_x, right_y = across(zone.turn_deg)
    outward, (x, y) = (-right_y, right_x), zone.centre_mm
    depth = max((px - x) * outward[0] + (py - y) * outward[1] for px, py in zone.polygon_mm) + BEHIND_MM
    return x + depth * outward[0], y + depth * outward[1]


def _may_be(trail: _Trail, region: Region) -> bool:
    """Whether a region may be the same arm: that of the same seat, or of nobody known."""
    if not region.seats:
        return True
    others = trail.seats
    return sum(min(share, others.get(name, 0.0)) for name, share in region.seats) >= SAME_SEATS


def _reaches_across(trail: _Trail, region: Region) -> bool:
    """Whether a region may be the far end of an arm that came in opposite, with nothing seen of what is between."""
    start, end = np.array(region.from_mm), np.array(_tip(region.points_mm, region.from_mm))
    way, back = end - start, np.array(trail.from_mm) - start
    length = float(np.linalg.norm(way)) or 1.0
    along, beside = float(back @ way) / length, float(way[0] * back[1] - way[1] * back[0]) / length
    return along > length and abs(beside) <= IN_LINE_MM
