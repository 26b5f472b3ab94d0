"""Small recordings for the tests: a square that wanders over a table."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from calibration.frames import Frame
from device.recording.folder import RecordingFolder, create_session
from device.recording.journal import JOURNAL, Journal, JournalEntry
from device.recording.manifest import Manifest
from device.recording.recorder import Recorder

SIZE_PX = (96, 64)
ABOUT = Manifest(
    game="dawaj2", names=("Ala", "Żaneta"), options=(("goal", "spicy"),), began="2026-01-01T10:00:00+01:00"
)


def film(count: int, first: int = 0, size_px: tuple[int, int] = SIZE_PX, seed: int = 1) -> Iterator[Frame]:
    """Frames of a table with something that moves; times are no round numbers."""
    wide, tall = size_px
    grain = np.repeat(np.random.default_rng(seed).integers(90, 130, (tall, wide, 1), np.uint8), 3, 2)
    for index in range(first, first + count):
        image = grain.copy()
        at = index * 3 % (wide - 12)
        image[tall // 4 : tall // 2, at : at + 12] = (30, 60, 200)
        image.flags.writeable = False
        yield Frame(index, index / 10 + 1 / 3, image, (("ExposureTime", 9998.0 + index / 7), ("Lux", 100 / 3)))


def entries(count: int, first: int = 0) -> list[JournalEntry]:
    """Something for a journal."""
    kinds = ("opening", "table", "ruling", "input")
    return [
        JournalEntry(
            number, number / 7, kinds[number % 4], {"move": f"P1 gra {number}", "who": "Łucja", "more": [1, None, 2.5]}
        )
        for number in range(first, first + count)
    ]


def recorded(root: Path, count: int = 70, noted: int = 20, lossless: bool = False) -> RecordingFolder:
    """A session with a film and a journal, not finished yet."""
    session = create_session(root, ABOUT, "version = 1\n", "name = 'x'\n")
    recorder = Recorder(session.path, waits=True, lossless=lossless)
    for frame in film(count):
        recorder.keep(frame)
    recorder.close()
    assert not recorder.trouble
    journal = Journal(session.path / JOURNAL)
    for entry in entries(noted):
        journal.note(entry)
    journal.close()
    return session


def same(one: Frame, other: Frame) -> bool:
    """Whether two frames are the same to the last bit."""
    return (one.index, one.at_s, one.camera) == (other.index, other.at_s, other.camera) and np.array_equal(
        one.image, other.image
    )


def overwrite(path: Path, data: bytes | bytearray) -> None:
    """Other bytes in a file; a new file, because disks wait when an old one is emptied."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)
