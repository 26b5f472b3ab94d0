"""Layouts: what should lie where on the table, as the rules expect it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, cast

from models.cards import Deck
from models.packages import contract_names, part_of
from referee.moves import Move
from referee.observed import ObservedTable


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
    PAIR = "pair"
    """Squared in two piles side by side: the last two cards are seen, in any order."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place with its cards, bottom to top or left to right as the owner sees them; `?` lies face down."""

    zone: str
    """A seat (P1 …), or centre, pile, discard, aside."""
    spot: str
    """Where in the zone: tens, units, tray, set, c3 …"""
    cards: tuple[str, ...]
    spread: Spread = Spread.ROW
    kind: str = ""
    """The kind of the cards that lie face down, where a deck has several backs."""
    marks: tuple[tuple[str, ...], ...] = ()
    """What is drawn by hand on each card, as r1c2 for a crossed cell."""
    instead: tuple[tuple[str, ...], ...] = ()
    """What may lie there as well: without what somebody is about to take away, or still with it."""


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
    instead: str = ""
    """Where it may be as well: somebody is about to move it there."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that lies on the table; places without cards are left out."""

    places: tuple[Place, ...]
    counters: tuple[Counter, ...] = ()


@dataclass(frozen=True, slots=True)
class Face:
    """A printed card that a word of the game may stand for, and whether it lies upside down for its owner."""

    code: str
    turned: bool = False


class Layouts(Protocol):
    """The module table.py of a game: how the game shows on the table."""

    WAY_MATTERS: bool
    """Whether it makes a difference which way up a card lies."""
    DECLARED: tuple[str, ...]
    """The verbs of moves that leave no trace on the table and that no rule forces: people say them."""
    FROM_HAND: tuple[str, ...]
    """The verbs that lay cards face up, to stay there: those that just lay there do again, rather than others."""

    SHOWN_BY_OWNER: tuple[str, ...]
    """The verbs by which the owner of a zone lays cards there, whoever acts."""
    TAKEN_BY_ACTOR: tuple[str, ...]
    """The verbs by which who acts takes cards from another's zone; otherwise their owner does."""
    HANDLED_UNSEEN: tuple[str, ...]
    """The verbs of acts in front of who acts that nobody saw."""

    def layout(self, deck: Deck, state: Any) -> Layout:
        """What lies where in a state."""

    def faces(self, deck: Deck, word: str) -> tuple[Face, ...]:
        """The printed cards that a card word may stand for."""

    def propose(self, deck: Deck, state: Any, seen: ObservedTable) -> Iterator[Move]:
        """Moves, legal or not, that what is seen may come from: each should bring the layout nearer to it."""

    def unseen(self, state: Any) -> Iterator[tuple[Move, float]]:
        """Moves that people may make now without a trace, and what each costs a history: -log of how often they do."""

    def follows(self, state: Any) -> Move | None:
        """What must happen next and cannot be seen, such as drawing cards from a pile."""

    def public(self, deck: Deck, move: Move) -> str:
        """A move as everybody at the table sees it, without what nobody can know: two such moves are the same."""


TABLE_NAMES = contract_names(Layouts)
"""What the module table.py of a game must have."""


def layouts_of(game: str) -> Layouts:
    """The layouts of a game, found by its name."""
    return cast(Layouts, part_of(game, "table"))


def laid_out(places: list[Place], counters: list[Counter] | None = None) -> Layout:
    """A layout without its empty places."""
    return Layout(tuple(place for place in places if place.cards or place.instead), tuple(counters or ()))


def lies(layout: Layout) -> frozenset[tuple[str, str, tuple[str, ...]]]:
    """What anybody sees lying there: cards in a fan in any order, of a pile its top."""
    return frozenset((place.zone, place.spot, _visible(place)) for place in layout.places if place.cards)


def _visible(place: Place) -> tuple[str, ...]:
    if place.spread is Spread.PILE:
        return place.cards[-1:]
    return tuple(sorted(place.cards)) if place.spread is Spread.FAN else place.cards
