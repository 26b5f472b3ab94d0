"""The album: a picture for everything that a replay found changed."""

from collections.abc import Sequence
from pathlib import Path

import cv2

from device.eyes import Eye
from device.files import OutputError, new_folder
from device.session.replay import Recorded, ReplayChange, picture_of
from vision.draw.overlay import draw_look

_QUALITY = 93


def write_pictures(folder: Path, recorded: Recorded, found: Sequence[ReplayChange], eye: Eye | None) -> int:
    """One picture a change, with what is seen in it today; how many there are."""
    count = 0
    with new_folder(folder) as part:
        for number, change in enumerate(found, 1):
            frame = picture_of(recorded, change)
            if frame is None:
                continue
            image = frame.image if eye is None else draw_look(frame.image, eye.look(frame))
            good, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
            if not good:
                raise OutputError(f"{folder}: no JPEG can be written here")
            name = f"{number:03d}-{change.what.replace(' ', '-')}-frame-{frame.index:06d}.jpg"
            (part / name).write_bytes(data.tobytes())
            count += 1
    return count
