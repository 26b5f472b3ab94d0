"""Poses refined with crops that can be read only at the true poses."""

from collections.abc import Sequence

import numpy as np
import pytest

from models.crops import STRIDE_PX, Floats
from vision.hypotheses.candidates import Hypotheses
from vision.hypotheses.refinement import refine_poses
from vision.look.cells import cells_to_view, view_to_cells
from vision.look.crops import CardReading, FrameCrops
from vision.look.finder import FACE, TABLE, Detection, Detections
from vision.look.layers import overlap_counts
from vision.look.reader import FaceReading
from vision.table import FOREIGN, Guess

SIZE_PX = (64.0, 88.0)
TOP = cells_to_view(np.array([[7.5, 19.5], [29.5, 19.5], [29.5, 35.5], [7.5, 35.5]]))[[1, 2, 3, 0]]
UNDER = cells_to_view(np.array([[9.5, 9.5], [25.5, 9.5], [25.5, 31.5], [9.5, 31.5]]))


class TrueCrops(FrameCrops):
    """Reads cards only at their true poses, and aligns nothing."""

    def __init__(self, true: dict[str, Floats]) -> None:
        self.true = true

    def can_read(self, card: Detection) -> bool:
        return True

    def align(self, detections: Detections, quads_view: Floats, indices: Sequence[int]) -> tuple[Floats, Floats]:
        return quads_view, np.zeros((len(quads_view), 4))

    def read(
        self, detections: Detections, quads_view: Floats, indices: Sequence[int], all_quads_view: Floats
    ) -> list[CardReading | None]:
        return [CardReading(self._reading(quad), 0.5) for quad in quads_view]

    def _reading(self, quad: Floats) -> FaceReading:
        for code, place in self.true.items():
            if any(np.abs(np.roll(quad, way, 0) - place).max() < 8 for way in (0, 2)):
                return FaceReading((Guess(code, 0.99), Guess(FOREIGN, 0.0)), False)
        return FaceReading((Guess(FOREIGN, 1.0),), False)


def owners_of(unassigned: bool = False) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    """A card that lies across another one, of which the upper half is visible."""
    owners = np.full((50, 50), -1, np.int16)
    owners[10:32, 10:26] = -1 if unassigned else 1
    owners[20:36, 8:30] = 0
    return owners


def hypotheses(quads: Floats, unassigned: bool, crops: FrameCrops) -> Hypotheses:
    owners = owners_of(unassigned)
    classes = np.where(owners_of() >= 0, FACE, TABLE).astype(np.int8)
    counts = np.bincount(owners.ravel() + 1, minlength=len(quads) + 1)[1:]
    area = SIZE_PX[0] * SIZE_PX[1] / STRIDE_PX**2
    cards = tuple(
        Detection(quad, True, 0.5, float(n) / area, False, SIZE_PX) for quad, n in zip(quads, counts, strict=True)
    )
    detections = Detections(cards, owners, 0.0, overlap_counts(owners, view_to_cells(quads)), classes)
    return Hypotheses(detections, quads, tuple(crops.read(detections, quads, range(len(quads)), quads)))


@pytest.fixture
def crops() -> TrueCrops:
    return TrueCrops({"top": TOP, "under": UNDER})


def codes(hypotheses: Hypotheses) -> list[str]:
    return [reading.face.guesses[0].code for reading in hypotheses.readings if reading is not None]


def test_a_card_that_was_taken_to_lie_across_is_put_right(crops: TrueCrops) -> None:
    across = cells_to_view(np.array([[9.5, 9.5], [31.5, 9.5], [31.5, 25.5], [9.5, 25.5]]))[[1, 2, 3, 0]]
    before = hypotheses(np.stack([TOP, across]), False, crops)
    assert codes(before) == ["top", FOREIGN]
    after = refine_poses(before, crops, SIZE_PX)
    assert codes(after) == ["top", "under"]
    assert np.abs(after.quads_view[0] - TOP).max() == 0
    assert after.detections.cards[1].empty < 0.1


def test_unassigned_cells_turn_out_to_be_a_card(crops: TrueCrops) -> None:
    before = hypotheses(TOP[None], True, crops)
    after = refine_poses(before, crops, SIZE_PX)
    assert codes(after) == ["top", "under"]
    assert after.detections.cards[1].visible == pytest.approx(160 / 352, abs=0.01)


def test_cells_that_are_no_card_stay_unassigned() -> None:
    crops = TrueCrops({"top": TOP})
    after = refine_poses(hypotheses(TOP[None], True, crops), crops, SIZE_PX)
    assert codes(after) == ["top"]
    assert set(np.unique(after.detections.owners)) == {-1, 0}


def test_a_table_that_is_read_well_is_left_alone(crops: TrueCrops) -> None:
    before = hypotheses(np.stack([TOP, UNDER]), False, crops)
    assert refine_poses(before, crops, SIZE_PX) is before
