"""The mailbox: one slot between the thread of the camera and the one that works; the newest wins."""

from threading import Condition
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """Who fills it does so inside `with`: leaving closes it, and an error that made it leave is raised to who takes."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._item: T | None = None
        self._open = True
        self._error: BaseException | None = None
        self.dropped = 0
        """How many were replaced before anybody took them."""

    def __enter__(self) -> "Mailbox[T]":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.close(error)
        return True

    @property
    def is_open(self) -> bool:
        """Whether more may come."""
        return self._open

    @property
    def error(self) -> BaseException | None:
        """What ended the one who filled it, unless that was meant to be."""
        return self._error

    def put(self, item: T) -> None:
        """Lay it in; what still lies there is dropped."""
        with self._changed:
            if self._item is not None:
                self.dropped += 1
            self._item = item
            self._changed.notify()

    def take(self, timeout_s: float | None = None) -> T | None:
        """The newest, waiting for it; None when the time is over or nothing will come any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._item is not None or not self._open, timeout_s)
            item, self._item = self._item, None
            if item is None and self._error is not None:
                raise self._error
            return item

    def close(self, error: BaseException | None = None) -> None:
        """Nothing more will come; who waits is woken."""
        with self._changed:
            self._open = False
            self._error = self._error or error
            self._changed.notify_all()
