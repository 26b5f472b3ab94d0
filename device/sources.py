"""Frames from files: a picture, a folder of pictures, a video."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from calibration.frames import Frame, Image

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
MAX_PIXELS = 64_000_000
"""Maximum number of pixels of a picture."""
MIN_SIDE_PX = 16
"""Minimum width and height of a picture."""
_OPAQUE_ALPHA = {1: 255.0, 2: 65535.0}
"""Alpha value of an opaque pixel, by bytes per channel."""
_START_OF_SCAN = 0xDA
"""JPEG marker that starts the pixel data."""


class SourceError(ValueError):
    """A camera or file that yields no pictures; the message says which and why."""


def frames_from(source: str) -> Iterator[Frame]:
    """All frames of a file or folder, in order."""
    path = Path(source)
    if path.is_dir():
        return _pictures(pictures_in(path))
    if not path.exists():
        raise SourceError(f"{source}: no such file or folder; wanted a picture, a folder, a video or usb:0")
    if path.suffix.lower() in PICTURES:
        return _pictures([path])
    return _video_frames(path)


def pictures_in(folder: Path) -> list[Path]:
    """The pictures in a folder, sorted by name."""
    try:
        found = sorted(file for file in folder.iterdir() if file.suffix.lower() in PICTURES and file.is_file())
    except OSError as error:
        raise SourceError(f"{folder}: cannot be read: {error.strerror}") from error
    if not found:
        raise SourceError(f"{folder}: no pictures in it; wanted {', '.join(PICTURES)}")
    return found


def read_picture(path: Path) -> Frame:
    """Read one picture as an 8-bit BGR frame, whatever its format."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from error
    if not data:
        raise SourceError(f"{path}: is no picture, the file is empty (0 bytes); wanted {', '.join(PICTURES)}")
    if cut_short(data):
        raise SourceError(
            f"{path}: is no picture that can be read, it ends too early ({len(data)} bytes); copy it again"
        )
    image = _decoded(data, path)
    height, width = image.shape[:2]
    if min(width, height) < MIN_SIDE_PX:
        raise SourceError(f"{path}: {width} x {height} pixels; wanted at least {MIN_SIDE_PX} x {MIN_SIDE_PX}")
    return Frame(0, 0.0, image)


def cut_short(data: bytes) -> bool:
    """Whether a JPEG, PNG, WebP or BMP file is truncated; decoders would silently fill it with grey."""
    if data.startswith(b"\xff\xd8"):
        # An embedded preview has its own end marker: only one after the first scan counts.
        at = 2
        while data[at : at + 1] == b"\xff" and at + 4 <= len(data) and data[at + 1] != _START_OF_SCAN:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        return data.find(b"\xff\xd9", at) < 0
    if data.startswith(b"\x89PNG"):
        return b"IEND" not in data
    if data.startswith(b"RIFF"):
        return int.from_bytes(data[4:8], "little") + 8 > len(data)
    return data.startswith(b"BM") and int.from_bytes(data[2:6], "little") > len(data)


def _decoded(data: bytes, path: Path) -> Image:
    """Decode the pixels; transparent areas become black."""
    wide, tall = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    if data.startswith(b"\x89PNG") and wide * tall > MAX_PIXELS:
        raise _too_large(path, wide, tall)
    pixels = np.frombuffer(data, np.uint8)
    try:
        image = cv2.imdecode(pixels, cv2.IMREAD_COLOR)
        whole = None if data.startswith((b"\xff\xd8", b"BM")) else cv2.imdecode(pixels, cv2.IMREAD_UNCHANGED)
    except cv2.error as error:
        raise SourceError(f"{path}: cannot be decoded: {error.err}; wanted {', '.join(PICTURES)}") from error
    if image is None:
        raise SourceError(f"{path}: is no picture that can be read ({len(data)} bytes); wanted {', '.join(PICTURES)}")
    if image.shape[0] * image.shape[1] > MAX_PIXELS:
        raise _too_large(path, image.shape[1], image.shape[0])
    # An EXIF rotation makes the two shapes differ; such a file has no alpha channel anyway.
    if whole is not None and whole.ndim == 3 and whole.shape[2] == 4 and whole.shape[:2] == image.shape[:2]:
        alpha = whole[:, :, 3].astype(np.float32) / _OPAQUE_ALPHA.get(whole.dtype.itemsize, 1.0)
        image = np.asarray(image * alpha[:, :, None] + 0.5, np.uint8)
    return np.asarray(image, np.uint8)


def _too_large(path: Path, wide: int, tall: int) -> SourceError:
    return SourceError(f"{path}: {wide} x {tall} pixels; wanted at most {MAX_PIXELS // 10**6} megapixels")


def _pictures(paths: list[Path]) -> Iterator[Frame]:
    for index, path in enumerate(paths):
        yield Frame(index, float(index), read_picture(path).image)


def _video_frames(path: Path) -> Iterator[Frame]:
    capture = cv2.VideoCapture(str(path))
    try:
        if not capture.isOpened():
            raise SourceError(f"{path}: is no video that can be read; wanted a picture, a folder, a video or usb:0")
        fps = capture.get(cv2.CAP_PROP_FPS) or 10.0
        index = 0
        while True:
            good, image = capture.read()
            if not good:
                break
            yield Frame(index, index / fps, np.asarray(image, np.uint8))
            index += 1
        if not index:
            raise SourceError(f"{path}: holds no frame that can be read")
    finally:
        capture.release()
