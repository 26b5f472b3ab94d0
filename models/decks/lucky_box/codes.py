"""What people call the cards of Lucky Box: the small number of a box card, or n and the number of a number card."""

from collections.abc import Mapping

from models.cards import Card
from models.codes import Code, listed_code

WANTED = (
    "Lucky Box wants the small number of a box card that our list holds (1 to 60), or n and the number of a number "
    "card, as n7; another box: teach it with --free, write its faces into a copy of models/decks/lucky_box/deck.toml "
    "and play with --deck FILE"
)


def read_code(text: str, listed: Mapping[str, Card]) -> Code | None:
    """A card of the deck: nobody can guess what is printed on another one."""
    return listed_code(text.lower(), listed)


def spellings(word: str) -> tuple[str, ...]:
    """A file name is the code itself."""
    return (word,)


def names_a_file(code: str, listed: Mapping[str, Card]) -> bool:
    """Every code may name a file."""
    return True
