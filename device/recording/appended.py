"""Append-only files: an append is written completely or not at all, and survives a crash of the process."""

import os
from pathlib import Path
from typing import Any

from device.files import OutputError
from device.recording.lines import Lines, read_lines
from device.recording.parts import file_part

MOST_LINES = 1 << 30
"""Maximum size of a JSON Lines file; far more than any game needs."""


class Appended:
    """A file that only grows at its end."""

    def __init__(self, path: Path, end: int = 0) -> None:
        """Open or create the file and truncate it to `end` bytes."""
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
        """Append data and return the offset of its first byte. On an error the file is left unchanged."""
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
        """Overwrite existing bytes."""
        try:
            self._write(data, at)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error

    def sync(self) -> None:
        """Flush the file to the disk."""
        try:
            os.fsync(self._file)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _write(self, data: bytes, at: int) -> None:
        rest = memoryview(data)
        while rest:
            # A nearly full disk accepts a partial write and reports the error only on the next one.
            written = os.pwrite(self._file, rest, at)
            rest, at = rest[written:], at + written


def open_lines(path: Path) -> tuple[Lines[dict[str, Any]], Appended]:
    """Open or create a file of checked lines for appending; a torn last line is cut off."""
    data = file_part(path).read(MOST_LINES) if path.exists() else b""
    lines = read_lines(data, path.name)
    file = Appended(path, lines.whole)
    if lines.whole and data[lines.whole - 1 : lines.whole] != b"\n":
        file.append(b"\n")
    return lines, file


def sync_folder(folder: Path) -> None:
    """Flush the directory entries of a folder to the disk."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
