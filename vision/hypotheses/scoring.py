"""Scoring: the existence probability of every hypothesis, and whether the card is likely enough to report."""

from dataclasses import dataclass, replace

import numpy as np

from vision.hypotheses.candidates import Hypotheses, cell_counts
from vision.hypotheses.confidence import (
    evidence,
    existence_probability,
    existence_probability_unread,
    is_empty_sliver,
)
from vision.hypotheses.tuning import (
    MIN_PROBABILITY_KEYPOINTS,
    MIN_PROBABILITY_OTHER_DECK,
    MIN_PROBABILITY_OWN_DECK,
    MIN_PROBABILITY_UNREAD,
)
from vision.look.crops import FrameCrops


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one hypothesis."""

    evidence: tuple[float, ...]
    """Features of the logistic regression; empty for a card that cannot be read."""
    probability: float
    """Probability that the card exists."""
    reported: bool
    """Whether that is enough to report the card."""


def scores(hypotheses: Hypotheses, crops: FrameCrops) -> list[Score]:
    """The score of every hypothesis."""
    detections, overlaps = hypotheses.detections, hypotheses.detections.overlaps
    counts = np.maximum(1, cell_counts(detections.owners, len(overlaps)))
    inside = overlaps.diagonal() / counts
    contested = (np.minimum(overlaps, overlaps.T).sum(1) - overlaps.diagonal()) / counts
    min_probability = MIN_PROBABILITY_OWN_DECK if crops.is_refined else MIN_PROBABILITY_OTHER_DECK
    found = []
    for index, (card, reading) in enumerate(zip(detections.cards, hypotheses.readings, strict=True)):
        if reading is not None:
            card = replace(card, visible=reading.visible)
        blank = reading is not None and reading.blank
        overexposed = reading is not None and reading.overexposed
        # Keypoints are only known of sides that can be read.
        if (crops.can_read(card) and not overexposed) or card.keypoint_score:
            face = None if reading is None else reading.face
            features = evidence(card, face, float(inside[index]), float(contested[index]))
            probability = existence_probability(features)
            enough = MIN_PROBABILITY_KEYPOINTS if card.keypoint_score else min_probability
            found.append(Score(features, probability, probability > enough and not blank))
        else:
            probability = existence_probability_unread(card)
            reported = probability > MIN_PROBABILITY_UNREAD and not is_empty_sliver(card) and not blank
            found.append(Score((), probability, reported))
    return found
