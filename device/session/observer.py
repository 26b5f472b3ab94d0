"""The lookout: an eye and a watcher over one table, and what there is to tell about how they work."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

import numpy as np

from calibration.frames import Frame
from calibration.rig import Rig
from calibration.seats import Zone
from calibration.table import mm_to_pixels
from vision.follow.gate import Gate
from vision.follow.settle import REST_S, Settler, State
from vision.sightings import Look
from vision.table import Placed, Point, Table
from vision.watcher import Eye, PieceFinder, Watcher

AFTER_S = 1.0
"""So long after something happened frames are still worth keeping."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one frame gave."""

    table: Table | None
    """The table, if it has come to rest and is another one."""
    looked: bool
    """Whether it was looked at closely."""
    worth: bool
    """Whether a recording needs it: without it another replay might see another game."""
    rested_s: float | None
    """Of the first table after a movement: how long nothing had moved."""


class _Counted:
    """An eye that counts its looks."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye
        self.looks = 0

    def look(self, frame: Frame) -> Look:
        self.looks += 1
        return self._eye.look(frame)


class Lookout:
    """Watches a table frame by frame."""

    def __init__(
        self,
        eye: Eye,
        zones: Iterable[Zone] = (),
        rest_s: float = REST_S,
        outline_px: tuple[Point, ...] = (),
        pieces: PieceFinder | None = None,
    ) -> None:
        self._eye, self._settler = _Counted(eye), Settler(rest_s)
        self._watcher = Watcher(self._eye, zones, settler=self._settler, gate=Gate(outline_px), pieces=pieces)
        self._worth_s, self._moved_s = -inf, -inf

    @property
    def looks(self) -> int:
        """How many close looks there were."""
        return self._eye.looks

    @property
    def state(self) -> State:
        """What happens on the table now."""
        return self._watcher.state

    def card(self, track: int) -> Placed:
        """A card of the table that was given last; PinError if it does not lie there face up."""
        return self._watcher.card(track)

    def card_at(self, point_mm: Point) -> Placed:
        """The card of that table whose middle is there; PinError if there is none."""
        return self._watcher.card_at(point_mm)

    def pin(self, track: int, code: str) -> Table:
        """The same table with a card that a human has named."""
        return self._watcher.pin(track, code)

    def resume(self, table: Table) -> None:
        """Go on from a table that was given before a break."""
        self._watcher.resume(table)

    def see(self, frame: Frame) -> Seen:
        """One more frame."""
        before = self.looks
        table = self._watcher.observe(frame)
        looked = self.looks > before
        if looked or self.state is not State.STILL:
            self._worth_s = frame.at_s
        moved_s = frame.at_s - self._settler.quiet_s
        # A table that is given in haste is that of an earlier frame, and nothing has rested in this one.
        first = table is not None and table.frame == frame.index and moved_s > self._moved_s
        if first:
            self._moved_s = moved_s
        worth = 0 <= frame.at_s - self._worth_s <= AFTER_S
        return Seen(table, looked, worth, self._settler.quiet_s if first else None)


def outline_of(rig: Rig | None) -> tuple[Point, ...]:
    """Where the edge of the table is in the picture: what moves outside is nobody's move."""
    if rig is None or rig.lens is None or rig.table is None:
        return ()
    x, y = rig.table.size_mm[0] / 2, rig.table.size_mm[1] / 2
    corners = mm_to_pixels(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]), rig.lens, rig.table)
    return tuple((float(across), float(down)) for across, down in corners)
