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
"""A turn and a shift of the plane."""
By = Literal["markers", "background"]

WARN_MM, RECALIBRATE_MM = 2.0, 6.0
_FINE_MM: dict[By, float] = {"markers": 0.25, "background": 0.4}
"""A drift is measured about so well; what comes so near to a limit has reached it."""
_BORDER_MM = 60.0
"""So much of the surface around the table is remembered too."""
_PX_PER_MM = 1.0
_PAPER_MM = 45.0
"""Nothing so near to the middle of a marker is background."""
_REACHES_MM = (12.0, 40.0)
"""How far patches are searched, in mm: where a nudge brings them, then where a push does."""
_MIDDLE_MM = 0.1
"""How finely the middle of a marker is found."""
_AGREE_MM = 1.0
"""Markers that moved together are so near to where one move brings them."""
_LEAST_PATCHES, _LEAST_REGIONS = 12, 4
"""So many patches must agree, in so many of the nine regions of the table."""
_MOST_RIVAL = 0.8
"""On a regular pattern another move may suit nearly as well: then neither is believed."""
_MOST_ERROR_MM = 0.5
"""Less well than this the surface does not tell a drift from none."""
_ENOUGH_MARKERS, _HOLDS_MM = 3, 1.0
"""So many markers need no help, and where they are found they lie to so many mm."""
_ROUNDS, _OUTSIDE = 4, 3.0
"""A patch that is so many times as far off as it should be is another patch; the first rounds are still finding out."""
_TURN_DEG = 0.3
"""Two markers that moved together are turned alike."""
_TILT_DEG_PER_MM, _TILT_PER_MM = 0.06, 0.1
"""A camera that tips shows a move that is not quite rigid, the less so the farther it goes."""
_TRUSTED_MM = 0.5
"""A table that is found again must be known this well."""


class DriftState(Enum):
    """What is to be done about a drift."""

    OK = "ok"
    WARN = "warn"
    RECALIBRATE = "recalibrate"
    UNKNOWN = "unknown"
    """Markers are covered, and the surface is too plain or too covered to tell."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the table is from where it was found."""

    shift_mm: float
    """How far the points of the table are from where they are thought to be, root mean square."""
    turn_deg: float
    sure: bool
    by: By


@dataclass(frozen=True, slots=True)
class Landmarks:
    """What is remembered of a table: plain numbers and texts, all in table mm."""

    markers: tuple[tuple[int, float, float, float], ...] = ()
    """The markers that were seen: id, the middle of each, and its turn in degrees."""
    patches: tuple[tuple[float, float, str], ...] = ()
    """Pieces of the surface: the middle, and how it looks."""


def remember(image: Image, lens: Lens, table: TablePose) -> Landmarks:
    """What to recognise the table by."""
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
    """How far camera or table moved since `remember`; other light is not a move."""
    return _found_again(image, lens, table, landmarks)[0]


def judge_drift(drift: Drift) -> DriftState:
    """Whether that matters."""
    if not drift.sure:
        return DriftState.UNKNOWN
    most_mm = drift.shift_mm + _FINE_MM[drift.by]
    if most_mm >= RECALIBRATE_MM:
        return DriftState.RECALIBRATE
    return DriftState.WARN if most_mm >= WARN_MM else DriftState.OK


def follow(image: Image, lens: Lens, table: TablePose, landmarks: Landmarks) -> TablePose:
    """The table where it is now if it moved so far that it matters; if not, or if nobody can tell, as it was."""
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
    """The drift, and the table where it is now."""
    check_size(image, lens)
    squares = _moved_together(image, lens, table, landmarks)
    if len(squares) >= (_ENOUGH_MARKERS if table.markers_mm else len(CORNERS)):
        moved = _refitted(lens, table, squares, [])
        return _drift(lens, table, moved, "markers"), moved
    points = _on_background(image, lens, table, landmarks)
    if squares:
        # Fewer say where the table is, but little about how the camera tipped.
        helped = points and _refitted(lens, table, squares, [points])
        moved = helped if helped and _holds(squares, lens, helped) else _refitted(lens, table, squares, [])
        return _drift(lens, table, moved, "markers"), moved
    if points:
        moved = _refitted(lens, table, [], [points])
        return _drift(lens, table, moved, "background"), moved
    return Drift(0.0, 0.0, False, "background"), table


def _drift(lens: Lens, table: TablePose, moved: TablePose, by: By) -> Drift:
    """How far beside the truth the old table is."""
    outline = _outline(table)
    misread = pixels_to_mm(mm_to_pixels(outline, lens, moved), lens, table)
    turn, _ = _rigid(_flat(outline), _flat(misread))
    shift_mm = float(np.sqrt(((misread - outline) ** 2).sum(1).mean()))
    return Drift(shift_mm, float(np.rad2deg(np.angle(turn))), True, by)


def _moved_together(image: Image, lens: Lens, table: TablePose, landmarks: Landmarks) -> list[Square]:
    """The remembered markers that are where one move brings them: two at least, or none."""
    seen = _seen(image, lens)
    known = [marker for marker in landmarks.markers if marker[0] in seen]
    quads = [pixels_to_mm(seen[marker[0]], lens, table) for marker in known]
    return [Square(seen[known[index][0]], known[index][1:3]) for index in _agreeing(known, quads)]


def _holds(squares: list[Square], lens: Lens, table: TablePose) -> bool:
    """Whether the markers lie where they were remembered."""
    middles = [pixels_to_mm(square.corners_px, lens, table).mean(0) for square in squares]
    places = [square.middle_mm for square in squares]
    return float(np.abs(np.array(middles) - np.array(places, float)).max()) < _HOLDS_MM


def _seen(image: Image, lens: Lens) -> dict[int, Floats]:
    ids = range(len(CORNERS))
    return {marker.id: np.array(marker.corners_px) for marker in find_markers(image, lens, ids) if marker.id in ids}


def _agreeing(known: list[tuple[int, float, float, float]], quads: list[Floats]) -> list[int]:
    """Which markers moved together, two at least; one that was pushed alone says nothing about the table."""
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
            # Of two markers one may be pushed aside and seem to turn with the other: then it must be turned, too.
            alike = size > 2 or off_deg < _TURN_DEG + _TILT_DEG_PER_MM * far_mm
            if alike and off_mm < _AGREE_MM + _TILT_PER_MM * far_mm:
                fitting.append((off_mm, group))
        if fitting:
            # Two pairs that contradict each other leave it open.
            return min(fitting)[1] if size > 2 or len(fitting) == 1 else []
    return []


def _on_background(image: Image, lens: Lens, table: TablePose, landmarks: Landmarks) -> Points | None:
    """Where pieces of the surface are now, if enough of them agree."""
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
        alike = (located.like >= MIN_SIMILARITY) & ((number < _ROUNDS // 2) | (np.abs(off).max(1) < _OUTSIDE))
        if not _convincing(located.knowing[alike], then[alike], table):
            return None
        pixels = mm_to_pixels(_to_mm(located.now[alike], surface), lens, table)
        points = Points(pixels, then[alike], located.precision[alike] * surface.px_per_mm)
        moved = _refitted(lens, table, [], [points])
        expected = _to_view(pixels_to_mm(mm_to_pixels(then, lens, moved), lens, table), surface)
    return points if moved.error_mm < _MOST_ERROR_MM else None


def _convincing(knowing: Floats, then: Floats, table: TablePose) -> bool:
    """Whether enough patches in enough regions know their place, whatever the direction."""
    outer = np.array(table.size_mm) + 2 * _BORDER_MM
    regions = np.unique(np.floor((then / outer + 0.5) * 3), axis=0)
    return len(regions) >= _LEAST_REGIONS and float(np.linalg.eigvalsh(knowing.sum(0))[0]) >= _LEAST_PATCHES


def _refitted(lens: Lens, table: TablePose, squares: list[Square], points: list[Points]) -> TablePose:
    """The table through what is seen of it; its error is that of the move alone."""
    before, to_mm = camera_mount(lens, table.to_mm), np.eye(3)
    if not table.markers_mm:
        # A table that was given by hand need not be what any camera sees: the plane that was nearest to it moved.
        points = [*points, *(_middle(square, lens, table) for square in squares)]
        then = [replace(some, pixels=mm_to_pixels(some.points_mm, lens, table)) for some in points]
        flat = fit_plane(lens, (), table.marker_mm, then, before).to_mm_if_lens_is_right()
        squares, before, to_mm = [], camera_mount(lens, flat), table.to_mm @ np.linalg.inv(flat)
        points = [
            replace(some, points_mm=_seen_on(flat, lens.straighten(old.pixels)))
            for some, old in zip(points, then, strict=True)
        ]
    plane = fit_plane(lens, squares, table.marker_mm, points, before)
    straight = lens.straighten(mm_to_pixels(_outline(table), lens, table))
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
    """The view in which patches are compared: the table with what is around it."""
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
    """Points as complex numbers: then a turn is a factor and a shift a summand."""
    return points[:, 0] + 1j * points[:, 1]


def _rigid(then: Complexes, now: Complexes) -> Motion:
    """Turn and shift that bring one to the other."""
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
