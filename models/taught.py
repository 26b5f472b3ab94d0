"""Taught decks: views of real cards, their codes, and the deck that they define."""

import json
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from models.cards import LEAST_MM, MOST_MM, Deck, DeckError, Trait
from models.codes import BACK, FREE, CodeError, card_of, listed, spelled

Point = tuple[float, float]
MOST_COPIES = 200
MOST_VIEWS = 3000
VERSION = 1


class TaughtError(DeckError):
    """A taught deck that cannot be used; the message says what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class View:
    """One picture of one card."""

    name: str
    """Its number: 0001."""
    code: str
    """The code of the card, `back` for the other side, empty until somebody names it."""
    origin: str
    """The file or the frame from which it was cut."""
    corners_px: tuple[Point, ...]
    """Its corners there, upper left first as it is stored."""
    size_mm: tuple[float, float]
    scaled: bool
    """Whether a rig measured it in millimetres; otherwise only its proportions are known."""
    blur_mm: float
    by: str = ""
    """The source of its code: file, list, hand, known, drawing, correction."""
    quality: str = ""
    """good, poor or unusable; empty for a view that was never judged."""
    flaws: tuple[tuple[str, float], ...] = ()
    """What is wrong with it, worst first: the kind of flaw and its number."""
    advice: str = ""
    """How to show the card better."""

    @property
    def is_poor(self) -> bool:
        """Whether it is kept only until a better view comes."""
        return self.quality in ("poor", "unusable")

    @property
    def file(self) -> str:
        """The file name of its picture."""
        return f"{self.name}.png"


@dataclass(frozen=True, slots=True)
class ToldApart:
    """Two cards that look alike, and that a person told apart."""

    codes: tuple[str, str]
    """In alphabetical order."""
    differing_mm2: float
    """The area in which their first two views differed."""
    turned: bool = False
    """Whether both have the same print, one of them upside down, so that no picture tells them apart."""


@dataclass(frozen=True, slots=True)
class TaughtDeck:
    """A deck as far as it has been taught."""

    name: str
    game: str
    views: tuple[View, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    """The number of copies of a card, where somebody gave it."""
    seen: tuple[tuple[str, int], ...] = ()
    """The largest number of copies in one picture."""
    given_mm: tuple[float, float] | None = None
    """The size of the cards, if somebody gave it."""
    told_apart: tuple[ToldApart, ...] = ()
    """The pairs of look-alikes that a person told apart; no view is named automatically as one of them."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The cards with views: in the order of our list, then others in the order of their views."""
        known = dict.fromkeys(view.code for view in self.views if view.code not in ("", BACK))
        ours = [code for code in listed(self.game) if code in known]
        return (*ours, *(code for code in known if code not in ours))

    @property
    def waiting(self) -> tuple[View, ...]:
        """The views without a code."""
        return self.of("")

    @property
    def card_mm(self) -> tuple[float, float] | None:
        """The size of the cards: as given, as measured by a rig, or at least in proportion."""
        if self.given_mm is not None or not self.views:
            return self.given_mm
        best = [view.size_mm for view in self.views if view.scaled] or [view.size_mm for view in self.views]
        return round(median(width for width, _ in best), 1), round(median(height for _, height in best), 1)

    def of(self, code: str) -> tuple[View, ...]:
        """The views of a card."""
        return tuple(view for view in self.views if view.code == code)

    def view(self, name: str) -> View:
        """The view with this number."""
        for view in self.views:
            if view.name == name or view.name == name.zfill(4):
                return view
        raise TaughtError(f"{self.name}: no view {name!r}; there are {len(self.views)}: {_some(self.views)}")

    def count(self, code: str) -> int:
        """The number of copies of a card: as given, else as seen in one picture, or as in our list."""
        said = dict(self.counts).get(code)
        if said is not None:
            return said
        ours = listed(self.game).get(code)
        return max(dict(self.seen).get(code, 1), 1 if ours is None else ours.count)

    def deck(self) -> Deck | None:
        """The deck that the views define; None while no card is known."""
        cards = tuple(card_of(self.game, code, self.count(code)) for code in self.codes)
        return Deck(self.game, self.name, cards, self.card_mm) if cards else None

    def with_view(self, view: View) -> "TaughtDeck":
        """The deck with one more view, or with a view of the same number replaced."""
        kept = tuple(view if other.name == view.name else other for other in self.views)
        made = replace(self, views=kept if view in kept else (*self.views, view))
        beside = sum(other.code == view.code and other.origin == view.origin for other in made.views)
        return made.with_seen(view.code, beside).without_leftovers()

    def with_seen(self, code: str, copies: int) -> "TaughtDeck":
        """The deck after a picture with several copies of a card."""
        seen = dict(self.seen)
        if code in ("", BACK) or copies <= seen.get(code, 0):
            return self
        return replace(self, seen=tuple((seen | {code: min(copies, MOST_COPIES)}).items()))

    def with_count(self, text: str, count: int) -> "TaughtDeck":
        """The deck with another number of copies of a card."""
        code = spelled(self.game, text)
        if code not in self.codes:
            raise TaughtError(f"{self.name}: no view of {code!r}; there are {', '.join(self.codes) or 'none'}")
        if not 0 < count <= MOST_COPIES:
            raise TaughtError(f"{self.name}: {count} copies of {code!r}; wanted 1 to {MOST_COPIES}")
        return replace(self, counts=tuple((dict(self.counts) | {code: count}).items()))

    def with_told_apart(self, told: ToldApart) -> "TaughtDeck":
        """The deck with a pair of cards that a person told apart."""
        return replace(self, told_apart=(*(pair for pair in self.told_apart if pair.codes != told.codes), told))

    @property
    def apart(self) -> frozenset[frozenset[str]]:
        """The pairs of codes that a person told apart."""
        return frozenset(frozenset(pair.codes) for pair in self.told_apart)

    def without(self, names: frozenset[str]) -> "TaughtDeck":
        """The deck without some views."""
        return replace(self, views=tuple(view for view in self.views if view.name not in names)).without_leftovers()

    def without_leftovers(self) -> "TaughtDeck":
        """The deck without counts and pairs of cards that have no view."""
        codes = set(self.codes)
        return replace(
            self,
            counts=tuple((code, count) for code, count in self.counts if code in codes),
            seen=tuple((code, count) for code, count in self.seen if code in codes),
            told_apart=tuple(pair for pair in self.told_apart if codes.issuperset(pair.codes)),
        )


@dataclass(frozen=True, slots=True)
class Shortfall:
    """The differences between a taught deck and our list of its game."""

    missing: tuple[str, ...]
    """Cards of our list without a view; a deck may lack them where rulebooks leave that open."""
    extra: tuple[str, ...]
    """Cards that are not in our list."""
    totals: tuple[tuple[str, int, int], ...]
    """Kind of card, its number by the counts, and its number in our list."""
    uncounted: tuple[str, ...]
    """Cards whose count comes from our list, because it was neither seen nor given."""

    @property
    def complete(self) -> bool:
        """Whether there are as many cards as in our list."""
        return all(found == wanted for _, found, wanted in self.totals)


def shortfall(taught: TaughtDeck) -> Shortfall:
    """The differences from our list; none for a deck without rules."""
    ours, codes = listed(taught.game), taught.codes
    known = dict(taught.counts) | dict(taught.seen)
    deck = taught.deck()
    kinds = dict.fromkeys(card.kind for card in ours.values())
    return Shortfall(
        tuple(code for code in ours if code not in codes),
        tuple(code for code in codes if code not in ours) if ours else (),
        tuple(
            (kind, 0 if deck is None else deck.total(kind), sum(c.count for c in ours.values() if c.kind == kind))
            for kind in kinds
        ),
        tuple(code for code in codes if code in ours and known.get(code, 0) < taught.count(code)),
    )


def taught_text(taught: TaughtDeck) -> str:
    """A taught deck as lines of JSON: the deck, then one line per view."""
    head = {
        "krupier": "taught deck",
        "version": VERSION,
        "name": taught.name,
        "game": taught.game,
        "given_mm": taught.given_mm,
        "counts": dict(taught.counts),
        "seen": dict(taught.seen),
        "told_apart": [asdict(pair) for pair in taught.told_apart],
    }
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in (head, *map(asdict, taught.views)))


def read_taught(text: str, where: str) -> TaughtDeck:
    """A taught deck from its lines; `where` names it in errors."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise TaughtError(f"{where}, line {number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise TaughtError(f"{where}, line {number}: found {type(row).__name__}; wanted a table")
        rows.append(row)
    if not rows or rows[0].get("krupier") != "taught deck":
        raise TaughtError(f"{where}: is no taught deck; wanted one of `krupier teach`")
    head = rows[0]
    if head.get("version") != VERSION:
        raise TaughtError(f"{where}: version {head.get('version')!r}; wanted {VERSION}: install the newer Krupier")
    if len(rows) > MOST_VIEWS + 1:
        raise TaughtError(f"{where}: {len(rows) - 1} views; wanted {MOST_VIEWS} at most")
    game = head.get("game")
    if game != FREE and (not isinstance(game, str) or not listed(game)):
        raise TaughtError(f"{where}: game {game!r}; wanted a game that Krupier knows, or {FREE}")
    try:
        views = tuple(_view(row, str(game)) for row in rows[1:])
        names = [view.name for view in views]
        if len(set(names)) < len(names):
            raise TaughtError("two views have the same number")
        given = None if head.get("given_mm") is None else _size(head["given_mm"])
        counts, seen = (_counted(head.get(key), str(game)) for key in ("counts", "seen"))
        # Decks of earlier versions have no such pairs.
        apart = tuple(_told_apart(row, str(game)) for row in head.get("told_apart", []))
    except (KeyError, TypeError, CodeError, TaughtError) as error:
        raise TaughtError(f"{where}: {error}; wanted a deck of `krupier teach`, nothing was changed") from error
    return TaughtDeck(str(head.get("name", "")), str(game), views, counts, seen, given, apart)


def deck_text(deck: Deck) -> str:
    """The text of a deck file."""
    lines = [
        "# Written by `krupier teach`, and written anew whenever it is: change it with --label, --count and --forget.",
        f"game = {_toml(deck.game)}",
        f"name = {_toml(deck.name)}",
        'about = "taught from real cards"',
    ]
    if deck.card_mm is not None:
        lines.append(f"card_mm = [{deck.card_mm[0]:.1f}, {deck.card_mm[1]:.1f}]")
    lines.append("cards = [")
    for card in deck.cards:
        pairs: list[tuple[str, Trait]] = [("code", card.code), ("kind", card.kind), ("count", card.count), *card.traits]
        lines.append(f"    {{ {', '.join(f'{key} = {_toml(value)}' for key, value in pairs)} }},")
    return "\n".join([*lines, "]", ""])


def _toml(value: Trait) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return f"[{', '.join(_toml(item) for item in value)}]"


def _view(row: dict[str, Any], game: str) -> View:
    name, code = row["name"], row["code"]
    if not isinstance(name, str) or len(name) != 4 or not (name.isascii() and name.isdecimal()):
        raise TaughtError(f"view {name!r}; wanted four digits")
    if not isinstance(code, str) or (code and spelled(game, code) != code):
        raise TaughtError(f"view {name}: code {code!r}; wanted one of {game}")
    corners = row["corners_px"]
    if not isinstance(corners, list) or not all(isinstance(corner, list) and len(corner) == 2 for corner in corners):
        raise TaughtError(f"view {name}: corners_px = {corners!r}; wanted four points")
    if not isinstance(row["blur_mm"], int | float) or not isinstance(row["scaled"], bool):
        raise TaughtError(f"view {name}: blur_mm = {row['blur_mm']!r}, scaled = {row['scaled']!r}")
    return View(
        name,
        code,
        str(row["origin"]),
        tuple((_number(x), _number(y)) for x, y in corners),
        _size(row["size_mm"]),
        row["scaled"],
        float(row["blur_mm"]),
        str(row.get("by", "")),
        str(row.get("quality", "")),
        _flaws(row.get("flaws", []), name),
        str(row.get("advice", "")),
    )


def _flaws(found: Any, name: str) -> tuple[tuple[str, float], ...]:
    if not isinstance(found, list) or not all(isinstance(flaw, list) and len(flaw) == 2 for flaw in found):
        raise TaughtError(f"view {name}: flaws = {found!r}; wanted pairs of a kind and a number")
    return tuple((str(kind), _number(number)) for kind, number in found)


def _told_apart(row: Any, game: str) -> ToldApart:
    if not isinstance(row, dict) or not isinstance(row.get("codes"), list) or not isinstance(row.get("turned"), bool):
        raise TaughtError(f"told_apart {row!r}; wanted a table with codes, differing_mm2 and turned")
    codes = tuple(str(code) for code in row["codes"])
    if len(codes) != 2 or codes[0] == codes[1] or any(spelled(game, code) != code for code in codes):
        raise TaughtError(f"told_apart {row['codes']!r}; wanted two codes of {game}")
    return ToldApart((min(codes), max(codes)), _number(row["differing_mm2"]), row["turned"])


def _counted(found: Any, game: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(found, dict):
        raise TaughtError(f"counts {found!r}; wanted a table of codes and numbers")
    for code, count in found.items():
        if spelled(game, code) != code or isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise TaughtError(f"count of {code!r}: {count!r}; wanted a number from 1 on")
    return tuple(found.items())


def _size(found: Any) -> tuple[float, float]:
    if not isinstance(found, list | tuple) or len(found) != 2:
        raise TaughtError(f"size {found!r}; wanted width and height in mm")
    width, height = _number(found[0]), _number(found[1])
    if not (LEAST_MM <= width <= MOST_MM and LEAST_MM <= height <= MOST_MM):
        raise TaughtError(f"size {found!r}; wanted sides from {LEAST_MM:g} to {MOST_MM:g} mm")
    return width, height


def _number(found: Any) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float) or not abs(found) < 1e7:
        raise TaughtError(f"found {found!r}; wanted a number")
    return float(found)


def _some(views: tuple[View, ...]) -> str:
    return "none" if not views else views[0].name if len(views) == 1 else f"{views[0].name} to {views[-1].name}"
