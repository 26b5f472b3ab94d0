"""The loop: frames of a source and lines of people, one after the other, until both have ended or somebody stops it."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Protocol

from calibration.frames import Frame
from device.cameras.live import LiveSource
from device.cameras.source import Clock, Health, Source
from device.files import OutputError
from device.recording.recorder import Recorder
from device.session.commands import Errand
from device.session.meter import Meter, Reading
from device.session.observer import Lookout, Seen
from device.session.session import Session
from device.watchdog import Watchdog
from referee.match import LogError
from referee.moves import NotationError

WAIT_S = 0.1
"""For so long at most something that was typed waits for a frame."""
END, STATUS = "end", "status"
"""What people may type that is no line of a record."""


class Incoming(Protocol):
    """Where it is said what people want: lines that are typed, or errands of those who are elsewhere."""

    @property
    def ended(self) -> bool:
        """Whether nothing will come any more."""

    def take(self, timeout_s: float = 0.0) -> str | Errand | None:
        """The next one; None if none came in time or none will come."""


class Onlooker:
    """Somebody who looks on and must never hold up the game; this one does not look at all."""

    def coming(self, frame: Frame) -> None:
        """A frame, before it is worked on."""

    def seen(self, frame: Frame, seen: Seen | None) -> None:
        """What came of it; None when nobody looked."""


class Loop:
    """Runs a session; what it shows beside entries goes through `refuse` and `report`."""

    def __init__(
        self,
        session: Session,
        source: Source | None,
        inbox: Incoming,
        clock: Clock,
        watchdog: Watchdog,
        refuse: Callable[[str, str], None],
        report: Callable[[Reading], None],
        lookout: Lookout | None = None,
        recorder: Recorder | None = None,
        status_s: float = 0.0,
        onlooker: Onlooker | None = None,
    ) -> None:
        self._onlooker = onlooker or Onlooker()
        self._session, self._source, self._inbox, self._clock = session, source, inbox, clock
        self._watchdog, self._refuse, self._report = watchdog, refuse, report
        self._lookout, self._recorder, self._status_s = lookout, recorder, status_s
        self._meter = Meter(clock)
        self._stop = Event()
        self.later = False
        """Whether it was broken off to be resumed."""
        self._zero_s = clock() - session.at_s
        self._reported_s = clock()
        self._frames = source.frames() if source is not None and not source.live else iter(())
        self._seen_before = session.frame
        """The last frame of a film that was seen before the session was cut off."""
        self._film_over = source is None

    @property
    def now_s(self) -> float:
        """The time of the session: that of the frames, and between them it goes on where time is real."""
        if self._source is not None and not self._source.live:
            return self._session.at_s
        return max(self._session.at_s, self._clock() - self._zero_s)

    def stop(self, later: bool = False) -> None:
        """End it soon, or break off to go on `later`; any thread and any signal may ask for that."""
        self.later = later
        self._stop.set()

    def run(self) -> None:
        """Until frames and lines have ended, somebody says `end`, or `stop` is called."""
        while not self._stop.is_set():
            self._watchdog.alive()
            # While there is no frame to wait for, lines are waited for.
            self._hear(WAIT_S if self._film_over or self._film_waits else 0.0)
            if self._stop.is_set() or (self._film_over and self._inbox.ended):
                return
            frame = self._take()
            if frame is not None:
                self._see(frame)
            if self._source is not None and self._source.live:
                self._session.feel(self._source.status)
            if self._recorder is not None:
                self._session.trouble(self._recorder.trouble)
            if self._status_s and self._clock() - self._reported_s >= self._status_s:
                self.report()

    def report(self) -> None:
        """Show how it goes."""
        self._reported_s = self._clock()
        source = self._source
        dropped = source.dropped if isinstance(source, LiveSource) else 0
        looks = self._lookout.looks if self._lookout is not None else 0
        reading = self._meter.read(source.status if source is not None else None, dropped, looks, self._recorder)
        self._watchdog.says(str(reading))
        self._report(reading)

    @property
    def _film_waits(self) -> bool:
        """A film waits while the game is paused; what a camera shows meanwhile is nobody's move."""
        return self._session.paused and self._source is not None and not self._source.live

    def _hear(self, timeout_s: float) -> None:
        said = self._inbox.take(timeout_s)
        while said is not None and not self._stop.is_set():
            if isinstance(said, Errand):
                said.run(self._session, self.now_s)
            elif said == END:
                self.stop()
            elif said == STATUS:
                self.report()
            else:
                self._hear_line(said)
            said = self._inbox.take()

    def _hear_line(self, text: str) -> None:
        try:
            self._session.hear(text, self.now_s)
        except (NotationError, LogError) as error:
            self._refuse(text, str(error))
        except OutputError as error:
            self._refuse(text, f"cannot be kept, so it does not count; nothing has changed: {error}")

    def _take(self) -> Frame | None:
        source = self._source
        if source is None or self._film_over or self._film_waits:
            return None
        if isinstance(source, LiveSource):
            frame = source.take(WAIT_S)
            self._film_over = frame is None and source.status.health is Health.ENDED
            return frame
        frame = next(self._frames, None)
        self._film_over = frame is None
        return frame

    def _see(self, frame: Frame) -> None:
        if self._source is not None and not self._source.live and frame.index <= self._seen_before:
            self._session.see_again(frame)
            self._meter.frame()
            return
        before_s = self._clock()
        self._onlooker.coming(frame)
        seen = self._session.see(frame)
        self._onlooker.seen(frame, seen)
        self._meter.frame()
        if seen is not None and seen.rested_s is not None:
            live = self._source is not None and self._source.live
            age_s = self.now_s - frame.at_s if live else self._clock() - before_s
            self._meter.settled(seen.rested_s + age_s)


@contextmanager
def stopped_by_signals(stop: Callable[[bool], None]) -> Iterator[None]:
    """Ctrl-C ends a session, a service that is stopped breaks it off to go on later; a second time it ends at once."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}

    def end(number: int, _frame: FrameType | None) -> None:
        stop(number != signal.SIGINT)
        signal.signal(number, signal.SIG_DFL)

    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
