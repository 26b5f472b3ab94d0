"""Layouts: the expected cards and pieces on the table in a state of the game."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, cast

from models.cards import Deck
from models.packages import contract_names, part_of
from referee.moves import Move
from referee.observed import ObservedTable


class Spread(StrEnum):
    """The arrangement of the cards in one place."""

    PILE = "pile"
    """Squared: only the top card is visible."""
    STACK = "stack"
    """Each card on the one before, shifted away from the player, so that a strip of every card is visible."""
    ROW = "row"
    """Side by side."""
    FAN = "fan"
    """Overlapping sideways."""
    PAIR = "pair"
    """Two squared piles side by side: the last two cards are visible, in any order."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place with its cards, bottom to top or left to right as the owner sees them; `?` is a face-down card."""

    zone: str
    """A seat (P1 …), or centre, pile, discard, aside."""
    spot: str
    """Where in the zone: tens, units, tray, set, c3 …"""
    cards: tuple[str, ...]
    spread: Spread = Spread.ROW
    kind: str = ""
    """The kind of the face-down cards, for decks with several backs."""
    marks: tuple[tuple[str, ...], ...] = ()
    """The marks drawn on each card, such as r1c2 for a crossed cell."""
    instead: tuple[tuple[str, ...], ...] = ()
    """Alternatives for the cards: without those that are about to be taken away, or still with them."""


@dataclass(frozen=True, slots=True)
class Counter:
    """Pieces other than cards: a figure on a space of the track, tokens in front of a seat."""

    kind: str
    """figure, lightning, moon."""
    owner: str
    """The seat it belongs to, P1 …"""
    zone: str
    spot: str
    count: int = 1
    instead: str = ""
    """An alternative spot, to which the piece is about to be moved."""


@dataclass(frozen=True, slots=True)
class Layout:
    """All expected cards and pieces; empty places are left out."""

    places: tuple[Place, ...]
    counters: tuple[Counter, ...] = ()


@dataclass(frozen=True, slots=True)
class Face:
    """A printed card that a card word may stand for, and whether it is upside down for its owner."""

    code: str
    turned: bool = False


class Layouts(Protocol):
    """The contract of a game's table.py: its layouts, and the moves that may explain a table."""

    WAY_MATTERS: bool
    """Whether the orientation of a card matters."""
    DECLARED: tuple[str, ...]
    """Verbs of invisible moves that no rule forces; players may declare them."""
    SHOWN_BY_OWNER: tuple[str, ...]
    """Verbs with which the owner of a zone lays cards there, whoever acts."""
    TAKEN_BY_ACTOR: tuple[str, ...]
    """Verbs with which the acting player takes cards from another's zone; otherwise the owner of the zone does."""
    HANDLED_UNSEEN: tuple[str, ...]
    """Verbs of unseen acts in front of the acting player."""

    def layout(self, deck: Deck, state: Any) -> Layout:
        """The layout of a state."""

    def faces(self, deck: Deck, word: str) -> tuple[Face, ...]:
        """The printed cards that a card word may stand for."""

    def propose(self, deck: Deck, state: Any, seen: ObservedTable) -> Iterator[Move]:
        """Moves, legal or not, that may explain the table; each should bring the layout nearer to it."""

    def unseen(self, state: Any) -> Iterator[tuple[Move, float]]:
        """Invisible moves that players may make now, each with its cost: the negative log of its probability."""

    def follows(self, state: Any) -> Move | None:
        """The forced invisible next move, if any, such as drawing cards from a pile."""

    def public(self, deck: Deck, move: Move) -> str:
        """The public part of a move, as text; moves with equal public parts look the same."""


TABLE_NAMES = contract_names(Layouts)
"""The names that the module table.py of a game must have."""


def layouts_of(game: str) -> Layouts:
    """The layouts of a game, found by its name."""
    return cast(Layouts, part_of(game, "table"))


def laid_out(places: list[Place], counters: list[Counter] | None = None) -> Layout:
    """A layout without its empty places."""
    return Layout(tuple(place for place in places if place.cards or place.instead), tuple(counters or ()))


def visible_cards(layout: Layout) -> frozenset[tuple[str, str, tuple[str, ...]]]:
    """The visible cards of each place: cards in a fan sorted, only the top of a pile."""
    return frozenset((place.zone, place.spot, _visible(place)) for place in layout.places if place.cards)


def _visible(place: Place) -> tuple[str, ...]:
    if place.spread is Spread.PILE:
        return place.cards[-1:]
    return tuple(sorted(place.cards)) if place.spread is Spread.FAN else place.cards
