"""Background model of false hand detections: parts of the table that look like a hand whenever nothing moves."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.follow.tuning import (
    BACKGROUND_DECAY,
    BACKGROUND_MIN_RESTS,
    BACKGROUND_MIN_SHARE,
    BACKGROUND_REACH_CELLS,
    STATIONARY_SHARE,
)
from vision.sightings import Cells


class HandBackground:
    """Learns where hands seem to be while the table rests; a real hand seldom rests in the same place twice."""

    def __init__(self) -> None:
        self._counts: NDArray[np.float64] = np.zeros((0, 0))
        """For every cell, the discounted number of rests in which it looked like a hand."""
        self._rests = 0.0
        """The discounted number of rests."""
        self._current: Cells | None = None
        """The cells that looked like a hand since the last motion."""

    def end_rest(self) -> None:
        """Something moves: the rest before counts once, however long it was."""
        if self._current is not None:
            self._counts = self._counts * BACKGROUND_DECAY + self._current
            self._rests = self._rests * BACKGROUND_DECAY + 1
            self._current = None

    def add_rest(self, cells: Cells) -> None:
        """The table rests, and these cells look like a hand."""
        if cells.shape != self._counts.shape:
            self._counts, self._rests, self._current = np.zeros(cells.shape), 0.0, None
        self._current = cells if self._current is None else self._current | cells

    def foreground(self, cells: Cells) -> Cells:
        """The hand cells that are not part of the background."""
        if cells.shape != self._counts.shape:
            return cells
        background = (self._counts >= BACKGROUND_MIN_RESTS) & (self._counts >= BACKGROUND_MIN_SHARE * self._rests)
        return np.asarray(cells & ~_widened(background))

    def is_stationary(self, cells: Cells) -> bool:
        """Whether most of these hand cells looked like a hand earlier in this rest."""
        if self._current is None or cells.shape != self._current.shape:
            return False
        return bool(np.count_nonzero(cells & _widened(self._current)) >= STATIONARY_SHARE * np.count_nonzero(cells))


def _widened(cells: Cells) -> Cells:
    """The cells and their neighbours: the border of an object is detected a little differently every time."""
    square = np.ones((BACKGROUND_REACH_CELLS, BACKGROUND_REACH_CELLS), np.uint8)
    return np.asarray(cv2.dilate(cells.astype(np.uint8), square) > 0)
