"""Likeness: how much a cut-out card looks like each side of a deck, where it is seen."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Floats, Image

LIKENESS_PX = (64, 88)
"""The size at which cards are compared."""
SOFT_PX = 0.8
_FEWEST = 40
"""With fewer points in sight nothing can be said."""


def small_side(side: Image) -> Image:
    """A side of a card as it is compared."""
    small = cv2.resize(side, LIKENESS_PX, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), SOFT_PX), np.uint8)


def likeness(crop: Image, seen: Image, sides: Image) -> Floats:
    """The correlation of a crop with every small side, upright and turned, where the card is seen: 1 if the same."""
    small = np.asarray(cv2.resize(crop, LIKENESS_PX, interpolation=cv2.INTER_AREA), np.uint8)
    where = cv2.resize(seen, LIKENESS_PX, interpolation=cv2.INTER_NEAREST) > 127
    if np.count_nonzero(where) < _FEWEST:
        return np.zeros((len(sides), 2))
    shown = _even(small[where][None])[0]
    return np.stack([_even(turned[:, where]) @ shown for turned in (sides, sides[:, ::-1, ::-1])], 1).astype(float)


def _even(points: Image) -> NDArray[np.float32]:
    """Some points of pictures as vectors of length 1, without what is only lighter or darker as a whole."""
    values = points.astype(np.float32)
    values -= values.mean(1, keepdims=True)
    flat = values.reshape(len(values), -1)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6), np.float32)
