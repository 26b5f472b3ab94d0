"""Sheets: whole decks on paper at true size, with crop marks, and backs aligned for two-sided printing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby

from reportlab.pdfgen.canvas import Canvas

from models.art.paper import PAPERS_MM, Paper, TooLargeError
from models.art.pen import PLAIN, POINTS_PER_MM, Pen, Size
from models.art.picture import Drawing

MARK_GAP_MM, MARK_MM, MARGIN_MM = 1.0, 3.5, 5.0
RULER_MM = 100


@dataclass(frozen=True, slots=True)
class PrintPiece:
    """One piece to cut out: front, back (or none) and size."""

    front: Drawing
    back: Drawing | None
    size: Size


@dataclass(frozen=True, slots=True)
class Grid:
    """Layout of pieces of one size on a page, edge to edge and centred."""

    columns: int
    rows: int
    left_mm: float
    top_mm: float


def grid_for(size: Size, paper: Paper) -> Grid:
    """As many pieces as fit with room for crop marks."""
    width, height = PAPERS_MM[paper]
    room = MARGIN_MM + MARK_MM - MARK_GAP_MM
    columns, rows = int((width - 2 * room) // size.width_mm), int((height - 2 * room) // size.height_mm)
    if not columns or not rows:
        found = f"{size.width_mm:g} x {size.height_mm:g} mm"
        raise TooLargeError(f"{found} does not fit on {paper.value}; wanted at most {width - 2 * room:g} mm wide")
    return Grid(columns, rows, (width - columns * size.width_mm) / 2, (height - rows * size.height_mm) / 2)


def print_sheets(pieces: Sequence[PrintPiece], paper: Paper, title: str) -> bytes:
    """A PDF of all pieces; each page of fronts is followed by its backs, mirrored for flipping on the long edge."""
    data = BytesIO()
    width, height = PAPERS_MM[paper]
    canvas = Canvas(data, pagesize=(width * POINTS_PER_MM, height * POINTS_PER_MM), invariant=1)
    canvas.setTitle(title)
    for size, group in groupby(pieces, key=lambda piece: piece.size):
        grid = grid_for(size, paper)
        for page in _pages(list(group), grid.columns * grid.rows):
            _print_page(canvas, paper, grid, size, [piece.front for piece in page], title, mirrored=False)
            if any(piece.back for piece in page):
                _print_page(canvas, paper, grid, size, [piece.back for piece in page], title, mirrored=True)
    canvas.save()
    return data.getvalue()


def _pages(pieces: list[PrintPiece], size: int) -> Iterator[list[PrintPiece]]:
    for start in range(0, len(pieces), size):
        yield pieces[start : start + size]


def _print_page(
    canvas: Canvas,
    paper: Paper,
    grid: Grid,
    size: Size,
    drawings: Sequence[Drawing | None],
    title: str,
    mirrored: bool,
) -> None:
    width, height = PAPERS_MM[paper]
    pen = Pen(canvas, height)
    for number, drawing in enumerate(drawings):
        row, column = divmod(number, grid.columns)
        column = grid.columns - 1 - column if mirrored else column
        if drawing is None:
            continue
        with pen.at(grid.left_mm + column * size.width_mm, grid.top_mm + row * size.height_mm):
            # Inside `at` the pen's origin is the piece's own top left corner.
            drawing(pen)
    _crop_marks(pen, grid, size)
    if not mirrored:
        bottom = grid.top_mm + grid.rows * size.height_mm
        _ruler(pen, (width - RULER_MM) / 2, min(height - 2.6, bottom + 9), title)
    canvas.showPage()


def _crop_marks(pen: Pen, grid: Grid, size: Size) -> None:
    bottom, right = grid.top_mm + grid.rows * size.height_mm, grid.left_mm + grid.columns * size.width_mm
    for column in range(grid.columns + 1):
        x = grid.left_mm + column * size.width_mm
        for y, way in ((grid.top_mm, -1), (bottom, 1)):
            pen.line(((x, y + way * MARK_GAP_MM), (x, y + way * MARK_MM)), "#000000", 0.1, round_ends=False)
    for row in range(grid.rows + 1):
        y = grid.top_mm + row * size.height_mm
        for x, way in ((grid.left_mm, -1), (right, 1)):
            pen.line(((x + way * MARK_GAP_MM, y), (x + way * MARK_MM, y)), "#000000", 0.1, round_ends=False)


def _ruler(pen: Pen, left: float, y: float, title: str) -> None:
    """Draw a ruler, to check that the printer did not scale, and the title."""
    for tick in range(0, RULER_MM + 1, 10):
        pen.line(((left + tick, y - 1), (left + tick, y)), "#888888", 0.1, round_ends=False)
    pen.line(((left, y), (left + RULER_MM, y)), "#888888", 0.1, round_ends=False)
    pen.text(left + RULER_MM / 2, y - 2.2, f"{title} · 100 mm", 1.3, "#888888", PLAIN)
