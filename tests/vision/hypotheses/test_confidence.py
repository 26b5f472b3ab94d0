"""How likely it is that a card lies where one was found."""

from dataclasses import replace

import numpy as np
import pytest

from vision.hypotheses.confidence import best_part, chance, chance_unread, evidence, is_hollow, known_part, lies_face_up
from vision.look.finder import Found
from vision.look.reader import Reading
from vision.table import FOREIGN, Guess

CARD = Found(np.zeros((4, 2)), True, 0.5, 0.5, False, (63.0, 88.0))
READ = Reading((Guess("7", 0.97), Guess(FOREIGN, 0.02)), False)
STRANGE = Reading((Guess(FOREIGN, 0.97), Guess("7", 0.02)), False)
TURNED_OVER = Reading((Guess("7", 0.02), Guess(FOREIGN, 0.01)), False, 0.97)


def likely(card: Found = CARD, reading: Reading | None = READ, inside: float = 1.0, mixed: float = 0.0) -> float:
    return chance(evidence(card, reading, inside, mixed))


def test_a_card_that_is_read_lies_there() -> None:
    assert likely() > 0.99
    assert likely(reading=TURNED_OVER) > 0.99


def test_what_cannot_be_read_is_hardly_a_card() -> None:
    assert likely(reading=STRANGE) < 0.9
    assert likely(reading=None) < 0.9


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (likely(replace(CARD, hollow=0.5)), likely()),
        (likely(inside=0.5), likely()),
        (likely(mixed=0.8), likely()),
        (likely(replace(CARD, visible=0.1)), likely()),
    ],
    ids=["hollow", "seen outside its corners", "mixed with others", "hardly seen"],
)
def test_everything_speaks(worse: float, better: float) -> None:
    assert worse < better


def test_a_card_of_an_unknown_deck_counts_by_its_votes() -> None:
    assert chance_unread(CARD) > 0.65 > chance_unread(replace(CARD, sure=0.2, visible=0.2))


def test_a_stripe_is_hollow() -> None:
    assert is_hollow(replace(CARD, visible=0.1, hollow=0.8))
    assert not is_hollow(replace(CARD, visible=0.3, hollow=0.8))


def test_the_reader_says_which_side_is_up_if_it_knows() -> None:
    assert not lies_face_up(CARD, TURNED_OVER)
    assert lies_face_up(replace(CARD, face_up=False), READ)
    assert not lies_face_up(replace(CARD, face_up=False), STRANGE)
    assert known_part(STRANGE) == pytest.approx(0.03)
    assert best_part(STRANGE) == 0
