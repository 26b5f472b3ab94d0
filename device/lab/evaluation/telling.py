"""Distinguishability: whether the visible part of a card is enough to identify it and its way up."""

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from device.lab.evaluation.truth import same_upside_down
from models.crops import Floats, Image, to_crop

MAP_PX = (63, 88)
"""Size of the visibility map of a card; a pixel is a square millimetre of most cards."""
MIN_DIFFERENT_MM2, MIN_DIFFERENT_LEVELS = 6, 50
"""Minimum area and difference in levels by which two faces can be told apart."""


class Telling:
    """Decides which cards of a deck can be told apart by their visible parts."""

    def __init__(self, face_of: Callable[[str], Image], codes: tuple[str, ...]) -> None:
        self._face_of, self._codes = face_of, codes
        self._small: dict[str, Image] = {}
        self._apart: dict[str, NDArray[np.bool_]] = {}
        self._same: dict[str, bool] = {}

    def readable(self, code: str, seen: Image) -> bool:
        """Whether the visible part distinguishes a card, of the deck or not, from every other one, either way up."""
        others = [other for other in self._codes if other != code]
        if not others:
            return True
        if code not in self._apart:
            upright = [self._of(other) for other in others]
            both = [*upright, *(np.ascontiguousarray(other[::-1, ::-1]) for other in upright)]
            self._apart[code] = np.stack([_apart(self._of(code), other) for other in both])
        return bool((self._apart[code] & (seen > 127)).sum(axis=(1, 2)).min() >= MIN_DIFFERENT_MM2)

    def upright(self, code: str, seen: Image) -> bool:
        """Whether the visible part shows which way up a card is."""
        if code not in self._same:
            self._same[code] = same_upside_down(self._face_of(code))
        own = self._of(code)
        # The halves of a card that looks the same upside down differ only by drawing noise.
        turned = np.ascontiguousarray(own[::-1, ::-1])
        return not self._same[code] and bool((_apart(own, turned) & (seen > 127)).sum() >= MIN_DIFFERENT_MM2)

    def _of(self, code: str) -> Image:
        if code not in self._small:
            self._small[code] = np.asarray(
                cv2.resize(self._face_of(code), MAP_PX, interpolation=cv2.INTER_AREA), np.uint8
            )
        return self._small[code]


def uncovered(quad: Floats, above: Sequence[Floats]) -> Image:
    """The visibility map of a card: 255 where no card above hides it."""
    seen: Image = np.full(MAP_PX[::-1], 255, np.uint8)
    way = to_crop(quad, MAP_PX)
    for other in above:
        if (other.max(0) < quad.min(0)).any() or (quad.max(0) < other.min(0)).any():
            continue
        flat = cv2.perspectiveTransform(other.reshape(-1, 1, 2), way)
        cv2.fillConvexPoly(seen, np.round(flat).astype(np.int32), 0)
    return seen


def _apart(one: Image, other: Image) -> NDArray[np.bool_]:
    return np.asarray(cv2.absdiff(one, other).max(axis=2) > MIN_DIFFERENT_LEVELS, bool)
