"""Drift: whether camera or table were moved since the table was found, by its markers or by its surface."""

from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import CalibrationError, Image
from calibration.lens import Lens
from calibration.markers import find_markers
from calibration.patches import (
    MIN_SIMILARITY,
    PatchSimilarity,
    SurfacePatch,
    compare_patches,
    cut_patches,
    locate_patches,
    texture_of,
    vote,
)
from calibration.plane import Points, Square, camera_mount, even_points, fit_plane
from calibration.rectify import Rectifier, rectifier_for
from calibration.table import CORNERS, TablePose, check_size, mm_to_pixels, pixels_to_mm

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Mask = NDArray[np.bool_]
Motion = tuple[complex, complex]
"""A rotation and a translation of the plane."""
By = Literal["markers", "background"]

WARN_MM, RECALIBRATE_MM = 2.0, 6.0
_FINE_MM: dict[By, float] = {"markers": 0.25, "background": 0.4}
"""Precision of a measured drift; a drift this close to a limit counts as having reached it."""
_BORDER_MM = 60.0
"""Width of the surface around the table that is remembered as well."""
_PX_PER_MM = 1.0
_PAPER_MM = 45.0
"""Distance from the centre of a marker within which nothing is background."""
_REACHES_MM = (12.0, 40.0)
"""Distances in mm within which patches are searched: first for a nudge, then for a push."""
_MIDDLE_MM = 0.1
"""Precision of the centre of a marker."""
_AGREE_MM = 1.0
"""Largest deviation of a marker from the common motion."""
_LEAST_PATCHES, _LEAST_REGIONS = 12, 4
"""Patches that must agree, and regions of the table, of nine, in which they must lie."""
_MOST_RIVAL = 0.8
"""Relative score of the second best motion from which the result is ambiguous, as on a regular pattern."""
_MOST_ERROR_MM = 0.5
"""Largest error of a position found by the surface at which a drift can still be detected."""
_ENOUGH_MARKERS, _HOLDS_MM = 3, 1.0
"""Markers that are enough without the surface, and the largest error of a marker found again, in mm."""
_ROUNDS, _OUTSIDE = 4, 3.0
"""Rounds of the robust fit, and the normalised error from which a patch is an outlier in its second half."""
_TURN_DEG = 0.3
"""Largest difference in rotation of two markers that moved together."""
_TILT_DEG_PER_MM, _TILT_PER_MM = 0.06, 0.1
"""Additional tolerance per mm of motion: a tilting camera does not move the picture quite rigidly."""
_TRUSTED_MM = 0.5
"""Largest error of a table that is found again automatically."""


class DriftState(Enum):
    """The consequence of a drift."""

    OK = "ok"
    WARN = "warn"
    RECALIBRATE = "recalibrate"
    UNKNOWN = "unknown"
    """The markers are covered, and the surface is too plain or too covered."""


@dataclass(frozen=True, slots=True)
class Drift:
    """The displacement of the table since calibration."""

    shift_mm: float
    """The root mean square displacement of the points of the table."""
    turn_deg: float
    sure: bool
    by: By


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The remembered features of a table, in table mm."""

    markers: tuple[tuple[int, float, float, float], ...] = ()
    """The visible markers: id, centre, and rotation in degrees."""
    patches: tuple[tuple[float, float, str], ...] = ()
    """Patches of the surface: centre and pattern."""


def remember(image: Image, lens: Lens, table: TablePose) -> Landmarks:
    """The features by which the table is recognised later."""
    check_size(image, lens)
    quads = {number: pixels_to_mm(corners, lens, table) for number, corners in _seen(image, lens).items()}
    markers = tuple((number, *_pair(quad.mean(0)), _turn_deg(quad)) for number, quad in quads.items())
    surface = _surface(lens, table)
    usable = surface.seen()
    rows, columns = np.ogrid[: usable.shape[0], : usable.shape[1]]
    for place in [marker[1:3] for marker in (*markers, *table.markers_mm)]:
        column, row = _to_view(np.array([place]), surface)[0]
        usable &= (abs(rows - row) > _PAPER_MM * _PX_PER_MM) | (abs(columns - column) > _PAPER_MM * _PX_PER_MM)
    cut = cut_patches(surface.straightened(image), usable)
    places = _to_mm(np.array([(patch.x, patch.y) for patch in cut]).reshape(-1, 2), surface)
    return Landmarks(markers, tuple((*_pair(place), patch.pattern) for place, patch in zip(places, cut, strict=True)))


def measure_drift(image: Image, lens: Lens, table: TablePose, landmarks: Landmarks) -> Drift:
    """The displacement of camera or table since `remember`; a change of light does not count."""
    return _found_again(image, lens, table, landmarks)[0]


def judge_drift(drift: Drift) -> DriftState:
    """The consequence of a drift."""
    if not drift.sure:
        return DriftState.UNKNOWN
    most_mm = drift.shift_mm + _FINE_MM[drift.by]
    if most_mm >= RECALIBRATE_MM:
        return DriftState.RECALIBRATE
    return DriftState.WARN if most_mm >= WARN_MM else DriftState.OK


def follow(image: Image, lens: Lens, table: TablePose, landmarks: Landmarks) -> TablePose:
    """The table at its present position if it moved too far; unchanged if it did not, or if that is uncertain."""
    drift, moved = _found_again(image, lens, table, landmarks)
    if judge_drift(drift) is not DriftState.RECALIBRATE:
        return table
    if moved.error_mm > _TRUSTED_MM:
        raise CalibrationError(
            f"camera or table moved by {drift.shift_mm:.0f} mm, and by its {drift.by} the table is found again only to "
            f"{moved.error_mm:.1f} mm, wanted {_TRUSTED_MM:g} mm; uncover the markers, then calibrate the table again"
        )
    return replace(moved, error_mm=max(moved.error_mm, table.error_mm))


def _found_again(image: Image, lens: Lens, table: TablePose, landmarks: Landmarks) -> tuple[Drift, TablePose]:
    """The drift, and the table at its present position."""
    check_size(image, lens)
    squares = _moved_together(image, lens, table, landmarks)
    if len(squares) >= (_ENOUGH_MARKERS if table.markers_mm else len(CORNERS)):
        moved = _refitted(lens, table, squares, [])
        return _drift(lens, table, moved, "markers"), moved
    points = _on_background(image, lens, table, landmarks)
    if squares:
        # Fewer markers tell where the table is, but little about the tilt of the camera.
        helped = points and _refitted(lens, table, squares, [points])
        moved = helped if helped and _holds(squares, lens, helped) else _refitted(lens, table, squares, [])
        return _drift(lens, table, moved, "markers"), moved
    if points:
        moved = _refitted(lens, table, [], [points])
        return _drift(lens, table, moved, "background"), moved
    return Drift(0.0, 0.0, False, "background"), table


def _drift(lens: Lens, table: TablePose, moved: TablePose, by: By) -> Drift:
    """The displacement of the old table pose from the new one."""
    outline = _outline(table)
    misread = pixels_to_mm(mm_to_pixels(outline, lens, moved), lens, table)
    turn, _ = _rigid(_flat(outline), _flat(misread))
    shift_mm = float(np.sqrt(((misread - outline) ** 2).sum(1).mean()))
    return Drift(shift_mm, float(np.rad2deg(np.angle(turn))), True, by)


def _moved_together(image: Image, lens: Lens, table: TablePose, landmarks: Landmarks) -> list[Square]:
    """The remembered markers that agree with one common motion: at least two, or none."""
    seen = _seen(image, lens)
    known = [marker for marker in landmarks.markers if marker[0] in seen]
    quads = [pixels_to_mm(seen[marker[0]], lens, table) for marker in known]
    return [Square(seen[known[index][0]], known[index][1:3]) for index in _agreeing(known, quads)]


def _holds(squares: list[Square], lens: Lens, table: TablePose) -> bool:
    """Whether the markers are at their remembered positions."""
    middles = [pixels_to_mm(square.corners_px, lens, table).mean(0) for square in squares]
    places = [square.middle_mm for square in squares]
    return float(np.abs(np.array(middles) - np.array(places, float)).max()) < _HOLDS_MM


def _seen(image: Image, lens: Lens) -> dict[int, Floats]:
    ids = range(len(CORNERS))
    return {marker.id: np.array(marker.corners_px) for marker in find_markers(image, lens, ids) if marker.id in ids}


def _agreeing(known: list[tuple[int, float, float, float]], quads: list[Floats]) -> list[int]:
    """Which markers moved together, at least two; one that was pushed alone tells nothing about the table."""
    then = np.array([complex(x, y) for _, x, y, _ in known])
    now = np.array([_flat(quad).mean() for quad in quads])
    turned = np.array([_turn_deg(quad) - marker[3] for marker, quad in zip(known, quads, strict=True)])
    for size in range(len(known), 1, -1):
        fitting = []
        for group in map(list, combinations(range(len(known)), size)):
            turn, shift = _rigid(then[group], now[group])
            far_mm = float(np.abs(now[group] - then[group]).mean())
            off_mm = float(np.abs(then[group] * turn + shift - now[group]).max())
            off_deg = float(np.abs(_wrapped(turned[group] - np.rad2deg(np.angle(turn)))).max())
            # One of two markers may have been pushed as if both had rotated: then it must be rotated as well.
            alike = size > 2 or off_deg < _TURN_DEG + _TILT_DEG_PER_MM * far_mm
            if alike and off_mm < _AGREE_MM + _TILT_PER_MM * far_mm:
                fitting.append((off_mm, group))
        if fitting:
            # Two pairs that contradict each other leave the result open.
            return min(fitting)[1] if size > 2 or len(fitting) == 1 else []
    return []


def _on_background(image: Image, lens: Lens, table: TablePose, landmarks: Landmarks) -> Points | None:
    """The present positions of surface patches, if enough of them agree."""
    if len(landmarks.patches) < _LEAST_PATCHES:
        return None
    surface = _surface(lens, table)
    then = np.array([patch[:2] for patch in landmarks.patches])
    patterns = [patch[2] for patch in landmarks.patches]
    patches = tuple(
        SurfacePatch(x, y, pattern) for (x, y), pattern in zip(_to_view(then, surface), patterns, strict=True)
    )
    texture = texture_of(surface.straightened(image))
    for reach_mm in _REACHES_MM:
        similarity = compare_patches(texture, patches, round(reach_mm * surface.px_per_mm))
        points = _agreed_points(similarity, then, surface, table)
        if points:
            return points
    return None


def _agreed_points(similarity: PatchSimilarity, then: Floats, surface: Rectifier, table: TablePose) -> Points | None:
    lens = surface.lens
    turn_deg, shift, rival = vote(similarity, _to_view(np.zeros((1, 2)), surface)[0])
    if rival > _MOST_RIVAL:
        return None
    guess = _flat(then) * np.exp(1j * np.deg2rad(turn_deg)) + complex(*(shift / surface.px_per_mm))
    expected = _to_view(np.stack([guess.real, guess.imag], 1), surface)
    points, moved = None, table
    for number in range(_ROUNDS):
        located = locate_patches(similarity, expected)
        off = np.einsum("nij,nj->ni", located.precision, located.now - expected)
        alike = (located.similarity >= MIN_SIMILARITY) & ((number < _ROUNDS // 2) | (np.abs(off).max(1) < _OUTSIDE))
        if not _convincing(located.determined[alike], then[alike], table):
            return None
        pixels = mm_to_pixels(_to_mm(located.now[alike], surface), lens, table)
        points = Points(pixels, then[alike], located.precision[alike] * surface.px_per_mm)
        moved = _refitted(lens, table, [], [points])
        expected = _to_view(pixels_to_mm(mm_to_pixels(then, lens, moved), lens, table), surface)
    return points if moved.error_mm < _MOST_ERROR_MM else None


def _convincing(determined: Floats, then: Floats, table: TablePose) -> bool:
    """Whether enough patches in enough regions determine their position in every direction."""
    outer = np.array(table.size_mm) + 2 * _BORDER_MM
    regions = np.unique(np.floor((then / outer + 0.5) * 3), axis=0)
    return len(regions) >= _LEAST_REGIONS and float(np.linalg.eigvalsh(determined.sum(0))[0]) >= _LEAST_PATCHES


def _refitted(lens: Lens, table: TablePose, squares: list[Square], points: list[Points]) -> TablePose:
    """The table refitted to its visible features; its error is that of the motion alone."""
    before, to_mm = camera_mount(lens, table.to_mm), np.eye(3)
    if not table.markers_mm:
        # A table given by hand may not be exactly what a camera sees: the nearest plane is moved instead.
        points = [*points, *(_middle(square, lens, table) for square in squares)]
        then = [replace(some, pixels=mm_to_pixels(some.points_mm, lens, table)) for some in points]
        flat = fit_plane(lens, (), table.marker_mm, then, before).to_mm_if_lens_is_right()
        squares, before, to_mm = [], camera_mount(lens, flat), table.to_mm @ np.linalg.inv(flat)
        points = [
            replace(some, points_mm=_seen_on(flat, lens.undistort(old.pixels)))
            for some, old in zip(points, then, strict=True)
        ]
    plane = fit_plane(lens, squares, table.marker_mm, points, before)
    straight = lens.undistort(mm_to_pixels(_outline(table), lens, table))
    error_mm = plane.error_of(lambda values: _seen_on(plane.to_mm(values), straight))
    moved = to_mm @ plane.to_mm()
    homography = tuple(float(value) for value in (moved / moved[2, 2]).ravel())
    return replace(table, homography=homography, error_mm=error_mm)


def _seen_on(to_mm: Floats, straight: Floats) -> Floats:
    return np.asarray(cv2.perspectiveTransform(straight.reshape(-1, 1, 2), to_mm), float).reshape(-1, 2)


def _middle(square: Square, lens: Lens, table: TablePose) -> Points:
    middle = pixels_to_mm(square.corners_px, lens, table).mean(0, keepdims=True)
    return even_points(mm_to_pixels(middle, lens, table), np.array([square.middle_mm], float), _MIDDLE_MM)


def _surface(lens: Lens, table: TablePose) -> Rectifier:
    """The rectified view in which patches are compared: the table and its surroundings."""
    width, height = table.size_mm
    wide = replace(table, size_mm=(width + 2 * _BORDER_MM, height + 2 * _BORDER_MM))
    return rectifier_for(lens, wide, _PX_PER_MM)


def _to_view(points_mm: Floats, surface: Rectifier) -> Floats:
    return points_mm * surface.px_per_mm + (np.array(surface.size_px) - 1) / 2


def _to_mm(pixels: Floats, surface: Rectifier) -> Floats:
    return (pixels - (np.array(surface.size_px) - 1) / 2) / surface.px_per_mm


def _outline(table: TablePose) -> Floats:
    x, y = table.size_mm[0] / 2, table.size_mm[1] / 2
    return np.array([[-x, -y], [0, -y], [x, -y], [x, 0], [x, y], [0, y], [-x, y], [-x, 0], [0, 0]])


def _flat(points: Floats) -> Complexes:
    """Points as complex numbers, in which a rotation is a factor and a translation a summand."""
    return points[:, 0] + 1j * points[:, 1]


def _rigid(then: Complexes, now: Complexes) -> Motion:
    """The rotation and translation that bring one set of points to the other."""
    product = complex(np.vdot(then - then.mean(), now - now.mean()))
    turn = product / abs(product) if abs(product) > 0 else 1 + 0j
    return turn, complex(now.mean() - turn * then.mean())


def _turn_deg(quad: Floats) -> float:
    along = quad[1] + quad[2] - quad[0] - quad[3]
    return float(np.rad2deg(np.arctan2(along[1], along[0])))


def _wrapped(degrees: Floats) -> Floats:
    return (degrees + 180) % 360 - 180


def _pair(point: Floats) -> tuple[float, float]:
    return float(point[0]), float(point[1])
