"""Cards and decks: what is printed on them, read from one TOML file per deck."""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from models.packages import GamePackage, PackageError, file_of, has_part, lacking, package_of, packages, part_of

Trait = int | str | bool | tuple[int, ...] | tuple[str, ...]
LEAST_MM, MOST_MM = 20.0, 200.0
"""The range of a card's width and height."""


class DeckError(ValueError):
    """A deck file that cannot be used; the message names the file, what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class Card:
    """One printed face, and its number of copies in the deck."""

    code: str
    count: int
    kind: str
    traits: tuple[tuple[str, Trait], ...]

    def number(self, name: str) -> int:
        """The whole number printed as `name`."""
        value = self._trait(name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise DeckError(f"card {self.code!r}: {name} = {value!r}, wanted a whole number")
        return value

    def word(self, name: str) -> str:
        """The word printed as `name`."""
        value = self._trait(name)
        if not isinstance(value, str):
            raise DeckError(f"card {self.code!r}: {name} = {value!r}, wanted a word in quotes")
        return value

    def row(self, name: str) -> tuple[str, ...]:
        """The list printed as `name`, as words."""
        value = self._trait(name)
        if not isinstance(value, tuple):
            raise DeckError(f"card {self.code!r}: {name} = {value!r}, wanted a list")
        return tuple(str(item) for item in value)

    def has(self, name: str) -> bool:
        """Whether the card has the flag `name` (absent means no)."""
        return dict(self.traits).get(name, False) is True

    def _trait(self, name: str) -> Trait:
        for key, value in self.traits:
            if key == name:
                return value
        raise DeckError(
            f"card {self.code!r} has no {name!r}; it has {', '.join(k for k, _ in self.traits) or 'nothing'}"
        )


@dataclass(frozen=True, slots=True)
class Deck:
    """A whole deck: every card with its count."""

    game: str
    name: str
    cards: tuple[Card, ...]
    card_mm: tuple[float, float] | None = None
    """Width and height of its cards, if they were measured."""

    def of(self, kind: str) -> tuple[Card, ...]:
        """The cards of one kind, in file order."""
        return tuple(card for card in self.cards if card.kind == kind)

    def total(self, kind: str) -> int:
        """The number of cards of one kind, including copies."""
        return sum(card.count for card in self.of(kind))


def own_decks() -> tuple[str, ...]:
    """The games with a deck of their own: those that Krupier brings, then those of installed packages."""
    return tuple(game for game in packages() if game not in deck_faults())


def deck_faults() -> Mapping[str, str]:
    """What is wrong with the decks of outside games that cannot be used, by game."""
    return _deck_faults(tuple(sys.path))


def own_deck(game: str) -> Deck:
    """The printed deck that comes with a game."""
    if game in deck_faults():
        raise DeckError(deck_faults()[game])
    try:
        package_of(game)
    except PackageError as error:
        known = f"no deck for {game!r}; there are {', '.join(own_decks())}"
        raise DeckError(known if str(error).startswith("no game") else str(error)) from error
    return load_deck(Path(str(file_of(game, "deck.toml"))))


def load_deck(path: Path) -> Deck:
    """Read and check one deck file."""
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise DeckError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DeckError(f"{path}: not UTF-8 text at byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise DeckError(f"{path}: not TOML: {error}") from error
    try:
        return _deck(data)
    except DeckError as error:
        raise DeckError(f"{path}: {error}") from error


_CONTRACTS = {
    "art": ("size_of", "draw_face", "draw_back", "extras"),
    "codes": ("WANTED", "read_code", "spellings", "names_a_file"),
    "pieces": ("PIECES", "BOARD"),
    "prints": ("card_prints",),
}
"""What each module of a deck must have; the Protocols `Art`, `Codes`, `Pieces` and `CardPrints` say what each does."""


@lru_cache(maxsize=4)
def _deck_faults(path: tuple[str, ...]) -> Mapping[str, str]:
    """The faults of outside decks. What is installed depends on nothing but sys.path."""
    faults = {}
    for package in packages().values():
        try:
            if package.owner:
                _check(package)
        except DeckError as error:
            faults[package.game] = str(error)
    return faults


def _check(package: GamePackage) -> None:
    """DeckError unless the deck of an outside game can be read and drawn."""
    for part, wanted in _CONTRACTS.items():
        missing = lacking(part_of(package.game, part), wanted) if has_part(package.game, f"{part}.py") else ""
        if missing:
            raise DeckError(f"{package.label}: {part}.py has no {missing}; wanted {', '.join(wanted)}")
    try:
        deck = load_deck(Path(str(file_of(package.game, "deck.toml"))))
    except DeckError as error:
        raise DeckError(f"{package.label}: {error}") from error
    if deck.game != package.game:
        raise DeckError(f"{package.label}: deck.toml is for {deck.game!r}; wanted game = {package.game!r}")


def _deck(data: dict[str, object]) -> Deck:
    for key in ("game", "name"):
        if not isinstance(data.get(key), str):
            raise DeckError(f"{key} = {data.get(key)!r}, wanted a word in quotes")
    unknown = sorted(set(data) - {"game", "name", "about", "card_mm", "cards"})
    if unknown:
        raise DeckError(f"unknown key {unknown[0]!r}; wanted game, name, about, card_mm, cards")
    rows = data.get("cards")
    if not isinstance(rows, list) or not rows:
        raise DeckError("no cards; wanted a list cards = [{ code = …, count = … }, …]")
    cards = tuple(_cards(rows))
    codes = [card.code for card in cards]
    for code in codes:
        if codes.count(code) > 1:
            raise DeckError(f"card {code!r} is listed {codes.count(code)} times; wanted one line with its count")
    return Deck(str(data["game"]), str(data["name"]), cards, _size(data.get("card_mm")))


def _size(found: object) -> tuple[float, float] | None:
    """The measured size of the cards, if there is one."""
    if found is None:
        return None
    sides = found if isinstance(found, list) and len(found) == 2 else ()
    good = [float(side) for side in sides if isinstance(side, int | float) and not isinstance(side, bool)]
    if len(good) != 2 or not all(LEAST_MM <= side <= MOST_MM for side in good):
        raise DeckError(f"card_mm = {found!r}, wanted [width, height], each from {LEAST_MM:g} to {MOST_MM:g} mm")
    return good[0], good[1]


def _cards(rows: list[object]) -> Iterator[Card]:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise DeckError(f"card {number} is {row!r}, wanted {{ code = …, count = … }}")
        code, count, kind = row.get("code"), row.get("count", 1), row.get("kind", "card")
        if not isinstance(code, str) or not code or any(c.isspace() or c in "@=#?" for c in code):
            raise DeckError(f"card {number}: code = {code!r}, wanted a word without blanks and without @ = # ?")
        if isinstance(count, bool) or not isinstance(count, int) or not 0 < count <= 1000:
            raise DeckError(f"card {code!r}: count = {count!r}, wanted a whole number from 1 to 1000")
        if not isinstance(kind, str):
            raise DeckError(f"card {code!r}: kind = {kind!r}, wanted a word in quotes")
        traits = (
            (key, _printed(code, key, value)) for key, value in row.items() if key not in ("code", "count", "kind")
        )
        yield Card(code, count, kind, tuple(traits))


def _printed(code: str, key: str, value: object) -> Trait:
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return tuple(int(item) for item in value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(str(item) for item in value)
    raise DeckError(f"card {code!r}: {key} = {value!r}, wanted a number, a word, or a list of one of them")
