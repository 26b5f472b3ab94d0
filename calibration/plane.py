"""The plane of the table as a lens sees it, fitted to squares of known size and to points of known position."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens

Floats = NDArray[np.float64]
_POSE, _SLACK = 6, 4
_LENS_SLACK = 0.003
"""Error of a good lens calibration: relative focal lengths, and the centre relative to the focal length."""
_EDGE_PX = 0.1
"""Precision of a marker's corner."""
_NUDGE = 0.01
"""Tilt of a nudged camera in radians, and its change of height relative to the height."""
_FLOOR_PX = 0.03
"""Lower bound of the residuals, however well the fit seems to be."""
_UNIT = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


@dataclass(frozen=True, slots=True)
class Square:
    """A marker that lies flat with any rotation; its position on the table may be known."""

    corners_px: Floats
    middle_mm: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Points:
    """Points of the picture whose position on the table is known."""

    pixels: Floats
    points_mm: Floats
    precision: Floats
    """n x 2 x 2: turns an error in mm into a multiple of the expected error."""


def even_points(pixels: Floats, points_mm: Floats, error_mm: float) -> Points:
    """Points with the same precision in all directions."""
    return Points(pixels, points_mm, np.repeat(np.eye(2)[None] / error_mm, len(pixels), 0))


@dataclass(frozen=True, slots=True)
class Plane:
    """The fitted plane with the joint covariance of all its parameters."""

    lens: Lens
    side_mm: float
    squares: tuple[Square, ...]
    scale_mm: float
    values: Floats
    spread: Floats
    """The covariance of `values`."""
    misfit_px: float
    """The root mean square residual of the corners of the squares."""

    def to_mm(self, values: Floats | None = None) -> Floats:
        """The homography from undistorted pixels to mm of the plane."""
        view = _view(self.values if values is None else values, self.scale_mm)
        back = np.linalg.inv(self.lens.matrix @ view)
        return np.asarray(back / back[2, 2], float)

    def to_mm_if_lens_is_right(self) -> Floats:
        """The same, with the lens exactly as given."""
        values = self.values.copy()
        values[_POSE : _POSE + _SLACK] = 0
        return self.to_mm(values)

    def middles_mm(self, values: Floats | None = None) -> Floats:
        """The centre of every square."""
        return _placed(self.values if values is None else values, self.squares, self.scale_mm)[0]

    def error_of(self, measure: Callable[[Floats], Floats]) -> float:
        """The root mean square uncertainty of points computed from the values; n x 2."""
        slope = _slope(lambda values: measure(values).ravel(), self.values)
        variance = np.einsum("ij,jk,ik->i", slope, self.spread, slope)
        return float(np.sqrt(2 * variance.mean()))


@dataclass(frozen=True, slots=True)
class CameraMount:
    """The pose of the camera above the plane: the direction to the plane in camera coordinates, and the distance."""

    direction: Floats
    distance_mm: float


def camera_mount(lens: Lens, to_mm: Floats) -> CameraMount:
    """The pose of a camera with this homography."""
    view = np.linalg.inv(lens.matrix) @ np.linalg.inv(to_mm)
    view /= np.sqrt(np.linalg.norm(view[:, 0]) * np.linalg.norm(view[:, 1])) * np.sign(view[2, 2])
    way = np.cross(view[:, 0], view[:, 1])
    way /= np.linalg.norm(way)
    return CameraMount(way, float(way @ view[:, 2]))


def fit_plane(
    lens: Lens,
    squares: Sequence[Square],
    side_mm: float,
    points: Sequence[Points] = (),
    before: CameraMount | None = None,
) -> Plane:
    """The plane that best explains squares of a known side and points of known position.

    `before` is the pose of a camera that was only nudged since; it helps where little of the plane is visible.
    """
    squares = tuple(squares)
    pixels = np.concatenate([*(square.corners_px for square in squares), *(some.pixels for some in points)])
    points_mm = np.concatenate([np.empty((0, 2)), *(some.points_mm for some in points)])
    rays = (lens.undistort(pixels) - lens.centre_px) / lens.focal_px
    start, scale_mm = _start(rays, squares, side_mm, points_mm)
    precision = np.concatenate([np.empty((0, 2, 2)), *(some.precision for some in points)])
    corners, edge = 4 * len(squares), _EDGE_PX / float(np.mean(lens.focal_px))

    def misfits(values: Floats) -> Floats:
        view = _view(values, scale_mm)
        drawn = _moved(view, _corners(*_placed(values, squares, scale_mm), side_mm)) if squares else np.empty((0, 2))
        off = _moved(np.asarray(np.linalg.inv(view), float), rays[corners:]) - points_mm
        return np.concatenate(
            [
                ((drawn - rays[:corners]) / edge).ravel(),
                np.einsum("nij,nj->ni", precision, off).ravel(),
                values[_POSE : _POSE + _SLACK] / _LENS_SLACK,
                _tipped(values, scale_mm, before),
            ]
        )

    values, left, slope = _solved(misfits, start)
    free = max(1, len(left) - int(np.linalg.matrix_rank(slope)))
    noise = max(float(left @ left) / free, (_FLOOR_PX / _EDGE_PX) ** 2)
    spread = np.asarray(noise * np.linalg.pinv(slope.T @ slope, rcond=1e-12), float)
    misfit = float(np.sqrt(2 * np.mean(left[: 2 * corners] ** 2))) * _EDGE_PX if squares else 0.0
    return Plane(lens, side_mm, squares, scale_mm, values, spread, misfit)


def _tipped(values: Floats, scale_mm: float, before: CameraMount | None) -> Floats:
    if before is None:
        return np.empty(0)
    way = cv2.Rodrigues(values[:3].reshape(3, 1))[0][:, 2]
    nearer = float(way @ values[3:6]) * scale_mm / before.distance_mm - 1
    return np.append(way - before.direction, nearer) / _NUDGE


def _start(rays: Floats, squares: tuple[Square, ...], side_mm: float, points_mm: Floats) -> tuple[Floats, float]:
    """Start values: straight above, at the height that gives the right scale."""
    quads = rays[: 4 * len(squares)].reshape(-1, 4, 2)
    middles, turns = quads.mean(1), [_angle(quad[1] + quad[2] - quad[0] - quad[3]) for quad in quads]
    known = [square.middle_mm is not None for square in squares]
    places = [square.middle_mm for square in squares if square.middle_mm is not None]
    fixed_mm = np.concatenate([np.array(places, float).reshape(-1, 2), points_mm])
    fixed_rays = np.concatenate([middles[known], rays[4 * len(squares) :]])
    if len(fixed_mm) >= 2:
        turn, scale_mm, shift = _similarity(fixed_mm, fixed_rays)
    else:
        sides = np.linalg.norm(quads - np.roll(quads, 1, 1), axis=2)
        turn, scale_mm, shift = 0.0, side_mm / float(sides.mean()), np.zeros(2)
    values = [0.0, 0.0, turn, *shift, 1.0, *np.zeros(_SLACK)]
    back = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    for square, middle, angle in zip(squares, middles, turns, strict=True):
        values += [angle - turn] if square.middle_mm else [angle - turn, *(back @ (middle - shift))]
    return np.array(values), scale_mm


def _similarity(points_mm: Floats, rays: Floats) -> tuple[float, float, Floats]:
    """A rough rotation, the mm per unit of ray, and the image of the origin."""
    flat, seen = points_mm @ (1, 1j), rays @ (1, 1j)
    flat_middle, seen_middle = flat.mean(), seen.mean()
    factor = np.vdot(flat - flat_middle, seen - seen_middle) / np.vdot(flat - flat_middle, flat - flat_middle).real
    shift = seen_middle - factor * flat_middle
    return float(np.angle(factor)), float(1 / abs(factor)), np.array([shift.real, shift.imag])


def _moved(homography: Floats, points: Floats) -> Floats:
    if not points.size:
        return np.empty((0, 2))
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), homography), float).reshape(-1, 2)


def _angle(along: Floats) -> float:
    return float(np.arctan2(along[1], along[0]))


def _view(values: Floats, scale_mm: float) -> Floats:
    """The homography from mm of the plane to rays."""
    rotation = cv2.Rodrigues(values[:3].reshape(3, 1))[0]
    pose = np.column_stack([rotation[:, 0], rotation[:, 1], values[3:6] * scale_mm])
    fx, fy, cx, cy = values[_POSE : _POSE + _SLACK]
    return np.asarray(np.array([[1 + fx, 0, cx], [0, 1 + fy, cy], [0, 0, 1]]) @ pose, float)


def _placed(values: Floats, squares: tuple[Square, ...], scale_mm: float) -> tuple[Floats, Floats]:
    """The centre and rotation of every square."""
    middles, turns, at = [], [], _POSE + _SLACK
    for square in squares:
        turns.append(values[at])
        at += 1
        if square.middle_mm is None:
            middles.append(values[at : at + 2] * scale_mm)
            at += 2
        else:
            middles.append(np.array(square.middle_mm, float))
    return np.array(middles).reshape(-1, 2), np.array(turns)


def _corners(middles: Floats, turns: Floats, side_mm: float) -> Floats:
    across = np.stack([np.cos(turns), np.sin(turns)], 1)[:, None]
    down = np.stack([-np.sin(turns), np.cos(turns)], 1)[:, None]
    return np.asarray(middles[:, None] + side_mm * (_UNIT[:, :1] * across + _UNIT[:, 1:] * down), float)


def _solved(misfits: Callable[[Floats], Floats], values: Floats) -> tuple[Floats, Floats, Floats]:
    """Least squares by damped steps (Levenberg-Marquardt): the values, the residuals and their derivatives."""
    left, damp = misfits(values), 1e-3
    slope = _slope(misfits, values)
    for _ in range(40):
        hessian = slope.T @ slope
        # Squares of unknown position may move together with the plane; the damping keeps them where they began.
        step = np.linalg.solve(hessian + damp * np.diag(np.diag(hessian) + 1e-9), -slope.T @ left)
        tried = misfits(values + step)
        if tried @ tried >= left @ left:
            damp *= 8
            if damp > 1e8:
                break
            continue
        gain = 1 - (tried @ tried) / (left @ left)
        values, left, damp = values + step, tried, max(damp / 8, 1e-9)
        slope = _slope(misfits, values)
        if gain < 1e-5:
            break
    return values, left, slope


def _slope(function: Callable[[Floats], Floats], values: Floats, step: float = 1e-6) -> Floats:
    columns = [
        (function(values + nudge) - function(values - nudge)) / (2 * step) for nudge in step * np.eye(len(values))
    ]
    return np.stack(columns, 1)
