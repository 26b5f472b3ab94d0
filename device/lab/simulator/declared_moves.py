"""Declared moves: at a simulated table, moves that leave no trace are declared once they have been made."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from device.lab.simulator.film import Film
from device.session.events import QuestionAsked
from referee.edits import Edit, Play
from referee.match import AnyMatch
from referee.moves import Move
from referee.record import Line
from vision.table import Table


class DeclaredMoves:
    """A `MoveSource` that knows the moves in advance and declares each when its first frame has come."""

    by_camera = False

    def __init__(self, script: Iterable[tuple[Line, int]]) -> None:
        """`script` has every line with the first frame after it."""
        self._left = deque((_by_a_human(line.meaning), frame) for line, frame in script if line.meaning is not None)
        self._brought: Counter[Move] = Counter()

    @classmethod
    def of_film(cls, film: Film, verbs: Iterable[str]) -> "DeclaredMoves":
        """The moves of a film with these verbs."""
        declared = frozenset(verbs)
        return cls(
            (line, frame)
            for line, frame in film.seen_from()
            if isinstance(line.meaning, Play) and line.meaning.move.verb in declared
        )

    def edits(self, match: AnyMatch, table: Table) -> Iterator[Edit]:
        """The moves made up to this table, in order, except those that people declared themselves."""
        said = Counter(entry.move for entry in match.log if entry.pinned)
        while self._left and self._left[0][1] <= table.frame:
            edit, _ = self._left.popleft()
            if isinstance(edit, Play):
                self._brought[edit.move] += 1
                if said[edit.move] >= self._brought[edit.move]:
                    # For example before the session was interrupted.
                    continue
            yield edit

    @property
    def question(self) -> QuestionAsked:
        """Nothing is ever in doubt here."""
        return QuestionAsked()


def _by_a_human(edit: Edit) -> Edit:
    return replace(edit, human=True) if isinstance(edit, Play) else edit
