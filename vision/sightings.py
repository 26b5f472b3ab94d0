"""Sightings: what one look at the table finds, before anything is remembered."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.follow.hand_background import Cells
from vision.table import FOREIGN, Guess, Point, Quad


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card in one frame."""

    corners_mm: Quad
    """In card order; of a back, which has no top, either of the two ways."""
    corners_px: Quad
    """The same corners in the frame."""
    face_up: bool
    found: float
    """How sure it is that a card lies here."""
    visible: float
    """The part of the card that is seen."""
    under_hand: bool = False
    """Whether a hand hides part of it; such a card is reported, not guessed."""
    guesses: tuple[Guess, ...] = ()
    """Best first; none for a back."""
    marks: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """The best guess."""
        return self.guesses[0].code if self.guesses else FOREIGN

    @property
    def centre_mm(self) -> Point:
        """The middle of the card."""
        return sum(x for x, _ in self.corners_mm) / 4, sum(y for _, y in self.corners_mm) / 4


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the cells of a view lie on the table, whose middle is 0, 0."""

    left_mm: float
    top_mm: float
    """The outer corner of the first cell."""
    cell_mm: float
    seen_mm: tuple[float, float, float, float]
    """How far the picture shows the table and what is beside it: to the left, to the top, to the right, down."""

    def middles_mm(self, cells: Cells) -> NDArray[np.float64]:
        """The middles of the cells that are set, one in each row."""
        rows, columns = np.nonzero(cells)
        across, down = (columns + 0.5) * self.cell_mm, (rows + 0.5) * self.cell_mm
        return np.stack([self.left_mm + across, self.top_mm + down], 1)

    def area_mm2(self, cells: Cells) -> float:
        """How much of the view is set."""
        return float(np.count_nonzero(cells)) * self.cell_mm**2


@dataclass(frozen=True, slots=True)
class Look:
    """Everything found in one frame."""

    frame: int
    at_s: float
    cards: tuple[Sighting, ...]
    """Bottom to top where they overlap."""
    hands: float = 0.0
    """The part of the view that is hands."""
    where: Cells | None = field(default=None, compare=False, repr=False)
    """The cells of the view that show them, if that is known."""
    grid: Grid | None = field(default=None, compare=False, repr=False)
    """Where these cells lie."""
