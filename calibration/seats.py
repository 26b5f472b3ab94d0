"""Seats and zones: who sits where, which direction is upright for each seat, and who owns which part of the table."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import cos, hypot, radians, sin

Point = tuple[float, float]
NEAR_MM = 30.0
"""Distance from the nearest zone within which a card still belongs to it: half the width of a card."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A named part of the table, as a polygon in table mm."""

    name: str
    polygon_mm: tuple[Point, ...]
    turn_deg: float = 0.0
    """Rotation of a card that is upright in this zone; clockwise, 0 at the lower edge of the picture."""

    def holds(self, x_mm: float, y_mm: float) -> bool:
        """Whether a point is inside."""
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
        """The area."""
        return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in self.edges())) / 2

    @property
    def centre_mm(self) -> Point:
        """The mean of its corners."""
        count = len(self.polygon_mm)
        return sum(x for x, _ in self.polygon_mm) / count, sum(y for _, y in self.polygon_mm) / count

    @property
    def crossed(self) -> bool:
        """Whether its sides cross each other."""
        sides = tuple(self.edges())
        return any(_cross(*one, *other) for number, one in enumerate(sides) for other in sides[number + 1 :])

    def away_mm(self, x_mm: float, y_mm: float) -> float:
        """The distance of a point from the nearest side, inside or outside."""
        return min(_from_edge(x_mm, y_mm, *edge) for edge in self.edges())


@dataclass(frozen=True, slots=True)
class SeatFrame:
    """The coordinates of a seat: the origin on the table, x to the right and y away from the player, in mm."""

    x_mm: float
    y_mm: float
    turn_deg: float
    """Rotation of a card that is upright for the player; clockwise, 0 at the lower edge of the picture."""

    def place(self, right_mm: float, away_mm: float) -> Point:
        """A point of these coordinates on the table."""
        right_x, right_y = across(self.turn_deg)
        return (
            self.x_mm + right_mm * right_x + away_mm * right_y,
            self.y_mm + right_mm * right_y - away_mm * right_x,
        )


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat: its number, its zone and its coordinates."""

    index: int
    zone: Zone
    frame: SeatFrame

    @property
    def up(self) -> Point:
        """The direction that is up for the player."""
        right_x, right_y = across(self.frame.turn_deg)
        return right_y + 0.0, 0.0 - right_x


def across(turn_deg: float) -> Point:
    """The direction to the right after a clockwise rotation; exact for multiples of 90 degrees."""
    quarters, rest = divmod(turn_deg, 90.0)
    if not rest:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    return cos(radians(turn_deg)), sin(radians(turn_deg))


def rectangle(name: str, left: float, top: float, right: float, bottom: float, turn_deg: float = 0.0) -> Zone:
    """A rectangular zone."""
    return Zone(name, ((left, top), (right, top), (right, bottom), (left, bottom)), turn_deg)


def zone_of(zones: Iterable[Zone], point_mm: Point, near_mm: float = NEAR_MM) -> str:
    """The zone of a point: the smallest that holds it, else the nearest within `near_mm`, else ""."""
    zones = tuple(zones)
    holding = [zone for zone in zones if zone.holds(*point_mm)]
    if holding:
        return min(holding, key=lambda zone: zone.area_mm2).name
    # Between two equally near zones the one with the nearer centre wins.
    ranked = sorted((round(zone.away_mm(*point_mm), 6), _apart(zone.centre_mm, point_mm), zone.name) for zone in zones)
    return ranked[0][2] if ranked and ranked[0][0] <= near_mm else ""


def turned(seat: Seat, card_turn_deg: float) -> bool:
    """Whether a card is upside down for the player at a seat."""
    return is_turned(seat.frame.turn_deg, card_turn_deg)


def is_turned(upright_deg: float, card_turn_deg: float) -> bool:
    """Whether a card is rotated by more than 90 degrees from upright."""
    return abs((card_turn_deg - upright_deg + 180.0) % 360.0 - 180.0) > 90.0


def _apart(one: Point, other: Point) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two segments cross; segments that only share an end do not."""
    return _left(a, b, c) * _left(a, b, d) < 0 and _left(c, d, a) * _left(c, d, b) < 0


def _left(start: Point, end: Point, point: Point) -> float:
    """The side of a line on which a point is, as a sign."""
    return (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])


def _from_edge(x: float, y: float, start: Point, end: Point) -> float:
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    length = along_x * along_x + along_y * along_y
    share = ((x - start[0]) * along_x + (y - start[1]) * along_y) / length if length else 0.0
    share = min(1.0, max(0.0, share))
    return hypot(x - start[0] - share * along_x, y - start[1] - share * along_y)
