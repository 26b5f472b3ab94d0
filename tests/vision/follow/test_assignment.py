"""Assignment: the least total cost, as an exhaustive search finds it."""

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.follow.assignment import FORBIDDEN_COST, Floats, assign


def cost(costs: Floats, alone: Floats, new: Floats, pairs: list[tuple[int, int]]) -> float:
    rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
    left = sum(float(alone[row]) for row in range(len(alone)) if row not in rows)
    right = sum(float(new[column]) for column in range(len(new)) if column not in columns)
    return left + right + sum(float(costs[one]) for one in pairs)


def least(costs: Floats, alone: Floats, new: Floats) -> float:
    """By trying everything."""
    rows, columns = costs.shape
    ends: list[int | None] = [*range(columns), *(None for _ in range(rows))]
    choices = {tuple(choice) for choice in permutations(ends, rows)}
    pairings = [[(row, end) for row, end in enumerate(choice) if end is not None] for choice in choices]
    return min(cost(costs, alone, new, pairs) for pairs in pairings)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 10_000))
def test_nothing_is_cheaper(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Costs that lie near each other, so that nothing is clear at once.
    costs, alone, new = rng.uniform(0, 6, (rows, columns)), rng.uniform(0, 6, rows), rng.uniform(0, 6, columns)
    pairs = assign(costs, alone, new)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert abs(cost(costs, alone, new, pairs) - least(costs, alone, new)) < 1e-9


def test_what_is_clear_and_what_is_out_of_the_question() -> None:
    costs = np.array(
        [[0.1, 12.0, FORBIDDEN_COST], [11.0, 0.2, FORBIDDEN_COST], [FORBIDDEN_COST, FORBIDDEN_COST, FORBIDDEN_COST]]
    )
    assert assign(costs, np.full(3, 6.0), np.full(3, 14.0)) == [(0, 0), (1, 1)]


def test_nothing_to_assign() -> None:
    assert assign(np.zeros((0, 3)), np.zeros(0), np.zeros(3)) == []
    assert assign(np.zeros((2, 0)), np.zeros(2), np.zeros(0)) == []
