"""The mailbox: one slot between the camera's thread and the consumer; the newest item wins."""

from threading import Condition
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """The producer works inside `with`: leaving closes the mailbox, and `take` re-raises the producer's error."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._item: T | None = None
        self._open = True
        self._error: BaseException | None = None
        self.dropped = 0
        """Items replaced before anyone took them."""

    def __enter__(self) -> "Mailbox[T]":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.close(error)
        return True

    @property
    def is_open(self) -> bool:
        """Whether more items may come."""
        return self._open

    @property
    def error(self) -> BaseException | None:
        """The error that ended the producer; None after a regular end."""
        return self._error

    def put(self, item: T) -> None:
        """Store an item; an item that is still waiting is dropped."""
        with self._changed:
            if self._item is not None:
                self.dropped += 1
            self._item = item
            self._changed.notify()

    def take(self, timeout_s: float | None = None) -> T | None:
        """Wait for the newest item; None after the timeout or when the mailbox is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._item is not None or not self._open, timeout_s)
            item, self._item = self._item, None
            if item is None and self._error is not None:
                raise self._error
            return item

    def close(self, error: BaseException | None = None) -> None:
        """Close the mailbox and wake up the consumer."""
        with self._changed:
            self._open = False
            self._error = self._error or error
            self._changed.notify_all()
