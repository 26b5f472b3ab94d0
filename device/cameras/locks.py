"""Locks: Pi camera controls that must stay constant during a game, and the check that they do."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from device.cameras.source import CameraSettings

Metadata = Mapping[str, Any]
"""libcamera's metadata of one picture, by libcamera's names."""

AF_MANUAL, AF_CONTINUOUS = 0, 2
"""libcamera.controls.AfModeEnum"""
AF_SCANNING = 1
"""libcamera.controls.AfStateEnum"""

_MANUAL = {"AeEnable": False, "AwbEnable": False, "AfMode": AF_MANUAL}
"""Controls that switch off the automatic modes."""
_TOLERANCES = {"ExposureTime": (0.03, 60.0), "AnalogueGain": (0.03, 0.02), "LensPosition": (0.02, 0.05)}
"""Relative and absolute tolerance of a control: the sensor and the lens round to their own steps."""
_GAIN_TOLERANCE = (0.02, 0.01)
"""Relative and absolute tolerance of the colour gains."""
_NAMES = {
    "ExposureTime": "exposure_us",
    "AnalogueGain": "gain",
    "DigitalGain": "digital_gain",
    "LensPosition": "focus_dioptres",
    "FrameDuration": "frame_us",
    "SensorTemperature": "sensor_c",
    "Lux": "lux",
    "ColourTemperature": "kelvin",
    "FocusFoM": "sharpness",
}
"""Metadata kept with a frame, and Krupier's name for each."""


@dataclass(frozen=True, slots=True)
class Locks:
    """Locked values; None for controls that this camera does not have."""

    exposure_us: int | None = None
    gain: float | None = None
    colour_gains: tuple[float, float] | None = None
    focus_dioptres: float | None = None

    def controls(self) -> dict[str, Any]:
        """The locked values as picamera2 controls."""
        named = {
            "ExposureTime": self.exposure_us,
            "AnalogueGain": self.gain,
            "ColourGains": self.colour_gains,
            "LensPosition": self.focus_dioptres,
        }
        return {name: value for name, value in named.items() if value is not None}

    def broken_by(self, metadata: Metadata) -> tuple[str, ...]:
        """Deviations of a picture from the locked values, as found and wanted."""
        return tuple(self._broken(metadata))

    def _broken(self, metadata: Metadata) -> Iterator[str]:
        for name, value in self.controls().items():
            found = metadata.get(name)
            wants = value if isinstance(value, tuple) else (value,)
            has = tuple(found) if isinstance(found, (tuple, list)) else (found,)
            near = _TOLERANCES.get(name, _GAIN_TOLERANCE)
            if len(has) != len(wants) or not all(map(_is_near, has, wants, (near,) * len(wants))):
                yield f"{name} is {_said(found)}, wanted {_said(value)}"


def automatic(available: Mapping[str, Any]) -> dict[str, Any]:
    """Controls that switch on the automatic modes this camera has."""
    wanted = {"AeEnable": True, "AwbEnable": True, "AfMode": AF_CONTINUOUS}
    return {name: value for name, value in wanted.items() if name in available}


def manual(available: Mapping[str, Any]) -> dict[str, Any]:
    """Controls that switch off the automatic modes this camera has."""
    return {name: value for name, value in _MANUAL.items() if name in available}


def locks_from(settings: CameraSettings, metadata: Metadata, available: Mapping[str, Any]) -> Locks:
    """Values to lock: from the settings where given, otherwise what the camera has measured."""
    exposure, gain = metadata.get("ExposureTime"), metadata.get("AnalogueGain")
    gains, focus = metadata.get("ColourGains"), metadata.get("LensPosition")
    found = Locks(
        settings.exposure_us or (None if exposure is None else int(exposure)),
        settings.gain or (None if gain is None else float(gain)),
        settings.colour_gains or (None if gains is None else (float(gains[0]), float(gains[1]))),
        focus if settings.focus_dioptres is None else settings.focus_dioptres,
    )
    can = found.controls().keys() & available.keys()
    return Locks(
        found.exposure_us if "ExposureTime" in can else None,
        found.gain if "AnalogueGain" in can else None,
        found.colour_gains if "ColourGains" in can else None,
        found.focus_dioptres if "LensPosition" in can else None,
    )


def are_given(settings: CameraSettings, available: Mapping[str, Any]) -> bool:
    """Whether the settings leave nothing for the camera to measure."""
    given = (settings.exposure_us, settings.gain, settings.colour_gains)
    return None not in given and (settings.focus_dioptres is not None or "LensPosition" not in available)


def numbers_of(metadata: Metadata) -> tuple[tuple[str, float], ...]:
    """Metadata that a frame keeps: finite numbers under Krupier's names."""
    kept: dict[str, Any] = {name: metadata.get(key) for key, name in _NAMES.items()}
    red_blue = metadata.get("ColourGains")
    if isinstance(red_blue, (tuple, list)) and len(red_blue) == 2:
        kept["red_gain"], kept["blue_gain"] = red_blue
    stamp_ns = metadata.get("SensorTimestamp")
    if isinstance(stamp_ns, int):
        kept["sensor_s"] = stamp_ns / 1e9
    return tuple((name, float(value)) for name, value in kept.items() if _is_number(value))


def _is_near(has: object, wants: float, near: tuple[float, float]) -> bool:
    part, least = near
    return isinstance(has, (int, float)) and abs(has - wants) <= max(part * abs(wants), least)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _said(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return " and ".join(_said(one) for one in value)
    return f"{value:.4g}" if isinstance(value, float) else "not said" if value is None else str(value)
