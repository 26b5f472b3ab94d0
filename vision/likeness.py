"""Likeness: how much a cut-out card looks like the side that it is said to show, where it is seen."""

from collections.abc import Iterable

import cv2
import numpy as np

from models.crops import Image

LIKENESS_PX = (64, 88)
"""The size at which cards are compared."""
SOFT_PX = 0.8
_FEWEST = 40
"""With fewer points in sight nothing can be said."""


def small_side(side: Image) -> Image:
    """A side of a card as it is compared."""
    small = cv2.resize(side, LIKENESS_PX, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), SOFT_PX), np.uint8)


def likeness(crop: Image, seen: Image, sides: Iterable[Image]) -> float:
    """The best correlation of a crop with any of some small sides, where the card is seen: 1 if they are the same."""
    small = cv2.resize(crop, LIKENESS_PX, interpolation=cv2.INTER_AREA)
    where = cv2.resize(seen, LIKENESS_PX, interpolation=cv2.INTER_NEAREST) > 127
    if np.count_nonzero(where) < _FEWEST:
        return 0.0
    shown = small[where].astype(np.float64)
    shown -= shown.mean(0)
    best = 0.0
    for side in sides:
        wanted = side[where].astype(np.float64)
        wanted -= wanted.mean(0)
        size = np.sqrt((shown * shown).sum() * (wanted * wanted).sum())
        best = max(best, float((shown * wanted).sum() / max(size, 1e-6)))
    return best
