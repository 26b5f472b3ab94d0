"""The reading of a doubtful card from the reader, its keypoints and its similarity together."""

from dataclasses import replace

import numpy as np
import pytest

from vision.hypotheses.rescoring import rescored
from vision.look.reader import FaceReading
from vision.table import FOREIGN, Guess

CODES = ("6", "8", "9", FOREIGN)
NOTHING = np.zeros((4, 2))
DOUBTFUL = FaceReading((Guess("8", 0.5), Guess("6", 0.4), Guess(FOREIGN, 0.1)), False)
UPSIDE_DOWN = replace(DOUBTFUL, turned=True)
"""The same reading of the crop turned upside down."""


def evidence_for(code: str, way: int, value: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    scores = NOTHING.copy()
    scores[CODES.index(code), way] = value
    return scores


def test_without_other_evidence_the_reader_decides() -> None:
    reading = rescored(DOUBTFUL, UPSIDE_DOWN, CODES, NOTHING, NOTHING)
    assert [guess.code for guess in reading.guesses[:2]] == ["8", "6"]


def test_keypoints_decide_what_the_reader_leaves_open() -> None:
    assert rescored(DOUBTFUL, UPSIDE_DOWN, CODES, evidence_for("6", 0, 3.0), NOTHING).guesses[0].code == "6"


def test_similarity_decides_what_the_reader_leaves_open() -> None:
    assert rescored(DOUBTFUL, UPSIDE_DOWN, CODES, NOTHING, evidence_for("6", 0, 0.3)).guesses[0].code == "6"


def test_one_keypoint_does_not_overrule_a_sure_reader() -> None:
    sure = FaceReading((Guess("8", 0.99), Guess(FOREIGN, 0.01)), False)
    assert rescored(sure, replace(sure, turned=True), CODES, evidence_for("6", 0, 1.0), NOTHING).guesses[0].code == "8"


def test_keypoints_turn_a_card() -> None:
    assert rescored(DOUBTFUL, UPSIDE_DOWN, CODES, evidence_for("8", 1, 12.0), NOTHING).turned
    assert not rescored(DOUBTFUL, UPSIDE_DOWN, CODES, evidence_for("8", 0, 12.0), NOTHING).turned


def test_what_is_foreign_stays_so() -> None:
    reading = rescored(DOUBTFUL, UPSIDE_DOWN, CODES, evidence_for("9", 0, 9.0), NOTHING)
    probabilities = {guess.code: guess.probability for guess in reading.guesses}
    assert probabilities[FOREIGN] == 0.1
    assert sum(probabilities.values()) + reading.back == pytest.approx(1.0)


def test_several_pictures_do_not_make_a_card_likelier() -> None:
    codes = ("6", "6", "6", "8")
    read = FaceReading((Guess("8", 0.5), Guess("6", 0.49)), False)
    reading = rescored(read, replace(read, turned=True), codes, NOTHING, NOTHING)
    assert reading.guesses[0].code == "8"
    assert sum(guess.probability for guess in reading.guesses) == pytest.approx(1.0)


def test_a_back_is_a_side_like_any_other() -> None:
    reading = rescored(DOUBTFUL, UPSIDE_DOWN, CODES, evidence_for(FOREIGN, 0, 30.0), NOTHING)
    assert reading.back > 0.8


def test_the_reading_of_the_crop_upside_down_counts() -> None:
    over = FaceReading((Guess("6", 0.9), Guess(FOREIGN, 0.1)), True)
    assert rescored(DOUBTFUL, over, CODES, NOTHING, NOTHING).guesses[0].code == "6"
    unsure = replace(DOUBTFUL, guesses=(Guess("8", 0.9), Guess(FOREIGN, 0.1)))
    upright = FaceReading((Guess("8", 0.2), Guess(FOREIGN, 0.1)), False)
    assert not rescored(unsure, upright, CODES, NOTHING, NOTHING).turned
