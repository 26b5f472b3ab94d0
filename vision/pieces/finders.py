"""The piece finder of a game: figures on its board, tokens in front of the seats, as its deck declares them."""

from calibration.frames import Frame
from calibration.plan import Seating
from models.art.pieces import board_of, table_pieces
from models.packages import packages
from vision.look.table_view import TableView
from vision.pieces.figures import FigureFinder
from vision.pieces.tokens import TokenFinder
from vision.table import Piece
from vision.watcher import PieceFinder


class PieceError(ValueError):
    """Pieces were requested for a game that has none."""


class AllPiecesFinder:
    """Finds the pieces of several finders."""

    def __init__(self, *finders: PieceFinder) -> None:
        self._finders = finders

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        """All pieces in a frame."""
        return tuple(piece for finder in self._finders for piece in finder.find(frame))


def piece_finder_of(game: str, view: TableView, seating: Seating) -> PieceFinder:
    """The finder of a game's pieces on one table; PieceError if the game has none."""
    pieces, board = table_pieces(game), board_of(game)
    if not pieces:
        known = [one for one in packages() if table_pieces(one)]
        raise PieceError(f"{game} has no pieces; wanted one of {', '.join(known)}")
    figures = tuple(piece for piece in pieces if board is not None and piece.owner)
    tokens = tuple(piece for piece in pieces if piece not in figures)
    finders: list[PieceFinder] = []
    if board is not None and figures:
        finders.append(FigureFinder(view, seating, board, figures))
    if tokens:
        finders.append(TokenFinder(view, seating, tokens))
    return finders[0] if len(finders) == 1 else AllPiecesFinder(*finders)
