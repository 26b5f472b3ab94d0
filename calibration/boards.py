"""The calibration board: its geometry, and where its corners are in a picture."""

from dataclasses import dataclass
from functools import lru_cache
from math import erf

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import CalibrationError, Image

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

FEWEST_CORNERS = 6
"""Minimum corners of a usable view: fewer determine the pose of the board, but nothing about the lens."""
_SEARCH_PX = 720
_STEPS = 65
_SIGMAS = np.linspace(0.0, 2.0, 201)
_SEEN_SIGMAS = np.array([sigma * erf(1 / (sigma * 2**0.5)) if sigma else 0.0 for sigma in _SIGMAS])
"""The sigma that is measured when an edge is visible for only one unit on both sides."""
_REFINE = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 60, 1e-4)


@lru_cache(maxsize=32)
def dictionary_of(name: str) -> cv2.aruco.Dictionary:
    """A predefined dictionary by its name."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


@dataclass(frozen=True, slots=True)
class Charuco:
    """A ChArUco board; columns and rows count its squares."""

    columns: int = 7
    rows: int = 5
    square_mm: float = 35.0
    marker_mm: float = 26.0
    dictionary: str = "DICT_5X5_100"
    white_first: bool = False
    """The first square is white: the legacy pattern of boards with an even number of rows."""

    def __post_init__(self) -> None:
        if self.columns < 3 or self.rows < 3 or not 0 < self.marker_mm < self.square_mm:
            raise CalibrationError(f"{self.label}: wanted 3 squares or more each way, and markers smaller than squares")
        if not self.dictionary.startswith("DICT_") or not hasattr(cv2.aruco, self.dictionary):
            raise CalibrationError(f"no marker dictionary {self.dictionary!r}; wanted one like DICT_5X5_100")
        if self.white_first and self.rows % 2:
            raise CalibrationError(f"{self.label}: the legacy pattern differs only for an even number of rows")
        if self.columns * self.rows // 2 > len(dictionary_of(self.dictionary).bytesList):
            raise CalibrationError(f"{self.label}: {self.dictionary} has not enough markers for so many squares")

    @property
    def label(self) -> str:
        """The board's name for people."""
        legacy = " legacy" if self.white_first else ""
        return f"ChArUco {self.columns} x {self.rows} {self.dictionary}{legacy}"

    @property
    def corners_across(self) -> int:
        """Inner corners in a row."""
        return self.columns - 1

    @property
    def corners_down(self) -> int:
        """Inner corners in a column."""
        return self.rows - 1

    @property
    def clear_share(self) -> float:
        """The plain part of a square beside its edges, in squares."""
        return (1 - self.marker_mm / self.square_mm) / 2


@dataclass(frozen=True, slots=True)
class Chessboard:
    """A plain chessboard; columns and rows count its inner corners."""

    columns: int = 9
    rows: int = 6
    square_mm: float = 25.0

    def __post_init__(self) -> None:
        if self.columns < 3 or self.rows < 3 or self.square_mm <= 0:
            raise CalibrationError(f"{self.label}: wanted 3 inner corners or more each way")

    @property
    def label(self) -> str:
        """The board's name for people."""
        return f"chessboard with {self.columns} x {self.rows} inner corners"

    @property
    def corners_across(self) -> int:
        """Inner corners in a row."""
        return self.columns

    @property
    def corners_down(self) -> int:
        """Inner corners in a column."""
        return self.rows

    @property
    def clear_share(self) -> float:
        """The plain part of a square beside its edges, in squares."""
        return 0.35


Geometry = Charuco | Chessboard
OWN_BOARD = Charuco()
"""The board that `krupier print charuco` prints."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """The board in one picture."""

    name: str
    """The number of the frame in a film, or the name of a file."""
    size_px: tuple[int, int]
    ids: Ids
    """The visible inner corners, counted row by row."""
    points_mm: Floats
    """Their positions on the board; n x 2."""
    pixels: Floats
    """Their positions in the picture; n x 2."""
    blur_px: float
    """The blur of its edges as the sigma of a Gaussian; the worse of both directions."""
    square_px: float
    """The side of its squares in the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class Markers:
    """Markers found in a picture."""

    ids: Ids
    corners: Floats
    """n x 4 x 2, clockwise from the upper left corner."""


def find_board(image: Image, geometry: Geometry = OWN_BOARD, name: str = "") -> BoardView | None:
    """The corners of the board in a picture; None if the board is missing, mostly hidden, or another one."""
    grey = to_grey(image)
    found = _charuco_corners(grey, geometry) if isinstance(geometry, Charuco) else _chess_corners(grey, geometry)
    if found is None:
        return None
    ids, pixels = found
    kept = _is_crossing(grey, geometry, ids, pixels)
    ids, pixels = ids[kept], pixels[kept]
    across = geometry.corners_across
    if len(ids) < FEWEST_CORNERS or len(set(ids // across)) < 2 or len(set(ids % across)) < 2:
        return None
    edges = _edges(geometry, ids, pixels)
    square_px = float(np.median(np.linalg.norm(np.concatenate(edges)[:, 1], axis=1)))
    height, width = grey.shape
    return BoardView(
        name, (width, height), ids, corners_mm(geometry, ids), pixels, _blur_px(grey, geometry, edges), square_px
    )


def corners_mm(geometry: Geometry, ids: Ids) -> Floats:
    """Positions of inner corners on the board, relative to the first one."""
    across = geometry.corners_across
    return np.stack([ids % across, ids // across], 1).astype(float) * geometry.square_mm


def to_grey(image: Image) -> Image:
    """The picture in grey."""
    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def find_markers(grey: Image, dictionary: str) -> Markers:
    """All markers of a dictionary in a picture."""
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary_of(dictionary)).detectMarkers(grey)
    if ids is None or not len(ids):
        return Markers(np.empty(0, np.int64), np.empty((0, 4, 2)))
    return Markers(np.asarray(ids, np.int64).ravel(), np.asarray(corners, float).reshape(-1, 4, 2))


@lru_cache(maxsize=8)
def _charuco_detector(geometry: Charuco) -> cv2.aruco.CharucoDetector:
    board = cv2.aruco.CharucoBoard(
        (geometry.columns, geometry.rows), geometry.square_mm, geometry.marker_mm, dictionary_of(geometry.dictionary)
    )
    board.setLegacyPattern(geometry.white_first)
    wanted = cv2.aruco.CharucoParameters()
    # Corners with one marker beside them are those at the edge of the picture, which the lens needs most;
    # what is no crossing of four squares is thrown out later.
    wanted.minMarkers = 1
    return cv2.aruco.CharucoDetector(board, wanted)


def _charuco_corners(grey: Image, geometry: Charuco) -> tuple[Ids, Floats] | None:
    corners, ids, marker_corners, marker_ids = _charuco_detector(geometry).detectBoard(grey)
    if ids is None or marker_ids is None or len(marker_ids) < 3 or len(ids) < FEWEST_CORNERS:
        return None
    markers = Markers(np.asarray(marker_ids, np.int64).ravel(), np.asarray(marker_corners, float).reshape(-1, 4, 2))
    if not is_laid_out_as(markers, geometry):
        return None
    return np.asarray(ids, np.int64).ravel(), np.asarray(corners, float).reshape(-1, 2)


def marker_places(columns: int, white_first: bool, most: int) -> Floats:
    """The centres of a ChArUco board's markers in squares, in the order of their ids."""
    rows = 2 * most // columns + 2
    first = 0 if white_first else 1
    places = [(x + 0.5, y + 0.5) for y in range(rows) for x in range(columns) if (x + y) % 2 == first]
    return np.array(places[:most], float)


def is_laid_out_as(markers: Markers, geometry: Charuco) -> bool:
    """Whether the markers belong to this board, and not to another one with the same dictionary."""
    most = geometry.columns * geometry.rows // 2
    mine = markers.ids < most
    if mine.sum() < 3 or mine.mean() < 0.7:
        return False
    if mine.sum() < 5:
        return True
    places = marker_places(geometry.columns, geometry.white_first, most)[markers.ids[mine]]
    return fit_of(places, markers.corners[mine])[0] > 0.75


def fit_of(places: Floats, corners: Floats) -> tuple[float, float]:
    """The share of the markers that agree with one plane, and the side of a marker in squares."""
    middles = corners.mean(1)
    plane, _ = cv2.findHomography(middles, places, cv2.RANSAC, 0.2)
    if plane is None:
        return 0.0, 0.0
    flat = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), plane).reshape(-1, 4, 2)
    side = float(np.median(np.linalg.norm(flat - np.roll(flat, 1, axis=1), axis=2)))
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * side / 2
    off = np.abs(flat - (places[:, None] + square)).max((1, 2))
    # A lens bends a board by less than a fifth of a square; a wrong layout is off by a whole one.
    return float((off < 0.25).mean()), side


def _chess_corners(grey: Image, geometry: Chessboard) -> tuple[Ids, Floats] | None:
    """The corners of the whole chessboard; which end comes first is unknown and does not matter for the lens."""
    scale = min(1.0, _SEARCH_PX / max(grey.shape))
    small = grey if scale == 1 else cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    flags = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE
    whole, corners = cv2.findChessboardCorners(small, (geometry.columns, geometry.rows), flags=flags)
    if not whole:
        return None
    grid = ((np.asarray(corners, np.float32).reshape(-1, 2) + 0.5) / scale - 0.5).reshape(geometry.rows, -1, 2)
    apart = min(np.linalg.norm(np.diff(grid, axis=axis), axis=2).min() for axis in (0, 1))
    reach = int(np.clip(0.35 * apart, 2, 11))
    fine = cv2.cornerSubPix(grey, np.ascontiguousarray(grid.reshape(-1, 1, 2)), (reach, reach), (-1, -1), _REFINE)
    return np.arange(geometry.columns * geometry.rows), np.asarray(fine, float).reshape(-1, 2)


def _neighbours(geometry: Geometry, ids: Ids, pixels: Floats) -> tuple[Floats, Floats]:
    """For every visible corner, the vectors to the next corner to the right and below, averaged over its neighbours."""
    grid = np.full((geometry.corners_down, geometry.corners_across, 2), np.nan)
    row, column = ids // geometry.corners_across, ids % geometry.corners_across
    grid[row, column] = pixels
    steps = []
    for axis in (1, 0):
        step = np.diff(grid, axis=axis)
        gap = np.full_like(np.take(grid, [0], axis), np.nan)
        after, before = np.concatenate([step, gap], axis), np.concatenate([gap, step], axis)
        both = np.where(np.isnan(after), before, np.where(np.isnan(before), after, (after + before) / 2))
        mine = both[row, column]
        known = ~np.isnan(mine[:, 0])
        if known.any():
            mine[~known] = np.median(mine[known], axis=0)
        steps.append(mine)
    return steps[0], steps[1]


def _is_crossing(grey: Image, geometry: Geometry, ids: Ids, pixels: Floats) -> NDArray[np.bool_]:
    """Which corners are real: two dark squares opposite each other and two bright ones."""
    right, down = _neighbours(geometry, ids, pixels)
    height, width = grey.shape
    reach = 0.7 * geometry.clear_share
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
    spots = pixels[:, None] + reach * (signs[None, :, :1] * right[:, None] + signs[None, :, 1:] * down[:, None])
    inside = np.asarray(np.isfinite(spots).all((1, 2)) & ((spots > 0) & (spots < (width - 1, height - 1))).all((1, 2)))
    at = np.where(inside[:, None, None], spots, 0).astype(np.float32)
    soft = cv2.GaussianBlur(grey, (0, 0), 1.0)
    values = cv2.remap(soft, np.ascontiguousarray(at[:, :, 0]), np.ascontiguousarray(at[:, :, 1]), cv2.INTER_LINEAR)
    levels = np.asarray(values, float)
    one, other = levels[:, 0::2], levels[:, 1::2]
    apart = np.abs(one.mean(1) - other.mean(1))
    uneven = np.maximum(np.ptp(one, axis=1), np.ptp(other, axis=1))
    return np.asarray(inside & (apart > 12) & (uneven < 0.5 * apart))


def _edges(geometry: Geometry, ids: Ids, pixels: Floats) -> tuple[Floats, Floats]:
    """The edges between neighbouring corners, along rows and along columns: centre and direction, n x 2 x 2."""
    place = {int(number): spot for number, spot in zip(ids, pixels, strict=True)}
    across = geometry.corners_across
    lines = []
    for step in (1, across):
        pairs = [
            ((spot + place[number + step]) / 2, place[number + step] - spot)
            for number, spot in place.items()
            if number + step in place and (step > 1 or number % across != across - 1)
        ]
        lines.append(np.array(pairs, float).reshape(-1, 2, 2))
    return lines[0], lines[1]


def _blur_px(grey: Image, geometry: Geometry, edges: tuple[Floats, Floats]) -> float:
    """The sigma of the edges; motion blurs one direction more, so the worse one counts."""
    return max((_edge_sigma(grey, lines, geometry.clear_share) for lines in edges if len(lines)), default=0.0)


def _edge_sigma(grey: Image, lines: Floats, clear_share: float) -> float:
    middle, along = lines[:, 0], lines[:, 1]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    normal = np.stack([-along[:, 1], along[:, 0]], 1) / length
    reach = 0.8 * clear_share * length
    t = np.linspace(-1, 1, _STEPS)
    beside = np.linspace(-0.2, 0.2, 5)
    spots = (
        middle[:, None, None]
        + beside[None, :, None, None] * along[:, None, None]
        + t[None, None, :, None] * (normal * reach)[:, None, None]
    ).astype(np.float32)
    flat = spots.reshape(-1, 5 * _STEPS, 2)
    values = cv2.remap(
        grey, np.ascontiguousarray(flat[:, :, 0]), np.ascontiguousarray(flat[:, :, 1]), cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    profile = np.asarray(values, float).reshape(-1, 5, _STEPS).mean(1)
    rise = profile[:, -5:].mean(1) - profile[:, :5].mean(1)
    slope = np.diff(profile, axis=1)
    # Three steps together: a single one is noise.
    steep = np.stack([np.convolve(line, np.ones(3) / 3, "valid") for line in slope * np.sign(rise)[:, None]]).max(1)
    step_px = 2 * reach[:, 0] / (_STEPS - 1)
    clear = (np.abs(rise) > 12) & (steep > 0)
    if not clear.any():
        return float(np.median(reach))
    # An edge of that sigma is steepest with rise / (sigma sqrt(2 pi)); of a soft one only a part of the rise is seen.
    sigma = np.abs(rise[clear]) / (steep[clear] / step_px[clear] * np.sqrt(2 * np.pi))
    seen = 0.94 * reach[clear, 0]
    return float(np.median(np.interp(sigma / seen, _SEEN_SIGMAS, _SIGMAS) * seen))
