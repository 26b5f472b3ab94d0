"""Live sources: a camera has a thread of its own, and whoever works gets the newest frame."""

import time
from collections.abc import Iterator
from threading import Event, RLock, Thread

from calibration.frames import Frame
from device.cameras.mailbox import Mailbox
from device.cameras.retrying import Retrying
from device.cameras.source import Clock, Health, Opener, Status

LEAVE_S = 2.0
"""How long closing waits for a camera that hangs; then it is left behind, and its thread ends when it wakes."""


class LiveSource:
    """A camera; it is opened with the first frame that is asked for, lost and found again, and closed once."""

    live = True

    def __init__(
        self,
        open_camera: Opener,
        clock: Clock = time.monotonic,
        stall_s: float = 3.0,
        first_index: int = 0,
        first_s: float = 0.0,
        leave_s: float = LEAVE_S,
    ) -> None:
        """A session that is resumed goes on counting: `first_index` and `first_s` are those of its next frame."""
        self._leave_s = leave_s
        self._closing = Event()
        self._retrying = Retrying(open_camera, clock, self._closing.wait, stall_s, first_index, first_s)
        self._mailbox: Mailbox[Frame] = Mailbox()
        self._closed: Status | None = None
        self._ended_s = first_s
        self._thread = Thread(target=self._watch, name="camera", daemon=True)
        self._started = False
        # A signal may close the source in the middle of its own thread's taking.
        self._starting = RLock()

    @property
    def status(self) -> Status:
        """How the camera is now."""
        if self._closed is not None:
            return self._closed
        error = self._mailbox.error
        if error is not None:
            message = f"{type(error).__name__}: {error}"
            return Status(Health.ENDED, self._ended_s, self._retrying.status.tries, message)
        return self._retrying.status

    @property
    def dropped(self) -> int:
        """How many frames nobody had time for."""
        return self._mailbox.dropped

    @property
    def garbage(self) -> int:
        """How many pictures were thrown away because they were none."""
        return self._retrying.garbage

    def frames(self) -> Iterator[Frame]:
        """The newest frame each time; waits while the camera is lost, ends when it is closed."""
        while True:
            frame = self.take()
            if frame is None:
                return
            yield frame

    def take(self, timeout_s: float | None = None) -> Frame | None:
        """The newest frame; None when none came in time or none will come (`status` tells which)."""
        with self._starting:
            if self._closing.is_set():
                return None
            if not self._started:
                self._started = True
                self._thread.start()
        return self._mailbox.take(timeout_s)

    def close(self) -> None:
        """Let go of the camera; who waits for a frame gets none."""
        if self._closed is None:
            before = self.status
            ended = before if before.health is Health.ENDED else None
            self._closed = ended or Status(Health.ENDED, self._retrying.now_s, before.tries, "closed")
        self._closing.set()
        self._mailbox.close()
        if self._thread.is_alive():
            self._thread.join(self._leave_s)

    def _watch(self) -> None:
        """What the camera's thread does."""
        with self._mailbox:
            frames = self._retrying.frames()
            try:
                for frame in frames:
                    if self._closing.is_set():
                        break
                    self._mailbox.put(frame)
            finally:
                self._ended_s = self._retrying.now_s
                # Closes the camera, in the thread that opened it.
                frames.close()
