"""Declared moves: at a simulated table, what people would have to say there is said when it has happened."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from device.cameras.simulated import read_play
from device.recording.lines import JSON
from referee.edits import Edit, Play
from referee.match import AnyMatch
from referee.moves import Move
from referee.record import Line
from vision.table import Table


class DeclaredMoves:
    """A `MoveSource` that knows what is to be said and waits until the table shows that it has happened."""

    kind = "input"

    def __init__(self, script: Iterable[tuple[Line, int]]) -> None:
        """Every line with the first frame in which it can be seen."""
        self._left = deque((_by_a_human(line.meaning), frame) for line, frame in script if line.meaning is not None)
        self._brought: Counter[Move] = Counter()

    @classmethod
    def for_camera(cls, camera: str, verbs: Iterable[str]) -> "DeclaredMoves | None":
        """The moves with these verbs at a simulated table where people declare them; None at any other."""
        if not camera.startswith("sim:"):
            return None
        play, declared = read_play(camera), frozenset(verbs)
        if not play.declared:
            return None
        return cls(
            (line, frame)
            for line, frame in play.film().seen_from()
            if isinstance(line.meaning, Play) and line.meaning.move.verb in declared
        )

    def edits(self, match: AnyMatch, table: Table) -> Iterator[Edit]:
        """The edits that this table shows for the first time, in order, but those that people made themselves."""
        said = Counter(entry.move for entry in match.log if entry.pinned)
        while self._left and self._left[0][1] <= table.frame:
            edit, _ = self._left.popleft()
            if isinstance(edit, Play):
                self._brought[edit.move] += 1
                if said[edit.move] >= self._brought[edit.move]:
                    # Before the session was cut off, for example.
                    continue
            yield edit

    @property
    def doubts(self) -> dict[str, JSON]:
        """It knows everything."""
        return {}


def _by_a_human(edit: Edit) -> Edit:
    return replace(edit, human=True) if isinstance(edit, Play) else edit
