"""Sources: where frames come from, and how they say that they are well."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from calibration.frames import Frame, Image
from device.sources import SourceError

Clock = Callable[[], float]
"""Seconds that only ever grow; never the wall clock."""


SIMULATED = "sim:"
"""The names of simulated cameras begin with this."""


class CameraError(SourceError):
    """A camera that is not there or gives no pictures now; it is worth trying again."""


class Health(StrEnum):
    """How a source is."""

    RUNNING = "running"
    LOST = "lost"
    """No pictures now; they may come again."""
    ENDED = "ended"
    """No more pictures ever."""


@dataclass(frozen=True, slots=True)
class Status:
    """How a source is, since when, and what to say about it."""

    health: Health
    since_s: float
    """On the clock of the frames."""
    tries: int
    """How many times in a row a camera was lost or could not be opened."""
    message: str
    """Why it is lost or has ended; of a running one what is not as it should be, or ""."""


class Source(Protocol):
    """Anything that gives frames."""

    @property
    def live(self) -> bool:
        """Whether it is a camera: frames that nobody takes are lost. Files wait."""

    def frames(self) -> Iterator[Frame]:
        """Files end; cameras go on until they are closed."""

    @property
    def status(self) -> Status:
        """How it is now; any thread may ask."""

    def close(self) -> None:
        """Let go of it; whoever waits for a frame is told that there are no more."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What a camera gives at once: it has no number and no time yet, and may be garbage."""

    image: Image
    camera: tuple[tuple[str, float], ...] = ()
    note: str = ""
    """What is not as it should be."""


class Camera(Protocol):
    """A camera that is open; only one thread touches it."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height that all its pictures should have."""

    def read(self) -> Picture | None:
        """The next picture; None when there are no more ever. CameraError when none comes in time."""

    def close(self) -> None:
        """Let go of it; never fails."""


Opener = Callable[[], Camera]
"""Opens a camera; CameraError when it is not there now."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """What is wanted of a camera; None leaves it to the camera to find out once, then it is kept."""

    size_px: tuple[int, int] = (1280, 720)
    fps: float = 10.0
    stall_s: float = 3.0
    """A camera that gives nothing for so long is lost."""
    auto_frames: int = 30
    """So many pictures a Pi camera may take to find out what is not given below."""
    exposure_us: int | None = None
    gain: float | None = None
    colour_gains: tuple[float, float] | None = None
    """Of red and blue against green."""
    focus_dioptres: float | None = None
    """One over the distance in metres."""
