"""Sessions by name: as people call them on the command line."""

from pathlib import Path

from device.plain import plain
from device.recording.bundle import open_stored
from device.recording.folder import PLAIN, Stored, sessions_in
from device.recording.parts import SessionError


def find_session(which: str, root: Path) -> Stored:
    """A session by its name or number among those below `root`, or by where it is."""
    if PLAIN.match(which) and (root / which).is_dir():
        return open_stored(root / which)
    for stored in sessions_in(root) if which.isdecimal() else ():
        if stored.manifest.number == int(which):
            return stored
    if Path(which).exists():
        return open_stored(Path(which))
    raise SessionError(f"{plain(which)}: no such session; `krupier session list` names those in {root}")
