"""What is seen of a card: where its crop shows the card itself, and not what lies on it."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import SEEN_PX, Floats, Image, to_crop
from vision.look.finder import BACK, FACE, Finding
from vision.look.layers import shared_cells

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
    # Who is seen in every cell, -1 for any card and -2 for none, as around the edges.
    kinds = finding.kinds
    shown = np.where((kinds == FACE) | (kinds == BACK), finding.owners, -2)
    shown = np.pad(shown, 1, constant_values=-2)
    # Seen straight from above a card is a parallelogram: its corners give every point between them.
    columns, rows = np.rint(quads_cells.transpose(2, 0, 1) @ shares.reshape(4, -1)) + 1
    np.clip(columns, 0, shown.shape[1] - 1, out=columns)
    np.clip(rows, 0, shown.shape[0] - 1, out=rows)
    found = shown.ravel()[(rows * shown.shape[1] + columns).astype(np.int64)].reshape(-1, height, width)
    seen = np.where(found > -2, 255, 0).astype(np.uint8)
    own = found == np.array(numbers, np.int16)[:, None, None]
    deep_cells = _shrunk(places_cells)
    for card, hiding in enumerate(_hiding(finding, quads_cells, numbers, places_cells)):
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


def _hiding(
    finding: Finding, quads_cells: Floats, numbers: Sequence[int], places_cells: Floats
) -> list[NDArray[np.int64]]:
    """For each of some cards, if they lay at these corners, those that lie on it."""
    names = list(numbers)
    if np.array_equal(quads_cells, places_cells[names]):
        # They lie where they lie, which was counted.
        shown = finding.shared[names]
    else:
        shown = shared_cells(finding.owners, quads_cells, len(finding.shared))
    below = finding.shared.T[names]
    return [np.flatnonzero((there >= _HIDES) & (there > own)) for there, own in zip(shown, below, strict=True)]
