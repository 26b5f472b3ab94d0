"""The hub: events from any thread become one numbered state, and every client gets each change once."""

import asyncio
import json
from collections import deque
from collections.abc import Iterable
from typing import Any, Protocol

from device.dashboard.merge import difference

MAX_CHANGES = 1000
"""Changes that are kept for clients that reconnect."""
MAX_QUEUED = 64
"""Messages that may wait for a slow client; beyond that the client gets the whole state instead."""


class StateSource(Protocol):
    """Folds events into a state."""

    def apply(self, event: Any) -> None:
        """Take in one event."""

    def state(self) -> dict[str, Any]:
        """The whole state; unchanged parts are the same objects as before."""


class Client:
    """One client of the live state, with a short queue of messages."""

    def __init__(self) -> None:
        self._queue: deque[str] = deque()
        self._ready = asyncio.Event()
        self._behind = False
        self._missed = 0

    def offer(self, message: str) -> None:
        """Queue a message; if too many wait, drop them all and send the whole state instead."""
        if not self._behind:
            self._queue.append(message)
            if len(self._queue) > MAX_QUEUED + self._missed:
                self._queue.clear()
                self._behind = True
        self._ready.set()

    def catch_up(self, messages: Iterable[str]) -> None:
        """Queue everything that the client missed; the limit applies to what comes afterwards."""
        self._queue.extend(messages)
        self._missed = len(self._queue)

    def fall_behind(self) -> None:
        """Send the whole state next."""
        self._queue.clear()
        self._behind = True
        self._ready.set()

    async def next(self) -> str:
        """The next message; an empty one means that the whole state is due."""
        if not self._queue and not self._behind:
            self._ready.clear()
            await self._ready.wait()
        if self._behind:
            self._behind, self._missed = False, 0
            return ""
        self._missed = max(0, self._missed - 1)
        return self._queue.popleft()


class Hub:
    """Keeps the state. Any thread may post and read; everything else runs in the event loop's thread."""

    def __init__(self, source: StateSource, server: str) -> None:
        self.server, self._source = server, source
        self._events: deque[Any] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waking = False
        self._clients: set[Client] = set()
        self._changes: deque[tuple[int, str]] = deque(maxlen=MAX_CHANGES)
        self._now: tuple[int, dict[str, Any]] = (0, dict(source.state()))
        """Number and state, replaced together: any thread may read them."""
        self._state_message: tuple[int, str] | None = None

    def attach(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Let this loop take in events as they come; None when it stops."""
        self._loop = loop
        if loop is not None:
            loop.call_soon(self._wake)

    def post(self, event: Any) -> None:
        """Hand over an immutable event; never waits."""
        self._events.append(event)
        loop = self._loop
        if loop is not None and not self._waking:
            self._waking = True
            try:
                loop.call_soon_threadsafe(self._wake)
            except RuntimeError:
                # The loop is closed: there are no clients any more.
                self._loop = None

    def fold(self) -> None:
        """Apply all waiting events, as one change."""
        while self._events:
            self._source.apply(self._events.popleft())
        number, before = self._now
        after = self._source.state()
        patch = difference(before, after)
        if not patch:
            return
        self._now = (number + 1, dict(after))
        message = _text({"kind": "change", "number": number + 1, "patch": patch})
        self._changes.append((number + 1, message))
        for client in self._clients:
            client.offer(message)

    def tick(self, now_s: float) -> None:
        """Send the time to every client: one that hears nothing for long has lost the connection."""
        message = _text({"kind": "tick", "number": self.number, "now_s": round(now_s, 2)})
        for client in self._clients:
            client.offer(message)

    @property
    def number(self) -> int:
        """The number of the last change."""
        return self._now[0]

    @property
    def state(self) -> dict[str, Any]:
        """The whole state as clients have it now (see PageState); it must not be changed."""
        number, parts = self._now
        return {"number": number, "server": self.server, **parts}

    def state_message(self) -> str:
        """The message with the whole state; written once for all clients."""
        state = self.state
        if self._state_message is None or self._state_message[0] != self.number:
            self._state_message = (self.number, _text({"kind": "state", "number": self.number, "state": state}))
        return self._state_message[1]

    def join(self, server: str = "", since: int = -1) -> Client:
        """A new client: one that reconnects gets the changes that it missed, any other the whole state."""
        self.fold()
        client = Client()
        first = self._changes[0][0] if self._changes else self.number + 1
        if server == self.server and first - 1 <= since <= self.number:
            client.catch_up(message for number, message in self._changes if number > since)
        else:
            client.fall_behind()
        self._clients.add(client)
        return client

    def leave(self, client: Client) -> None:
        """Remove a client."""
        self._clients.discard(client)

    @property
    def clients(self) -> int:
        """The number of clients."""
        return len(self._clients)

    def _wake(self) -> None:
        # Cleared before the events are taken, so that later ones wake the loop again.
        self._waking = False
        self.fold()


def _text(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
