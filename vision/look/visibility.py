"""Visibility maps: which part of a card's crop shows the card itself, not a card on top of it."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import SEEN_PX, Floats, Image, to_crop
from vision.look.finder import BACK, FACE, Detections
from vision.look.layers import overlap_counts
from vision.look.tuning import MIN_HIDING_CELLS, VOTE_TRUST_DEPTH_CELLS

_NO_CARD = -2
"""Owner of a cell that shows no card; -1 is that of a cell which shows a card without a detection."""


def visibility_maps(detections: Detections, quads_cells: Floats, indices: Sequence[int], all_cells: Floats) -> Image:
    """For some cards at candidate poses, in the orientation of their crops: 255 where the card is visible, else 0.

    `quads_cells` are the candidate poses of the cards with these indices, `all_cells` the poses of all cards. Cells are
    coarse: the outlines of the other cards, and which of them are above this card, say more exactly what is hidden.
    """
    width, height = SEEN_PX
    right, down = (np.arange(width) + 0.5) / width, ((np.arange(height) + 0.5) / height)[:, None]
    corner_weights = np.stack([(1 - right) * (1 - down), right * (1 - down), right * down, (1 - right) * down])
    classes = detections.classes
    cell_owners = np.where((classes == FACE) | (classes == BACK), detections.owners, _NO_CARD)
    cell_owners = np.pad(cell_owners, 1, constant_values=_NO_CARD)
    # In a rectified view a card is a parallelogram, so its corners give every point between them.
    columns, rows = np.rint(quads_cells.transpose(2, 0, 1) @ corner_weights.reshape(4, -1)) + 1
    np.clip(columns, 0, cell_owners.shape[1] - 1, out=columns)
    np.clip(rows, 0, cell_owners.shape[0] - 1, out=rows)
    cells = (rows * cell_owners.shape[1] + columns).astype(np.int64)
    owners = cell_owners.ravel()[cells].reshape(-1, height, width)
    visible = np.where(owners > _NO_CARD, 255, 0).astype(np.uint8)
    own = owners == np.array(indices, np.int16)[:, None, None]
    inset_cells = _inset(all_cells)
    for card, above in enumerate(_cards_above(detections, quads_cells, indices, all_cells)):
        if len(above):
            to_map = to_crop(quads_cells[card], SEEN_PX)
            covered, deep = (_covered(quads[above], to_map) for quads in (all_cells, inset_cells))
            visible[card][covered & ~(deep & own[card])] = 0
    return visible


def _covered(quads_cells: Floats, to_map: Floats) -> NDArray[np.bool_]:
    """The part of a visibility map that some cards cover."""
    mask = np.zeros(SEEN_PX[::-1], np.uint8)
    in_map = cv2.perspectiveTransform(quads_cells.reshape(1, -1, 2), to_map)
    for quad in np.round(in_map.reshape(-1, 4, 2) * 16).astype(np.int32):
        cv2.fillConvexPoly(mask, quad, 1, shift=4)
    return mask > 0


def _inset(quads_cells: Floats) -> Floats:
    """Outlines shrunk until cells can tell their inside from the outside."""
    centres = quads_cells.mean(1, keepdims=True)
    sides = np.linalg.norm(np.roll(quads_cells, -1, 1) - quads_cells, axis=2)
    scale = 1 - 2 * VOTE_TRUST_DEPTH_CELLS / sides.min(1)
    return np.asarray(centres + (quads_cells - centres) * scale[:, None, None])


def _cards_above(
    detections: Detections, quads_cells: Floats, indices: Sequence[int], all_cells: Floats
) -> list[NDArray[np.int64]]:
    """For each card at its candidate pose, the indices of the cards on top of it."""
    own = list(indices)
    if np.array_equal(quads_cells, all_cells[own]):
        # The poses are those of the detections, so their cells are already counted.
        inside = detections.overlaps[own]
    else:
        inside = overlap_counts(detections.owners, quads_cells, len(detections.overlaps))
    inside_others = detections.overlaps.T[own]
    return [
        np.flatnonzero((theirs >= MIN_HIDING_CELLS) & (theirs > ours))
        for theirs, ours in zip(inside, inside_others, strict=True)
    ]
