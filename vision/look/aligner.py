"""The aligner: where a card lies exactly, once it is known roughly."""

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
    """The network that looks at each card once more, from near by."""

    def __init__(self, weights: Path, threads: int = 2) -> None:
        wanted = {
            "pieces": (None, ALIGN_PX[1], ALIGN_PX[0], 3),
            "seen": (None, ALIGN_SEEN_PX[1], ALIGN_SEEN_PX[0]),
        }
        self._network = load_network(weights, wanted, threads)

    def align(
        self, image: Image, quads_px: Floats, owners: NDArray[np.int16], quads_view: Floats, numbers: Sequence[int]
    ) -> Floats:
        """How each card lies against where it was found: right and down in its own widths, turn, size as a logarithm.

        `quads_px` are its corners in the picture, `quads_view` in the view whose cells `owners` speaks of, by numbers.
        """
        pieces = np.zeros((len(numbers), ALIGN_PX[1], ALIGN_PX[0], 3), np.uint8)
        maps = all_to_align(*_frames(quads_px))
        at_once(lambda place: cv2.warpAffine(image, maps[place], ALIGN_PX, dst=pieces[place]), len(pieces))
        seen = align_maps(owners, np.array(numbers), all_to_align(*_frames(quads_view)), STRIDE_PX)
        said = self._network.run_each({"pieces": pieces, "seen": seen})[0].astype(float)
        said[:, :2] /= ALIGN_CARD_PX
        return said


def moved(quads: Floats, lies: Floats, sized: bool) -> Floats:
    """Corners after alignment; `sized` if the size of the cards is known and stays."""
    middles = quads.mean(1)
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
    width = np.linalg.norm(across, axis=1, keepdims=True)
    ahead = down / np.linalg.norm(down, axis=1, keepdims=True)
    middles = middles + across * lies[:, :1] + ahead * width * lies[:, 1:2]
    cosine, sine = np.cos(lies[:, 2]), np.sin(lies[:, 2])
    spin = np.stack([np.stack([cosine, -sine], 1), np.stack([sine, cosine], 1)], 1)
    # All cards of a deck are of one size: what most of them say holds for all.
    grow = 1.0 if sized or not len(lies) else float(np.exp(np.median(lies[:, 3])))
    return np.asarray(np.einsum("nij,nkj->nki", spin, quads - quads.mean(1, keepdims=True)) * grow + middles[:, None])


def _frames(quads: Floats) -> tuple[Floats, Floats, Floats]:
    """Middle, way down and width of every card."""
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
    return quads.mean(1), down, np.linalg.norm(across, axis=1)
