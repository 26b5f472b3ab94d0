"""Prints are exact: 63 x 88 mm is 63 x 88 mm, backs lie behind their fronts, markers have their size."""

from functools import partial

import cv2
import numpy as np
import pytest

from models.art.paper import PAPERS_MM, Paper, TooLargeError
from models.art.pen import Pen, Size
from models.art.picture import Image, rasterise
from models.art.rig import (
    MARKER_MM,
    PATCHES,
    CharucoBoard,
    mat_corners,
    print_board,
    print_colour_strip,
    print_markers,
    print_mat,
)
from models.art.sheets import PrintPiece, grid_for, print_sheets

PX_PER_MM = 20
CARD = Size(63, 88, 4)
both_papers = pytest.mark.parametrize("paper", list(Paper))


def patch(pen: Pen, ink: str, size: Size = CARD) -> None:
    pen.rectangle(0, 0, size.width_mm, size.height_mm, ink)


def bounds_mm(page: Image, bgr: tuple[int, int, int]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of one colour on a page."""
    low, high = (np.clip(np.array(bgr) + by, 0, 255).astype(np.float64) for by in (-40, 40))
    mask = np.asarray(cv2.inRange(page, low, high)) > 0
    columns, rows = np.nonzero(mask.any(0))[0], np.nonzero(mask.any(1))[0]
    return tuple(float(v) / PX_PER_MM for v in (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1))  # type: ignore[return-value]


@both_papers
def test_pieces_have_their_size_to_a_tenth_of_a_millimetre(paper: Paper) -> None:
    pdf = print_sheets([PrintPiece(partial(patch, ink="#ff0000"), None, CARD)], paper, "test")
    page = rasterise(pdf, PX_PER_MM)
    assert page.shape[1] / PX_PER_MM == pytest.approx(PAPERS_MM[paper][0], abs=0.1)
    assert page.shape[0] / PX_PER_MM == pytest.approx(PAPERS_MM[paper][1], abs=0.1)
    left, top, right, bottom = bounds_mm(page, (0, 0, 255))
    assert right - left == pytest.approx(63, abs=0.1)
    assert bottom - top == pytest.approx(88, abs=0.1)
    grid = grid_for(CARD, paper)
    assert (left, top) == pytest.approx((grid.left_mm, grid.top_mm), abs=0.1)


@both_papers
def test_crop_marks_stand_at_the_cuts(paper: Paper) -> None:
    pdf = print_sheets([PrintPiece(partial(patch, ink="#ffffff"), None, CARD)], paper, "test")
    page, grid = rasterise(pdf, PX_PER_MM), grid_for(CARD, paper)
    above = page[int((grid.top_mm - 2) * PX_PER_MM)]
    marks = np.nonzero(above.max(1) < 200)[0] / PX_PER_MM
    wanted = [grid.left_mm + 63 * column for column in range(grid.columns + 1)]
    assert [float(min(abs(marks + 0.025 - x))) for x in wanted] == pytest.approx([0] * len(wanted), abs=0.1)
    assert all(min(abs(mark + 0.025 - x) for x in wanted) < 0.2 for mark in marks), "no marks anywhere else"


@both_papers
def test_backs_lie_behind_their_fronts(paper: Paper) -> None:
    """Held against the light, the page turned about its long edge: front and back of each card are in one place."""
    inks = ("#ff0000", "#00ff00", "#0000ff", "#ffff00")
    pieces = [PrintPiece(partial(patch, ink=ink), partial(patch, ink=ink), CARD) for ink in inks]
    pdf = print_sheets(pieces, paper, "test")
    front, back = rasterise(pdf, PX_PER_MM, 0), rasterise(pdf, PX_PER_MM, 1)[:, ::-1]
    for bgr in ((0, 0, 255), (0, 255, 0), (255, 0, 0), (0, 255, 255)):
        assert bounds_mm(front, bgr) == pytest.approx(bounds_mm(back, bgr), abs=0.15)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(TooLargeError, match="300 x 100 mm does not fit on a4"):
        print_sheets([PrintPiece(partial(patch, ink="#ff0000"), None, Size(300, 100, 0))], Paper.A4, "test")
    with pytest.raises(TooLargeError, match="mat of 100 x 500 mm"):
        print_mat(100, 500)
    with pytest.raises(TooLargeError, match="does not fit on letter"):
        print_board(Paper.LETTER, CharucoBoard(square_mm=50, marker_mm=35))


def sides_mm(page: Image, dictionary: int, px_per_mm: float) -> dict[int, list[float]]:
    book = cv2.aruco.getPredefinedDictionary(dictionary)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, ids, _ = cv2.aruco.ArucoDetector(book, parameters).detectMarkers(page)
    found = {}
    for number, quad in zip(np.ravel(ids), corners, strict=True):
        points = np.asarray(quad).reshape(4, 2)
        found[int(number)] = [float(np.linalg.norm(points[i] - points[i - 1]) / px_per_mm) for i in range(4)]
    return found


@both_papers
def test_markers_have_their_size(paper: Paper) -> None:
    found = sides_mm(rasterise(print_markers(paper), 6), cv2.aruco.DICT_4X4_50, 6)
    assert sorted(found) == [0, 1, 2, 3]
    for sides in found.values():
        assert sides == pytest.approx([MARKER_MM] * 4, abs=0.15)


@both_papers
def test_the_board_is_what_its_label_says(paper: Paper) -> None:
    board, scale = CharucoBoard(), 5
    page = rasterise(print_board(paper), scale)
    book = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, board.dictionary))
    size = (board.columns, board.rows)
    charuco = cv2.aruco.CharucoBoard(size, board.square_mm, board.marker_mm, book)
    corners, ids, _, _ = cv2.aruco.CharucoDetector(charuco).detectBoard(page)
    assert len(ids) == (board.columns - 1) * (board.rows - 1)
    points = np.asarray(corners).reshape(-1, 2) / scale
    across = np.linalg.norm(points[1] - points[0])
    assert float(across) == pytest.approx(board.square_mm, abs=0.1)


def test_mat_and_strip_can_be_found() -> None:
    mat = rasterise(print_mat(700, 500), 1.5)
    found = sides_mm(mat, cv2.aruco.DICT_4X4_50, 1.5)
    assert sorted(found) == [0, 1, 2, 3]
    assert len(mat_corners(700, 500)) == 4
    strip = rasterise(print_colour_strip(Paper.A4), 4)
    assert sorted(sides_mm(strip, cv2.aruco.DICT_4X4_50, 4)) == [40, 41]
    for patch_ink in PATCHES:
        bgr = tuple(int(patch_ink[i : i + 2], 16) for i in (5, 3, 1))
        assert np.count_nonzero(np.abs(strip.astype(int) - bgr).max(2) < 4) > 1000
