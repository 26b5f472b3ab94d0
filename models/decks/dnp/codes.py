"""What people call the cards of dnp: both values, and the symbol if there is one, as 1/8 or 1/8B."""

import re
from collections.abc import Mapping

from models.cards import Card, Trait
from models.codes import Code, slash_spellings

WANTED = "dnp wants two different values from 1 to 10, and A, B or C where the card carries a symbol, as 1/8 or 1/8B"
_CODE = re.compile(r"([0-9]{1,2})/([0-9]{1,2})([ABC]?)")


def read_code(text: str, listed: Mapping[str, Card]) -> Code | None:
    """Any pair, the lower value first; our own list says which card carries the star."""
    found = _CODE.fullmatch(text.upper())
    low, high = sorted((int(found[1]), int(found[2]))) if found else (0, 0)
    if found is None or not 1 <= low < high <= 10:
        return None
    code = f"{low}/{high}{found[3]}"
    same = listed.get(code)
    star: dict[str, Trait] = {"star": True} if same is not None and same.has("star") else {}
    return Code(code, "card", {"a": low, "b": high, "group": found[3] or "base", **star})


def spellings(word: str) -> tuple[str, ...]:
    """No file name holds a slash: 1-8 is 1/8."""
    return slash_spellings(word)


def names_a_file(code: str, listed: Mapping[str, Card]) -> bool:
    """Every code may name a file."""
    return True
