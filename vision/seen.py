"""What is seen of a card: where its crop shows the card itself, and not what lies on it."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import SEEN_PX, Floats, Image, to_crop
from vision.finder import BACK, FACE, Finding
from vision.layers import shared_cells

_DEEP = 1.5
"""So many cells inside the corners of another card the votes are believed who say that this one is seen."""
_HIDES = 2
"""So many cells of a card must be seen inside the corners of another one to hide it."""


def seen_maps(finding: Finding, quads_cells: Floats, numbers: Sequence[int], places_cells: Floats) -> Image:
    """For some cards, turned as in their crops, 255 where they are seen, if they lay at these corners.

    Cells are coarse. Where all other cards lie, and which of them lies on this one, says more exactly what they hide.
    """
    width, height = SEEN_PX
    right, down = (np.arange(width) + 0.5) / width, ((np.arange(height) + 0.5) / height)[:, None]
    shares = np.stack([(1 - right) * (1 - down), right * (1 - down), right * down, (1 - right) * down])
    # Seen straight from above a card is a parallelogram: its corners give every point between them.
    columns, rows = np.rint(np.einsum("nci,chw->inhw", quads_cells, shares)).astype(np.int64)
    kinds = finding.kinds
    inside = (rows >= 0) & (rows < kinds.shape[0]) & (columns >= 0) & (columns < kinds.shape[1])
    rows, columns = rows.clip(0, kinds.shape[0] - 1), columns.clip(0, kinds.shape[1] - 1)
    shown = kinds[rows, columns]
    seen = np.where(inside & ((shown == FACE) | (shown == BACK)), 255, 0).astype(np.uint8)
    own = finding.owners[rows, columns] == np.array(numbers)[:, None, None]
    deep_cells = _shrunk(places_cells)
    for card, hiding in enumerate(_hiding(finding, quads_cells, numbers)):
        if len(hiding):
            to_map = to_crop(quads_cells[card], SEEN_PX)
            hidden, deep = (_filled(places[hiding], to_map) for places in (places_cells, deep_cells))
            seen[card][hidden & ~(deep & own[card])] = 0
    return seen


def _filled(places_cells: Floats, to_map: Floats) -> NDArray[np.bool_]:
    """The part of a map that some cards cover."""
    covered = np.zeros(SEEN_PX[::-1], np.uint8)
    flat = cv2.perspectiveTransform(places_cells.reshape(1, -1, 2), to_map)
    for quad in np.round(flat.reshape(-1, 4, 2) * 16).astype(np.int32):
        cv2.fillConvexPoly(covered, quad, 1, shift=4)
    return covered > 0


def _shrunk(places_cells: Floats) -> Floats:
    """What lies so far inside cards that cells tell it from what lies outside."""
    middles = places_cells.mean(1, keepdims=True)
    sides = np.linalg.norm(np.roll(places_cells, -1, 1) - places_cells, axis=2)
    part = 1 - 2 * _DEEP / sides.min(1)
    return np.asarray(middles + (places_cells - middles) * part[:, None, None])


def _hiding(finding: Finding, quads_cells: Floats, numbers: Sequence[int]) -> list[NDArray[np.int64]]:
    """For each of some cards, if they lay at these corners, those that lie on it."""
    shown = shared_cells(finding.owners, quads_cells, len(finding.shared))
    below = finding.shared.T[list(numbers)]
    return [np.flatnonzero((there >= _HIDES) & (there > own)) for there, own in zip(shown, below, strict=True)]
