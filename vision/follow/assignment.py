"""Pairing: which of two lists belongs to which, at the least cost for all of them together."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEVER = 1e6
"""The cost of a pair that is out of the question."""
_CLEAR = 4.0
"""A pair that is so much cheaper than all others of both its ends needs no further thought."""


def pair(costs: Floats, alone: Floats, new: Floats) -> list[tuple[int, int]]:
    """Rows with columns, each at most once; what stays without costs `alone` (rows) or `new` (columns)."""
    rows, columns = costs.shape
    if not rows or not columns:
        return []
    left, right = set(range(rows)), set(range(columns))
    found = _clear_pairs(costs, alone, new)
    left -= {row for row, _ in found}
    right -= {column for _, column in found}
    some, others = sorted(left), sorted(right)
    if some and others:
        part = costs[np.ix_(some, others)]
        pairs = _cheapest(_with_none(part, alone[some], new[others]))
        found += [(some[row], others[column]) for row, column in pairs if row < len(some) and column < len(others)]
    return sorted(one for one in found if costs[one] < NEVER)


def _clear_pairs(costs: Floats, alone: Floats, new: Floats) -> list[tuple[int, int]]:
    """What is the best for both ends by far: nearly everything on a table that lies still."""
    by_row = np.column_stack([costs, alone])
    by_column = np.vstack([costs, new[None, :]])
    best, second = _two_least(by_row)
    upper, next_upper = _two_least(by_column.T)
    found = []
    for row in range(costs.shape[0]):
        column = int(np.argmin(costs[row]))
        cost = costs[row, column]
        sure = cost == best[row] == upper[column]
        if sure and second[row] - cost >= _CLEAR and next_upper[column] - cost >= _CLEAR:
            found.append((row, column))
    return found


def _two_least(values: Floats) -> tuple[Floats, Floats]:
    least = np.partition(values, 1, axis=1)[:, :2]
    return least[:, 0], least[:, 1]


def _with_none(costs: Floats, alone: Floats, new: Floats) -> Floats:
    """A square in which everybody may also be paired with nobody."""
    rows, columns = costs.shape
    square = np.full((rows + columns, rows + columns), NEVER)
    square[:rows, :columns] = costs
    square[np.arange(rows), columns + np.arange(rows)] = alone
    square[rows + np.arange(columns), np.arange(columns)] = new
    square[rows:, columns:] = 0.0
    return square


def _cheapest(costs: Floats) -> list[tuple[int, int]]:
    """The assignment of a square with the least sum: shortest augmenting paths, one row after the other."""
    size = len(costs)
    row_price, column_price = np.zeros(size), np.zeros(size + 1)
    owner = np.full(size + 1, -1)
    for row in range(size):
        owner[size] = row
        column = size
        least, came = np.full(size, np.inf), np.full(size, size)
        used = np.zeros(size + 1, bool)
        while owner[column] >= 0:
            used[column] = True
            here = int(owner[column])
            free = ~used[:size]
            reduced = costs[here] - row_price[here] - column_price[:size]
            closer = free & (reduced < least)
            least[closer], came[closer] = reduced[closer], column
            following = int(np.argmin(np.where(free, least, np.inf)))
            step = least[following]
            row_price[owner[used]] += step
            column_price[used] -= step
            least[free] -= step
            column = following
        while column != size:
            before = int(came[column])
            owner[column] = owner[before]
            column = before
    return [(int(owner[column]), column) for column in range(size)]
