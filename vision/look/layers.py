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
    highs = np.minimum(np.ceil(quads_cells.max(1)).astype(int) + 1, (columns, rows))
    corners = np.round((quads_cells - lows[:, None]) * 16).astype(np.int32)
    named = owners + 1
    for number, (left, top), (right, bottom) in zip(range(len(corners)), lows.tolist(), highs.tolist(), strict=True):
        piece = named[top:bottom, left:right]
        if not piece.size:
            continue
        mask = np.zeros(piece.shape, np.uint8)
        cv2.fillConvexPoly(mask, corners[number], 1, shift=4)
        shared[number] = np.bincount(piece[mask.view(bool)], minlength=count + 1)[1:]
    return shared


def bottom_to_top(shared: Counts) -> list[int]:
    """The cards in an order in which each lies on those before it."""
    count = len(shared)
    apart = ~np.eye(count, dtype=bool)
    # Where two cards overlap, the one that is seen inside the corners of the other lies on it.
    above = (shared < shared.T) & apart
    over = above.sum(1)
    order = []
    for _ in range(count):
        lowest = int(over.argmin())
        order.append(lowest)
        over -= above[:, lowest]
        over[lowest] = count + 1
    return order


def doubles(quads: Floats, worth: Floats, near: float) -> dict[int, int]:
    """Cards that were found twice: the worse of each two whose corners are so near, and the better one."""
    found: dict[int, int] = {}
    # Nobody knows yet which way up they lie.
    ways = (quads, np.roll(quads, 2, axis=1))
    apart = np.min([np.linalg.norm(quads[:, None] - other[None], axis=3).mean(2) for other in ways], axis=0)
    order = np.argsort(-worth, kind="stable")
    kept: list[int] = []
    for number in order.tolist():
        nearest = kept[int(apart[number, kept].argmin())] if kept else number
        if nearest != number and apart[number, nearest] < near:
            found[number] = nearest
        else:
            kept.append(number)
    return found
