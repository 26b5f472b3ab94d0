"""What is printed on cards of dnp: two values, one at each end; the symbol is not read."""

from collections.abc import Mapping

from models.cards import Card
from models.prints import CardPrint


def card_prints(listed: Mapping[str, Card]) -> tuple[CardPrint, ...]:
    """Every pair of the deck."""
    return tuple(CardPrint(card.code, (card.number("a"), card.number("b"))) for card in listed.values())
