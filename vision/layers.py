"""Layers: who is seen where several cards could be, and so which of two cards lies on top."""

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def shared_cells(owners: NDArray[np.int16], quads_cells: Floats, cards: int | None = None) -> Counts:
    """How many cells inside some corners (rows) show which card (columns); as many as corners, unless told."""
    count = len(quads_cells) if cards is None else cards
    shared = np.zeros((len(quads_cells), count), np.int64)
    rows, columns = owners.shape
    lows = np.floor(quads_cells.min(1)).astype(int).clip(0)
    highs = np.ceil(quads_cells.max(1)).astype(int) + 1
    for number, (quad, (left, top), (right, bottom)) in enumerate(zip(quads_cells, lows, highs, strict=True)):
        piece = owners[top : min(bottom, rows), left : min(right, columns)]
        if not piece.size:
            continue
        mask = np.zeros(piece.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad - (left, top)) * 16).astype(np.int32), 1, shift=4)
        shared[number] = np.bincount(piece[mask > 0] + 1, minlength=count + 1)[1:]
    return shared


def bottom_to_top(shared: Counts) -> list[int]:
    """The cards in an order in which each lies on those before it."""
    count = len(shared)
    apart = ~np.eye(count, dtype=bool)
    # Where two cards overlap, the one that is seen inside the corners of the other lies on it.
    above = (shared < shared.T) & apart
    left = list(range(count))
    order = []
    while left:
        over = above[np.ix_(left, left)].sum(1)
        order.append(left.pop(int(over.argmin())))
    return order


def doubles(quads: Floats, worth: Floats, near: float) -> dict[int, int]:
    """Cards that were found twice: the worse of each two whose corners are so near, and the better one."""
    found: dict[int, int] = {}
    order = np.argsort(-worth, kind="stable")
    kept: list[int] = []
    turned = np.roll(quads, 2, axis=1)
    for number in order.tolist():
        if kept:
            apart = np.linalg.norm(quads[kept] - quads[number], axis=2).mean(1)
            # Nobody knows yet which way up they lie.
            apart = np.minimum(apart, np.linalg.norm(turned[kept] - quads[number], axis=2).mean(1))
            nearest = int(apart.argmin())
            if apart[nearest] < near:
                found[number] = kept[nearest]
                continue
        kept.append(number)
    return found
