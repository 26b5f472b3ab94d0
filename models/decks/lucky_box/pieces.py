"""Lucky Box on the table beside the cards: lightnings and moons in front of everybody."""

from functools import partial

from models.art.pieces import Board, TablePiece
from models.decks.lucky_box import art

PIECES = tuple(
    TablePiece(kind, partial(art.draw_token, kind=kind), art.TOKEN, 1.5, count=count)
    for kind, count in art.TOKENS.items()
)
BOARD: Board | None = None
