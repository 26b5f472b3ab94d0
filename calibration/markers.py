"""Markers: ArUco markers in the picture, with subpixel corners."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from math import erf

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import Image
from calibration.lens import Lens

Floats = NDArray[np.float64]

DICTIONARY = cv2.aruco.DICT_4X4_50
CELLS = 6
"""Cells across a marker: four of its pattern and two of its black rim."""
_SQUARE = np.array([[0, 0], [CELLS, 0], [CELLS, CELLS], [0, CELLS]], float)
_ALONG = np.linspace(0.22, 0.78, 7)
"""Positions along a cell's edge that are sampled: not near its ends, where blur rounds the corners."""
_ACROSS = np.linspace(-0.5, 0.5, 25)
"""Positions across an edge that are sampled, in cells."""
_BLURS = (0.05, 0.08, 0.12, 0.18, 0.26, 0.36)
"""Blurs of an edge that are tried, in cells."""
_STEPS = 5
_LEAST_CLEAR = 0.75
"""Share of its edges that must have the right direction; below it the marker is covered or a false detection."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker in the picture."""

    id: int
    corners_px: tuple[tuple[float, float], ...]
    """Upper left, upper right, lower right, lower left as printed."""
    error_px: float = 0.0
    """The residual of the edges of its cells."""


@dataclass(frozen=True, slots=True)
class _Edges:
    """Points on the edges between dark and bright cells of a marker, in cells, and directions to the bright side."""

    points: Floats
    normals: Floats


def find_markers(
    image: Image, lens: Lens | None = None, wanted: Collection[int] = (), dictionary: int = DICTIONARY
) -> tuple[Marker, ...]:
    """The markers of the picture, by id; the search ends early once all `wanted` ones are found.

    With a lens the sides of a marker may be curved; without one they are assumed straight.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image, np.uint8)
    found: dict[int, Marker] = {}
    for view, scale in _views(grey, image):
        for number, quad in _detected(view, dictionary):
            corners = (quad + 0.5) / scale - 0.5
            if number in found and _same_place(found[number], corners):
                continue
            marker = _refined(grey, number, corners, lens, dictionary)
            # Of two markers with one number one is a false detection: the edges of the real one agree better.
            if marker and (number not in found or marker.error_px < found[number].error_px):
                found[number] = marker
        if wanted and set(wanted) <= set(found):
            break
    return tuple(found[number] for number in sorted(found))


def _views(grey: Image, image: Image) -> Iterator[tuple[Image, float]]:
    """The picture, then versions of it that restore dim, blurred and coloured ones; each with its scale."""
    yield grey, 1.0
    yield np.asarray(cv2.createCLAHE(3.0, (8, 8)).apply(grey), np.uint8), 1.0
    soft = cv2.GaussianBlur(grey, (0, 0), 3.0)
    yield np.asarray(cv2.addWeighted(grey, 3.0, soft, -2.0, 0.0), np.uint8), 1.0
    if image.ndim == 3:
        blue, green, red = cv2.split(image)
        yield np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8), 1.0
    half = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    yield np.asarray(cv2.createCLAHE(2.0, (8, 8)).apply(half), np.uint8), 0.5


def _detected(view: Image, dictionary: int) -> list[tuple[int, Floats]]:
    corners, ids, _ = _detector(dictionary).detectMarkers(view)
    if ids is None:
        return []
    return [
        (int(number), np.asarray(quad, float).reshape(4, 2))
        for number, quad in zip(np.ravel(ids), corners, strict=True)
    ]


def _same_place(marker: Marker, corners: Floats) -> bool:
    side = np.linalg.norm(corners[1] - corners[0])
    return bool(np.abs(np.array(marker.corners_px) - corners).max() < side / 4)


@cache
def _detector(dictionary: int) -> cv2.aruco.ArucoDetector:
    options = cv2.aruco.DetectorParameters()
    options.adaptiveThreshWinSizeMin, options.adaptiveThreshWinSizeMax = 5, 45
    options.adaptiveThreshWinSizeStep = 20
    options.adaptiveThreshConstant = 5
    options.minMarkerPerimeterRate = 0.04
    # The edge of the paper runs 6 mm or more outside the marker and is not another try at the same square: corners
    # 8 mm apart are 0.05 of its way round.
    options.minMarkerDistanceRate = 0.03
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(dictionary), options)


def _refined(grey: Image, number: int, corners_px: Floats, lens: Lens | None, dictionary: int) -> Marker | None:
    """The marker refined by all the edges of its cells; None if they do not look like its edges."""
    edges = _edges(number, dictionary)
    start = lens.undistort(corners_px) if lens else corners_px
    place = _square_to(start)
    sides = (edges.normals[:, 0] != 0, edges.normals[:, 1] != 0)
    blurs, error = [0, 0], 0.0
    for step in range(_STEPS):
        profiles = _profiles(grey, place, edges, lens)
        if step < 2:
            # Motion blurs along one side more than along the other.
            blurs = [_blur_of(profiles[side]) for side in sides]
        offsets, weights = np.empty(len(profiles)), np.empty(len(profiles))
        for side, blur in zip(sides, blurs, strict=True):
            offsets[side], weights[side] = _offsets(profiles[side], blur)
        if np.mean(weights > 0) < _LEAST_CLEAR:
            return None
        shift, error = _agreed(edges, offsets, weights)
        place = place @ shift
    straight = _moved(_SQUARE, place)
    cell_px = float(np.sqrt(cv2.contourArea(straight.astype(np.float32)))) / CELLS
    bent = lens.distort(straight) if lens else straight
    return Marker(number, tuple((float(x), float(y)) for x, y in bent), error * cell_px)


def _moved(points: Floats, place: Floats) -> Floats:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), place), float).reshape(-1, 2)


def _square_to(corners: Floats) -> Floats:
    square, quad = _SQUARE.astype(np.float32), corners.astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(square, quad), float)


@cache
def _edges(number: int, dictionary: int) -> _Edges:
    book = cv2.aruco.getPredefinedDictionary(dictionary)
    drawn = np.asarray(cv2.aruco.generateImageMarker(book, number, CELLS, borderBits=1)) > 127
    bright = np.pad(drawn, 1, constant_values=True).astype(int)
    points, normals = [], []
    for axis in (1, 0):
        for row, column in np.argwhere(np.diff(bright, axis=axis)):
            toward = bright[row + 1 - axis, column + axis] - bright[row, column]
            for along in _ALONG:
                # The padding shifted everything by one cell.
                across_edge = (column, row - 1 + along) if axis else (column - 1 + along, row)
                points.append(across_edge)
                normals.append((toward, 0) if axis else (0, toward))
    return _Edges(np.array(points, float), np.array(normals, float))


def _profiles(grey: Image, place: Floats, edges: _Edges, lens: Lens | None) -> Floats:
    """The brightness across every edge, from its dark to its bright side."""
    spots = edges.points[:, None] + _ACROSS[None, :, None] * edges.normals[:, None]
    straight = _moved(spots, place)
    pixels = (lens.distort(straight) if lens else straight).astype(np.float32).reshape(len(spots), -1, 2)
    x, y = np.ascontiguousarray(pixels[:, :, 0]), np.ascontiguousarray(pixels[:, :, 1])
    values = cv2.remap(grey, x, y, cv2.INTER_LINEAR)
    return np.asarray(values, float)


@cache
def _models() -> tuple[tuple[Floats, Floats], ...]:
    """For every blur: a linear model of an edge (level, step, shift), and its pseudoinverse."""
    found = []
    for blur in _BLURS:
        step = np.array([0.5 + 0.5 * erf(x / blur / np.sqrt(2)) for x in _ACROSS])
        moved = np.exp(-0.5 * (_ACROSS / blur) ** 2) / blur / np.sqrt(2 * np.pi)
        model = np.column_stack([np.ones_like(step), step, moved])
        found.append((model, np.linalg.pinv(model)))
    return tuple(found)


def _blur_of(profiles: Floats) -> int:
    """Which blur fits best."""
    misfits = []
    for model, inverse in _models():
        left = profiles - profiles @ inverse.T @ model.T
        misfits.append(float(np.median(np.abs(left).mean(1))))
    return int(np.argmin(misfits))


def _offsets(profiles: Floats, blur: int) -> tuple[Floats, Floats]:
    """The offset of every edge towards its bright side, in cells, and its weight."""
    model, inverse = _models()[blur]
    fitted = profiles @ inverse.T
    noise = np.sqrt(np.mean((profiles - fitted @ model.T) ** 2, 1))
    contrast = np.maximum(fitted[:, 1], 1e-6)
    offsets = np.clip(-fitted[:, 2] / contrast, -0.35, 0.35)
    clear = (contrast > 6) & (noise < 0.3 * contrast)
    return offsets, np.where(clear, 1 / (0.02 + noise / contrast) ** 2, 0.0)


def _agreed(edges: _Edges, offsets: Floats, weights: Floats) -> tuple[Floats, float]:
    """A robust fit of the small homography that moves the edges, and its residual.

    Bright areas spread into dark ones in paper, lens and sensor, and more so along a motion. That moves all edges of
    one direction equally towards their dark sides, and must not be taken for a smaller marker.
    """
    (u, v), (nu, nv) = (edges.points - CELLS / 2).T, edges.normals.T
    turn = nu * u + nv * v
    columns = np.column_stack([nu, nu * u, nu * v, nv, nv * u, nv * v, turn * u, turn * v, nu != 0, nv != 0])
    solution, error, trust = np.zeros(columns.shape[1]), 0.0, weights
    for _ in range(4):
        root = np.sqrt(trust)
        solution = np.linalg.lstsq(columns * root[:, None], offsets * root, rcond=None)[0]
        left = np.abs(offsets - columns @ solution)
        error = max(float(np.median(left[weights > 0])) * 1.48, 1e-3)
        trust = weights * np.clip(1 - (left / (4 * error)) ** 2, 0, None) ** 2
    a, b, c, d, e, f, g, h = solution[:8]
    local = np.array([[1 + b, c, a], [e, 1 + f, d], [-g, -h, 1]])
    centre = np.array([[1, 0, CELLS / 2], [0, 1, CELLS / 2], [0, 0, 1]])
    return centre @ local @ np.linalg.inv(centre), error
