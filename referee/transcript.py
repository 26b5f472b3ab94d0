"""A transcript: a record judged line by line, with every ruling that a later line changed."""

from collections.abc import Iterator
from dataclasses import dataclass

from referee.edits import Edit, Play
from referee.match import AnyMatch, LogError, Match
from referee.record import Line, Record
from referee.rules import AnyRules
from referee.verdicts import Ruling, Verdict


@dataclass(frozen=True, slots=True)
class Ruled:
    """One line with a meaning, and the match after it."""

    line: Line
    match: AnyMatch
    verdict: Verdict | None
    """None for a line that only changes earlier ones."""
    changed: tuple[int, ...] = ()
    """Log indices whose ruling this line changed."""
    refused: str | None = None
    """Why a change could not be made (nothing to undo, a pinned line …)."""


def judge_record(record: Record, rules: AnyRules) -> Iterator[Ruled]:
    """Judge a record from its first line to its last."""
    match: AnyMatch = Match.open(rules, record.opening)
    for line in record.lines:
        if line.meaning is not None:
            ruled = judge_line(match, line, line.meaning)
            yield ruled
            match = ruled.match


def judge_line(match: AnyMatch, line: Line, edit: Edit) -> Ruled:
    """The judgement of a line with an edit; the match does not change if the edit cannot be made."""
    try:
        after = match.edit(edit, line.number)
    except LogError as error:
        return Ruled(line, match, None, refused=str(error))
    if isinstance(edit, Play):
        return Ruled(line, after, after.verdicts[-1])
    return Ruled(line, after, None, _changed(match, after))


def all_legal(ruled: Ruled) -> bool:
    """Whether every entry that is still in the log is legal and no change was refused."""
    return ruled.refused is None and all(verdict.ruling is Ruling.LEGAL for verdict in ruled.match.verdicts)


def _changed(before: AnyMatch, after: AnyMatch) -> tuple[int, ...]:
    pairs = zip(before.verdicts, after.verdicts, strict=False)
    return tuple(index for index, (old, new) in enumerate(pairs) if old != new)
