"""Events that the game's thread hands to the hub; they are immutable, so that no thread waits for another."""

from dataclasses import dataclass

from calibration.rig import Rig
from device.cameras.source import Status
from device.heat import Heat
from device.recording.journal import JournalEntry
from device.session.game import Game
from device.session.meter import MeterReading


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game starts, or is resumed."""

    session: str
    game: Game
    rig: Rig | None
    camera: str
    recording: bool
    prompted: bool
    """Whether people declare the moves, because the camera cannot tell them."""
    past: tuple[JournalEntry, ...] = ()
    """The journal of a resumed game so far."""


@dataclass(frozen=True, slots=True)
class EntryWritten:
    """A new entry of the journal, and the game after it."""

    entry: JournalEntry
    game: Game
    pictured: bool = False
    """Whether there are pictures as evidence."""


@dataclass(frozen=True, slots=True)
class FrameSeen:
    """A frame of the camera, and what moves in it."""

    frame: int
    at_s: float
    motion: str
    size_px: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LoadMeasured:
    """How well the game keeps up with the camera."""

    reading: MeterReading
    drift_px: float | None = None


@dataclass(frozen=True, slots=True)
class MachineMeasured:
    """Measurements of the machine, with or without a game."""

    heat: Heat
    disk_free_gb: float | None
    clients: int


@dataclass(frozen=True, slots=True)
class CameraReported:
    """The status of the camera."""

    status: Status


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game ended, or could not go on; `why` is empty for a proper end."""

    why: str = ""


DashboardEvent = GameStarted | EntryWritten | FrameSeen | LoadMeasured | MachineMeasured | CameraReported | GameEnded
