"""What lies on the table of a game beside its cards: figures, tokens, and a printed board."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from models.art.pen import Pen, Point, Size
from models.art.picture import Drawing, draw_pixels
from models.art.sheets import PrintPiece
from models.crops import Image
from models.packages import has_part, packages, part_of


@dataclass(frozen=True, slots=True)
class TablePiece:
    """One kind of round piece, as the rules and the camera know it."""

    kind: str
    """The word of the rules: figure, lightning, moon."""
    drawing: Drawing
    size: Size
    thickness_mm: float
    owner: str = ""
    """The seat that it belongs to, P1 …, if it is somebody's own; the board has a lane for each of these."""
    count: int = 1
    """How many the box holds."""


@dataclass(frozen=True, slots=True)
class Board:
    """A printed board with numbered spaces in a row and a lane for each owner, in the middle of the table."""

    zone: str
    """The zone of the table that it fills."""
    parts: tuple[Drawing, ...]
    """Its parts, joined from left to right."""
    part_size: Size
    spaces: tuple[int, ...]
    """All spaces from left to right."""
    space_width_mm: float
    place: Callable[[int, int], Point]
    """Where the piece of a lane stands on a space, from the middle of the board."""
    to_print: Callable[[], tuple[PrintPiece, ...]]
    """Its parts as they are printed."""

    @property
    def size_mm(self) -> Point:
        """Width and height of the joined board."""
        return len(self.parts) * self.part_size.width_mm, self.part_size.height_mm

    def draw(self, pen: Pen) -> None:
        """Draw the joined board."""
        for number, part in enumerate(self.parts):
            with pen.at(number * self.part_size.width_mm, 0):
                part(pen)

    def pixels(self, px_per_mm: float) -> Image:
        """The joined board."""
        return np.hstack([draw_pixels(part, self.part_size, px_per_mm) for part in self.parts])


class Pieces(Protocol):
    """The module pieces.py of a deck, for games with more on the table than cards."""

    PIECES: tuple[TablePiece, ...]
    BOARD: Board | None


def table_pieces(game: str) -> tuple[TablePiece, ...]:
    """Every kind of piece of a game; none for games of cards alone."""
    return _pieces(game).PIECES if game in packages() and has_part(game, "pieces.py") else ()


def board_of(game: str) -> Board | None:
    """The board of a game, if there is one."""
    return _pieces(game).BOARD if game in packages() and has_part(game, "pieces.py") else None


def table_drawings(game: str) -> dict[str, tuple[Drawing, Size]]:
    """The drawings of all pieces and of the board, by name: figure-P1, moon, track."""
    drawings = {
        f"{piece.kind}-{piece.owner}" if piece.owner else piece.kind: (piece.drawing, piece.size)
        for piece in table_pieces(game)
    }
    board = board_of(game)
    if board is not None:
        drawings[board.zone] = (board.draw, Size(*board.size_mm, 0))
    return drawings


def _pieces(game: str) -> Pieces:
    return cast(Pieces, part_of(game, "pieces"))
