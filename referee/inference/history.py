"""Histories: hypotheses about the acts at the table since the last settled act."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import takewhile
from typing import Any

from models.cards import Deck
from referee.inference import rates
from referee.layout import Layout, Layouts
from referee.moves import Move
from referee.rules import AnyRules
from referee.verdicts import Ruling, Verdict


class Act(StrEnum):
    """What the players do with a move."""

    PLAYED = "played"
    ILLEGAL = "illegal"
    """An illegal play is on the table; the state of the game has not changed."""
    TAKEN_BACK = "taken back"
    """The illegal play before was taken back."""
    STANDS = "stands"
    """Play continues after the illegal play before, which counts."""
    REGRET = "regret"
    """A legal play was taken back."""
    CLAIMED = "claimed"
    """A move was declared against the rules and never made; the state has not changed."""


@dataclass(frozen=True)  # without slots, for cached_property
class Step:
    """One act of a history."""

    act: Act
    move: Move
    ruling: Ruling
    before: Any
    """The state before the act."""
    shown: Any
    """The state that the table shows after the act; for an illegal play it differs from the state of the game."""
    table: int
    """The number of the first table that shows the act."""
    score: float
    """The score of the history before the act."""
    shows: bool
    """Whether the act changes the layout of the table."""
    undone: int = 0
    """For a regret: how many steps before it are void."""
    unseen: bool = False
    """Whether the act is invisible and no rule demands it."""
    exposes: bool = False
    """Whether the act is illegal only because it exposes an earlier illegal act."""
    declared: bool = False
    """Whether a player declared the move."""

    @cached_property
    def line(self) -> "LogLine":
        """The line of the log for this act, unless a later step changes it."""
        unclear = self.act is Act.PLAYED and self.ruling is Ruling.UNCLEAR
        return LogLine(self.move, self.ruling, unclear, self.declared, self.table)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log according to a history."""

    move: Move
    ruling: Ruling
    stands: bool = False
    declared: bool = False
    table: int = field(default=0, compare=False)
    """The number of the first table that shows the act."""


@dataclass(frozen=True)  # without slots, for cached_property
class History:
    """One hypothesis about the course of the match, with its score: an unnormalised log probability."""

    steps: tuple[Step, ...]
    state: Any
    shown: Any
    score: float = 0.0
    mismatches: tuple[tuple[tuple[object, ...], int], ...] = ()
    """Mismatches at the last table, each with the number of consecutive tables that had it."""
    declared: tuple[tuple[Move, int], ...] = ()
    """Declared moves that have not been made yet, each with the number of the table before the declaration."""
    pending: float = 0.0
    """The part of the score from the pending glimpsed tables; it is computed again at the next table."""

    def rescored(self, score: float) -> "History":
        """The same history with another score; faster than `replace`, because the search calls this for every act."""
        history = object.__new__(History)
        history.__dict__.update(self.__dict__, score=score)
        return history

    def raised(self, gain: float) -> "History":
        """The same history with a higher score at every step."""
        if not gain:
            return self
        steps = tuple(replace(step, score=step.score + gain) for step in self.steps)
        return replace(self, steps=steps, score=self.score + gain)

    @cached_property
    def illegal_plays(self) -> frozenset[Move]:
        """All illegal plays of the history."""
        return frozenset(step.move for step in self.steps if step.act is Act.ILLEGAL)

    @property
    def illegal_play(self) -> Step | None:
        """The illegal play that is on the table now, if any."""
        last = self.steps[-1] if self.steps else None
        return last if last is not None and last.act is Act.ILLEGAL else None

    def story(self, since: int) -> tuple[object, ...]:
        """The acts, seats and verbs since a table, without cards and places."""
        newest = takewhile(lambda step: step.table > since, reversed(self.steps))
        return tuple((step.act, step.move.seat, step.move.verb) for step in newest)

    def log_lines(self) -> tuple[LogLine, ...]:
        """The lines of the log according to this history, without regretted plays."""
        return self._log_lines

    @cached_property
    def _log_lines(self) -> tuple[LogLine, ...]:
        lines: list[LogLine | None] = []
        for step in self.steps:
            if step.act is Act.REGRET:
                del lines[len(lines) - step.undone :]
                lines.append(None)
            elif step.act is Act.STANDS:
                last = lines[-1]
                assert last is not None, "an illegal play comes before the step that lets it stand"
                lines[-1] = replace(last, stands=True)
                lines.append(None)
            elif step.act is Act.TAKEN_BACK:
                lines.append(None)
            else:
                lines.append(step.line)
        return tuple(line for line in lines if line is not None)


MOST_KNOWN = 3000
"""Number of cached states at which a model clears its cache."""


@dataclass(slots=True)
class _Known:
    """Cached results for one state and all states equal to it."""

    state: Any
    layout: Layout | None = None
    unseen: tuple[tuple[Move, float], ...] | None = None
    verdicts: dict[Move, Verdict] = field(default_factory=dict)
    after: dict[Move, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Model:
    """The rules and layouts of a game, with a cache by state."""

    rules: AnyRules
    deck: Deck
    layouts: Layouts
    _known: dict[int, tuple[Any, _Known]] = field(default_factory=dict)
    """By identity, because hashing a state is slower than most results; the states are kept so that no id is reused."""
    _equal: dict[Any, _Known] = field(default_factory=dict)
    _laid_out: dict[Layout, Layout] = field(default_factory=dict)

    def tidy(self) -> None:
        """Clear the cache if it is too large."""
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
            self._equal.clear()
            self._laid_out.clear()

    def identity(self, history: History, table: int) -> tuple[object, ...]:
        """A key that is equal for histories that can be merged at a table.

        Recent illegal plays are part of the key, and so is a play that was just regretted, because the next act may
        repeat it.
        """
        since = table - rates.RECENT_ILLEGAL_TABLES
        newest = takewhile(lambda step: step.table > since, reversed(history.steps))
        illegal_plays = frozenset(step.move for step in newest if step.act is Act.ILLEGAL)
        last = history.steps[-1] if history.steps else None
        regret = last.move if last is not None and last.act is Act.REGRET else None
        return id(self._about(history.state)), id(self._about(history.shown)), history.declared, illegal_plays, regret

    def layout(self, state: Any) -> Layout:
        """The layout of a state."""
        known = self._about(state)
        if known.layout is None:
            layout = self.layouts.layout(self.deck, state)
            # Equal layouts are one object, so that later comparisons are fast.
            known.layout = self._laid_out.setdefault(layout, layout)
        return known.layout

    def unseen(self, state: Any) -> tuple[tuple[Move, float], ...]:
        """The invisible moves that players may make now, each with its cost."""
        known = self._about(state)
        if known.unseen is None:
            known.unseen = tuple(self.layouts.unseen(state))
        return known.unseen

    def judge(self, state: Any, move: Move) -> Verdict:
        """The verdict on a move."""
        verdicts = self._about(state).verdicts
        verdict = verdicts.get(move)
        if verdict is None:
            verdict = verdicts[move] = self.rules.judge(state, move)
        return verdict

    def apply(self, state: Any, move: Move) -> Any:
        """The state after a move; one object for equal states."""
        known = self._about(state)
        if move not in known.after:
            after = self.rules.apply(state, move)
            known.after[move] = state if after is state else self._about(after).state
        return known.after[move]

    def _about(self, state: Any) -> _Known:
        known = self._known.get(id(state))
        if known is None:
            known = self._known[id(state)] = (state, self._equal.setdefault(state, _Known(state)))
        return known[1]

    def followed(self, state: Any) -> Iterator[Move]:
        """The forced invisible moves from a state on, one after the other."""
        for _ in range(32):
            move = self.layouts.follows(state)
            if move is None:
                return
            yield move
            after = self.apply(state, move)
            if after is state:
                return
            state = after
