"""What is written about a frame beside its picture: number, exact time, size, what the camera said, and where it is."""

import json
import math
from dataclasses import dataclass
from typing import Any

from calibration.frames import Frame
from device.recording.lines import JSON

Camera = tuple[tuple[str, float], ...]
_WORDS = ("nan", "inf", "-inf")
"""Numbers that JSON does not have."""


@dataclass(frozen=True, slots=True)
class Described:
    """A frame without its pixels."""

    index: int
    at_s: float
    size_px: tuple[int, int]
    camera: Camera = ()

    def as_json(self) -> dict[str, JSON]:
        """As it is written; numbers come back to the last bit."""
        said: list[JSON] = [[name, value if math.isfinite(value) else str(value)] for name, value in self.camera]
        return {"index": self.index, "at_s": self.at_s, "size_px": list(self.size_px), "camera": said}

    def as_bytes(self) -> bytes:
        """As it is written into the video."""
        text = json.dumps(self.as_json(), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "surrogatepass")


def describe(frame: Frame) -> Described:
    """What is written about a frame."""
    height, width = frame.image.shape[:2]
    camera = tuple((str(name), float(value)) for name, value in frame.camera)
    return Described(int(frame.index), float(frame.at_s), (width, height), camera)


def described_from(value: Any) -> Described | None:
    """A description that was read; None if it is none."""
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
    """A description out of the video."""
    try:
        return described_from(json.loads(data.decode("utf-8", "surrogatepass")))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class StoredFrame:
    """A frame and where it is in the video: a line of frames.jsonl."""

    about: Described
    at_ms: int
    at: int
    size: int
    key: bool

    def as_json(self) -> dict[str, JSON]:
        """As it is written."""
        place: dict[str, JSON] = {"at_ms": self.at_ms, "at": self.at, "bytes": self.size, "key": self.key}
        return self.about.as_json() | place


def placed_from(line: dict[str, object]) -> StoredFrame | None:
    """A line that was read; None if it is none of these."""
    about = described_from(line)
    at_ms, at, size, key = (line.get(name) for name in ("at_ms", "at", "bytes", "key"))
    if about is None or not isinstance(at_ms, int) or not isinstance(at, int) or not isinstance(size, int):
        return None
    return StoredFrame(about, at_ms, at, size, key is True)
