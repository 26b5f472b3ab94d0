"""Rig files: read with precise errors, written atomically."""

from pathlib import Path

from calibration.frames import CalibrationError
from calibration.rig import Rig, read_rig, sure_text
from device.files import write_whole

MAX_RIG_BYTES = 4_000_000
"""Maximum size of a rig file to read."""


def load_rig(path: Path) -> Rig:
    """Load and validate a rig file; errors name the line."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RIG_BYTES + 1)
    except OSError as error:
        raise CalibrationError(
            f"{path}: cannot be read: {error.strerror}; wanted a rig file, as `krupier calibrate` writes it"
        ) from error
    if len(data) > MAX_RIG_BYTES:
        raise CalibrationError(f"{path}: more than {MAX_RIG_BYTES // 1_000_000} MB; wanted a rig file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CalibrationError(f"{path}, line {line}: not UTF-8 text; wanted a rig file") from error
    return read_rig(text, str(path))


def save_rig(path: Path, rig: Rig) -> None:
    """Write a rig atomically; on an error the old file stays."""
    try:
        data = sure_text(rig, str(path)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise CalibrationError(f"{path}: {error.object!r} cannot be written as UTF-8; nothing was changed") from error
    # Write to a link's target, so that the link stays a link.
    write_whole(path.resolve(), data)
