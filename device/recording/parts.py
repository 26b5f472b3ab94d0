"""Parts: byte ranges on disk, each a whole file or a piece of a bundle."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from device.sources import SourceError

_CHUNK_BYTES = 1 << 20


class SessionError(SourceError):
    """An unusable recording; the message says which, what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class Part:
    """A byte range of a file."""

    path: Path
    begin: int
    size: int

    def open(self) -> "OpenPart":
        """Open the part for reading."""
        try:
            return OpenPart(self.path.open("rb"), self.begin, self.size)
        except OSError as error:
            raise SessionError(f"{self.path}: cannot be read: {error.strerror}") from error

    def read(self, most: int) -> bytes:
        """The whole part; SessionError if it is larger than `most` bytes."""
        if self.size > most:
            raise SessionError(f"{self.path}: {self.size} bytes; wanted at most {most}")
        with self.open() as reading:
            return reading.read(0, self.size)

    def sha256(self) -> str:
        """SHA-256 of the part."""
        digest, at = hashlib.sha256(), 0
        with self.open() as reading:
            while data := reading.read(at, _CHUNK_BYTES):
                digest.update(data)
                at += len(data)
        return digest.hexdigest()


class OpenPart:
    """A part that is open for reading."""

    def __init__(self, file: BinaryIO, begin: int, size: int) -> None:
        self._file, self._begin, self.size = file, begin, size

    def read(self, at: int, count: int) -> bytes:
        """Up to `count` bytes from `at`; fewer at the end."""
        count = min(count, self.size - at)
        if count <= 0:
            return b""
        try:
            self._file.seek(self._begin + at)
            return self._file.read(count)
        except OSError:
            # A bad sector reads as nothing: its content is lost, but not what follows.
            return b""

    def find(self, word: bytes, at: int) -> int:
        """The next offset of a byte sequence; the end if there is none."""
        while at < self.size:
            found = self.read(at, _CHUNK_BYTES).find(word)
            if found >= 0:
                return at + found
            at += _CHUNK_BYTES - len(word) + 1
        return self.size

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> "OpenPart":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def file_part(path: Path) -> Part:
    """A whole file at its current size."""
    try:
        return Part(path, 0, path.stat().st_size)
    except OSError as error:
        raise SessionError(f"{path}: cannot be read: {error.strerror}") from error
