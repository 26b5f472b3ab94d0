"""Texts: reasons, rules and prompts in the languages people speak, from the message catalogues."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Formatter
from typing import Any

from referee.moves import seat_name
from referee.verdicts import Arg, Reason

LANGUAGES = ("en", "pl")
WORD = "~"
"""An argument that begins with this is itself a sentence of the catalogue: `~phase-draw`."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The catalogue of one game in one language."""

    language: str
    rules: Mapping[str, str]
    """The rules of the game by id, in the order of the catalogue."""
    sentences: Mapping[str, str]

    def say(self, reason: Reason, names: Sequence[str] = ()) -> str:
        """A reason as a sentence; seats are called by name where there are names."""
        values = {key: self._spoken(key, value, names) for key, value in reason.args}
        return _Plural(self.language).vformat(self.sentences[reason.key], (), values)

    def _spoken(self, key: str, value: Arg, names: Sequence[str]) -> int | str:
        if isinstance(value, tuple):
            if key == "seats" or key.endswith("_seats"):
                return ", ".join(_called(int(seat), names) for seat in value)
            keys = any(str(item).startswith(WORD) for item in value)
            return (", " if keys else " ").join(self._word(str(item)) for item in value)
        if isinstance(value, int):
            return _called(value, names) if key == "seat" or key.endswith("_seat") else value
        return self._word(value)

    def _word(self, word: str) -> str:
        return self.sentences[word.removeprefix(WORD)] if word.startswith(WORD) else word


def load_texts(game: str, language: str) -> Texts:
    """The texts of a game: what all games share and its own."""
    shared, own = _catalogue(f"common.{language}.toml"), _catalogue(f"{game}/{language}.toml")
    return Texts(language, own["rules"], {**shared["sentences"], **own["sentences"]})


def _catalogue(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((files("referee.games") / name).read_text("utf-8"))


def _called(seat: int, names: Sequence[str]) -> str:
    return names[seat] if seat < len(names) else seat_name(seat)


class _Plural(Formatter):
    """`{n:karta|karty|kart}` is the form of the word that goes with the number n."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, spec: str) -> str:
        if "|" not in spec:
            return str(format(value, spec))
        forms = spec.split("|")
        return forms[_plural_pl(abs(int(value))) if self._language == "pl" else int(abs(int(value)) != 1)]


def _plural_pl(number: int) -> int:
    if number == 1:
        return 0
    few = 2 <= number % 10 <= 4 and not 12 <= number % 100 <= 14
    return 1 if few else 2
