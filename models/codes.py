"""Codes: how people name the cards of a game, and what a code tells about the print of a card."""

import re
from collections.abc import Mapping
from functools import cache

from models.cards import Card, DeckError, Trait, own_deck, own_decks

FREE = "free"
"""The game of a deck that Krupier has no rules for."""
BACK = "back"
"""The code of the other side of a card."""
COLOURS = {"B": "blue", "P": "pink", "G": "green"}
MOST_LETTERS = 40
_NO_LETTERS = frozenset('@=#?,;"\\~')
"""Characters that no code may contain: records, lists and further views use them."""
_DAWAJ2 = re.compile(r"([1-9])([BPG])([012])")
_DNP = re.compile(r"([0-9]{1,2})/([0-9]{1,2})([ABC]?)")
_RACE = re.compile(r"([+-])([1-9])/([0-9]{1,3})([a-z]?)")
_COLOUR = re.compile(r"[A-ZĄĆĘŁŃÓŚŹŻ]{3,20}")
_AGAIN = {True: re.compile(r"(.+)~[0-9a-z]{1,3}"), False: re.compile(r"(.+?)(?:~|-|_| |\()\(?([a-z]|[0-9]{1,2})\)?")}
"""The file name of a further view: for a deck without rules (True) and for a game (False)."""
_NUMBERED = re.compile(
    r"(?:IMG|DSCF?|DSCN|PXL|DCIM|MVIMG|WP|frame|image|photo|view)[-_ ]?[0-9]|[0-9]{6,}", re.IGNORECASE
)
"""File names that cameras give, which are not codes."""
_SIGNS = {"plus": "+", "minus": "-"}


class CodeError(DeckError):
    """A code that does not exist in a game; the message says what was found and what was wanted."""


def spelled(game: str, text: str) -> str:
    """The normal form of a code; CodeError if no card of the game can have it."""
    if text.strip().lower() == BACK:
        return BACK
    return _read(game, text.strip())[0]


def card_of(game: str, code: str, count: int = 1) -> Card:
    """The card that a code stands for, with all traits that the code tells."""
    made, kind, traits = _read(game, code)
    return Card(made, count, kind, tuple(traits.items()))


def from_stem(game: str, stem: str) -> str | None:
    """The code that a file name tells, or None; 1-8 is 1/8 of dnp, 7-2 the second view of 7."""
    if _NUMBERED.match(stem):
        return None
    for word in (stem, *(found[1] for found in [_AGAIN[game == FREE].fullmatch(stem)] if found)):
        for spelling in _spellings(game, word):
            try:
                code = spelled(game, spelling)
            except CodeError:
                continue
            # A person may type any word as a colour; in a file name only known colours count.
            if code == BACK or game != "kto_drugi" or "/" in code or code in listed(game):
                return code
    return None


def listed(game: str) -> Mapping[str, Card]:
    """The cards of our own list of a game, by code; empty for a deck without rules."""
    return _listed(game) if game in own_decks() else {}


@cache
def _listed(game: str) -> Mapping[str, Card]:
    return {card.code: card for card in own_deck(game).cards}


def _spellings(game: str, word: str) -> tuple[str, ...]:
    """The possible meanings of a file name's word: no file name can contain a slash."""
    if game not in ("dnp", "kto_drugi"):
        return (word,)
    for name, sign in _SIGNS.items():
        if word.lower().startswith(name):
            word = sign + word[len(name) :]
    head, rest = word[:1], word[1:]
    return (word, *(head + rest.replace(letter, "/", 1) for letter in "_-" if letter in rest))


def _read(game: str, text: str) -> tuple[str, str, dict[str, Trait]]:
    """Code, kind and traits."""
    readers = {"dawaj2": _dawaj2, "trio": _trio, "dnp": _dnp, "kto_drugi": _kto_drugi, "lucky_box": _lucky_box}
    if game == FREE:
        return _free(text)
    if game not in readers:
        raise CodeError(f"no game {game!r}; there are {', '.join(own_decks())}, and {FREE}")
    return readers[game](text)


def _free(text: str) -> tuple[str, str, dict[str, Trait]]:
    good = text.isprintable() and not any(letter.isspace() or letter in _NO_LETTERS for letter in text)
    if not text or not good or len(text) > MOST_LETTERS or text.lower() == BACK:
        raise CodeError(f"code {text!r}; wanted a word of at most {MOST_LETTERS} letters, without blanks and @ = # ? ~")
    return text, "card", {}


def _dawaj2(text: str) -> tuple[str, str, dict[str, Trait]]:
    found = _DAWAJ2.fullmatch(text.upper())
    if found is None:
        raise CodeError(f"code {text!r}; Dawaj 2 wants digit, colour B, P or G, and 0 to 2 stars, as 9G0")
    return found[0], "card", {"digit": int(found[1]), "colour": COLOURS[found[2]], "stars": int(found[3])}


def _trio(text: str) -> tuple[str, str, dict[str, Trait]]:
    card = listed("trio").get(text)
    if card is None:
        raise CodeError(f"code {text!r}; Trio wants a number from 1 to 12")
    return card.code, card.kind, dict(card.traits)


def _dnp(text: str) -> tuple[str, str, dict[str, Trait]]:
    found = _DNP.fullmatch(text.upper())
    low, high = sorted((int(found[1]), int(found[2]))) if found else (0, 0)
    if found is None or not 1 <= low < high <= 10:
        raise CodeError(
            f"code {text!r}; dnp wants two different values from 1 to 10, and A, B or C where the card carries a "
            "symbol, as 1/8 or 1/8B"
        )
    code = f"{low}/{high}{found[3]}"
    same = listed("dnp").get(code)
    star: dict[str, Trait] = {"star": True} if same is not None and same.has("star") else {}
    return code, "card", {"a": low, "b": high, "group": found[3] or "base", **star}


def _kto_drugi(text: str) -> tuple[str, str, dict[str, Trait]]:
    found = _RACE.fullmatch(text)
    if found is not None and -4 <= int(found[1] + found[2]) <= 5:
        return text, "race", {"value": int(found[1] + found[2]), "white": int(found[3])}
    if _COLOUR.fullmatch(text.upper()):
        return text.upper(), "colour", {"colour": text.lower()}
    raise CodeError(
        f"code {text!r}; Kto drugi wants a value from -4 to +5 and the white number, as +2/16 (+2/16b for a second one "
        "of the same), or the colour of a colour card, as RED"
    )


def _lucky_box(text: str) -> tuple[str, str, dict[str, Trait]]:
    card = listed("lucky_box").get(text.lower())
    if card is None:
        raise CodeError(
            f"code {text!r}; Lucky Box wants the small number of a box card that our list holds (1 to 60), or n and "
            "the number of a number card, as n7; another box: teach it with --free, write its faces into a copy of "
            "models/decks/lucky_box/deck.toml and play with --deck FILE"
        )
    return card.code, card.kind, dict(card.traits)
