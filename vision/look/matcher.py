"""The matcher: whether a crop shows the same face as a taught view, decided where look-alikes differ.

A crop and a view are cut along the edges of the card, but print does not keep the same distance to the edges of every
card, least of all if people cut the cards themselves. So each pair is aligned by its print before it is compared.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CROP_PX, SEEN_PX, Image, at_once
from vision.look.network import load_network
from vision.look.tuning import (
    MAX_PRINT_SHEAR,
    MAX_PRINT_SHIFT_PX,
    MIN_ALIGNED_FRACTION,
    MIN_WARPED_FRACTION,
    PRINT_ALIGN_BLUR_PX,
    PRINT_ALIGN_ITERATIONS,
    PRINT_ALIGN_PRECISION,
    PRINT_ALIGN_SCALE,
)

STEM_SHAPE = (16, SEEN_PX[1], SEEN_PX[0])
"""Shape of the features of a crop: channels, rows and columns of cells."""
StemFeatures = NDArray[np.float16]
"""Half precision: a deck of a hundred cards takes five megabytes."""
Pairs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KnownViews:
    """Views of whole cards, prepared for comparison."""

    features: StemFeatures
    outlines: Image
    """Small grey pictures, by which crops are aligned."""

    def __len__(self) -> int:
        return len(self.features)


class Matcher:
    """Two networks: one computes features of crops and views, the other compares them in pairs."""

    def __init__(self, stem: Path, head: Path, threads: int = 2) -> None:
        (width, height), (columns, rows) = CROP_PX, SEEN_PX
        self._stem = load_network(stem, {"crops": (None, height, width, 3), "seen": (None, rows, columns)}, threads)
        pairs = {"crops": (None, *STEM_SHAPE), "views": (None, *STEM_SHAPE), "seen": (None, rows, columns)}
        self._head = load_network(head, pairs, threads)

    def learn(self, views: Image) -> KnownViews:
        """Prepare views of whole cards at the size of a crop."""
        all_visible = np.full((len(views), SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
        return KnownViews(self._features(views, all_visible), np.stack([_outline(view) for view in views]))

    def log_odds(self, crops: Image, visibility: Image, views: KnownViews, pairs: Pairs) -> NDArray[np.float32]:
        """For each pair the log odds that the crop shows the face of the view, against a card outside the deck.

        The rows of `pairs` are the index of a crop, the index of a view, and whether the view is upside down.
        """
        if not len(pairs):
            return np.zeros(0, np.float32)
        aligned = np.empty((len(pairs), CROP_PX[1], CROP_PX[0], 3), np.uint8)
        seen = np.empty((len(pairs), SEEN_PX[1], SEEN_PX[0]), np.uint8)

        def align(place: int) -> None:
            crop, view, turned = pairs[place].tolist()
            # Turning the crop is the same as turning the view, whose features are computed only once.
            step = -1 if turned else 1
            image = np.ascontiguousarray(crops[crop][::step, ::step])
            visible = np.ascontiguousarray(visibility[crop][::step, ::step])
            aligned[place], seen[place] = _aligned(image, visible, views.outlines[view])

        at_once(align, len(pairs))
        (scores,) = self._head.run_batched(
            {
                "crops": self._features(aligned, seen).astype(np.float32),
                "views": views.features[pairs[:, 1]].astype(np.float32),
                "seen": seen,
            }
        )
        return np.asarray(scores, np.float32)

    def _features(self, crops: Image, visibility: Image) -> StemFeatures:
        (features,) = self._stem.run_batched({"crops": crops, "seen": visibility})
        return features.astype(np.float16)


def _outline(image: Image) -> Image:
    """A crop or view as it is aligned: small, grey and soft."""
    scale = PRINT_ALIGN_SCALE
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), PRINT_ALIGN_BLUR_PX), np.uint8)


def _aligned(crop: Image, visible: Image, outline: Image) -> tuple[Image, Image]:
    """A crop and its visibility map, moved so that its print is where a view has it; unchanged if that fails."""
    share = float(np.count_nonzero(visible)) / visible.size
    if share < MIN_ALIGNED_FRACTION:
        return crop, visible
    # A narrow strip does not determine a rotation and a scale.
    motion = cv2.MOTION_AFFINE if share >= MIN_WARPED_FRACTION else cv2.MOTION_TRANSLATION
    mask = cv2.resize(visible, outline.shape[::-1], interpolation=cv2.INTER_NEAREST)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, PRINT_ALIGN_ITERATIONS, PRINT_ALIGN_PRECISION)
    try:
        start = np.eye(2, 3, dtype=np.float32)
        _, found = cv2.findTransformECC(outline, _outline(crop), start, motion, criteria, mask, 1)
    except cv2.error:
        # OpenCV raises where two pictures have nothing in common.
        return crop, visible
    warp = np.asarray(found, np.float32).copy()
    warp[:, 2] /= PRINT_ALIGN_SCALE
    if np.abs(warp[:, :2] - np.eye(2)).max() > MAX_PRINT_SHEAR or np.abs(warp[:, 2]).max() > MAX_PRINT_SHIFT_PX:
        return crop, visible
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(crop, warp, CROP_PX, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    warp[:, 2] /= CROP_PX[0] / SEEN_PX[0]
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    seen = cv2.warpAffine(visible, warp, SEEN_PX, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8), np.asarray(seen, np.uint8)
