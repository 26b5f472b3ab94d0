"""Familiar places: what looks like a hand at every rest is the table; what does so once is a hand."""

import numpy as np

from vision.familiar import Cells, Familiar


def cells(*spots: tuple[int, int], size: int = 3) -> Cells:
    """A view of 40 x 60 cells with some squares that look like a hand."""
    shown = np.zeros((40, 60), bool)
    for row, column in spots:
        shown[row : row + size, column : column + size] = True
    return shown


def after(*rests: Cells) -> Familiar:
    one = Familiar()
    for shown in rests:
        one.rests(shown)
        one.moved()
    return one


def test_a_hand_is_strange_at_first_and_however_long_it_rests() -> None:
    hand = cells((10, 10))
    one = Familiar()
    assert one.strange(hand) == hand.mean()
    for _ in range(50):
        one.rests(hand)
    one.moved()
    assert one.strange(hand) == hand.mean()


def test_what_looks_like_a_hand_at_every_rest_is_the_table() -> None:
    grain, hand = cells((10, 10)), cells((10, 10), (30, 40))
    one = after(grain, grain)
    assert one.strange(grain) == 0
    assert one.strange(cells((9, 11))) == 0, "its edges are seen a little differently every time"
    assert one.strange(hand) == cells((30, 40)).mean()


def test_hands_here_and_there_are_not_learnt() -> None:
    places = [cells((4 * number, 5 * number)) for number in range(8)]
    one = after(*places, *places[:1])
    assert all(one.strange(place) == place.mean() for place in places)


def test_grain_that_is_gone_is_forgotten_and_another_view_begins_anew() -> None:
    grain = cells((10, 10))
    one = after(grain, grain, *[cells()] * 12)
    assert one.strange(grain) == grain.mean()
    other = np.ones((8, 8), bool)
    assert after(grain, grain).strange(other) == 1
