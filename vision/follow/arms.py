"""Arms: which seats reach over the table during play, and where to."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import dist, exp
from re import fullmatch

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.seats import Zone, across
from vision.follow.tuning import (
    ARM_GAP_CELLS,
    EDGE_MM,
    FINGERS_MM,
    IN_LINE_MM,
    MAX_ARM_GAP_S,
    MAX_SWAP_GAP_S,
    MIN_ARM_MM2,
    MIN_SEAT_PROBABILITY,
    MIN_SHARED_SEATS,
    SEAT_FALLOFF_MM,
    SHOULDER_MM,
    STRAIGHT_IN_MM,
)
from vision.sightings import CellGrid, Cells, Look
from vision.table import Arm, Point

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ArmRegion:
    """An arm, or a part of one, in one look."""

    points_mm: Floats
    """The centres of all cells that it covers."""
    seats: tuple[tuple[str, float], ...]
    """The seats it may belong to, in the order of the zones; empty for a region that does not reach the edge."""
    entry_mm: Point
    """The point at which it crosses the edge; for a region that does not, its centre."""


@dataclass(frozen=True, slots=True)
class _ArmTrack:
    """An arm over several looks."""

    seats_by_look: tuple[tuple[tuple[str, float], ...], ...]
    """The seats it may belong to, from each look that shows where it enters."""
    entry_mm: Point
    """The point at which it last crossed the edge."""
    tips_mm: tuple[Point, ...]
    """The position of its fingers in each look."""
    from_s: float
    to_s: float

    @property
    def seats(self) -> dict[str, float]:
        """The mean of the seat probabilities over all looks that show where it enters."""
        known = [dict(seats) for seats in self.seats_by_look]
        return {name: sum(one.get(name, 0.0) for one in known) / len(known) for one in known for name in one}

    def arm(self) -> Arm:
        """The arm as the referee sees it."""
        ranked = sorted(self.seats.items(), key=lambda pair: (-pair[1], pair[0]))
        return Arm(tuple(ranked), self.tips_mm, self.from_s, self.to_s)

    def updated(self, region: ArmRegion, at_s: float) -> "_ArmTrack":
        """The track after one more look."""
        compatible = _is_compatible(self, region)
        entry_mm = region.entry_mm if compatible and region.seats else self.entry_mm
        seats_by_look = (*self.seats_by_look, region.seats) if region.seats else self.seats_by_look
        if not compatible:
            # The arm comes from one side or from the other: all earlier looks together count as much as this one.
            seats_by_look = (*seats_by_look, tuple(self.seats.items()))
        tips_mm = (*self.tips_mm, _fingers(region.points_mm, entry_mm))
        return _ArmTrack(seats_by_look, entry_mm, tips_mm, self.from_s, at_s)


class ArmTracker:
    """Tracks the arms over a table from look to look."""

    def __init__(self, zones: Iterable[Zone]) -> None:
        self._shoulders = {zone.name: _shoulder(zone) for zone in zones if fullmatch(r"P[0-9]+", zone.name)}
        self._tracks: list[_ArmTrack] = []

    def update(self, look: Look) -> None:
        """Take in the arms of one more look."""
        if look.hand_cells is None or look.grid is None or not self._shoulders:
            return
        free = [number for number, track in enumerate(self._tracks) if 0 <= look.at_s - track.to_s <= MAX_ARM_GAP_S]
        for region in arm_regions(look.hand_cells, look.grid, self._shoulders):
            candidates = [number for number in free if _is_compatible(self._tracks[number], region)]
            if not candidates:
                recent = [number for number in free if look.at_s - self._tracks[number].to_s <= MAX_SWAP_GAP_S]
                candidates = [number for number in recent if _reaches_across(self._tracks[number], region)]
            if candidates:
                number = min(candidates, key=lambda number: dist(self._tracks[number].entry_mm, region.entry_mm))
                free.remove(number)
                self._tracks[number] = self._tracks[number].updated(region, look.at_s)
            elif region.seats:
                fingers = _fingers(region.points_mm, region.entry_mm)
                self._tracks.append(_ArmTrack((region.seats,), region.entry_mm, (fingers,), look.at_s, look.at_s))

    def take(self) -> tuple[Arm, ...]:
        """All arms since the last call, in the order in which they came."""
        tracks, self._tracks = self._tracks, []
        return tuple(track.arm() for track in tracks)


def arm_regions(cells: Cells, grid: CellGrid, shoulders: dict[str, Point]) -> list[ArmRegion]:
    """The arms in a mask of hand cells, largest first; regions that do not reach the edge come last."""
    joined = cv2.dilate(cells.astype(np.uint8), np.ones((ARM_GAP_CELLS, ARM_GAP_CELLS), np.uint8))
    count, labels = cv2.connectedComponents(joined, connectivity=8)
    parts = [cells & (labels == number) for number in range(1, count)]
    large = sorted((part for part in parts if grid.area_mm2(part) >= MIN_ARM_MM2), key=np.count_nonzero, reverse=True)
    regions = [_region(grid.centres_mm(part), grid, shoulders) for part in large]
    return sorted(regions, key=lambda region: not region.seats)


def _region(points_mm: Floats, grid: CellGrid, shoulders: dict[str, Point]) -> ArmRegion:
    left, top, right, bottom = grid.seen_mm
    x, y = points_mm.T
    sides = {
        (-1.0, 0.0): x < left + EDGE_MM,
        (0.0, -1.0): y < top + EDGE_MM,
        (1.0, 0.0): x > right - EDGE_MM,
        (0.0, 1.0): y > bottom - EDGE_MM,
    }
    # The finger tips may reach the opposite edge; an arm is widest where it enters.
    outward = max(sides, key=lambda side: np.count_nonzero(sides[side]))
    outer = sides[outward]
    if not outer.any():
        return ArmRegion(points_mm, (), _point(points_mm.mean(0)))
    entry = points_mm[outer].mean(0)
    direction = entry - _fingers(points_mm, _point(entry)) + STRAIGHT_IN_MM * np.array(outward)
    shoulder = entry + SHOULDER_MM * direction / np.linalg.norm(direction)
    return ArmRegion(points_mm, _seat_probabilities(_point(shoulder), shoulders), _point(entry))


def _fingers(points_mm: Floats, entry_mm: Point) -> Point:
    """The centre of the far end of an arm."""
    reach = np.linalg.norm(points_mm - entry_mm, axis=1)
    return _point(points_mm[reach >= reach.max() - FINGERS_MM].mean(0))


def _point(values: Floats) -> Point:
    return float(values[0]), float(values[1])


def _seat_probabilities(shoulder_mm: Point, shoulders: dict[str, Point]) -> tuple[tuple[str, float], ...]:
    """The seats that an arm with this shoulder may belong to, each with its probability."""
    distances = {name: dist(shoulder_mm, seat) for name, seat in shoulders.items()}
    nearest = min(distances.values())
    likelihoods = {name: exp((nearest - one) / SEAT_FALLOFF_MM) for name, one in distances.items()}
    kept = {name: one for name, one in likelihoods.items() if one >= MIN_SEAT_PROBABILITY * sum(likelihoods.values())}
    return tuple((name, one / sum(kept.values())) for name, one in kept.items())


def _shoulder(zone: Zone) -> Point:
    """Where the shoulder of the player at a zone is: behind the middle of its outer side."""
    right_x, right_y = across(zone.turn_deg)
    outward, (x, y) = (-right_y, right_x), zone.centre_mm
    depth = max((px - x) * outward[0] + (py - y) * outward[1] for px, py in zone.polygon_mm) + SHOULDER_MM
    return x + depth * outward[0], y + depth * outward[1]


def _is_compatible(track: _ArmTrack, region: ArmRegion) -> bool:
    """Whether a region may be the same arm: its seats are unknown or much the same."""
    if not region.seats:
        return True
    others = track.seats
    return sum(min(share, others.get(name, 0.0)) for name, share in region.seats) >= MIN_SHARED_SEATS


def _reaches_across(track: _ArmTrack, region: ArmRegion) -> bool:
    """Whether a region may be the far end of an arm from the opposite side whose middle was not detected."""
    start, end = np.array(region.entry_mm), np.array(_fingers(region.points_mm, region.entry_mm))
    direction, back = end - start, np.array(track.entry_mm) - start
    length = float(np.linalg.norm(direction)) or 1.0
    along = float(back @ direction) / length
    sideways = float(direction[0] * back[1] - direction[1] * back[0]) / length
    return along > length and abs(sideways) <= IN_LINE_MM
