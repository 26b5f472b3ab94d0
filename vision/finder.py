"""The finder: every card in a straight view, by the votes of all cells that show a piece of it."""

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CARD_PX, STRIDE_PX, Floats, Image
from vision.layers import shared_cells
from vision.network import load_network

TABLE, FACE, BACK, HAND = range(4)
REACH_PX = 32.0
HEIGHT_PX = 88.0
"""The units in which votes come: distance to the middle, height of a card."""
_MULTIPLE_PX = 32
_TURN_PX = 16.0
"""Two votes whose cards are turned by one radian differ as much as middles that are 32 px apart."""
_NEAR_PX, _ABSORBED_PX, _FAR_PX = 7.3, 10.0, 14.7
"""Votes this near each other are about the same card; found no other card; may still be about the nearest one."""
_MIXED = 0.7
"""Two groups with such parts inside each other's corners are one card."""
_LEAST_CELLS = 7
_LEAST_SURE = 0.12
_UNDER_HAND = 0.02
"""The part of a card that a hand must hide to matter."""
Votes = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Found:
    """A card in a view; pixels are those of the view."""

    quad_px: Floats
    """Corners, upper left first if the card's top is where it seems; it may as well be the other way round."""
    face_up: bool
    sure: float
    visible: float
    under_hand: bool
    size_px: tuple[float, float]
    """Width and height as they look; the quad has the size that was given, if one was."""
    hollow: float = 0.0
    """The part of its place where neither a card nor a hand is seen: what is much hollow is not shaped like a card."""
    recalled: float = 0.0
    """What its landmarks are worth, if it was found by them."""
    likeness: float = 0.0
    """How much it then looks like what it is read as."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Everything found in one view."""

    cards: tuple[Found, ...]
    owners: NDArray[np.int16]
    """For every cell the index of the card that is seen there, or -1."""
    hands: float
    """The part of the view that is hands."""
    shared: NDArray[np.int64]
    """How many cells inside the corners of each card (rows) show which card (columns)."""
    kinds: NDArray[np.int8]
    """What every cell shows: `TABLE`, `FACE`, `BACK` or `HAND`."""


class Finder:
    """The network and what makes cards of its votes."""

    def __init__(self, weights: Path, threads: int = 2) -> None:
        self._network = load_network(weights, {"view": (1, None, None, 3)}, threads)

    def find(self, view: Image, size_px: tuple[float, float] | None = None) -> Finding:
        """The cards in a view, BGR, where they are about `CARD_PX` wide; `size_px` if their size is known."""
        height, width = view.shape[:2]
        right, below = -width % _MULTIPLE_PX, -height % _MULTIPLE_PX
        if right or below:
            view = np.asarray(cv2.copyMakeBorder(view, 0, below, 0, right, cv2.BORDER_CONSTANT), np.uint8)
        kinds, votes = self._network.run({"view": view[None]})
        return gathered(kinds[0], votes[0], size_px)


def gathered(kinds: Votes, votes: Votes, size_px: tuple[float, float] | None = None) -> Finding:
    """Cards from what the network says about every cell: chances of each kind, and votes."""
    card_chance = kinds[FACE] + kinds[BACK]
    cells = np.flatnonzero(card_chance > 0.5)
    hand = kinds[HAND] > 0.5
    hands = float(hand.mean())
    shown = np.where(kinds[BACK] > kinds[FACE], BACK, FACE)
    shown = np.where(card_chance > 0.5, shown, np.where(hand, HAND, TABLE)).astype(np.int8)
    owners = np.full(card_chance.size, -1, np.int16)
    said = votes.reshape(len(votes), -1)[:, cells]
    places = _places(said, *np.divmod(cells, card_chance.shape[1]))
    sure = said[6] * card_chance.ravel()[cells]
    groups = _groups(places, sure)
    if not groups:
        return Finding((), owners.reshape(card_chance.shape), hands, np.zeros((0, 0), np.int64), shown)
    size = size_px or _common_size([_looks(said[:, group], sure[group]) for group in groups], [len(g) for g in groups])
    while True:
        middles = np.stack([_middle(places[group], sure[group] ** 2) for group in groups])
        quads = _quads(middles, size)
        whose = _whose(places, middles)
        owners[cells] = whose
        grid = owners.reshape(card_chance.shape)
        shared = shared_cells(grid, (quads + 0.5) / STRIDE_PX - 0.5)
        counts = np.bincount(whose + 1, minlength=len(groups) + 1)[1:]
        keep = _apart(shared, counts)
        if keep.all():
            break
        groups = [group for group, kept in zip(groups, keep, strict=True) if kept]
        if not groups:
            owners[:] = -1
            return Finding((), grid, hands, np.zeros((0, 0), np.int64), shown)
    back = kinds[BACK].ravel()[cells] > kinds[FACE].ravel()[cells]
    backs = np.bincount(whose[back] + 1, minlength=len(groups) + 1)[1:]
    area = size[0] * size[1] / STRIDE_PX**2
    parts = [_parts(grid, hand, quad) for quad in quads]
    found = tuple(
        Found(
            quad,
            bool(backs[number] < counts[number] / 2),
            float(np.sort(sure[group])[-12:].mean()),
            min(1.0, float(counts[number]) / area),
            parts[number][1] > _UNDER_HAND,
            _looks(said[:, group], sure[group]),
            parts[number][0],
        )
        for number, (group, quad) in enumerate(zip(groups, quads, strict=True))
    )
    return Finding(found, grid, hands, shared, shown)


def recounted(finding: Finding, quads: Floats) -> Finding:
    """The finding with what is seen of every card counted anew, after its cards were put elsewhere."""
    counts = np.bincount(finding.owners.ravel() + 1, minlength=len(quads) + 1)[1:]
    hand = finding.kinds == HAND
    cards = []
    for card, quad, count in zip(finding.cards, quads, counts.tolist(), strict=True):
        hollow, hidden = _parts(finding.owners, hand, quad)
        area = float(np.linalg.norm(quad[1] - quad[0]) * np.linalg.norm(quad[3] - quad[0])) / STRIDE_PX**2
        seen = min(1.0, count / area)
        cards.append(replace(card, quad_px=quad, visible=seen, under_hand=hidden > _UNDER_HAND, hollow=hollow))
    return replace(finding, cards=tuple(cards))


def _places(said: Votes, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Votes:
    """Each vote as a point: the middle of the card, and its turn as two more coordinates."""
    double = np.hypot(said[2], said[3]) + 1e-6
    return np.stack(
        [
            (columns + 0.5) * STRIDE_PX - 0.5 + REACH_PX * said[0],
            (rows + 0.5) * STRIDE_PX - 0.5 + REACH_PX * said[1],
            _TURN_PX * said[2] / double,
            _TURN_PX * said[3] / double,
        ],
        1,
    ).astype(np.float32)


def _groups(places: Votes, sure: Votes) -> list[NDArray[np.int64]]:
    """Cells whose votes agree, the surest first; cells that agree with nobody are left out."""
    if not len(places):
        return []
    columns = int(places[:, 0].max() // _FAR_PX) + 3
    boxes = (places[:, 1] // _FAR_PX).astype(np.int64) * columns + (places[:, 0] // _FAR_PX).astype(np.int64)
    order = np.argsort(boxes, kind="stable")
    names, starts = np.unique(boxes[order], return_index=True)
    held = dict(zip(names.tolist(), np.split(order, starts[1:]), strict=True))
    free = np.ones(len(places), bool)
    groups: list[NDArray[np.int64]] = []
    seeds = np.argsort(-sure)
    seeds = seeds[sure[seeds] >= _LEAST_SURE]
    while len(seeds):
        seed = int(seeds[0])
        # Only votes in the boxes around can be near enough.
        box = int(boxes[seed])
        around = [
            held[b]
            for down in (-columns, 0, columns)
            for b in (box + down - 1, box + down, box + down + 1)
            if b in held
        ]
        nearby = np.concatenate(around)
        nearby = nearby[free[nearby]]
        spots, weights = places[nearby], sure[nearby]
        middle = places[seed]
        near = _away2(spots, middle) < _NEAR_PX**2
        for _ in range(2):
            middle = _middle(spots[near], weights[near])
            near = _away2(spots, middle) < _NEAR_PX**2
            if not near.any():
                break
        free[seed] = False
        free[nearby[near]] = False
        if np.count_nonzero(near) >= _LEAST_CELLS:
            free[nearby[_away2(spots, middle) < _ABSORBED_PX**2]] = False
            groups.append(nearby[near])
        seeds = seeds[free[seeds]]
    return groups


def _apart(shared: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which groups are cards of their own.

    Of two cards that overlap, one lies on the other and hides it there. Two groups that are each seen inside the
    corners of the other are one card whose votes fell apart: the smaller goes.
    """
    keep = counts >= _LEAST_CELLS
    part = shared / np.maximum(counts, 1)[None, :]
    mixed = (part > _MIXED) & (part.T > _MIXED)
    np.fill_diagonal(mixed, False)
    for number in np.argsort(counts):
        rivals = np.flatnonzero(mixed[number] & keep)
        if keep[number] and len(rivals) and counts[rivals].max() >= counts[number]:
            keep[number] = False
    return keep


def _away2(places: Votes, middle: Votes) -> Votes:
    off = places - middle
    return np.asarray(np.einsum("ij,ij->i", off, off), np.float32)


def _middle(places: Votes, weights: Votes) -> Votes:
    return np.asarray(weights @ places / max(float(weights.sum()), 1e-6), np.float32)


def _whose(places: Votes, middles: Votes) -> NDArray[np.int64]:
    """The card that each cell's vote is nearest to, or -1 if it is far from all."""
    # The square of a difference, multiplied out: one product of matrices for all cells and cards.
    half_away2 = 0.5 * np.einsum("ij,ij->i", middles, middles) - places @ middles.T
    whose = half_away2.argmin(1)
    best = 2 * half_away2[np.arange(len(places)), whose] + np.einsum("ij,ij->i", places, places)
    return np.where(best < _FAR_PX**2, whose, -1)


def _looks(said: Votes, sure: Votes) -> tuple[float, float]:
    """The size of a card as the cells that show it say."""
    weights = sure**2
    logs = (said[4:6] * weights).sum(1) / max(float(weights.sum()), 1e-6)
    return CARD_PX * float(np.exp(logs[0])), HEIGHT_PX * float(np.exp(logs[1]))


def _common_size(looks: list[tuple[float, float]], cells: list[int]) -> tuple[float, float]:
    """The size of all cards of a table, which are of one deck: what those say of which most is seen."""
    if not looks:
        return CARD_PX, HEIGHT_PX
    most = sorted(zip(cells, looks, strict=True), reverse=True)[: max(1, len(looks) // 2)]
    width, height = np.median([size for _, size in most], axis=0)
    return float(width), float(height)


def _quads(middles: Votes, size_px: tuple[float, float]) -> Floats:
    """The corners of the cards that groups of cells speak of."""
    turn = np.arctan2(middles[:, 3], middles[:, 2]).astype(float) / 2
    along = np.stack([np.cos(turn), np.sin(turn)], 1)
    down, across = along * size_px[1] / 2, np.stack([along[:, 1], -along[:, 0]], 1) * size_px[0] / 2
    centres = middles[:, :2].astype(float)
    return np.stack(
        [centres - across - down, centres + across - down, centres + across + down, centres - across + down], 1
    )


def _parts(owners: NDArray[np.int16], hand: NDArray[np.bool_], quad: Floats) -> tuple[float, float]:
    """The part of a card's place where neither a card nor a hand is seen, and the part where a hand is."""
    left, top = np.maximum(0, np.floor(quad.min(0) / STRIDE_PX).astype(int))
    right, bottom = np.ceil(quad.max(0) / STRIDE_PX).astype(int) + 1
    hands = hand[top:bottom, left:right]
    mask = np.zeros(hands.shape, np.uint8)
    if not mask.size:
        return 0.0, 0.0
    cells = (quad + 0.5) / STRIDE_PX - 0.5 - (left, top)
    cv2.fillConvexPoly(mask, np.round(cells * 16).astype(np.int32), 1, shift=4)
    inside, total = mask > 0, max(1, int(mask.sum()))
    hollow = inside & (owners[top:bottom, left:right] < 0) & ~hands
    return int(hollow.sum()) / total, int((hands & inside).sum()) / total
