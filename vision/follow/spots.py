"""Spots: assigns every card and piece of a table to a spot of its zone, and a position within the spot."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import hypot

from calibration.plan import Seating, Spot
from calibration.seats import Point, SeatFrame, across, zone_of
from vision.follow.tuning import MAX_CARDS_PER_SPOT, MIN_OVERLAP_SHARE, SPOT_PASSES
from vision.quads import hidden_share
from vision.table import Arm, Piece, PlacedCard, Quad, Table

TOKENS = "tokens"
"""The spot of all pieces in front of a seat, which are only counted."""


def sort_table(table: Table, seating: Seating) -> Table:
    """The table with the spot of every card, piece and arm; objects outside all zones stay without one."""
    spots = _spots(seating)
    cards: dict[int, PlacedCard] = {}
    points: dict[str, dict[int, Point]] = defaultdict(dict)
    for number, card in enumerate(table.cards):
        if not spots.get(card.zone):
            continue
        points[card.zone][number] = seen_from(seating.frame_of(card.zone), card.centre_mm)
    for zone, in_zone in points.items():
        frame, by_spot = seating.frame_of(zone), _cards_by_spot(in_zone, spots[zone])
        for name, numbers in by_spot.items():
            at_spot = {number: in_zone[number] for number in numbers}
            for order, number in enumerate(_ordered(at_spot, table.cards, frame, spots[zone][name])):
                cards[number] = replace(table.cards[number], spot=name, order=order)
    counts = Counter((card.zone, card.spot) for card in cards.values())
    return replace(
        table,
        cards=tuple(cards.get(number, card) for number, card in enumerate(table.cards)),
        pieces=tuple(replace(piece, spot=piece.spot or _piece_spot(piece, seating)) for piece in table.pieces),
        arms=tuple(replace(arm, over=_spots_below(arm, seating, spots, counts)) for arm in table.arms),
    )


def _spots_below(
    arm: Arm, seating: Seating, spots: dict[str, dict[str, Spot]], counts: Counter[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """The zones and spots that a hand was over, in order of time; points outside all zones are left out.

    A spot extends over its present cards and one more.
    """
    over: list[tuple[str, str]] = []
    for point_mm in arm.points_mm:
        zone = zone_of(seating.zones, point_mm)
        if not zone:
            continue
        known, point = spots.get(zone, {}), seen_from(seating.frame_of(zone), point_mm)
        distances = {name: _distance_mm(spot, point, counts[zone, name] + 1) for name, spot in known.items()}
        spot = min(distances, key=distances.__getitem__, default="")
        if over[-1:] != [(zone, spot)]:
            over.append((zone, spot))
    return tuple(over)


def _cards_by_spot(points: dict[int, Point], spots: dict[str, Spot]) -> dict[str, list[int]]:
    """The cards of every spot of a zone; each card belongs to the nearest spot.

    A spot with few cards is short: cards beyond its end belong to another spot.
    """
    lengths = {name: spot.most or MAX_CARDS_PER_SPOT for name, spot in spots.items()}
    by_spot: dict[str, list[int]] = {}
    for _ in range(SPOT_PASSES):
        by_spot = defaultdict(list)
        for number, point in points.items():
            nearest = min(spots, key=lambda name: _distance_mm(spots[name], point, lengths[name]))
            by_spot[nearest].append(number)
        lengths = {name: min(length, len(by_spot.get(name, ())) + 1) for name, length in lengths.items()}
    return by_spot


def _ordered(points: dict[int, Point], cards: Sequence[PlacedCard], frame: SeatFrame, spot: Spot) -> list[int]:
    """The cards of one spot in order, from the bottom or from the left; numbers count from the bottom of the table.

    Where the plan stacks cards, a card follows those that it clearly covers; otherwise the position decides.
    """
    quad = cards[next(iter(points))].corners_mm
    rows = _rows(points, spot) if spot.per_row and _overlaps(quad, spot.row_mm, frame) else {}
    waiting = sorted(points, key=lambda number: (_along(spot, points[number], rows.get(number)), number))
    stacked, order = _overlaps(quad, spot.step_mm, frame), list[int]()
    while waiting:
        done = set(order)
        lowest = next(number for number in waiting if not stacked or _covered_by(number, points, cards) <= done)
        waiting.remove(lowest)
        order.append(lowest)
    return order


def _rows(points: dict[int, Point], spot: Spot) -> dict[int, int]:
    """The row of each card at a spot whose rows overlap: within a column, upper cards are in later rows.

    Among the rows that remain possible the position decides.
    """
    columns: dict[int, list[int]] = defaultdict(list)
    for number, point in points.items():
        columns[round(_column(spot, point))].append(number)
    measured = {number: _row(spot, point) for number, point in points.items()}
    first, count = min(measured.values()), max(map(len, columns.values()))
    rows: dict[int, int] = {}
    for numbers in columns.values():
        choices = combinations(range(count), len(numbers))
        upward = sorted(numbers)
        best = min(
            choices,
            key=lambda choice: sum(abs(measured[one] - first - row) for one, row in zip(upward, choice, strict=True)),
        )
        rows |= dict(zip(upward, best, strict=True))
    return rows


def _covered_by(number: int, others: Iterable[int], cards: Sequence[PlacedCard]) -> set[int]:
    """The cards that one card clearly covers; the cards of a table are listed bottom to top."""
    upper = (cards[number].corners_mm,)
    lower = (other for other in others if other < number)
    return {other for other in lower if hidden_share(cards[other].corners_mm, upper) >= MIN_OVERLAP_SHARE}


def _overlaps(quad: Quad, step_mm: Point, frame: SeatFrame) -> bool:
    """Whether two cards that are one step apart, as seen from a seat, clearly overlap."""
    right_x, right_y = across(frame.turn_deg)
    x_mm, y_mm = step_mm[0] * right_x + step_mm[1] * right_y, step_mm[0] * right_y - step_mm[1] * right_x
    a, b, c, d = ((x + x_mm, y + y_mm) for x, y in quad)
    return hidden_share(quad, ((a, b, c, d),)) >= MIN_OVERLAP_SHARE


def seen_from(frame: SeatFrame, point_mm: Point) -> Point:
    """A point of the table in the coordinates of a seat: to the right and away, in mm."""
    right_x, right_y = across(frame.turn_deg)
    x, y = point_mm[0] - frame.x_mm, point_mm[1] - frame.y_mm
    return x * right_x + y * right_y, x * right_y - y * right_x


def _piece_spot(piece: Piece, seating: Seating) -> str:
    """The spot of a piece; on a track, whose spaces are numbered from 0, the number of its space."""
    if any(seat.zone.name == piece.zone for seat in seating.seats):
        return TOKENS
    track = seating.plan.middle.get(piece.zone)
    if track is None or not any(track.step_mm):
        return ""
    return str(round(_along(track, seen_from(seating.middle, (piece.x_mm, piece.y_mm)))))


def _spots(seating: Seating) -> dict[str, dict[str, Spot]]:
    """The spots of every zone; a spot of the middle belongs to the zone that holds its first card."""
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


def _distance_mm(spot: Spot, point: Point, length: int) -> float:
    """The distance from a card to the nearest of the first `length` places of a spot."""
    return min(hypot(point[0] - x, point[1] - y) for x, y in _centres(spot, length))


@lru_cache(maxsize=1024)
def _centres(spot: Spot, length: int) -> tuple[Point, ...]:
    """The centres of the first `length` cards of a spot."""
    return tuple(map(spot.at, range(length)))


def _along(spot: Spot, point: Point, row: int | None = None) -> float:
    """The position of a card along its spot, in cards from the first one; `row` overrides the measured row."""
    if not any(spot.step_mm):
        return 0.0
    if not spot.per_row:
        return _column(spot, point)
    return (round(_row(spot, point)) if row is None else row) * spot.per_row + _column(spot, point)


def _column(spot: Spot, point: Point) -> float:
    """The distance of a card from the first one along its row, in steps."""
    return _steps(spot, point, spot.step_mm)


def _row(spot: Spot, point: Point) -> float:
    """The distance of a card from the first row, in rows."""
    return _steps(spot, point, spot.row_mm)


def _steps(spot: Spot, point: Point, step_mm: Point) -> float:
    right, away = point[0] - spot.right_mm, point[1] - spot.away_mm
    return (right * step_mm[0] + away * step_mm[1]) / hypot(*step_mm) ** 2
