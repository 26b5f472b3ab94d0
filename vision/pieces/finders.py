"""The piece finder: figures on the track of Kto drugi and tokens of Lucky Box, by colour and shape; no network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, hypot

import cv2
import numpy as np

from calibration.frames import Frame
from calibration.plan import Seating
from calibration.seats import zone_of
from models.crops import Image
from models.decks.kto_drugi import art as kto_drugi
from models.decks.lucky_box import art as lucky_box
from vision.follow.spots import TOKENS, seen_from
from vision.look.table_view import Window
from vision.pieces.board import Course, Laid
from vision.pieces.tokens import (
    COARSE,
    PX_PER_MM,
    Disc,
    Patch,
    Pixels,
    coarse,
    disc_of,
    light_of,
    likeness,
    turned_likeness,
)
from vision.table import Piece

GAMES = ("kto_drugi", "lucky_box")
"""The games that have pieces."""
FIGURE, TRACK = "figure", "track"
LEAST_SURE = 0.5
"""A piece that is less likely than this is not told."""
FIGURE_SCALE, TOKEN_SCALE = (30.0, 0.65), (30.0, 0.65)
"""What makes a probability of a likeness: how steep it is, and which likeness is an even chance."""
CONTRAST = 0.55
"""START shows the same shapes as the figures, only paler."""
BESIDE_MM = 8.0
"""How far from the middle of its lane a figure may stand."""
FIRST_LIKE = 0.45
"""A place that looks less like a token than this, turned somehow, is not looked at closely."""
COVERED_LIKE = 0.4
LEAST_VISIBLE = 0.25
"""The part of a token that must be seen."""
MOST_TOKENS = sum(lucky_box.TOKENS.values())
"""There are no more in the box."""
SMALL_PART = 0.1
"""How much better the likeness of what is seen must be when nearly all of a piece is hidden."""
_GUESSES = 3
"""So many places are looked at for a piece under another one."""
_MOSTLY = 0.8
"""A figure that left its lane is seen nearly whole."""
_NEAR_PX = 2
"""A place is made exact within so many pixels."""


class PieceError(ValueError):
    """Pieces wanted of a game that has none."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A disc that may lie somewhere, in pixels."""

    x_px: int
    y_px: int
    like: float
    probability: float


class PieceFinder:
    """Finds the pieces of a game."""

    def __init__(self, game: str, window: Window, seating: Seating) -> None:
        """PieceError if the game has none."""
        if game not in GAMES:
            raise PieceError(f"{game} has no pieces; wanted one of {', '.join(GAMES)}")
        self._own = FigureFinder(window, seating) if game == "kto_drugi" else TokenFinder(window, seating)

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        """All pieces in a frame of a table at rest."""
        return self._own.find(frame)


class FigureFinder:
    """Every seat's figure on the track."""

    def __init__(self, window: Window, seating: Seating) -> None:
        self._window = window
        self._course = Course(window, seating.middle)
        self._discs = [
            disc_of(
                FIGURE,
                f"P{number + 1}",
                partial(kto_drugi.draw_figure, colour=colour),
                kto_drugi.FIGURE,
                CONTRAST,
            )
            for number, colour in enumerate(kto_drugi.FIGURES)
        ]
        self._seats = min(len(seating.seats), len(self._discs))

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        """The figures that stand on the track."""
        laid = self._course.find(self._window.detail(frame.image)[0])
        if laid is None:
            return ()
        seen = np.ones(laid.picture.shape[:2], np.float32)
        found: dict[int, Likely] = {}
        for lane in range(self._seats):
            likely = self._in_lane(laid, seen, lane)
            if self._is_own(laid, seen, lane, likely):
                found[lane] = likely
        for lane in range(self._seats):
            if lane not in found:
                astray = self._anywhere(laid, seen, lane, tuple(found.values()))
                if astray is not None:
                    found[lane] = astray
        return tuple(self._piece(laid, lane, found[lane]) for lane in sorted(found))

    def _in_lane(self, laid: Laid, seen: Pixels, lane: int) -> Likely:
        """The place on its own lane that looks most like a figure."""
        _, middle = _place_px(laid, 0, lane)
        disc, reach = self._discs[lane], round(BESIDE_MM * PX_PER_MM)
        # What a disc at the edge of the strip covers must be in sight, too.
        top = max(0, round(middle) - reach - disc.radius_px)
        strip = np.s_[top : round(middle) + reach + disc.radius_px + 1]
        like, _ = likeness(coarse(laid.picture[strip]), coarse(seen[strip]), disc)
        inner = slice((round(middle) - reach - top) // COARSE, (round(middle) + reach - top) // COARSE + 1)
        _hide_ends(like, laid)
        row, column = np.unravel_index(int(like[inner].argmax()), like[inner].shape)
        return _exact(laid.picture, seen, disc, *_fine(int(column), int(row) + inner.start, 0, top), FIGURE_SCALE)

    def _anywhere(self, laid: Laid, seen: Pixels, lane: int, others: tuple[Likely, ...]) -> Likely | None:
        """A figure that left its lane, where nothing looks more like another one."""
        disc = self._discs[lane]
        left = seen.copy()
        for other in others:
            _take_off(left, disc, other)
        like, part = likeness(coarse(laid.picture), coarse(left), disc)
        like[part < _MOSTLY] = -1.0
        _hide_ends(like, laid)
        row, column = np.unravel_index(int(like.argmax()), like.shape)
        likely = _exact(laid.picture, seen, disc, *_fine(int(column), int(row)), FIGURE_SCALE)
        return likely if self._is_own(laid, seen, lane, likely) else None

    def _is_own(self, laid: Laid, seen: Pixels, lane: int, likely: Likely) -> bool:
        """Whether a figure is there, and not one of another colour."""
        if likely.probability < LEAST_SURE:
            return False
        place = np.array([[likely.x_px, likely.y_px]])
        likes = [float(turned_likeness(laid.picture, seen, disc, place)[0][0]) for disc in self._discs]
        return likes[lane] == max(likes)

    def _piece(self, laid: Laid, lane: int, likely: Likely) -> Piece:
        spaces = [
            (abs(_place_px(laid, space, lane)[0] - likely.x_px), space) for half in kto_drugi.TRACK for space in half
        ]
        _, space = min(spaces)
        x, y = laid.to_mm(np.array([likely.x_px, likely.y_px])).tolist()
        return Piece(FIGURE, f"P{lane + 1}", x, y, TRACK, str(space))


class TokenFinder:
    """Lightnings and moons in front of every seat."""

    def __init__(self, window: Window, seating: Seating) -> None:
        self._window, self._zones = window, seating.zones
        self._discs = [
            disc_of(kind, "", partial(lucky_box.draw_token, kind=kind), lucky_box.TOKEN) for kind in lucky_box.TOKENS
        ]
        around_mm = lucky_box.TOKEN_MM
        self._patches = []
        for seat in seating.seats:
            corners = [seen_from(seat.frame, point) for point in seat.zone.polygon_mm]
            right, away = [x for x, _ in corners], [y for _, y in corners]
            patch = Patch(
                window,
                seat.frame,
                (min(right) - around_mm, max(right) + around_mm),
                (min(away) - around_mm, max(away) + around_mm),
            )
            self._patches.append((seat.zone.name, patch))

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        """The tokens in everybody's zone."""
        detail, _ = self._window.detail(frame.image)
        light = light_of(detail)
        return tuple(piece for zone, patch in self._patches for piece in self._in_zone(detail, light, zone, patch))

    def _in_zone(self, detail: Image, light: Pixels, zone: str, patch: Patch) -> list[Piece]:
        found = []
        for disc, likely in peeled(patch.cut(detail) * light, self._discs):
            x, y = patch.to_mm(np.array([likely.x_px, likely.y_px])).tolist()
            if zone_of(self._zones, (x, y)) == zone:
                found.append(Piece(disc.kind, disc.colour, x, y, zone, TOKENS))
        return found


def peeled(picture: Pixels, discs: Sequence[Disc]) -> Iterator[tuple[Disc, Likely]]:
    """Discs in a picture, top ones first: what is found is taken off, and the rest is judged by what is left of it."""
    seen = np.ones(picture.shape[:2], np.float32)
    pool = [(disc, likely) for disc in discs for likely in _whole(picture, seen, disc)]
    for _ in range(MOST_TOKENS):
        disc, best = max(pool, key=lambda each: each[1].probability, default=(None, None))
        if disc is None or best is None or best.probability < LEAST_SURE:
            return
        yield disc, best
        _take_off(seen, disc, best)
        wide = 2 * disc.radius_px
        pool = [(one, likely) for one, likely in pool if hypot(likely.x_px - best.x_px, likely.y_px - best.y_px) > wide]
        pool += [(one, likely) for one in discs for likely in _covered(picture, seen, one, best, wide)]


def _whole(picture: Pixels, seen: Pixels, disc: Disc) -> Iterator[Likely]:
    """Where a disc may lie that nothing covers."""
    like, _ = likeness(coarse(picture), coarse(seen), disc)
    room = np.ones((disc.radius_px // COARSE,) * 2, np.uint8)
    peaks = (like >= FIRST_LIKE) & (like >= cv2.dilate(like, room))
    for row, column in np.argwhere(peaks).tolist():
        yield _exact(picture, seen, disc, *_fine(column, row), TOKEN_SCALE)


def _covered(picture: Pixels, seen: Pixels, disc: Disc, by: Likely, wide_px: int) -> Iterator[Likely]:
    """Where a disc may lie that another one covers in part."""
    reach = wide_px + disc.radius_px
    left, top = max(0, by.x_px - reach), max(0, by.y_px - reach)
    box = np.s_[top : by.y_px + reach + 1, left : by.x_px + reach + 1]
    like, part = likeness(coarse(picture[box]), coarse(seen[box]), disc)
    rows, columns = np.indices(like.shape)
    middle = (by.x_px - left) / COARSE, (by.y_px - top) / COARSE
    apart = np.hypot(columns - middle[0], rows - middle[1])
    like[(part < LEAST_VISIBLE) | (apart > wide_px / COARSE)] = -1.0
    for _ in range(_GUESSES):
        row, column = (int(one) for one in np.unravel_index(int(like.argmax()), like.shape))
        if like[row, column] < COVERED_LIKE:
            return
        yield _exact(picture, seen, disc, *_fine(column, row, left, top), TOKEN_SCALE)
        cv2.circle(like, (column, row), disc.radius_px // COARSE // 2, -1.0, -1)


def _take_off(seen: Pixels, disc: Disc, likely: Likely) -> None:
    """What a disc covers is explained."""
    cv2.circle(seen, (likely.x_px, likely.y_px), disc.radius_px, 0.0, -1)


def _exact(picture: Pixels, seen: Pixels, disc: Disc, x_px: int, y_px: int, scale: tuple[float, float]) -> Likely:
    """The best place near one, and how likely it is that a disc lies there."""
    steps = np.arange(-_NEAR_PX, _NEAR_PX + 1)
    x, y = np.meshgrid(np.clip(steps + x_px, 0, picture.shape[1] - 1), np.clip(steps + y_px, 0, picture.shape[0] - 1))
    places = np.stack([x.ravel(), y.ravel()], 1)
    like, part = turned_likeness(picture, seen, disc, places)
    like = np.where(part < LEAST_VISIBLE, -1.0, like)
    best = int(like.argmax())
    score = float(like[best]) - SMALL_PART * (1.0 - float(part[best]))
    column, row = places[best].tolist()
    return Likely(column, row, score, 1 / (1 + exp(-scale[0] * (score - scale[1]))))


def _place_px(laid: Laid, space: int, lane: int) -> tuple[float, float]:
    """Where a figure stands on the straight picture of the track."""
    height, width = laid.picture.shape[:2]
    x, y = kto_drugi.track_place(space, lane)
    return (width - 1) / 2 + x * PX_PER_MM, (height - 1) / 2 + y * PX_PER_MM


def _hide_ends(like: Pixels, laid: Laid) -> None:
    """Beyond the first and the last space there is only print."""
    half = kto_drugi.SPACE_MM[0] / 2 * PX_PER_MM
    first, last = (_place_px(laid, space, 0)[0] for space in (kto_drugi.TRACK[0][0], kto_drugi.TRACK[-1][-1]))
    like[:, : round((first - half) / COARSE)] = -1.0
    like[:, round((last + half) / COARSE) :] = -1.0


def _fine(column: int, row: int, left: int = 0, top: int = 0) -> tuple[int, int]:
    """The pixel in the middle of a coarse one; `left` and `top` are where the coarse picture begins."""
    return left + COARSE * column + COARSE // 2, top + COARSE * row + COARSE // 2
