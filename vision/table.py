"""The table as the referee gets it: which card lies where, whose it is, and how sure that is. No pixels."""

from dataclasses import dataclass

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Four corners in card order: upper left, upper right, lower right, lower left as printed on the side that is up."""

FOREIGN = ""
"""The code of what is no card of this deck."""


@dataclass(frozen=True, slots=True)
class Guess:
    """What a card may be, and how likely; the probabilities of all guesses about a card add up to at most 1."""

    code: str
    probability: float


@dataclass(frozen=True, slots=True)
class Placed:
    """One physical card on the table."""

    track: int
    """Stays with the card while it is moved, turned over and covered."""
    code: str
    """The best guess; empty for a back and for what is no card of this deck."""
    guesses: tuple[Guess, ...]
    """Best first; of a card that lies face down only what is remembered from when it lay face up."""
    face_up: bool
    corners_mm: Quad
    zone: str
    turned_deg: float
    """How far it is turned against upright in its zone; clockwise, from -180 to 180."""
    visible: float
    marks: tuple[str, ...] = ()
    """What is drawn on it by hand: r1c2 for a crossed cell, b3 for a circled bonus."""
    spot: str = ""
    """Where in its zone it lies, as the plan of the game names it; empty while nobody has sorted the table."""
    order: int = 0
    """Which one it is there, from the bottom or from the left as the owner sees it."""
    pinned: bool = False
    """Whether a human has said which card it is."""
    looks: int = 1
    """How many independent looks found it where it lies now, at most as many as there were at the table."""

    @property
    def centre_mm(self) -> Point:
        """The middle of the card."""
        return sum(x for x, _ in self.corners_mm) / 4, sum(y for _, y in self.corners_mm) / 4


@dataclass(frozen=True, slots=True)
class Piece:
    """Something on the table that is no card: a figure, a token."""

    kind: str
    """figure, lightning, moon."""
    colour: str
    """Whose it is (P1 …) where pieces are told apart by their colour; empty for others."""
    x_mm: float
    y_mm: float
    zone: str
    spot: str = ""
    """Where in its zone it is: a space of a track by its number, tokens in front of a seat."""


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm that came over the table since the table before."""

    seats: tuple[tuple[str, float], ...]
    """Whose it may be (P1 …) with the probability of each, likeliest first."""
    points_mm: tuple[Point, ...]
    """Where its hand was, in order."""
    from_s: float
    to_s: float
    over: tuple[tuple[str, str], ...] = ()
    """The zones and spots below these points; empty while nobody has sorted the table."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that lies still, hands gone."""

    at_s: float
    frame: int
    cards: tuple[Placed, ...]
    """Bottom to top where they overlap."""
    pieces: tuple[Piece, ...] = ()
    looks: int = 1
    """How many independent looks it rests on: one if it was only glimpsed before somebody played on.

    A table that is given once more counts all looks since it came to rest.
    """
    arms: tuple[Arm, ...] = ()
    """Who reached over the table since the table before; empty also where nobody watches for arms."""
    hasty: bool = False
    """Whether somebody played on before it was sure: perhaps what lies there was only half of a play."""
