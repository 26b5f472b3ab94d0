"""Hypotheses about the cards of a frame: detections with candidate poses and readings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.crops import Floats
from vision.hypotheses.confidence import best_probability
from vision.hypotheses.tuning import DUPLICATE_DISTANCE_PX
from vision.look.cells import view_to_cells
from vision.look.crops import CardReading
from vision.look.finder import Detections
from vision.look.layers import duplicates, overlap_counts


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """One candidate pose and reading for every card that may be in the frame."""

    detections: Detections
    quads_view: Floats
    """Corners of every card, in view px."""
    readings: tuple[CardReading | None, ...]
    """None for a card of which too little is visible."""

    def reading_probability(self, index: int) -> float:
        """Probability of the best side of a card; 0 if the card was not read."""
        return reading_probability(self.readings[index])

    def subset(self, kept: Sequence[int]) -> "Hypotheses":
        """Some of the cards; the cells of the others belong to no card."""
        if len(kept) == len(self.readings):
            return self
        detections = _reindexed(self.detections, self.quads_view, kept, {})
        return Hypotheses(detections, self.quads_view[list(kept)], tuple(self.readings[index] for index in kept))


def reading_probability(reading: CardReading | None) -> float:
    """Probability of the best side of a reading; 0 without a reading."""
    return 0.0 if reading is None else best_probability(reading.face)


def merge_duplicates(detections: Detections, quads_view: Floats) -> tuple[Detections, list[int]]:
    """The detections without those that repeat a better one, and the indices of those that are kept."""
    scores = np.array([card.visible * card.vote_confidence for card in detections.cards])
    better_of = duplicates(quads_view, scores, DUPLICATE_DISTANCE_PX)
    kept = [index for index in range(len(detections.cards)) if index not in better_of]
    return (_reindexed(detections, quads_view, kept, better_of) if better_of else detections), kept


def cell_counts(owners: NDArray[np.int16], cards: int) -> NDArray[np.int64]:
    """Number of cells that show each card."""
    return np.bincount(owners.ravel() + 1, minlength=cards + 1)[1:]


def _reindexed(
    detections: Detections, quads_view: Floats, kept: Sequence[int], better_of: dict[int, int]
) -> Detections:
    """Only the kept detections. Cells of a duplicate go to the better card, cells of other dropped cards to none."""
    new_index = np.full(len(detections.cards) + 1, -1, np.int16)
    new_index[[index + 1 for index in kept]] = np.arange(len(kept))
    for index, better in better_of.items():
        new_index[index + 1] = new_index[better + 1]
    owners = new_index[detections.owners + 1]
    overlaps = overlap_counts(owners, view_to_cells(quads_view[list(kept)]))
    cards = tuple(detections.cards[index] for index in kept)
    return replace(detections, cards=cards, owners=owners, overlaps=overlaps)
