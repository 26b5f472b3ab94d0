"""Removal: a recording that is thrown away for good, whole or not at all."""

import shutil

from device.files import OutputError
from device.recording.appended import sync_folder
from device.recording.folder import Stored, is_running
from device.recording.parts import SessionError


def remove(stored: Stored) -> None:
    """Throw a session away, journal and all; never one that is pinned or being recorded."""
    path = stored.path
    if stored.manifest.pinned:
        raise SessionError(f"{path.name}: is pinned; unpin it first")
    if is_running(path):
        raise SessionError(f"{path.name}: is being recorded; end that first")
    # A name that lists do not show: half of a session is never seen, also after a power cut.
    gone = path.with_name(f".gone-{path.name}")
    try:
        shutil.rmtree(gone, ignore_errors=True)
        path.rename(gone)
        sync_folder(path.parent)
        shutil.rmtree(gone)
    except OSError as error:
        raise OutputError(f"{path.name}: cannot be thrown away: {error.strerror}") from error
