"""USB cameras against a capture that can be unplugged."""

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.cameras import retrying, usb
from device.cameras.opening import CAMERA_FRAMES, frames_now, last_frame
from device.cameras.source import CameraError, CameraSettings, Health
from device.cameras.usb import UsbCamera, usb_source
from device.sources import SourceError

SETTINGS = CameraSettings(size_px=(64, 48), fps=15.0)


class Capture:
    """cv2.VideoCapture, as far as it is used."""

    plugged = True
    size_px: tuple[int, int] | None = None
    """What this camera can do only; None for whatever is asked."""
    left = 3
    """So many pictures until it is unplugged."""
    released = 0
    asked: tuple[int, int] = (0, 0)

    def __init__(self, number: int, api: int) -> None:
        self._properties: dict[int, float] = {}
        type(self).asked = (number, api)

    def isOpened(self) -> bool:  # noqa: N802
        return self.plugged

    def set(self, key: int, value: float) -> bool:
        self._properties[key] = value
        return True

    def get(self, key: int) -> float:
        if self.size_px is not None and key in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT):
            return float(self.size_px[key == cv2.CAP_PROP_FRAME_HEIGHT])
        return self._properties[key]

    def read(self) -> tuple[bool, np.ndarray | None]:
        if not type(self).left:
            return False, None
        type(self).left -= 1
        width, height = int(self.get(cv2.CAP_PROP_FRAME_WIDTH)), int(self.get(cv2.CAP_PROP_FRAME_HEIGHT))
        return True, np.arange(width * height * 3, dtype=np.uint8).reshape(height, width, 3)

    def release(self) -> None:
        type(self).released += 1


@pytest.fixture
def capture(monkeypatch: pytest.MonkeyPatch) -> type[Capture]:
    kind = type("Capture", (Capture,), {})
    monkeypatch.setattr(cv2, "VideoCapture", kind)
    monkeypatch.setattr(usb, "Path", lambda _: Path("/"))
    return kind


def test_it_is_asked_for_the_size_that_is_wanted(capture: type[Capture]) -> None:
    camera = UsbCamera(2, SETTINGS)
    picture = camera.read()
    assert capture.asked == (2, cv2.CAP_V4L2 if sys.platform == "linux" else cv2.CAP_ANY)
    assert (camera.size_px, picture.image.shape, picture.note) == ((64, 48), (48, 64, 3), "")


def test_a_camera_that_cannot_do_that_says_what_it_does(capture: type[Capture]) -> None:
    capture.size_px = (32, 24)
    camera = UsbCamera(0, SETTINGS)
    assert camera.size_px == (32, 24)
    assert camera.read().note == "pictures of 32 x 24; wanted 64 x 48"


def test_a_camera_that_is_not_there_can_be_tried_again(capture: type[Capture]) -> None:
    capture.plugged = False
    with pytest.raises(CameraError, match=r"usb:1: cannot be opened"):
        UsbCamera(1, SETTINGS)
    assert capture.released == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/video")
def test_an_unplugged_camera_is_noticed_before_opencv_complains(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CameraError, match=r"usb:97: no camera there \(/dev/video97 is missing\)"):
        UsbCamera(97, SETTINGS)
    assert capfd.readouterr() == ("", "")


def test_unplugged_and_plugged_in_again(capture: type[Capture], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "BACK_OFF_S", (0.01,))
    source = usb_source(0, SETTINGS, lambda: 1.0)
    while source.status.health is not Health.LOST or not source.status.tries:
        source.take(0.01)
    assert "was it unplugged?" in source.status.message
    capture.left = 1
    frame = source.take(5.0)
    assert frame is not None
    assert frame.index == 3
    source.close()
    assert capture.released >= 2


def test_a_calibration_opens_the_camera_as_a_game_does(capture: type[Capture]) -> None:
    capture.left = 40
    frame = last_frame("usb:3", SETTINGS)
    assert frame.index >= CAMERA_FRAMES
    assert frame.image.shape == (48, 64, 3)
    assert capture.asked[0] == 3
    assert capture.released == 1


def test_a_camera_that_is_not_there_is_refused_at_once(capture: type[Capture]) -> None:
    capture.plugged = False
    with pytest.raises(SourceError, match="cannot be opened"):
        next(frames_now("usb:3", SETTINGS))
