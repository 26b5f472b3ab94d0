"""The piece finder of a game: figures for Kto drugi, tokens for Lucky Box."""

from collections.abc import Callable

from calibration.plan import Seating
from vision.look.table_view import TableView
from vision.pieces.figures import FigureFinder
from vision.pieces.tokens import TokenFinder
from vision.watcher import PieceFinder

FINDERS: dict[str, Callable[[TableView, Seating], PieceFinder]] = {"kto_drugi": FigureFinder, "lucky_box": TokenFinder}
"""The finder of every game that has pieces."""


class PieceError(ValueError):
    """Pieces were requested for a game that has none."""


def piece_finder_of(game: str, view: TableView, seating: Seating) -> PieceFinder:
    """The finder of a game's pieces on one table; PieceError if the game has none."""
    if game not in FINDERS:
        raise PieceError(f"{game} has no pieces; wanted one of {', '.join(FINDERS)}")
    return FINDERS[game](view, seating)
