"""Thresholds of the referee's decisions, searched to minimise the loss on rehearsals with training seeds.

Beliefs do not depend on the thresholds: each game is observed once and decided many times.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial

from calibration.plan import Seating
from device.lab.rehearsal.rehearsal import Rehearsal, rehearse
from device.lab.rehearsal.result import figures_of
from models.cards import Deck
from referee.inference import rates
from referee.inference.belief import Belief, initial_belief, observe, with_doubts
from referee.inference.history import Model
from referee.inference.questions import Decision, decide
from referee.layout import layouts_of
from referee.match import AnyMatch
from referee.moves import Move
from referee.observed import observed_table
from referee.rules import AnyRules
from vision.follow.spots import sort_table
from vision.table import Table

WRONG_GAME, FALSE_ILLEGAL, MISSED_CHEAT, QUESTION = 10.0, 10.0, 1.0, 0.2
"""Losses of a game with a wrong result, a false accusation, a cheat neither flagged nor asked about, and a question."""
MAX_ROUNDS = 6
"""Maximum number of rounds of a search; each changes one threshold."""

GRID: dict[str, tuple[float, ...]] = {
    "ACCUSATION_PROBABILITY": (0.6, 0.75, 0.9, 0.95, 0.98),
    "CLEAR_RULING_PROBABILITY": (0.5, 0.6, 0.7, 0.8, 0.9),
    "SUSPICION_PROBABILITY": (0.01, 0.02, 0.04, 0.08, 0.15),
    "ASK_AFTER_TABLES": (1, 2, 3, 4),
    "MIN_CHOICE_PROBABILITY": (0.01, 0.03, 0.06, 0.1),
}
"""The values to try."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A set of thresholds, named as in rates.py."""

    ACCUSATION_PROBABILITY: float
    CLEAR_RULING_PROBABILITY: float
    SUSPICION_PROBABILITY: float
    ASK_AFTER_TABLES: float
    MIN_CHOICE_PROBABILITY: float

    @classmethod
    def current(cls) -> "Thresholds":
        """The thresholds of rates.py."""
        return cls(*(getattr(rates, one.name) for one in fields(cls)))

    def neighbours(self) -> Iterator["Thresholds"]:
        """All sets that differ in one value."""
        for name, values in GRID.items():
            yield from (replace(self, **{name: value}) for value in values if value != getattr(self, name))


@dataclass(frozen=True, slots=True)
class Lost:
    """The losses of some games."""

    games: int = 0
    wrong: int = 0
    false_illegal: int = 0
    missed: int = 0
    asked: int = 0

    def __add__(self, other: "Lost") -> "Lost":
        return Lost(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def loss(self) -> float:
        """The total loss."""
        serious = WRONG_GAME * self.wrong + FALSE_ILLEGAL * self.false_illegal
        return serious + MISSED_CHEAT * self.missed + QUESTION * self.asked


@contextmanager
def trying(thresholds: Thresholds) -> Iterator[None]:
    """Use these thresholds in this process, then restore the old ones."""
    before = Thresholds.current()
    _put(thresholds)
    try:
        yield
    finally:
        _put(before)


def _put(thresholds: Thresholds) -> None:
    for one in fields(thresholds):
        setattr(rates, one.name, getattr(thresholds, one.name))


class RememberingReferee:
    """A referee that caches its belief at each table, for watching the same game again."""

    def __init__(self, rules: AnyRules, deck: Deck, seating: Seating, beliefs: list[Belief]) -> None:
        self._model, self._seating, self._beliefs = Model(rules, deck, layouts_of(rules.game)), seating, beliefs
        self._at, self._doubts = 0, tuple[tuple[str, int], ...]()

    def observe(self, match: AnyMatch, table: Table) -> Decision:
        """Decide on a table."""
        if self._at == len(self._beliefs):
            before = self._beliefs[-1] if self._beliefs else initial_belief(match.state)
            self._beliefs.append(observe(self._model, before, observed_table(sort_table(table, self._seating))))
        belief = with_doubts(self._model, self._beliefs[self._at], self._doubts)
        self._at, self._doubts = self._at + 1, belief.doubts
        return decide(self._model, belief, match)

    def hear(self, match: AnyMatch, move: Move, at_s: float) -> Decision:
        """Not supported: a declaration changes the belief, depending on when the referee decided."""
        raise ValueError("a game with declarations cannot be recalled; wanted one in which nobody is heard")


def losses(rehearsal: Rehearsal, tried: Sequence[Thresholds]) -> tuple[Lost, ...]:
    """The losses of one game with each of these thresholds."""
    beliefs: list[Belief] = []
    found = []
    for thresholds in tried:
        with trying(thresholds):
            result = rehearse(rehearsal, referee_of=partial(RememberingReferee, beliefs=beliefs))
        one = figures_of((result,))
        missed = one.cheats - one.flagged - one.questioned
        found.append(Lost(1, 1 - one.right, one.false_illegal, missed, one.asked))
    return tuple(found)


Judge = Callable[[Sequence[Thresholds]], Mapping[Thresholds, Lost]]
"""Computes the losses of all games with each of some thresholds."""


def searched(start: Thresholds, judge: Judge) -> Iterator[tuple[Thresholds, Lost]]:
    """A coordinate search: the start, then each better neighbour, until none is better."""
    here, seen = start, dict(judge((start,)))
    yield here, seen[here]
    for _ in range(MAX_ROUNDS):
        around = tuple(here.neighbours())
        seen |= judge(around)
        best = min(around, key=lambda one: seen[one].loss)
        if seen[best].loss >= seen[here].loss:
            return
        here = best
        yield here, seen[here]
