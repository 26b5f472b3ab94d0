"""Removal: deletes a recording for good, completely or not at all."""

import shutil

from device.files import OutputError
from device.recording.appended import sync_folder
from device.recording.folder import Stored, is_running
from device.recording.parts import SessionError


def remove(stored: Stored) -> None:
    """Delete a session with its journal; refuses pinned and running sessions."""
    path = stored.path
    if stored.manifest.pinned:
        raise SessionError(f"{path.name}: is pinned; unpin it first")
    if is_running(path):
        raise SessionError(f"{path.name}: is being recorded; end that first")
    # Lists skip hidden names, so a half-deleted session never shows, even after a power cut.
    gone = path.with_name(f".gone-{path.name}")
    try:
        shutil.rmtree(gone, ignore_errors=True)
        path.rename(gone)
        sync_folder(path.parent)
        shutil.rmtree(gone)
    except OSError as error:
        raise OutputError(f"{path.name}: cannot be thrown away: {error.strerror}") from error
