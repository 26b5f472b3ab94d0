"""Frame sources and their health."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from calibration.frames import Frame, Image
from device.sources import SourceError

Clock = Callable[[], float]
"""A monotonic clock in seconds; never the wall clock."""


SIMULATED = "sim:"
"""Prefix of the names of simulated cameras."""


class CameraError(SourceError):
    """A camera that is missing or gives no pictures now; retrying may help."""


class Health(StrEnum):
    """Health of a source."""

    RUNNING = "running"
    LOST = "lost"
    """No pictures now; they may come again."""
    ENDED = "ended"
    """No more pictures will come."""


@dataclass(frozen=True, slots=True)
class Status:
    """Health of a source, since when, and a message."""

    health: Health
    since_s: float
    """On the frames' clock."""
    tries: int
    """How many times in a row the camera was lost or could not be opened."""
    message: str
    """Why the source is lost or has ended; for a running source, what is wrong with it, or ""."""


class Source(Protocol):
    """Anything that yields frames."""

    @property
    def live(self) -> bool:
        """Whether frames that are not taken in time are lost, as with a camera. Files wait."""

    def frames(self) -> Iterator[Frame]:
        """All frames: files end, cameras go on until they are closed."""

    @property
    def status(self) -> Status:
        """Current status; safe to call from any thread."""

    def close(self) -> None:
        """Release the source and wake up anyone waiting for a frame."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One raw picture from a camera: not numbered or timed yet, and possibly garbage."""

    image: Image
    camera: tuple[tuple[str, float], ...] = ()
    note: str = ""
    """Deviation from the settings, or ""."""


class Camera(Protocol):
    """An open camera; only one thread uses it."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Expected width and height of all pictures."""

    def read(self) -> Picture | None:
        """The next picture; None when no more will come. CameraError if none comes in time."""

    def close(self) -> None:
        """Release the camera; never raises."""


Opener = Callable[[], Camera]
"""Opens a camera; CameraError if it is missing now."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Settings of a camera; None lets the camera measure the value once and keep it."""

    size_px: tuple[int, int] = (1280, 720)
    fps: float = 10.0
    stall_s: float = 3.0
    """Seconds without a picture after which a camera counts as lost."""
    auto_frames: int = 30
    """Pictures that a Pi camera may take to measure the values not given below."""
    exposure_us: int | None = None
    gain: float | None = None
    colour_gains: tuple[float, float] | None = None
    """Red and blue, relative to green."""
    focus_dioptres: float | None = None
    """Dioptres: one over the distance in metres."""
