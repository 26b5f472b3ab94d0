"""What is printed on cards of Dawaj 2: a digit, stars and one of three colours."""

from collections.abc import Mapping

from models.cards import Card
from models.codes import card_of
from models.decks.dawaj2.codes import COLOURS
from models.prints import CardPrint

DIGITS, STARS = range(1, 10), range(3)


def card_prints(listed: Mapping[str, Card]) -> tuple[CardPrint, ...]:
    """Every digit in every colour with every number of stars: decks differ."""
    cards = (card_of("dawaj2", f"{digit}{letter}{stars}") for digit in DIGITS for letter in COLOURS for stars in STARS)
    return tuple(
        CardPrint(card.code, (card.number("digit"),), card.number("stars"), card.word("colour")) for card in cards
    )
