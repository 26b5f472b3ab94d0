"""Telling cards apart: whether what is seen of a card is enough to say which it is, and which way up it lies."""

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from device.lab.evaluation.truth import same_upside_down
from models.crops import Floats, Image, to_crop

MAP_PX = (63, 88)
"""Width and height of the map of what is seen of a card: a pixel is a square millimetre of most cards."""
LEAST_MM2, LEAST_LEVELS = 6, 50
"""Two faces can be told apart where so much of them differs by so many levels."""


class Telling:
    """Which cards of a deck can be told apart by what is seen of them."""

    def __init__(self, face_of: Callable[[str], Image], codes: tuple[str, ...]) -> None:
        self._face_of, self._codes = face_of, codes
        self._small: dict[str, Image] = {}
        self._apart: dict[str, NDArray[np.bool_]] = {}
        self._same: dict[str, bool] = {}

    def readable(self, code: str, seen: Image) -> bool:
        """Whether what is seen tells a card from every other one, either way up."""
        if code not in self._apart and len(self._codes) > 1:
            others = [self._of(other) for other in self._codes if other != code]
            both = [*others, *(np.ascontiguousarray(other[::-1, ::-1]) for other in others)]
            self._apart[code] = np.stack([_apart(self._of(code), other) for other in both])
        return len(self._codes) < 2 or bool((self._apart[code] & (seen > 127)).sum(axis=(1, 2)).min() >= LEAST_MM2)

    def upright(self, code: str, seen: Image) -> bool:
        """Whether what is seen tells which way up a card lies."""
        if code not in self._same:
            self._same[code] = same_upside_down(self._face_of(code))
        own = self._of(code)
        # Of a card that looks the same upside down the two halves differ nowhere, but for how they were drawn.
        turned = np.ascontiguousarray(own[::-1, ::-1])
        return not self._same[code] and bool((_apart(own, turned) & (seen > 127)).sum() >= LEAST_MM2)

    def _of(self, code: str) -> Image:
        if code not in self._small:
            self._small[code] = np.asarray(
                cv2.resize(self._face_of(code), MAP_PX, interpolation=cv2.INTER_AREA), np.uint8
            )
        return self._small[code]


def uncovered(quad: Floats, above: Sequence[Floats]) -> Image:
    """The map of a card, 255 where none of the cards above it hides it."""
    seen: Image = np.full(MAP_PX[::-1], 255, np.uint8)
    way = to_crop(quad, MAP_PX)
    for other in above:
        if (other.max(0) < quad.min(0)).any() or (quad.max(0) < other.min(0)).any():
            continue
        flat = cv2.perspectiveTransform(other.reshape(-1, 1, 2), way)
        cv2.fillConvexPoly(seen, np.round(flat).astype(np.int32), 0)
    return seen


def _apart(one: Image, other: Image) -> NDArray[np.bool_]:
    return np.asarray(cv2.absdiff(one, other).max(axis=2) > LEAST_LEVELS, bool)
