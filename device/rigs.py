"""Rig files: read with every fault named, written whole or not at all."""

from pathlib import Path

from calibration.frames import CalibrationError
from calibration.rig import Rig, read_rig, sure_text
from device.files import write_whole

MOST_BYTES = 4_000_000


def load_rig(path: Path) -> Rig:
    """A rig from its file; everything is checked, and the line of a fault is named."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CalibrationError(
            f"{path}: cannot be read: {error.strerror}; wanted a rig file, as `krupier calibrate` writes it"
        ) from error
    if len(data) > MOST_BYTES:
        raise CalibrationError(f"{path}: more than {MOST_BYTES // 1_000_000} MB; wanted a rig file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CalibrationError(f"{path}, line {line}: not UTF-8 text; wanted a rig file") from error
    return read_rig(text, str(path))


def save_rig(path: Path, rig: Rig) -> None:
    """Write a rig; the file that is there stays as it is if anything fails."""
    try:
        data = sure_text(rig, str(path)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise CalibrationError(f"{path}: {error.object!r} cannot be written as UTF-8; nothing was changed") from error
    # A link stays a link: what it points at is written.
    write_whole(path.resolve(), data)
