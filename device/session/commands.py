"""Commands from other threads, run one after the other in the session's own thread."""

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
class Command:
    """A call to make on a session, and the future that its caller waits for."""

    do: Callable[[Session, float], Any]
    answer: "Future[Any]" = field(default_factory=Future)

    def run(self, session: Session, now_s: float) -> None:
        """Run the command. Refusals go to the caller; any other error ends the game as well."""
        if not self.answer.set_running_or_notify_cancel():
            return
        try:
            done = self.do(session, now_s)
        except (NotationError, LogError, PinError, OutputError) as error:
            # The session refused the command: nothing has changed.
            self.answer.set_exception(error)
        except BaseException as error:
            self.answer.set_exception(error)
            raise
        else:
            self.answer.set_result(done)


class CommandQueue:
    """Accepts commands from any thread for the loop of a session."""

    def __init__(self) -> None:
        self._commands: SimpleQueue[Command] = SimpleQueue()
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether the queue is closed."""
        return self._ended

    def ask(self, do: Callable[[Session, float], T]) -> "Future[T]":
        """Queue a call; its future is cancelled if the game ends first."""
        command = Command(do)
        self._commands.put(command)
        if self._ended:
            self.close()
        return command.answer

    def take(self, timeout_s: float = 0.0) -> Command | None:
        """The next command; None if none came in time."""
        try:
            return self._commands.get(timeout=timeout_s) if timeout_s > 0 else self._commands.get_nowait()
        except Empty:
            return None

    def close(self) -> None:
        """Close the queue and cancel the commands that are still waiting."""
        self._ended = True
        while (left := self.take()) is not None:
            left.answer.cancel()
