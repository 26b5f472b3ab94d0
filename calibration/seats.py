"""Seats and zones: who sits where, what is upright for whom, and which part of the table is whose."""

from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Zone:
    """A named part of the table, as a polygon in table mm."""

    name: str
    polygon_mm: tuple[Point, ...]

    def holds(self, x_mm: float, y_mm: float) -> bool:
        """Whether a point lies inside."""
        inside = False
        for (x1, y1), (x2, y2) in zip(self.polygon_mm, (*self.polygon_mm[1:], self.polygon_mm[0]), strict=True):
            if (y1 > y_mm) != (y2 > y_mm) and x_mm < x1 + (y_mm - y1) / (y2 - y1) * (x2 - x1):
                inside = not inside
        return inside


@dataclass(frozen=True, slots=True)
class Frame:
    """Where somebody's own view of the table begins: x to the right and y away from that person, in mm."""

    x_mm: float
    y_mm: float
    turn_deg: float
    """How far a card is turned that lies upright for that person; clockwise, 0 at the lower edge of the picture."""

    def place(self, right_mm: float, away_mm: float) -> Point:
        """A point of that view on the table."""
        if self.turn_deg == 180:
            return self.x_mm - right_mm, self.y_mm + away_mm
        return self.x_mm + right_mm, self.y_mm - away_mm


@dataclass(frozen=True, slots=True)
class Seat:
    """One chair: its number, its zone and its view."""

    index: int
    zone: Zone
    frame: Frame

    @property
    def up(self) -> Point:
        """The direction that is up for whoever sits there."""
        return (0.0, 1.0) if self.frame.turn_deg == 180 else (0.0, -1.0)


def rectangle(name: str, left: float, top: float, right: float, bottom: float) -> Zone:
    """A zone with straight sides."""
    return Zone(name, ((left, top), (right, top), (right, bottom), (left, bottom)))
