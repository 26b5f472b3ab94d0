"""Figures on the board of a game, found by template matching."""

from collections.abc import Sequence

import numpy as np

from calibration.frames import Frame
from calibration.plan import Seating
from models.art.pieces import Board, TablePiece
from vision.look.table_view import TableView
from vision.pieces.board import BoardPose, TrackBoard
from vision.pieces.templates import (
    Pixels,
    TemplateMatch,
    best_similarity,
    coarse_similarity,
    full_position,
    mask_out,
    reduced,
    refined_match,
    round_template,
)
from vision.pieces.tuning import (
    ASTRAY_MIN_VISIBLE,
    COARSE_FACTOR,
    FIGURE_LOGISTIC,
    FIGURE_MIN_CONTRAST,
    LANE_REACH_MM,
    MIN_PROBABILITY,
    PX_PER_MM,
)
from vision.table import Piece


class FigureFinder:
    """Finds every seat's figure on the board."""

    def __init__(self, view: TableView, seating: Seating, board: Board, figures: Sequence[TablePiece]) -> None:
        self._view, self._layout = view, board
        self._board = TrackBoard(view, seating.middle, board)
        self._templates = [
            round_template(figure.kind, figure.owner, figure.drawing, figure.size, FIGURE_MIN_CONTRAST)
            for figure in figures
        ]
        self._seats = min(len(seating.seats), len(self._templates))

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        """The figures that stand on the board."""
        board = self._board.find(self._view.crop_source(frame.image)[0])
        if board is None:
            return ()
        visible = np.ones(board.picture.shape[:2], np.float32)
        found: dict[int, TemplateMatch] = {}
        for lane in range(self._seats):
            match = self._in_lane(board, visible, lane)
            if self._is_own(board, visible, lane, match):
                found[lane] = match
        for lane in range(self._seats):
            if lane not in found:
                astray = self._anywhere(board, visible, lane, tuple(found.values()))
                if astray is not None:
                    found[lane] = astray
        return tuple(self._piece(board, lane, found[lane]) for lane in sorted(found))

    def _in_lane(self, board: BoardPose, visible: Pixels, lane: int) -> TemplateMatch:
        """The place in its own lane that is most similar to a figure."""
        _, middle = _space_px(self._layout, board, self._layout.spaces[0], lane)
        template, reach = self._templates[lane], round(LANE_REACH_MM * PX_PER_MM)
        # The strip is wider than the lane by the radius of a figure, so that one at its border fits in.
        top = max(0, round(middle) - reach - template.radius_px)
        strip = np.s_[top : round(middle) + reach + template.radius_px + 1]
        similarity, _ = coarse_similarity(reduced(board.picture[strip]), reduced(visible[strip]), template)
        inner = slice(
            (round(middle) - reach - top) // COARSE_FACTOR, (round(middle) + reach - top) // COARSE_FACTOR + 1
        )
        _exclude_ends(similarity, self._layout, board)
        row, column = np.unravel_index(int(similarity[inner].argmax()), similarity[inner].shape)
        x_px, y_px = full_position(int(column), int(row) + inner.start, 0, top)
        return refined_match(board.picture, visible, template, x_px, y_px, FIGURE_LOGISTIC)

    def _anywhere(
        self, board: BoardPose, visible: Pixels, lane: int, others: tuple[TemplateMatch, ...]
    ) -> TemplateMatch | None:
        """A figure outside its lane, apart from the places of the other figures."""
        template = self._templates[lane]
        unclaimed = visible.copy()
        for other in others:
            mask_out(unclaimed, template, other)
        similarity, share = coarse_similarity(reduced(board.picture), reduced(unclaimed), template)
        similarity[share < ASTRAY_MIN_VISIBLE] = -1.0
        _exclude_ends(similarity, self._layout, board)
        row, column = np.unravel_index(int(similarity.argmax()), similarity.shape)
        x_px, y_px = full_position(int(column), int(row))
        match = refined_match(board.picture, visible, template, x_px, y_px, FIGURE_LOGISTIC)
        return match if self._is_own(board, visible, lane, match) else None

    def _is_own(self, board: BoardPose, visible: Pixels, lane: int, match: TemplateMatch) -> bool:
        """Whether a match is a figure, and not one of another colour."""
        if match.probability < MIN_PROBABILITY:
            return False
        centre = np.array([[match.x_px, match.y_px]])
        every = [float(best_similarity(board.picture, visible, one, centre)[0][0]) for one in self._templates]
        return every[lane] == max(every)

    def _piece(self, board: BoardPose, lane: int, match: TemplateMatch) -> Piece:
        spaces = [
            (abs(_space_px(self._layout, board, space, lane)[0] - match.x_px), space) for space in self._layout.spaces
        ]
        _, space = min(spaces)
        x, y = board.to_mm(np.array([match.x_px, match.y_px])).tolist()
        figure = self._templates[lane]
        return Piece(figure.kind, figure.colour, x, y, self._layout.zone, str(space))


def _space_px(layout: Board, board: BoardPose, space: int, lane: int) -> tuple[float, float]:
    """The centre of a space in the picture of the board."""
    height, width = board.picture.shape[:2]
    x, y = layout.place(space, lane)
    return (width - 1) / 2 + x * PX_PER_MM, (height - 1) / 2 + y * PX_PER_MM


def _exclude_ends(similarity: Pixels, layout: Board, board: BoardPose) -> None:
    """Exclude the print beyond the first and the last space."""
    half = layout.space_width_mm / 2 * PX_PER_MM
    first, last = (_space_px(layout, board, space, 0)[0] for space in (layout.spaces[0], layout.spaces[-1]))
    similarity[:, : round((first - half) / COARSE_FACTOR)] = -1.0
    similarity[:, round((last + half) / COARSE_FACTOR) :] = -1.0
