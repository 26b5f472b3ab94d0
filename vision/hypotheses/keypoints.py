"""Landmarks: spots of a deck's prints that are known again wherever they are seen, and the places they speak of.

The finder votes by what cards look like in general. Here a single spot that is known, a corner of a figure or a piece
of an ornament, says by itself where its card lies: where the size of cards is known, a spot has a place and a turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CARD_PX, CROP_PX, Floats, Image
from vision.hypotheses.similarity import small_side

Looks = NDArray[np.float32]
SOFT_PX = 0.8
"""Drawings are sharper than a camera: they are made this soft."""
EDGE_PX = 24
"""What a card lies on is as grey as this is wide when its spots are learnt."""
GREY = (96, 96, 96)
CONTRAST, EDGINESS = 0.02, 15.0
"""How faint a spot may be, and how much like a mere line."""
ALIKE = 0.82
"""Two spots whose looks agree less are not the same."""
_FAINT = 0.02
"""Even one that only just agrees is worth a little."""
MEANINGS = 8
"""One spot is taken for so many of a deck's at most."""
GROWN = 1.4
"""By how much a spot may look larger or smaller than it is."""
NEAR_PX, TURN_PX = 5.0, 30.0
"""Spots speak of one place if they agree so well; a radian counts as so many pixels."""
BOX_PX, BOX_TURN_PX, BOXES = 6.0, 7.5, 8
"""Votes are first gathered in boxes this wide, by place and by turn; the fullest are looked at."""
MOST_TRIED = 24
"""So many places are looked for at most."""
HERE_PX, HERE_TURN, LITTLE_ALIKE = 4.0, 0.95, 0.6
"""Where a card is thought to lie, a spot is its own if it is so near, points so, and looks at least a little so."""
SAME_PX, SAME, SAME_TURN = 1.5, 0.95, 0.97
"""Spots of two cards are one if they lie so near, look so much alike, and point the same way."""


@dataclass(frozen=True, slots=True)
class Spots:
    """Some spots: what they look like, where they are in the view, which way they point, how large they are."""

    looks: Looks
    places_px: Floats
    turns: Floats
    sizes_px: Floats

    def some(self, numbers: NDArray[np.int64]) -> "Spots":
        """A part of them."""
        return Spots(self.looks[numbers], self.places_px[numbers], self.turns[numbers], self.sizes_px[numbers])


@dataclass(frozen=True, slots=True)
class Memory:
    """How the sides of a deck are known again."""

    spots: Spots
    """Of all sides, from the middle of the card on, each kind once."""
    size_px: tuple[float, float]
    codes: tuple[str, ...]
    """Of every side; a back has none."""
    sides: Image
    """Every side, small and upright."""
    owners: NDArray[np.bool_]
    """For each spot (rows) on which sides (columns) it is."""


@dataclass(frozen=True, slots=True)
class Supposed:
    """A place where spots say that a card lies."""

    quad_px: Floats
    worth: float
    """How many spots say so, each counted by how well it is known."""


def joined(parts: Sequence[Spots]) -> Spots:
    """The spots of several pieces together."""
    if not parts:
        return Spots(np.zeros((0, 128), np.float32), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    looks, places, turns, sizes = zip(*((p.looks, p.places_px, p.turns, p.sizes_px) for p in parts), strict=True)
    return Spots(np.concatenate(looks), np.concatenate(places), np.concatenate(turns), np.concatenate(sizes))


def memorised(sides: Sequence[tuple[str, Image]], card_mm: tuple[float, float]) -> Memory:
    """The sides of cards of a size, upright, with their codes."""
    size = (CROP_PX[0], round(CROP_PX[0] * card_mm[1] / card_mm[0]))
    half = np.array(size) / 2 - 0.5
    found = []
    for _, side in sides:
        small = cv2.GaussianBlur(cv2.resize(side, size, interpolation=cv2.INTER_AREA), (0, 0), SOFT_PX)
        laid = cv2.copyMakeBorder(small, EDGE_PX, EDGE_PX, EDGE_PX, EDGE_PX, cv2.BORDER_CONSTANT, value=GREY)
        found.append(spots_in(np.asarray(laid, np.uint8), -half - EDGE_PX, CARD_PX / CROP_PX[0]))
    spots = joined(found)
    whose = np.repeat(np.arange(len(sides)), [len(part.looks) for part in found])
    reach = np.array([CARD_PX, CARD_PX * card_mm[1] / card_mm[0]])
    groups = _alike(spots, np.flatnonzero((np.abs(spots.places_px) < reach / 2).all(1)))
    owners = np.zeros((len(groups), len(sides)), bool)
    for number, group in enumerate(groups):
        owners[number, whose[group]] = True
    little: Image = np.asarray([small_side(side) for _, side in sides], np.uint8)
    first = np.array([group[0] for group in groups], np.int64)
    size_px = (float(reach[0]), float(reach[1]))
    return Memory(spots.some(first), size_px, tuple(code for code, _ in sides), little, owners)


def spots_in(image: Image, corner_px: Floats, scale: float) -> Spots:
    """The spots of a picture; its own pixels start at a corner and are then scaled."""
    marker = cv2.SIFT.create(contrastThreshold=CONTRAST, edgeThreshold=EDGINESS)
    grey = cv2.createCLAHE(2.0, (4, 4)).apply(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    points, looks = marker.detectAndCompute(grey, None)
    if not points:
        return joined([])
    places = (np.array([point.pt for point in points]) + corner_px) * scale
    # The square roots of shares compare better than the shares themselves.
    shares = looks / np.maximum(looks.sum(1, keepdims=True), 1e-6)
    turns = np.deg2rad([point.angle for point in points])
    return Spots(np.sqrt(shares), places, turns, np.array([point.size for point in points]) * scale)


def supposed(spots: Spots, memory: Memory, least: float) -> list[Supposed]:
    """Where cards lie, as spots say that are known from the deck; the best first, no spot speaks twice."""
    known = memory.spots
    if not len(spots.looks) or not len(known.looks):
        return []
    alike = spots.looks @ known.looks.T
    who, how = np.nonzero(alike > ALIKE)
    likeness = alike[who, how]
    # Of all that a spot may be, the best: their places in an order by spot and then by likeness.
    order = np.lexsort((-likeness, who))
    who, how, likeness = who[order], how[order], likeness[order]
    rank = np.arange(len(who)) - np.searchsorted(who, who)
    grown = spots.sizes_px[who] / known.sizes_px[how]
    good = (rank < MEANINGS) & (grown > 1 / GROWN) & (grown < GROWN)
    who, how, likeness = who[good], how[good], likeness[good]
    turn = spots.turns[who] - known.turns[how]
    cosine, sine = np.cos(turn), np.sin(turn)
    off = known.places_px[how]
    votes = np.column_stack(
        [
            spots.places_px[who, 0] - cosine * off[:, 0] + sine * off[:, 1],
            spots.places_px[who, 1] - sine * off[:, 0] - cosine * off[:, 1],
            TURN_PX * cosine,
            TURN_PX * sine,
        ]
    )
    weights = np.asarray((likeness - ALIKE + _FAINT) / (1 + _FAINT - ALIKE), float) ** 2
    found: list[Supposed] = []
    free = np.ones(len(votes), bool)
    while free.any() and len(found) < MOST_TRIED:
        place, near, worth = _strongest(votes[free], weights[free], who[free], len(spots.looks))
        if worth < least:
            break
        mine = np.unique(who[free][near])
        found.append(Supposed(_quad(place, memory.size_px), worth))
        free &= ~np.isin(who, mine)
    return found


def spoken(spots: Spots, memory: Memory, quad_px: Floats) -> Floats:
    """What the spots are worth that speak for each side (rows) of a card at a place, upright and upside down."""
    known = memory.spots
    said = np.zeros((len(memory.codes), 2))
    if not len(spots.looks) or not len(known.looks):
        return said
    for way in (0, 1):
        quad = np.roll(quad_px, 2 * way, axis=0)
        ahead = (quad[1] - quad[0]) / max(float(np.linalg.norm(quad[1] - quad[0])), 1e-6)
        turn = np.array([[ahead[0], -ahead[1]], [ahead[1], ahead[0]]])
        wanted = known.places_px @ turn.T + quad.mean(0)
        pointed = known.turns + np.arctan2(ahead[1], ahead[0])
        # Most are nowhere near: two comparisons of single coordinates leave few to look at more closely.
        x, y = spots.places_px.astype(np.float32).T
        right, down = wanted.astype(np.float32).T
        who, which = np.nonzero(
            (np.abs(x[:, None] - right[None]) < HERE_PX) & (np.abs(y[:, None] - down[None]) < HERE_PX)
        )
        off = spots.places_px[who] - wanted[which]
        near = np.einsum("ij,ij->i", off, off) < HERE_PX**2
        near &= np.cos(spots.turns[who] - pointed[which]) > HERE_TURN
        who, which = who[near], which[near]
        likeness = np.einsum("ij,ij->i", spots.looks[who], known.looks[which])
        worth = (np.maximum(0.0, likeness - LITTLE_ALIKE) / (1 - LITTLE_ALIKE)) ** 2
        who, which, worth = who[worth > 0], which[worth > 0], worth[worth > 0]
        # Of what a spot may be on a side the best counts.
        each = np.zeros((len(spots.looks), len(memory.codes)))
        np.maximum.at(each, who, worth[:, None] * memory.owners[which])
        said[:, way] = each.sum(0)
    return said


def _strongest(
    votes: Floats, weights: Floats, who: NDArray[np.int64], spots: int
) -> tuple[Floats, NDArray[np.bool_], float]:
    """The place that most votes speak of, which they are, and what they are worth, each spot counted once."""
    boxes = np.floor(votes / (BOX_PX, BOX_PX, BOX_TURN_PX, BOX_TURN_PX)).astype(np.int64)
    boxes -= boxes.min(0)
    sizes = boxes.max(0) + 1
    names = ((boxes[:, 0] * sizes[1] + boxes[:, 1]) * sizes[2] + boxes[:, 2]) * sizes[3] + boxes[:, 3]
    _, places = np.unique(names, return_inverse=True)
    full = np.bincount(places, weights)
    best: tuple[Floats, NDArray[np.bool_], float] = (votes[0], np.zeros(len(votes), bool), 0.0)
    for box in np.argsort(-full)[:BOXES]:
        inside = places == box
        middle = weights[inside] @ votes[inside] / weights[inside].sum()
        near = _near(votes, middle)
        for _ in range(2):
            if near.any():
                middle = weights[near] @ votes[near] / weights[near].sum()
                near = _near(votes, middle)
        each = np.zeros(spots)
        np.maximum.at(each, who[near], weights[near])
        if each.sum() > best[2]:
            best = (middle, near, float(each.sum()))
    return best


def _near(votes: Floats, middle: Floats) -> NDArray[np.bool_]:
    off = votes - middle
    return np.asarray(np.einsum("ij,ij->i", off, off) < NEAR_PX**2)


def _quad(place: Floats, size_px: tuple[float, float]) -> Floats:
    """The corners of a card at a place, in card order."""
    ahead = place[2:] / max(float(np.linalg.norm(place[2:])), 1e-6)
    across, down = ahead * size_px[0] / 2, np.array([-ahead[1], ahead[0]]) * size_px[1] / 2
    return place[:2] + np.stack([-across - down, across - down, across + down, down - across])


def _alike(spots: Spots, numbers: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Spots that several sides have in common at the same place, together; the most typical first."""
    boxes = np.rint(spots.places_px[numbers] / SAME_PX).astype(np.int64) @ np.array([1 << 16, 1])
    groups: list[NDArray[np.int64]] = []
    order = np.argsort(boxes, kind="stable")
    for box in np.split(order, np.flatnonzero(np.diff(boxes[order])) + 1):
        here = numbers[box]
        looks, turns = spots.looks[here], spots.turns[here]
        same = (looks @ looks.T > SAME) & (np.cos(turns[:, None] - turns[None]) > SAME_TURN)
        free = np.ones(len(here), bool)
        while free.any():
            # The one that speaks for most others.
            first = int(np.argmax((same & free[None]).sum(1) * free))
            others = same[first] & free
            others[first] = False
            groups.append(np.concatenate([here[[first]], here[others]]))
            free &= ~others
            free[first] = False
    return groups
