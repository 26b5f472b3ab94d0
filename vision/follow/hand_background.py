"""Familiar places: the grain of a table that looks like a hand, again and again, whenever nothing moves."""

import cv2
import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]

OFTEN = 0.4
"""What looked like a hand so often when the table was at rest, and at least twice, is the table."""
LEAST = 1.5
FADES = 0.9
"""How much of it all is remembered after every rest: light changes, and people."""
UNMOVED = 0.8
"""The part of a hand that must be where it was if it has not moved."""
_AROUND = np.ones((5, 5), np.uint8)


class Familiar:
    """Remembers where hands seemed to be while the table was at rest; a real one is seldom there twice."""

    def __init__(self) -> None:
        self._claims: NDArray[np.float64] = np.zeros((0, 0))
        self._rests = 0.0
        self._now: Cells | None = None
        """Where hands seemed to be since the last move."""

    def moved(self) -> None:
        """Something moves: the rest before it counts once, however long it was."""
        if self._now is not None:
            self._claims = self._claims * FADES + self._now
            self._rests = self._rests * FADES + 1
            self._now = None

    def rests(self, cells: Cells) -> None:
        """Nothing has moved for a while, and these cells look like a hand."""
        if cells.shape != self._claims.shape:
            self._claims, self._rests, self._now = np.zeros(cells.shape), 0.0, None
        self._now = cells if self._now is None else self._now | cells

    def strange(self, cells: Cells) -> Cells:
        """The cells that look like a hand and are not known to."""
        if cells.shape != self._claims.shape:
            return cells
        known = (self._claims >= LEAST) & (self._claims >= OFTEN * self._rests)
        return np.asarray(cells & ~_around(known))

    def unmoved(self, cells: Cells) -> bool:
        """Whether most cells that look like a hand did so earlier in this rest."""
        if self._now is None or cells.shape != self._now.shape:
            return False
        return bool(np.count_nonzero(cells & _around(self._now)) >= UNMOVED * np.count_nonzero(cells))


def _around(cells: Cells) -> Cells:
    """The cells and those beside them: where a thing ends is seen a little differently every time."""
    return np.asarray(cv2.dilate(cells.astype(np.uint8), _AROUND) > 0)
