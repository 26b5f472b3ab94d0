"""A preview: the newest frame of a borrowed camera or an uploaded film, for calibrating and teaching."""

import time
from collections.abc import Callable, Iterator
from threading import Event, Thread

from calibration.frames import Frame
from device.cameras.live import LiveSource
from device.cameras.mailbox import Mailbox
from device.cameras.source import Health
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import AppState
from device.sources import SourceError

IDLE_S = 45.0
"""Time without a request after which the camera is given back: the page was closed."""
_TAKE_S = 0.25
_OPEN_S = 20.0
_LEAVE_S = 5.0


class CameraPreview:
    """Borrows a camera in its own thread, and gives it back when it is closed or no longer asked for."""

    def __init__(self, app_state: AppState, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.live = True
        """Whether the source is a camera; a film can be read again."""
        self._app_state, self._clock = app_state, clock
        self._closing, self._opened, self._seen = Event(), Event(), Event()
        self._refusal: Refusal | None = None
        self._newest: Frame | None = None
        self._message = ""
        self._mailbox: Mailbox[Frame] | None = None
        self._asked_s = clock()
        self._thread = Thread(target=self._watch, name="calibrating", daemon=True)
        self._thread.start()
        self._opened.wait(_OPEN_S)
        if self._refusal is not None:
            raise self._refusal
        if not self.live:
            # A film is complete already: wait for its first frame, or for the reason why there is none.
            self._seen.wait(_OPEN_S)

    @property
    def is_on(self) -> bool:
        """Whether the preview is open; a film stays open after its end."""
        return not self._closing.is_set()

    @property
    def message(self) -> str:
        """What is wrong with the camera; empty if nothing is."""
        return self._message

    @property
    def newest(self) -> Frame | None:
        """The newest frame; asking keeps the camera open."""
        self._asked_s = self._clock()
        return self._newest

    def frame(self) -> Frame:
        """The newest frame, of a film its last one, when the hands are gone; Refusal 409 if there is none."""
        if not self.live:
            self._thread.join()
        newest = self.newest
        if newest is None:
            raise Refusal(409, "there is no picture yet", self._message or None, "a camera that gives pictures")
        return newest

    def waved(self, enough: Event) -> Iterator[Frame]:
        """Frames for the search for the board: all of a film, or a camera's newest ones until `enough` is set."""
        if not self.live:
            self._thread.join()
            with self._app_state.borrow_camera(self.name) as source:
                for frame in source.frames():
                    if enough.is_set() or self._closing.is_set():
                        return
                    self._newest = frame
                    yield frame
            return
        box: Mailbox[Frame] = Mailbox()
        self._mailbox = box
        try:
            while not enough.is_set() and not self._closing.is_set() and self._thread.is_alive():
                newest = box.take(_TAKE_S)
                if newest is not None:
                    self._asked_s = self._clock()
                    yield newest
        finally:
            self._mailbox = None

    def close(self) -> None:
        """Give the camera back."""
        self._closing.set()
        self._thread.join(_LEAVE_S)

    def _watch(self) -> None:
        try:
            with self._app_state.borrow_camera(self.name) as source:
                self.live = source.live
                self._opened.set()
                for frame in self._live_frames(source) if isinstance(source, LiveSource) else source.frames():
                    if self._closing.is_set():
                        return
                    self._newest = frame
                    self._seen.set()
                    box = self._mailbox
                    if box is not None:
                        box.put(frame)
        except Refusal as refusal:
            self._refusal, self._message = refusal, refusal.what
            self._closing.set()
        except SourceError as error:
            self._message = str(error)
        finally:
            self._opened.set()
            self._seen.set()
            if self.live:
                self._closing.set()

    def _live_frames(self, source: LiveSource) -> Iterator[Frame]:
        """Frames of a camera, until nobody asks for them any more."""
        while not self._closing.is_set():
            frame = source.take(_TAKE_S)
            status = source.status
            self._message = "" if status.health is Health.RUNNING else status.message
            if frame is not None:
                yield frame
            forgotten = self._clock() - self._asked_s > IDLE_S
            if status.health is Health.ENDED or forgotten or self._app_state.closing:
                return
