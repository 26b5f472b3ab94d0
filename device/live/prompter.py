"""Declared moves: at a simulated table, what people would have to say there is said when it has happened."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import dropwhile

from device.cameras.simulated import read_play
from device.recording.lines import JSON
from referee.edits import Edit, Play
from referee.match import AnyMatch
from referee.record import Line
from vision.table import Table


class DeclaredMoves:
    """A `MoveSource` that knows what is to be said and waits until the table shows that it has happened."""

    kind = "input"

    def __init__(self, script: Iterable[tuple[Line, int]]) -> None:
        """Every line with the first frame in which it can be seen."""
        self._left = deque((line.meaning, frame) for line, frame in script if line.meaning is not None)
        self._began = False

    @classmethod
    def for_camera(cls, camera: str, verbs: Iterable[str]) -> "DeclaredMoves | None":
        """The declared moves of a simulated camera that have these verbs; nobody knows what a real one will show."""
        if not camera.startswith("sim:"):
            return None
        declared = frozenset(verbs)
        return cls(
            (line, frame)
            for line, frame in read_play(camera).film().seen_from()
            if isinstance(line.meaning, Play) and line.meaning.move.verb in declared
        )

    def edits(self, match: AnyMatch, table: Table) -> Iterator[Edit]:
        """The edits that this table shows for the first time, in order."""
        if not self._began:
            # A session that goes on has heard the first ones already.
            known = {entry.move for entry in match.log}
            self._left = deque(
                dropwhile(lambda shown: isinstance(shown[0], Play) and shown[0].move in known, self._left)
            )
            self._began = True
        while self._left and self._left[0][1] <= table.frame:
            yield self._left.popleft()[0]

    @property
    def doubts(self) -> dict[str, JSON]:
        """It knows everything."""
        return {}
