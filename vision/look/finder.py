"""The finder: every card in a straight view, by the votes of all cells that show a piece of it."""

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CARD_PX, STRIDE_PX, Floats, Image
from vision.look.layers import shared_cells
from vision.look.network import load_network

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


@dataclass(frozen=True, slots=True)
class _Boxed:
    """Votes sorted by boxes, row by row: those in three boxes side by side come one after the other."""

    places: Votes
    boxes: NDArray[np.int64]
    columns: int

    def around(self, place: Votes) -> NDArray[np.int64]:
        """The votes in the box of a place and in those around it: no other can be near enough."""
        box = int(place[1] // _FAR_PX) * self.columns + int(place[0] // _FAR_PX)
        rows = np.array([box - self.columns, box, box + self.columns])
        starts, ends = self.boxes.searchsorted([rows - 1, rows + 2]).tolist()
        return np.concatenate([np.arange(start, end) for start, end in zip(starts, ends, strict=True)])


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
    places = _places(votes.reshape(len(votes), -1)[:, cells], *np.divmod(cells, card_chance.shape[1]))
    boxed, order = _boxed(places)
    cells, places = cells[order], boxed.places
    said = votes.reshape(len(votes), -1)[:, cells]
    sure = said[6] * card_chance.ravel()[cells]
    groups = _groups(boxed, sure)
    if not groups:
        return Finding((), owners.reshape(card_chance.shape), hands, np.zeros((0, 0), np.int64), shown)
    looks = _looks(said, sure, groups)
    size = size_px or _common_size(looks, [len(group) for group in groups])
    middles = _middles(places, sure, groups)
    while True:
        quads = _quads(middles, size)
        whose = _whose(boxed, middles)
        owners[cells] = whose
        grid = owners.reshape(card_chance.shape)
        shared = shared_cells(grid, (quads + 0.5) / STRIDE_PX - 0.5)
        counts = np.bincount(whose + 1, minlength=len(groups) + 1)[1:]
        keep = np.flatnonzero(_apart(shared, counts))
        if len(keep) == len(groups):
            break
        groups, looks, middles = [groups[number] for number in keep], [looks[number] for number in keep], middles[keep]
        if not groups:
            owners[:] = -1
            return Finding((), grid, hands, np.zeros((0, 0), np.int64), shown)
    back = kinds[BACK].ravel()[cells] > kinds[FACE].ravel()[cells]
    backs = np.bincount(whose[back] + 1, minlength=len(groups) + 1)[1:]
    area = size[0] * size[1] / STRIDE_PX**2
    hollow, hidden = _parts(grid, hand, quads)
    found = tuple(
        Found(
            quad,
            bool(backs[number] < counts[number] / 2),
            float(np.sort(sure[group])[-12:].mean()),
            min(1.0, float(counts[number]) / area),
            hidden[number] > _UNDER_HAND,
            looks[number],
            hollow[number],
        )
        for number, (group, quad) in enumerate(zip(groups, quads, strict=True))
    )
    return Finding(found, grid, hands, shared, shown)


def recounted(finding: Finding, quads: Floats) -> Finding:
    """The finding with what is seen of every card counted anew, after its cards were put elsewhere."""
    counts = np.bincount(finding.owners.ravel() + 1, minlength=len(quads) + 1)[1:]
    cards = []
    for card, quad, count, hollow, hidden in zip(
        finding.cards, quads, counts.tolist(), *_parts(finding.owners, finding.kinds == HAND, quads), strict=True
    ):
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


def _boxed(places: Votes) -> tuple[_Boxed, NDArray[np.int64]]:
    """Votes in boxes, and how they are sorted for it."""
    across, down = (places[:, :2] // _FAR_PX).astype(np.int64).T
    columns = int(across.max(initial=0)) + 3
    boxes = down * columns + across
    order = np.argsort(boxes, kind="stable")
    return _Boxed(places[order], boxes[order], columns), order


def _groups(votes: _Boxed, sure: Votes) -> list[NDArray[np.int64]]:
    """Votes that agree, the surest first; those that agree with nobody are left out."""
    places = votes.places
    seeds = np.argsort(-sure)
    ranks = np.empty_like(seeds)
    ranks[seeds] = np.arange(len(seeds))
    # Whether each vote is still free: one after the other, and the surest first.
    free, waiting = np.ones(len(places), bool), np.ones(len(places), bool)
    waiting[np.count_nonzero(sure >= _LEAST_SURE) :] = False
    groups: list[NDArray[np.int64]] = []
    rank = 0
    while waiting[rank:].any():
        rank += int(waiting[rank:].argmax())
        seed = int(seeds[rank])
        nearby = votes.around(places[seed])
        nearby = nearby[free[nearby]]
        spots, weights = places[nearby], sure[nearby]
        near = _away2(spots, places[seed]) < _NEAR_PX**2
        for _ in range(2):
            middle = _middle(spots[near], weights[near])
            away2 = _away2(spots, middle)
            near = away2 < _NEAR_PX**2
            if not near.any():
                break
        taken = near
        if np.count_nonzero(near) >= _LEAST_CELLS:
            taken = away2 < _ABSORBED_PX**2
            groups.append(nearby[near])
        for gone in (seed, nearby[taken]):
            free[gone] = False
            waiting[ranks[gone]] = False
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


def _whose(votes: _Boxed, middles: Votes) -> NDArray[np.int64]:
    """The card that each vote is nearest to, or -1 if it is far from all."""
    whose = np.full(len(votes.places), -1)
    least = np.full(len(whose), _FAR_PX**2, np.float32)
    for number, middle in enumerate(middles):
        nearby = votes.around(middle)
        away2 = _away2(votes.places[nearby], middle)
        nearer = away2 < least[nearby]
        nearby = nearby[nearer]
        least[nearby], whose[nearby] = away2[nearer], number
    return whose


def _middles(places: Votes, sure: Votes, groups: list[NDArray[np.int64]]) -> Votes:
    """The middle and turn of the card that each group speaks of."""
    return _means(places.T, sure, groups).T


def _looks(said: Votes, sure: Votes, groups: list[NDArray[np.int64]]) -> list[tuple[float, float]]:
    """The size of each card as the cells that show it say."""
    wide, high = np.exp(_means(said[4:6], sure, groups)).astype(float)
    return list(zip((CARD_PX * wide).tolist(), (HEIGHT_PX * high).tolist(), strict=True))


def _means(values: Votes, sure: Votes, groups: list[NDArray[np.int64]]) -> Votes:
    """What the cells of each group say on average; those that are sure count for more."""
    every = np.concatenate(groups)
    starts = np.cumsum([0, *(len(group) for group in groups[:-1])])
    weights = sure[every] ** 2
    sums = np.add.reduceat(values[:, every] * weights, starts, axis=1)
    return np.asarray(sums / np.maximum(np.add.reduceat(weights, starts), 1e-6), np.float32)


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


def _parts(owners: NDArray[np.int16], hand: NDArray[np.bool_], quads: Floats) -> tuple[list[float], list[float]]:
    """The part of each card's place where neither a card nor a hand is seen, and the part where a hand is."""
    shown = np.where(owners >= 0, 0, np.where(hand, 1, 2)).astype(np.int16)
    counts = shared_cells(shown, (quads + 0.5) / STRIDE_PX - 0.5, 3)
    _, hidden, hollow = (counts / np.maximum(1, counts.sum(1, keepdims=True))).T.tolist()
    return hollow, hidden
