"""The loop: takes frames and commands in turn until both have ended or somebody stops it."""

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
from device.session.commands import Command
from device.session.meter import Meter, MeterReading
from device.session.observer import Observation, Observer
from device.session.session import Session
from device.watchdog import Watchdog
from referee.match import LogError
from referee.moves import NotationError

WAIT_S = 0.1
"""The longest time that a typed line waits for a frame."""
END, STATUS = "end", "status"
"""Words that people may type besides lines of the record."""


class Incoming(Protocol):
    """A queue of what people want: typed lines, or commands from other threads."""

    @property
    def ended(self) -> bool:
        """Whether the queue is closed and empty."""

    def take(self, timeout_s: float = 0.0) -> str | Command | None:
        """The next line or command; None if none came in time or the queue has ended."""


class FrameListener(Protocol):
    """Follows the frames of a session; it must never hold up the game."""

    def coming(self, frame: Frame) -> None:
        """A frame, before it is processed."""

    def seen(self, frame: Frame, seen: Observation | None) -> None:
        """What the observer made of a frame; None if it was not observed."""


class Loop:
    """Runs a session; refused lines go to `refuse`, meter readings to `report`."""

    def __init__(
        self,
        session: Session,
        source: Source | None,
        inbox: Incoming,
        clock: Clock,
        watchdog: Watchdog,
        refuse: Callable[[str, str], None],
        report: Callable[[MeterReading], None],
        observer: Observer | None = None,
        recorder: Recorder | None = None,
        status_s: float = 0.0,
        listeners: tuple[FrameListener, ...] = (),
    ) -> None:
        self._listeners = listeners
        self._session, self._source, self._inbox, self._clock = session, source, inbox, clock
        self._watchdog, self._refuse, self._report = watchdog, refuse, report
        self._observer, self._recorder, self._status_s = observer, recorder, status_s
        self._meter = Meter(clock)
        self._stop = Event()
        self.later = False
        """Whether the session was interrupted to be resumed."""
        self._zero_s = clock() - session.at_s
        self._reported_s = clock()
        self._frames = source.frames() if source is not None and not source.live else iter(())
        self._seen_before = session.frame
        """The last frame of a film that was processed before the interruption."""
        self._film_over = source is None

    @property
    def now_s(self) -> float:
        """The session's time: the time of the last frame, and for live sources the clock in between."""
        if self._source is not None and not self._source.live:
            return self._session.at_s
        return max(self._session.at_s, self._clock() - self._zero_s)

    def stop(self, later: bool = False) -> None:
        """Stop soon, for good or to be resumed `later`; any thread and any signal handler may call this."""
        self.later = later
        self._stop.set()

    def run(self) -> None:
        """Run until frames and lines have ended, somebody types `end`, or `stop` is called."""
        while not self._stop.is_set():
            self._watchdog.alive()
            # Wait for lines while there is no frame to wait for.
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
        """Report how well the session keeps up."""
        self._reported_s = self._clock()
        source = self._source
        dropped = source.dropped if isinstance(source, LiveSource) else 0
        looks = self._observer.looks if self._observer is not None else 0
        reading = self._meter.read(source.status if source is not None else None, dropped, looks, self._recorder)
        self._watchdog.says(str(reading))
        self._report(reading)

    @property
    def _film_waits(self) -> bool:
        """Whether a film waits because the game is paused; a live camera goes on and its frames are ignored."""
        return self._session.paused and self._source is not None and not self._source.live

    def _hear(self, timeout_s: float) -> None:
        said = self._inbox.take(timeout_s)
        while said is not None and not self._stop.is_set():
            if isinstance(said, Command):
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
        for listener in self._listeners:
            listener.coming(frame)
        seen = self._session.see(frame)
        for listener in self._listeners:
            listener.seen(frame, seen)
        self._meter.frame()
        if seen is not None and seen.rested_s is not None:
            live = self._source is not None and self._source.live
            age_s = self.now_s - frame.at_s if live else self._clock() - before_s
            self._meter.settled(seen.rested_s + age_s)


@contextmanager
def stopped_by_signals(stop: Callable[[bool], None]) -> Iterator[None]:
    """Ctrl-C ends a session; stopping the service interrupts it to be resumed; a second signal kills the program."""
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
