"""The matcher: whether a crop shows the same face as a taught view, decided where look-alikes differ.

A crop and a view are cut along the edges of the card, but print does not keep the same distance to the edges of every
card, least of all if people cut the cards themselves. So each pair is aligned by its print before it is compared.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.crops import CROP_PX, SEEN_PX, Image, at_once
from models.print_alignment import aligned_print, outline_of
from vision.look.network import load_network

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
        return KnownViews(self._features(views, all_visible), np.stack([outline_of(view) for view in views]))

    def log_odds(self, crops: Image, visibility: Image, views: KnownViews, pairs: Pairs) -> NDArray[np.float32]:
        """For each pair the log odds that the crop shows the face of the view, against a card outside the deck.

        The rows of `pairs` are the index of a crop, the index of a view, and whether the view is upside down.
        """
        if not len(pairs):
            return np.zeros(0, np.float32)
        moved = np.empty((len(pairs), CROP_PX[1], CROP_PX[0], 3), np.uint8)
        seen = np.empty((len(pairs), SEEN_PX[1], SEEN_PX[0]), np.uint8)

        def align(place: int) -> None:
            crop, view, turned = pairs[place].tolist()
            # Turning the crop is the same as turning the view, whose features are computed only once.
            step = -1 if turned else 1
            image = np.ascontiguousarray(crops[crop][::step, ::step])
            visible = np.ascontiguousarray(visibility[crop][::step, ::step])
            moved[place], seen[place] = aligned_print(image, visible, views.outlines[view])

        at_once(align, len(pairs))
        (scores,) = self._head.run_batched(
            {
                "crops": self._features(moved, seen).astype(np.float32),
                "views": views.features[pairs[:, 1]].astype(np.float32),
                "seen": seen,
            }
        )
        return np.asarray(scores, np.float32)

    def _features(self, crops: Image, visibility: Image) -> StemFeatures:
        (features,) = self._stem.run_batched({"crops": crops, "seen": visibility})
        return features.astype(np.float16)
