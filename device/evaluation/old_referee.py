"""The interpreter of today behind the seam of tomorrow: tables go in, edits come out. It goes with the interpreter."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from calibration.plan import Seating
from device.evaluation.logbook import edited
from device.live.game import Game
from device.live.witness import Witness
from models.cards import Deck
from referee.edits import Amend, Correct, Edit, Play, Redo, Stand, Undo
from referee.fit import Difference
from referee.interpreter import LAST
from referee.match import AnyMatch
from referee.moves import Move, NotationError
from referee.record import Meaning, Played
from referee.rules import AnyRules
from vision.table import Table

MOST_REPEATS = 6
"""How often the same table is given to the witness again, at most."""

MOST_LINES = 20
"""How many lines one table brings, at most."""


@dataclass(frozen=True, slots=True)
class OldQuestion:
    """Histories that are about equally likely."""

    choices: tuple[tuple[Edit, ...], ...]


@dataclass(frozen=True, slots=True)
class OldTold:
    """What one table says."""

    edits: tuple[Edit, ...] = ()
    question: OldQuestion | None = None
    left: tuple[Difference, ...] = ()


class OldReferee:
    """A witness whose lines are read as edits."""

    def __init__(self, rules: AnyRules, deck: Deck, seating: Seating) -> None:
        self._witness = Witness(rules, deck, seating)

    def observe(self, match: AnyMatch, table: Table) -> OldTold:
        """The edits of a table, which the witness sees as often as it wants to."""
        edits = edits_of(match, self._witness.lines(match, table))
        for _ in range(MOST_REPEATS):
            if not self._witness.again:
                break
            lines = self._witness.lines(edited(match, edits), replace(table, again=True))
            edits += edits_of(match, lines)
        told = self._witness.told
        asked = None
        if told.question is not None:
            asked = OldQuestion(tuple(edits_of(match, choice) for choice in told.question.choices))
        return OldTold(edits, asked, told.left)

    def hear(self, match: AnyMatch, move: Move, at_s: float) -> OldTold:
        """What is said is written."""
        return OldTold((Play(move),))


def edits_of(match: AnyMatch, lines: Iterable[str]) -> tuple[Edit, ...]:
    """Lines of the record as edits."""
    reader = Game.open(match.rules, match.opening)
    # A line may speak of all that were written before it.
    number = reader.next_line + max((entry.line for entry in match.log), default=0) + MOST_LINES
    return tuple(_edit_of(reader, text, number) for text in lines)


def _edit_of(reader: Game, text: str, number: int) -> Edit:
    if text.split() == LAST.split():
        return Stand()
    line = reader.read(text, number=number)
    if line is None or line.meaning is None:
        raise NotationError(f"{text!r}: it says nothing; wanted a move or a change")
    return _meant(line.meaning)


def _meant(meaning: Meaning) -> Edit:
    if isinstance(meaning, Played):
        return Play(meaning.move, meaning.human)
    if meaning.verb in ("undo", "redo"):
        return Undo() if meaning.verb == "undo" else Redo()
    if meaning.line is None or meaning.move is None:
        return Stand(meaning.line)
    return Amend(meaning.line, meaning.move) if meaning.verb == "amend" else Correct(meaning.line, meaning.move)
