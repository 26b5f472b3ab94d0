"""Opening: from the name of a source, as it stands behind --camera, to the source."""

import re
import time
from pathlib import Path

from device.cameras.files import FileSource
from device.cameras.source import SIMULATED, CameraSettings, Clock, Source
from device.recording.bundle import SUFFIX
from device.recording.manifest import MANIFEST
from device.sources import SourceError

WANTED = "wanted pi, usb:0, a picture, a folder of pictures, a video, a recorded session or sim:GAME"
_USB = re.compile(r"usb:([0-9]{1,2})\Z")


def open_source(
    name: str,
    settings: CameraSettings | None = None,
    clock: Clock = time.monotonic,
    first_index: int = 0,
    first_s: float = 0.0,
) -> Source:
    """The source of that name; a camera counts frames and seconds from what is given, so that a session can go on.

    A camera that is not there yet is no error, it is waited for; what can never work is a SourceError.
    """
    settings = settings or CameraSettings()
    usb = _USB.match(name)
    if name == "pi":
        from device.cameras.picamera import pi_source

        return pi_source(settings, clock, first_index, first_s)
    if usb:
        from device.cameras.usb import usb_source

        return usb_source(int(usb[1]), settings, clock, first_index, first_s)
    if name.startswith(SIMULATED):
        # Drawing is slow to load: only those who ask for it wait for it.
        from device.cameras.simulated import simulated_source

        return simulated_source(name, clock, settings.stall_s, first_index, first_s)
    path = Path(name)
    if (path / MANIFEST).is_file() or (path.suffix == SUFFIX and path.is_file()):
        from device.recording.playback import SessionFrames

        return SessionFrames(path)
    if not path.exists():
        raise SourceError(f"{name}: no such camera, file or folder; {WANTED}")
    return FileSource(name)
