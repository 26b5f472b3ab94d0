"""Figures on the track board of Kto drugi, found by template matching."""

from functools import partial

import numpy as np

from calibration.frames import Frame
from calibration.plan import Seating
from models.decks.kto_drugi import art as kto_drugi
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

FIGURE, TRACK = "figure", "track"


class FigureFinder:
    """Finds every seat's figure on the board."""

    def __init__(self, view: TableView, seating: Seating) -> None:
        self._view = view
        self._board = TrackBoard(view, seating.middle)
        self._templates = [
            round_template(
                FIGURE,
                f"P{number + 1}",
                partial(kto_drugi.draw_figure, colour=colour),
                kto_drugi.FIGURE,
                FIGURE_MIN_CONTRAST,
            )
            for number, colour in enumerate(kto_drugi.FIGURES)
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
        _, middle = _space_px(board, 0, lane)
        template, reach = self._templates[lane], round(LANE_REACH_MM * PX_PER_MM)
        # The strip is wider than the lane by the radius of a figure, so that one at its border fits in.
        top = max(0, round(middle) - reach - template.radius_px)
        strip = np.s_[top : round(middle) + reach + template.radius_px + 1]
        similarity, _ = coarse_similarity(reduced(board.picture[strip]), reduced(visible[strip]), template)
        inner = slice(
            (round(middle) - reach - top) // COARSE_FACTOR, (round(middle) + reach - top) // COARSE_FACTOR + 1
        )
        _exclude_ends(similarity, board)
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
        _exclude_ends(similarity, board)
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
            (abs(_space_px(board, space, lane)[0] - match.x_px), space) for half in kto_drugi.TRACK for space in half
        ]
        _, space = min(spaces)
        x, y = board.to_mm(np.array([match.x_px, match.y_px])).tolist()
        return Piece(FIGURE, f"P{lane + 1}", x, y, TRACK, str(space))


def _space_px(board: BoardPose, space: int, lane: int) -> tuple[float, float]:
    """The centre of a space in the picture of the board."""
    height, width = board.picture.shape[:2]
    x, y = kto_drugi.track_place(space, lane)
    return (width - 1) / 2 + x * PX_PER_MM, (height - 1) / 2 + y * PX_PER_MM


def _exclude_ends(similarity: Pixels, board: BoardPose) -> None:
    """Exclude the print beyond the first and the last space."""
    half = kto_drugi.SPACE_MM[0] / 2 * PX_PER_MM
    first, last = (_space_px(board, space, 0)[0] for space in (kto_drugi.TRACK[0][0], kto_drugi.TRACK[-1][-1]))
    similarity[:, : round((first - half) / COARSE_FACTOR)] = -1.0
    similarity[:, round((last + half) / COARSE_FACTOR) :] = -1.0
