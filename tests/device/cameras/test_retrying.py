"""Cameras that stall, give garbage, are pulled out and come back; on a clock that is set by hand."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.frames import Frame, Image
from device.cameras.garbage import garbage_in
from device.cameras.retrying import BACK_OFF_S, Retrying
from device.cameras.source import CameraError, Health, Picture

SIZE_PX = (32, 24)
STALL_S = 3.0


def picture(level: int = 0, size_px: tuple[int, int] = SIZE_PX) -> Image:
    """Something that is not all of one colour."""
    image = np.full((size_px[1], size_px[0], 3), level % 200, np.uint8)
    image[0, 0] = 255
    return image


EMPTY = np.zeros((0, 0, 3), np.uint8)
GARBAGE: dict[str, Image] = {
    "wrong size": picture(size_px=(16, 12)),
    "turned": picture(size_px=(24, 32)),
    "all black": np.zeros((24, 32, 3), np.uint8),
    "all green": np.full((24, 32, 3), (0, 154, 0), np.uint8),
    "grey": picture()[:, :, 0],
    "four channels": np.zeros((24, 32, 4), np.uint8),
    "empty": EMPTY,
    "wide numbers": picture().astype(np.uint16),
    "floats": picture().astype(np.float32),
}


@dataclass
class Bench:
    """Cameras that do what is written down for them, one list after the other."""

    lives: Iterable[Sequence[object]]
    """For each opening what its reads give: a picture, an error, seconds that pass; with an error first it fails."""
    now_s: float = 100.0
    pauses: list[float] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    most_pauses: int = 50

    def __post_init__(self) -> None:
        self._lives = iter(self.lives)

    def open(self) -> "Scripted":
        self.opened += 1
        life = next(self._lives, [CameraError("gone for good")])
        if life and isinstance(life[0], CameraError):
            raise life[0]
        return Scripted(self, iter(life))

    def clock(self) -> float:
        return self.now_s

    def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        self.now_s += seconds
        return len(self.pauses) >= self.most_pauses

    def retrying(self, first_index: int = 0, first_s: float = 0.0) -> Retrying:
        return Retrying(self.open, self.clock, self.pause, STALL_S, first_index, first_s)


@dataclass
class Scripted:
    bench: Bench
    life: Iterator[object]
    size_px: tuple[int, int] = SIZE_PX

    def read(self) -> Picture | None:
        for event in self.life:
            if isinstance(event, float):
                self.bench.now_s += event
            elif isinstance(event, CameraError):
                raise event
            elif isinstance(event, Picture):
                return event
            else:
                self.bench.now_s += 0.1
                return Picture(event)  # type: ignore[arg-type]
        return None

    def close(self) -> None:
        self.bench.closed += 1


def frames_of(retrying: Retrying, most: int = 1000) -> list[Frame]:
    frames = retrying.frames()
    found = list(islice(frames, most))
    frames.close()
    return found


def test_frames_are_counted_timed_and_read_only() -> None:
    bench = Bench([[picture(), picture(), picture()]])
    retrying = bench.retrying()
    frames = frames_of(retrying)
    assert [frame.index for frame in frames] == [0, 1, 2]
    assert [frame.at_s for frame in frames] == pytest.approx([0.1, 0.2, 0.3])
    assert not any(frame.image.flags.writeable for frame in frames)
    assert retrying.status.health is Health.ENDED


def test_a_session_that_is_resumed_goes_on_counting() -> None:
    bench = Bench([[picture(), picture()]])
    frames = frames_of(bench.retrying(first_index=70, first_s=12.5))
    assert [frame.index for frame in frames] == [70, 71]
    assert [frame.at_s for frame in frames] == pytest.approx([12.6, 12.7])


def test_unplugged_and_plugged_in_again() -> None:
    gone = CameraError("was it unplugged?")
    bench = Bench([[picture(), picture(), gone], [gone], [gone], [picture()]])
    retrying = bench.retrying()
    states = [
        (frame.index, round(frame.at_s, 3), retrying.status.health, retrying.status.since_s)
        for frame in retrying.frames()
    ]
    assert bench.pauses == [0.5, 1.0, 2.0]
    assert [state[:3] for state in states] == [
        (0, 0.1, Health.RUNNING),
        (1, 0.2, Health.RUNNING),
        (2, 3.8, Health.RUNNING),
    ]
    assert states[2][3] == pytest.approx(3.8)
    assert (bench.opened, bench.closed) == (4, 2)


def test_while_it_is_lost_the_status_says_since_when_how_often_and_why() -> None:
    bench = Bench([[picture(), CameraError("the cable is out")]], most_pauses=3)
    retrying = bench.retrying()
    assert frames_of(retrying)[0].index == 0
    status = retrying.status
    assert (status.health, status.tries, status.message) == (Health.LOST, 3, "gone for good")
    assert status.since_s == pytest.approx(0.1)


def test_a_camera_that_comes_late_is_waited_for() -> None:
    bench = Bench([[CameraError("not there yet")]] * 4 + [[picture()]])
    retrying = bench.retrying()
    assert retrying.status.health is Health.LOST
    assert [frame.index for frame in frames_of(retrying)] == [0]
    assert bench.pauses == [0.5, 1.0, 2.0, 4.0]


def test_waiting_grows_to_ten_seconds_and_starts_again_after_a_picture() -> None:
    gone = CameraError("gone")
    bench = Bench([[gone]] * 8 + [[picture(), gone], [gone], [picture()]])
    frames_of(bench.retrying())
    assert bench.pauses == [*BACK_OFF_S, 10.0, 10.0, 0.5, 1.0]


def test_a_camera_that_opens_but_never_gives_a_picture_is_tried_less_and_less() -> None:
    bench = Bench([[3.0, CameraError("no picture within 3 s")]] * 4, most_pauses=4)
    assert frames_of(bench.retrying()) == []
    assert bench.pauses == [0.5, 1.0, 2.0, 4.0]
    assert (bench.opened, bench.closed) == (4, 4)


@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_is_dropped_and_counted(kind: str) -> None:
    bench = Bench([[GARBAGE[kind], picture(1), GARBAGE[kind], GARBAGE[kind], picture(2)]])
    retrying = bench.retrying()
    frames = frames_of(retrying)
    assert [int(frame.image[1, 1, 0]) for frame in frames] == [1, 2]
    assert [frame.index for frame in frames] == [0, 1]
    assert retrying.garbage == 3
    assert bench.opened == 1


def test_nothing_but_garbage_is_a_lost_camera() -> None:
    bench = Bench([[picture(), *[GARBAGE["all black"]] * 40], [picture()]])
    retrying = bench.retrying()
    assert [frame.index for frame in frames_of(retrying)] == [0, 1]
    assert bench.pauses == [0.5]
    assert 30 <= retrying.garbage <= 32


def test_another_camera_in_its_place_is_not_taken_for_it() -> None:
    other = [picture(size_px=(64, 48))] * 40
    bench = Bench([[picture(), CameraError("unplugged")], other, [picture()]])
    assert [frame.image.shape for frame in frames_of(bench.retrying())] == [(24, 32, 3)] * 2
    assert bench.opened == 3


def test_a_stall_shows_while_the_camera_is_still_waited_for() -> None:
    bench = Bench([[picture(), picture()]])
    retrying = bench.retrying()
    frames = retrying.frames()
    next(frames)
    assert retrying.status.health is Health.RUNNING
    bench.now_s += STALL_S + 1
    status = retrying.status
    assert (status.health, status.message) == (Health.LOST, "no picture for 4 s")
    assert status.since_s == pytest.approx(0.1)
    next(frames)
    assert retrying.status.health is Health.RUNNING


def test_what_is_not_as_it_should_be_is_said_while_it_lasts() -> None:
    bench = Bench([[Picture(picture()), Picture(picture(), note="too dark"), Picture(picture())]])
    retrying = bench.retrying()
    said = [(retrying.status.message, retrying.status.since_s) for _ in retrying.frames()]
    assert said == [("", 0.0), ("too dark", 0.0), ("", 0.0)]


def test_stopping_closes_the_camera() -> None:
    bench = Bench([[picture()] * 9])
    assert len(frames_of(bench.retrying(), most=2)) == 2
    assert (bench.opened, bench.closed) == (1, 1)


EVENTS = st.lists(
    st.one_of(
        st.just("good"),
        st.sampled_from(sorted(GARBAGE)),
        st.floats(0.0, 20.0),
        st.just("error"),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(EVENTS, max_size=6), st.booleans())
def test_whatever_happens_frames_go_on_and_cameras_are_closed(lives: list[list[str | float]], late: bool) -> None:
    error = CameraError("broken")
    scripts: list[list[object]] = [[error]] if late else []
    good = 0
    for life in lives:
        script: list[object] = [0.0]
        for event in life:
            good += event == "good"
            script.append({"good": picture(), "error": error, **GARBAGE}[event] if isinstance(event, str) else event)
        scripts.append([*script, error])
    bench = Bench(scripts, most_pauses=len(scripts) + 1)
    frames = frames_of(bench.retrying())
    assert [frame.index for frame in frames] == list(range(len(frames)))
    assert all(one.at_s <= other.at_s for one, other in pairwise(frames))
    assert all(garbage_in(frame.image, SIZE_PX) == "" for frame in frames)
    assert len(frames) <= good
    assert bench.closed == len(lives)


def test_a_dark_room_is_no_garbage() -> None:
    noise = np.random.default_rng(1).integers(0, 3, (24, 32, 3)).astype(np.uint8)
    assert garbage_in(noise, SIZE_PX) == ""
    nearly = np.zeros((24, 32, 3), np.uint8)
    nearly[5, 5] = 1
    assert garbage_in(nearly, SIZE_PX) == ""
    assert garbage_in(None) == "NoneType instead of a picture"
