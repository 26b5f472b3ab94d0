"""The contract of a game, and how the games are found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from typing import Any, Protocol, TypeVar

from models.cards import Deck, own_deck
from referee.moves import Move
from referee.verdicts import Outcome, Reason, Standing, Verdict
from referee.vocabulary import Verb


class OpeningError(ValueError):
    """A game that cannot be started so: unknown game, wrong number of players, unknown option."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What is settled before the first card: the game, who sits where (clockwise), the variant, the deck."""

    game: str
    names: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    deck: str | None = None


class State(Protocol):
    """Frozen, made of tuples and plain values, so that it can be compared, kept and written as JSON."""

    @property
    def ply(self) -> int:
        """How many moves have been applied."""


S = TypeVar("S", bound=State)


class Rules(Protocol[S]):
    """One game. A module referee/games/NAME.py has a class `Game(deck)` that keeps this contract."""

    game: str
    seats: range
    """How many may play."""
    state_type: type[S]

    def choices(self, players: int) -> Mapping[str, tuple[str, ...]]:
        """The options of the variant and their values, the default first."""

    def verbs(self, players: int) -> Mapping[str, Verb]:
        """The words of a record of this game."""

    def guests(self, players: int) -> tuple[str, ...]:
        """The names of those who play by themselves, on the seats behind the players: Leon, or nobody."""

    def start(self, players: int, options: Mapping[str, str]) -> S:
        """The state before the first move."""

    def legal_moves(self, state: S) -> Iterator[Move]:
        """Every move that `judge` calls LEGAL: allowed for some hidden hands that fit what was seen."""

    def judge(self, state: S, move: Move) -> Verdict:
        """What the referee says of a move; it does not change the state."""

    def apply(self, state: S, move: Move) -> S:
        """The state after a move. Never judges: a human may let an illegal play stand.

        Any spelled move may come; one that makes no sense now changes nothing (the same state is returned).
        """

    def todo(self, state: S) -> tuple[Reason, ...]:
        """What the players must do next."""

    def standings(self, state: S) -> tuple[Standing, ...]:
        """Hands and points, a seat each."""

    def outcome(self, state: S) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def status(self, state: S) -> tuple[Reason, ...]:
        """What is impossible about a state (cards lost or doubled …); empty when it is sane."""


AnyRules = Rules[Any]


def games() -> tuple[str, ...]:
    """The games there are: one folder each."""
    folders = (entry for entry in files("referee.games").iterdir() if (entry / "rules.py").is_file())
    return tuple(sorted(folder.name for folder in folders))


def load_rules(game: str, deck: Deck | None = None) -> AnyRules:
    """The rules of a game, for Krupier's own deck or another."""
    if game not in games():
        near = get_close_matches(game, games(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise OpeningError(f"no game {game!r}; there are {', '.join(games())}{hint}")
    if deck is not None and deck.game != game:
        raise OpeningError(f"deck {deck.name!r} is for {deck.game!r}, wanted one for {game!r}")
    rules: AnyRules = import_module(f"referee.games.{game}.rules").Game(deck or own_deck(game))
    return rules


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
