"""Candidate poses for a card of which only a part is visible, and how well each fits the visible cells.

The visible part may belong to a card that lies along it or across it, and that continues to either side.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Floats
from vision.hypotheses.tuning import OUTLINE_TOLERANCE_CELLS, SHIFT

SHIFTED_POSES = 4
"""Number of poses that `shifted_poses` gives: left, right, up and down."""
_NOT_IN_VIEW = -1.0
"""Fit of a pose that is outside the view."""


def crossed_poses(quad: Floats) -> Floats:
    """The card laid across: turned by a quarter about each of its corners, which stays in place."""
    poses = []
    for corner in range(4):
        pivot = quad[corner]
        to_next, to_previous = quad[(corner + 1) % 4] - pivot, quad[corner - 1] - pivot
        previous_length, next_length = np.linalg.norm(to_previous), np.linalg.norm(to_next)
        poses.append(
            _card_quad(pivot, to_next * previous_length / next_length, to_previous * next_length / previous_length)
        )
    return np.stack(poses)


def shifted_poses(quad: Floats) -> Floats:
    """The card shifted a little along each of its sides, both ways."""
    across, down = quad[1] - quad[0], quad[3] - quad[0]
    steps = [SHIFT * np.linalg.norm(across) * side / np.linalg.norm(side) for side in (across, down)]
    return np.stack([quad + sign * step for sign in (-1, 1) for step in steps])


def flush_poses(cells: Floats, size: tuple[float, float], angle: float | None = None) -> Floats:
    """Cards that share a corner and two edges with the bounding rectangle of some cells.

    `cells` are the centres of cells. The rectangle has the given angle, by default that of the smallest one.
    """
    if angle is None:
        rectangle = cv2.boxPoints(cv2.minAreaRect(cells.astype(np.float32))).astype(float)
        first, last = rectangle[1] - rectangle[0], rectangle[3] - rectangle[0]
        side = first if np.linalg.norm(first) > 1 else last
        angle = float(np.arctan2(side[1], side[0]))
    x_axis, y_axis = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    x, y = cells @ x_axis, cells @ y_axis
    # The edges of a cell are half a cell outside its centre.
    low_x, low_y = x.min() - OUTLINE_TOLERANCE_CELLS, y.min() - OUTLINE_TOLERANCE_CELLS
    high_x, high_y = x.max() + OUTLINE_TOLERANCE_CELLS, y.max() + OUTLINE_TOLERANCE_CELLS
    return np.stack(
        [
            _card_quad(left * x_axis + top * y_axis, width * x_axis, height * y_axis)
            for width, height in (size, size[::-1])
            for left in (low_x, high_x - width)
            for top in (low_y, high_y - height)
        ]
    )


def pose_fits(
    quads: Floats, owners: NDArray[np.int16], index: int, is_table: NDArray[np.bool_], overlaps: NDArray[np.int64]
) -> Floats:
    """How well each candidate pose of a card fits the cells: 1 if all of it is visible or hidden by other cards.

    The visible cells of the card must be inside the outline. Cells inside the outline must show neither the table nor a
    card below this one. `overlaps` are those of the current poses of all cards.
    """
    rows, columns = np.nonzero(owners == index)
    own_cells = np.stack([columns, rows], 1).astype(float)
    # Where this card is visible inside the outline of another card, it is on top of that card.
    cells_over = overlaps[:, index].copy()
    cells_over[index] = 0
    fits = []
    for quad in quads:
        left, top = np.maximum(0, np.floor(quad.min(0)).astype(int))
        right, bottom = np.ceil(quad.max(0)).astype(int) + 1
        patch = owners[top:bottom, left:right]
        if not patch.size:
            fits.append(_NOT_IN_VIEW)
            continue
        mask = np.zeros(patch.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad - (left, top)) * 16).astype(np.int32), 1, shift=4)
        is_inside = mask > 0
        total = max(1, int(is_inside.sum()))
        shown = np.bincount(patch[is_inside] + 1, minlength=len(cells_over) + 1)[1:]
        lower_cards = np.minimum(shown, cells_over).sum() / total
        own_inside = np.count_nonzero(_are_inside(own_cells, quad)) / max(1, len(own_cells))
        table = np.count_nonzero(is_table[top:bottom, left:right] & is_inside) / total
        fits.append(own_inside - table - lower_cards)
    return np.array(fits)


def _are_inside(points: Floats, quad: Floats) -> NDArray[np.bool_]:
    """Which points are inside a quad, or outside by no more than the tolerance."""
    edges = np.roll(quad, -1, axis=0) - quad
    edges = edges / np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-9)
    off = points[:, None] - quad[None]
    distances = edges[None, :, 0] * off[:, :, 1] - edges[None, :, 1] * off[:, :, 0]
    return np.asarray((distances > -OUTLINE_TOLERANCE_CELLS).all(1) | (distances < OUTLINE_TOLERANCE_CELLS).all(1))


def _card_quad(corner: Floats, first_side: Floats, second_side: Floats) -> Floats:
    """Corners of a card from one corner and its two sides: clockwise, the first two at a short side."""
    quad = np.stack([corner, corner + first_side, corner + first_side + second_side, corner + second_side])
    if first_side[0] * second_side[1] - first_side[1] * second_side[0] < 0:
        quad = quad[[0, 3, 2, 1]]
    is_long_first = np.linalg.norm(quad[1] - quad[0]) > np.linalg.norm(quad[2] - quad[1])
    return np.roll(quad, -1, axis=0) if is_long_first else quad
