"""A transcript: a record judged line by line, with every ruling that a later line changed."""

from collections.abc import Iterator
from dataclasses import dataclass

from referee.match import AnyMatch, LogError, Match
from referee.record import Line, Played, Record, Revised
from referee.rules import AnyRules
from referee.verdicts import Ruling, Verdict


@dataclass(frozen=True, slots=True)
class Ruled:
    """One line that meant something, with the match after it."""

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
        if isinstance(line.meaning, Played):
            match = match.play(line.meaning.move, line.number, human=line.meaning.human)
            yield Ruled(line, match, match.verdicts[-1])
        elif isinstance(line.meaning, Revised):
            try:
                revised = revise(match, line.meaning)
            except LogError as error:
                yield Ruled(line, match, None, refused=str(error))
                continue
            yield Ruled(line, revised, None, _changed(match, revised))
            match = revised


def revise(match: AnyMatch, meaning: Revised) -> AnyMatch:
    """The match after one change; LogError if it cannot be made."""
    if meaning.verb == "undo":
        return match.undo()
    if meaning.verb == "redo":
        return match.redo()
    index = match.index_of(meaning.line or 0)
    if meaning.move is None:
        return match.stand(index)
    return match.amend(index, meaning.move) if meaning.verb == "amend" else match.correct(index, meaning.move)


def all_legal(ruled: Ruled) -> bool:
    """Whether every entry that is still in the log is legal and no change was refused."""
    return ruled.refused is None and all(verdict.ruling is Ruling.LEGAL for verdict in ruled.match.verdicts)


def _changed(before: AnyMatch, after: AnyMatch) -> tuple[int, ...]:
    pairs = zip(before.verdicts, after.verdicts, strict=False)
    return tuple(index for index, (old, new) in enumerate(pairs) if old != new)
