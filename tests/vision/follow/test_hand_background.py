"""Background model: cells that look like a hand at every rest are the table; cells that do so once are a hand."""

import numpy as np

from vision.follow.hand_background import HandBackground
from vision.sightings import Cells


def cells(*spots: tuple[int, int], size: int = 3) -> Cells:
    """A view of 40 x 60 cells with some squares that look like a hand."""
    shown = np.zeros((40, 60), bool)
    for row, column in spots:
        shown[row : row + size, column : column + size] = True
    return shown


def after(*rests: Cells) -> HandBackground:
    one = HandBackground()
    for shown in rests:
        one.add_rest(shown)
        one.end_rest()
    return one


def part(one: HandBackground, shown: Cells) -> float:
    """The share of the view that is foreground."""
    return float(one.foreground(shown).mean())


def test_a_hand_is_strange_at_first_and_however_long_it_rests() -> None:
    hand = cells((10, 10))
    one = HandBackground()
    assert part(one, hand) == hand.mean()
    for _ in range(50):
        one.add_rest(hand)
    one.end_rest()
    assert part(one, hand) == hand.mean()


def test_what_looks_like_a_hand_at_every_rest_is_the_table() -> None:
    grain, hand = cells((10, 10)), cells((10, 10), (30, 40))
    one = after(grain, grain)
    assert part(one, grain) == 0
    assert part(one, cells((9, 11))) == 0, "its edges are seen a little differently every time"
    assert part(one, hand) == cells((30, 40)).mean()


def test_hands_here_and_there_are_not_learnt() -> None:
    places = [cells((4 * number, 5 * number)) for number in range(8)]
    one = after(*places, *places[:1])
    assert all(part(one, place) == place.mean() for place in places)


def test_grain_that_is_gone_is_forgotten_and_another_view_begins_anew() -> None:
    grain = cells((10, 10))
    one = after(grain, grain, *[cells()] * 12)
    assert part(one, grain) == grain.mean()
    other = np.ones((8, 8), bool)
    assert part(after(grain, grain), other) == 1


def test_a_hand_has_not_moved_if_it_is_where_it_was_since_something_moved() -> None:
    hand, elsewhere = cells((10, 10), size=9), cells((10, 30), size=9)
    one = HandBackground()
    assert not one.is_stationary(hand), "nobody knows where it was"
    one.add_rest(hand)
    assert one.is_stationary(hand)
    assert one.is_stationary(cells((11, 9), size=9))
    assert not one.is_stationary(elsewhere)
    one.end_rest()
    assert not one.is_stationary(hand)
