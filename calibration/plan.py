"""Plans: the room that a game needs, and the spots for its cards in front of each seat and in the middle.

A plan is data: the file plan.toml of a game, which comes in as text. Seats are along two opposite sides of the table,
clockwise as seen from above, beginning at the lower right, or on a circle, beginning at the lower edge. The middle is
shared by all players.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil, hypot, pi, tan
from typing import Any

from calibration.frames import CalibrationError
from calibration.seats import Point, Seat, SeatFrame, Zone, across

MARGIN_MM = 12.0
CORNER_MM = 62.0
"""Room for the markers beside the seats."""


SLACK_MM = 20.0
"""Shortfall of a table's size that is still accepted: plans leave as much room between the cards."""
MOST_CHAIRS = 12


class PlanError(CalibrationError):
    """A plan or a seating that cannot be used."""


class SeatLayout(StrEnum):
    """The arrangement of the seats around the table."""

    SIDES = "sides"
    """In two rows that face each other."""
    ROUND = "round"
    """On a circle, facing the centre."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for cards: the centre of the first card, the step to the next, and the start of new rows."""

    right_mm: float
    away_mm: float
    step_mm: Point = (0.0, 0.0)
    per_row: int = 0
    row_mm: Point = (0.0, 0.0)
    most: int = 0
    """The number of cards before the next spot begins; 0 if there is no limit."""
    chairs: tuple[int, ...] = ()
    """The numbers of seats for which it is used; empty for all."""

    def at(self, number: int) -> Point:
        """The centre of a card, counted from 0, as seen from the seat."""
        row, column = divmod(number, self.per_row) if self.per_row else (0, number)
        return (
            self.right_mm + column * self.step_mm[0] + row * self.row_mm[0],
            self.away_mm + column * self.step_mm[1] + row * self.row_mm[1],
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The room that a game needs."""

    game: str
    """The name of the game, for messages."""

    seat_mm: Point
    """Width and depth of the zone of one seat."""
    middle_mm: Point
    """Width and depth of the strip between the seats."""
    seat: dict[str, Spot]
    middle: dict[str, Spot]
    zones: dict[str, Point] = field(default_factory=dict)
    """The zones of the strip, each with its start and end along it."""
    seat_of_two_mm: Point | None = None
    """The value of `seat_mm` at a table for two, if it differs."""

    def seat_for(self, chairs: int) -> Point:
        """Width and depth of the zone of one seat."""
        return self.seat_of_two_mm if chairs == 2 and self.seat_of_two_mm else self.seat_mm


@dataclass(frozen=True, slots=True)
class Seating:
    """A table laid for a number of seats: its size, seats, zones and spots."""

    table_mm: Point
    seats: tuple[Seat, ...]
    zones: tuple[Zone, ...]
    """Those of the seats, then the shared ones."""
    plan: Plan
    middle: SeatFrame = field(default_factory=lambda: SeatFrame(0.0, 0.0, 0.0))
    """The coordinates of the spots in the middle; the origin is the centre of the strip."""

    def frame_of(self, zone: str) -> SeatFrame:
        """The coordinates of a zone; the middle uses those of the side with the first seats."""
        for seat in self.seats:
            if seat.zone.name == zone:
                return seat.frame
        return self.middle

    def spot_of(self, zone: str, spot: str) -> Spot:
        """A spot by its zone and name; a shared zone that is itself a spot, such as the pile, has no other."""
        seated = any(seat.zone.name == zone for seat in self.seats)
        spots = self.plan.seat if seated else self.plan.middle
        name = zone if not seated and zone in spots else spot
        if name not in spots:
            raise PlanError(f"no spot {spot!r} in zone {zone!r}; there are {', '.join(spots)}")
        return spots[name]

    def markers_mm(self) -> tuple[Point, ...]:
        """The centres of the corner markers, clockwise from the upper left."""
        x, y = self.table_mm[0] / 2 - CORNER_MM / 2, self.table_mm[1] / 2 - CORNER_MM / 2
        return ((-x, -y), (x, -y), (x, y), (-x, y))


def read_plan(game: str, text: str) -> Plan:
    """The plan of a game from the text of its plan.toml; PlanError if it is no plan."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"not TOML: {error}") from error
    try:
        return _plan(game, data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PlanError(
            f"no plan: {type(error).__name__}: {error}; wanted seat_mm and middle_mm as [width, depth], [seat] and "
            "[middle] with places as { at = [right, away] }, and [zones] as [from, to]"
        ) from error


def _plan(game: str, data: dict[str, Any]) -> Plan:
    middle = _pair(data["middle_mm"])
    zones = {name: _pair(ends) for name, ends in data.get("zones", {"centre": (-middle[0] / 2, middle[0] / 2)}).items()}
    of_two = _pair(data["seat_of_two_mm"]) if "seat_of_two_mm" in data else None
    return Plan(game, _pair(data["seat_mm"]), middle, _spots(data["seat"]), _spots(data["middle"]), zones, of_two)


def seat_players(plan: Plan, chairs: int) -> Seating:
    """The smallest table for a game."""
    return _seat_sides(plan, chairs, needed_mm(plan, chairs))


def needed_mm(plan: Plan, chairs: int, layout: str = SeatLayout.SIDES) -> Point:
    """Width and depth of the smallest table; with seats along the sides it may also be turned by 90 degrees."""
    if not 1 <= chairs <= MOST_CHAIRS:
        raise PlanError(f"{chairs} seats; wanted 1 to {MOST_CHAIRS}")
    if _layout(layout) is SeatLayout.ROUND:
        across_mm = 2 * (_radius_mm(plan, chairs) + MARGIN_MM)
        return across_mm, across_mm
    width, depth = _core_mm(plan, chairs)
    return width + 2 * (MARGIN_MM + CORNER_MM), depth + 2 * MARGIN_MM


def seat_table(
    plan: Plan, chairs: int, table_mm: Point, layout: str = SeatLayout.SIDES, quarter: bool | None = None
) -> Seating:
    """A table of a given size laid for a game; extra size becomes room between the cards.

    `quarter` puts the rows on the left and right instead of the lower and upper side; None takes the roomier way.
    """
    need = needed_mm(plan, chairs, layout)
    found = f"this table is {table_mm[0]:g} x {table_mm[1]:g} mm; {plan.game} with {chairs}"
    wide, deep = ceil(need[0]), ceil(need[1])
    if _layout(layout) is SeatLayout.ROUND:
        if min(table_mm) < need[0] - SLACK_MM:
            raise PlanError(f"{found} in the round needs {wide} mm across; wanted a larger table or fewer players")
        return _seat_round(plan, chairs, table_mm)
    swapped = (table_mm[1], table_mm[0])
    if quarter is None:
        quarter = min(_scale(plan, chairs, swapped)) > min(_scale(plan, chairs, table_mm))
        size = f"{wide} x {deep} mm or {deep} x {wide} mm"
    else:
        size = f"{deep} x {wide} mm" if quarter else f"{wide} x {deep} mm"
    width, depth = swapped if quarter else table_mm
    if width < need[0] - SLACK_MM or depth < need[1] - SLACK_MM:
        raise PlanError(f"{found} needs {size}; wanted a larger table or fewer players")
    return _turned(_seat_sides(plan, chairs, swapped)) if quarter else _seat_sides(plan, chairs, table_mm)


def _layout(word: str) -> SeatLayout:
    if word not in tuple(SeatLayout):
        raise PlanError(f"layout {word!r}; wanted one of {', '.join(SeatLayout)}")
    return SeatLayout(word)


def _core_mm(plan: Plan, chairs: int) -> Point:
    """The size of seats and middle without margins."""
    near, seat = -(-chairs // 2), plan.seat_for(chairs)
    width = max(near * seat[0], plan.middle_mm[0])
    return width, (2 if chairs > 1 else 1) * seat[1] + plan.middle_mm[1]


def _scale(plan: Plan, chairs: int, table_mm: Point) -> Point:
    """The ratio of available to needed room, across and in depth."""
    width, depth = _core_mm(plan, chairs)
    return (table_mm[0] - 2 * (MARGIN_MM + CORNER_MM)) / width, (table_mm[1] - 2 * MARGIN_MM) / depth


def _seat_sides(plan: Plan, chairs: int, table_mm: Point) -> Seating:
    """Two rows, the longer one at the lower edge, and the strip between them."""
    (wider, deeper), seat = _scale(plan, chairs, table_mm), plan.seat_for(chairs)
    width, depth = seat[0] * wider, seat[1] * deeper
    edge, near = plan.middle_mm[1] * deeper / 2, -(-chairs // 2)
    # With no seat opposite, the strip moves up, so that both together stay centred on the table.
    shift = 0.0 if chairs > 1 else depth / 2
    frames = [_frame(((near - 1) / 2 - index) * width, edge + depth - shift, 0.0) for index in range(near)]
    far = chairs - near
    frames += [_frame((index - (far - 1) / 2) * width, -edge - depth, 180.0) for index in range(far)]
    seats = tuple(_seat(index, frame, width, depth) for index, frame in enumerate(frames))
    middle = _frame(0.0, -shift, 0.0)
    zones = (*(seat.zone for seat in seats), *_middle_zones(plan, middle, wider, deeper))
    return Seating(table_mm, seats, zones, plan, middle)


def _seat_round(plan: Plan, chairs: int, table_mm: Point) -> Seating:
    """Seats on a circle, the first one at the lower edge, the next ones clockwise."""
    scale, seat = (min(table_mm) / 2 - MARGIN_MM) / _radius_mm(plan, chairs), plan.seat_for(chairs)
    width, depth = seat[0] * scale, seat[1] * scale
    radius = _inner_mm(plan, chairs) * scale + depth
    frames = []
    for index in range(chairs):
        turn = round(360.0 * index / chairs, 3)
        frames.append(_frame(*SeatFrame(0.0, 0.0, turn).place(0.0, -radius), turn))
    seats = tuple(_seat(index, frame, width, depth) for index, frame in enumerate(frames))
    middle = SeatFrame(0.0, 0.0, 0.0)
    zones = (*(seat.zone for seat in seats), *_middle_zones(plan, middle, scale, scale))
    return Seating(table_mm, seats, zones, plan, middle)


def _inner_mm(plan: Plan, chairs: int) -> float:
    """The distance from the centre at which the zones of a round of seats begin, clear of each other and the strip."""
    half_x, half_y = plan.middle_mm[0] / 2, plan.middle_mm[1] / 2
    ways = [across(360.0 * index / chairs) for index in range(chairs)]
    clear = max(abs(y) * half_x + abs(x) * half_y for x, y in ways)
    return max(clear, plan.seat_for(chairs)[0] / 2 / tan(pi / chairs)) if chairs > 2 else clear


def _radius_mm(plan: Plan, chairs: int) -> float:
    """The distance from the centre to the outermost corners of the zones."""
    wide, deep = plan.seat_for(chairs)
    outer = hypot(_inner_mm(plan, chairs) + deep, wide / 2)
    return max(outer, hypot(*plan.middle_mm) / 2)


def _seat(index: int, frame: SeatFrame, width: float, depth: float) -> Seat:
    return Seat(index, _box(f"P{index + 1}", frame, (-width / 2, width / 2), (0.0, depth)), frame)


def _middle_zones(plan: Plan, middle: SeatFrame, wider: float, deeper: float) -> Iterator[Zone]:
    """The zones of the strip. Cards do not grow with the table, so only the ends of the strip move out."""
    half_x, half_y = plan.middle_mm[0] / 2, plan.middle_mm[1] / 2
    for name, ends in plan.zones.items():
        start, end = (side * wider if abs(side) >= half_x else side for side in ends)
        yield _box(name, middle, (start, end), (-half_y * deeper, half_y * deeper))


def _box(name: str, frame: SeatFrame, right: Point, away: Point) -> Zone:
    """A rectangle in the coordinates of a seat, the far left corner first."""
    corners = ((right[0], away[1]), (right[1], away[1]), (right[1], away[0]), (right[0], away[0]))
    return Zone(name, tuple(_mm(*frame.place(*corner)) for corner in corners), frame.turn_deg)


def _frame(x_mm: float, y_mm: float, turn_deg: float) -> SeatFrame:
    return SeatFrame(*_mm(x_mm, y_mm), turn_deg)


def _mm(x: float, y: float) -> Point:
    """A point rounded to 0.01 mm, because people read and edit these numbers; adding zero removes the sign of -0.0."""
    return round(x, 2) + 0.0, round(y, 2) + 0.0


def _turned(seating: Seating) -> Seating:
    """The same table turned by 90 degrees: the lower row is then on the left."""
    seats = tuple(Seat(seat.index, _quarter_zone(seat.zone), _quarter_frame(seat.frame)) for seat in seating.seats)
    zones = tuple(_quarter_zone(zone) for zone in seating.zones)
    size = (seating.table_mm[1], seating.table_mm[0])
    return replace(seating, table_mm=size, seats=seats, zones=zones, middle=_quarter_frame(seating.middle))


def _quarter_zone(zone: Zone) -> Zone:
    return Zone(zone.name, tuple(_mm(-y, x) for x, y in zone.polygon_mm), (zone.turn_deg + 90.0) % 360.0)


def _quarter_frame(frame: SeatFrame) -> SeatFrame:
    return _frame(-frame.y_mm, frame.x_mm, (frame.turn_deg + 90.0) % 360.0)


def _spots(data: dict[str, Any]) -> dict[str, Spot]:
    return {
        name: Spot(
            *_pair(row["at"]),
            _pair(row.get("step", (0, 0))),
            int(row.get("per_row", 0)),
            _pair(row.get("row", (0, 0))),
            int(row.get("most", 0)),
            tuple(map(int, row.get("chairs", ()))),
        )
        for name, row in data.items()
    }


def _pair(values: Any) -> Point:
    first, second = values
    return float(first), float(second)
