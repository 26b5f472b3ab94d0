"""The table as the referee sees it: every card, its place, its owner and the confidence in each reading. No pixels."""

from dataclasses import dataclass

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Four corners in card order: upper left, upper right, lower right, lower left as printed on the side that is up."""

FOREIGN = ""
"""The code of a card that does not belong to the deck."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A card that a reading may show, with its probability; all guesses about a card add up to at most 1."""

    code: str
    probability: float


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """One physical card on the table."""

    track: int
    """The number of its track, which stays the same while the card is moved, turned over and covered."""
    code: str
    """The best guess; FOREIGN for a back and for a card of another deck."""
    guesses: tuple[Guess, ...]
    """Best first; for a card that is face down, the guesses from when it was face up."""
    face_up: bool
    corners_mm: Quad
    zone: str
    turned_deg: float
    """Rotation against upright in its zone; clockwise, from -180 to 180."""
    visible: float
    """The visible share of the card, from 0 to 1."""
    marks: tuple[str, ...] = ()
    """Marks drawn by hand: r1c2 for a crossed cell, b3 for a circled bonus."""
    spot: str = ""
    """The spot within its zone, as the game's plan names it; empty until spots are assigned."""
    order: int = 0
    """The position within its spot, from the bottom or from the left as the owner sees it."""
    pinned: bool = False
    """Whether a person named this card."""
    looks: int = 1
    """The number of independent looks that found the card in its present place, at most `Table.looks`."""

    @property
    def centre_mm(self) -> Point:
        """The centre of the card."""
        return sum(x for x, _ in self.corners_mm) / 4, sum(y for _, y in self.corners_mm) / 4


@dataclass(frozen=True, slots=True)
class Piece:
    """An object of the game that is not a card: a figure or a token."""

    kind: str
    """figure, lightning, moon."""
    colour: str
    """The owner (P1 …) where colours identify the owner; otherwise empty."""
    x_mm: float
    y_mm: float
    zone: str
    spot: str = ""
    """The spot within its zone: the number of a track space, or the tokens in front of a seat."""


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm that reached over the table since the previous table."""

    seats: tuple[tuple[str, float], ...]
    """The seats it may belong to (P1 …), each with its probability, likeliest first."""
    points_mm: tuple[Point, ...]
    """The positions of its hand, in order of time."""
    from_s: float
    to_s: float
    over: tuple[tuple[str, str], ...] = ()
    """The zones and spots below these points; empty until spots are assigned."""


@dataclass(frozen=True, slots=True)
class Table:
    """A still table without hands."""

    at_s: float
    frame: int
    cards: tuple[PlacedCard, ...]
    """Bottom to top where they overlap."""
    pieces: tuple[Piece, ...] = ()
    looks: int = 1
    """The number of independent looks behind this table: one if play went on after the first.

    A table that is reported again counts all looks since it became still.
    """
    arms: tuple[Arm, ...] = ()
    """The arms that reached over the table since the previous table; also empty where arms are not tracked."""
    hasty: bool = False
    """Whether play went on before the table was certain: it may show a move that was only half done."""
