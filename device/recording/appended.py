"""Appended files: whatever is added is there whole or not at all, and survives the process at once."""

import os
from pathlib import Path
from typing import Any

from device.files import OutputError
from device.recording.lines import Lines, read_lines
from device.recording.parts import file_part

MOST_LINES = 1 << 30
"""Bytes of a file of lines: no game comes near."""


class Appended:
    """A file that grows at its end."""

    def __init__(self, path: Path, end: int = 0) -> None:
        """Open a file, make it if it is not there, and cut off what is behind `end`."""
        self.path, self.end = path, end
        new = not path.exists()
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            if os.fstat(self._file).st_size != end:
                os.ftruncate(self._file, end)
            if new:
                sync_folder(path.parent)
        except OSError as error:
            os.close(self._file)
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error

    def append(self, data: bytes, sync: bool = False) -> int:
        """Add something; where it begins. After an error the file is as it was."""
        begin = self.end
        try:
            self._write(data, begin)
            if sync:
                os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, begin)
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error
        self.end = begin + len(data)
        return begin

    def patch(self, at: int, data: bytes) -> None:
        """Overwrite bytes that are there."""
        try:
            self._write(data, at)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error

    def sync(self) -> None:
        """Come back when everything is on the disk."""
        try:
            os.fsync(self._file)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Give the file back; what was appended stays."""
        os.close(self._file)

    def _write(self, data: bytes, at: int) -> None:
        rest = memoryview(data)
        while rest:
            # A disk that is nearly full takes a part, and says so only the next time.
            written = os.pwrite(self._file, rest, at)
            rest, at = rest[written:], at + written


def open_lines(path: Path) -> tuple[Lines[dict[str, Any]], Appended]:
    """A file of checked lines to go on with, or a new one; a last line that was torn is cut off."""
    data = file_part(path).read(MOST_LINES) if path.exists() else b""
    lines = read_lines(data, path.name)
    file = Appended(path, lines.whole)
    if lines.whole and data[lines.whole - 1 : lines.whole] != b"\n":
        file.append(b"\n")
    return lines, file


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder are on the disk."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
