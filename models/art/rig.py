"""Prints for the rig: markers for the table's corners, the calibration board, the mat, the colour strip."""

from dataclasses import dataclass
from functools import partial
from io import BytesIO

import cv2
import numpy as np
from reportlab.pdfgen.canvas import Canvas

from models.art.paper import PAPERS_MM, Paper, TooLargeError
from models.art.pen import PLAIN, POINTS_PER_MM, Pen, Size, mixed
from models.art.picture import draw_pdf
from models.art.sheets import PrintPiece, print_sheets

MARKER_MM = 40.0
"""Side of the black square of a table marker; IDs 0 to 3 of DICT_4X4_50, clockwise from the upper left corner."""
STRIP_IDS = (40, 41)
STRIP_MARKER_MM = 16.0
INK, PAPER = "#000000", "#ffffff"

PATCHES = (
    "#ffffff", "#c8c8c8", "#7f7f7f", "#3f3f3f", "#1f66c9", "#e0428f", "#1d9a56", "#f5b100", "#d93a2b", "#22304f",
)  # fmt: skip
"""The colours of the strip, left to right: greys for the white balance, then the inks of the decks."""
PATCH_MM = 15.0


@dataclass(frozen=True, slots=True)
class CharucoBoard:
    """A ChArUco board; its geometry is printed on it."""

    columns: int = 7
    rows: int = 5
    square_mm: float = 35.0
    marker_mm: float = 26.0
    dictionary: str = "DICT_5X5_100"

    @property
    def label(self) -> str:
        """The text under the board."""
        sizes = f"{self.square_mm:g} mm / {self.marker_mm:g} mm"
        return f"ChArUco {self.columns} x {self.rows} · {sizes} · {self.dictionary}"


def print_markers(paper: Paper) -> bytes:
    """The four table markers to cut out; each needs its white margin."""
    side = MARKER_MM + 20
    size = Size(side, side + 8, 0)
    pieces = [PrintPiece(partial(_draw_corner, number=number), None, size) for number in range(4)]
    return print_sheets(pieces, paper, "Krupier: table markers, DICT_4X4_50, 40 mm")


def _draw_corner(pen: Pen, number: int) -> None:
    draw_marker(pen, cv2.aruco.DICT_4X4_50, number, 10, 10, MARKER_MM)
    corner = ("upper left", "upper right", "lower right", "lower left")[number]
    pen.text(MARKER_MM / 2 + 10, MARKER_MM + 17, f"{number}: {corner}", 2.6, "#444444", PLAIN)
    pen.polygon(((MARKER_MM / 2 + 10, 3), (MARKER_MM / 2 + 7.5, 7), (MARKER_MM / 2 + 12.5, 7)), "#444444")


def draw_marker(pen: Pen, dictionary: int, number: int, x: float, y: float, side: float) -> None:
    """Draw an ArUco marker as vector squares: a black background and the white cells on it."""
    book = cv2.aruco.getPredefinedDictionary(dictionary)
    cells = np.asarray(cv2.aruco.generateImageMarker(book, number, book.markerSize + 2, borderBits=1))
    step = side / len(cells)
    pen.rectangle(x, y, side, side, INK)
    for row, line in enumerate(cells):
        for column, value in enumerate(line):
            if value:
                # A slight overlap, so that no printer leaves a dark seam between two white cells.
                pen.rectangle(x + column * step - 0.01, y + row * step - 0.01, step + 0.02, step + 0.02, PAPER)


def print_board(paper: Paper, board: CharucoBoard | None = None) -> bytes:
    """The calibration board on one landscape page."""
    board = board or CharucoBoard()
    height, width = PAPERS_MM[paper]
    needed = (board.columns * board.square_mm, board.rows * board.square_mm)
    if needed[0] > width - 12 or needed[1] > height - 24:
        raise TooLargeError(f"a board of {needed[0]:g} x {needed[1]:g} mm does not fit on {paper.value}")
    return draw_pdf(lambda pen: _draw_board(pen, board, width, height), Size(width, height, 0))


def _draw_board(pen: Pen, board: CharucoBoard, width: float, height: float) -> None:
    left = (width - board.columns * board.square_mm) / 2
    top = (height - board.rows * board.square_mm) / 2 - 4
    number, inset = 0, (board.square_mm - board.marker_mm) / 2
    for row in range(board.rows):
        for column in range(board.columns):
            x, y = left + column * board.square_mm, top + row * board.square_mm
            if (row + column) % 2 == 0:
                pen.rectangle(x, y, board.square_mm, board.square_mm, INK)
            else:
                dictionary = getattr(cv2.aruco, board.dictionary)
                draw_marker(pen, dictionary, number, x + inset, y + inset, board.marker_mm)
                number += 1
    pen.text(width / 2, top + board.rows * board.square_mm + 7, board.label, 3.2, INK, PLAIN)


def print_colour_strip(paper: Paper) -> bytes:
    """The colour strip to cut out, with a small marker at each end for detection."""
    length = len(PATCHES) * PATCH_MM + 2 * (STRIP_MARKER_MM + 6)
    return print_sheets([PrintPiece(_draw_strip, None, Size(28, length, 0))], paper, "Krupier: colour strip")


def _draw_strip(pen: Pen) -> None:
    """Draw the strip downwards: it is longer than some papers are wide."""
    y = 3.0
    draw_marker(pen, cv2.aruco.DICT_4X4_50, STRIP_IDS[0], 6, y, STRIP_MARKER_MM)
    y += STRIP_MARKER_MM + 3
    for patch in PATCHES:
        pen.rectangle(4, y, 20, PATCH_MM, patch, mixed(patch, INK, 0.3), 0.1)
        y += PATCH_MM
    draw_marker(pen, cv2.aruco.DICT_4X4_50, STRIP_IDS[1], 6, y + 3, STRIP_MARKER_MM)


def print_mat(width_mm: float, height_mm: float) -> bytes:
    """A playing mat on one large page, for a print shop: plain, with corner markers and a fine grain."""
    if not 300 <= width_mm <= 2000 or not 300 <= height_mm <= 2000:
        raise TooLargeError(f"a mat of {width_mm:g} x {height_mm:g} mm; wanted 300 to 2000 mm each way")
    data = BytesIO()
    canvas = Canvas(data, pagesize=(width_mm * POINTS_PER_MM, height_mm * POINTS_PER_MM), invariant=1)
    _draw_mat(Pen(canvas, height_mm), width_mm, height_mm)
    canvas.showPage()
    canvas.save()
    return data.getvalue()


def _draw_mat(pen: Pen, width: float, height: float) -> None:
    ground = "#3d6b5c"
    pen.rectangle(0, 0, width, height, ground)
    rng = np.random.default_rng(7)
    # A grain of small specks: too faint for players to see, enough for the camera to notice that the mat has moved.
    for _ in range(int(width * height / 40)):
        x, y, radius = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.6, 1.8)
        pen.circle(x, y, radius, mixed(ground, "#ffffff" if rng.random() < 0.5 else "#000000", rng.uniform(0.05, 0.16)))
    pen.rectangle(8, 8, width - 16, height - 16, None, mixed(ground, "#ffffff", 0.4), 0.8, corner=12)
    side = MARKER_MM + 14
    for number, (x, y) in enumerate(mat_corners(width, height)):
        pen.rectangle(x - side / 2, y - side / 2, side, side, PAPER, corner=3)
        draw_marker(pen, cv2.aruco.DICT_4X4_50, number, x - MARKER_MM / 2, y - MARKER_MM / 2, MARKER_MM)


def mat_corners(width_mm: float, height_mm: float) -> tuple[tuple[float, float], ...]:
    """The centres of the mat's markers, clockwise from the upper left corner."""
    inset = 14 + MARKER_MM / 2
    return (
        (inset, inset),
        (width_mm - inset, inset),
        (width_mm - inset, height_mm - inset),
        (inset, height_mm - inset),
    )
