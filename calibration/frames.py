"""Frames: pictures of the camera, and the rectified table."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


class CalibrationError(ValueError):
    """Something that cannot be calibrated or used; the message says what was found, what was wanted and what to do."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the camera; time is `at_s`, and nothing downstream reads a clock."""

    index: int
    at_s: float
    image: Image
    """BGR, read-only."""
    camera: tuple[tuple[str, float], ...] = ()
    """Metadata of the camera for this picture: exposure, gains, temperature …"""


@dataclass(frozen=True, slots=True)
class RectifiedTable:
    """The table straight from above at a known scale; both have the same centre."""

    frame: Frame
    image: Image
    px_per_mm: float

    def to_mm(self, x_px: float, y_px: float) -> tuple[float, float]:
        """A pixel of the rectified table in table mm."""
        height, width = self.image.shape[:2]
        return (x_px - (width - 1) / 2) / self.px_per_mm, (y_px - (height - 1) / 2) / self.px_per_mm

    def to_px(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """A point of the table in pixels of the rectified table."""
        height, width = self.image.shape[:2]
        return x_mm * self.px_per_mm + (width - 1) / 2, y_mm * self.px_per_mm + (height - 1) / 2
