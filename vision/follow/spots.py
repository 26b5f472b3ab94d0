"""Sorting: which spot of its zone every card and piece of a table lies on, and as which one there."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import hypot

from calibration.plan import Seating, Spot
from calibration.seats import Frame, Point, across, zone_of
from vision.quads import hidden_share
from vision.table import Arm, Piece, Placed, Quad, Table

LONGEST = 16
"""Cards of one spot."""
OVERLAP = 0.15
"""Two cards overlap clearly when they share such a part of a card: then the upper one comes after the lower one."""
_PASSES = 3
"""So often cards are given to spots, each time by how many each spot had before."""
TOKENS = "tokens"
"""The spot of all pieces in front of a seat: they are only counted."""


def sort_table(table: Table, seating: Seating) -> Table:
    """The table with the spot of everything and the order of every card; what lies in no zone stays as it is."""
    spots = _spots(seating)
    cards: dict[int, Placed] = {}
    points: dict[str, dict[int, Point]] = defaultdict(dict)
    for number, card in enumerate(table.cards):
        if not spots.get(card.zone):
            continue
        points[card.zone][number] = seen_from(seating.frame_of(card.zone), card.centre_mm)
    for zone, lying in points.items():
        frame, held = seating.frame_of(zone), _held(lying, spots[zone])
        for name, numbers in held.items():
            there = {number: lying[number] for number in numbers}
            for order, number in enumerate(_ordered(there, table.cards, frame, spots[zone][name])):
                cards[number] = replace(table.cards[number], spot=name, order=order)
    counts = Counter((card.zone, card.spot) for card in cards.values())
    return replace(
        table,
        cards=tuple(cards.get(number, card) for number, card in enumerate(table.cards)),
        pieces=tuple(replace(piece, spot=piece.spot or _standing(piece, seating)) for piece in table.pieces),
        arms=tuple(replace(arm, over=_over(arm, seating, spots, counts)) for arm in table.arms),
    )


def _over(
    arm: Arm, seating: Seating, spots: dict[str, dict[str, Spot]], counts: Counter[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """The zones and spots that a hand was over, in order; what lies in no zone is left out.

    A spot reaches as far as the cards that lie there and one more.
    """
    over: list[tuple[str, str]] = []
    for point_mm in arm.points_mm:
        zone = zone_of(seating.zones, point_mm)
        if not zone:
            continue
        known, point = spots.get(zone, {}), seen_from(seating.frame_of(zone), point_mm)
        away = {name: _away(spot, point, counts[zone, name] + 1) for name, spot in known.items()}
        spot = min(away, key=away.__getitem__, default="")
        if over[-1:] != [(zone, spot)]:
            over.append((zone, spot))
    return tuple(over)


def _held(points: dict[int, Point], spots: dict[str, Spot]) -> dict[str, list[int]]:
    """The cards of every spot of a zone: each belongs to the spot that is nearest to it.

    Cards lie one after the other, so a spot with few cards ends soon: what lies beyond belongs to another.
    """
    lengths = {name: spot.most or LONGEST for name, spot in spots.items()}
    held: dict[str, list[int]] = {}
    for _ in range(_PASSES):
        held = defaultdict(list)
        for number, point in points.items():
            held[min(spots, key=lambda name: _away(spots[name], point, lengths[name]))].append(number)
        lengths = {name: min(length, len(held.get(name, ())) + 1) for name, length in lengths.items()}
    return held


def _ordered(points: dict[int, Point], cards: Sequence[Placed], frame: Frame, spot: Spot) -> list[int]:
    """The cards of one spot, by their numbers from the bottom of the table: bottom to top, or from the left.

    Where the plan stacks cards, a card comes after those that it clearly lies on; otherwise position decides.
    """
    quad = cards[next(iter(points))].corners_mm
    rows = _rows(points, spot) if spot.per_row and _overlaps(quad, spot.row_mm, frame) else {}
    waiting = sorted(points, key=lambda number: (_along(spot, points[number], rows.get(number)), number))
    stacked, order = _overlaps(quad, spot.step_mm, frame), list[int]()
    while waiting:
        laid = set(order)
        lowest = next(number for number in waiting if not stacked or _below(number, points, cards) <= laid)
        waiting.remove(lowest)
        order.append(lowest)
    return order


def _rows(points: dict[int, Point], spot: Spot) -> dict[int, int]:
    """In which row of a spot each card lies whose rows lie on each other: upper cards of a column in later rows.

    Among the rows that this leaves position decides.
    """
    columns: dict[int, list[int]] = defaultdict(list)
    for number, point in points.items():
        columns[round(_column(spot, point))].append(number)
    seen = {number: _row(spot, point) for number, point in points.items()}
    first, count = min(seen.values()), max(map(len, columns.values()))
    rows: dict[int, int] = {}
    for numbers in columns.values():
        ways = combinations(range(count), len(numbers))
        upward = sorted(numbers)
        best = min(
            ways,
            key=lambda way: sum(abs(seen[one] - first - row) for one, row in zip(upward, way, strict=True)),
        )
        rows |= dict(zip(upward, best, strict=True))
    return rows


def _below(number: int, others: Iterable[int], cards: Sequence[Placed]) -> set[int]:
    """The cards that one clearly lies on; cards of a table come bottom to top."""
    mine = (cards[number].corners_mm,)
    return {other for other in others if other < number and hidden_share(cards[other].corners_mm, mine) >= OVERLAP}


def _overlaps(quad: Quad, step_mm: Point, frame: Frame) -> bool:
    """Whether two cards overlap clearly that lie a step apart, as seen from a seat."""
    right_x, right_y = across(frame.turn_deg)
    x_mm, y_mm = step_mm[0] * right_x + step_mm[1] * right_y, step_mm[0] * right_y - step_mm[1] * right_x
    a, b, c, d = ((x + x_mm, y + y_mm) for x, y in quad)
    return hidden_share(quad, ((a, b, c, d),)) >= OVERLAP


def seen_from(frame: Frame, point_mm: Point) -> Point:
    """A point of the table as somebody sees it: to the right and away, in mm."""
    right_x, right_y = across(frame.turn_deg)
    x, y = point_mm[0] - frame.x_mm, point_mm[1] - frame.y_mm
    return x * right_x + y * right_y, x * right_y - y * right_x


def _standing(piece: Piece, seating: Seating) -> str:
    """The spot of a piece; on a track, which begins at its space 0, the number of its space."""
    if any(seat.zone.name == piece.zone for seat in seating.seats):
        return TOKENS
    track = seating.plan.middle.get(piece.zone)
    if track is None or not any(track.step_mm):
        return ""
    return str(round(_along(track, seen_from(seating.middle, (piece.x_mm, piece.y_mm)))))


def _spots(seating: Seating) -> dict[str, dict[str, Spot]]:
    """The spots of every zone; a spot of the middle belongs to the zone in which it begins."""
    chairs = len(seating.seats)
    used = {name: spot for name, spot in seating.plan.seat.items() if not spot.chairs or chairs in spot.chairs}
    found = {seat.zone.name: used for seat in seating.seats}
    for zone in seating.zones:
        if zone.name in found:
            continue
        inside = {
            name: spot for name, spot in seating.plan.middle.items() if zone.holds(*seating.middle.place(*spot.at(0)))
        }
        found[zone.name] = inside
    return found


def _away(spot: Spot, point: Point, length: int) -> float:
    """How far a card is from where one of so many of this spot would lie."""
    return min(hypot(point[0] - x, point[1] - y) for x, y in _centres(spot, length))


@lru_cache(maxsize=1024)
def _centres(spot: Spot, length: int) -> tuple[Point, ...]:
    """Where so many cards of a spot would lie."""
    return tuple(map(spot.at, range(length)))


def _along(spot: Spot, point: Point, row: int | None = None) -> float:
    """Which one of its spot a card is, as a number that grows along it; its row if that is known."""
    if not any(spot.step_mm):
        return 0.0
    if not spot.per_row:
        return _column(spot, point)
    return (round(_row(spot, point)) if row is None else row) * spot.per_row + _column(spot, point)


def _column(spot: Spot, point: Point) -> float:
    """How many steps a card is from the first one."""
    return _steps(spot, point, spot.step_mm)


def _row(spot: Spot, point: Point) -> float:
    """How many rows a card is from the first one."""
    return _steps(spot, point, spot.row_mm)


def _steps(spot: Spot, point: Point, step_mm: Point) -> float:
    right, away = point[0] - spot.right_mm, point[1] - spot.away_mm
    return (right * step_mm[0] + away * step_mm[1]) / hypot(*step_mm) ** 2
