"""The teller: says what the game's thread sees and rules, to the hub and for the pictures; it never waits."""

from collections.abc import Callable

from calibration.frames import Frame
from calibration.rig import Rig
from device.dashboard.events import Felt, Heard, Looked, Measured
from device.dashboard.hub import Hub
from device.dashboard.services.evidence import Evidence
from device.dashboard.services.pictures import Pictures
from device.recording.journal import JournalEntry
from device.session.events import LINES
from device.session.game import Game
from device.session.meter import MeterReading
from device.session.observer import Observation, Observer
from vision.follow.stillness import TableState

LOOKED_S = 1.0
"""A table that does not change is told so often."""


class Teller:
    """Looks on at a game for everybody who is elsewhere."""

    def __init__(self, hub: Hub, rig: Rig | None, observer: Observer | None, game: Callable[[], Game]) -> None:
        """`game` gives the game as it is when something is told."""
        self._hub, self._observer, self._game = hub, observer, game
        self.pictures, self.evidence = Pictures(), Evidence(rig)
        self._frame: Frame | None = None
        """The frame in work."""
        self._told: Looked | None = None
        self.table_frame: Frame | None = None
        """The frame of the table that was given last."""

    def coming(self, frame: Frame) -> None:
        """A frame, before it is worked on."""
        self._frame = frame
        self.pictures.show(frame)

    def seen(self, frame: Frame, seen: Observation | None) -> None:
        """What came of it; told when it is another than before, or from time to time."""
        motion = TableState.STILL if self._observer is None else self._observer.state
        told = self._told
        if told is None or told.motion != motion.value or not 0 <= frame.at_s - told.at_s < LOOKED_S:
            height, width = frame.image.shape[:2]
            self._told = Looked(frame.index, frame.at_s, motion.value, (width, height))
            self._hub.post(self._told)

    def publish(self, entry: JournalEntry) -> None:
        """An entry that is on the disk."""
        pictured = False
        if entry.kind == "table":
            self._show(entry)
        elif entry.kind in LINES:
            line = entry.data.get("line")
            pictured = isinstance(line, int) and self.evidence.ruling(line)
        self._hub.post(Heard(entry, self._game(), pictured))

    def report(self, reading: MeterReading) -> None:
        """How the game keeps up."""
        self._hub.post(Measured(reading))
        if reading.camera is not None:
            self._hub.post(Felt(reading.camera))

    def close(self) -> None:
        """There is nothing more to show."""
        self.evidence.close()
        self.pictures.show(None)

    def _show(self, entry: JournalEntry) -> None:
        """Keep the picture of a table; one on which only a card was named is the same picture as before."""
        number = entry.data.get("frame")
        if self._frame is not None and self._frame.index == number:
            self.table_frame = self._frame
        if self.table_frame is not None and self.table_frame.index == number:
            self.evidence.table(self.table_frame, entry.data)
