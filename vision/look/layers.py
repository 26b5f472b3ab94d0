"""Layers: which of two overlapping cards is on top, and which detections are of the same card."""

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
_SUBPIXEL_BITS = 4
"""OpenCV fills polygons whose corners are given in sixteenths of a pixel."""


def overlap_counts(owners: NDArray[np.int16], quads_cells: Floats, cards: int | None = None) -> Counts:
    """Number of cells inside each quad (rows) that show each card (columns).

    `owners` has the index of the card that is visible in every cell, or -1. `cards` is the number of cards, by default
    the number of quads.
    """
    count = len(quads_cells) if cards is None else cards
    counts = np.zeros((len(quads_cells), count), np.int64)
    rows, columns = owners.shape
    lows = np.floor(quads_cells.min(1)).astype(int).clip(0)
    highs = np.minimum(np.ceil(quads_cells.max(1)).astype(int) + 1, (columns, rows))
    corners = np.round((quads_cells - lows[:, None]) * (1 << _SUBPIXEL_BITS)).astype(np.int32)
    # Shifted by one, so that cells without a card are counted in column 0 and dropped.
    shifted = owners + 1
    for index, (left, top), (right, bottom) in zip(range(len(corners)), lows.tolist(), highs.tolist(), strict=True):
        patch = shifted[top:bottom, left:right]
        if not patch.size:
            continue
        mask = np.zeros(patch.shape, np.uint8)
        cv2.fillConvexPoly(mask, corners[index], 1, shift=_SUBPIXEL_BITS)
        counts[index] = np.bincount(patch[mask.view(bool)], minlength=count + 1)[1:]
    return counts


def bottom_to_top(overlaps: Counts) -> list[int]:
    """Indices of the cards in an order in which every card comes after the cards below it."""
    count = len(overlaps)
    different = ~np.eye(count, dtype=bool)
    # Where two cards overlap, the one that is visible inside the outline of the other is on top.
    is_above = (overlaps < overlaps.T) & different
    cards_below = is_above.sum(1)
    order = []
    for _ in range(count):
        lowest = int(cards_below.argmin())
        order.append(lowest)
        cards_below -= is_above[:, lowest]
        cards_below[lowest] = count + 1
    return order


def duplicates(quads: Floats, scores: Floats, max_distance: float) -> dict[int, int]:
    """Non-maximum suppression: for each duplicate the index of the better card that it repeats.

    Two cards are the same if the mean distance of their corners, either way up, is less than `max_distance`.
    """
    better_of: dict[int, int] = {}
    # The finder does not know which way up a card is.
    both_ways = (quads, np.roll(quads, 2, axis=1))
    distances = np.min([np.linalg.norm(quads[:, None] - other[None], axis=3).mean(2) for other in both_ways], axis=0)
    kept: list[int] = []
    for index in np.argsort(-scores, kind="stable").tolist():
        nearest = kept[int(distances[index, kept].argmin())] if kept else index
        if nearest != index and distances[index, nearest] < max_distance:
            better_of[index] = nearest
        else:
            kept.append(index)
    return better_of
