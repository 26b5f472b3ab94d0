"""Seats and zones: who sits where, what is upright for whom, and which part of the table is whose."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import cos, hypot, radians, sin

Point = tuple[float, float]
NEAR_MM = 30.0
"""How far outside of every zone a card may lie and still belong to the nearest: half the width of a card."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A named part of the table, as a polygon in table mm."""

    name: str
    polygon_mm: tuple[Point, ...]
    turn_deg: float = 0.0
    """How far a card is turned that lies upright in it; clockwise, 0 at the lower edge of the picture."""

    def holds(self, x_mm: float, y_mm: float) -> bool:
        """Whether a point lies inside."""
        inside = False
        for (x1, y1), (x2, y2) in self.edges():
            if (y1 > y_mm) != (y2 > y_mm) and x_mm < x1 + (y_mm - y1) / (y2 - y1) * (x2 - x1):
                inside = not inside
        return inside

    def edges(self) -> Iterator[tuple[Point, Point]]:
        """Its sides, one after the other."""
        return zip(self.polygon_mm, (*self.polygon_mm[1:], self.polygon_mm[0]), strict=True)

    @property
    def area_mm2(self) -> float:
        """How large it is."""
        return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in self.edges())) / 2

    @property
    def centre_mm(self) -> Point:
        """The middle of its corners."""
        count = len(self.polygon_mm)
        return sum(x for x, _ in self.polygon_mm) / count, sum(y for _, y in self.polygon_mm) / count

    @property
    def crossed(self) -> bool:
        """Whether its sides cross each other."""
        sides = tuple(self.edges())
        return any(_cross(*one, *other) for number, one in enumerate(sides) for other in sides[number + 1 :])

    def away_mm(self, x_mm: float, y_mm: float) -> float:
        """How far a point is from the nearest side, inside or outside."""
        return min(_from_edge(x_mm, y_mm, *edge) for edge in self.edges())


@dataclass(frozen=True, slots=True)
class SeatFrame:
    """Where somebody's own view of the table begins: x to the right and y away from that person, in mm."""

    x_mm: float
    y_mm: float
    turn_deg: float
    """How far a card is turned that lies upright for that person; clockwise, 0 at the lower edge of the picture."""

    def place(self, right_mm: float, away_mm: float) -> Point:
        """A point of that view on the table."""
        right_x, right_y = across(self.turn_deg)
        return (
            self.x_mm + right_mm * right_x + away_mm * right_y,
            self.y_mm + right_mm * right_y - away_mm * right_x,
        )


@dataclass(frozen=True, slots=True)
class Seat:
    """One chair: its number, its zone and its view."""

    index: int
    zone: Zone
    frame: SeatFrame

    @property
    def up(self) -> Point:
        """The direction that is up for whoever sits there."""
        right_x, right_y = across(self.frame.turn_deg)
        return right_y + 0.0, 0.0 - right_x


def across(turn_deg: float) -> Point:
    """The direction to the right in a view that is turned clockwise; exact for quarter turns."""
    quarters, rest = divmod(turn_deg, 90.0)
    if not rest:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    return cos(radians(turn_deg)), sin(radians(turn_deg))


def rectangle(name: str, left: float, top: float, right: float, bottom: float, turn_deg: float = 0.0) -> Zone:
    """A zone with straight sides."""
    return Zone(name, ((left, top), (right, top), (right, bottom), (left, bottom)), turn_deg)


def zone_of(zones: Iterable[Zone], point_mm: Point, near_mm: float = NEAR_MM) -> str:
    """The zone of a point: the smallest that holds it, else the nearest within `near_mm`, else ""."""
    zones = tuple(zones)
    holding = [zone for zone in zones if zone.holds(*point_mm)]
    if holding:
        return min(holding, key=lambda zone: zone.area_mm2).name
    # Between two zones that are equally near the one whose centre is nearer wins.
    ranked = sorted((round(zone.away_mm(*point_mm), 6), _apart(zone.centre_mm, point_mm), zone.name) for zone in zones)
    return ranked[0][2] if ranked and ranked[0][0] <= near_mm else ""


def turned(seat: Seat, card_turn_deg: float) -> bool:
    """Whether a card lies upside down for whoever sits there."""
    return is_turned(seat.frame.turn_deg, card_turn_deg)


def is_turned(upright_deg: float, card_turn_deg: float) -> bool:
    """Whether a card is turned by more than a quarter from upright."""
    return abs((card_turn_deg - upright_deg + 180.0) % 360.0 - 180.0) > 90.0


def _apart(one: Point, other: Point) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the inner parts of two lines have a point in common; lines that only meet at an end do not cross."""
    return _left(a, b, c) * _left(a, b, d) < 0 and _left(c, d, a) * _left(c, d, b) < 0


def _left(start: Point, end: Point, point: Point) -> float:
    """On which side of a line a point is."""
    return (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])


def _from_edge(x: float, y: float, start: Point, end: Point) -> float:
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    length = along_x * along_x + along_y * along_y
    share = ((x - start[0]) * along_x + (y - start[1]) * along_y) / length if length else 0.0
    share = min(1.0, max(0.0, share))
    return hypot(x - start[0] - share * along_x, y - start[1] - share * along_y)
