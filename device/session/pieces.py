"""Finders of pieces: for a rig that knows its seats, and for games that have pieces."""

from calibration.rig import Rig
from device.session.camera_moves import seating_of
from vision.look.table_view import Window
from vision.pieces.finders import GAMES, PieceFinder

CARD_MM = (63.0, 88.0)
"""The cards of all games with pieces are of this size; a window is made for cards."""


def pieces_of(rig: Rig | None, game: str | None) -> PieceFinder | None:
    """The finder for a game on the table of a rig; None if the game has no pieces or the rig does not know enough."""
    if game not in GAMES or rig is None or rig.lens is None or rig.table is None or not rig.seats:
        return None
    return PieceFinder(game, Window(rig.lens, rig.table, CARD_MM), seating_of(rig, game))
