"""Plans: how much room a game needs, and where in front of a seat or in the middle its cards go.

A plan is data (plans/GAME.toml). Seats are put along the two long sides of the table, clockwise as seen from above,
beginning at the lower right; the middle strip is for what belongs to nobody.
"""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from calibration.seats import Frame, Point, Seat, Zone, rectangle

MARGIN_MM = 12.0
CORNER_MM = 62.0
"""Room for the markers beside the seats."""


class PlanError(ValueError):
    """A plan or a seating that cannot be used."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for cards: the centre of the first one, the step to the next, and when a new row begins."""

    right_mm: float
    away_mm: float
    step_mm: Point = (0.0, 0.0)
    per_row: int = 0
    row_mm: Point = (0.0, 0.0)

    def at(self, number: int) -> Point:
        """The centre of card number `number`, seen from the seat."""
        row, column = divmod(number, self.per_row) if self.per_row else (0, number)
        return (
            self.right_mm + column * self.step_mm[0] + row * self.row_mm[0],
            self.away_mm + column * self.step_mm[1] + row * self.row_mm[1],
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The room a game needs."""

    seat_mm: Point
    """Width and depth of the zone of one seat."""
    middle_mm: Point
    """Width and depth of the strip between the seats."""
    seat: dict[str, Spot]
    middle: dict[str, Spot]


@dataclass(frozen=True, slots=True)
class Seating:
    """A table laid for so many: its size, seats, zones, and where every spot is."""

    table_mm: Point
    seats: tuple[Seat, ...]
    zones: tuple[Zone, ...]
    plan: Plan

    def frame_of(self, zone: str) -> Frame:
        """Whose view a zone is seen from; the middle is seen from the lower edge."""
        for seat in self.seats:
            if seat.zone.name == zone:
                return seat.frame
        return Frame(0.0, 0.0, 0.0)

    def spot_of(self, zone: str, spot: str) -> Spot:
        """A spot by its zone and name."""
        spots = self.plan.seat if any(seat.zone.name == zone for seat in self.seats) else self.plan.middle
        name = spot if spot in spots else f"{zone}.{spot}"
        if name not in spots:
            raise PlanError(f"no spot {spot!r} in zone {zone!r}; there are {', '.join(spots)}")
        return spots[name]

    def markers_mm(self) -> tuple[Point, ...]:
        """The centres of the corner markers, clockwise from the upper left."""
        x, y = self.table_mm[0] / 2 - CORNER_MM / 2, self.table_mm[1] / 2 - CORNER_MM / 2
        return ((-x, -y), (x, -y), (x, y), (-x, y))


def load_plan(game: str) -> Plan:
    """The plan of a game."""
    path = files("calibration") / "plans" / f"{game}.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    return Plan(_pair(data["seat_mm"]), _pair(data["middle_mm"]), _spots(data["seat"]), _spots(data["middle"]))


def seat_players(game: str, chairs: int) -> Seating:
    """A table that is just large enough."""
    plan = load_plan(game)
    if not 1 <= chairs <= 12:
        raise PlanError(f"{chairs} seats; wanted 1 to 12")
    near = -(-chairs // 2)
    width = max(near * plan.seat_mm[0], plan.middle_mm[0]) + 2 * (MARGIN_MM + CORNER_MM)
    depth = (2 if chairs > 1 else 1) * plan.seat_mm[1] + plan.middle_mm[1] + 2 * MARGIN_MM
    # With nobody opposite the middle moves up; it stays centred on the table.
    shift = 0.0 if chairs > 1 else plan.seat_mm[1] / 2
    seats = tuple(_seat(index, chairs, near, plan, shift) for index in range(chairs))
    half_x, half_y = plan.middle_mm[0] / 2, plan.middle_mm[1] / 2
    middle = rectangle("middle", -half_x, -half_y - shift, half_x, half_y - shift)
    return Seating((width, depth), seats, (*(seat.zone for seat in seats), middle), plan)


def _seat(index: int, chairs: int, near: int, plan: Plan, shift: float) -> Seat:
    width, depth = plan.seat_mm
    edge = plan.middle_mm[1] / 2
    if index < near:
        # The lower row, from right to left: the next seat clockwise is the left neighbour.
        x = ((near - 1) / 2 - index) * width
        frame = Frame(x, edge + depth - shift, 0.0)
        return Seat(
            index, rectangle(f"P{index + 1}", x - width / 2, edge - shift, x + width / 2, edge + depth - shift), frame
        )
    far = chairs - near
    x = (index - near - (far - 1) / 2) * width
    frame = Frame(x, -edge - depth, 180.0)
    return Seat(index, rectangle(f"P{index + 1}", x - width / 2, -edge - depth, x + width / 2, -edge), frame)


def _spots(data: dict[str, Any]) -> dict[str, Spot]:
    return {
        name: Spot(
            *_pair(row["at"]), _pair(row.get("step", (0, 0))), int(row.get("per_row", 0)), _pair(row.get("row", (0, 0)))
        )
        for name, row in data.items()
    }


def _pair(values: Any) -> Point:
    first, second = values
    return float(first), float(second)
