"""USB cameras, through OpenCV and V4L2."""

import sys
from pathlib import Path

import cv2
import numpy as np

from device.cameras.live import LiveSource
from device.cameras.source import CameraError, CameraSettings, Clock, Picture

_MOTION_JPEG = "MJPG"
"""Compressed, since raw pictures of this size do not fit through USB 2 ten times a second."""


class UsbCamera:
    """An open USB camera; exposure, white balance and focus stay automatic."""

    def __init__(self, number: int, settings: CameraSettings) -> None:
        self._name = f"usb:{number}"
        place = Path(f"/dev/video{number}")
        if sys.platform == "linux" and not place.exists():
            raise CameraError(f"{self._name}: no camera there ({place} is missing); is it plugged in?")
        self._capture = cv2.VideoCapture(number, cv2.CAP_V4L2 if sys.platform == "linux" else cv2.CAP_ANY)
        if not self._capture.isOpened():
            self._capture.release()
            raise CameraError(f"{self._name}: cannot be opened; does another program use it, or is it no camera?")
        width, height = settings.size_px
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*_MOTION_JPEG))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        self._capture.set(cv2.CAP_PROP_FPS, settings.fps)
        # A longer queue inside OpenCV would deliver the oldest picture first.
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        given = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
        self.size_px = (int(self._capture.get(given[0])), int(self._capture.get(given[1])))
        found = f"{self.size_px[0]} x {self.size_px[1]}"
        self._note = "" if self.size_px == settings.size_px else f"pictures of {found}; wanted {width} x {height}"

    def read(self) -> Picture:
        """The next picture; OpenCV gives up after ten seconds without one."""
        good, image = self._capture.read()
        if not good or image is None:
            raise CameraError(f"{self._name}: gives no pictures; was it unplugged?")
        return Picture(np.asarray(image), note=self._note)

    def close(self) -> None:
        """Release the camera."""
        self._capture.release()


def usb_source(
    number: int, settings: CameraSettings, clock: Clock, first_index: int = 0, first_s: float = 0.0
) -> LiveSource:
    """A USB camera as a source."""
    return LiveSource(lambda: UsbCamera(number, settings), clock, settings.stall_s, first_index, first_s)
