"""Which card lies on which."""

import numpy as np

from vision.look.layers import bottom_to_top, duplicates, overlap_counts


def square(x: float, y: float, side: float = 10.0) -> list[list[float]]:
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]


def test_the_visible_card_is_on_top() -> None:
    owners = np.full((40, 40), -1, np.int16)
    owners[5:16, 5:16] = 1
    owners[10:21, 10:21] = 0
    quads = np.array([square(10, 10), square(5, 5)])
    assert bottom_to_top(overlap_counts(owners, quads)) == [1, 0]


def test_a_stack_comes_out_in_order() -> None:
    owners = np.full((60, 40), -1, np.int16)
    quads = []
    names = [3, 0, 4, 1, 2]
    for step, name in enumerate(names):
        owners[5 + 6 * step : 16 + 6 * step, 5:16] = name
        quads.append((name, square(5, 5 + 6 * step)))
    placed = np.array([corners for _, corners in sorted(quads)])
    assert bottom_to_top(overlap_counts(owners, placed)) == names


def test_cards_that_do_not_touch_may_come_in_any_order() -> None:
    owners = np.full((40, 40), -1, np.int16)
    owners[0:11, 0:11], owners[20:31, 20:31] = 0, 1
    assert sorted(bottom_to_top(overlap_counts(owners, np.array([square(0, 0), square(20, 20)])))) == [0, 1]
    assert bottom_to_top(overlap_counts(owners, np.zeros((0, 4, 2)))) == []


def test_of_two_cards_at_one_pose_the_worse_is_a_duplicate() -> None:
    """Whichever way up they were found; a third one beside them is another card."""
    quads = np.array([square(0, 0), square(1, 0)[2:] + square(1, 0)[:2], square(30, 0)])
    assert duplicates(quads, np.array([0.2, 0.9, 0.5]), 3.0) == {0: 1}
    assert duplicates(quads, np.array([0.9, 0.2, 0.5]), 3.0) == {1: 0}
    assert duplicates(quads, np.array([0.9, 0.2, 0.5]), 0.5) == {}
    assert duplicates(quads[:0], np.zeros(0), 3.0) == {}


def test_the_order_is_that_of_taking_the_lowest_of_those_left_again_and_again() -> None:
    rng = np.random.default_rng(1)
    for count in range(1, 12):
        overlaps = rng.integers(0, 4, (count, count))
        above = (overlaps < overlaps.T) & ~np.eye(count, dtype=bool)
        left, wanted = list(range(count)), []
        while left:
            wanted.append(left.pop(int(above[np.ix_(left, left)].sum(1).argmin())))
        assert bottom_to_top(overlaps) == wanted
