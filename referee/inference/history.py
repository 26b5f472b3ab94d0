"""Histories: what may have happened at the table, act by act, since the last act that is settled."""

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
    """What people do with a move."""

    PLAYED = "played"
    ILLEGAL = "illegal"
    """It is against the rules and lies there; the game has not gone on."""
    TAKEN_BACK = "taken back"
    """The wrong play before was taken back."""
    STANDS = "stands"
    """Play goes on over the wrong play before."""
    REGRET = "regret"
    """An allowed play was taken back."""
    CLAIMED = "claimed"
    """It was only said, against the rules; nothing has changed."""


@dataclass(frozen=True)  # without slots: what is asked again and again is kept
class Step:
    """One act of a history."""

    act: Act
    move: Move
    ruling: Ruling
    before: Any
    """The state before it."""
    shown: Any
    """The state that lies on the table after it; a wrong play lies there though the game has not gone on."""
    table: int
    """The number of the first table that it was there for."""
    score: float
    """The score of its history before it."""
    shows: bool
    """Whether it changes what lies on the table."""
    undone: int = 0
    """How many steps before it are void since: those of a play that was regretted."""
    unseen: bool = False
    """Whether it leaves no trace and no rule demands it."""
    exposes: bool = False
    """Whether it is wrong only because an earlier act was."""
    declared: bool = False
    """Whether somebody said so."""

    @cached_property
    def line(self) -> "LogLine":
        """The line of the log that it is if nothing becomes of it later."""
        unclear = self.act is Act.PLAYED and self.ruling is Ruling.UNCLEAR
        return LogLine(self.move, self.ruling, unclear, self.declared, self.table)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log that a history amounts to."""

    move: Move
    ruling: Ruling
    stands: bool = False
    declared: bool = False
    table: int = field(default=0, compare=False)
    """The number of the first table that it was there for."""


@dataclass(frozen=True)  # without slots: what is asked again and again is kept
class History:
    """One way in which the match may have gone, with its score: the logarithm of a likelihood."""

    steps: tuple[Step, ...]
    state: Any
    shown: Any
    score: float = 0.0
    mismatches: tuple[tuple[tuple[object, ...], int], ...] = ()
    """What disagreed with it at the last table, and at how many tables up to that one."""
    declared: tuple[tuple[Move, int], ...] = ()
    """What people have said and has not happened yet, and after which table each was said."""
    pending: float = 0.0
    """The part of the score that is for tables glimpsed last, which what follows may explain better."""

    def rescored(self, score: float) -> "History":
        """The same history with another score; quicker than `replace`, for it is done to every one that is tried."""
        history = object.__new__(History)
        history.__dict__.update(self.__dict__, score=score)
        return history

    def raised(self, gain: float) -> "History":
        """The same history, likelier from its beginning on."""
        if not gain:
            return self
        steps = tuple(replace(step, score=step.score + gain) for step in self.steps)
        return replace(self, steps=steps, score=self.score + gain)

    @cached_property
    def illegal_plays(self) -> frozenset[Move]:
        """All plays against the rules."""
        return frozenset(step.move for step in self.steps if step.act is Act.ILLEGAL)

    @property
    def illegal_play(self) -> Step | None:
        """The wrong play that lies on the table now."""
        last = self.steps[-1] if self.steps else None
        return last if last is not None and last.act is Act.ILLEGAL else None

    def story(self, since: int) -> tuple[object, ...]:
        """Who did what after a table, without the details that may stay open for long."""
        newest = takewhile(lambda step: step.table > since, reversed(self.steps))
        return tuple((step.act, step.move.seat, step.move.verb) for step in newest)

    def log_lines(self) -> tuple[LogLine, ...]:
        """The lines of the log that it amounts to: what was regretted is not among them."""
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
                assert last is not None, "what stands is the wrong play before it"
                lines[-1] = replace(last, stands=True)
                lines.append(None)
            elif step.act is Act.TAKEN_BACK:
                lines.append(None)
            else:
                lines.append(step.line)
        return tuple(line for line in lines if line is not None)


MOST_KNOWN = 3000
"""States that a model remembers before it forgets those that the last tables did not ask about."""


@dataclass(slots=True)
class _Known:
    """What was asked about a state, and about all that are equal to it."""

    state: Any
    layout: Layout | None = None
    unseen: tuple[tuple[Move, float], ...] | None = None
    verdicts: dict[Move, Verdict] = field(default_factory=dict)
    after: dict[Move, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Model:
    """The rules of a game and how it shows on the table; remembers what it was asked about equal states."""

    rules: AnyRules
    deck: Deck
    layouts: Layouts
    _known: dict[int, tuple[Any, _Known]] = field(default_factory=dict)
    """By identity, as hashing a state takes longer than most questions; states are held so that none is reused."""
    _equal: dict[Any, _Known] = field(default_factory=dict)
    _laid_out: dict[Layout, Layout] = field(default_factory=dict)

    def tidy(self) -> None:
        """Forget what was asked if that is too much."""
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
            self._equal.clear()
            self._laid_out.clear()

    def identity(self, history: History, table: int) -> tuple[object, ...]:
        """The same for histories that need not be told apart at a table.

        What was wrong lately makes a difference, and so does a play that was just regretted: the next act may be the
        same one again.
        """
        since = table - rates.RECENT_ILLEGAL_TABLES
        newest = takewhile(lambda step: step.table > since, reversed(history.steps))
        illegal_plays = frozenset(step.move for step in newest if step.act is Act.ILLEGAL)
        last = history.steps[-1] if history.steps else None
        regret = last.move if last is not None and last.act is Act.REGRET else None
        return id(self._about(history.state)), id(self._about(history.shown)), history.declared, illegal_plays, regret

    def layout(self, state: Any) -> Layout:
        """What lies on the table in a state."""
        known = self._about(state)
        if known.layout is None:
            layout = self.layouts.layout(self.deck, state)
            # Of equal ones the first: what compares them finds out at once.
            known.layout = self._laid_out.setdefault(layout, layout)
        return known.layout

    def unseen(self, state: Any) -> tuple[tuple[Move, float], ...]:
        """The moves that people may make now without a trace, and what each costs."""
        known = self._about(state)
        if known.unseen is None:
            known.unseen = tuple(self.layouts.unseen(state))
        return known.unseen

    def judge(self, state: Any, move: Move) -> Verdict:
        """What the rules say of a move."""
        verdicts = self._about(state).verdicts
        verdict = verdicts.get(move)
        if verdict is None:
            verdict = verdicts[move] = self.rules.judge(state, move)
        return verdict

    def apply(self, state: Any, move: Move) -> Any:
        """The state after a move; the same one for equal states."""
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
        """What must happen now by itself, move by move; nobody sees these."""
        for _ in range(32):
            move = self.layouts.follows(state)
            if move is None:
                return
            yield move
            after = self.apply(state, move)
            if after is state:
                return
            state = after
