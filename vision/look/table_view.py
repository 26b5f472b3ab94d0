"""The table view: the table rectified at the finder's scale, and the maps between view, table and frame."""

from dataclasses import replace

import cv2
import numpy as np

from calibration.lens import Lens
from calibration.rectify import Rectifier
from calibration.table import TablePose, check_size, mm_to_pixels, pixels_to_mm
from models.crops import CARD_PX, CROP_PX, Floats, Image

MARGIN_MM = 30.0
"""The view reaches this far beyond the table: cards may stick out over its edge by half their width."""
_EXTENT_STEPS = 100
"""Number of steps in which the visible extent of the view is searched."""
_SHARPNESS_RESERVE = 1.05
"""A frame is only downscaled by a whole factor if it stays this many times finer than needed."""


class TableView:
    """A rig's rectified view of the table, scaled for cards of one size."""

    def __init__(self, lens: Lens, table: TablePose, card_mm: tuple[float, float]) -> None:
        self.lens, self.table, self.card_mm = lens, table, card_mm
        self.px_per_mm = CARD_PX / card_mm[0]
        frame_px_per_mm = _frame_px_per_mm(lens, table)
        # Much larger frames are averaged first: skipping pixels would make thin lines flicker.
        self._view_factor = max(1, int(frame_px_per_mm / self.px_per_mm / _SHARPNESS_RESERVE))
        self._crop_factor = max(1, int(frame_px_per_mm * card_mm[0] / CROP_PX[0] / _SHARPNESS_RESERVE))
        width, height = lens.size_px
        small_lens = _resized_lens(lens, (width // self._view_factor, height // self._view_factor))
        view_mm = (table.size_mm[0] + 2 * MARGIN_MM, table.size_mm[1] + 2 * MARGIN_MM)
        small_table = replace(_resized_table(table, lens, small_lens), size_mm=view_mm)
        self._rectifier = Rectifier(small_lens, small_table, self.px_per_mm)

    @property
    def card_px(self) -> tuple[float, float]:
        """Width and height of a card in the view."""
        return self.card_mm[0] * self.px_per_mm, self.card_mm[1] * self.px_per_mm

    def rectify(self, image: Image) -> Image:
        """The view of a frame."""
        check_size(image, self.lens)
        return self._rectifier.straightened(downscaled(image, self._view_factor))

    def crop_source(self, image: Image) -> tuple[Image, Floats]:
        """The frame at the scale that crops are cut from, and that scale across and down, relative to the frame."""
        source = downscaled(image, self._crop_factor)
        return source, np.array([source.shape[1] / image.shape[1], source.shape[0] / image.shape[0]])

    def view_to_mm(self, points_view: Floats) -> Floats:
        """Points of the view on the table."""
        width, height = self._rectifier.size_px
        return np.asarray((points_view - ((width - 1) / 2, (height - 1) / 2)) / self.px_per_mm, float)

    def frame_to_view(self, points_frame: Floats) -> Floats:
        """Points of the frame in the view."""
        width, height = self._rectifier.size_px
        points_mm = pixels_to_mm(points_frame, self.lens, self.table)
        return np.asarray(points_mm * self.px_per_mm + ((width - 1) / 2, (height - 1) / 2), float)

    def mm_to_frame(self, points_mm: Floats) -> Floats:
        """Points of the table in the frame."""
        return mm_to_pixels(points_mm.reshape(-1, 2), self.lens, self.table).reshape(points_mm.shape)

    def visible_extent_mm(self) -> tuple[float, float, float, float]:
        """How far the frame covers the view: left, top, right and bottom limit on the table."""
        x, y = (side / 2 + MARGIN_MM for side in self.table.size_mm)
        return (
            self._visible_limit(-x, 0),
            self._visible_limit(-y, 1),
            self._visible_limit(x, 0),
            self._visible_limit(y, 1),
        )

    def _visible_limit(self, limit_mm: float, axis: int) -> float:
        """The part of the way to one limit of the view where a line parallel to that limit is inside the frame."""
        half_length = self.table.size_mm[1 - axis] / 2
        for share in (1.0 - 0.5 * step / _EXTENT_STEPS for step in range(_EXTENT_STEPS)):
            line = np.array([(limit_mm * share, part * half_length) for part in (-0.8, 0.0, 0.8)])
            pixels = self.mm_to_frame(line if axis == 0 else line[:, ::-1])
            if ((pixels >= 0) & (pixels <= np.array(self.lens.size_px) - 1)).all():
                return limit_mm * share
        return limit_mm / 2


def downscaled(image: Image, factor: int) -> Image:
    """The image, smaller by a whole factor; pixels are averaged."""
    if factor == 1:
        return image
    size = (image.shape[1] // factor, image.shape[0] // factor)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _resized_lens(lens: Lens, size_px: tuple[int, int]) -> Lens:
    """The same lens for images of another size; a size that does not divide evenly makes pixels slightly oblong."""
    across, down = (new / old for new, old in zip(size_px, lens.size_px, strict=True))
    return replace(
        lens,
        size_px=size_px,
        focal_px=(lens.focal_px[0] * across, lens.focal_px[1] * down),
        centre_px=((lens.centre_px[0] + 0.5) * across - 0.5, (lens.centre_px[1] + 0.5) * down - 0.5),
    )


def _resized_table(table: TablePose, lens: Lens, resized: Lens) -> TablePose:
    """The table's pose for images of another size."""
    across, down = (old / new for old, new in zip(lens.size_px, resized.size_px, strict=True))
    enlarge = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2], [0, 0, 1]])
    return replace(table, homography=tuple(float(value) for value in (table.to_mm @ enlarge).ravel()))


def _frame_px_per_mm(lens: Lens, table: TablePose) -> float:
    """Scale of the frame at the centre of the table."""
    ends = mm_to_pixels(np.array([[-5.0, 0], [5, 0], [0, -5], [0, 5]]), lens, table)
    return float(np.linalg.norm(ends[1] - ends[0]) + np.linalg.norm(ends[3] - ends[2])) / 20
