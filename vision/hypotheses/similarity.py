"""Similarity: the correlation of a crop with every side of a deck, over the visible part of the card."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Floats, Image
from vision.hypotheses.tuning import MIN_COMPARED_POINTS, THUMBNAIL_BLUR_PX

THUMBNAIL_PX = (64, 88)
"""Width and height at which crops and sides are compared."""


def thumbnail(side: Image) -> Image:
    """A side of a card, at the size at which it is compared."""
    small = cv2.resize(side, THUMBNAIL_PX, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), THUMBNAIL_BLUR_PX), np.uint8)


def side_similarities(crop: Image, visible: Image, thumbnails: Image) -> Floats:
    """Correlation, from -1 to 1, of a crop with every side (rows), upright and upside down (columns)."""
    small = np.asarray(cv2.resize(crop, THUMBNAIL_PX, interpolation=cv2.INTER_AREA), np.uint8)
    mask = cv2.resize(visible, THUMBNAIL_PX, interpolation=cv2.INTER_NEAREST) > 127
    if np.count_nonzero(mask) < MIN_COMPARED_POINTS:
        return np.zeros((len(thumbnails), 2))
    own = _normalised(small[mask][None])[0]
    both_ways = (thumbnails, thumbnails[:, ::-1, ::-1])
    return np.stack([_normalised(sides[:, mask]) @ own for sides in both_ways], 1).astype(float)


def _normalised(points: Image) -> NDArray[np.float32]:
    """Points of each image as a unit vector, without the mean of each colour channel."""
    values = points.astype(np.float32)
    values -= values.mean(1, keepdims=True)
    flat = values.reshape(len(values), -1)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6), np.float32)
