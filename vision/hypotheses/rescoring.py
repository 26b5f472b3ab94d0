"""Rescoring: the reading of a doubtful card from the reader, its keypoints and its similarity together."""

from collections.abc import Sequence

import numpy as np

from models.crops import Floats
from vision.hypotheses.tuning import (
    KEYPOINT_WEIGHT,
    MIN_READER_PROBABILITY,
    OTHER_WAY_FACTOR,
    READER_WEIGHT,
    SIMILARITY_WEIGHT,
)
from vision.look.reader import MAX_GUESSES, FaceReading
from vision.table import FOREIGN, Guess


def rescored(
    face: FaceReading,
    upside_down: FaceReading,
    codes: Sequence[str],
    keypoint_scores: Floats,
    similarities: Floats,
) -> FaceReading:
    """The reading with new probabilities for all sides of the deck; that of a foreign card stays.

    `upside_down` is the reading of the same crop turned by 180 degrees, for which the reader makes other errors. Scores
    and similarities are given for every side (rows), upright and upside down (columns). A back has an empty code.
    """
    reader = (_by_side(face, codes) + _by_side(upside_down, codes)[:, ::-1]) / 2
    foreign = (_foreign_probability(face) + _foreign_probability(upside_down)) / 2
    log_scores = (
        READER_WEIGHT * np.log(reader + MIN_READER_PROBABILITY)
        + KEYPOINT_WEIGHT * keypoint_scores
        + SIMILARITY_WEIGHT * similarities
    )
    scores = np.exp(log_scores - log_scores.max())
    by_code: dict[str, float] = {}
    for code, score in zip(codes, scores.sum(1), strict=True):
        # Several pictures do not make a card likelier: the best one counts.
        by_code[code] = max(by_code.get(code, 0.0), float(score))
    total = sum(by_code.values())
    by_code = {code: (1 - foreign) * score / total for code, score in by_code.items()}
    back = by_code.pop(FOREIGN, 0.0)
    by_code[FOREIGN] = foreign
    guesses = sorted((Guess(code, share) for code, share in by_code.items()), key=lambda guess: -guess.probability)
    best = next((guess.code for guess in guesses if guess.code != FOREIGN), FOREIGN)
    upright, turned = scores[[side for side, code in enumerate(codes) if code == best]].sum(0)
    way_probability = float(max(upright, turned) / max(upright + turned, 1e-12))
    return FaceReading(tuple(guesses[:MAX_GUESSES]), bool(turned > upright), back, way_probability)


def _by_side(face: FaceReading, codes: Sequence[str]) -> Floats:
    """The reader's probability of every side, upright and upside down; both ways of a back are the same."""
    probability_of = {guess.code: guess.probability for guess in face.guesses} | {FOREIGN: face.back}
    probabilities = np.array([probability_of.get(code, 0.0) for code in codes])
    ways = np.array([OTHER_WAY_FACTOR, 1.0] if face.turned else [1.0, OTHER_WAY_FACTOR])
    is_back = np.array([code == FOREIGN for code in codes])
    return np.asarray(np.where(is_back[:, None], 1.0, ways[None]) * probabilities[:, None], float)


def _foreign_probability(face: FaceReading) -> float:
    return sum(guess.probability for guess in face.guesses if guess.code == FOREIGN)
