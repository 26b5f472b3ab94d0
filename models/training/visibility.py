"""Visibility maps with the errors of a finder."""

import cv2
import numpy as np

from models.crops import SEEN_PX, Image

COARSE_MAP_SHARE = 0.3
"""Share of visibility maps at the finder's coarse resolution; the others follow from the card positions."""
COVER_SIGMA_CELLS = 0.7
"""Standard deviation of the assumed position of covering cards, in cells."""


def imperfect_map(seen: Image, rng: np.random.Generator) -> Image:
    """The visibility map of an imperfect finder: its edges may be coarse, displaced or too wide."""
    mask = np.asarray(cv2.resize(seen, SEEN_PX, interpolation=cv2.INTER_NEAREST), np.uint8)
    chance = rng.random()
    if chance < COARSE_MAP_SHARE:
        return _coarse(mask, rng)
    if chance < COARSE_MAP_SHARE + 0.3:
        right, down = rng.normal(0, COVER_SIGMA_CELLS, 2)
        shift = np.array([[1, 0, right], [0, 1, down]], np.float32)
        border = cv2.BORDER_REPLICATE
        return np.asarray(cv2.warpAffine(mask, shift, SEEN_PX, flags=cv2.INTER_NEAREST, borderMode=border), np.uint8)
    if chance < COARSE_MAP_SHARE + 0.4:
        change = cv2.erode if rng.random() < 0.5 else cv2.dilate
        return np.asarray(change(mask, np.ones((2, 2), np.uint8), borderType=cv2.BORDER_REPLICATE), np.uint8)
    return mask


def _coarse(mask: Image, rng: np.random.Generator) -> Image:
    if rng.random() < 0.2:
        return mask
    step = int(rng.integers(2, 4))
    coarse = cv2.resize(mask, (SEEN_PX[0] // step, SEEN_PX[1] // step), interpolation=cv2.INTER_AREA)
    coarse = np.where(coarse > rng.uniform(70, 185), 255, 0).astype(np.uint8)
    return np.asarray(cv2.resize(coarse, SEEN_PX, interpolation=cv2.INTER_NEAREST), np.uint8)
