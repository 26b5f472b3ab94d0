"""Suppositions: other ways in which a card may lie of which only a piece is seen, and how they fit what is seen there.

A piece of a card may belong to a card that lies along it or across it, and reaches out on this side or on that.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Floats

Grid = NDArray[np.int16]
NUDGE, NUDGES = 0.05, 4
"""How far a card of which little is seen may lie beside where it seems to, in its own widths, and to how many sides."""
EDGE = 0.5
"""How far outside its corners a card is still seen, in cells."""


def crossed(quad: Floats) -> Floats:
    """The card turned across at each of its corners, which stays where it is."""
    turned = []
    for corner in range(4):
        here = quad[corner]
        ahead, behind = quad[(corner + 1) % 4] - here, quad[corner - 1] - here
        long, short = np.linalg.norm(behind), np.linalg.norm(ahead)
        turned.append(_laid(here, ahead * long / short, behind * short / long))
    return np.stack(turned)


def nudged(quad: Floats) -> Floats:
    """The card a little further along or across than it was seen to lie."""
    across, down = quad[1] - quad[0], quad[3] - quad[0]
    steps = [NUDGE * np.linalg.norm(across) * side / np.linalg.norm(side) for side in (across, down)]
    return np.stack([quad + way * step for way in (-1, 1) for step in steps])


def framed(cells: Floats, size: tuple[float, float], turn: float | None = None) -> Floats:
    """Cards of a size that have a corner, and two edges, in common with the frame around some points.

    The frame is turned as wanted, else as it is smallest.
    """
    if turn is None:
        frame = cv2.boxPoints(cv2.minAreaRect(cells.astype(np.float32))).astype(float)
        side = frame[1] - frame[0] if np.linalg.norm(frame[1] - frame[0]) > 1 else frame[3] - frame[0]
        turn = float(np.arctan2(side[1], side[0]))
    ahead, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    # Points are the middles of cells, whose edges lie half a cell further out.
    across, along = cells @ ahead, cells @ down
    lows, highs = (across.min() - EDGE, along.min() - EDGE), (across.max() + EDGE, along.max() + EDGE)
    return np.stack(
        [
            _laid(x * ahead + y * down, wide * ahead, high * down)
            for wide, high in (size, size[::-1])
            for x in (lows[0], highs[0] - wide)
            for y in (lows[1], highs[1] - high)
        ]
    )


def fits(quads: Floats, owners: Grid, number: int, bare: NDArray[np.bool_], shared: NDArray[np.int64]) -> Floats:
    """How well each of some places for a card fits the cells: 1 if all of it is seen there or hidden by others.

    What is seen of the card must lie inside; what lies inside must not be table, nor a card that this one lies on.
    `shared` says how many cells inside each card's corners show which card.
    """
    rows, columns = np.nonzero(owners == number)
    own = np.stack([columns, rows], 1).astype(float)
    # What is seen of this card inside the corners of another one lies on that.
    over = shared[:, number].copy()
    over[number] = 0
    worth = []
    for quad in quads:
        left, top = np.maximum(0, np.floor(quad.min(0)).astype(int))
        right, bottom = np.ceil(quad.max(0)).astype(int) + 1
        piece = owners[top:bottom, left:right]
        if not piece.size:
            worth.append(-1.0)
            continue
        mask = np.zeros(piece.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad - (left, top)) * 16).astype(np.int32), 1, shift=4)
        inside = mask > 0
        total = max(1, int(inside.sum()))
        shown = np.bincount(piece[inside] + 1, minlength=len(over) + 1)[1:]
        against = np.minimum(shown, over).sum() / total
        kept = np.count_nonzero(_inside(own, quad)) / max(1, len(own))
        worth.append(kept - np.count_nonzero(bare[top:bottom, left:right] & inside) / total - against)
    return np.array(worth)


def _inside(points: Floats, quad: Floats) -> NDArray[np.bool_]:
    """Which points lie inside four corners, or hardly outside."""
    edges = np.roll(quad, -1, axis=0) - quad
    edges = edges / np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-9)
    off = points[:, None] - quad[None]
    across = edges[None, :, 0] * off[:, :, 1] - edges[None, :, 1] * off[:, :, 0]
    return np.asarray((across > -EDGE).all(1) | (across < EDGE).all(1))


def _laid(corner: Floats, ahead: Floats, behind: Floats) -> Floats:
    """The corners of a card, clockwise as everywhere, the first two at a short side."""
    quad = np.stack([corner, corner + ahead, corner + ahead + behind, corner + behind])
    if ahead[0] * behind[1] - ahead[1] * behind[0] < 0:
        quad = quad[[0, 3, 2, 1]]
    return np.roll(quad, -1, axis=0) if np.linalg.norm(quad[1] - quad[0]) > np.linalg.norm(quad[2] - quad[1]) else quad
