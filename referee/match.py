"""A match: the fold of its log. Undo drops an entry, a correction replaces one; later entries are judged again."""

from dataclasses import dataclass, replace
from typing import Any, Generic

from referee.edits import Amend, Correct, Edit, Play, Redo, Stand, Undo
from referee.moves import Move
from referee.rules import Opening, Rules, S, opened
from referee.verdicts import Ruling, Verdict


class LogError(ValueError):
    """An edit that the log cannot make: nothing to undo, no such entry, an entry pinned by a human."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log. A human's entry is pinned: the camera cannot change it."""

    move: Move
    line: int
    """Its line number in the record."""
    pinned: bool = False
    stands: bool = False
    """Whether a human lets the move stand although it is not legal."""
    probability: float = 1.0
    """Probability that this move was played, according to the inference; 1 for a human's entry."""


@dataclass(frozen=True, slots=True)
class Match(Generic[S]):
    """A game in progress: every entry with its verdict and the state before it."""

    rules: Rules[S]
    opening: Opening
    log: tuple[Entry, ...]
    verdicts: tuple[Verdict, ...]
    states: tuple[S, ...]
    """states[i] is the state before entry i; the last one is the current state."""
    plies: tuple[int, ...] = ()
    """The log index of every move that was applied."""
    undone: tuple[Entry, ...] = ()
    """Entries that redo brings back, the latest undone last."""

    @classmethod
    def open(cls, rules: Rules[S], opening: Opening) -> "Match[S]":
        """A match before its first move."""
        return cls(rules, opening, (), (), (rules.start(len(opening.names), opened(rules, opening)),))

    @property
    def names(self) -> tuple[str, ...]:
        """The names by seat, guests after the players."""
        return self.opening.names + self.rules.guests(len(self.opening.names))

    @property
    def state(self) -> S:
        """The current state."""
        return self.states[-1]

    def edit(self, edit: Edit, line: int) -> "Match[S]":
        """The match after an edit that is written in that line of the record; LogError if it cannot be made."""
        match edit:
            case Play(move, human, probability):
                return self.play(move, line, human=human, probability=probability)
            case Undo():
                return self.undo()
            case Redo():
                return self.redo()
            case Correct(target, move, probability):
                return self.correct(self.index_of(target), move, probability)
            case Amend(target, move):
                return self.amend(self.index_of(target), move)
            case Stand(target):
                if target is None and not self.log:
                    raise LogError("nothing to let stand; the log is empty")
                return self.stand(len(self.log) - 1 if target is None else self.index_of(target))

    def play(self, move: Move, line: int | None = None, *, human: bool = False, probability: float = 1.0) -> "Match[S]":
        """Judge a move and, if it is legal, apply it. Undone entries can no longer be redone."""
        number = len(self.log) + 1 if line is None else line
        entry = Entry(move, number, pinned=human, probability=1.0 if human else probability)
        return replace(self._append(entry), undone=())

    def undo(self) -> "Match[S]":
        """Drop the last entry."""
        if not self.log:
            raise LogError("nothing to undo; the log is empty")
        return replace(self._before(len(self.log) - 1), undone=(*self.undone, self.log[-1]))

    def redo(self) -> "Match[S]":
        """Bring back the last undone entry."""
        if not self.undone:
            raise LogError("nothing to redo; nothing was undone")
        return replace(self._append(self.undone[-1]), undone=self.undone[:-1])

    def amend(self, index: int, move: Move) -> "Match[S]":
        """A human replaces an entry; it is pinned, and later entries are judged again."""
        return self._replace(index, Entry(move, self._entry(index).line, pinned=True))

    def correct(self, index: int, move: Move, probability: float = 1.0) -> "Match[S]":
        """The camera replaces an entry, unless a human has pinned it."""
        entry = self._entry(index)
        if entry.pinned:
            raise LogError(f"line {entry.line} is pinned by a human; the camera cannot correct it")
        return self._replace(index, Entry(move, entry.line, probability=probability))

    def stand(self, index: int) -> "Match[S]":
        """A human lets an entry stand, whatever its ruling."""
        return self._replace(index, replace(self._entry(index), pinned=True, stands=True))

    def index_of(self, line: int) -> int:
        """The log index of the entry written in that line of the record."""
        for index, entry in enumerate(self.log):
            if entry.line == line:
                return index
        raise LogError(f"line {line} is not a move of this game (or it was undone)")

    def line_about(self, verdict: Verdict) -> int | None:
        """The record line of the guilty move that a verdict points at."""
        return None if verdict.about is None else self.log[verdict.about].line

    def _entry(self, index: int) -> Entry:
        if not 0 <= index < len(self.log):
            raise LogError(f"no entry {index}; the log has {len(self.log)}")
        return self.log[index]

    def _before(self, index: int) -> "Match[S]":
        plies = tuple(ply for ply in self.plies if ply < index)
        return replace(
            self,
            log=self.log[:index],
            verdicts=self.verdicts[:index],
            states=self.states[: index + 1],
            plies=plies,
        )

    def _replace(self, index: int, entry: Entry) -> "Match[S]":
        match = self._before(index)._append(entry)
        for later in self.log[index + 1 :]:
            match = match._append(later)
        return replace(match, undone=())

    def _append(self, entry: Entry) -> "Match[S]":
        state = self.states[-1]
        verdict = self.rules.judge(state, entry.move)
        if verdict.about is not None:
            verdict = replace(verdict, about=self.plies[verdict.about])
        plies = self.plies
        if verdict.ruling is Ruling.LEGAL or entry.stands:
            after = self.rules.apply(state, entry.move)
            if after is not state:
                plies = (*plies, len(self.log))
            state = after
        return Match(
            self.rules,
            self.opening,
            (*self.log, entry),
            (*self.verdicts, verdict),
            (*self.states, state),
            plies,
            self.undone,
        )


AnyMatch = Match[Any]
