"""Layouts: what should lie where on the table, as the rules expect it."""

from dataclasses import dataclass
from enum import StrEnum


class Spread(StrEnum):
    """How the cards of one place lie."""

    PILE = "pile"
    """Squared: only the top card is seen."""
    STACK = "stack"
    """Each card on the one before, shifted away from the player, so that a strip of every card is seen."""
    ROW = "row"
    """Side by side."""
    FAN = "fan"
    """Overlapping sideways."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place with its cards, bottom to top or left to right as the owner sees them; `?` lies face down."""

    zone: str
    """A seat (P1 …), or centre, pile, discard, aside."""
    spot: str
    """Where in the zone: tens, units, tray, set, c3 …"""
    cards: tuple[str, ...]
    spread: Spread = Spread.ROW
    marks: tuple[tuple[str, ...], ...] = ()
    """What is drawn by hand on each card, as r1c2 for a crossed cell."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A piece that is no card: a figure on a space of the track, tokens in front of a seat."""

    kind: str
    """figure, lightning, moon."""
    owner: str
    """The seat it belongs to, P1 …"""
    zone: str
    spot: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that lies on the table; places without cards are left out."""

    places: tuple[Place, ...]
    counters: tuple[Counter, ...] = ()
