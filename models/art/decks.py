"""Decks as art: finds the drawing module of a game, and lists everything in its box."""

from collections.abc import Iterator
from functools import partial
from typing import Protocol, cast

from models.art.pen import Pen, Size
from models.art.sheets import PrintPiece
from models.cards import Card, Deck
from models.packages import part_of


class Art(Protocol):
    """Interface of a module models/decks/GAME/art.py."""

    def size_of(self, card: Card) -> Size:
        """The size of a card."""

    def draw_face(self, pen: Pen, card: Card) -> None:
        """Draw the face."""

    def draw_back(self, pen: Pen, kind: str) -> None:
        """Draw the back that all cards of a kind share."""

    def extras(self) -> tuple[PrintPiece, ...]:
        """Other contents of the box, printed after the cards: tokens, figures, aids, score sheets."""


def art_of(game: str) -> Art:
    """The drawings of a game."""
    return cast(Art, part_of(game, "art"))


def pieces_of(deck: Deck) -> Iterator[PrintPiece]:
    """Every card as often as it is in the deck, then the other contents of the box."""
    art = art_of(deck.game)
    for card in deck.cards:
        piece = PrintPiece(partial(art.draw_face, card=card), partial(art.draw_back, kind=card.kind), art.size_of(card))
        yield from (piece for _ in range(card.count))
    yield from art.extras()
