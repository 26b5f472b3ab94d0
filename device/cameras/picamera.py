"""The Raspberry Pi camera; the only module that imports picamera2."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from calibration.frames import Image
from device.cameras.live import LiveSource
from device.cameras.locks import AF_SCANNING, Locks, Metadata, are_given, automatic, locks_from, manual, numbers_of
from device.cameras.source import CameraError, CameraSettings, Clock, Picture
from device.sources import SourceError

MISSING = (
    "pi: picamera2 cannot be imported ({error}); it comes as the Debian package python3-picamera2 "
    "(sudo apt install python3-picamera2), which a virtual environment sees only if it was made with "
    "--system-site-packages"
)
BUFFERS = 4
ARRIVAL_FRAMES = 3 * BUFFERS
"""Frames until new controls must be in effect: they queue behind all buffers, then wait for the sensor."""
_FORMAT = "RGB888"
"""libcamera names bytes from last to first: this is BGR in memory, as OpenCV expects."""
_FAULTS = (RuntimeError, OSError, LookupError, ValueError, AssertionError, CancelledError)
"""Raised by picamera2 when a camera is missing, busy or unplugged; its timeouts are OSErrors."""


class Request(Protocol):
    """The part of picamera2.request.CompletedRequest that is used here."""

    def make_array(self, name: str) -> np.ndarray: ...
    def get_metadata(self) -> dict[str, Any]: ...
    def release(self) -> None: ...


class Device(Protocol):
    """The part of picamera2.Picamera2 that is used here."""

    camera_controls: dict[str, Any]
    sensor_modes: list[dict[str, Any]]

    def create_video_configuration(self, **parts: Any) -> dict[str, Any]: ...
    def configure(self, camera_config: dict[str, Any]) -> None: ...
    def camera_configuration(self) -> dict[str, Any]: ...
    def set_controls(self, controls: dict[str, Any]) -> None: ...
    def start(self) -> None: ...
    def capture_request(self, wait: float) -> Request: ...
    def cancel_all_and_flush(self) -> None: ...
    def close(self) -> None: ...


class PiCamera:
    """An open Pi camera: measures light and focus once, then keeps them locked."""

    def __init__(self, settings: CameraSettings, locks: Locks | None = None) -> None:
        """With the locks of an earlier opening, nothing is measured again."""
        self._settings = settings
        with _faults_named("cannot be opened"):
            self._device: Device = _picamera2()
        try:
            with _faults_named("cannot be started"):
                self._configure()
                self._device.start()
            self.locks = self._found() if locks is None else locks
            self._lock()
        except BaseException:
            self.close()
            raise

    @property
    def size_px(self) -> tuple[int, int]:
        """Size agreed with the camera; it may differ from the settings."""
        return self._size_px

    def read(self) -> Picture:
        """The next picture, with its own metadata."""
        image, metadata = self._request(pixels=True)
        broken = self.locks.broken_by(metadata)
        numbers = (*numbers_of(metadata), ("locked", 0.0 if broken else 1.0))
        # Playing with an unsteady camera is better than not playing: report the deviation and go on.
        return Picture(image, numbers, "; ".join(filter(None, (self._other_size, *broken))))

    def close(self) -> None:
        """Release the camera, whatever its state."""
        try:
            # A pending request would block `close`.
            self._device.cancel_all_and_flush()
            self._device.close()
        except _FAULTS:
            # An unplugged camera cannot be closed properly; its loss has been reported already.
            return

    def _configure(self) -> None:
        settings, device = self._settings, self._device
        mode = best_mode(device.sensor_modes, settings.size_px, settings.fps)
        frame_us = round(1e6 / settings.fps)
        device.configure(
            device.create_video_configuration(
                main={"size": settings.size_px, "format": _FORMAT},
                raw=None,
                controls={"FrameDurationLimits": (frame_us, frame_us), **automatic(device.camera_controls)},
                buffer_count=BUFFERS,
                display=None,
                encode=None,
                sensor={} if mode is None else {"output_size": mode["size"], "bit_depth": mode["bit_depth"]},
            )
        )
        agreed = device.camera_configuration()
        if agreed["main"]["format"] != _FORMAT:
            raise CameraError(f"pi: gives {agreed['main']['format']}; wanted {_FORMAT}")
        self._size_px: tuple[int, int] = tuple(agreed["main"]["size"])
        found, wanted = (f"{width} x {height}" for width, height in (self._size_px, settings.size_px))
        self._other_size = "" if found == wanted else f"pictures of {found}, wanted {wanted}"

    def _found(self) -> Locks:
        """Let the camera measure light and distance for a moment, and return the values to lock."""
        settings, available = self._settings, self._device.camera_controls
        few = 1 if are_given(settings, available) else max(1, settings.auto_frames)
        metadata: Metadata = {}
        for number in range(2 * few):
            _, metadata = self._request(pixels=False)
            # An autofocus that is still scanning gets the same time again.
            if number + 1 >= few and metadata.get("AfState") != AF_SCANNING:
                break
        return locks_from(settings, metadata, available)

    def _lock(self) -> None:
        """Set the locked values and wait until they are in effect; every later picture is checked against them."""
        # Switch the automatic modes off first: values in the same request may arrive too early and be overwritten.
        # Controls are sent with the next released request.
        self._device.set_controls(manual(self._device.camera_controls))
        self._request(pixels=False)
        self._device.set_controls(self.locks.controls())
        for _ in range(ARRIVAL_FRAMES):
            self._request(pixels=False)

    def _request(self, pixels: bool) -> tuple[Image, Metadata]:
        """Picture and metadata of one request, which is always released."""
        with _faults_named(f"gives no picture within {self._settings.stall_s:g} s"):
            request = self._device.capture_request(wait=self._settings.stall_s)
        try:
            with _faults_named("gives a picture that cannot be read"):
                metadata = request.get_metadata()
                if not pixels:
                    return np.empty((0, 0, 3), np.uint8), metadata
                return request.make_array("main"), metadata
        finally:
            request.release()


class PiCameras:
    """Opens the Pi camera, each time with the first locks."""

    def __init__(self, settings: CameraSettings) -> None:
        self._settings = settings
        self._locks: Locks | None = None
        _picamera2_class()

    def __call__(self) -> PiCamera:
        """Open the camera."""
        camera = PiCamera(self._settings, self._locks)
        self._locks = camera.locks
        return camera


def pi_source(settings: CameraSettings, clock: Clock, first_index: int = 0, first_s: float = 0.0) -> LiveSource:
    """The Pi camera as a source; SourceError if picamera2 is not installed."""
    return LiveSource(PiCameras(settings), clock, settings.stall_s, first_index, first_s)


def best_mode(modes: Sequence[Mapping[str, Any]], size_px: tuple[int, int], fps: float) -> Mapping[str, Any] | None:
    """The sensor mode with the widest view that is large and fast enough, and no larger than necessary."""
    able = [
        mode
        for mode in modes
        if {"size", "fps", "bit_depth", "crop_limits"} <= mode.keys()
        and mode["fps"] >= fps
        and all(has >= wants for has, wants in zip(mode["size"], size_px, strict=True))
    ]

    def merit(mode: Mapping[str, Any]) -> tuple[int, int, int]:
        width, height = mode["size"]
        return mode["crop_limits"][2] * mode["crop_limits"][3], -width * height, mode["bit_depth"]

    return max(able, key=merit, default=None)


@contextmanager
def _faults_named(what: str) -> Iterator[None]:
    """Convert picamera2's errors into a CameraError."""
    try:
        yield
    except _FAULTS as error:
        if isinstance(error, SourceError):
            raise
        said = f": {error}" if str(error) else ""
        raise CameraError(
            f"pi: {what}{said}; is the ribbon cable in, and does another program use the camera?"
        ) from error


def _picamera2() -> Device:
    device: Device = _picamera2_class()()
    return device


def _picamera2_class() -> Any:
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        raise SourceError(MISSING.format(error=error)) from error
    return Picamera2
