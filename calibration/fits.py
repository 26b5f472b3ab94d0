"""Fits: lens models fitted to the views of a board, and how well they predict held-out views."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardView
from calibration.lens import Lens

Floats = NDArray[np.float64]

_CRITERIA = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-7)
_FOLDS = 3
# OpenCV 5 moved the names of the fisheye flags.
_NAMES = cv2 if hasattr(cv2, "CALIB_RECOMPUTE_EXTRINSIC") else cv2.fisheye
_FISHEYE_FLAGS = int(_NAMES.CALIB_RECOMPUTE_EXTRINSIC | _NAMES.CALIB_FIX_SKEW)


class LensModel(StrEnum):
    """The distortion models."""

    STANDARD = "standard"
    RATIONAL = "rational"
    FISHEYE = "fisheye"


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted lens with the pose of the board and the residuals of the corners in every view."""

    model: LensModel
    lens: Lens
    poses: tuple[tuple[Floats, Floats], ...]
    residuals_px: tuple[Floats, ...]

    @property
    def view_errors_px(self) -> Floats:
        """The RMS of every view."""
        return np.array([np.sqrt((off**2).sum(1).mean()) for off in self.residuals_px])

    @property
    def distances_px(self) -> Floats:
        """The residual of every corner, of all views."""
        return np.concatenate([np.linalg.norm(off, axis=1) for off in self.residuals_px])


def fit_lens(model: LensModel, views: Sequence[BoardView], size_px: tuple[int, int]) -> Fit | None:
    """The best lens of a model for the views, or None if there is none."""
    solid = [_solid(view) for view in views]
    try:
        if model is LensModel.FISHEYE:
            found = cv2.fisheye.calibrate(
                [points.reshape(1, -1, 3) for points in solid],
                [view.pixels.reshape(1, -1, 2) for view in views],
                size_px,
                np.zeros((3, 3)),
                np.zeros(4),
                flags=_FISHEYE_FLAGS,
                criteria=_CRITERIA,
            )
        else:
            found = cv2.calibrateCamera(
                [points.astype(np.float32) for points in solid],
                [view.pixels.astype(np.float32) for view in views],
                size_px,
                None,
                None,
                flags=cv2.CALIB_RATIONAL_MODEL if model is LensModel.RATIONAL else 0,
                criteria=_CRITERIA,
            )
    except cv2.error:
        # OpenCV raises where the views do not determine the model.
        return None
    _, matrix, distortion, rotations, translations = found[:5]
    count = {LensModel.STANDARD: 5, LensModel.RATIONAL: 8, LensModel.FISHEYE: 4}[model]
    numbers = np.asarray(distortion, float).ravel()[:count]
    if not (np.isfinite(matrix).all() and np.isfinite(numbers).all() and matrix[0, 0] > 0 and matrix[1, 1] > 0):
        return None
    lens = Lens(
        size_px,
        (float(matrix[0, 0]), float(matrix[1, 1])),
        (float(matrix[0, 2]), float(matrix[1, 2])),
        tuple(float(number) for number in numbers),
        model is LensModel.FISHEYE,
        views=len(views),
    )
    poses = tuple(
        (np.asarray(turn, float).ravel(), np.asarray(shift, float).ravel())
        for turn, shift in zip(rotations, translations, strict=True)
    )
    off = tuple(_project(lens, view, *pose)[0] - view.pixels for view, pose in zip(views, poses, strict=True))
    rms_px = float(np.sqrt((np.concatenate(off) ** 2).sum(1).mean()))
    return Fit(model, replace(lens, rms_px=rms_px), poses, off)


def held_out_errors(model: LensModel, views: Sequence[BoardView], size_px: tuple[int, int]) -> Floats | None:
    """The RMS of every view under a lens that was fitted without it."""
    errors = np.zeros(len(views))
    for fold in range(_FOLDS):
        fit = fit_lens(model, [view for number, view in enumerate(views) if number % _FOLDS != fold], size_px)
        if fit is None:
            return None
        for number in range(fold, len(views), _FOLDS):
            errors[number] = _error_of(fit.lens, views[number])
    return errors


def _error_of(lens: Lens, view: BoardView) -> float:
    """The RMS of a view at its best pose."""
    flat = (lens.undistort(view.pixels) - lens.centre_px) / lens.focal_px
    _, turn, shift = cv2.solvePnP(_solid(view), flat, np.eye(3), np.zeros(4))
    pose = np.concatenate([np.ravel(turn), np.ravel(shift)]).astype(float)
    for _ in range(5):
        pixels, by_pose, _ = _project(lens, view, pose[:3], pose[3:])
        pose -= np.linalg.lstsq(by_pose, (pixels - view.pixels).ravel(), rcond=None)[0]
    pixels, _, _ = _project(lens, view, pose[:3], pose[3:])
    return float(np.sqrt(((pixels - view.pixels) ** 2).sum(1).mean()))


def sigmas(fit: Fit, views: Sequence[BoardView]) -> tuple[float, float, float, float]:
    """Standard deviations of both focal lengths and of the centre, from the uncertainty that the views leave."""
    count = 4 + len(fit.lens.distortion)
    open_to = np.zeros((count, count))
    for view, pose in zip(views, fit.poses, strict=True):
        _, by_pose, by_lens = _project(fit.lens, view, *pose)
        # Changes that a motion of the board could explain tell nothing about the lens.
        unexplained = by_lens - by_pose @ np.linalg.lstsq(by_pose, by_lens, rcond=None)[0]
        open_to += unexplained.T @ unexplained
    numbers = 2 * len(fit.distances_px)
    spare = max(numbers - count - 6 * len(views), 1)
    variance = float((fit.distances_px**2).sum()) / spare
    # The columns differ by many orders of magnitude and must be scaled before inversion.
    scale = 1 / np.sqrt(np.maximum(np.diag(open_to), 1e-12))
    spread = np.linalg.pinv(open_to * np.outer(scale, scale), rcond=1e-13) * np.outer(scale, scale) * variance
    found = np.sqrt(np.maximum(np.diag(spread)[:4], 0))
    return float(found[0]), float(found[1]), float(found[2]), float(found[3])


def _solid(view: BoardView) -> Floats:
    return np.column_stack([view.points_mm, np.zeros(len(view.ids))]).reshape(-1, 1, 3)


def _project(lens: Lens, view: BoardView, turn: Floats, shift: Floats) -> tuple[Floats, Floats, Floats]:
    """The projected corners, and their derivatives by the pose and by focal lengths, centre and distortion."""
    bend = np.array(lens.distortion)
    project = cv2.fisheye.projectPoints if lens.fisheye else cv2.projectPoints
    pixels, slopes = project(_solid(view), turn, shift, lens.matrix, bend)
    found, changes = np.asarray(pixels, float).reshape(-1, 2), np.asarray(slopes, float)
    if lens.fisheye:
        # Order: focal lengths, centre, distortion, rotation, translation, skew.
        return found, changes[:, 8:14], changes[:, :8]
    return found, changes[:, :6], changes[:, 6 : 10 + len(bend)]
