"""Recall: a journal folded through the game and those who watch the table, so that both are as they were."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from device.recording.journal import Entry
from device.session.game import LINES, Game
from device.session.session import MoveSource
from device.session.table_json import table_from_json
from referee.edits import Edit
from vision.table import Table


@dataclass(frozen=True, slots=True)
class Recalled:
    """A session that was cut off, as it was at its last entry."""

    game: Game
    due: tuple[Edit, ...] = ()
    """The edits of the last table that the journal does not have yet."""
    table: Table | None = None
    """That table, as the journal keeps it."""
    after: int = -1
    """The last frame before it was noted."""
    asked: Entry | None = None
    """The question that was told last, unless a line came after it."""
    answered: bool = True
    """Whether people have changed the log since the last table: then what was asked about it is settled."""


def recall(game: Game, entries: Iterable[Entry], sources: Sequence[MoveSource]) -> Recalled:
    """Fold a journal: every table is observed with the match as it was then, every line goes into the game."""
    due: deque[Edit] = deque()
    last, after, asked, answered = None, -1, None, True
    for entry in entries:
        if entry.kind == "table":
            table = _table(entry)
            if table is not None:
                # Edits of an earlier table that are not in the journal were never made.
                due = deque(_seen(sources, game, table))
                last, after, answered = table, entry.after, False
        elif entry.kind in LINES:
            if due and _is_line_of(game, due[0], entry):
                due.popleft()
            else:
                due.clear()
                answered = True
            game, _ = game.repeat(entry)
            asked = None
        elif entry.kind == "question":
            # Asking comes after all edits.
            asked = entry
            due.clear()
    return Recalled(game, tuple(due), last, after, asked, answered)


def _seen(sources: Sequence[MoveSource], game: Game, table: Table) -> list[Edit]:
    """What a table changes. What was declared then is a line of the journal already."""
    edits = [(source.kind, list(source.edits(game.match, table))) for source in sources]
    return [edit for kind, seen in edits for edit in seen if kind == "ruling"]


def _is_line_of(game: Game, edit: Edit, entry: Entry) -> bool:
    """Whether a line of the journal is the one of an edit."""
    return entry.kind == "ruling" and game.enter(edit)[1].line.text == entry.data.get("text")


def _table(entry: Entry) -> Table | None:
    """A table of the journal; None for one that cannot be read today."""
    try:
        return table_from_json(entry.data, entry.at_s)
    except (KeyError, TypeError, ValueError):
        return None
