"""Metadata of a stored frame: number, exact time, size, camera data and position in the video."""

import json
import math
from dataclasses import dataclass
from typing import Any

from calibration.frames import Frame
from device.recording.lines import JSON

Camera = tuple[tuple[str, float], ...]
_WORDS = ("nan", "inf", "-inf")
"""Floating-point values that JSON cannot express."""


@dataclass(frozen=True, slots=True)
class Described:
    """A frame's metadata, without its pixels."""

    index: int
    at_s: float
    size_px: tuple[int, int]
    camera: Camera = ()

    def as_json(self) -> dict[str, JSON]:
        """Convert to JSON; numbers survive the round trip exactly."""
        said: list[JSON] = [[name, value if math.isfinite(value) else str(value)] for name, value in self.camera]
        return {"index": self.index, "at_s": self.at_s, "size_px": list(self.size_px), "camera": said}

    def as_bytes(self) -> bytes:
        """Encode for the Void element of the video."""
        text = json.dumps(self.as_json(), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "surrogatepass")


def describe(frame: Frame) -> Described:
    """Describe a frame."""
    height, width = frame.image.shape[:2]
    camera = tuple((str(name), float(value)) for name, value in frame.camera)
    return Described(int(frame.index), float(frame.at_s), (width, height), camera)


def described_from(value: Any) -> Described | None:
    """Parse a description; None if the value is not one."""
    if not isinstance(value, dict):
        return None
    index, at_s, size, said = (value.get(key) for key in ("index", "at_s", "size_px", "camera"))
    if not isinstance(index, int) or not isinstance(at_s, int | float) or not isinstance(said, list):
        return None
    if not isinstance(size, list) or len(size) != 2 or not all(isinstance(side, int) and side > 0 for side in size):
        return None
    camera = []
    for pair in said:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
            return None
        number = float(pair[1]) if pair[1] in _WORDS else pair[1]
        if not isinstance(number, int | float):
            return None
        camera.append((pair[0], float(number)))
    return Described(index, float(at_s), (size[0], size[1]), tuple(camera))


def described_from_bytes(data: bytes) -> Described | None:
    """Parse a description stored in the video; None if the bytes are not one."""
    try:
        return described_from(json.loads(data.decode("utf-8", "surrogatepass")))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class StoredFrame:
    """A frame's metadata and its position in the video: one line of frames.jsonl."""

    about: Described
    at_ms: int
    at: int
    size: int
    key: bool

    def as_json(self) -> dict[str, JSON]:
        """Convert to JSON."""
        place: dict[str, JSON] = {"at_ms": self.at_ms, "at": self.at, "bytes": self.size, "key": self.key}
        return self.about.as_json() | place


def placed_from(line: dict[str, object]) -> StoredFrame | None:
    """Parse a line of frames.jsonl; None if the line is not valid."""
    about = described_from(line)
    at_ms, at, size, key = (line.get(name) for name in ("at_ms", "at", "bytes", "key"))
    if about is None or not isinstance(at_ms, int) or not isinstance(at, int) or not isinstance(size, int):
        return None
    return StoredFrame(about, at_ms, at, size, key is True)
