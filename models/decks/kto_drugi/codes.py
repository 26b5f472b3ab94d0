"""What people call the cards of Kto drugi: value and white number, as +2/16, or the colour of a colour card."""

import re
from collections.abc import Mapping

from models.cards import Card
from models.codes import Code, slash_spellings

WANTED = (
    "Kto drugi wants a value from -4 to +5 and the white number, as +2/16 (+2/16b for a second one of the same), or "
    "the colour of a colour card, as RED"
)
_RACE = re.compile(r"([+-])([1-9])/([0-9]{1,3})([a-z]?)")
_COLOUR = re.compile(r"[A-ZĄĆĘŁŃÓŚŹŻ]{3,20}")


def read_code(text: str, listed: Mapping[str, Card]) -> Code | None:
    """Any race card, or any word for a colour card."""
    found = _RACE.fullmatch(text)
    if found is not None and -4 <= int(found[1] + found[2]) <= 5:
        return Code(text, "race", {"value": int(found[1] + found[2]), "white": int(found[3])})
    if _COLOUR.fullmatch(text.upper()):
        return Code(text.upper(), "colour", {"colour": text.lower()})
    return None


def spellings(word: str) -> tuple[str, ...]:
    """No file name holds a slash: plus2-16 is +2/16."""
    return slash_spellings(word)


def names_a_file(code: str, listed: Mapping[str, Card]) -> bool:
    """Any word may be a colour when somebody types it; as the name of a file it must be one that we know."""
    return "/" in code or code in listed
