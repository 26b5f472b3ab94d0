"""Histories: what may have happened at the table, act by act, since the last act that is settled."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
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
    WRONG = "wrong"
    """It is against the rules and lies there; the game has not gone on."""
    BACK = "back"
    """The wrong play before was taken back."""
    STANDS = "stands"
    """Play goes on over the wrong play before."""
    REGRET = "regret"
    """An allowed play was taken back."""
    CLAIMED = "claimed"
    """It was only said, against the rules; nothing has changed."""


@dataclass(frozen=True, slots=True)
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
    said: bool = False
    """Whether somebody said so."""


@dataclass(frozen=True, slots=True)
class Written:
    """One line of the log that a history amounts to."""

    move: Move
    ruling: Ruling
    stands: bool = False
    said: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """One way in which the match may have gone, with its score: the logarithm of a likelihood."""

    steps: tuple[Step, ...]
    state: Any
    shown: Any
    score: float = 0.0
    odd: tuple[tuple[tuple[object, ...], int], ...] = ()
    """What disagreed with it at the last table, and at how many tables up to that one."""
    said: tuple[tuple[Move, int], ...] = ()
    """What people have said and has not happened yet, and after which table each was said."""

    @property
    def wrong(self) -> Step | None:
        """The wrong play that lies on the table now."""
        last = self.steps[-1] if self.steps else None
        return last if last is not None and last.act is Act.WRONG else None

    def identity(self, table: int) -> tuple[Any, ...]:
        """The same for histories that need not be told apart at a table: what was wrong lately makes a difference."""
        since = table - rates.WRONG_LATELY
        wrongs = frozenset(step.move for step in self.steps if step.act is Act.WRONG and step.table > since)
        return self.state, self.shown, self.said, wrongs

    def written(self) -> tuple[Written, ...]:
        """The lines of the log that it amounts to: what was regretted is not among them."""
        lines: list[Written | None] = []
        for step in self.steps:
            if step.act is Act.REGRET:
                del lines[len(lines) - step.undone :]
                lines.append(None)
            elif step.act is Act.STANDS:
                last = lines[-1]
                assert last is not None, "what stands is the wrong play before it"
                lines[-1] = replace(last, stands=True)
                lines.append(None)
            elif step.act is Act.BACK:
                lines.append(None)
            else:
                open_ = step.act is Act.PLAYED and step.ruling is Ruling.UNCLEAR
                lines.append(Written(step.move, step.ruling, open_, step.said))
        return tuple(line for line in lines if line is not None)


@dataclass(slots=True)
class Model:
    """The rules of a game and how it shows on the table; remembers what it was asked about the same state."""

    rules: AnyRules
    deck: Deck
    layouts: Layouts

    def layout(self, state: Any) -> Layout:
        """What lies on the table in a state."""
        return self.layouts.layout(self.deck, state)

    def judge(self, state: Any, move: Move) -> Verdict:
        """What the rules say of a move."""
        return self.rules.judge(state, move)

    def followed(self, state: Any) -> Iterator[Move]:
        """What must happen now by itself, move by move; nobody sees these."""
        for _ in range(32):
            move = self.layouts.follows(state)
            if move is None:
                return
            yield move
            after = self.rules.apply(state, move)
            if after is state:
                return
            state = after
