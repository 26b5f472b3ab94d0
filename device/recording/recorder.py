"""The recorder: frames to disk in a thread of its own; whatever happens to it, the game goes on."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Thread

from calibration.frames import Frame
from device.recording.film import SYNC_S, FilmWriter, Room

EVERY_S = 5.0
"""A table on which nothing happens is stored so often."""
WAITING = 12
"""So many frames may wait for the disk; more are left out, and counted."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the frames."""

    stored: int = 0
    quiet: int = 0
    """Not worth storing: nothing had happened."""
    dropped: int = 0
    """Left out because the disk or the encoder was too slow."""
    refused: int = 0
    """No pictures that can be stored."""


class Recorder:
    """Stores the frames that are worth it, and one each `every_s` of a quiet table."""

    def __init__(
        self,
        folder: Path,
        *,
        every_s: float = EVERY_S,
        lossless: bool = False,
        waits: bool = False,
        room: Room = lambda: "",
    ) -> None:
        """Begin a recording in a session's folder, or go on with one: then frames that it has already are left out.

        With `waits` nothing is ever dropped.
        """
        self._every_s, self._waits = every_s, waits
        self._kept_s, self._closed = -math.inf, False
        self._quiet = self._dropped = 0
        self._queue: Queue[Frame | None] = Queue(WAITING)
        self._film = FilmWriter(folder, lossless, room)
        self._there = self._film.last_index
        """The number of the last frame of an earlier recording in the same folder."""
        self._thread = Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str:
        """Why nothing is recorded any more, or nothing."""
        if self._film.trouble or self._closed or self._thread.is_alive():
            return self._film.trouble
        return "recording has stopped, the game goes on: the recorder's thread has ended"

    @property
    def counts(self) -> Counts:
        """What became of the frames so far."""
        return Counts(self._film.stored, self._quiet, self._dropped, self._film.refused)

    @property
    def refusal(self) -> str:
        """Which frame could not be stored last, and why."""
        return self._film.refusal

    def keep(self, frame: Frame, worth: bool = True) -> None:
        """Store a frame; comes back at once, whatever the disk does."""
        if frame.index <= self._there:
            return
        if not worth and 0 <= frame.at_s - self._kept_s < self._every_s:
            self._quiet += 1
        elif not self.trouble:
            if not self._put(frame):
                self._dropped += 1
            elif math.isfinite(frame.at_s):
                self._kept_s = frame.at_s

    def close(self) -> None:
        """Store what waits, and finish the video."""
        while self._thread.is_alive():
            try:
                self._queue.put(None, timeout=0.2)
                break
            except Full:
                continue
        self._thread.join()
        if not self._closed:
            self._closed = True
            self._film.close()

    def _put(self, frame: Frame) -> bool:
        if frame.image.flags.writeable:
            # Somebody may draw on it before it is stored.
            frame = replace(frame, image=frame.image.copy())
        while self._thread.is_alive():
            try:
                self._queue.put(frame, block=self._waits, timeout=0.2)
            except Full:
                if not self._waits:
                    return False
            else:
                return True
        return False

    def _work(self) -> None:
        while True:
            try:
                frame = self._queue.get(timeout=SYNC_S)
            except Empty:
                # Nothing came for a while: what is there is made safe now, not with the next frame.
                self._film.sync()
                continue
            if frame is None:
                return
            self._film.add(frame)
