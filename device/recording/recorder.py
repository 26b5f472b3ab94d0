"""The recorder: stores frames in a thread of its own. If it fails, the game goes on."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Thread

from calibration.frames import Frame
from device.recording.film import SYNC_S, FilmWriter, MakeRoom

QUIET_INTERVAL_S = 5.0
"""Seconds between stored frames while nothing moves."""
QUEUE_FRAMES = 12
"""Capacity of the queue to the recorder's thread; further frames are dropped and counted."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of stored and skipped frames."""

    stored: int = 0
    quiet: int = 0
    """Skipped because nothing moved."""
    dropped: int = 0
    """Dropped because the disk or the encoder was too slow."""
    refused: int = 0
    """Frames whose image cannot be stored."""


class Recorder:
    """Stores every frame worth storing, and one frame per `every_s` of a quiet table."""

    def __init__(
        self,
        folder: Path,
        *,
        every_s: float = QUIET_INTERVAL_S,
        lossless: bool = False,
        waits: bool = False,
        room: MakeRoom = lambda: "",
    ) -> None:
        """Start a recording in a session folder, or continue one: frames it already has are skipped.

        With `waits`, `keep` blocks instead of dropping frames.
        """
        self._every_s, self._waits = every_s, waits
        self._last_kept_s, self._closed = -math.inf, False
        self._quiet = self._dropped = 0
        self._queue: Queue[Frame | None] = Queue(QUEUE_FRAMES)
        self._film = FilmWriter(folder, lossless, room)
        self._last_stored_index = self._film.last_index
        """Number of the last frame of an earlier recording in the same folder."""
        self._thread = Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str:
        """Why recording has stopped; empty while it works."""
        if self._film.trouble or self._closed or self._thread.is_alive():
            return self._film.trouble
        return "recording has stopped, the game goes on: the recorder's thread has ended"

    @property
    def counts(self) -> Counts:
        """Counts of stored and skipped frames so far."""
        return Counts(self._film.stored, self._quiet, self._dropped, self._film.refused)

    @property
    def refusal(self) -> str:
        """The last frame that could not be stored, and why."""
        return self._film.refusal

    def keep(self, frame: Frame, worth: bool = True) -> None:
        """Queue a frame for storing; returns at once unless the recorder waits."""
        if frame.index <= self._last_stored_index:
            return
        if not worth and 0 <= frame.at_s - self._last_kept_s < self._every_s:
            self._quiet += 1
        elif not self.trouble:
            if not self._put(frame):
                self._dropped += 1
            elif math.isfinite(frame.at_s):
                self._last_kept_s = frame.at_s

    def close(self) -> None:
        """Store the queued frames and finish the video."""
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
            # The caller may draw on the image before it is stored.
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
                # The camera has paused: flush now rather than with the next frame.
                self._film.sync()
                continue
            if frame is None:
                return
            self._film.add(frame)
