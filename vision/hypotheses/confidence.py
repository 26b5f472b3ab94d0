"""Confidence: the probability that a card exists where one was detected, by its votes, its pose and its reading."""

from math import exp, log

from vision.hypotheses.tuning import (
    EXISTENCE_WEIGHTS,
    KEYPOINT_EXISTENCE_WEIGHTS,
    MAX_SLIVER_EMPTY,
    MAX_VISIBLE_EVIDENCE,
    MIN_SIDE_PROBABILITY,
    SLIVER_VISIBLE,
    UNREAD_EXISTENCE_WEIGHTS,
)
from vision.look.finder import Detection
from vision.look.reader import FaceReading
from vision.table import FOREIGN


def evidence(card: Detection, face: FaceReading | None, inside: float, contested: float) -> tuple[float, ...]:
    """The features of a card for the logistic regression: its reading, its pose and how much of it is visible.

    `inside` is the fraction of the card's visible cells that are inside its outline, `contested` the fraction on cards
    that are also visible on top of this card. A card found by keypoints has two more features.
    """
    in_deck = 0.0 if face is None else deck_probability(face)
    best = 0.0 if face is None else best_probability(face)
    log_visible = log(min(card.visible, MAX_VISIBLE_EVIDENCE) + 0.02)
    features = _log_odds(in_deck), _log_odds(best), card.empty, inside, min(1.0, contested), log_visible
    return (*features, log(card.keypoint_score), card.similarity) if card.keypoint_score else features


def existence_probability(evidence: tuple[float, ...]) -> float:
    """Probability that a card with this evidence exists."""
    *weights, bias = EXISTENCE_WEIGHTS if len(evidence) < len(EXISTENCE_WEIGHTS) else KEYPOINT_EXISTENCE_WEIGHTS
    return _logistic(sum(weight * value for weight, value in zip(weights, evidence, strict=True)) + bias)


def existence_probability_unread(card: Detection) -> float:
    """Probability that a card exists which cannot be read, by its votes alone."""
    confidence_weight, visible_weight, bias = UNREAD_EXISTENCE_WEIGHTS
    return _logistic(confidence_weight * card.vote_confidence + visible_weight * card.visible + bias)


def deck_probability(face: FaceReading) -> float:
    """Probability that a reading is of a card of the deck."""
    return 1.0 - sum(guess.probability for guess in face.guesses if guess.code == FOREIGN)


def is_of_deck(face: FaceReading) -> bool:
    """Whether a reading is more likely than not a face, or a back, of the deck."""
    return max(_faces_probability(face), face.back) >= MIN_SIDE_PROBABILITY


def best_probability(face: FaceReading) -> float:
    """Probability of the best side of the deck, a face or the back."""
    best = face.guesses[0]
    return max(0.0 if best.code == FOREIGN else best.probability, face.back)


def best_side(face: FaceReading) -> str:
    """Code of the most likely face of the deck, or the empty code if the back is likelier."""
    best = next((guess for guess in face.guesses if guess.code != FOREIGN), None)
    return best.code if best is not None and best.probability >= face.back else FOREIGN


def is_face_up(card: Detection, face: FaceReading | None) -> bool:
    """Whether a card is face up: the reader decides if it knows the card, for the finder knows no deck."""
    if face is None or not is_of_deck(face):
        return card.face_up
    return _faces_probability(face) > face.back


def is_empty_sliver(card: Detection) -> bool:
    """Whether little of a card is visible and much of its outline shows the table, as with stripes of cloth or napkins.

    Another object has to hide the rest of a card. A cup or the edge of the frame may, but then more of it is visible.
    """
    return card.visible < SLIVER_VISIBLE and card.empty > MAX_SLIVER_EMPTY


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value))


def _log_odds(probability: float) -> float:
    """Log odds, bounded at both ends."""
    return log((probability + 1e-3) / (1 - probability + 1e-3))


def _faces_probability(face: FaceReading) -> float:
    return sum(guess.probability for guess in face.guesses if guess.code != FOREIGN)
