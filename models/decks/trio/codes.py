"""What people call the cards of Trio: their number."""

from collections.abc import Mapping

from models.cards import Card
from models.codes import Code, listed_code

WANTED = "Trio wants a number from 1 to 12"


def read_code(text: str, listed: Mapping[str, Card]) -> Code | None:
    """A number of the deck."""
    return listed_code(text, listed)


def spellings(word: str) -> tuple[str, ...]:
    """A file name is the code itself."""
    return (word,)


def names_a_file(code: str, listed: Mapping[str, Card]) -> bool:
    """Every code may name a file."""
    return True
