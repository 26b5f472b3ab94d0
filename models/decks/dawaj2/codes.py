"""What people call the cards of Dawaj 2: digit, colour and stars, as 9G0."""

import re
from collections.abc import Mapping

from models.cards import Card
from models.codes import Code

WANTED = "Dawaj 2 wants digit, colour B, P or G, and 0 to 2 stars, as 9G0"
COLOURS = {"B": "blue", "P": "pink", "G": "green"}
_CODE = re.compile(r"([1-9])([BPG])([012])")


def read_code(text: str, listed: Mapping[str, Card]) -> Code | None:
    """Any digit in any colour with any stars: decks differ."""
    found = _CODE.fullmatch(text.upper())
    if found is None:
        return None
    return Code(found[0], "card", {"digit": int(found[1]), "colour": COLOURS[found[2]], "stars": int(found[3])})


def spellings(word: str) -> tuple[str, ...]:
    """A file name is the code itself."""
    return (word,)


def names_a_file(code: str, listed: Mapping[str, Card]) -> bool:
    """Every code may name a file."""
    return True
