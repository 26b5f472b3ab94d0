"""The desk: errands of people who are elsewhere, done one after the other in the session's own thread."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from device.files import OutputError
from device.session.session import Session
from referee.match import LogError
from referee.moves import NotationError
from vision.watcher import PinError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Errand:
    """Something to be done with a session, at its time, and the answer somebody waits for."""

    do: Callable[[Session, float], Any]
    answer: "Future[Any]" = field(default_factory=Future)

    def run(self, session: Session, now_s: float) -> None:
        """Do it. What the session refuses goes to who asked; anything else ends the game as well."""
        if not self.answer.set_running_or_notify_cancel():
            return
        try:
            done = self.do(session, now_s)
        except (NotationError, LogError, PinError, OutputError) as error:
            # It cannot be done, or not be kept: nothing has changed.
            self.answer.set_exception(error)
        except BaseException as error:
            self.answer.set_exception(error)
            raise
        else:
            self.answer.set_result(done)


class Desk:
    """Takes errands from any thread; the loop of a session takes them as it takes lines that are typed."""

    def __init__(self) -> None:
        self._errands: SimpleQueue[Errand] = SimpleQueue()
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether nothing will come any more."""
        return self._ended

    def ask(self, do: Callable[[Session, float], T]) -> "Future[T]":
        """Have something done; the answer is cancelled when the game ends before."""
        errand = Errand(do)
        self._errands.put(errand)
        if self._ended:
            self.close()
        return errand.answer

    def take(self, timeout_s: float = 0.0) -> Errand | None:
        """The next errand; None if none came in time."""
        try:
            return self._errands.get(timeout=timeout_s) if timeout_s > 0 else self._errands.get_nowait()
        except Empty:
            return None

    def close(self) -> None:
        """Nothing more is done; who still waits is told so."""
        self._ended = True
        while (left := self.take()) is not None:
            left.answer.cancel()
