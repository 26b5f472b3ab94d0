"""The camera's own thread: newest wins, errors surface, closing never hangs."""

import signal
from collections.abc import Iterator
from itertools import count
from queue import Queue
from threading import Event, Thread

import numpy as np
import pytest

from calibration.frames import Frame, Image
from device.cameras import retrying
from device.cameras.live import LiveSource
from device.cameras.mailbox import Mailbox
from device.cameras.source import CameraError, Health, Picture
from device.sources import SourceError

SOON_S = 5.0
"""Nothing here takes as long; only what hangs does."""


def image(level: int) -> Image:
    pixels = np.full((24, 32, 3), level, np.uint8)
    pixels[0, 0] = 255
    return pixels


class Fed:
    """A camera that gives what is put into it and hangs until then."""

    size_px = (32, 24)

    def __init__(self) -> None:
        self.feed: Queue[Picture | Exception | None] = Queue()
        self.asked: Queue[int] = Queue()
        """Gets a number each time the thread comes back for the next picture."""
        self.closed = Event()
        self._count = count()

    def read(self) -> Picture | None:
        self.asked.put(next(self._count))
        item = self.feed.get()
        if isinstance(item, Exception):
            raise item
        return item

    def close(self) -> None:
        self.closed.set()


class HandClock:
    def __init__(self) -> None:
        self.now_s = 50.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def camera() -> Fed:
    return Fed()


@pytest.fixture
def source(camera: Fed) -> Iterator[LiveSource]:
    made = LiveSource(lambda: camera, HandClock(), leave_s=0.05)
    yield made
    made.close()
    camera.feed.put(None)


def taken(source: LiveSource) -> Frame:
    frame = source.take(SOON_S)
    assert frame is not None
    return frame


def test_the_newest_frame_wins_and_drops_are_counted(camera: Fed, source: LiveSource) -> None:
    assert source.take(0.0) is None
    for level in range(4):
        camera.feed.put(Picture(image(level)))
    while camera.asked.get(timeout=SOON_S) < 4:
        pass
    frame = taken(source)
    # The number tells how many were missed.
    assert (frame.index, int(frame.image[5, 5, 0]), source.dropped) == (3, 3, 3)
    assert source.take(0.0) is None


def test_closing_wakes_who_waits_and_leaves_a_camera_that_hangs(camera: Fed, source: LiveSource) -> None:
    got: list[list[Frame]] = []
    reader = Thread(target=lambda: got.append(list(source.frames())))
    reader.start()
    assert camera.asked.get(timeout=SOON_S) == 0
    source.close()
    reader.join(SOON_S)
    assert not reader.is_alive()
    assert got == [[]]
    assert (source.status.health, source.status.message) == (Health.ENDED, "closed")
    assert not camera.closed.is_set()
    # As soon as the camera wakes its thread lets go of it.
    camera.feed.put(Picture(image(1)))
    assert camera.closed.wait(SOON_S)
    assert source.take(0.0) is None


def test_a_signal_may_close_what_its_own_thread_waits_for(camera: Fed, source: LiveSource) -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: source.close())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        assert list(source.frames()) == []
    finally:
        signal.signal(signal.SIGALRM, before)
    assert source.status.message == "closed"


def test_closing_a_camera_that_is_waited_for_is_quick() -> None:
    tried = Event()

    def absent() -> Fed:
        tried.set()
        raise CameraError("nobody there")

    source = LiveSource(absent, leave_s=SOON_S)
    assert source.take(0.0) is None
    assert tried.wait(SOON_S)
    source.close()
    assert source.take() is None
    source.close()
    assert source.status.health is Health.ENDED


def test_a_source_that_was_never_asked_opens_nothing() -> None:
    opened: list[int] = []

    def never() -> Fed:
        opened.append(1)
        return Fed()

    source = LiveSource(never)
    assert source.status.health is Health.LOST
    source.close()
    assert list(source.frames()) == []
    assert opened == []


@pytest.mark.parametrize("error", [ZeroDivisionError("a bug"), SourceError("can never work")])
def test_what_ends_the_thread_is_raised_where_frames_are_taken(
    camera: Fed, source: LiveSource, error: Exception
) -> None:
    camera.feed.put(Picture(image(1)))
    frames = source.frames()
    assert next(frames).index == 0
    camera.feed.put(error)
    with pytest.raises(type(error), match=str(error)):
        next(frames)
    status = source.status
    assert status.health is Health.ENDED
    assert status.message == f"{type(error).__name__}: {error}"
    assert camera.closed.is_set()
    source.close()
    assert source.status == status


def test_a_stall_shows_and_passes(camera: Fed) -> None:
    clock = HandClock()
    source = LiveSource(lambda: camera, clock, stall_s=3.0, leave_s=0.05)
    clock.now_s += 1.0
    camera.feed.put(Picture(image(1)))
    assert taken(source).at_s == 1.0
    assert source.status.health is Health.RUNNING
    clock.now_s += 10.0
    assert source.take(0.0) is None
    assert (source.status.health, source.status.since_s) == (Health.LOST, 1.0)
    camera.feed.put(Picture(image(2)))
    frame = taken(source)
    assert (frame.index, frame.at_s) == (1, 11.0)
    assert source.status.health is Health.RUNNING
    source.close()
    camera.feed.put(None)


def test_the_last_picture_is_given_before_the_end(camera: Fed, source: LiveSource) -> None:
    camera.feed.put(Picture(image(7)))
    camera.feed.put(None)
    assert [frame.index for frame in source.frames()] == [0]
    assert source.status.health is Health.ENDED


def test_unplugged_and_plugged_in_again_in_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "BACK_OFF_S", (0.01,))
    cameras = [Fed(), Fed()]
    waiting = iter(cameras)
    source = LiveSource(lambda: next(waiting), HandClock(), leave_s=0.05)
    cameras[0].feed.put(Picture(image(1)))
    assert taken(source).index == 0
    cameras[0].feed.put(CameraError("unplugged"))
    assert cameras[0].closed.wait(SOON_S)
    cameras[1].feed.put(Picture(image(2)))
    frame = taken(source)
    assert (frame.index, int(frame.image[5, 5, 0])) == (1, 2)
    source.close()
    cameras[1].feed.put(None)


def test_a_mailbox_holds_one_and_tells_who_waits() -> None:
    mailbox: Mailbox[str] = Mailbox()
    with mailbox:
        mailbox.put("old")
        mailbox.put("new")
    assert not mailbox.is_open
    assert (mailbox.take(), mailbox.take(), mailbox.dropped) == ("new", None, 1)


def test_an_error_in_the_filling_thread_is_raised_after_what_came_before() -> None:
    mailbox: Mailbox[str] = Mailbox()
    with mailbox:
        mailbox.put("last")
        raise KeyError("why")
    assert mailbox.take() == "last"
    for _ in range(2):
        with pytest.raises(KeyError, match="why"):
            mailbox.take()
    assert isinstance(mailbox.error, KeyError)
