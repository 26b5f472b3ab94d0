"""Refinement: tries other poses for cards that cannot be read at their pose, and for cells without a detection."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import STRIDE_PX, Floats
from vision.hypotheses.candidates import Hypotheses, cell_counts, merge_duplicates, reading_probability
from vision.hypotheses.poses import SHIFTED_POSES, crossed_poses, flush_poses, pose_fits, shifted_poses
from vision.hypotheses.tuning import (
    MAX_DOUBTFUL_CARDS,
    MAX_POSES_PER_CARD,
    MAX_SHIFTED_VISIBLE,
    MIN_IMPROVEMENT,
    MIN_NEW_CARD_WORTH,
    MIN_POSE_FIT,
    MIN_SURE_READING,
    MIN_UNASSIGNED_CELLS,
    UNASSIGNED_VOTE_CONFIDENCE,
)
from vision.look.cells import cells_to_view, view_to_cells
from vision.look.crops import CardReading, FrameCrops
from vision.look.finder import BACK, FACE, TABLE, Detection, Detections, with_poses
from vision.look.layers import overlap_counts
from vision.look.tuning import MIN_READABLE_FRACTION


def refine_poses(hypotheses: Hypotheses, crops: FrameCrops, card_px: tuple[float, float]) -> Hypotheses:
    """The hypotheses with cards at poses where they are read better, and with cells that turn out to be cards."""
    detected = len(hypotheses.quads_view)
    hypotheses = _with_unassigned_cells(hypotheses, card_px)
    detections = hypotheses.detections
    doubtful = _doubtful_cards(hypotheses, crops)
    indices, poses = _candidate_poses(hypotheses, doubtful, _size_in_cells(card_px))
    shifted = [
        index for index in doubtful if index < detected and detections.cards[index].visible < MAX_SHIFTED_VISIBLE
    ]
    better: dict[int, Floats] = {}
    if indices or shifted:
        quads = cells_to_view(poses)
        if indices:
            # Candidate poses are rough: the aligner needs two passes.
            quads, _ = crops.align(detections, quads, indices)
            quads, _ = crops.align(detections, quads, indices)
        quads = np.concatenate([quads, *(shifted_poses(hypotheses.quads_view[index]) for index in shifted)])
        indices += [index for index in shifted for _ in range(SHIFTED_POSES)]
        readings = crops.read(detections, quads, indices, hypotheses.quads_view)
        better = _better_poses(hypotheses, detected, indices, quads, readings)
    kept = [index for index in range(len(hypotheses.quads_view)) if index < detected or index in better]
    if not better:
        return hypotheses.subset(kept)
    quads = hypotheses.quads_view.copy()
    for index, quad in better.items():
        quads[index] = quad
    detections = replace(detections, overlaps=overlap_counts(detections.owners, view_to_cells(quads)))
    moved = replace(hypotheses, detections=detections, quads_view=quads).subset(kept)
    return _reread(moved, crops, [kept.index(index) for index in better])


def _with_unassigned_cells(hypotheses: Hypotheses, card_px: tuple[float, float]) -> Hypotheses:
    """The hypotheses, and one more for each group of card cells that no detection explains."""
    detections = hypotheses.detections
    is_unassigned = (detections.owners < 0) & ((detections.classes == FACE) | (detections.classes == BACK))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(is_unassigned.astype(np.uint8), connectivity=4)
    groups = [label for label in range(1, count) if stats[label, cv2.CC_STAT_AREA] >= MIN_UNASSIGNED_CELLS]
    if not groups:
        return hypotheses
    owners, cards, quads = detections.owners.copy(), list(detections.cards), list(hypotheses.quads_view)
    for label in groups:
        rows, columns = np.nonzero(labels == label)
        owners[rows, columns] = len(cards)
        cells = np.stack([columns, rows], 1).astype(float)
        quad = cells_to_view(flush_poses(cells, _size_in_cells(card_px))[0])
        face_up = bool((detections.classes[rows, columns] == FACE).mean() > 0.5)
        visible = min(1.0, len(rows) * STRIDE_PX**2 / (card_px[0] * card_px[1]))
        cards.append(Detection(quad, face_up, UNASSIGNED_VOTE_CONFIDENCE, visible, False, card_px))
        quads.append(quad)
    overlaps = overlap_counts(owners, view_to_cells(np.stack(quads)))
    detections = replace(detections, owners=owners, cards=tuple(cards), overlaps=overlaps)
    return Hypotheses(detections, np.stack(quads), hypotheses.readings + (None,) * len(groups))


def _doubtful_cards(hypotheses: Hypotheses, crops: FrameCrops) -> list[int]:
    """Indices of the cards that may have another pose, the most visible first."""
    cards = hypotheses.detections.cards
    # A card of which too little is visible cannot be read at any pose.
    doubtful = [
        index
        for index, card in enumerate(cards)
        if hypotheses.reading_probability(index) < MIN_SURE_READING
        and card.visible >= MIN_READABLE_FRACTION
        and crops.can_read(card)
    ]
    return sorted(doubtful, key=lambda index: -cards[index].visible)[:MAX_DOUBTFUL_CARDS]


def _candidate_poses(
    hypotheses: Hypotheses, doubtful: Sequence[int], size_cells: tuple[float, float]
) -> tuple[list[int], Floats]:
    """Other poses for the doubtful cards, in cells, and for each the index of its card."""
    detections, current = hypotheses.detections, view_to_cells(hypotheses.quads_view)
    indices: list[int] = []
    chosen = [np.zeros((0, 4, 2))]
    for index in doubtful:
        rows, columns = np.nonzero(detections.owners == index)
        if not len(rows):
            continue
        own_cells = np.stack([columns, rows], 1).astype(float)
        side = current[index, 1] - current[index, 0]
        same_angle = flush_poses(own_cells, size_cells, float(np.arctan2(side[1], side[0])))
        poses = np.concatenate([flush_poses(own_cells, size_cells), same_angle, crossed_poses(current[index])])
        fits = _fits(detections, index, poses)
        best = [pose for pose in np.argsort(-fits)[:MAX_POSES_PER_CARD] if fits[pose] > MIN_POSE_FIT]
        indices += [index] * len(best)
        chosen.append(poses[best])
    return indices, np.concatenate(chosen)


def _better_poses(
    hypotheses: Hypotheses,
    detected: int,
    indices: Sequence[int],
    quads_view: Floats,
    readings: Sequence[CardReading | None],
) -> dict[int, Floats]:
    """The best candidate pose of every card that has a better one than now.

    Cards from index `detected` on are groups of cells that are no card yet.
    """
    detections = hypotheses.detections
    best: dict[int, tuple[float, Floats]] = {}
    for index, quad, reading in zip(indices, quads_view, readings, strict=True):
        worth = _worth(detections, index, view_to_cells(quad), reading)
        if index not in best or worth > best[index][0]:
            best[index] = (worth, quad)
    current = view_to_cells(hypotheses.quads_view)
    better = {}
    for index, (worth, quad) in best.items():
        needed = MIN_NEW_CARD_WORTH
        if index < detected:
            needed = _worth(detections, index, current[index], hypotheses.readings[index]) + MIN_IMPROVEMENT
        if worth > needed:
            better[index] = quad
    return better


def _reread(hypotheses: Hypotheses, crops: FrameCrops, moved: Sequence[int]) -> Hypotheses:
    """The hypotheses after some cards moved: duplicates are merged, and cards that changed are read again."""
    detections = hypotheses.detections
    counts = cell_counts(detections.owners, len(detections.cards))
    detections, kept = merge_duplicates(detections, hypotheses.quads_view)
    quads = hypotheses.quads_view[kept]
    detections = with_poses(detections, quads)
    is_changed = cell_counts(detections.owners, len(detections.cards)) != counts[kept]
    is_changed |= np.isin(kept, moved)
    changed = np.flatnonzero(is_changed).tolist()
    readings = [hypotheses.readings[index] for index in kept]
    for index, reading in zip(changed, crops.read(detections, quads[changed], changed, quads), strict=True):
        readings[index] = reading
    return Hypotheses(detections, quads, tuple(readings))


def _fits(detections: Detections, index: int, quads_cells: Floats) -> NDArray[np.float64]:
    return pose_fits(quads_cells, detections.owners, index, detections.classes == TABLE, detections.overlaps)


def _worth(detections: Detections, index: int, quad_cells: Floats, reading: CardReading | None) -> float:
    """Fit of a pose plus the probability of what is read there."""
    return float(_fits(detections, index, quad_cells[None])[0]) + reading_probability(reading)


def _size_in_cells(size_px: tuple[float, float]) -> tuple[float, float]:
    return size_px[0] / STRIDE_PX, size_px[1] / STRIDE_PX
