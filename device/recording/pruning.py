"""Pruning: makes room for new recordings. The oldest videos go first; their journals stay."""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from device.files import OutputError
from device.recording.film import FRAMES, VIDEO
from device.recording.folder import Stored, is_running, sessions_in, write_manifest
from device.recording.parts import SessionError

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([KMGT]?B?)\Z")
RESERVE_BYTES = 64_000_000
"""Bytes kept free for the journal and the history when there is no room for video."""


class SizeError(OutputError):
    """An invalid size; the message quotes it."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """A recording whose video was deleted."""

    path: Path
    freed: int


def bytes_from(text: str) -> int:
    """Parse a size such as 20GB, 500 MB or 1000000."""
    found = _SIZE.match(text.strip().upper())
    unit = "" if found is None else found[2] if found[2] in _UNITS else f"{found[2]}B"
    if found is None or unit not in _UNITS:
        raise SizeError(f"size {text!r:.40}; wanted a number with B, KB, MB, GB or TB, as 20GB")
    return int(float(found[1]) * _UNITS[unit])


def size_text(size: float) -> str:
    """Format a size for people."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def prune(root: Path, most: int, try_only: bool = False) -> tuple[Pruned, ...]:
    """Delete the oldest videos until all sessions together take at most `most` bytes.

    Running and pinned sessions are kept, and so is every journal: no game is lost for lack of room.
    """
    sessions = sessions_in(root)
    total = sum(stored.size for stored in sessions)
    gone = []
    for stored in sessions:
        if total <= most:
            break
        freed = _video_size(stored)
        if not freed or stored.manifest.pinned or is_running(stored.path):
            continue
        if not try_only:
            _drop_video(stored)
        gone.append(Pruned(stored.path, freed))
        total -= freed
    return tuple(gone)


def pin(stored: Stored, pinned: bool) -> None:
    """Pin or unpin a recording; pinned recordings are never pruned."""
    write_manifest(stored.path, replace(stored.manifest, pinned=pinned))


class Room:
    """Makes room for a recorder: prunes to the user's limit and reports when nothing is left to prune."""

    def __init__(self, root: Path, most: int | None, reserve: int = RESERVE_BYTES) -> None:
        self._root, self._most, self._reserve = root, most, reserve

    def __call__(self) -> str:
        """Make room; an error message if that failed, otherwise an empty string."""
        try:
            return self._error()
        except (OutputError, SessionError) as error:
            return str(error)

    def _error(self) -> str:
        if self._most is not None:
            prune(self._root, self._most)
            total = sum(stored.size for stored in sessions_in(self._root))
            if total > self._most:
                return (
                    f"recordings take {size_text(total)}, the limit is {size_text(self._most)}, "
                    "and all others are pinned or pruned already"
                )
        try:
            disk = os.statvfs(self._root)
        except OSError as error:
            return f"{self._root}: {error.strerror}"
        free = disk.f_bavail * disk.f_frsize
        if free < self._reserve:
            return f"the disk is full: {size_text(free)} are free, {size_text(self._reserve)} are kept for the journal"
        return ""


def _video_size(stored: Stored) -> int:
    return sum(part.size for name, part in stored.parts if name in (VIDEO, FRAMES))


def _drop_video(stored: Stored) -> None:
    # The manifest first, so that a session without a video always says why.
    files = tuple(file for file in stored.manifest.files if file.name not in (VIDEO, FRAMES))
    write_manifest(stored.path, replace(stored.manifest, pruned=True, frames=0, files=files))
    for name in (VIDEO, FRAMES):
        try:
            (stored.path / name).unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{stored.path / name}: cannot be thrown away: {error.strerror}") from error
