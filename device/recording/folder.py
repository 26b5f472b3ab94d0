"""Sessions on disk: one folder each, locked by the process that writes it."""

import fcntl
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from device.files import OutputError, write_whole
from device.recording.appended import sync_folder
from device.recording.film import FRAMES, VIDEO
from device.recording.journal import JOURNAL
from device.recording.lines import Loss
from device.recording.manifest import (
    MANIFEST,
    MAX_MANIFEST_BYTES,
    File,
    Manifest,
    SessionState,
    manifest_bytes,
    read_manifest,
)
from device.recording.parts import Part, SessionError, file_part
from device.recording.tally import tally

RIG, DECK = "rig.toml", "deck.toml"
SNAPSHOT = (VIDEO, FRAMES, JOURNAL, RIG, DECK)
"""The files of a session, in the order in which they are hashed and bundled."""
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
_NAME = re.compile(r"([0-9]{5,9})-[A-Za-z0-9._-]{1,80}\Z")
_MAX_NUMBER_TRIES = 100
"""Numbers to try when others create sessions at the same time."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A readable session: a folder or a bundle."""

    path: Path
    manifest: Manifest
    parts: tuple[tuple[str, Part], ...]
    losses: tuple[Loss, ...] = ()
    """Damage to the manifest."""

    def part(self, name: str) -> Part | None:
        """One file of the session; None if it is missing."""
        return dict(self.parts).get(name)

    def check(self) -> tuple[Loss, ...]:
        """Compare every file with its hash; interrupted sessions have no hashes."""
        losses, there = list(self.losses), dict(self.parts)
        for file in self.manifest.files:
            part = there.get(file.name)
            if part is None:
                losses.append(Loss(file.name, 0, f"is gone; {file.size} bytes were there"))
            elif part.size != file.size:
                losses.append(Loss(file.name, 0, f"{part.size} bytes, wanted {file.size}"))
            elif (found := part.sha256()) != file.sha256:
                losses.append(Loss(file.name, 0, f"its hash is {found[:16]}…, wanted {file.sha256[:16]}…"))
        return tuple(losses)

    @property
    def size(self) -> int:
        """Total size in bytes."""
        return sum(part.size for _, part in self.parts)


class RecordingFolder:
    """The folder of a session that this process writes; the lock keeps others from pruning or resuming it."""

    def __init__(self, path: Path, manifest: Manifest, hold: int) -> None:
        self.path, self.manifest, self._hold = path, manifest, hold

    def finish(self, state: SessionState = SessionState.CLOSED) -> Manifest:
        """Write the final counts and hashes, and unlock. Close the recorder and the journal first."""
        counts = tally(self.path)
        self.manifest = replace(
            self.manifest,
            state=state,
            frames=counts.frames,
            entries=counts.entries,
            length_s=counts.length_s,
            files=tuple(hashed(self.path)),
        )
        write_whole(self.path / MANIFEST, manifest_bytes(self.manifest))
        self.let_go()
        return self.manifest

    def let_go(self) -> None:
        """Unlock the folder; a session that was not finished counts as interrupted."""
        if self._hold >= 0:
            os.close(self._hold)
            self._hold = -1


def create_session(
    root: Path, manifest: Manifest, rig: str = "", deck: str = "", path: Path | None = None
) -> RecordingFolder:
    """Create a session folder below `root`, or at `path`, with a copy of the current rig and deck."""
    try:
        if path is None:
            root.mkdir(parents=True, exist_ok=True)
            manifest, path = _numbered(root, manifest)
        else:
            path.mkdir(parents=True, exist_ok=False)
        hold = _lock(path)
        if hold is None:
            raise SessionError(f"{path}: another process writes it")
        for name, text in ((RIG, rig), (DECK, deck)):
            if text:
                write_whole(path / name, text.encode("utf-8"))
        write_whole(path / MANIFEST, manifest_bytes(manifest))
        sync_folder(path)
        sync_folder(path.parent)
    except FileExistsError as error:
        raise OutputError(f"{path}: is there already; wanted a new folder") from error
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"{path or root}: cannot be made: {error.strerror}") from error
    return RecordingFolder(path, manifest, hold)


def reopen_session(path: Path) -> RecordingFolder:
    """Reopen an interrupted session; SessionError if another process writes it."""
    manifest = open_folder(path).manifest
    hold = _lock(path)
    if hold is None:
        raise SessionError(f"{path}: another process writes it; end that one first")
    manifest = replace(manifest, state=SessionState.OPEN, files=())
    try:
        write_whole(path / MANIFEST, manifest_bytes(manifest))
    except OutputError:
        os.close(hold)
        raise
    return RecordingFolder(path, manifest, hold)


def is_running(path: Path) -> bool:
    """Whether a process writes this session now."""
    hold = _lock(path)
    if hold is None:
        return True
    os.close(hold)
    return False


def open_folder(path: Path) -> Stored:
    """Open a session folder for reading; a damaged manifest is a loss, a missing folder an error."""
    if not path.is_dir():
        raise SessionError(f"{path}: no such folder; wanted a recorded session")
    losses: tuple[Loss, ...] = ()
    try:
        manifest = read_manifest(file_part(path / MANIFEST).read(MAX_MANIFEST_BYTES), MANIFEST)
    except SessionError as error:
        if not (path / VIDEO).exists() and not (path / JOURNAL).exists():
            raise SessionError(f"{path}: is no recorded session; wanted {MANIFEST}, {VIDEO}, {JOURNAL}") from error
        number = _NAME.match(path.name)
        manifest, losses = Manifest(int(number[1]) if number else 0), (Loss(MANIFEST, 0, str(error)),)
    parts = [(name, file_part(path / name)) for name in _names(path)]
    return Stored(path, manifest, tuple(parts), losses)


def sessions_in(root: Path) -> list[Stored]:
    """All sessions in a folder, oldest first."""
    found = []
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        if path.is_dir() and not path.name.startswith("."):
            try:
                found.append(open_folder(path))
            except SessionError:
                # Not a session.
                continue
    return sorted(found, key=lambda stored: (stored.manifest.number, stored.path.name))


def next_number(root: Path) -> int:
    """The number of the next session in a folder."""
    named = (_NAME.match(path.name) for path in root.iterdir())
    used = [int(name[1]) for name in named if name] + [stored.manifest.number for stored in sessions_in(root)]
    return 1 + max(used, default=0)


def hashed(path: Path) -> Iterator[File]:
    """All files of a session except the manifest, with their hashes."""
    for name in _names(path):
        part = file_part(path / name)
        yield File(name, part.size, part.sha256())


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Replace the manifest of a session."""
    write_whole(path / MANIFEST, manifest_bytes(manifest))


def journal_of(stored: Stored) -> Part:
    """The journal of a session; SessionError if it has none."""
    part = stored.part(JOURNAL)
    if part is None:
        raise SessionError(f"{stored.path}: no {JOURNAL} in it; it is a film without rulings")
    return part


def _names(path: Path) -> list[str]:
    return [name for name in SNAPSHOT if (path / name).is_file() and not (path / name).is_symlink()]


def _numbered(root: Path, manifest: Manifest) -> tuple[Manifest, Path]:
    number = next_number(root)
    for tried in range(number, number + _MAX_NUMBER_TRIES):
        path = root / f"{tried:05d}-{manifest.game or 'table'}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return replace(manifest, number=tried), path
    raise OutputError(f"{root}: no free number from {number} on")


def _lock(path: Path) -> int | None:
    """Lock a folder for this process and return its file descriptor; None if another process holds the lock."""
    try:
        hold = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise SessionError(f"{path}: cannot be opened: {error.strerror}") from error
    try:
        fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(hold)
        return None
    return hold
