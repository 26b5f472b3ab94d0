"""Layouts: recognises which calibration board a picture shows."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.boards import (
    OWN_BOARD,
    Charuco,
    Chessboard,
    Geometry,
    Markers,
    dictionary_of,
    find_board,
    find_markers,
    fit_of,
    is_laid_out_as,
    marker_places,
    to_grey,
)
from calibration.frames import CalibrationError, Image

_SIZES = (50, 100, 250, 1000)
_FAMILIES = tuple(f"DICT_{bits}X{bits}_{{}}" for bits in (4, 5, 6, 7))
"""Each dictionary of a family begins with the markers of the smaller ones."""
_LONERS = ("DICT_APRILTAG_36h11", "DICT_ARUCO_ORIGINAL", "DICT_ARUCO_MIP_36h12")
_FEWEST_MARKERS = 6
_LOOK_PX = 1000
ENOUGH_SIGHTINGS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Sighted:
    """Markers of one dictionary in a picture, and the board they belong to, if it can be recognised."""

    dictionary: str
    markers: Markers
    board: Charuco | None


def see_markers(image: Image) -> Sighted | None:
    """The markers of the dictionary that a picture shows most markers of."""
    small = _small(to_grey(image))
    name, found = _most_markers(small, [family.format(250) for family in _FAMILIES])
    if len(found.ids) < 3:
        name, found = _most_markers(small, _LONERS)
    if not len(found.ids):
        return None
    name = _smallest(name, found)
    return Sighted(name, found, _layout(name, found))


def _small(grey: Image) -> Image:
    """The picture at a size that is enough for recognition, and several times faster."""
    scale = min(1.0, _LOOK_PX / max(grey.shape))
    return np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def _most_markers(grey: Image, dictionaries: Sequence[str]) -> tuple[str, Markers]:
    return max(((name, find_markers(grey, name)) for name in dictionaries), key=lambda pair: len(pair[1].ids))


def see_board(image: Image) -> Geometry | None:
    """The board in a picture: our own, another ChArUco board, or a chessboard; its size in mm is not visible."""
    if find_board(image, OWN_BOARD) is not None:
        return OWN_BOARD
    seen = see_markers(image)
    if seen is not None and len(seen.markers.ids) >= 3:
        return seen.board if seen.board and find_board(image, seen.board) is not None else None
    return _chessboard(image)


def recognise_board(images: Iterable[Image]) -> Geometry:
    """The one board that several pictures show."""
    sighted: list[Geometry] = []
    tried = 0
    for image in images:
        tried += 1
        seen = see_board(image)
        if seen == OWN_BOARD:
            return OWN_BOARD
        sighted += [seen] if seen is not None else []
        if len(sighted) == ENOUGH_SIGHTINGS:
            break
    return agreed_board(sighted, tried)


def agreed_board(sighted: Sequence[Geometry], tried: int) -> Geometry:
    """The board that most sightings agree on; a part of a board looks like a smaller board."""
    if not sighted:
        raise CalibrationError(
            f"no calibration board in the {tried} pictures looked at; wanted {OWN_BOARD.label}: print it (krupier "
            f"print charuco), keep it flat and hold it into the picture so that it fills a third of it"
        )
    votes: dict[tuple[object, ...], list[Geometry]] = defaultdict(list)
    for board in sighted:
        if isinstance(board, Charuco):
            # Any part of a board tells its width; only its last row tells the number of rows.
            votes[board.dictionary.rpartition("_")[0], board.columns, board.white_first].append(board)
        else:
            votes[board.columns, board.rows].append(board)
    winner = max(votes.values(), key=lambda same: len(same) * same[0].corners_across * same[0].corners_down)
    return max(winner, key=lambda board: board.rows)


def seen_instead(image: Image, wanted: Geometry) -> str | None:
    """The board that a picture shows instead of the wanted one, for the error message."""
    seen = see_markers(image)
    if seen is None or len(seen.markers.ids) < 3:
        chess = _chessboard(image)
        return f"found a {chess.label}, wanted {wanted.label}" if chess and chess != wanted else None
    count = len(seen.markers.ids)
    if isinstance(wanted, Charuco) and _same_family(seen.dictionary, wanted.dictionary):
        if seen.board is None or is_laid_out_as(seen.markers, wanted):
            return None
        return f"found {count} markers laid out as {seen.board.label}, wanted {wanted.label}"
    return f"found {count} markers of {seen.dictionary}, wanted {wanted.label}"


def _same_family(one: str, other: str) -> bool:
    return one.rpartition("_")[0] == other.rpartition("_")[0]


def _smallest(name: str, markers: Markers) -> str:
    """The smallest dictionary of the family with these markers: a picture cannot distinguish it from larger ones."""
    if name in _LONERS:
        return name
    family = name.rpartition("_")[0]
    return next(f"{family}_{size}" for size in _SIZES if size > markers.ids.max())


def _layout(dictionary: str, markers: Markers) -> Charuco | None:
    """The board with this arrangement of markers; every width is tried, with a black or a white square first."""
    if len(markers.ids) < _FEWEST_MARKERS:
        return None
    most = int(markers.ids.max()) + 1
    fits = []
    for columns in range(3, 21):
        for white_first in (False, True):
            places = marker_places(columns, white_first, most)[markers.ids]
            share, side = fit_of(places, markers.corners)
            fits.append((share, not white_first, -columns, side, int(places[:, 1].max()) + 1))
    # A part of a board may fit several: the usual pattern is likelier than the legacy one.
    share, black_first, fewer, side, rows = max(fits)
    columns, rows = -fewer, max(rows if black_first else rows + rows % 2, 3)
    if share < 0.8 or not 0.3 < side < 0.95 or columns * rows // 2 > len(dictionary_of(dictionary).bytesList):
        return None
    square_mm = OWN_BOARD.square_mm
    return Charuco(columns, rows, square_mm, round(side * square_mm, 1), dictionary, not black_first)


def _chessboard(image: Image) -> Chessboard | None:
    small = _small(to_grey(image))
    flags = cv2.CALIB_CB_LARGER | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_EXHAUSTIVE
    found, _, meta = cv2.findChessboardCornersSBWithMeta(small, (4, 4), flags)
    if not found:
        return None
    rows, columns = sorted(np.asarray(meta).shape)
    board = Chessboard(columns, rows)
    return board if find_board(image, board) is not None else None
