"""Keypoints: SIFT keypoints of a deck's print, and the card poses that keypoints on the table vote for.

The finder knows what cards look like in general. A keypoint that is known from the deck, such as a corner of a figure
or of an ornament, gives the pose of its card by itself: the size of the card is known, and a keypoint has an angle.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CARD_PX, CROP_PX, Floats, Image
from vision.hypotheses.similarity import thumbnail
from vision.hypotheses.tuning import (
    COMMON_MIN_COSINE,
    COMMON_MIN_SIMILARITY,
    COMMON_RADIUS_PX,
    DRAWING_BLUR_PX,
    MATCH_BONUS,
    MATCH_MIN_COSINE,
    MATCH_RADIUS_PX,
    MAX_MATCHES,
    MAX_POSE_BINS,
    MAX_POSE_CANDIDATES,
    MAX_SCALE_RATIO,
    MIN_MATCH_SIMILARITY,
    MIN_MATCH_SIMILARITY_AT_POSE,
    POSE_BIN_PX,
    POSE_RADIUS_PX,
    POSE_TURN_BIN_PX,
    POSE_TURN_UNIT_PX,
    SIFT_CONTRAST,
    SIFT_EDGE,
)

Descriptors = NDArray[np.float32]
Indices = NDArray[np.int64]
_BORDER_PX, _BORDER_GREY = 24, (96, 96, 96)
"""Width and colour of the border around a side while its keypoints are learnt: it stands for the table."""
_DESCRIPTOR_LENGTH = 128


@dataclass(frozen=True, slots=True)
class Keypoints:
    """Keypoints, one per row of each array."""

    descriptors: Descriptors
    """Square roots of normalised SIFT descriptors; the product of two is their similarity, from 0 to 1."""
    points_px: Floats
    angles: Floats
    """In radians."""
    sizes_px: Floats

    def subset(self, indices: Indices) -> "Keypoints":
        """Some of the keypoints."""
        return Keypoints(
            self.descriptors[indices], self.points_px[indices], self.angles[indices], self.sizes_px[indices]
        )


@dataclass(frozen=True, slots=True)
class KeypointIndex:
    """The keypoints of a deck, to search for its cards."""

    keypoints: Keypoints
    """Of all sides, relative to the centre of the card, in view px; common ones once."""
    card_px: tuple[float, float]
    """Width and height of a card in the view."""
    codes: tuple[str, ...]
    """Code of every side; empty for a back."""
    thumbnails: Image
    """Every side, small and upright."""
    is_on_side: NDArray[np.bool_]
    """For each keypoint (rows) which sides (columns) have it."""


@dataclass(frozen=True, slots=True)
class PoseCandidate:
    """A pose that keypoints vote for."""

    quad_px: Floats
    """Corners in the view."""
    score: float
    """Number of keypoints that vote for the pose, each weighted by the quality of its match."""


def concatenated(parts: Sequence[Keypoints]) -> Keypoints:
    """The keypoints of several patches together."""
    if not parts:
        return Keypoints(np.zeros((0, _DESCRIPTOR_LENGTH), np.float32), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    return Keypoints(
        np.concatenate([part.descriptors for part in parts]),
        np.concatenate([part.points_px for part in parts]),
        np.concatenate([part.angles for part in parts]),
        np.concatenate([part.sizes_px for part in parts]),
    )


def build_index(sides: Sequence[tuple[str, Image]], card_mm: tuple[float, float]) -> KeypointIndex:
    """Index the sides of a deck: upright pictures with their codes."""
    size = (CROP_PX[0], round(CROP_PX[0] * card_mm[1] / card_mm[0]))
    half = np.array(size) / 2 - 0.5
    by_side = []
    for _, side in sides:
        soft = cv2.GaussianBlur(cv2.resize(side, size, interpolation=cv2.INTER_AREA), (0, 0), DRAWING_BLUR_PX)
        border = (_BORDER_PX,) * 4
        framed = np.asarray(cv2.copyMakeBorder(soft, *border, cv2.BORDER_CONSTANT, value=_BORDER_GREY), np.uint8)
        by_side.append(detect_keypoints(framed, -half - _BORDER_PX, CARD_PX / CROP_PX[0]))
    keypoints = concatenated(by_side)
    side_of = np.repeat(np.arange(len(sides)), [len(part.descriptors) for part in by_side])
    card_px = np.array([CARD_PX, CARD_PX * card_mm[1] / card_mm[0]])
    groups = _common_groups(keypoints, np.flatnonzero((np.abs(keypoints.points_px) < card_px / 2).all(1)))
    is_on_side = np.zeros((len(groups), len(sides)), bool)
    for row, group in enumerate(groups):
        is_on_side[row, side_of[group]] = True
    thumbnails: Image = np.asarray([thumbnail(side) for _, side in sides], np.uint8)
    typical = np.array([group[0] for group in groups], np.int64)
    return KeypointIndex(
        keypoints.subset(typical),
        (float(card_px[0]), float(card_px[1])),
        tuple(code for code, _ in sides),
        thumbnails,
        is_on_side,
    )


def detect_keypoints(image: Image, origin_px: Floats, scale: float) -> Keypoints:
    """The keypoints of an image whose first pixel is at `origin_px`; all coordinates are then scaled."""
    sift = cv2.SIFT.create(contrastThreshold=SIFT_CONTRAST, edgeThreshold=SIFT_EDGE)
    grey = cv2.createCLAHE(2.0, (4, 4)).apply(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    found, descriptors = sift.detectAndCompute(grey, None)
    if not found:
        return concatenated([])
    points = (np.array([keypoint.pt for keypoint in found]) + origin_px) * scale
    # RootSIFT: square roots of normalised descriptors compare better than the descriptors themselves.
    shares = descriptors / np.maximum(descriptors.sum(1, keepdims=True), 1e-6)
    angles = np.deg2rad([keypoint.angle for keypoint in found])
    return Keypoints(np.sqrt(shares), points, angles, np.array([keypoint.size for keypoint in found]) * scale)


def pose_candidates(keypoints: Keypoints, index: KeypointIndex, min_score: float) -> list[PoseCandidate]:
    """The poses that keypoints vote for, best first; each keypoint supports one pose only."""
    known = index.keypoints
    if not len(keypoints.descriptors) or not len(known.descriptors):
        return []
    queries, matches, similarities = _matches(keypoints, known)
    turn = keypoints.angles[queries] - known.angles[matches]
    cosine, sine = np.cos(turn), np.sin(turn)
    offset = known.points_px[matches]
    votes = np.column_stack(
        [
            keypoints.points_px[queries, 0] - cosine * offset[:, 0] + sine * offset[:, 1],
            keypoints.points_px[queries, 1] - sine * offset[:, 0] - cosine * offset[:, 1],
            POSE_TURN_UNIT_PX * cosine,
            POSE_TURN_UNIT_PX * sine,
        ]
    )
    margin = similarities - MIN_MATCH_SIMILARITY + MATCH_BONUS
    weights = np.asarray(margin / (1 + MATCH_BONUS - MIN_MATCH_SIMILARITY), float) ** 2
    candidates: list[PoseCandidate] = []
    is_free = np.ones(len(votes), bool)
    while is_free.any() and len(candidates) < MAX_POSE_CANDIDATES:
        free_queries = queries[is_free]
        pose, supports, score = _strongest_pose(
            votes[is_free], weights[is_free], free_queries, len(keypoints.descriptors)
        )
        if score < min_score:
            break
        candidates.append(PoseCandidate(_quad(pose, index.card_px), score))
        is_free &= ~np.isin(queries, np.unique(free_queries[supports]))
    return candidates


def side_scores(keypoints: Keypoints, index: KeypointIndex, quad_px: Floats) -> Floats:
    """Score of the keypoints that match each side (rows) of a card at a pose, upright and upside down (columns)."""
    scores = np.zeros((len(index.codes), 2))
    if not len(keypoints.descriptors) or not len(index.keypoints.descriptors):
        return scores
    for way in (0, 1):
        queries, matches = _matches_at_pose(keypoints, index.keypoints, np.roll(quad_px, 2 * way, axis=0))
        known = index.keypoints.descriptors[matches]
        similarity = np.einsum("ij,ij->i", keypoints.descriptors[queries], known)
        margin = np.maximum(0.0, similarity - MIN_MATCH_SIMILARITY_AT_POSE)
        quality = (margin / (1 - MIN_MATCH_SIMILARITY_AT_POSE)) ** 2
        is_good = quality > 0
        queries, matches, quality = queries[is_good], matches[is_good], quality[is_good]
        # Of all matches of a keypoint with a side, the best counts.
        best = np.zeros((len(keypoints.descriptors), len(index.codes)))
        np.maximum.at(best, queries, quality[:, None] * index.is_on_side[matches])
        scores[:, way] = best.sum(0)
    return scores


def _matches(keypoints: Keypoints, known: Keypoints) -> tuple[Indices, Indices, Descriptors]:
    """Pairs of a keypoint and one of the index, with their similarities; the best few for each keypoint."""
    every = keypoints.descriptors @ known.descriptors.T
    queries, matches = np.nonzero(every > MIN_MATCH_SIMILARITY)
    similarities = every[queries, matches]
    # By keypoint, then by falling similarity: a match's rank is its distance from the keypoint's first match.
    order = np.lexsort((-similarities, queries))
    queries, matches, similarities = queries[order], matches[order], similarities[order]
    rank = np.arange(len(queries)) - np.searchsorted(queries, queries)
    ratio = keypoints.sizes_px[queries] / known.sizes_px[matches]
    is_good = (rank < MAX_MATCHES) & (ratio > 1 / MAX_SCALE_RATIO) & (ratio < MAX_SCALE_RATIO)
    return queries[is_good], matches[is_good], similarities[is_good]


def _matches_at_pose(keypoints: Keypoints, known: Keypoints, quad: Floats) -> tuple[Indices, Indices]:
    """Pairs of a keypoint and one of the index that have the same place and angle on a card at a pose."""
    x_axis = (quad[1] - quad[0]) / max(float(np.linalg.norm(quad[1] - quad[0])), 1e-6)
    rotation = np.array([[x_axis[0], -x_axis[1]], [x_axis[1], x_axis[0]]])
    expected = known.points_px @ rotation.T + quad.mean(0)
    expected_angles = known.angles + np.arctan2(x_axis[1], x_axis[0])
    # Most pairs are far apart: comparing single coordinates first leaves few for the exact test.
    x, y = keypoints.points_px.astype(np.float32).T
    expected_x, expected_y = expected.astype(np.float32).T
    queries, matches = np.nonzero(
        (np.abs(x[:, None] - expected_x[None]) < MATCH_RADIUS_PX)
        & (np.abs(y[:, None] - expected_y[None]) < MATCH_RADIUS_PX)
    )
    off = keypoints.points_px[queries] - expected[matches]
    is_good = np.einsum("ij,ij->i", off, off) < MATCH_RADIUS_PX**2
    is_good &= np.cos(keypoints.angles[queries] - expected_angles[matches]) > MATCH_MIN_COSINE
    return queries[is_good], matches[is_good]


def _strongest_pose(
    votes: Floats, weights: Floats, queries: Indices, keypoint_count: int
) -> tuple[Floats, NDArray[np.bool_], float]:
    """The pose with the highest score, which votes support it, and the score; each keypoint counts once."""
    bins = np.floor(votes / (POSE_BIN_PX, POSE_BIN_PX, POSE_TURN_BIN_PX, POSE_TURN_BIN_PX)).astype(np.int64)
    bins -= bins.min(0)
    sizes = bins.max(0) + 1
    flat = ((bins[:, 0] * sizes[1] + bins[:, 1]) * sizes[2] + bins[:, 2]) * sizes[3] + bins[:, 3]
    _, bin_of = np.unique(flat, return_inverse=True)
    bin_weights = np.bincount(bin_of, weights)
    best: tuple[Floats, NDArray[np.bool_], float] = (votes[0], np.zeros(len(votes), bool), 0.0)
    for fullest in np.argsort(-bin_weights)[:MAX_POSE_BINS]:
        inside = bin_of == fullest
        mean = weights[inside] @ votes[inside] / weights[inside].sum()
        supports = _are_near(votes, mean)
        for _ in range(2):
            if supports.any():
                mean = weights[supports] @ votes[supports] / weights[supports].sum()
                supports = _are_near(votes, mean)
        by_keypoint = np.zeros(keypoint_count)
        np.maximum.at(by_keypoint, queries[supports], weights[supports])
        if by_keypoint.sum() > best[2]:
            best = (mean, supports, float(by_keypoint.sum()))
    return best


def _are_near(votes: Floats, pose: Floats) -> NDArray[np.bool_]:
    off = votes - pose
    return np.asarray(np.einsum("ij,ij->i", off, off) < POSE_RADIUS_PX**2)


def _quad(pose: Floats, card_px: tuple[float, float]) -> Floats:
    """Corners of a card at a pose, in card order."""
    x_axis = pose[2:] / max(float(np.linalg.norm(pose[2:])), 1e-6)
    across, down = x_axis * card_px[0] / 2, np.array([-x_axis[1], x_axis[0]]) * card_px[1] / 2
    return pose[:2] + np.stack([-across - down, across - down, across + down, down - across])


def _common_groups(keypoints: Keypoints, indices: Indices) -> list[Indices]:
    """Groups of keypoints that several sides have in common at the same place; the most typical one first."""
    bins = np.rint(keypoints.points_px[indices] / COMMON_RADIUS_PX).astype(np.int64) @ np.array([1 << 16, 1])
    groups: list[Indices] = []
    order = np.argsort(bins, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(bins[order])) + 1):
        here = indices[members]
        descriptors, angles = keypoints.descriptors[here], keypoints.angles[here]
        is_same = descriptors @ descriptors.T > COMMON_MIN_SIMILARITY
        is_same &= np.cos(angles[:, None] - angles[None]) > COMMON_MIN_COSINE
        is_free = np.ones(len(here), bool)
        while is_free.any():
            # The keypoint that is the same as most others that are left.
            typical = int(np.argmax((is_same & is_free[None]).sum(1) * is_free))
            others = is_same[typical] & is_free
            others[typical] = False
            groups.append(np.concatenate([here[[typical]], here[others]]))
            is_free &= ~others
            is_free[typical] = False
    return groups
