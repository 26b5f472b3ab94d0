"""Texts: reasons, rules and prompts in each language, from the message catalogues."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from string import Formatter
from typing import Any

from models.packages import package_of, text_of
from referee.moves import seat_name
from referee.verdicts import Arg, Reason

LANGUAGES = ("en", "pl")
WORD = "~"
"""An argument that begins with this is itself a sentence of the catalogue: `~phase-draw`."""


class TextError(ValueError):
    """A catalogue that cannot be used; the message names the game, what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The catalogue of one game in one language: the file en.toml or pl.toml of the game."""

    language: str
    rules: Mapping[str, str]
    """The rules of the game by id, in the order of the catalogue."""
    sentences: Mapping[str, str]
    title: str = ""
    """The name of the game."""
    verbs: Mapping[str, str] = field(default_factory=dict)
    """Each verb of a record in the third person: `draw` is `draws`."""
    code_hint: str = ""
    """How people write the card codes, shown when a deck is taught; may be empty."""

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
    """The texts of a game: those shared by all games, and its own."""
    shared = tomllib.loads((files("referee.games") / f"common.{language}.toml").read_text("utf-8"))
    own = _own_catalogue(game, language)
    sentences = {**shared["sentences"], **own["sentences"]}
    return Texts(language, own["rules"], sentences, own["title"], own["verbs"], own.get("code_hint", ""))


def _own_catalogue(game: str, language: str) -> dict[str, Any]:
    label = package_of(game).label
    try:
        found = tomllib.loads(text_of(game, f"{language}.toml"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TextError(f"{label}: {language}.toml cannot be read: {error}; wanted TOML in UTF-8") from error
    tables = [name for name in ("verbs", "rules", "sentences") if not isinstance(found.get(name), dict)]
    if tables or not isinstance(found.get("title"), str):
        missing = ", ".join([*(f"[{name}]" for name in tables), *(["title"] if not found.get("title") else [])])
        raise TextError(f"{label}: {language}.toml has no {missing}; wanted title, [verbs], [rules], [sentences]")
    return found


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
