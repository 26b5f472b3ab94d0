"""Assignment: pairs rows with columns so that the total cost is least."""

import numpy as np
from numpy.typing import NDArray

from vision.follow.tuning import CLEAR_COST_GAP

Floats = NDArray[np.float64]

FORBIDDEN_COST = 1e6
"""The cost of a pair that is impossible."""


def assign(costs: Floats, row_costs: Floats, column_costs: Floats) -> list[tuple[int, int]]:
    """Pairs of rows and columns, each used at most once; an unpaired row or column has a cost of its own."""
    rows, columns = costs.shape
    if not rows or not columns:
        return []
    free_rows, free_columns = set(range(rows)), set(range(columns))
    found = _clear_pairs(costs, row_costs, column_costs)
    free_rows -= {row for row, _ in found}
    free_columns -= {column for _, column in found}
    some, others = sorted(free_rows), sorted(free_columns)
    if some and others:
        part = costs[np.ix_(some, others)]
        pairs = _cheapest(_with_unpaired(part, row_costs[some], column_costs[others]))
        found += [(some[row], others[column]) for row, column in pairs if row < len(some) and column < len(others)]
    return sorted(one for one in found if costs[one] < FORBIDDEN_COST)


def _clear_pairs(costs: Floats, row_costs: Floats, column_costs: Floats) -> list[tuple[int, int]]:
    """Pairs that are by far the cheapest for both: nearly all pairs on a still table."""
    by_row = np.column_stack([costs, row_costs])
    by_column = np.vstack([costs, column_costs[None, :]])
    best_of_row, second_of_row = _two_least(by_row)
    best_of_column, second_of_column = _two_least(by_column.T)
    found = []
    for row in range(costs.shape[0]):
        column = int(np.argmin(costs[row]))
        cost = costs[row, column]
        mutual = cost == best_of_row[row] == best_of_column[column]
        if mutual and min(second_of_row[row], second_of_column[column]) - cost >= CLEAR_COST_GAP:
            found.append((row, column))
    return found


def _two_least(values: Floats) -> tuple[Floats, Floats]:
    least = np.partition(values, 1, axis=1)[:, :2]
    return least[:, 0], least[:, 1]


def _with_unpaired(costs: Floats, row_costs: Floats, column_costs: Floats) -> Floats:
    """A square cost matrix in which every row and column may also stay unpaired."""
    rows, columns = costs.shape
    square = np.full((rows + columns, rows + columns), FORBIDDEN_COST)
    square[:rows, :columns] = costs
    square[np.arange(rows), columns + np.arange(rows)] = row_costs
    square[rows + np.arange(columns), np.arange(columns)] = column_costs
    square[rows:, columns:] = 0.0
    return square


def _cheapest(costs: Floats) -> list[tuple[int, int]]:
    """The assignment of a square matrix with the least sum, by shortest augmenting paths, one row at a time."""
    size = len(costs)
    row_price, column_price = np.zeros(size), np.zeros(size + 1)
    owner = np.full(size + 1, -1)
    for row in range(size):
        owner[size] = row
        column = size
        least, previous = np.full(size, np.inf), np.full(size, size)
        used = np.zeros(size + 1, bool)
        while owner[column] >= 0:
            used[column] = True
            here = int(owner[column])
            free = ~used[:size]
            reduced = costs[here] - row_price[here] - column_price[:size]
            closer = free & (reduced < least)
            least[closer], previous[closer] = reduced[closer], column
            following = int(np.argmin(np.where(free, least, np.inf)))
            step = least[following]
            row_price[owner[used]] += step
            column_price[used] -= step
            least[free] -= step
            column = following
        while column != size:
            before = int(previous[column])
            owner[column] = owner[before]
            column = before
    return [(int(owner[column]), column) for column in range(size)]
