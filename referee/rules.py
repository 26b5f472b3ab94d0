"""The contract of a game, and how the games are found."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from models.cards import Deck, DeckError, deck_faults, own_deck, own_decks
from models.packages import GamePackage, PackageError, contract_names, lacking, package_faults, packages, part_of
from referee.layout import TABLE_NAMES
from referee.moves import Move
from referee.texts import LANGUAGES, TextError, load_texts
from referee.verdicts import Outcome, Reason, Standing, Verdict
from referee.vocabulary import Verb


class OpeningError(ValueError):
    """A game that cannot be opened: unknown game, wrong number of players, unknown option."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The setup of a match: the game, the players clockwise, the variant and the deck."""

    game: str
    names: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    deck: str | None = None


class State(Protocol):
    """Frozen, made of tuples and plain values, so that it can be compared, kept and written as JSON."""

    @property
    def ply(self) -> int:
        """Number of moves applied so far."""


S = TypeVar("S", bound=State)


class Rules(Protocol[S]):
    """One game. The module rules.py of a game has a class `GameRules(deck)` that keeps this contract.

    A game is two folders, or one installed package that holds the parts of both (see models/packages.py):

    - rules side: rules.py (this contract), table.py (`Layouts` in referee/layout.py), bots.py (`Bots` in
      referee/selfplay.py), en.toml and pl.toml (`Texts` in referee/texts.py), and any further modules of its own;
    - deck side: deck.toml (models/cards.py), art.py (`Art` in models/art/decks.py), plan.toml (calibration/plan.py),
      and codes.py (`Codes` in models/codes.py) where people may call cards by more than the codes of deck.toml.
    """

    game: str
    seats: range
    """Possible numbers of players."""
    state_type: type[S]

    def choices(self, players: int) -> Mapping[str, tuple[str, ...]]:
        """The options of the variant and their values, the default first."""

    def verbs(self, players: int) -> Mapping[str, Verb]:
        """The words of a record of this game."""

    def guests(self, players: int) -> tuple[str, ...]:
        """The names of automatic players on the seats after the players: Leon, or none."""

    def start(self, players: int, options: Mapping[str, str]) -> S:
        """The state before the first move."""

    def legal_moves(self, state: S) -> Iterator[Move]:
        """Every move that `judge` rules LEGAL: allowed for some hidden hands that fit all public information."""

    def judge(self, state: S, move: Move) -> Verdict:
        """The verdict on a move; the state does not change."""

    def apply(self, state: S, move: Move) -> S:
        """The state after a move. Never judges: a human may let an illegal play stand.

        Every spelled move is accepted; one that makes no sense now returns the same state object.
        """

    def todo(self, state: S) -> tuple[Reason, ...]:
        """The next tasks of the players."""

    def standings(self, state: S) -> tuple[Standing, ...]:
        """Hands and points, by seat."""

    def outcome(self, state: S) -> Outcome | None:
        """The outcome, or None while the game goes on."""

    def status(self, state: S) -> tuple[Reason, ...]:
        """Contradictions in a state (cards lost or doubled …); empty for a sane state."""


AnyRules = Rules[Any]
RULES_NAMES = contract_names(Rules)


def games() -> tuple[str, ...]:
    """The playable games: Krupier's own, found by their folders, then those of installed packages."""
    return tuple(game for game in own_decks() if game not in _rules_faults(tuple(sys.path)))


def game_faults() -> Mapping[str, str]:
    """The faults of installed games that cannot be played, by name."""
    return {**package_faults(), **deck_faults(), **_rules_faults(tuple(sys.path))}


def load_rules(game: str, deck: Deck | None = None) -> AnyRules:
    """The rules of a game, for Krupier's own deck or another."""
    if game not in games():
        if game in game_faults():
            raise OpeningError(game_faults()[game])
        near = get_close_matches(game, games(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise OpeningError(f"no game {game!r}; there are {', '.join(games())}{hint}")
    if deck is not None and deck.game != game:
        raise OpeningError(f"deck {deck.name!r} is for {deck.game!r}, wanted one for {game!r}")
    return _made(game, deck or own_deck(game))


def _made(game: str, deck: Deck) -> AnyRules:
    rules: AnyRules = part_of(game, "rules").GameRules(deck)
    return rules


@lru_cache(maxsize=4)
def _rules_faults(path: tuple[str, ...]) -> Mapping[str, str]:
    """The faults in the rules of outside games; the cache key is sys.path, which decides what is installed."""
    faults = {}
    for game in own_decks():
        package = packages()[game]
        try:
            if package.owner:
                _check(package)
        except (DeckError, PackageError, TextError) as error:
            faults[game] = str(error)
    return faults


def _check(package: GamePackage) -> None:
    """PackageError unless the rules, the table, the bots and the texts of an outside game keep their contracts."""
    game = package.game
    for part, wanted in (("rules", ("GameRules",)), ("table", TABLE_NAMES), ("bots", ("Bots", "VARIANTS"))):
        missing = lacking(part_of(game, part), wanted)
        if missing:
            raise PackageError(f"{package.label}: {part}.py has no {missing}; wanted {', '.join(wanted)}")
    for language in LANGUAGES:
        load_texts(game, language)
    try:
        rules = _made(game, own_deck(game))
    except Exception as error:
        # The constructor is code of somebody else and may raise anything; the other games must go on.
        raise PackageError(
            f"{package.label}: GameRules(deck) fails with its own deck: {type(error).__name__}: {error}; wanted rules"
        ) from error
    missing = lacking(rules, RULES_NAMES)
    if missing:
        raise PackageError(f"{package.label}: GameRules(deck) has no {missing}; wanted {', '.join(RULES_NAMES)}")
    if rules.game != game:
        raise PackageError(f"{package.label}: GameRules(deck) is for {rules.game!r}; wanted game = {game!r}")


def opened(rules: AnyRules, opening: Opening) -> dict[str, str]:
    """All options of the opening with defaults filled in; OpeningError if it cannot be played."""
    players = len(opening.names)
    if players not in rules.seats:
        raise OpeningError(f"{players} players; {rules.game} wants {rules.seats[0]} to {rules.seats[-1]}")
    choices = rules.choices(players)
    options = {name: values[0] for name, values in choices.items()}
    given = [name for name, _ in opening.options]
    for name, value in opening.options:
        if name not in choices:
            near = get_close_matches(name, choices, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise OpeningError(f"unknown option {name!r}; {rules.game} has {', '.join(choices) or 'none'}{hint}")
        if given.count(name) > 1:
            raise OpeningError(f"option {name!r} is given {given.count(name)} times, wanted once")
        if value not in choices[name]:
            raise OpeningError(f"option {name}={value!r}; wanted {' or '.join(choices[name])}")
        options[name] = value
    return options
