"""The Pi camera against a stand-in with the calls of the real picamera2."""

import inspect
import sys
from itertools import count, pairwise

import numpy as np
import pytest

from device.cameras import retrying
from device.cameras.locks import Locks, numbers_of
from device.cameras.picamera import ARRIVAL_FRAMES, PiCamera, PiCameras, best_mode, pi_source
from device.cameras.source import CameraError, CameraSettings, Health
from device.sources import SourceError
from tests.device.cameras import picamera2_stand_in
from tests.device.cameras.picamera2_stand_in import BLUE, GREEN, MODES, RED, World, stand_in, without

SETTINGS = CameraSettings(size_px=(128, 72), auto_frames=8)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    found = World()
    monkeypatch.setitem(sys.modules, "picamera2", stand_in(found))
    return found


def test_the_stand_in_takes_what_the_real_one_takes() -> None:
    real = pytest.importorskip("picamera2", reason="picamera2 is not installed: signatures were not compared")
    from picamera2.request import CompletedRequest

    for ours, theirs in (
        (picamera2_stand_in.Picamera2, real.Picamera2),
        (picamera2_stand_in.CompletedRequest, CompletedRequest),
    ):
        for name, function in inspect.getmembers(ours, inspect.isfunction):
            if not name.startswith("_") and name != "submit":
                has, wants = inspect.signature(function), inspect.signature(getattr(theirs, name))
                assert list(has.parameters) == list(wants.parameters), name


def test_calls_come_in_the_order_that_picamera2_wants(world: World) -> None:
    camera = PiCamera(SETTINGS)
    camera.read()
    camera.close()
    assert world.calls == [
        "Picamera2",
        "configure",
        "start",
        "set_controls",
        "set_controls",
        "cancel_all_and_flush",
        "close",
    ]
    assert (world.held, world.open) == (0, 0)


def test_one_stream_at_a_fixed_rate(world: World) -> None:
    PiCamera(SETTINGS).close()
    (config,) = world.configured
    assert (config["main"]["format"], config["main"]["size"]) == ("RGB888", (128, 72))
    assert config["lores"] is None
    assert config["raw"] is None
    assert config["controls"]["FrameDurationLimits"] == (100_000, 100_000)
    assert config["sensor"] == {"output_size": (2304, 1296), "bit_depth": 10}


def test_pictures_are_blue_green_red(world: World) -> None:
    camera = PiCamera(SETTINGS)
    number = world.pictures
    picture = camera.read()
    assert picture.image.shape == (72, 128, 3)
    assert tuple(picture.image[10, 10]) == (BLUE, GREEN, RED)
    assert picture.image[0, 0, 0] == number


def test_what_the_camera_found_is_locked_and_read_back(world: World) -> None:
    camera = PiCamera(SETTINGS)
    assert camera.locks.exposure_us == pytest.approx(9800, rel=0.01)
    assert camera.locks.focus_dioptres == pytest.approx(1.5)
    assert world.given == [
        {"AeEnable": False, "AwbEnable": False, "AfMode": 0},
        camera.locks.controls(),
    ]
    said = [dict(camera.read().camera) for _ in range(20)]
    assert {one["locked"] for one in said} == {1.0}
    assert {(one["exposure_us"], one["gain"], one["red_gain"], one["focus_dioptres"]) for one in said} == {
        (said[0]["exposure_us"], said[0]["gain"], said[0]["red_gain"], said[0]["focus_dioptres"])
    }
    assert said[0]["sensor_c"] == 41.0


def test_given_values_are_taken_and_nothing_is_found_out(world: World) -> None:
    wanted = CameraSettings((128, 72), exposure_us=5000, gain=2.0, colour_gains=(1.8, 1.6), focus_dioptres=2.5)
    camera = PiCamera(wanted)
    assert camera.locks == Locks(5000, 2.0, (1.8, 1.6), 2.5)
    assert world.pictures <= world.scanning + 1 + ARRIVAL_FRAMES
    assert dict(camera.read().camera)["locked"] == 1.0


def test_a_lens_that_still_looks_for_its_distance_gets_more_time(world: World) -> None:
    world.scanning = 12
    assert PiCamera(SETTINGS).locks.focus_dioptres == pytest.approx(1.0 + 0.1 * 12)


def test_a_camera_without_a_moving_lens_has_no_focus_to_lock(world: World) -> None:
    world.controls = without("AfMode", "LensPosition")
    camera = PiCamera(SETTINGS)
    assert camera.locks.focus_dioptres is None
    assert world.given[0] == {"AeEnable": False, "AwbEnable": False}
    assert dict(camera.read().camera)["locked"] == 1.0


@pytest.mark.parametrize("control", ["ExposureTime", "AnalogueGain", "ColourGains", "LensPosition"])
def test_a_control_that_is_ignored_is_named_with_every_picture(world: World, control: str) -> None:
    world.stubborn = frozenset({control})
    wanted = CameraSettings((128, 72), exposure_us=5000, gain=2.0, colour_gains=(1.1, 1.2), focus_dioptres=4.0)
    picture = PiCamera(wanted).read()
    assert dict(picture.camera)["locked"] == 0.0
    assert f"{control} is" in picture.note
    assert "wanted" in picture.note


def test_a_request_is_given_back_when_its_picture_cannot_be_read(world: World) -> None:
    camera = PiCamera(SETTINGS)
    world.broken_at = {world.pictures}
    with pytest.raises(CameraError, match=r"cannot be read: .*Cannot allocate memory"):
        camera.read()
    assert world.held == 0
    assert camera.read().image.size


@pytest.mark.parametrize("when", [0, 5, 9, 10])
def test_a_stall_while_opening_closes_the_camera(world: World, when: int) -> None:
    world.stalls_at = {when}
    with pytest.raises(CameraError, match="no picture within 3 s"):
        PiCamera(SETTINGS)
    assert (world.held, world.open) == (0, 0)
    assert world.calls[-2:] == ["cancel_all_and_flush", "close"]


def test_no_camera_is_a_camera_error(world: World) -> None:
    world.absent = 1
    with pytest.raises(CameraError, match="cannot be opened: list index out of range"):
        PiCamera(SETTINGS)


def test_a_camera_that_gives_another_size_says_so(world: World) -> None:
    world.sizes = {"main": (120, 72)}
    camera = PiCamera(SETTINGS)
    assert camera.size_px == (120, 72)
    assert "wanted 128 x 72" in camera.read().note


def test_opened_again_it_has_the_same_locks(world: World) -> None:
    cameras = PiCameras(SETTINGS)
    first = cameras()
    first.close()
    before = world.pictures
    second = cameras()
    assert second.locks == first.locks
    assert world.pictures - before == 1 + ARRIVAL_FRAMES
    assert dict(second.read().camera)["locked"] == 1.0


def test_as_a_source_it_is_lost_found_and_goes_on_counting(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "BACK_OFF_S", (0.01,))
    ticks = count()
    world.stalls_at = {25}
    before = 25 - (SETTINGS.auto_frames + 1 + ARRIVAL_FRAMES)
    """So many frames come before it is lost."""
    source = pi_source(SETTINGS, lambda: 0.001 * next(ticks))
    seen = []
    for frame in source.frames():
        seen.append(frame)
        if frame.index > before:
            break
    source.close()
    assert world.calls.count("Picamera2") == 2
    assert (world.held, world.open) == (0, 0)
    assert all(one.index < other.index and one.at_s < other.at_s for one, other in pairwise(seen))
    assert not any(frame.image.flags.writeable for frame in seen)
    assert source.status.health is Health.ENDED


def test_without_picamera2_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(SourceError, match=r"python3-picamera2.*--system-site-packages") as caught:
        pi_source(SETTINGS, lambda: 0.0)
    assert not isinstance(caught.value, CameraError)


def test_the_mode_that_sees_most_and_is_no_larger_than_it_must_be() -> None:
    assert best_mode(MODES, (1280, 720), 10.0) == MODES[1]
    assert best_mode(MODES, (1280, 720), 100.0) == MODES[0]
    assert best_mode(MODES, (2400, 1300), 10.0) == MODES[2]
    assert best_mode(MODES, (1280, 720), 200.0) is None
    assert best_mode([{"format": "YUYV"}], (1280, 720), 10.0) is None


def test_only_finite_numbers_are_kept() -> None:
    metadata = {
        "ExposureTime": 9000,
        "Lux": float("inf"),
        "AnalogueGain": None,
        "ColourGains": (1.5, 2.0),
        "AeLocked": True,
    }
    assert dict(numbers_of(metadata)) == {"exposure_us": 9000.0, "red_gain": 1.5, "blue_gain": 2.0}


def test_the_stand_in_notices_a_wrong_order_of_colours(world: World) -> None:
    device = stand_in(world).Picamera2()
    device.configure(device.create_video_configuration(main={"size": (64, 32), "format": "BGR888"}))
    device.start()
    image = device.capture_request(wait=1.0).make_array("main")
    assert tuple(image[5, 5]) == (RED, GREEN, BLUE)
    assert isinstance(image, np.ndarray)
