"""A stand-in for picamera2: the calls of the real one (0.3.30), with a camera that can be told to misbehave.

Controls go out with the request that is given back next and show some pictures later; a request that is not given back
is missed; a time-out leaves a job behind that keeps closing waiting. `tests/device/cameras/test_picamera.py` compares
the signatures with the real ones where those are installed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

EMPTY: Mapping[str, Any] = MappingProxyType({})
RED, GREEN, BLUE = 200, 120, 40
"""The colour of what the camera sees."""
DELAY = 3
"""Pictures from giving a control to seeing it."""
MODES = (
    {"size": (1536, 864), "bit_depth": 10, "fps": 120.13, "crop_limits": (768, 432, 3072, 1728)},
    {"size": (2304, 1296), "bit_depth": 10, "fps": 56.03, "crop_limits": (0, 0, 4608, 2592)},
    {"size": (4608, 2592), "bit_depth": 10, "fps": 14.35, "crop_limits": (0, 0, 4608, 2592)},
)
"""Those of the Camera Module 3."""
CONTROLS = {
    "AeEnable": (False, True, True),
    "ExposureTime": (26, 112015096, 20000),
    "AnalogueGain": (1.0, 16.0, 1.0),
    "AwbEnable": (False, True, None),
    "ColourGains": (0.0, 32.0, None),
    "AfMode": (0, 2, 0),
    "LensPosition": (0.0, 15.0, 1.0),
    "FrameDurationLimits": (17849, 220417486, 33333),
    "NoiseReductionMode": (0, 4, 0),
    "ScalerCrop": ((0, 0, 64, 64), (0, 0, 4608, 2592), (576, 0, 3456, 2592)),
}


@dataclass
class World:
    """What happens to the camera, and what was done with it."""

    calls: list[str] = field(default_factory=list)
    controls: dict[str, Any] = field(default_factory=lambda: dict(CONTROLS))
    absent: int = 0
    """So many times nobody is there."""
    stalls_at: set[int] = field(default_factory=set)
    """Pictures, counted over all openings, that do not come."""
    broken_at: set[int] = field(default_factory=set)
    """Pictures whose buffer cannot be mapped."""
    stubborn: frozenset[str] = frozenset()
    """Controls that this camera ignores."""
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """What the camera agrees to instead of what was asked for, by stream."""
    scanning: int = 5
    """So many pictures until the lens has found its distance."""
    configured: list[dict[str, Any]] = field(default_factory=list)
    given: list[dict[str, Any]] = field(default_factory=list)
    """Every set_controls."""
    pictures: int = 0
    held: int = 0
    """Requests that were not given back."""
    open: int = 0


class CompletedRequest:
    """picamera2.request.CompletedRequest."""

    def __init__(self, picam2: "Picamera2", number: int, metadata: dict[str, Any]) -> None:
        self.picam2, self._number, self._metadata = picam2, number, metadata
        self.ref_count = 1
        picam2.world.held += 1

    def make_array(self, name: str) -> np.ndarray:
        """Make a 2D numpy array from the named stream's buffer."""
        assert self.ref_count > 0, "the buffer was given back already"
        if self._number in self.picam2.world.broken_at:
            raise OSError(12, "Cannot allocate memory")
        config = self.picam2.camera_configuration()[name]
        width, height = config["size"]
        order = {"RGB888": (BLUE, GREEN, RED), "BGR888": (RED, GREEN, BLUE)}[config["format"]]
        image = np.empty((height, width, 3), np.uint8)
        image[:] = order
        image[0, 0] = self._number % 256
        return image

    def get_metadata(self) -> dict[str, Any]:
        """Fetch the metadata corresponding to this completed request."""
        return dict(self._metadata)

    def release(self) -> None:
        """Release this completed frame back to the camera system."""
        self.ref_count -= 1
        if self.ref_count < 0:
            raise RuntimeError("CompletedRequest: lock now has negative ref_count")
        self.picam2.world.held -= 1
        self.picam2.submit()


class Picamera2:
    """picamera2.Picamera2."""

    world: World

    def __init__(self, camera_num: int = 0, verbose_console: int | None = None, tuning: str | None = None) -> None:
        self.world.calls.append("Picamera2")
        if self.world.absent:
            self.world.absent -= 1
            raise IndexError("list index out of range")
        if self.world.open:
            raise RuntimeError("Camera __init__ sequence did not complete.")
        self.world.open += 1
        self._is_open = True
        self._config: dict[str, Any] | None = None
        self._started = False
        self._jobs = 0
        self._taken = 0
        self._waiting: dict[str, Any] = {}
        self._coming: list[tuple[int, dict[str, Any]]] = []
        self._now: dict[str, Any] = {"AeEnable": True, "AwbEnable": True, "AfMode": 0, "LensPosition": 1.0}

    @property
    def camera_controls(self) -> dict[str, Any]:
        """Each with its least, its most and its usual value."""
        return dict(self.world.controls)

    @property
    def camera_properties(self) -> dict[str, Any]:
        """What this camera is."""
        return {"Model": "imx708", "PixelArraySize": (4608, 2592)}

    @property
    def sensor_modes(self) -> list[dict[str, Any]]:
        """The available sensor modes; asking configures the camera once for each."""
        assert not self._started
        return [{"format": "SRGGB10_CSI2P", "unpacked": "SRGGB10", **mode} for mode in MODES]

    def create_preview_configuration(
        self,
        main: Mapping[str, Any] = EMPTY,
        lores: Mapping[str, Any] | None = None,
        raw: Mapping[str, Any] | None = EMPTY,
        transform: object = None,
        colour_space: object = None,
        buffer_count: int = 4,
        controls: Mapping[str, Any] = EMPTY,
        display: str | None = "main",
        encode: str | None = "main",
        queue: bool = True,
        sensor: Mapping[str, Any] | None = EMPTY,
        use_case: str = "preview",
    ) -> dict[str, Any]:
        """Make a configuration suitable for camera preview."""
        first = {"format": "XBGR8888", "size": (640, 480)} | dict(main)
        streams: dict[str, dict[str, Any] | None] = {"main": first, "lores": None, "raw": None}
        if lores is not None:
            streams["lores"] = {"format": "YUV420", "size": first["size"]} | dict(lores)
        if raw is not None:
            streams["raw"] = {"format": "SBGGR10_CSI2P", "size": first["size"]} | dict(raw)
        for name in (display, encode):
            if name is not None and streams.get(name) is None:
                raise RuntimeError(f"Display stream {name} was not defined")
        for stream in filter(None, streams.values()):
            bad = stream.keys() - {"format", "size", "stride", "preserve_ar"}
            if bad:
                raise ValueError(f"Bad key {bad.pop()!r}")
        rest = {"use_case": use_case, "transform": transform, "colour_space": colour_space, "display": display}
        more = {"buffer_count": buffer_count, "queue": queue, "controls": dict(controls), "encode": encode}
        return rest | more | streams | {"sensor": None if sensor is None else dict(sensor)}

    def create_video_configuration(
        self,
        main: Mapping[str, Any] = EMPTY,
        lores: Mapping[str, Any] | None = None,
        raw: Mapping[str, Any] | None = EMPTY,
        transform: object = None,
        colour_space: object = None,
        buffer_count: int = 6,
        controls: Mapping[str, Any] = EMPTY,
        display: str | None = "main",
        encode: str | None = "main",
        queue: bool = True,
        sensor: Mapping[str, Any] | None = EMPTY,
        use_case: str = "video",
    ) -> dict[str, Any]:
        """Make a configuration suitable for video recording."""
        main = {"size": (1280, 720)} | dict(main)
        both = (transform, colour_space, buffer_count)
        return self.create_preview_configuration(
            main, lores, raw, *both, controls, display, encode, queue, sensor, use_case
        )

    def configure(self, camera_config: dict[str, Any] | str | None = None) -> None:
        """Configure the camera system with the given configuration."""
        self.world.calls.append("configure")
        if self._started:
            raise RuntimeError("Camera must be stopped before configuring")
        assert isinstance(camera_config, dict)
        bad = set(camera_config["sensor"] or {}) - {"bit_depth", "output_size"}
        if bad:
            raise RuntimeError(f"Unexpected keys {bad} in sensor configuration")
        config = camera_config.copy()
        for name in ("main", "lores"):
            stream = config[name]
            if stream is None:
                continue
            if any(side % 2 for side in stream["size"]):
                raise RuntimeError("width and height should be even")
            config[name] = stream | {"size": self.world.sizes.get(name, stream["size"])}
        self._config = config
        self.world.configured.append(config)
        self.set_controls(config["controls"])

    def camera_configuration(self) -> dict[str, Any]:
        """Return the camera configuration."""
        assert self._config is not None
        return self._config

    def set_controls(self, controls: Mapping[str, Any]) -> None:
        """Set camera controls. These will be delivered with the next request that gets submitted."""
        for name in controls:
            if name not in self.world.controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
        if self._started:
            self.world.calls.append("set_controls")
            self.world.given.append(dict(controls))
        self._waiting.update(controls)

    def start(self, config: dict[str, Any] | str | None = None, show_preview: bool | None = False) -> None:
        """Start the camera system running."""
        self.world.calls.append("start")
        assert config is None
        if self._config is None:
            raise RuntimeError("Camera has not been configured")
        self._started = True
        self._now.update(self._waiting)
        self._waiting = {}

    def capture_request(
        self,
        wait: bool | float | None = None,
        signal_function: Callable[[Any], None] | None = None,
        flush: bool | int | None = None,
    ) -> CompletedRequest:
        """Fetch the next completed request from the camera system."""
        assert isinstance(wait, float), "without a time-out a lost camera is waited for for ever"
        assert self._started
        if self.world.held:
            raise AssertionError("a request was not given back")
        number = self.world.pictures
        self.world.pictures += 1
        if number in self.world.stalls_at:
            self._jobs += 1
            raise TimeoutError
        self._taken += 1
        self._arrive()
        return CompletedRequest(self, number, self._metadata())

    def cancel_all_and_flush(self) -> None:
        """Clear the camera system queue of pending jobs and cancel them."""
        self.world.calls.append("cancel_all_and_flush")
        self._jobs = 0

    def stop(self) -> None:
        """Stop the camera."""
        if self._jobs:
            raise AssertionError("this would wait for ever for a picture that does not come")
        self._started = False

    def close(self) -> None:
        """Close camera."""
        self.world.calls.append("close")
        if self._is_open:
            self.stop()
            self.world.open -= 1
            self._is_open = False

    def submit(self) -> None:
        """What was set goes out with the request that was given back."""
        if self._waiting:
            self._coming.append((self._taken + DELAY, self._waiting))
            self._waiting = {}

    def _arrive(self) -> None:
        for when, controls in self._coming:
            if when <= self._taken:
                self._now.update({name: value for name, value in controls.items() if name not in self.world.stubborn})
                if "ExposureTime" in controls and "ExposureTime" not in self.world.stubborn:
                    self._now["AeEnable"] = False
        self._coming = [(when, controls) for when, controls in self._coming if when > self._taken]
        if self._now["AeEnable"]:
            self._now |= {"ExposureTime": 9000 + 100 * self._taken, "AnalogueGain": 1.0 + 0.01 * self._taken}
        if self._now["AwbEnable"]:
            self._now["ColourGains"] = (2.0 + 0.01 * self._taken, 1.5)
        if self._now["AfMode"] == 2:
            self._now["LensPosition"] = 1.0 + 0.1 * min(self._taken, self.world.scanning)

    def _metadata(self) -> dict[str, Any]:
        now = self._now
        # The real one rounds to lines of the sensor and steps of the gain.
        said = {"ExposureTime": int(now["ExposureTime"] // 9.5 * 9.5), "AnalogueGain": now["AnalogueGain"] * 1.001}
        more = {
            "ColourGains": now["ColourGains"],
            "SensorTimestamp": 10**9 * self._taken,
            "AeLocked": True,
            "Lux": 400.0,
        }
        if "LensPosition" in self.world.controls:
            state = 1 if now["AfMode"] == 2 and self._taken < self.world.scanning else 2
            more |= {"LensPosition": now["LensPosition"], "AfState": state}
        return said | more | {"SensorTemperature": 41.0, "ScalerCrop": (0, 0, 4608, 2592)}


def stand_in(world: World) -> ModuleType:
    """The module `picamera2` of a world."""
    module = ModuleType("picamera2")
    module.__dict__["Picamera2"] = type("Picamera2", (Picamera2,), {"world": world})
    return module


def without(*names: str) -> dict[str, Any]:
    """What a camera that lacks some controls can be told."""
    return {name: value for name, value in CONTROLS.items() if name not in names}
