"""The course: where the printed track of Kto drugi lies, and how its colours look in this light."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np

from calibration.seats import Frame
from models.art.picture import draw_pixels
from models.crops import Floats, Image
from models.decks.kto_drugi import art as kto_drugi
from vision.look.table_view import Window
from vision.pieces.tokens import PX_PER_MM, Patch, Pixels

ROOM_MM = 30.0
"""How far from its place the track may lie, in every direction."""
TURNS_DEG = (0.0, -3.0, 3.0)
"""How it may lie askew before that is found out exactly; it may also lie the other way round."""
LEAST_SEEN = 0.45
"""A view that looks less like the track than this does not show it."""
_COARSE = 0.4
"""The part of the pixels that is enough to find it."""
_CLOSE = 0.15
"""Two ways round that look nearly the same from afar are both looked at closely."""
_STEPS, _STEP = 40, 1e-4
_BLOCKS = (12, 4)
"""Light is measured in so many parts of the track, across and down."""
_LEAST_LIGHT, _MOST_LIGHT = 0.1, 3.0


@dataclass(frozen=True, slots=True)
class Laid:
    """The track as it lies there, straight and as if in white light."""

    picture: Pixels
    to_patch: Floats
    """From its pixels to those of the patch: two rows of three."""
    patch: Patch

    def to_mm(self, points_px: Floats) -> Floats:
        """Points of the track on the table."""
        return self.patch.to_mm(np.asarray(points_px, float) @ self.to_patch[:, :2].T + self.to_patch[:, 2])


class Course:
    """Finds the track of one table."""

    def __init__(self, window: Window, middle: Frame) -> None:
        halves = [
            draw_pixels(partial(kto_drugi.draw_track_half, half=half), kto_drugi.HALF, 4 * PX_PER_MM) for half in (0, 1)
        ]
        whole = np.hstack(halves)
        size = (round(2 * kto_drugi.HALF.width_mm * PX_PER_MM), round(kto_drugi.HALF.height_mm * PX_PER_MM))
        self.drawn: Pixels = np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), np.float32)
        self._grey = _grey(self.drawn)
        small = np.asarray(
            cv2.resize(self._grey, None, fx=_COARSE, fy=_COARSE, interpolation=cv2.INTER_AREA), np.float32
        )
        self._small = {turn + half: _turned(small, turn + half) for half in (0.0, 180.0) for turn in TURNS_DEG}
        right, away = kto_drugi.HALF.width_mm + ROOM_MM, kto_drugi.HALF.height_mm / 2 + ROOM_MM
        self._patch = Patch(window, middle, (-right, right), (-away, away))

    def find(self, detail: Image) -> Laid | None:
        """The track in a frame; None if it is not there."""
        seen = self._patch.cut(detail)
        best, laid = LEAST_SEEN, None
        for lie in self._lies(_grey(seen)):
            picture = _straight(seen, lie, self.drawn)
            alike = _alike(_grey(picture), self._grey)
            if alike > best:
                best, laid = alike, Laid(picture / self._light(picture), lie, self._patch)
        return laid

    def _lies(self, grey: Pixels) -> Iterator[Floats]:
        """How it may lie, one way round and, if that may be as well, the other way."""
        small = cv2.resize(grey, None, fx=_COARSE, fy=_COARSE, interpolation=cv2.INTER_AREA)
        found: dict[bool, tuple[float, Floats]] = {}
        for turn_deg, drawn in self._small.items():
            _, score, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(small, drawn, cv2.TM_CCOEFF_NORMED))
            around = turn_deg > 90.0
            if around not in found or score > found[around][0]:
                middle = (x + drawn.shape[1] / 2) / _COARSE - 0.5, (y + drawn.shape[0] / 2) / _COARSE - 0.5
                found[around] = score, _lie(self._grey, turn_deg, middle)
        best = max(score for score, _ in found.values())
        for around, (score, lie) in found.items():
            if score > best - _CLOSE:
                # Fitting knows only small turns: what lies the other way round is turned before and after.
                view = grey[::-1, ::-1] if around else grey
                fine = self._fitted(np.ascontiguousarray(view), _around(lie, grey) if around else lie)
                yield _around(fine, grey) if around else fine

    def _fitted(self, grey: Pixels, guess: Floats) -> Floats:
        """A lie made exact."""
        ends = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _STEPS, _STEP)
        everything = np.full(grey.shape, 255, np.uint8)
        lie = np.asarray(guess, np.float32)
        try:
            _, fine = cv2.findTransformECC(self._grey, grey, lie, cv2.MOTION_EUCLIDEAN, ends, everything, 3)
        except cv2.error:
            # What does not look like the track at all cannot be fitted to it.
            return guess
        return np.asarray(fine, float)

    def _light(self, picture: Pixels) -> Pixels:
        """How bright white would be everywhere, colour by colour, as a part of full white."""
        across, down = _BLOCKS
        ratio = (picture + 1.0) / (self.drawn + 1.0)
        blocks = np.array(
            [
                [np.median(block, axis=(0, 1)) for block in np.array_split(row, across, axis=1)]
                for row in np.array_split(ratio, down, axis=0)
            ]
        )
        smooth = cv2.blur(np.clip(blocks, _LEAST_LIGHT, _MOST_LIGHT), (3, 3), borderType=cv2.BORDER_REPLICATE)
        size = (picture.shape[1], picture.shape[0])
        return np.asarray(cv2.resize(smooth, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _grey(picture: Pixels) -> Pixels:
    return np.asarray(cv2.GaussianBlur(picture.mean(2), (0, 0), 0.8), np.float32)


def _lie(grey: Pixels, turn_deg: float, middle_px: tuple[float, float]) -> Floats:
    """From the pixels of the drawn track to those of a patch in which it lies like that."""
    height, width = grey.shape
    own = ((width - 1) / 2, (height - 1) / 2)
    way = cv2.getRotationMatrix2D(own, -turn_deg, 1.0)
    way[:, 2] += np.subtract(middle_px, own)
    return np.asarray(way, float)


def _around(lie: Floats, grey: Pixels) -> Floats:
    """The same lie in a patch that is turned by half a turn."""
    other = -lie
    other[:, 2] += (grey.shape[1] - 1, grey.shape[0] - 1)
    return other


def _turned(grey: Pixels, turn_deg: float) -> Pixels:
    """A picture turned clockwise, without the corners that nothing is known about."""
    height, width = grey.shape
    turned = cv2.warpAffine(
        grey,
        _lie(grey, turn_deg, ((width - 1) / 2, (height - 1) / 2)),
        (width, height),
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(turned, np.float32)


def _straight(seen: Pixels, lie: Floats, drawn: Pixels) -> Pixels:
    """The part of a patch that a lie says is the track, straight."""
    size = (drawn.shape[1], drawn.shape[0])
    return np.asarray(cv2.warpAffine(seen, lie, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP), np.float32)


def _alike(one: Pixels, other: Pixels) -> float:
    return float(cv2.matchTemplate(one, other, cv2.TM_CCOEFF_NORMED)[0, 0])
