"""Codes: how people name the cards of a game, and what a code tells about the print of a card."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast

from models.cards import Card, DeckError, Trait, own_deck, own_decks
from models.packages import has_part, part_of

FREE = "free"
"""The game of a deck that Krupier has no rules for."""
BACK = "back"
"""The code of the other side of a card."""
MOST_LETTERS = 40
MOST_NAMED = 12
"""So many codes are named in a message at most."""
_NO_LETTERS = frozenset('@=#?,;"\\~')
"""Characters that no code may contain: records, lists and further views use them."""
_AGAIN = {True: re.compile(r"(.+)~[0-9a-z]{1,3}"), False: re.compile(r"(.+?)(?:~|-|_| |\()\(?([a-z]|[0-9]{1,2})\)?")}
"""The file name of a further view: for a deck without rules (True) and for a game (False)."""
_NUMBERED = re.compile(
    r"(?:IMG|DSCF?|DSCN|PXL|DCIM|MVIMG|WP|frame|image|photo|view)[-_ ]?[0-9]|[0-9]{6,}", re.IGNORECASE
)
"""File names that cameras give, which are not codes."""
_SIGNS = {"plus": "+", "minus": "-"}


class CodeError(DeckError):
    """A code that does not exist in a game; the message says what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code as it is kept, the kind of its card, and what the code says about what is printed there."""

    text: str
    kind: str
    traits: Mapping[str, Trait]


class Codes(Protocol):
    """The module codes.py of a deck: what people may call its cards; without one, the codes of deck.toml."""

    WANTED: str
    """What a code should look like, for the message that refuses another one."""

    def read_code(self, text: str, listed: Mapping[str, Card]) -> Code | None:
        """What a text means, given the cards of deck.toml; None if no card can be called so."""

    def spellings(self, word: str) -> tuple[str, ...]:
        """The codes that somebody may have meant by a word of a file name, best first."""

    def names_a_file(self, code: str, listed: Mapping[str, Card]) -> bool:
        """Whether a code that was read from the name of a file is meant as one."""


def spelled(game: str, text: str) -> str:
    """The normal form of a code; CodeError if no card of the game can have it."""
    if text.strip().lower() == BACK:
        return BACK
    return _read(game, text.strip()).text


def card_of(game: str, code: str, count: int = 1) -> Card:
    """The card that a code stands for, with all that the code says about it."""
    read = _read(game, code)
    return Card(read.text, count, read.kind, tuple(read.traits.items()))


def from_stem(game: str, stem: str) -> str | None:
    """The code that a file name tells, or None; 1-8 is 1/8 of dnp, 7-2 the second view of 7."""
    if _NUMBERED.match(stem):
        return None
    codes = None if game == FREE else codes_of(game)
    for word in (stem, *(found[1] for found in [_AGAIN[game == FREE].fullmatch(stem)] if found)):
        for spelling in (word,) if codes is None else codes.spellings(word):
            try:
                code = spelled(game, spelling)
            except CodeError:
                continue
            if code == BACK or codes is None or codes.names_a_file(code, listed(game)):
                return code
    return None


def listed(game: str) -> Mapping[str, Card]:
    """The cards of our own list of a game, by code; empty for a deck without rules."""
    return _listed(game) if game in own_decks() else {}


@cache
def _listed(game: str) -> Mapping[str, Card]:
    return {card.code: card for card in own_deck(game).cards}


def codes_of(game: str) -> Codes:
    """What people may call the cards of a game."""
    return cast(Codes, part_of(game, "codes")) if has_part(game, "codes.py") else ListedCodes(game)


class ListedCodes:
    """The codes of deck.toml, in small or large letters, for decks without a module codes.py."""

    def __init__(self, game: str) -> None:
        codes = list(listed(game))
        some = ", ".join(codes[:MOST_NAMED]) + (" …" if len(codes) > MOST_NAMED else "")
        self.WANTED = f"{game} wants one of {some}"

    def read_code(self, text: str, listed: Mapping[str, Card]) -> Code | None:
        """A card of the deck."""
        return next(filter(None, (listed_code(way, listed) for way in (text, text.upper(), text.lower()))), None)

    def spellings(self, word: str) -> tuple[str, ...]:
        """The word itself, or with a slash, which no file name holds."""
        return slash_spellings(word)

    def names_a_file(self, code: str, listed: Mapping[str, Card]) -> bool:
        """Every code may name a file."""
        return True


def listed_code(text: str, listed: Mapping[str, Card]) -> Code | None:
    """The card of deck.toml that has this code."""
    card = listed.get(text)
    return None if card is None else Code(card.code, card.kind, dict(card.traits))


def slash_spellings(word: str) -> tuple[str, ...]:
    """A word of a file name as people may have meant it: no file name holds a slash."""
    for name, sign in _SIGNS.items():
        if word.lower().startswith(name):
            word = sign + word[len(name) :]
    head, rest = word[:1], word[1:]
    return (word, *(head + rest.replace(letter, "/", 1) for letter in "_-" if letter in rest))


def _read(game: str, text: str) -> Code:
    if game == FREE:
        return _free(text)
    if game not in own_decks():
        raise CodeError(f"no game {game!r}; there are {', '.join(own_decks())}, and {FREE}")
    codes = codes_of(game)
    code = codes.read_code(text, listed(game))
    if code is None:
        raise CodeError(f"code {text!r}; {codes.WANTED}")
    return code


def _free(text: str) -> Code:
    good = text.isprintable() and not any(letter.isspace() or letter in _NO_LETTERS for letter in text)
    if not text or not good or len(text) > MOST_LETTERS or text.lower() == BACK:
        raise CodeError(f"code {text!r}; wanted a word of at most {MOST_LETTERS} letters, without blanks and @ = # ? ~")
    return Code(text, "card", {})
