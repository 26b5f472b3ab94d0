"""The probability that a card exists where one was detected."""

from dataclasses import replace

import numpy as np
import pytest

from vision.hypotheses.confidence import (
    best_probability,
    deck_probability,
    evidence,
    existence_probability,
    existence_probability_unread,
    is_empty_sliver,
    is_face_up,
)
from vision.look.finder import Detection
from vision.look.reader import FaceReading
from vision.table import FOREIGN, Guess

CARD = Detection(np.zeros((4, 2)), True, 0.5, 0.5, False, (63.0, 88.0))
READ = FaceReading((Guess("7", 0.97), Guess(FOREIGN, 0.02)), False)
UNKNOWN = FaceReading((Guess(FOREIGN, 0.97), Guess("7", 0.02)), False)
FACE_DOWN = FaceReading((Guess("7", 0.02), Guess(FOREIGN, 0.01)), False, 0.97)


def probability(
    card: Detection = CARD, face: FaceReading | None = READ, inside: float = 1.0, contested: float = 0.0
) -> float:
    return existence_probability(evidence(card, face, inside, contested))


def test_a_card_that_is_read_exists() -> None:
    assert probability() > 0.99
    assert probability(face=FACE_DOWN) > 0.99


def test_a_card_that_cannot_be_read_is_unlikely() -> None:
    assert probability(face=UNKNOWN) < 0.9
    assert probability(face=None) < 0.9


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (probability(replace(CARD, empty=0.5)), probability()),
        (probability(inside=0.5), probability()),
        (probability(contested=0.8), probability()),
        (probability(replace(CARD, visible=0.1)), probability()),
    ],
    ids=["empty", "visible outside its outline", "contested by others", "hardly visible"],
)
def test_every_piece_of_evidence_counts(worse: float, better: float) -> None:
    assert worse < better


def test_a_card_of_an_unknown_deck_counts_by_its_votes() -> None:
    assert (
        existence_probability_unread(CARD)
        > 0.65
        > existence_probability_unread(replace(CARD, vote_confidence=0.2, visible=0.2))
    )


def test_a_stripe_is_empty_sliver() -> None:
    assert is_empty_sliver(replace(CARD, visible=0.1, empty=0.8))
    assert not is_empty_sliver(replace(CARD, visible=0.3, empty=0.8))


def test_the_reader_says_which_side_is_up_if_it_knows() -> None:
    assert not is_face_up(CARD, FACE_DOWN)
    assert is_face_up(replace(CARD, face_up=False), READ)
    assert not is_face_up(replace(CARD, face_up=False), UNKNOWN)
    assert deck_probability(UNKNOWN) == pytest.approx(0.03)
    assert best_probability(UNKNOWN) == 0
