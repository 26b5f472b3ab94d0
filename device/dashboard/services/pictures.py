"""Pictures of the camera, packed when somebody asks for one; the referee never waits for that."""

from collections import OrderedDict
from threading import Lock

import cv2

from calibration.frames import Frame, Image
from calibration.rectify import rectifier_for
from calibration.rig import Rig
from device.dashboard.refusals import Refusal

WIDTHS = (320, 480, 640, 960, 1280, 1920)
"""Pictures are made in few sizes, so that many viewers share them."""
QUALITY = 80
STRAIGHT_PX_PER_MM = 1.25
"""Scale of the rectified table: sharp enough as a background of the drawn table."""
_KEPT = 8


class CameraPictures:
    """The newest frame, and JPEGs of it; any thread may call."""

    def __init__(self) -> None:
        self._newest: Frame | None = None
        self._lock = Lock()
        self._made: OrderedDict[tuple[int, int, bool], bytes] = OrderedDict()

    @property
    def newest(self) -> Frame | None:
        """The newest frame."""
        return self._newest

    def show(self, frame: Frame | None) -> None:
        """Keep a new frame, or none; only a reference is stored."""
        self._newest = frame
        if frame is None:
            with self._lock:
                self._made.clear()

    def jpeg(self, width: int, rig: Rig | None = None) -> bytes:
        """The newest frame at about that width; with a rig, the rectified table. Refusal 404 if there is none."""
        frame = self._newest
        if frame is None:
            raise Refusal(404, "there is no picture", None, "a game with a camera")
        key = (frame.index, fitting(width, frame.image.shape[1]), rig is not None)
        # A second caller waits for the first one's picture instead of packing it again.
        with self._lock:
            made = self._made.get(key)
            if made is None:
                image = frame.image if rig is None else straight(frame, rig)
                made = jpeg(image, fitting(width, image.shape[1]))
                self._made[key] = made
                while len(self._made) > _KEPT:
                    self._made.popitem(last=False)
        return made


def straight(frame: Frame, rig: Rig) -> Image:
    """The rectified table; Refusal 404 if the rig has no lens or no table."""
    if rig.lens is None or rig.table is None:
        raise Refusal(404, "where the table lies is not known", None, "a rig with a lens and a table")
    return rectifier_for(rig.lens, rig.table, STRAIGHT_PX_PER_MM).rectify(frame).image


def fitting(width: int, most: int) -> int:
    """The smallest of our widths that is not below the wanted one; never wider than the picture."""
    return min(most, next((one for one in WIDTHS if one >= width), most))


def jpeg(image: Image, width: int | None = None, quality: int = QUALITY) -> bytes:
    """A picture as JPEG."""
    if width is not None and width < image.shape[1]:
        height = max(1, round(image.shape[0] * width / image.shape[1]))
        image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA).astype("uint8", copy=False)
    good, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not good:
        raise Refusal(500, "no JPEG can be made here")
    return data.tobytes()


def webp(image: Image, width_px: int, quality: int = QUALITY) -> bytes:
    """A picture as WebP, shrunk to a width; a narrower picture keeps its own."""
    if width_px < image.shape[1]:
        height_px = max(1, round(image.shape[0] * width_px / image.shape[1]))
        image = cv2.resize(image, (width_px, height_px), interpolation=cv2.INTER_AREA).astype("uint8", copy=False)
    good, data = cv2.imencode(".webp", image, [cv2.IMWRITE_WEBP_QUALITY, quality])
    if not good:
        raise Refusal(500, "no WebP can be made here")
    return data.tobytes()
