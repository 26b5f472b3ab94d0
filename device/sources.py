"""Sources of frames: a picture, a folder of pictures, a video, a USB camera."""

import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from calibration.frames import Frame

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
MOST_PIXELS = 64_000_000
_USB = re.compile(r"usb:([0-9]{1,2})\Z")


class SourceError(ValueError):
    """A camera or file that gives no pictures; the message says which and why."""


def frames_from(source: str) -> Iterator[Frame]:
    """All frames of a source, in order; a camera goes on until the reader stops."""
    usb = _USB.match(source)
    if usb:
        return _filmed(int(usb[1]), source)
    path = Path(source)
    if path.is_dir():
        return _pictures(sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURES), source)
    if not path.exists():
        raise SourceError(f"{source}: no such file or folder; wanted a picture, a folder, a video or usb:0")
    if path.suffix.lower() in PICTURES:
        return _pictures([path], source)
    return _filmed(str(path), source)


def first_frame(source: str) -> Frame:
    """The first frame of a source."""
    for frame in frames_from(source):
        return frame
    raise SourceError(f"{source}: holds no picture")


def last_frame(source: str) -> Frame:
    """The last frame of a film, or the only one of a picture: when the hands are gone."""
    found = None
    for frame in frames_from(source):
        found = frame
        if _USB.match(source) and frame.index >= 30:
            break
    if found is None:
        raise SourceError(f"{source}: holds no picture")
    return found


def read_picture(path: Path) -> Frame:
    """One picture as a frame."""
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from error
    image = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    if image is None:
        raise SourceError(f"{path}: is no picture that can be read ({len(data)} bytes); wanted {', '.join(PICTURES)}")
    if image.shape[0] * image.shape[1] > MOST_PIXELS:
        raise SourceError(
            f"{path}: {image.shape[1]} x {image.shape[0]} pixels; wanted at most {MOST_PIXELS // 10**6} megapixels"
        )
    return Frame(0, 0.0, np.asarray(image, np.uint8))


def _pictures(paths: list[Path], source: str) -> Iterator[Frame]:
    if not paths:
        raise SourceError(f"{source}: no pictures in it; wanted {', '.join(PICTURES)}")
    for index, path in enumerate(paths):
        yield Frame(index, float(index), read_picture(path).image)


def _filmed(device: int | str, source: str) -> Iterator[Frame]:
    capture = cv2.VideoCapture(device)
    try:
        if not capture.isOpened():
            what = "no camera there" if isinstance(device, int) else "is no video that can be read"
            raise SourceError(f"{source}: {what}; wanted a picture, a folder, a video or usb:0")
        fps = capture.get(cv2.CAP_PROP_FPS) or 10.0
        index = 0
        while True:
            good, image = capture.read()
            if not good:
                break
            yield Frame(index, index / fps, np.asarray(image, np.uint8))
            index += 1
        if not index:
            raise SourceError(f"{source}: holds no frame that can be read")
    finally:
        capture.release()
