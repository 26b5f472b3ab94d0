"""Cards to learn from while playing: only those that reader and referee agree on."""

from dataclasses import replace

import pytest

from device.session.sure_cards import sure_cards
from vision.table import Guess, PlacedCard, Table

CORNERS = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))
SURE = PlacedCard(1, "7", (Guess("7", 0.998),), True, CORNERS, "P1", 0.0, 1.0, looks=3)
EXPECTED = {"P1": frozenset({"7", "9"}), "centre": frozenset({"4"})}


def learnt(card: PlacedCard, expected: dict[str, frozenset[str]] = EXPECTED) -> bool:
    return sure_cards(Table(1.0, 10, (card,), looks=3), expected) == (card,)


def test_a_whole_card_that_both_agree_on_is_taken() -> None:
    assert learnt(SURE)


@pytest.mark.parametrize(
    "card",
    [
        replace(SURE, guesses=(Guess("7", 0.98), Guess("1", 0.02))),
        replace(SURE, guesses=()),
        replace(SURE, visible=0.95),
        replace(SURE, looks=2),
        replace(SURE, face_up=False),
        replace(SURE, pinned=True),
        replace(SURE, marks=("r1c1",)),
        replace(SURE, zone="centre"),
        replace(SURE, zone=""),
    ],
)
def test_a_doubtful_or_covered_or_marked_card_is_not(card: PlacedCard) -> None:
    assert not learnt(card)


def test_nothing_is_taken_while_the_referee_is_in_doubt() -> None:
    assert not learnt(SURE, {})
