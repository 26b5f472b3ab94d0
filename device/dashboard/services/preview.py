"""Watching: a borrowed camera or an uploaded film, whose newest frame is shown while somebody calibrates."""

import time
from collections.abc import Callable, Iterator
from threading import Event, Thread

from calibration.frames import Frame
from device.cameras.live import LiveSource
from device.cameras.mailbox import Mailbox
from device.cameras.source import Health
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import House
from device.sources import SourceError

IDLE_S = 45.0
"""A camera that nobody asks about is given back: somebody has closed the page."""
_TAKE_S = 0.25
_OPEN_S = 20.0
_LEAVE_S = 5.0


class Watching:
    """Borrows a camera in a thread of its own and gives it back when it is closed or forgotten."""

    def __init__(self, house: House, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.live = True
        """Whether frames that nobody takes are lost; of a film every one can be had again."""
        self._house, self._clock = house, clock
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
            # A film is there already: whoever opens it sees it, or is told why not.
            self._seen.wait(_OPEN_S)

    @property
    def is_on(self) -> bool:
        """Whether it still gives pictures: a film that is read to its end always does."""
        return not self._closing.is_set()

    @property
    def message(self) -> str:
        """What is wrong with the camera, or nothing."""
        return self._message

    @property
    def newest(self) -> Frame | None:
        """The last frame; asking keeps the camera open."""
        self._asked_s = self._clock()
        return self._newest

    def frame(self) -> Frame:
        """The last frame; of a film its very last one, when the hands are gone. Refusal 409 if there is none."""
        if not self.live:
            self._thread.join()
        newest = self.newest
        if newest is None:
            raise Refusal(409, "there is no picture yet", self._message or None, "a camera that gives pictures")
        return newest

    def waved(self, enough: Event) -> Iterator[Frame]:
        """Frames for whoever looks for the board: all of a film, or the newest each time until that is enough."""
        if not self.live:
            self._thread.join()
            with self._house.borrow_camera(self.name) as source:
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
            with self._house.borrow_camera(self.name) as source:
                self.live = source.live
                self._opened.set()
                for frame in self._looked(source) if isinstance(source, LiveSource) else source.frames():
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

    def _looked(self, source: LiveSource) -> Iterator[Frame]:
        """Frames of a camera, until nobody looks any more."""
        while not self._closing.is_set():
            frame = source.take(_TAKE_S)
            status = source.status
            self._message = "" if status.health is Health.RUNNING else status.message
            if frame is not None:
                yield frame
            forgotten = self._clock() - self._asked_s > IDLE_S
            if status.health is Health.ENDED or forgotten or self._house.closing:
                return
