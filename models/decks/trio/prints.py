"""What is printed on cards of Trio: a number."""

from collections.abc import Mapping

from models.cards import Card
from models.prints import CardPrint


def card_prints(listed: Mapping[str, Card]) -> tuple[CardPrint, ...]:
    """Every number of the deck."""
    return tuple(CardPrint(card.code, (card.number("number"),)) for card in listed.values())
