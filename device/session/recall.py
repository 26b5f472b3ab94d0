"""Recall: folds a journal through the game and the move sources, which restores both as they were."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from device.recording.journal import JournalEntry
from device.session.events import LineJudged, QuestionAsked, TableObserved, readable
from device.session.game import Game
from device.session.session import MoveSource
from referee.edits import Edit
from vision.table import Table


@dataclass(frozen=True, slots=True)
class ResumedGame:
    """The state of an interrupted session at its last entry."""

    game: Game
    due: tuple[Edit, ...] = ()
    """Edits that the last table called for and that are not in the journal."""
    table: Table | None = None
    """The last table in the journal."""
    after: int = -1
    """The last frame before that table was written."""
    asked: JournalEntry | None = None
    """The last question, unless a line came after it."""
    answered: bool = True
    """Whether people have changed the log since the last table, which closes its question."""


def recall(game: Game, entries: Iterable[JournalEntry], sources: Sequence[MoveSource]) -> ResumedGame:
    """Fold a journal: every table goes to the move sources with the match of its time, every line into the game."""
    due: deque[Edit] = deque()
    last, after, asked, answered = None, -1, None, True
    for entry in entries:
        match readable(entry):
            case TableObserved(table):
                # Edits of an earlier table that are missing in the journal were never made.
                due = deque(_edits(sources, game, table))
                last, after, answered = table, entry.after, False
            case LineJudged() as line:
                if due and _is_line_of(game, due[0], line):
                    due.popleft()
                else:
                    due.clear()
                    answered = True
                game, _ = game.repeat(line)
                asked = None
            case QuestionAsked():
                # A question is written after all edits of its table.
                asked = entry
                due.clear()
    return ResumedGame(game, tuple(due), last, after, asked, answered)


def _edits(sources: Sequence[MoveSource], game: Game, table: Table) -> list[Edit]:
    """The edits that a table calls for, without declarations: those are lines of the journal already."""
    edits = [(source.by_camera, list(source.edits(game.match, table))) for source in sources]
    return [edit for by_camera, seen in edits for edit in seen if by_camera]


def _is_line_of(game: Game, edit: Edit, line: LineJudged) -> bool:
    """Whether a line of the journal is the line of an edit."""
    return line.by_camera and game.enter(edit)[1].line.text == line.text
