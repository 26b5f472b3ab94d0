"""Keypoint search: cells of cards that no confident card explains are searched for keypoints of the deck."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import STRIDE_PX, Floats
from vision.hypotheses.candidates import Hypotheses, cell_counts
from vision.hypotheses.keypoints import KeypointIndex, Keypoints, PoseCandidate, concatenated, pose_candidates
from vision.hypotheses.scoring import scores
from vision.hypotheses.tuning import (
    KEYPOINT_MARGIN_CELLS,
    MIN_KEPT_CELLS,
    MIN_KEYPOINT_CARD_CELLS,
    MIN_POSE_SCORE,
    MIN_SEARCHED_CELLS,
    MIN_SURE_READING,
    OWN_MARGIN_CELLS,
    SAME_POSE_PX,
)
from vision.look.cells import view_to_cells
from vision.look.crops import FrameCrops
from vision.look.finder import BACK, FACE, Detection, with_poses
from vision.look.layers import overlap_counts

CellMask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Extended:
    """Hypotheses to which cards at some pose candidates were added; the added cards come last."""

    hypotheses: Hypotheses
    poses: tuple[PoseCandidate, ...]

    @property
    def added(self) -> range:
        """Indices of the added cards, in the order of their poses."""
        count = len(self.hypotheses.readings)
        return range(count - len(self.poses), count)


def add_cards_by_keypoints(
    hypotheses: Hypotheses, crops: FrameCrops
) -> tuple[Hypotheses, list[tuple[Hypotheses, int]]]:
    """The hypotheses with the cards that keypoints find, as far as they are likely enough to report.

    And every added card that was rejected: the hypotheses with that card, and its index.
    """
    index = crops.keypoint_index
    if index is None:
        return hypotheses, []
    current = scores(hypotheses, crops)
    reported = [card for card, score in enumerate(current) if score.reported]
    # A side that cannot be read, such as an unknown back, has no keypoints in the index either.
    confident = [
        card
        for card in reported
        if hypotheses.reading_probability(card) >= MIN_SURE_READING or not current[card].evidence
    ]
    unexplained = _unexplained_cells(hypotheses, confident)
    keypoints = _keypoints(unexplained, crops)
    poses = _pose_candidates(hypotheses, confident, keypoints, index)
    hypotheses = _rescored(hypotheses, [card for card in reported if card not in confident], crops, keypoints)
    rejected: list[tuple[Hypotheses, int]] = []
    while poses:
        extended = _extended(hypotheses, reported, unexplained, poses, crops, keypoints)
        if not extended.poses:
            break
        new = extended.hypotheses
        is_reported = [score.reported for score in scores(new, crops)]
        rejected += [(new, card) for card in extended.added if not is_reported[card]]
        # An added card must not be read with less confidence than the card that it replaces.
        accepted = [
            pose
            for card, pose in zip(extended.added, extended.poses, strict=True)
            if is_reported[card]
            and new.reading_probability(card) >= _reading_probability_at(hypotheses, reported, pose.quad_px)
        ]
        if len(accepted) == len(extended.poses):
            return new, rejected
        poses = accepted
    return hypotheses, rejected


def _rescored(hypotheses: Hypotheses, cards: Sequence[int], crops: FrameCrops, keypoints: Keypoints) -> Hypotheses:
    """The hypotheses with the readings of some doubtful cards rescored by their keypoints."""
    readings = list(hypotheses.readings)
    for card in cards:
        reading = readings[card]
        if reading is not None and not reading.overexposed:
            readings[card], _ = crops.rescore(hypotheses.detections, hypotheses.quads_view, card, reading, keypoints)
    return replace(hypotheses, readings=tuple(readings))


def _unexplained_cells(hypotheses: Hypotheses, confident: Sequence[int]) -> CellMask:
    """The cells that show cards, but none of the confident cards at its pose; small groups are left out."""
    classes, owners = hypotheses.detections.classes, hypotheses.detections.owners
    unexplained = (classes == FACE) | (classes == BACK)
    quads_cells = view_to_cells(hypotheses.quads_view)
    for card in confident:
        quad = _grown(quads_cells[card], OWN_MARGIN_CELLS)
        left, top = np.floor(quad.min(0)).astype(int).clip(0)
        right, bottom = np.ceil(quad.max(0)).astype(int).clip(0) + 1
        patch = unexplained[top:bottom, left:right]
        patch &= ~((owners[top:bottom, left:right] == card) & _cells_inside(quad - (left, top), patch.shape))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(unexplained.astype(np.uint8), connectivity=8)
    is_large = stats[:, cv2.CC_STAT_AREA] >= MIN_SEARCHED_CELLS
    is_large[0] = False
    return np.asarray(is_large[labels], bool)


def _keypoints(unexplained: CellMask, crops: FrameCrops) -> Keypoints:
    """The keypoints in all unexplained cells."""
    count, labels = cv2.connectedComponents(unexplained.astype(np.uint8), connectivity=8)
    return concatenated([crops.keypoints(labels == label) for label in range(1, count)])


def _pose_candidates(
    hypotheses: Hypotheses, confident: Sequence[int], keypoints: Keypoints, index: KeypointIndex
) -> list[PoseCandidate]:
    """The poses that keypoints vote for, best first."""
    poses = pose_candidates(keypoints, index, MIN_POSE_SCORE)
    # Cells just outside the outline of a confident card vote for that card again.
    return [pose for pose in poses if not _cards_at(hypotheses, confident, pose.quad_px)]


def _extended(
    hypotheses: Hypotheses,
    reported: Sequence[int],
    unexplained: CellMask,
    poses: Sequence[PoseCandidate],
    crops: FrameCrops,
    keypoints: Keypoints,
) -> _Extended:
    """The hypotheses with cards at the candidate poses, as far as unexplained cells are left that show them.

    Added cards take cells from cards that are not confident.
    """
    detections = hypotheses.detections
    unexplained, owners = unexplained.copy(), detections.owners.copy()
    cards, used = list(detections.cards), []
    for pose in poses:
        replaced = _cards_at(hypotheses, reported, pose.quad_px)
        others = [card for card in reported if card not in replaced]
        outline = _grown(view_to_cells(pose.quad_px), KEYPOINT_MARGIN_CELLS)
        own = unexplained & _cells_inside(outline, owners.shape) & ~np.isin(owners, others)
        if np.count_nonzero(own) < MIN_KEYPOINT_CARD_CELLS:
            continue
        unexplained &= ~own
        owners[own] = len(cards)
        cards.append(_detection(pose, detections.classes[own]))
        used.append(pose)
    counts_before, counts = (cell_counts(each, len(cards)) for each in (detections.owners, owners))
    kept = [
        card
        for card in range(len(cards))
        if card >= len(detections.cards) or counts[card] >= MIN_KEPT_CELLS * counts_before[card]
    ]
    quads = np.concatenate([hypotheses.quads_view, *(pose.quad_px[None] for pose in used)])
    overlaps = overlap_counts(owners, view_to_cells(quads))
    detections = replace(detections, cards=tuple(cards), owners=owners, overlaps=overlaps)
    new = Hypotheses(detections, quads, hypotheses.readings + (None,) * len(used)).subset(kept)
    new = replace(new, detections=with_poses(new.detections, new.quads_view))
    changed = [place for place, card in enumerate(kept) if counts[card] != counts_before[card]]
    extended = _Extended(new, tuple(used))
    return replace(extended, hypotheses=_read(new, changed, extended.added, crops, keypoints))


def _read(
    hypotheses: Hypotheses, changed: Sequence[int], added: Sequence[int], crops: FrameCrops, keypoints: Keypoints
) -> Hypotheses:
    """The hypotheses with cards read again whose visible cells changed, and with added cards rescored."""
    detections, quads = hypotheses.detections, hypotheses.quads_view
    readings, cards = list(hypotheses.readings), list(detections.cards)
    for card, reading in zip(changed, crops.read(detections, quads[list(changed)], changed, quads), strict=True):
        readings[card] = reading
    for card in added:
        reading = readings[card]
        if reading is not None:
            readings[card], similarity = crops.rescore(detections, quads, card, reading, keypoints)
            cards[card] = replace(cards[card], similarity=similarity)
    return Hypotheses(replace(detections, cards=tuple(cards)), quads, tuple(readings))


def _detection(pose: PoseCandidate, classes: NDArray[np.int8]) -> Detection:
    """A card at a pose that is visible in cells of these classes."""
    quad = pose.quad_px
    width, height = (float(np.linalg.norm(quad[corner] - quad[0])) for corner in (1, 3))
    visible = min(1.0, len(classes) * STRIDE_PX**2 / (width * height))
    face_up = bool(2 * np.count_nonzero(classes == FACE) > len(classes))
    return Detection(quad, face_up, 1.0, visible, False, (width, height), keypoint_score=pose.score)


def _reading_probability_at(hypotheses: Hypotheses, cards: Sequence[int], quad_view: Floats) -> float:
    """The highest reading probability of those of some cards that are at a pose."""
    there = _cards_at(hypotheses, cards, quad_view)
    return max((hypotheses.reading_probability(card) for card in there), default=0.0)


def _cards_at(hypotheses: Hypotheses, cards: Sequence[int], quad_view: Floats) -> list[int]:
    """Those of some cards that are at a pose, either way up."""
    quads = hypotheses.quads_view[list(cards)]
    by_way = [np.linalg.norm(np.roll(quad_view, way, axis=0) - quads, axis=2).mean(1) for way in (0, 2)]
    return [card for card, distance in zip(cards, np.minimum(*by_way), strict=True) if distance < SAME_POSE_PX]


def _cells_inside(quad_cells: Floats, shape: tuple[int, ...]) -> CellMask:
    """The cells inside an outline."""
    mask = np.zeros(shape, np.uint8)
    if mask.size:
        cv2.fillConvexPoly(mask, np.round(quad_cells * 16).astype(np.int32), 1, shift=4)
    return mask > 0


def _grown(quad_cells: Floats, margin: float) -> Floats:
    """The outline, further out on all sides by a margin."""
    across, down = quad_cells[1] - quad_cells[0], quad_cells[3] - quad_cells[0]
    across, down = margin * across / np.linalg.norm(across), margin * down / np.linalg.norm(down)
    return np.asarray(quad_cells + np.stack([-across - down, across - down, across + down, down - across]), float)
