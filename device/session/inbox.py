"""The inbox: lines that people type, read in a thread of their own so that nobody waits for them."""

import os
from queue import Empty, SimpleQueue
from threading import Thread

MOST = 4000
"""Bytes of a line; no line of a record comes near."""
_CHUNK = 4096


class Inbox:
    """Lines from an open file (standard input), as they come."""

    def __init__(self, file: int) -> None:
        """From a file descriptor: a thread that waits inside Python's own standard input would hinder its end."""
        self._file = file
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._ended = False
        self._thread = Thread(target=self._read, name="inbox", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether nothing will come any more."""
        return self._ended

    def take(self, timeout_s: float = 0.0) -> str | None:
        """The next line; None if none came in time or none will come."""
        if self._ended:
            return None
        try:
            line = self._lines.get(timeout=timeout_s) if timeout_s > 0 else self._lines.get_nowait()
        except Empty:
            return None
        self._ended = line is None
        return line

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                data = os.read(self._file, _CHUNK)
            except OSError:
                # A terminal that went away has nothing more to say.
                data = b""
            *whole, rest = (rest + data).split(b"\n")
            for row in whole if data else (*whole, rest):
                if row.strip():
                    self._lines.put(row[:MOST].decode("utf-8", "replace").strip())
            if not data:
                self._lines.put(None)
                return
            rest = rest[:MOST]
