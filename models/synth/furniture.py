"""Game parts other than cards: markers, tokens, figures and the track."""

from dataclasses import replace

import cv2

from models.art.pen import Pen, Size
from models.art.picture import Drawing, draw_pixels
from models.art.pieces import Board, TablePiece, board_of, table_pieces
from models.art.rig import MARKER_MM, draw_marker
from models.packages import packages
from models.synth.scene import Sprite
from models.synth.sprites import card_sprite, rounded


def marker_sprite(number: int, px_per_mm: float = 3.0) -> Sprite:
    """A marker on its white square."""
    size = Size(MARKER_MM + 12, MARKER_MM + 12, 0)

    def draw(pen: Pen) -> None:
        pen.rectangle(0, 0, size.width_mm, size.height_mm, "#ffffff")
        draw_marker(pen, cv2.aruco.DICT_4X4_50, number, 6, 6, MARKER_MM)

    sprite = card_sprite(draw_pixels(draw, size, px_per_mm), size, px_per_mm, gloss=0.05)
    return replace(sprite, thickness_mm=0.1)


def board_sprite(board: Board, px_per_mm: float) -> Sprite:
    """The joined board of a game, flat on the table."""
    return Sprite(rounded(board.pixels(px_per_mm), 0), px_per_mm, thickness_mm=0.0, gloss=0.1)


def piece_sprite(piece: TablePiece, px_per_mm: float) -> Sprite:
    """A figure or a token."""
    return disc_sprite(piece.drawing, piece.size, piece.thickness_mm, px_per_mm)


def disc_sprite(drawing: Drawing, size: Size, thickness_mm: float, px_per_mm: float) -> Sprite:
    """A round piece that stands on the table."""
    sprite = card_sprite(draw_pixels(drawing, size, px_per_mm), size, px_per_mm)
    return replace(sprite, thickness_mm=thickness_mm, boxy=False)


def all_boards(px_per_mm: float) -> list[Sprite]:
    """Every board of our own games."""
    boards = (board_of(package.game) for package in packages().values() if not package.owner)
    return [board_sprite(board, px_per_mm) for board in boards if board is not None]


def all_pieces(px_per_mm: float) -> list[Sprite]:
    """One of every figure and token of our own games: tables to learn from are the same wherever they are made."""
    own = (package.game for package in packages().values() if not package.owner)
    return [piece_sprite(piece, px_per_mm) for game in own for piece in table_pieces(game)]
