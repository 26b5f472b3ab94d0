"""The aligner: a network that corrects the pose of a card that was found roughly."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import (
    ALIGN_CARD_PX,
    ALIGN_PX,
    ALIGN_SEEN_PX,
    STRIDE_PX,
    Floats,
    Image,
    align_maps,
    all_to_align,
    at_once,
)
from vision.look.network import load_network


class Aligner:
    """The network that estimates the offset between a card and its detection."""

    def __init__(self, weights: Path, threads: int = 2) -> None:
        inputs = {
            "pieces": (None, ALIGN_PX[1], ALIGN_PX[0], 3),
            "seen": (None, ALIGN_SEEN_PX[1], ALIGN_SEEN_PX[0]),
        }
        self._network = load_network(weights, inputs, threads)

    def align(
        self, image: Image, quads_px: Floats, owners: NDArray[np.int16], quads_view: Floats, indices: Sequence[int]
    ) -> Floats:
        """Offset of each card from its detection: right and down in card widths, turn in radians, log of the size.

        `quads_px` are corners in the image, `quads_view` the same corners in the view. `owners` has the index of the
        card that is visible in every cell of the view, `indices` those of the cards to align.
        """
        pieces = np.zeros((len(indices), ALIGN_PX[1], ALIGN_PX[0], 3), np.uint8)
        matrices = all_to_align(*_centres_downs_widths(quads_px))
        at_once(lambda piece: cv2.warpAffine(image, matrices[piece], ALIGN_PX, dst=pieces[piece]), len(pieces))
        visible = align_maps(owners, np.array(indices), all_to_align(*_centres_downs_widths(quads_view)), STRIDE_PX)
        offsets = self._network.run_batched({"pieces": pieces, "seen": visible})[0].astype(float)
        offsets[:, :2] /= ALIGN_CARD_PX
        return offsets


def apply_offsets(quads: Floats, offsets: Floats, known_size: bool) -> Floats:
    """Corners moved by the aligner's offsets; with `known_size` the cards keep their size."""
    centres = quads.mean(1)
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
    width = np.linalg.norm(across, axis=1, keepdims=True)
    unit_down = down / np.linalg.norm(down, axis=1, keepdims=True)
    centres = centres + across * offsets[:, :1] + unit_down * width * offsets[:, 1:2]
    cosine, sine = np.cos(offsets[:, 2]), np.sin(offsets[:, 2])
    rotations = np.stack([np.stack([cosine, -sine], 1), np.stack([sine, cosine], 1)], 1)
    # All cards of a deck have the same size, so the median holds for every card.
    scale = 1.0 if known_size or not len(offsets) else float(np.exp(np.median(offsets[:, 3])))
    from_centre = quads - quads.mean(1, keepdims=True)
    return np.asarray(np.einsum("nij,nkj->nki", rotations, from_centre) * scale + centres[:, None])


def _centres_downs_widths(quads: Floats) -> tuple[Floats, Floats, Floats]:
    """Centre, downward vector and width of every card."""
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
    return quads.mean(1), down, np.linalg.norm(across, axis=1)
