"""The event feed: publishes what the game's thread sees and rules, without ever waiting."""

from collections.abc import Callable

from calibration.frames import Frame
from calibration.rig import Rig
from device.dashboard.events import CameraReported, EntryWritten, FrameSeen, LoadMeasured
from device.dashboard.hub import Hub
from device.dashboard.services.evidence import EvidenceStore
from device.dashboard.services.pictures import CameraPictures
from device.recording.journal import JournalEntry
from device.session.events import LINES
from device.session.game import Game
from device.session.meter import MeterReading
from device.session.observer import Observation, Observer
from vision.follow.stillness import TableState

FRAME_REPORT_S = 1.0
"""How often a frame is reported while nothing changes, in seconds."""


class EventFeed:
    """Listens to a game, posts its events to the hub, and keeps its pictures."""

    def __init__(self, hub: Hub, rig: Rig | None, observer: Observer | None, game: Callable[[], Game]) -> None:
        """`game` returns the game at the time of an event."""
        self._hub, self._observer, self._game = hub, observer, game
        self.pictures, self.evidence = CameraPictures(), EvidenceStore(rig)
        self._frame: Frame | None = None
        """The frame that is being processed."""
        self._last_report: FrameSeen | None = None
        self.table_frame: Frame | None = None
        """The frame of the last still table."""

    def coming(self, frame: Frame) -> None:
        """A frame, before it is processed."""
        self._frame = frame
        self.pictures.show(frame)

    def seen(self, frame: Frame, seen: Observation | None) -> None:
        """A processed frame; reported when the motion changes, and from time to time."""
        motion = TableState.STILL if self._observer is None else self._observer.state
        last = self._last_report
        if last is None or last.motion != motion.value or not 0 <= frame.at_s - last.at_s < FRAME_REPORT_S:
            height, width = frame.image.shape[:2]
            self._last_report = FrameSeen(frame.index, frame.at_s, motion.value, (width, height))
            self._hub.post(self._last_report)

    def publish(self, entry: JournalEntry) -> None:
        """An entry of the journal that has been written."""
        pictured = False
        if entry.kind == "table":
            self._show(entry)
        elif entry.kind in LINES:
            line = entry.data.get("line")
            pictured = isinstance(line, int) and self.evidence.ruling(line)
        self._hub.post(EntryWritten(entry, self._game(), pictured))

    def report(self, reading: MeterReading) -> None:
        """Report the load of the game."""
        self._hub.post(LoadMeasured(reading))
        if reading.camera is not None:
            self._hub.post(CameraReported(reading.camera))

    def close(self) -> None:
        """Stop: there are no more pictures."""
        self.evidence.close()
        self.pictures.show(None)

    def _show(self, entry: JournalEntry) -> None:
        """Keep the picture of a still table; naming a card gives a new table with the same picture."""
        number = entry.data.get("frame")
        if self._frame is not None and self._frame.index == number:
            self.table_frame = self._frame
        if self.table_frame is not None and self.table_frame.index == number:
            self.evidence.table(self.table_frame, entry.data)
