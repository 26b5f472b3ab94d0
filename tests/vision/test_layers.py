"""Which card lies on which."""

import numpy as np

from vision.layers import bottom_to_top, shared_cells


def square(x: float, y: float, side: float = 10.0) -> list[list[float]]:
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]


def test_the_one_that_is_seen_lies_on_top() -> None:
    owners = np.full((40, 40), -1, np.int16)
    owners[5:16, 5:16] = 1
    owners[10:21, 10:21] = 0
    quads = np.array([square(10, 10), square(5, 5)])
    assert bottom_to_top(shared_cells(owners, quads)) == [1, 0]


def test_a_stack_comes_out_in_order() -> None:
    owners = np.full((60, 40), -1, np.int16)
    quads = []
    names = [3, 0, 4, 1, 2]
    for step, name in enumerate(names):
        owners[5 + 6 * step : 16 + 6 * step, 5:16] = name
        quads.append((name, square(5, 5 + 6 * step)))
    placed = np.array([corners for _, corners in sorted(quads)])
    assert bottom_to_top(shared_cells(owners, placed)) == names


def test_cards_that_do_not_touch_may_come_in_any_order() -> None:
    owners = np.full((40, 40), -1, np.int16)
    owners[0:11, 0:11], owners[20:31, 20:31] = 0, 1
    assert sorted(bottom_to_top(shared_cells(owners, np.array([square(0, 0), square(20, 20)])))) == [0, 1]
    assert bottom_to_top(shared_cells(owners, np.zeros((0, 4, 2)))) == []
