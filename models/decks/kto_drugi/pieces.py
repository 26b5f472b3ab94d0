"""Kto drugi on the table beside the cards: six figures on a track."""

from functools import partial

from models.art.pieces import Board, TablePiece
from models.decks.kto_drugi import art

PIECES = tuple(
    TablePiece("figure", partial(art.draw_figure, colour=colour), art.FIGURE, 4.0, f"P{number}")
    for number, colour in enumerate(art.FIGURES, 1)
)
BOARD = Board(
    "track",
    tuple(partial(art.draw_track_half, half=half) for half in range(len(art.TRACK))),
    art.HALF,
    tuple(space for half in art.TRACK for space in half),
    art.SPACE_MM[0],
    art.track_place,
    art.track_pieces,
)
