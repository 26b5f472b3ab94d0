"""The window: the table straight from above at the finder's scale, and the way back to the frame."""

from dataclasses import replace

import cv2
import numpy as np

from calibration.lens import Lens
from calibration.rectify import Rectifier
from calibration.table import TablePose, check_size, mm_to_pixels, pixels_to_mm
from models.crops import CARD_PX, CROP_PX, Floats, Image

MARGIN_MM = 30.0
"""Cards may stick out over the edge of the table by half their width."""
_SHOWN_STEPS = 100
"""How finely it is tried which part of the view the picture shows."""


class Window:
    """What a rig lets us see of the table, for cards of one size."""

    def __init__(self, lens: Lens, table: TablePose, card_mm: tuple[float, float]) -> None:
        self.lens, self.table, self.card_mm = lens, table, card_mm
        self.px_per_mm = CARD_PX / card_mm[0]
        frame_px_per_mm = _scale(lens, table)
        # Pictures that are much larger than wanted are averaged first: skipping pixels would make thin lines flicker.
        self._coarse = max(1, int(frame_px_per_mm / self.px_per_mm / 1.05))
        self._fine = max(1, int(frame_px_per_mm * card_mm[0] / CROP_PX[0] / 1.05))
        width, height = lens.size_px
        small = _small(lens, (width // self._coarse, height // self._coarse))
        wide = (table.size_mm[0] + 2 * MARGIN_MM, table.size_mm[1] + 2 * MARGIN_MM)
        self._rectifier = Rectifier(small, replace(_shrunk(table, lens, small), size_mm=wide), self.px_per_mm)

    @property
    def card_px(self) -> tuple[float, float]:
        """The size of a card in the view."""
        return self.card_mm[0] * self.px_per_mm, self.card_mm[1] * self.px_per_mm

    def straight(self, image: Image) -> Image:
        """The view of a frame."""
        check_size(image, self.lens)
        return self._rectifier.straightened(averaged(image, self._coarse))

    def detail(self, image: Image) -> tuple[Image, Floats]:
        """The frame as fine as crops need it, and how its pixels follow from the frame's: scale across and down."""
        fine = averaged(image, self._fine)
        return fine, np.array([fine.shape[1] / image.shape[1], fine.shape[0] / image.shape[0]])

    def to_mm(self, points_px: Floats) -> Floats:
        """Points of the view on the table."""
        width, height = self._rectifier.size_px
        return np.asarray((points_px - ((width - 1) / 2, (height - 1) / 2)) / self.px_per_mm, float)

    def seen_mm(self) -> tuple[float, float, float, float]:
        """How far the view shows the picture: to the left, to the top, to the right, down."""
        x, y = (side / 2 + MARGIN_MM for side in self.table.size_mm)
        return self._shown(-x, 0), self._shown(-y, 1), self._shown(x, 0), self._shown(y, 1)

    def _shown(self, limit_mm: float, axis: int) -> float:
        """How far towards one limit of the view the picture shows all of its side."""
        along = self.table.size_mm[1 - axis] / 2
        for share in (1.0 - 0.5 * step / _SHOWN_STEPS for step in range(_SHOWN_STEPS)):
            side = np.array([(limit_mm * share, part * along) for part in (-0.8, 0.0, 0.8)])
            pixels = self.to_frame(side if axis == 0 else side[:, ::-1])
            if ((pixels >= 0) & (pixels <= np.array(self.lens.size_px) - 1)).all():
                return limit_mm * share
        return limit_mm / 2

    def to_view(self, points_frame: Floats) -> Floats:
        """Points of the frame in the view."""
        width, height = self._rectifier.size_px
        points_mm = pixels_to_mm(points_frame, self.lens, self.table)
        return np.asarray(points_mm * self.px_per_mm + ((width - 1) / 2, (height - 1) / 2), float)

    def to_frame(self, points_mm: Floats) -> Floats:
        """Points of the table in the frame."""
        return mm_to_pixels(points_mm.reshape(-1, 2), self.lens, self.table).reshape(points_mm.shape)


def averaged(image: Image, factor: int) -> Image:
    """A picture so many times smaller."""
    if factor == 1:
        return image
    size = (image.shape[1] // factor, image.shape[0] // factor)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _small(lens: Lens, size_px: tuple[int, int]) -> Lens:
    """The same lens for smaller pictures; a row or column that did not fit makes the pixels a little oblong."""
    across, down = (little / large for little, large in zip(size_px, lens.size_px, strict=True))
    return replace(
        lens,
        size_px=size_px,
        focal_px=(lens.focal_px[0] * across, lens.focal_px[1] * down),
        centre_px=((lens.centre_px[0] + 0.5) * across - 0.5, (lens.centre_px[1] + 0.5) * down - 0.5),
    )


def _shrunk(table: TablePose, lens: Lens, small: Lens) -> TablePose:
    """The table for pictures of another size."""
    across, down = (large / little for large, little in zip(lens.size_px, small.size_px, strict=True))
    grow = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2], [0, 0, 1]])
    return replace(table, homography=tuple(float(value) for value in (table.to_mm @ grow).ravel()))


def _scale(lens: Lens, table: TablePose) -> float:
    """Pixels of the frame per mm in the middle of the table."""
    ends = mm_to_pixels(np.array([[-5.0, 0], [5, 0], [0, -5], [0, 5]]), lens, table)
    return float(np.linalg.norm(ends[1] - ends[0]) + np.linalg.norm(ends[3] - ends[2])) / 20
