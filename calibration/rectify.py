"""Rectification: turns a camera picture into the table straight from above, in one remap."""

from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import CalibrationError, Frame, Image, RectifiedTable
from calibration.lens import Lens
from calibration.table import TablePose, check_size

Floats = NDArray[np.float64]
MOST_PIXELS = 40_000_000
_NOWHERE = -30_000.0
"""A coordinate outside every picture."""
_STEP, _WHOLE = 8, 0.999
_FRACTION = 32
"""Subpixel steps of OpenCV's fixed-point maps."""


class Rectifier:
    """Undistorts and rectifies a table at one scale, with maps that are computed once."""

    def __init__(self, lens: Lens, table: TablePose, px_per_mm: float) -> None:
        self.lens, self.table, self.px_per_mm = lens, table, px_per_mm
        self.size_px = _size_of(table, px_per_mm)
        source = _source(lens, table, px_per_mm, self.size_px)
        self._places, self._fractions = cv2.convertMaps(
            np.ascontiguousarray(source[:, :, 0]), np.ascontiguousarray(source[:, :, 1]), cv2.CV_16SC2
        )

    def rectify(self, frame: Frame) -> RectifiedTable:
        """The rectified table of a frame."""
        check_size(frame.image, self.lens)
        return RectifiedTable(frame, self.straightened(frame.image), self.px_per_mm)

    def straightened(self, image: Image) -> Image:
        """The same for an image alone; black where the camera sees nothing."""
        return np.asarray(cv2.remap(image, self._places, self._fractions, cv2.INTER_LINEAR), image.dtype)

    def sources_px(self) -> Floats:
        """The source of every pixel in the frame, as exactly as the maps store it; rows x columns x 2."""
        fraction = np.asarray(self._fractions, int)
        inside = np.stack([fraction % _FRACTION, fraction // _FRACTION], 2) / _FRACTION
        return np.asarray(self._places, float) + inside

    def seen(self) -> NDArray[np.bool_]:
        """Which pixels the camera sees."""
        places, (width, height) = np.asarray(self._places), self.lens.size_px
        x, y = places[:, :, 0], places[:, :, 1]
        return np.asarray((x >= 0) & (y >= 0) & (x < width - 1) & (y < height - 1), bool)


@lru_cache(maxsize=4)
def rectifier_for(lens: Lens, table: TablePose, px_per_mm: float) -> Rectifier:
    """The rectifier of a lens, table and scale; cached."""
    return Rectifier(lens, table, px_per_mm)


def rivals(image: Image, rectifier: Rectifier) -> tuple[Callable[[], Image], Callable[[], Image]]:
    """For the benchmark: rectification of a picture, and the cheapest remap with as many pixels."""
    frame = Frame(0, 0.0, image)
    width, height = rectifier.size_px
    x, y = np.meshgrid(
        np.linspace(0, image.shape[1] - 2, width, dtype=np.float32),
        np.linspace(0, image.shape[0] - 2, height, dtype=np.float32),
    )
    maps = cv2.convertMaps(x, y, cv2.CV_16SC2)

    def plain() -> Image:
        return np.asarray(cv2.remap(image, maps[0], maps[1], cv2.INTER_LINEAR), image.dtype)

    return lambda: rectifier.rectify(frame).image, plain


def _size_of(table: TablePose, px_per_mm: float) -> tuple[int, int]:
    if not px_per_mm > 0:
        raise CalibrationError(f"a view of {px_per_mm:g} px/mm; wanted more than 0, such as 2")
    width, height = (max(1, round(side * px_per_mm)) for side in table.size_mm)
    if width * height > MOST_PIXELS:
        raise CalibrationError(
            f"a table of {table.size_mm[0]:g} x {table.size_mm[1]:g} mm at {px_per_mm:g} px/mm has "
            f"{width * height / 1e6:.0f} megapixels; wanted at most {MOST_PIXELS / 1e6:.0f}: lower the scale"
        )
    return width, height


def _source(lens: Lens, table: TablePose, px_per_mm: float, size_px: tuple[int, int]) -> NDArray[np.float32]:
    """The source of every pixel in the frame."""
    width, height = size_px
    # Distortion is smooth: every 8th pixel is computed and the rest interpolated, with an error of at most 0.02 px.
    x, y = (np.arange(0, length + _STEP, _STEP, dtype=float) for length in size_px)
    points = np.stack(np.meshgrid((x - (width - 1) / 2) / px_per_mm, (y - (height - 1) / 2) / px_per_mm), 2)
    to_pixels = np.linalg.inv(table.to_mm)
    straight = cv2.perspectiveTransform(points.reshape(-1, 1, 2), to_pixels).reshape(-1, 2)
    rays = (straight - lens.centre_px) / lens.focal_px
    # Beyond its range a lens model folds back, and behind the camera there is no picture.
    ahead = (points.reshape(-1, 2) @ to_pixels[2, :2] + to_pixels[2, 2]) * to_pixels[2, 2] > 0
    seen = ahead & (np.hypot(rays[:, 0], rays[:, 1]) < _reach(lens))
    coarse = np.zeros((len(seen), 3), np.float32)
    coarse[seen, :2], coarse[seen, 2] = lens.distort(straight[seen]) if seen.any() else 0, 1
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    # 1/8 of a step is a whole number of 32nds, so this interpolation is exact.
    fine = cv2.remap(coarse.reshape(len(y), len(x), 3), columns / _STEP, rows / _STEP, cv2.INTER_LINEAR)
    source = np.clip(fine[:, :, :2], _NOWHERE, -_NOWHERE)
    source[fine[:, :, 2] < _WHOLE] = _NOWHERE
    return np.asarray(source, np.float32)


def _reach(lens: Lens) -> float:
    """The largest radius at which the lens model is monotonic, in focal lengths."""
    radii = np.linspace(0, 6, 601)
    least = radii[-1]
    for angle in np.linspace(0, 2 * np.pi, 8, endpoint=False):
        way = np.array([np.cos(angle), np.sin(angle)])
        bent = lens.distort(lens.centre_px + radii[:, None] * way * lens.focal_px)
        outwards = np.diff((bent - lens.centre_px) @ way) > 0
        if not outwards.all():
            least = min(least, float(radii[int(np.argmin(outwards))]))
    return float(least)
