"""The camera above the simulated table: a pinhole with a lens, and the projection from table to picture."""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_KNOT_STEP_PX = 8
"""Distance of the pixels at which the distortion is computed."""


@dataclass(frozen=True)
class SynthCamera:
    """Pose and lens of a camera.

    Table coordinates are in mm from the middle of the table, x to the right and y downwards in the picture; the third
    coordinate of a point is its height above the table.
    """

    width_px: int
    height_px: int
    focal_px: float
    distortion: tuple[float, float, float, float, float]
    """k1, k2, p1, p2, k3 in OpenCV's order."""
    position_mm: tuple[float, float, float]
    target_mm: tuple[float, float]
    roll_deg: float = 0.0

    @cached_property
    def matrix(self) -> Floats:
        """The camera matrix."""
        centre = ((self.width_px - 1) / 2, (self.height_px - 1) / 2)
        return np.array([[self.focal_px, 0, centre[0]], [0, self.focal_px, centre[1]], [0, 0, 1]])

    @cached_property
    def pose(self) -> tuple[Floats, Floats]:
        """Rotation and translation from the table to the camera."""
        # With x right and y down, a right-handed z points into the table, so heights are negative in here.
        eye = np.array(self.position_mm, float) * (1, 1, -1)
        forward = np.array([*self.target_mm, 0.0]) - eye
        forward /= np.linalg.norm(forward)
        # The table's y points down in the picture: the camera's down is the table's y made orthogonal to the view.
        down = np.array([0.0, 1.0, 0.0])
        down -= forward * (down @ forward)
        down /= np.linalg.norm(down)
        right = np.cross(down, forward)
        angle = np.deg2rad(self.roll_deg)
        turned = np.cos(angle) * right + np.sin(angle) * down
        rotation = np.stack([turned, np.cross(forward, turned), forward])
        return rotation, -rotation @ eye

    def project(self, points_mm: Floats) -> Floats:
        """Project points of the table to pixels; points have x, y and optionally a height."""
        rotation, translation = self.pose
        flat = self._seen(points_mm, rotation, translation)
        spread = cv2.projectPoints(
            np.column_stack([flat, np.ones(len(flat))]),
            np.zeros(3),
            np.zeros(3),
            self.matrix,
            np.array(self.distortion),
        )[0]
        return np.asarray(spread, float).reshape(-1, 2)

    def project_straight(self, points_mm: Floats) -> Floats:
        """Project the same points through a distortion-free lens."""
        rotation, translation = self.pose
        return np.asarray(self._seen(points_mm, rotation, translation) * self.focal_px + self.matrix[:2, 2], float)

    @cached_property
    def homography(self) -> Floats:
        """Homography from table mm to undistorted pixels."""
        rotation, translation = self.pose
        plane = np.column_stack([rotation[:, 0], rotation[:, 1], translation])
        whole = self.matrix @ plane
        return np.asarray(whole / whole[2, 2], float)

    @cached_property
    def margin_px(self) -> int:
        """Margin of the undistorted picture that keeps the distorted one free of holes."""
        sides = np.linspace(0, 1, 9)
        last = (self.width_px - 1, self.height_px - 1)
        border = [(x * last[0], y) for x in sides for y in (0, last[1])]
        border += [(x, y * last[1]) for y in sides for x in (0, last[0])]
        straight = self._straightened(np.array(border, float))
        over = max(-straight.min(), (straight - np.array(last)).max(), 0)
        return int(np.ceil(over)) + 2

    @cached_property
    def bend_maps(self) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
        """For every pixel of the picture, its source in the undistorted picture with margin."""
        # Lens distortion is smooth: every 8th pixel is computed and the rest interpolated, with an error of 0.1 px at
        # most.
        columns, rows = -(-self.width_px // _KNOT_STEP_PX) + 1, -(-self.height_px // _KNOT_STEP_PX) + 1
        x, y = np.meshgrid(np.arange(columns) * float(_KNOT_STEP_PX), np.arange(rows) * float(_KNOT_STEP_PX))
        coarse = self._straightened(np.stack([x.ravel(), y.ravel()], 1)).reshape(*x.shape, 2) + self.margin_px
        # Every pixel lies between two knots each way: two weighted sums avoid the threads of a matrix product.
        wide = _blend(coarse.transpose(1, 0, 2), self.width_px).transpose(1, 0, 2)
        source = _blend(wide, self.height_px).astype(np.float32)
        fixed, fraction = cv2.convertMaps(source, np.empty(0, np.float32), cv2.CV_16SC2)
        return np.asarray(fixed, np.int16), np.asarray(fraction, np.uint16)

    def bend(self, straight: NDArray[np.uint8], smooth: bool = True) -> NDArray[np.uint8]:
        """Distort an undistorted picture with margin as the lens would."""
        way = cv2.INTER_LINEAR if smooth else cv2.INTER_NEAREST
        return np.asarray(cv2.remap(straight, *self.bend_maps, way), np.uint8)

    def px_per_mm(self) -> float:
        """Scale in the middle of the table."""
        ends = self.project_straight(np.array([[-5.0, 0.0], [5.0, 0.0]]))
        return float(np.linalg.norm(ends[1] - ends[0]) / 10)

    def _seen(self, points_mm: Floats, rotation: Floats, translation: Floats) -> Floats:
        points = np.asarray(points_mm, float)
        height = points[:, 2] if points.shape[1] == 3 else np.zeros(len(points))
        points = np.column_stack([points[:, :2], -height])
        inside = points @ rotation.T + translation
        return np.asarray(inside[:, :2] / inside[:, 2:], float)

    def _straightened(self, pixels: Floats) -> Floats:
        if not any(self.distortion):
            return pixels
        criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-9)
        found = cv2.undistortPoints(
            pixels.reshape(-1, 1, 2), self.matrix, np.array(self.distortion), P=self.matrix, criteria=criteria
        )
        return np.asarray(found, float).reshape(-1, 2)


def _blend(knots: Floats, length: int) -> Floats:
    """Interpolate rows for `length` pixels between knots given for every 8th pixel."""
    place = np.arange(length) / _KNOT_STEP_PX
    low = np.minimum(place.astype(int), len(knots) - 2)
    share = (place - low)[:, None, None]
    return np.asarray(knots[low] * (1 - share) + knots[low + 1] * share, float)


def overhead_camera(
    width_px: int, height_px: int, table_mm: tuple[float, float], tilt_deg: float = 0.0, bend: float = 0.0
) -> SynthCamera:
    """A camera that sees the whole table and a little around it, tilted towards the far edge, with distortion `bend`.

    Above a table that is longer than wide the camera is rotated, as anyone would mount it, to see the cards larger.
    """
    # 66 degrees, as the Pi camera; more `bend` imitates the wide-angle model.
    focal_px = 0.77 * width_px
    along = max(table_mm[0] / width_px, table_mm[1] / height_px)
    across = max(table_mm[1] / width_px, table_mm[0] / height_px)
    height_mm = focal_px * 1.06 * min(along, across) * (1 + 0.006 * abs(tilt_deg))
    shift = height_mm * np.tan(np.deg2rad(tilt_deg))
    distortion = (-0.22 * bend, 0.04 * bend, 0.0, 0.0, 0.0)
    roll_deg = 90.0 if across < along else 0.0
    return SynthCamera(width_px, height_px, focal_px, distortion, (0.0, float(shift), height_mm), (0.0, 0.0), roll_deg)
