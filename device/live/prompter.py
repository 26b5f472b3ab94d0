"""The prompter: tells the moves of a simulated table, as its bots played them, once they can be seen lying there."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

from device.cameras.simulated import read_play
from referee.match import AnyMatch
from referee.record import Line
from vision.table import Table


class Prompter:
    """A `Player` that knows the game by heart and waits until the table shows each move."""

    def __init__(self, script: Iterable[tuple[Line, int]]) -> None:
        self._left = deque(script)
        self._began = False

    @classmethod
    def for_camera(cls, camera: str) -> "Prompter | None":
        """The prompter of a simulated camera; of a real one nobody knows what is played."""
        return cls(read_play(camera).film().seen_from()) if camera.startswith("sim:") else None

    def lines(self, match: AnyMatch, table: Table) -> Iterator[str]:
        """The lines that this table shows for the first time, in order."""
        if not self._began:
            # A session that goes on has heard the first ones already.
            self._left = deque(islice(self._left, len(match.log), None))
            self._began = True
        while self._left and self._left[0][1] <= table.frame:
            yield self._left.popleft()[0].text
