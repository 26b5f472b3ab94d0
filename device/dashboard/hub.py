"""The hub: news from any thread become one numbered state, and every client gets each change once."""

import asyncio
import json
from collections import deque
from collections.abc import Iterable
from typing import Any, Protocol

from device.dashboard.merge import difference

REMEMBERED = 1000
"""So many changes are kept for clients that slept."""
MOST_WAITING = 64
"""A client that has more to catch up with gets the whole state instead."""


class Scene(Protocol):
    """What news are about."""

    def take(self, news: Any) -> None:
        """Take one thing in."""

    def state(self) -> dict[str, Any]:
        """Everything there is to show; parts that have not changed are the same objects."""


class Client:
    """One who follows; what is sent waits here, but never much of it."""

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()
        self._news = asyncio.Event()
        self._behind = False
        self._missed = 0

    def offer(self, message: str) -> None:
        """A message for it; too many, and all are dropped for a whole state."""
        if not self._behind:
            self._waiting.append(message)
            if len(self._waiting) > MOST_WAITING + self._missed:
                self._waiting.clear()
                self._behind = True
        self._news.set()

    def catch_up(self, messages: Iterable[str]) -> None:
        """What it missed while it was away, all of it: the limit is for what comes from now on."""
        self._waiting.extend(messages)
        self._missed = len(self._waiting)

    def fall_behind(self) -> None:
        """Have it get the whole state next."""
        self._waiting.clear()
        self._behind = True
        self._news.set()

    async def next(self) -> str:
        """The next message; the empty one means that the whole state is due."""
        if not self._waiting and not self._behind:
            self._news.clear()
            await self._news.wait()
        if self._behind:
            self._behind, self._missed = False, 0
            return ""
        self._missed = max(0, self._missed - 1)
        return self._waiting.popleft()


class Hub:
    """Keeps the state; any thread may post and read, all else is for that of the event loop."""

    def __init__(self, scene: Scene, server: str) -> None:
        self.server, self._scene = server, scene
        self._news: deque[Any] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waking = False
        self._clients: set[Client] = set()
        self._changes: deque[tuple[int, str]] = deque(maxlen=REMEMBERED)
        self._now: tuple[int, dict[str, Any]] = (0, dict(scene.state()))
        """Number and state, replaced together: any thread may read them."""
        self._whole: tuple[int, str] | None = None

    def attach(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """From now on news are taken in by this loop as they come."""
        self._loop = loop
        if loop is not None:
            loop.call_soon(self._wake)

    def post(self, news: Any) -> None:
        """Hand over something immutable; never waits."""
        self._news.append(news)
        loop = self._loop
        if loop is not None and not self._waking:
            self._waking = True
            try:
                loop.call_soon_threadsafe(self._wake)
            except RuntimeError:
                # The loop has been closed: nobody looks on any more.
                self._loop = None

    def fold(self) -> None:
        """Take in all news, as one change."""
        while self._news:
            self._scene.take(self._news.popleft())
        number, before = self._now
        after = self._scene.state()
        patch = difference(before, after)
        if not patch:
            return
        self._now = (number + 1, dict(after))
        message = _text({"kind": "change", "number": number + 1, "patch": patch})
        self._changes.append((number + 1, message))
        for client in self._clients:
            client.offer(message)

    def tick(self, now_s: float) -> None:
        """Tell everybody what time it is: who hears nothing for long knows that the way is broken."""
        message = _text({"kind": "tick", "number": self.number, "now_s": round(now_s, 2)})
        for client in self._clients:
            client.offer(message)

    @property
    def number(self) -> int:
        """Of the last change."""
        return self._now[0]

    @property
    def state(self) -> dict[str, Any]:
        """The whole state as clients have it now; nobody may change what is in it."""
        number, parts = self._now
        return {"number": number, "server": self.server, **parts}

    def whole(self) -> str:
        """The message with the whole state; many may ask for the same one."""
        state = self.state
        if self._whole is None or self._whole[0] != self.number:
            self._whole = (self.number, _text({"kind": "state", "number": self.number, "state": state}))
        return self._whole[1]

    def join(self, server: str = "", since: int = -1) -> Client:
        """A new client; one that slept gets what it missed, if that is remembered, any other the whole state."""
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
        """It follows no longer."""
        self._clients.discard(client)

    @property
    def clients(self) -> int:
        """How many follow."""
        return len(self._clients)

    def _wake(self) -> None:
        # Before the news are taken: what comes from now on wakes again.
        self._waking = False
        self.fold()


def _text(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
