"""Tokens in front of the seats, found by template matching."""

from collections.abc import Iterator, Sequence
from math import hypot

import cv2
import numpy as np

from calibration.frames import Frame
from calibration.plan import Seating
from calibration.seats import zone_of
from models.art.pieces import TablePiece
from models.crops import Image
from vision.follow.spots import TOKENS, seen_from
from vision.look.table_view import TableView
from vision.pieces.templates import (
    Pixels,
    RoundTemplate,
    TablePatch,
    TemplateMatch,
    coarse_similarity,
    full_position,
    mask_out,
    reduced,
    refined_match,
    round_template,
)
from vision.pieces.tuning import (
    COARSE_FACTOR,
    COVERED_CANDIDATES,
    MAX_WHITE_GAIN,
    MIN_COARSE_SIMILARITY,
    MIN_COVERED_SIMILARITY,
    MIN_PROBABILITY,
    MIN_VISIBLE,
    SATURATED_LEVEL,
    TOKEN_LOGISTIC,
    WHITE_SHARE,
)
from vision.table import Piece


class TokenFinder:
    """Finds the tokens in front of every seat."""

    def __init__(self, view: TableView, seating: Seating, tokens: Sequence[TablePiece]) -> None:
        self._view, self._zones = view, seating.zones
        self._templates = [round_template(token.kind, "", token.drawing, token.size) for token in tokens]
        self._max_tokens = sum(token.count for token in tokens)
        margin_mm = max(token.size.width_mm for token in tokens)
        self._patches = []
        for seat in seating.seats:
            corners = [seen_from(seat.frame, point) for point in seat.zone.polygon_mm]
            right, away = [x for x, _ in corners], [y for _, y in corners]
            patch = TablePatch(
                view,
                seat.frame,
                (min(right) - margin_mm, max(right) + margin_mm),
                (min(away) - margin_mm, max(away) + margin_mm),
            )
            self._patches.append((seat.zone.name, patch))

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        """The tokens in every seat's zone."""
        detail, _ = self._view.crop_source(frame.image)
        gains = white_balance(detail)
        return tuple(piece for zone, patch in self._patches for piece in self._in_zone(detail, gains, zone, patch))

    def _in_zone(self, detail: Image, gains: Pixels, zone: str, patch: TablePatch) -> list[Piece]:
        found = []
        for template, match in matches_from_top(patch.cut(detail) * gains, self._templates, self._max_tokens):
            x, y = patch.to_mm(np.array([match.x_px, match.y_px])).tolist()
            if zone_of(self._zones, (x, y)) == zone:
                found.append(Piece(template.kind, template.colour, x, y, zone, TOKENS))
        return found


def white_balance(image: Image) -> Pixels:
    """Gains for blue, green and red that make the whitest parts of a picture, cards and markers, white."""
    samples = image[::3, ::3].reshape(-1, 3)
    # Overexposed pixels are white in any light.
    samples = samples[samples.max(1) < SATURATED_LEVEL]
    if not len(samples):
        return np.ones(3, np.float32)
    whiteness = samples.min(1)
    white = samples[whiteness >= np.quantile(whiteness, 1 - WHITE_SHARE)].mean(0) + 1.0
    return np.asarray(np.clip(white.max() / white, 1.0, MAX_WHITE_GAIN), np.float32)


def matches_from_top(
    picture: Pixels, templates: Sequence[RoundTemplate], max_tokens: int
) -> Iterator[tuple[RoundTemplate, TemplateMatch]]:
    """Tokens in a picture, top ones first: each one found is masked out, and those below are judged by the rest."""
    visible = np.ones(picture.shape[:2], np.float32)
    pool = [(template, match) for template in templates for match in _uncovered(picture, visible, template)]
    for _ in range(max_tokens):
        template, best = max(pool, key=lambda each: each[1].probability, default=(None, None))
        if template is None or best is None or best.probability < MIN_PROBABILITY:
            return
        yield template, best
        mask_out(visible, template, best)
        width_px = 2 * template.radius_px
        pool = [(one, match) for one, match in pool if hypot(match.x_px - best.x_px, match.y_px - best.y_px) > width_px]
        pool += [(one, match) for one in templates for match in _covered(picture, visible, one, best, width_px)]


def _uncovered(picture: Pixels, visible: Pixels, template: RoundTemplate) -> Iterator[TemplateMatch]:
    """Possible positions of tokens that nothing covers."""
    similarity, _ = coarse_similarity(reduced(picture), reduced(visible), template)
    neighbourhood = np.ones((template.radius_px // COARSE_FACTOR,) * 2, np.uint8)
    peaks = (similarity >= MIN_COARSE_SIMILARITY) & (similarity >= cv2.dilate(similarity, neighbourhood))
    for row, column in np.argwhere(peaks).tolist():
        yield refined_match(picture, visible, template, *full_position(column, row), TOKEN_LOGISTIC)


def _covered(
    picture: Pixels, visible: Pixels, template: RoundTemplate, upper: TemplateMatch, width_px: int
) -> Iterator[TemplateMatch]:
    """Possible positions of tokens that another one partly covers."""
    reach = width_px + template.radius_px
    left, top = max(0, upper.x_px - reach), max(0, upper.y_px - reach)
    box = np.s_[top : upper.y_px + reach + 1, left : upper.x_px + reach + 1]
    similarity, share = coarse_similarity(reduced(picture[box]), reduced(visible[box]), template)
    rows, columns = np.indices(similarity.shape)
    centre = (upper.x_px - left) / COARSE_FACTOR, (upper.y_px - top) / COARSE_FACTOR
    distance = np.hypot(columns - centre[0], rows - centre[1])
    similarity[(share < MIN_VISIBLE) | (distance > width_px / COARSE_FACTOR)] = -1.0
    for _ in range(COVERED_CANDIDATES):
        row, column = (int(one) for one in np.unravel_index(int(similarity.argmax()), similarity.shape))
        if similarity[row, column] < MIN_COVERED_SIMILARITY:
            return
        yield refined_match(picture, visible, template, *full_position(column, row, left, top), TOKEN_LOGISTIC)
        cv2.circle(similarity, (column, row), template.radius_px // COARSE_FACTOR // 2, -1.0, -1)
