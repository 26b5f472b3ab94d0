"""The finder: detects every card in a rectified view by voting.

A network classifies each cell of the view, and every cell that shows a card votes for the pose of that card. Votes are
clustered; each cluster that survives non-maximum suppression is a detection.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CARD_PX, STRIDE_PX, Floats, Image
from vision.look.cells import view_to_cells
from vision.look.layers import overlap_counts
from vision.look.network import load_network
from vision.look.tuning import (
    ASSIGNMENT_RADIUS_PX,
    CLUSTER_RADIUS_PX,
    CONFIDENT_VOTES,
    DUPLICATE_OVERLAP,
    MAX_HALF_SIZE_ERROR,
    MAX_HALVES_SHIFT,
    MIN_CLUSTER_CELLS,
    MIN_HALVES_ALIGNMENT,
    MIN_HAND_FRACTION,
    MIN_SEED_CONFIDENCE,
    SUPPRESSION_RADIUS_PX,
    TURN_UNIT_PX,
)

TABLE, FACE, BACK, HAND = range(4)
"""Classes of a cell, in the order of the network's output."""
OFFSET_UNIT_PX = 32.0
"""Unit of the votes for a card's centre, relative to the cell that votes, in view px."""
CARD_HEIGHT_PX = 88.0
"""Height of a card of the size that the network was trained for, in view px; its width is `CARD_PX`."""
_DX, _DY, _COS2, _SIN2, _LOG_WIDTH, _LOG_HEIGHT, _CONFIDENCE = range(7)
"""Channels of the votes: offset to the centre, doubled angle, size relative to the nominal one, confidence."""
_INPUT_MULTIPLE_PX = 32
"""The network takes views whose sides are multiples of this."""
Votes = NDArray[np.float32]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Detection:
    """A card that was found in a view; px are those of the view."""

    quad_px: Floats
    """Corners in card order, but the finder cannot tell which of the two short sides is the top."""
    face_up: bool
    vote_confidence: float
    """Mean confidence of the best votes, from 0 to 1."""
    visible: float
    """The visible fraction of the card."""
    under_hand: bool
    """Whether a hand hides part of the card."""
    size_px: tuple[float, float]
    """Width and height that the votes estimate; the quad has the known size, if one is given."""
    empty: float = 0.0
    """The fraction of the outline where neither a card nor a hand is visible: a large one is not shaped like a card."""
    keypoint_score: float = 0.0
    """Score of the keypoints that found the card; 0 if the finder found it."""
    similarity: float = 0.0
    """Similarity of a card found by keypoints to the side it is read as."""


@dataclass(frozen=True, slots=True)
class Detections:
    """Everything that was found in one view."""

    cards: tuple[Detection, ...]
    owners: NDArray[np.int16]
    """For every cell the index of the card that is visible there, or -1."""
    hand_share: float
    """The fraction of the view that shows hands."""
    overlaps: NDArray[np.int64]
    """Number of cells inside the outline of each card (rows) that show each card (columns)."""
    classes: NDArray[np.int8]
    """Class of every cell: `TABLE`, `FACE`, `BACK` or `HAND`."""


@dataclass(frozen=True, slots=True)
class _VoteGrid:
    """Votes as points, sorted into the bins of a grid for fast searches around a point.

    Bins are numbered row by row, so the votes of three bins side by side are contiguous.
    """

    points: Votes
    """Centre x, centre y, and the doubled angle as a point on a circle."""
    bins: Indices
    """Bin of every vote."""
    columns: int
    """Number of bins in a row."""

    def candidates_near(self, point: Votes) -> Indices:
        """Indices of the votes in the bin of a point and in the eight around it; no other vote is near enough."""
        bin_index = int(point[1] // ASSIGNMENT_RADIUS_PX) * self.columns + int(point[0] // ASSIGNMENT_RADIUS_PX)
        rows = np.array([bin_index - self.columns, bin_index, bin_index + self.columns])
        starts, ends = self.bins.searchsorted([rows - 1, rows + 2]).tolist()
        return np.concatenate([np.arange(start, end) for start, end in zip(starts, ends, strict=True)])


@dataclass(frozen=True, slots=True)
class _Clusters:
    """Clusters of votes that survived non-maximum suppression, one for each card."""

    members: list[Indices]
    """Indices of the votes that agree, of each cluster."""
    sizes_px: list[tuple[float, float]]
    quads_px: Floats
    assigned: Indices
    """For every vote the index of the cluster that it is nearest to, or -1."""
    owners: NDArray[np.int16]
    overlaps: NDArray[np.int64]
    cell_counts: Indices
    """Number of votes assigned to each cluster."""
    size_px: tuple[float, float]
    """The size that all cards have."""


class Finder:
    """The network that votes for cards."""

    def __init__(self, weights: Path, threads: int = 2) -> None:
        self._network = load_network(weights, {"view": (1, None, None, 3)}, threads)

    def find(self, view: Image, size_px: tuple[float, float] | None = None) -> Detections:
        """Detect the cards in a BGR view in which they are about `CARD_PX` wide; `size_px` if their size is known."""
        height, width = view.shape[:2]
        right, below = -width % _INPUT_MULTIPLE_PX, -height % _INPUT_MULTIPLE_PX
        if right or below:
            view = np.asarray(cv2.copyMakeBorder(view, 0, below, 0, right, cv2.BORDER_CONSTANT), np.uint8)
        probabilities, votes = self._network.run({"view": view[None]})
        return detections_from_votes(probabilities[0], votes[0], size_px)


def detections_from_votes(probabilities: Votes, votes: Votes, size_px: tuple[float, float] | None = None) -> Detections:
    """Detections from the network's output for every cell: probabilities of the classes, and votes."""
    card_probability = probabilities[FACE] + probabilities[BACK]
    is_card, is_hand = card_probability > 0.5, probabilities[HAND] > 0.5
    hand_share = float(is_hand.mean())
    side = np.where(probabilities[BACK] > probabilities[FACE], BACK, FACE)
    classes = np.where(is_card, side, np.where(is_hand, HAND, TABLE)).astype(np.int8)
    cells = np.flatnonzero(is_card)
    points = _vote_points(votes.reshape(len(votes), -1)[:, cells], *np.divmod(cells, is_card.shape[1]))
    grid, order = _vote_grid(points)
    cells = cells[order]
    cell_votes = votes.reshape(len(votes), -1)[:, cells]
    confidences = cell_votes[_CONFIDENCE] * card_probability.ravel()[cells]
    joined = None if size_px is None else _joined_halves(grid.points, cell_votes, confidences, size_px)
    if joined is not None:
        grid, order = _vote_grid(joined)
        cells, cell_votes, confidences = cells[order], cell_votes[:, order], confidences[order]
    clusters = _clusters(grid, cells, cell_votes, confidences, is_card.shape, size_px)
    if clusters is None:
        no_owners = np.full(is_card.shape, -1, np.int16)
        return Detections((), no_owners, hand_share, np.zeros((0, 0), np.int64), classes)
    is_back = probabilities[BACK].ravel()[cells] > probabilities[FACE].ravel()[cells]
    count = len(clusters.members)
    back_counts = np.bincount(clusters.assigned[is_back] + 1, minlength=count + 1)[1:]
    card_cells = clusters.size_px[0] * clusters.size_px[1] / STRIDE_PX**2
    empty, under_hand = _empty_and_hand_shares(clusters.owners, is_hand, clusters.quads_px)
    cards = tuple(
        Detection(
            clusters.quads_px[index],
            bool(back_counts[index] < clusters.cell_counts[index] / 2),
            float(np.sort(confidences[clusters.members[index]])[-CONFIDENT_VOTES:].mean()),
            min(1.0, float(clusters.cell_counts[index]) / card_cells),
            under_hand[index] > MIN_HAND_FRACTION,
            clusters.sizes_px[index],
            empty[index],
        )
        for index in range(count)
    )
    return Detections(cards, clusters.owners, hand_share, clusters.overlaps, classes)


def with_poses(detections: Detections, quads_px: Floats) -> Detections:
    """The detections at new poses, with everything recounted that depends on the poses."""
    counts = np.bincount(detections.owners.ravel() + 1, minlength=len(quads_px) + 1)[1:]
    empty, under_hand = _empty_and_hand_shares(detections.owners, detections.classes == HAND, quads_px)
    cards = []
    for index, (card, quad, count) in enumerate(zip(detections.cards, quads_px, counts.tolist(), strict=True)):
        card_cells = float(np.linalg.norm(quad[1] - quad[0]) * np.linalg.norm(quad[3] - quad[0])) / STRIDE_PX**2
        moved = replace(
            card,
            quad_px=quad,
            visible=min(1.0, count / card_cells),
            under_hand=under_hand[index] > MIN_HAND_FRACTION,
            empty=empty[index],
        )
        cards.append(moved)
    return replace(detections, cards=tuple(cards))


def _clusters(
    grid: _VoteGrid,
    cells: Indices,
    cell_votes: Votes,
    confidences: Votes,
    shape: tuple[int, ...],
    known_size_px: tuple[float, float] | None,
) -> _Clusters | None:
    """Cluster votes and suppress duplicates until no two clusters are the same card; None if no cluster is left."""
    members = _cluster_votes(grid, confidences)
    if not members:
        return None
    sizes = _cluster_sizes(cell_votes, confidences, members)
    size = known_size_px or _common_size(sizes, [len(cluster) for cluster in members])
    poses = _cluster_means(grid.points.T, confidences, members).T
    flat_owners = np.full(shape[0] * shape[1], -1, np.int16)
    while members:
        quads = _quads(poses, size)
        assigned = _assign_votes(grid, poses)
        flat_owners[cells] = assigned
        owners = flat_owners.reshape(shape)
        overlaps = overlap_counts(owners, view_to_cells(quads))
        counts = np.bincount(assigned + 1, minlength=len(members) + 1)[1:]
        kept = np.flatnonzero(_non_maximum_suppression(overlaps, counts))
        if len(kept) == len(members):
            return _Clusters(members, sizes, quads, assigned, owners, overlaps, counts, size)
        members, sizes, poses = [members[index] for index in kept], [sizes[index] for index in kept], poses[kept]
    return None


def _vote_points(cell_votes: Votes, rows: Indices, columns: Indices) -> Votes:
    """Each vote as a point: the centre of the card, and its doubled angle as two more coordinates."""
    length = np.hypot(cell_votes[_COS2], cell_votes[_SIN2]) + 1e-6
    return np.stack(
        [
            (columns + 0.5) * STRIDE_PX - 0.5 + OFFSET_UNIT_PX * cell_votes[_DX],
            (rows + 0.5) * STRIDE_PX - 0.5 + OFFSET_UNIT_PX * cell_votes[_DY],
            TURN_UNIT_PX * cell_votes[_COS2] / length,
            TURN_UNIT_PX * cell_votes[_SIN2] / length,
        ],
        1,
    ).astype(np.float32)


def _joined_halves(points: Votes, cell_votes: Votes, confidences: Votes, size_px: tuple[float, float]) -> Votes | None:
    """The votes of two halves of a card moved to the whole card; None if there are no such halves.

    Each half of a card in two colours looks like a smaller card that lies across; the known size tells that it is not.
    """
    width, height = size_px
    widths, heights = np.exp(cell_votes[_LOG_WIDTH:_CONFIDENCE])
    width_errors, height_errors = np.log(CARD_PX * widths / (height / 2)), np.log(CARD_HEIGHT_PX * heights / width)
    is_half = (np.abs(width_errors) < MAX_HALF_SIZE_ERROR) & (np.abs(height_errors) < MAX_HALF_SIZE_ERROR)
    if np.count_nonzero(is_half) < 2 * MIN_CLUSTER_CELLS:
        return None
    grid, order = _vote_grid(points[is_half])
    places = np.flatnonzero(is_half)[order]
    clusters = _cluster_votes(grid, confidences[places])
    poses = [_weighted_mean(grid.points[members], confidences[places[members]]) for members in clusters]
    joined, used = points.copy(), set[int]()
    for one in range(len(poses)):
        for other in range(one + 1, len(poses)):
            if not used & {one, other} and _are_halves(poses[one], poses[other], size_px):
                used |= {one, other}
                whole = (poses[one] + poses[other]) / 2
                # The halves lie across the card.
                whole[2:] = -whole[2:] / max(float(np.linalg.norm(whole[2:])), 1e-6) * TURN_UNIT_PX
                for index in (one, other):
                    joined[places[clusters[index]]] = whole
    return joined if used else None


def _are_halves(one: Votes, other: Votes, size_px: tuple[float, float]) -> bool:
    """Whether two poses are those of the halves of one card: side by side, half a card apart."""
    if float(one[2:] @ other[2:]) < MIN_HALVES_ALIGNMENT * TURN_UNIT_PX**2:
        return False
    angle = float(np.arctan2(one[3], one[2])) / 2
    apart, height = other[:2] - one[:2], size_px[1]
    along = abs(float(apart @ (np.cos(angle), np.sin(angle))))
    across = abs(float(apart @ (np.sin(angle), -np.cos(angle))))
    return along < MAX_HALVES_SHIFT * height and abs(across - height / 2) < MAX_HALVES_SHIFT * height


def _vote_grid(points: Votes) -> tuple[_VoteGrid, Indices]:
    """Votes sorted into a grid, and the order in which they were sorted."""
    across, down = (points[:, :2] // ASSIGNMENT_RADIUS_PX).astype(np.int64).T
    columns = int(across.max(initial=0)) + 3
    bins = down * columns + across
    order = np.argsort(bins, kind="stable")
    return _VoteGrid(points[order], bins[order], columns), order


def _cluster_votes(grid: _VoteGrid, confidences: Votes) -> list[Indices]:
    """Votes that agree, starting from the most confident; votes that agree with no others are left out."""
    points = grid.points
    seeds = np.argsort(-confidences)
    ranks = np.empty_like(seeds)
    ranks[seeds] = np.arange(len(seeds))
    # By vote: whether it is still free. By rank: whether it may still become a seed.
    is_free, is_seed = np.ones(len(points), bool), np.ones(len(points), bool)
    is_seed[np.count_nonzero(confidences >= MIN_SEED_CONFIDENCE) :] = False
    clusters: list[Indices] = []
    rank = 0
    while is_seed[rank:].any():
        rank += int(is_seed[rank:].argmax())
        seed = int(seeds[rank])
        nearby = grid.candidates_near(points[seed])
        nearby = nearby[is_free[nearby]]
        members, suppressed = _mean_shift(points[nearby], confidences[nearby], points[seed])
        if len(members) >= MIN_CLUSTER_CELLS:
            clusters.append(nearby[members])
        else:
            suppressed = members
        for gone in (seed, nearby[suppressed]):
            is_free[gone] = False
            is_seed[ranks[gone]] = False
    return clusters


def _mean_shift(points: Votes, confidences: Votes, start: Votes) -> tuple[Indices, Indices]:
    """Indices of the points around the mean that two steps of mean shift reach, and of those that it suppresses."""
    squared = _squared_distances(points, start)
    is_near = squared < CLUSTER_RADIUS_PX**2
    for _ in range(2):
        squared = _squared_distances(points, _weighted_mean(points[is_near], confidences[is_near]))
        is_near = squared < CLUSTER_RADIUS_PX**2
        if not is_near.any():
            break
    return np.flatnonzero(is_near), np.flatnonzero(squared < SUPPRESSION_RADIUS_PX**2)


def _non_maximum_suppression(overlaps: NDArray[np.int64], cell_counts: Indices) -> NDArray[np.bool_]:
    """Which clusters are cards of their own.

    Of two cards that overlap, one hides the other where they overlap. Two clusters that are each visible inside the
    outline of the other are one card whose votes fell apart: the smaller one is suppressed.
    """
    is_kept = cell_counts >= MIN_CLUSTER_CELLS
    inside = overlaps / np.maximum(cell_counts, 1)[None, :]
    is_same = (inside > DUPLICATE_OVERLAP) & (inside.T > DUPLICATE_OVERLAP)
    np.fill_diagonal(is_same, False)
    for index in np.argsort(cell_counts):
        rivals = np.flatnonzero(is_same[index] & is_kept)
        if is_kept[index] and len(rivals) and cell_counts[rivals].max() >= cell_counts[index]:
            is_kept[index] = False
    return is_kept


def _assign_votes(grid: _VoteGrid, poses: Votes) -> Indices:
    """For every vote the index of the nearest pose, or -1 if none is near."""
    assigned = np.full(len(grid.points), -1)
    nearest = np.full(len(assigned), ASSIGNMENT_RADIUS_PX**2, np.float32)
    for index, pose in enumerate(poses):
        nearby = grid.candidates_near(pose)
        squared = _squared_distances(grid.points[nearby], pose)
        is_nearer = squared < nearest[nearby]
        nearby = nearby[is_nearer]
        nearest[nearby], assigned[nearby] = squared[is_nearer], index
    return assigned


def _squared_distances(points: Votes, centre: Votes) -> Votes:
    off = points - centre
    return np.asarray(np.einsum("ij,ij->i", off, off), np.float32)


def _weighted_mean(points: Votes, weights: Votes) -> Votes:
    return np.asarray(weights @ points / max(float(weights.sum()), 1e-6), np.float32)


def _cluster_sizes(cell_votes: Votes, confidences: Votes, clusters: list[Indices]) -> list[tuple[float, float]]:
    """Width and height of each card, estimated by the votes of its cluster."""
    widths, heights = np.exp(_cluster_means(cell_votes[_LOG_WIDTH:_CONFIDENCE], confidences, clusters)).astype(float)
    return list(zip((CARD_PX * widths).tolist(), (CARD_HEIGHT_PX * heights).tolist(), strict=True))


def _cluster_means(values: Votes, confidences: Votes, clusters: list[Indices]) -> Votes:
    """Mean of some values over each cluster, weighted by the squared confidence."""
    members = np.concatenate(clusters)
    starts = np.cumsum([0, *(len(cluster) for cluster in clusters[:-1])])
    weights = confidences[members] ** 2
    sums = np.add.reduceat(values[:, members] * weights, starts, axis=1)
    return np.asarray(sums / np.maximum(np.add.reduceat(weights, starts), 1e-6), np.float32)


def _common_size(sizes: list[tuple[float, float]], cell_counts: list[int]) -> tuple[float, float]:
    """The size of all cards, which are of one deck: the median over the half with most visible cells."""
    largest = sorted(zip(cell_counts, sizes, strict=True), reverse=True)[: max(1, len(sizes) // 2)]
    width, height = np.median([size for _, size in largest], axis=0)
    return float(width), float(height)


def _quads(poses: Votes, size_px: tuple[float, float]) -> Floats:
    """Corners of cards at some poses."""
    angle = np.arctan2(poses[:, 3], poses[:, 2]).astype(float) / 2
    along = np.stack([np.cos(angle), np.sin(angle)], 1)
    down, across = along * size_px[1] / 2, np.stack([along[:, 1], -along[:, 0]], 1) * size_px[0] / 2
    centres = poses[:, :2].astype(float)
    return np.stack(
        [centres - across - down, centres + across - down, centres + across + down, centres - across + down], 1
    )


def _empty_and_hand_shares(
    owners: NDArray[np.int16], is_hand: NDArray[np.bool_], quads_px: Floats
) -> tuple[list[float], list[float]]:
    """The fraction of each outline that shows neither a card nor a hand, and the fraction that shows a hand."""
    shown = np.where(owners >= 0, 0, np.where(is_hand, 1, 2)).astype(np.int16)
    counts = overlap_counts(shown, view_to_cells(quads_px), 3)
    _, hand, empty = (counts / np.maximum(1, counts.sum(1, keepdims=True))).T.tolist()
    return empty, hand
