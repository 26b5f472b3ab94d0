"""The hub: numbered changes for everybody, whole states for those who fall behind, never a wait for who posts."""

import asyncio
import json
from threading import Thread
from typing import Any

from device.dashboard.hub import MAX_CHANGES, MAX_QUEUED, Client, Hub
from device.dashboard.merge import merged, without_nulls

NOW_S = 0.01


class Counted:
    """A state that counts its events."""

    def __init__(self) -> None:
        self.parts: dict[str, Any] = {"count": 0, "last": None}

    def apply(self, event: Any) -> None:
        """One more."""
        self.parts = {"count": self.parts["count"] + 1, "last": event}

    def state(self) -> dict[str, Any]:
        """How many."""
        return self.parts


def told(hub: Hub, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        hub.post(f"news {number}")
        hub.fold()


async def heard(hub: Hub, client: Client) -> list[dict[str, Any]]:
    """Everything that waits for a client."""
    found: list[dict[str, Any]] = []
    while True:
        try:
            message = await asyncio.wait_for(client.next(), NOW_S)
        except TimeoutError:
            return found
        found.append(json.loads(message or hub.state_message()))


def test_a_client_gets_the_state_and_then_every_change() -> None:
    async def follow() -> list[dict[str, Any]]:
        hub = Hub(Counted(), "me")
        told(hub, 2)
        client = hub.join()
        first = await heard(hub, client)
        told(hub, 3)
        return first + await heard(hub, client)

    whole, *changes = asyncio.run(follow())
    assert (whole["kind"], whole["number"], whole["state"]["count"]) == ("state", 2, 2)
    assert [change["number"] for change in changes] == [3, 4, 5]
    known = without_nulls(whole["state"])
    for change in changes:
        known = merged(known, change["patch"])
    assert known["count"] == 5


def test_news_of_one_moment_are_one_change() -> None:
    hub = Hub(Counted(), "me")
    for number in range(10):
        hub.post(number)
    hub.fold()
    hub.fold()
    assert hub.number == 1
    assert hub.state["count"] == 10


def test_who_slept_gets_what_was_missed_and_only_that() -> None:
    async def sleep(since: int, server: str = "me") -> list[dict[str, Any]]:
        hub = Hub(Counted(), "me")
        told(hub, 300)
        client = hub.join(server, since)
        # What comes meanwhile is not lost either.
        told(hub, 1)
        return await heard(hub, client)

    assert [message["number"] for message in asyncio.run(sleep(100))] == list(range(101, 302))
    assert [message["number"] for message in asyncio.run(sleep(300))] == [301]
    for since, server in ((100, "another"), (-1, "me"), (301, "me"), (10**12, "me")):
        first, *_ = asyncio.run(sleep(since, server))
        assert first["kind"] == "state", (since, server)


def test_what_is_too_long_ago_is_forgotten() -> None:
    async def sleep(since: int) -> str:
        hub = Hub(Counted(), "me")
        told(hub, MAX_CHANGES + 10)
        return str((await heard(hub, hub.join("me", since)))[0]["kind"])

    assert asyncio.run(sleep(9)) == "state"
    assert asyncio.run(sleep(10)) == "change"


def test_a_slow_client_gets_one_whole_state_and_hinders_nobody() -> None:
    async def dawdle() -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
        hub = Hub(Counted(), "me")
        slow, quick = hub.join(), hub.join()
        await heard(hub, slow)
        await heard(hub, quick)
        followed = []
        for number in range(3):
            told(hub, MAX_QUEUED - 1, number)
            followed += await heard(hub, quick)
        waiting = len(slow._queue)
        return await heard(hub, slow), followed, waiting

    slow, quick, waiting = asyncio.run(dawdle())
    assert waiting == 0, "nothing is kept for it"
    assert [message["kind"] for message in slow] == ["state"]
    assert slow[0]["number"] == 3 * (MAX_QUEUED - 1)
    assert [message["kind"] for message in quick] == ["change"] * (3 * (MAX_QUEUED - 1))


def test_exactly_as_many_as_may_wait_are_all_sent() -> None:
    async def wait(count: int) -> list[str]:
        hub = Hub(Counted(), "me")
        client = hub.join()
        await heard(hub, client)
        told(hub, count)
        return [message["kind"] for message in await heard(hub, client)]

    assert asyncio.run(wait(MAX_QUEUED)) == ["change"] * MAX_QUEUED
    assert asyncio.run(wait(MAX_QUEUED + 1)) == ["state"]


def test_another_thread_posts_and_the_loop_tells() -> None:
    async def follow() -> list[int]:
        hub = Hub(Counted(), "me")
        hub.attach(asyncio.get_running_loop())
        client = hub.join()
        await client.next()

        def post() -> None:
            for number in range(200):
                hub.post(number)

        poster = Thread(target=post)
        poster.start()
        numbers = []
        while hub.state["count"] < 200 or client._queue:
            message = await client.next()
            assert message, "not behind"
            numbers.append(json.loads(message)["number"])
        poster.join()
        hub.leave(client)
        assert hub.clients == 0
        return numbers

    numbers = asyncio.run(follow())
    assert numbers == list(range(1, len(numbers) + 1)), "no holes"


def test_who_posts_does_not_care_whether_anybody_is_there() -> None:
    hub = Hub(Counted(), "me")
    loop = asyncio.new_event_loop()
    hub.attach(loop)
    loop.close()
    hub.post("a")
    hub.post("b")
    hub.fold()
    assert hub.state["count"] == 2


def test_everybody_is_told_the_time() -> None:
    async def follow() -> list[dict[str, Any]]:
        hub = Hub(Counted(), "me")
        client = hub.join()
        hub.tick(3.14159)
        first = await heard(hub, client)
        hub.tick(3.14159)
        return first + await heard(hub, client)

    whole, tick = asyncio.run(follow())
    assert whole["kind"] == "state", "who gets the whole state needs no tick before"
    assert tick == {"kind": "tick", "number": 0, "now_s": 3.14}
