"""Opens frame sources by name, as given to --camera. Every program opens cameras here."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

from calibration.frames import Frame
from device.cameras.files import FileSource
from device.cameras.live import LiveSource
from device.cameras.source import SIMULATED, CameraSettings, Clock, Health, Source
from device.recording.bundle import SUFFIX
from device.recording.manifest import MANIFEST
from device.sources import SourceError

WANTED = "wanted pi, usb:0, a picture, a folder of pictures, a video, a recorded session or sim:GAME"
_USB = re.compile(r"usb:([0-9]{1,2})\Z")
WAIT_S = 0.2
"""Seconds between status checks while a camera gives no frame."""
CAMERA_FRAMES = 30
"""Frames that a camera needs to settle its exposure."""


def open_source(
    name: str,
    settings: CameraSettings | None = None,
    clock: Clock = time.monotonic,
    first_index: int = 0,
    first_s: float = 0.0,
) -> Source:
    """Open the source with this name; a resumed session passes the number and time of its next frame.

    A missing camera is not an error: the source waits for it. A name that can never work raises SourceError.
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
        # The drawing code loads slowly, so only simulated cameras import it.
        from device.cameras.simulated import simulated_source

        return simulated_source(name, clock, settings.stall_s, first_index, first_s)
    path = Path(name)
    if (path / MANIFEST).is_file() or (path.suffix == SUFFIX and path.is_file()):
        from device.recording.playback import SessionFrames

        return SessionFrames(path)
    if not path.exists():
        raise SourceError(f"{name}: no such camera, file or folder; {WANTED}")
    return FileSource(name)


def frames_now(name: str, settings: CameraSettings | None = None) -> Iterator[Frame]:
    """All frames of a source that must be available now; SourceError if the camera is missing."""
    source = open_source(name, settings)
    if not isinstance(source, LiveSource):
        yield from source.frames()
        return
    try:
        while source.status.health is not Health.ENDED:
            frame = source.take(WAIT_S)
            if frame is not None:
                yield frame
            elif source.status.health is Health.LOST and source.status.tries:
                raise SourceError(source.status.message)
    finally:
        source.close()


def last_frame(name: str, settings: CameraSettings | None = None) -> Frame:
    """The last frame of a film, when the hands are gone; for a camera, a frame after its exposure has settled."""
    found, live = None, _is_camera(name)
    for frame in frames_now(name, settings):
        found = frame
        if live and frame.index >= CAMERA_FRAMES:
            break
    if found is None:
        raise SourceError(f"{name}: holds no picture")
    return found


def _is_camera(name: str) -> bool:
    return name == "pi" or _USB.match(name) is not None or name.startswith(SIMULATED)
