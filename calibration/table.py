"""The table: its pose in the picture, in millimetres."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import CalibrationError, Image
from calibration.lens import Lens
from calibration.markers import Marker, find_markers
from calibration.plane import Plane, Square, even_points, fit_plane

Floats = NDArray[np.float64]
Point = tuple[float, float]
MarkerPlace = tuple[int, float, float]
"""The id of a marker, and its centre on the table in mm."""

MARKER_MM = 40.0
"""Side of the black square of a printed table marker."""
CORNERS = ("upper left", "upper right", "lower right", "lower left")
"""The corners for markers 0 to 3."""
MAT_INSET_MM = 34.0
"""Distance of the centre of a marker on the printed mat from the edges of the mat."""
LOOSE_INSET_MM = 30.0
"""Distance of the centre of a cut-out marker from the edges of its paper."""
_LEAST_MARKERS = 3
_FLOOR_MM = 0.05
"""Lower bound of the error: paper has a thickness and is never quite flat."""
_MOST_MISFIT_MM = 3.0
_FLAT_MISFIT = 0.02
"""Largest error of a marker's corner, relative to its side, at which it is still a flat square of this size."""


@dataclass(frozen=True, slots=True)
class TablePose:
    """The pose of the table. Its origin is its centre, x to the right and y downwards as the camera sees it."""

    size_mm: tuple[float, float]
    homography: tuple[float, ...]
    """The homography from undistorted pixels to table mm: nine numbers, row by row."""
    markers_mm: tuple[tuple[int, float, float], ...] = ()
    """Markers on the table: id and centre."""
    marker_mm: float = 40.0
    error_mm: float = 0.0
    """The root mean square error of a point of the table."""

    @property
    def to_mm(self) -> Floats:
        """The homography from undistorted pixels to table mm."""
        return np.array(self.homography, float).reshape(3, 3)


def pixels_to_mm(pixels: Floats, lens: Lens, table: TablePose) -> Floats:
    """Points of the picture in table mm."""
    straight = lens.undistort(pixels).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(straight, table.to_mm), float).reshape(-1, 2)


def mm_to_pixels(points_mm: Floats, lens: Lens, table: TablePose) -> Floats:
    """Points of the table in pixels of the picture."""
    points = np.asarray(points_mm, float).reshape(-1, 1, 2)
    straight = cv2.perspectiveTransform(points, np.linalg.inv(table.to_mm))
    return lens.distort(np.asarray(straight, float).reshape(-1, 2))


def mat_markers(size_mm: Point) -> tuple[MarkerPlace, ...]:
    """The positions of the markers on the printed mat."""
    x, y = size_mm[0] / 2 - MAT_INSET_MM, size_mm[1] / 2 - MAT_INSET_MM
    return (0, -x, -y), (1, x, -y), (2, x, y), (3, -x, y)


def locate_table(
    image: Image,
    lens: Lens,
    size_mm: Point | None = None,
    markers: Sequence[MarkerPlace] = (),
    marker_mm: float = MARKER_MM,
    inset_mm: float = LOOSE_INSET_MM,
) -> TablePose:
    """The table from its corner markers.

    `markers` gives their positions, if known (the mat: `mat_markers`). Otherwise they are squares of `marker_mm` put
    down by hand: their size gives the scale, and the table spans them with `inset_mm` around their centres, unless
    `size_mm` is given.
    """
    check_size(image, lens)
    wanted = [spot[0] for spot in markers] or range(len(CORNERS))
    found = find_markers(image, lens, wanted)
    return table_from_markers(found, lens, size_mm, markers, marker_mm, inset_mm)


def table_from_markers(
    found: Sequence[Marker],
    lens: Lens,
    size_mm: Point | None = None,
    markers: Sequence[MarkerPlace] = (),
    marker_mm: float = MARKER_MM,
    inset_mm: float = LOOSE_INSET_MM,
) -> TablePose:
    """The table from markers that were already found; see `locate_table`."""
    places = {number: (x, y) for number, x, y in markers}
    wanted = tuple(places) or tuple(range(len(CORNERS)))
    used = [marker for marker in found if marker.id in wanted]
    if len(used) < _LEAST_MARKERS:
        raise CalibrationError(_too_few(found, wanted))
    squares = [Square(np.array(marker.corners_px), places.get(marker.id)) for marker in used]
    if places:
        plane = _in_known_places(used, squares, lens, marker_mm)
        # A point of the table moves with the middle of the table as its anchor.
        return _pose(plane, np.eye(3), size_mm or _size_around(places, inset_mm), tuple(markers), marker_mm)
    _check_round(used)
    plane = fit_plane(lens, squares, marker_mm)
    off = plane.misfit_px / _side_px(used)
    if off > _FLAT_MISFIT:
        raise CalibrationError(
            f"markers {_ids(used)} do not look like flat squares of one size: their corners are off by {100 * off:.1f} "
            f"% of a side, wanted {100 * _FLAT_MISFIT:g} %; lay them flat, all printed at {marker_mm:g} mm, and check "
            f"that the lens was calibrated for this camera"
        )
    ids = [marker.id for marker in used]
    frame, span = _frame_of(ids, plane.middles_mm())
    size = size_mm or (span[0] + 2 * inset_mm, span[1] + 2 * inset_mm)
    middles = _moved(frame, plane.middles_mm())
    spots = tuple((number, float(x), float(y)) for number, (x, y) in zip(ids, middles, strict=True))
    return _pose(plane, frame, size, spots, marker_mm, ids)


def table_from_corners(corners_px: Sequence[Point], size_mm: Point, lens: Lens) -> TablePose:
    """The table from its four corners as a person marked them, clockwise from the upper left."""
    corners = np.asarray(corners_px, float)
    if corners.shape != (4, 2):
        raise CalibrationError(f"{len(corners)} corners of the table; wanted 4, clockwise from the upper left")
    if min(size_mm) <= 0:
        raise CalibrationError(f"a table of {size_mm[0]:g} x {size_mm[1]:g} mm; measure it and give its size in mm")
    straight = lens.undistort(corners)
    if not _clockwise(straight):
        raise CalibrationError(
            f"the corners {_spelled(corners)} do not go round the table; wanted clockwise from the upper left"
        )
    x, y = size_mm[0] / 2, size_mm[1] / 2
    flat = np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
    to_mm = np.asarray(cv2.getPerspectiveTransform(straight.astype(np.float32), flat.astype(np.float32)), float)
    around = float(np.linalg.norm(straight - np.roll(straight, 1, 0), axis=1).sum())
    pointed_mm = 2 * (size_mm[0] + size_mm[1]) / around
    # Four points fit any homography; how far they are from what a camera can see tells how well they were pointed at,
    # which is to a pixel at best.
    plane = fit_plane(lens, (), MARKER_MM, [even_points(corners, flat, pointed_mm)])
    off = _moved(plane.to_mm(), straight) - flat
    error_mm = float(np.hypot(np.sqrt((off**2).sum(1).mean()), pointed_mm))
    return TablePose(size_mm, _numbers(to_mm), error_mm=error_mm)


def check_size(image: Image, lens: Lens) -> None:
    """Refuse a picture of another size than the lens was calibrated for."""
    height, width = image.shape[:2]
    if (width, height) != tuple(lens.size_px):
        raise CalibrationError(
            f"a picture of {width} x {height}, but the lens was calibrated for {lens.size_px[0]} x {lens.size_px[1]}; "
            f"use that mode of the camera, or calibrate the lens again"
        )


def _in_known_places(used: list[Marker], squares: list[Square], lens: Lens, marker_mm: float) -> Plane:
    plane = fit_plane(lens, squares, marker_mm)
    mm_per_px = marker_mm / _side_px(used)
    if plane.misfit_px * mm_per_px > _MOST_MISFIT_MM:
        raise CalibrationError(
            f"markers {_ids(used)} are {plane.misfit_px * mm_per_px:.1f} mm away from where they should lie, wanted at "
            f"most {_MOST_MISFIT_MM:g} mm; was the size of the table or mat given right, and is every marker in its "
            f"own corner?"
        )
    return plane


def _pose(
    plane: Plane,
    frame: Floats,
    size_mm: Point,
    spots: tuple[MarkerPlace, ...],
    marker_mm: float,
    loose: Sequence[int] = (),
) -> TablePose:
    to_mm = frame @ plane.to_mm()
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 5) * size_mm[0], np.linspace(-0.5, 0.5, 5) * size_mm[1])
    pixels = _moved(np.asarray(np.linalg.inv(to_mm), float), np.stack([x.ravel(), y.ravel()], 1))

    def seen(values: Floats) -> Floats:
        base = _frame_of(loose, plane.middles_mm(values))[0] if loose else frame
        return _moved(base @ plane.to_mm(values), pixels)

    error_mm = float(np.hypot(plane.error_of(seen), _FLOOR_MM))
    return TablePose(size_mm, _numbers(to_mm), spots, marker_mm, error_mm)


def _frame_of(ids: Sequence[int], middles: Floats) -> tuple[Floats, Point]:
    """The table spanned by markers: the matrix that centres and aligns it, and its size."""
    at = dict(zip(ids, middles, strict=True))
    along = np.zeros(2)
    for left, right in ((0, 1), (3, 2)):
        if left in at and right in at:
            along += at[right] - at[left]
    for upper, lower in ((0, 3), (1, 2)):
        if upper in at and lower in at:
            down = at[lower] - at[upper]
            along += (down[1], -down[0])
    cosine, sine = along / np.linalg.norm(along)
    turn = np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]])
    straight = _moved(turn, middles)
    low, high = straight.min(0), straight.max(0)
    shift = np.eye(3)
    shift[:2, 2] = -(low + high) / 2
    return shift @ turn, (float(high[0] - low[0]), float(high[1] - low[1]))


def _moved(homography: Floats, points: Floats) -> Floats:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), homography), float).reshape(-1, 2)


def _numbers(homography: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in (homography / homography[2, 2]).ravel())


def _size_around(places: dict[int, Point], inset_mm: float) -> Point:
    x, y = (max(abs(place[axis]) for place in places.values()) for axis in (0, 1))
    return 2 * (x + inset_mm), 2 * (y + inset_mm)


def _side_px(markers: list[Marker]) -> float:
    areas = [cv2.contourArea(np.array(marker.corners_px, np.float32)) for marker in markers]
    return float(np.sqrt(np.mean(areas)))


def _check_round(markers: list[Marker]) -> None:
    """Markers 0 to 3 go round the table clockwise."""
    middles = np.array([np.mean(marker.corners_px, 0) for marker in sorted(markers, key=lambda marker: marker.id)])
    if not _clockwise(middles):
        raise CalibrationError(
            f"markers {_ids(markers)} do not go round the table clockwise; wanted "
            + ", ".join(f"{number} {corner}" for number, corner in enumerate(CORNERS))
        )


def _clockwise(points: Floats) -> bool:
    """Whether a polygon is convex and clockwise, with y downwards."""
    ahead, back = np.roll(points, -1, 0) - points, points - np.roll(points, 1, 0)
    return bool(np.all(back[:, 0] * ahead[:, 1] - back[:, 1] * ahead[:, 0] > 0))


def _too_few(found: Sequence[Marker], wanted: Sequence[int]) -> str:
    ids = _ids([marker for marker in found if marker.id in wanted])
    missing = [number for number in wanted if number not in {marker.id for marker in found}]
    where = ", ".join(f"{number} ({CORNERS[number]})" if number < len(CORNERS) else f"{number}" for number in missing)
    return (
        f"saw {f'only markers {ids}' if ids else 'no marker'} of {_listed(wanted)}, wanted at least {_LEAST_MARKERS}; "
        f"uncover {where}, or give the corners of the table by hand"
    )


def _ids(markers: Sequence[Marker]) -> str:
    return _listed([marker.id for marker in markers])


def _listed(ids: Sequence[int]) -> str:
    return ", ".join(str(number) for number in sorted(ids))


def _spelled(points: Floats) -> str:
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
