"""What a card is by the reader, its landmarks and its likeness together."""

from dataclasses import replace

import numpy as np
import pytest

from vision.hypotheses.rescoring import recognised
from vision.look.reader import Reading
from vision.table import FOREIGN, Guess

CODES = ("6", "8", "9", FOREIGN)
NOTHING = np.zeros((4, 2))
DOUBTFUL = Reading((Guess("8", 0.5), Guess("6", 0.4), Guess(FOREIGN, 0.1)), False)
OVER = replace(DOUBTFUL, turned=True)
"""The same said of the crop turned upside down."""


def said(code: str, way: int, much: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    spoken = NOTHING.copy()
    spoken[CODES.index(code), way] = much
    return spoken


def test_nobody_else_says_anything() -> None:
    reading = recognised(DOUBTFUL, OVER, CODES, NOTHING, NOTHING)
    assert [guess.code for guess in reading.guesses[:2]] == ["8", "6"]


def test_landmarks_decide_what_the_reader_leaves_open() -> None:
    assert recognised(DOUBTFUL, OVER, CODES, said("6", 0, 3.0), NOTHING).guesses[0].code == "6"


def test_likeness_decides_what_the_reader_leaves_open() -> None:
    assert recognised(DOUBTFUL, OVER, CODES, NOTHING, said("6", 0, 0.3)).guesses[0].code == "6"


def test_one_spot_does_not_overrule_a_sure_reader() -> None:
    sure = Reading((Guess("8", 0.99), Guess(FOREIGN, 0.01)), False)
    assert recognised(sure, replace(sure, turned=True), CODES, said("6", 0, 1.0), NOTHING).guesses[0].code == "8"


def test_landmarks_turn_a_card() -> None:
    assert recognised(DOUBTFUL, OVER, CODES, said("8", 1, 12.0), NOTHING).turned
    assert not recognised(DOUBTFUL, OVER, CODES, said("8", 0, 12.0), NOTHING).turned


def test_what_is_foreign_stays_so() -> None:
    reading = recognised(DOUBTFUL, OVER, CODES, said("9", 0, 9.0), NOTHING)
    chances = {guess.code: guess.probability for guess in reading.guesses}
    assert chances[FOREIGN] == 0.1
    assert sum(chances.values()) + reading.back == pytest.approx(1.0)


def test_several_pictures_do_not_make_a_card_likelier() -> None:
    codes = ("6", "6", "6", "8")
    read = Reading((Guess("8", 0.5), Guess("6", 0.49)), False)
    reading = recognised(read, replace(read, turned=True), codes, NOTHING, NOTHING)
    assert reading.guesses[0].code == "8"
    assert sum(guess.probability for guess in reading.guesses) == pytest.approx(1.0)


def test_a_back_is_a_side_like_any_other() -> None:
    reading = recognised(DOUBTFUL, OVER, CODES, said(FOREIGN, 0, 30.0), NOTHING)
    assert reading.back > 0.8


def test_the_crop_read_upside_down_has_its_say() -> None:
    over = Reading((Guess("6", 0.9), Guess(FOREIGN, 0.1)), True)
    assert recognised(DOUBTFUL, over, CODES, NOTHING, NOTHING).guesses[0].code == "6"
    unsure = replace(DOUBTFUL, guesses=(Guess("8", 0.9), Guess(FOREIGN, 0.1)))
    upright = Reading((Guess("8", 0.2), Guess(FOREIGN, 0.1)), False)
    assert not recognised(unsure, upright, CODES, NOTHING, NOTHING).turned
