"""Sets of hypotheses: subsets, and duplicates merged into the better card."""

from dataclasses import replace

import numpy as np
import pytest

from models.crops import Floats
from vision.hypotheses.candidates import Hypotheses, cell_counts, merge_duplicates
from vision.look.cells import cells_to_view, view_to_cells
from vision.look.crops import CardReading
from vision.look.finder import FACE, TABLE, Detection, Detections
from vision.look.layers import overlap_counts
from vision.look.reader import FaceReading
from vision.table import FOREIGN, Guess

LEFT = np.array([[1.5, 1.5], [17.5, 1.5], [17.5, 23.5], [1.5, 23.5]])
QUADS = cells_to_view(np.stack([LEFT + np.array([x, 0.0]) for x in (0.0, 20.0, 40.0)]))


def read_as(code: str) -> CardReading:
    return CardReading(FaceReading((Guess(code, 0.8), Guess(FOREIGN, 0.2)), False), 1.0)


def detections_at(quads_view: Floats, owners: np.ndarray[tuple[int, int], np.dtype[np.int16]]) -> Detections:
    cards = tuple(Detection(quad, True, 0.5, 1.0, False, (64.0, 88.0)) for quad in quads_view)
    classes = np.where(owners >= 0, FACE, TABLE).astype(np.int8)
    return Detections(cards, owners, 0.0, overlap_counts(owners, view_to_cells(quads_view)), classes)


@pytest.fixture
def hypotheses() -> Hypotheses:
    """Three cards side by side."""
    owners = np.full((30, 64), -1, np.int16)
    for card in range(3):
        owners[2:24, 2 + 20 * card : 18 + 20 * card] = card
    return Hypotheses(detections_at(QUADS, owners), QUADS, (read_as("a"), None, read_as("c")))


def test_cells_of_a_dropped_card_belong_to_no_card(hypotheses: Hypotheses) -> None:
    some = hypotheses.subset([0, 2])
    assert some.readings == (hypotheses.readings[0], hypotheses.readings[2])
    assert (some.quads_view == QUADS[[0, 2]]).all()
    assert cell_counts(some.detections.owners, 2).tolist() == [352, 352]
    assert (some.detections.owners[2:24, 22:38] == -1).all()
    assert np.count_nonzero(some.detections.overlaps - np.diag(np.diag(some.detections.overlaps))) == 0


def test_all_cards_are_the_same_hypotheses(hypotheses: Hypotheses) -> None:
    assert hypotheses.subset([0, 1, 2]) is hypotheses


def test_a_card_that_was_not_read_has_no_reading_probability(hypotheses: Hypotheses) -> None:
    assert [hypotheses.reading_probability(card) for card in range(3)] == [0.8, 0.0, 0.8]


def test_two_halves_of_one_card_become_one(hypotheses: Hypotheses) -> None:
    owners = hypotheses.detections.owners.copy()
    owners[2:7, 42:58] = 3
    quads = np.concatenate([QUADS, QUADS[2:] + 1.0])
    twice = detections_at(quads, owners)
    weaker = (*twice.cards[:3], replace(twice.cards[3], visible=0.3))
    merged, kept = merge_duplicates(replace(twice, cards=weaker), quads)
    assert kept == [0, 1, 2]
    assert (merged.owners == hypotheses.detections.owners).all()


def test_different_cards_are_not_merged(hypotheses: Hypotheses) -> None:
    assert merge_duplicates(hypotheses.detections, QUADS) == (hypotheses.detections, [0, 1, 2])
