"""Sightings: the cards and hands that one look finds in one frame, before any tracking."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.table import FOREIGN, Guess, Point, Quad

Cells = NDArray[np.bool_]
"""A mask over the cells of the table view."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card in one frame."""

    corners_mm: Quad
    """In card order; a back has no top, so either of its two orders may be given."""
    corners_px: Quad
    """The same corners in pixels of the frame."""
    face_up: bool
    confidence: float
    """The probability that a card lies here."""
    visible: float
    """The visible share of the card, from 0 to 1."""
    under_hand: bool = False
    """Whether a hand hides part of the card; such a card is reported without a reading."""
    guesses: tuple[Guess, ...] = ()
    """Best first; empty for a back."""
    marks: tuple[str, ...] = ()
    way_probability: float = 1.0
    """Probability that the card lies this way up and not upside down, if the best guess is right; 1 for a back."""
    side_known: bool = True
    """Whether `face_up` is known; without a deck, a face and a back may look alike."""
    alike: int = 0
    """Without a deck: the number of a group of cards that look the same, most often backs; 0 if no other card does."""

    @property
    def code(self) -> str:
        """The best guess."""
        return self.guesses[0].code if self.guesses else FOREIGN

    @property
    def centre_mm(self) -> Point:
        """The centre of the card."""
        return sum(x for x, _ in self.corners_mm) / 4, sum(y for _, y in self.corners_mm) / 4


@dataclass(frozen=True, slots=True)
class CellGrid:
    """The position of the table view's cells in table millimetres; the origin is the centre of the table."""

    left_mm: float
    top_mm: float
    """The outer corner of the first cell."""
    cell_mm: float
    seen_mm: tuple[float, float, float, float]
    """The limits of the area that the picture shows: left, top, right, bottom."""

    def centres_mm(self, cells: Cells) -> NDArray[np.float64]:
        """The centres of the cells that are set, one per row."""
        rows, columns = np.nonzero(cells)
        across, down = (columns + 0.5) * self.cell_mm, (rows + 0.5) * self.cell_mm
        return np.stack([self.left_mm + across, self.top_mm + down], 1)

    def area_mm2(self, cells: Cells) -> float:
        """The area of the cells that are set."""
        return float(np.count_nonzero(cells)) * self.cell_mm**2


@dataclass(frozen=True, slots=True)
class Look:
    """Everything found in one frame."""

    frame: int
    at_s: float
    cards: tuple[Sighting, ...]
    """Bottom to top where they overlap."""
    hand_share: float = 0.0
    """The share of the table view that shows hands."""
    hand_cells: Cells | None = field(default=None, compare=False, repr=False)
    """The cells of the table view that show hands, if known."""
    grid: CellGrid | None = field(default=None, compare=False, repr=False)
    """The position of these cells on the table."""
