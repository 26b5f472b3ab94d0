"""News: what the game's thread hands to the hub; immutable, so that nobody waits for anybody."""

from dataclasses import dataclass

from calibration.rig import Rig
from device.cameras.source import Status
from device.heat import Heat
from device.recording.journal import JournalEntry
from device.session.game import Game
from device.session.meter import MeterReading


@dataclass(frozen=True, slots=True)
class Opened:
    """A game begins, or goes on."""

    session: str
    game: Game
    rig: Rig | None
    camera: str
    recording: bool
    prompted: bool
    """Whether moves are told by somebody, not explained from what the camera sees."""
    past: tuple[JournalEntry, ...] = ()
    """What was said before it was cut off."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An entry of the journal, and the game after it."""

    entry: JournalEntry
    game: Game
    pictured: bool = False
    """Whether there are pictures of what it is about."""


@dataclass(frozen=True, slots=True)
class Looked:
    """How the table is in a frame."""

    frame: int
    at_s: float
    motion: str
    size_px: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """How the game keeps up."""

    reading: MeterReading
    drift_px: float | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """How the machine is, game or none."""

    heat: Heat
    disk_free_gb: float | None
    clients: int


@dataclass(frozen=True, slots=True)
class Felt:
    """How the camera is."""

    status: Status


@dataclass(frozen=True, slots=True)
class Closed:
    """The game has ended, or could not go on."""

    why: str = ""


News = Opened | Heard | Looked | Measured | Machine | Felt | Closed
