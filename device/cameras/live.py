"""Live sources: the camera runs in its own thread, and the consumer gets the newest frame."""

import time
from collections.abc import Iterator
from threading import Event, RLock, Thread

from calibration.frames import Frame
from device.cameras.mailbox import Mailbox
from device.cameras.retrying import Retrying
from device.cameras.source import Clock, Health, Opener, Status

CLOSE_TIMEOUT_S = 2.0
"""Seconds that `close` waits for a hanging camera; after that its thread ends whenever it wakes up."""


class LiveSource:
    """A live camera: opened on the first request for a frame, reopened when lost, closed once."""

    live = True

    def __init__(
        self,
        open_camera: Opener,
        clock: Clock = time.monotonic,
        stall_s: float = 3.0,
        first_index: int = 0,
        first_s: float = 0.0,
        leave_s: float = CLOSE_TIMEOUT_S,
    ) -> None:
        """A resumed session continues counting from `first_index` and `first_s`."""
        self._leave_s = leave_s
        self._closing = Event()
        self._retrying = Retrying(open_camera, clock, self._closing.wait, stall_s, first_index, first_s)
        self._mailbox: Mailbox[Frame] = Mailbox()
        self._closed: Status | None = None
        self._ended_s = first_s
        self._thread = Thread(target=self._watch, name="camera", daemon=True)
        self._started = False
        # A signal handler may call `close` while the same thread is inside `take`.
        self._starting = RLock()

    @property
    def status(self) -> Status:
        """Current state of the camera."""
        if self._closed is not None:
            return self._closed
        error = self._mailbox.error
        if error is not None:
            message = f"{type(error).__name__}: {error}"
            return Status(Health.ENDED, self._ended_s, self._retrying.status.tries, message)
        return self._retrying.status

    @property
    def dropped(self) -> int:
        """Frames that were replaced before anyone took them."""
        return self._mailbox.dropped

    @property
    def garbage(self) -> int:
        """Invalid pictures that were discarded."""
        return self._retrying.garbage

    def frames(self) -> Iterator[Frame]:
        """The newest frame each time; waits while the camera is lost, ends when the source is closed."""
        while True:
            frame = self.take()
            if frame is None:
                return
            yield frame

    def take(self, timeout_s: float | None = None) -> Frame | None:
        """The newest frame; None after the timeout or when the source has ended (`status` says which)."""
        with self._starting:
            if self._closing.is_set():
                return None
            if not self._started:
                self._started = True
                self._thread.start()
        return self._mailbox.take(timeout_s)

    def close(self) -> None:
        """Release the camera and wake up anyone waiting for a frame."""
        if self._closed is None:
            before = self.status
            ended = before if before.health is Health.ENDED else None
            self._closed = ended or Status(Health.ENDED, self._retrying.now_s, before.tries, "closed")
        self._closing.set()
        self._mailbox.close()
        if self._thread.is_alive():
            self._thread.join(self._leave_s)

    def _watch(self) -> None:
        """Body of the camera's thread."""
        with self._mailbox:
            frames = self._retrying.frames()
            try:
                for frame in frames:
                    if self._closing.is_set():
                        break
                    self._mailbox.put(frame)
            finally:
                self._ended_s = self._retrying.now_s
                # Closes the camera in the thread that opened it.
                frames.close()
