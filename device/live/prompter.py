"""The prompter: says at a simulated table what people would have to say there, when it has happened."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import dropwhile

from device.cameras.simulated import read_play
from device.recording.lines import JSON
from referee.match import AnyMatch
from referee.moves import Move
from referee.record import Line, Played
from vision.table import Table


class Prompter:
    """A `Player` that knows what is to be said and waits until the table shows that it has happened."""

    kind = "input"

    def __init__(self, script: Iterable[tuple[Line, int]]) -> None:
        self._left = deque(script)
        self._began = False

    @classmethod
    def for_camera(cls, camera: str, verbs: Iterable[str]) -> "Prompter | None":
        """The prompter of a simulated camera for some moves; of a real one nobody knows what is played."""
        if not camera.startswith("sim:"):
            return None
        told = frozenset(verbs)
        return cls(
            (line, frame)
            for line, frame in read_play(camera).film().seen_from()
            if isinstance(line.meaning, Played) and line.meaning.move.verb in told
        )

    def lines(self, match: AnyMatch, table: Table) -> Iterator[str]:
        """The lines that this table shows for the first time, in order."""
        if not self._began:
            # A session that goes on has heard the first ones already.
            known = {entry.move for entry in match.log}
            self._left = deque(dropwhile(lambda told: _move(told[0]) in known, self._left))
            self._began = True
        while self._left and self._left[0][1] <= table.frame:
            yield self._left.popleft()[0].text

    @property
    def again(self) -> bool:
        """It needs no second look."""
        return False

    @property
    def doubts(self) -> dict[str, JSON]:
        """It knows everything."""
        return {}


def _move(line: Line) -> Move | None:
    return line.meaning.move if isinstance(line.meaning, Played) else None
