"""Cards put where they are read better, with a close-up that knows where they really lie."""

from collections.abc import Sequence

import numpy as np
import pytest

from models.crops import STRIDE_PX, Floats
from vision.hypotheses.refinement import Laid, reconsidered, single
from vision.look.crops import Closeup, Text, in_cells, in_view
from vision.look.finder import FACE, TABLE, Finding, Found
from vision.look.layers import shared_cells
from vision.look.reader import Reading
from vision.table import FOREIGN, Guess

SIZE_PX = (64.0, 88.0)
TOP = in_view(np.array([[7.5, 19.5], [29.5, 19.5], [29.5, 35.5], [7.5, 35.5]]))[[1, 2, 3, 0]]
UNDER = in_view(np.array([[9.5, 9.5], [25.5, 9.5], [25.5, 31.5], [9.5, 31.5]]))


class Knowing(Closeup):
    """Reads cards only where they lie, and moves nothing."""

    def __init__(self, true: dict[str, Floats]) -> None:
        self.true = true

    def can_tell(self, card: Found) -> bool:
        return True

    def align(self, finding: Finding, quads_view: Floats, numbers: Sequence[int]) -> tuple[Floats, Floats]:
        return quads_view, np.zeros((len(quads_view), 4))

    def read(
        self, finding: Finding, quads_view: Floats, numbers: Sequence[int], places_view: Floats
    ) -> list[Text | None]:
        return [Text(self._reading(quad), 0.5) for quad in quads_view]

    def _reading(self, quad: Floats) -> Reading:
        for code, place in self.true.items():
            if any(np.abs(np.roll(quad, way, 0) - place).max() < 8 for way in (0, 2)):
                return Reading((Guess(code, 0.99), Guess(FOREIGN, 0.0)), False)
        return Reading((Guess(FOREIGN, 1.0),), False)


def owners_of(loose: bool = False) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    """A card that lies across another, of which the upper half is seen."""
    owners = np.full((50, 50), -1, np.int16)
    owners[10:32, 10:26] = -1 if loose else 1
    owners[20:36, 8:30] = 0
    return owners


def laid(quads: Floats, loose: bool, closeup: Closeup) -> Laid:
    owners = owners_of(loose)
    kinds = np.where(owners_of() >= 0, FACE, TABLE).astype(np.int8)
    counts = np.bincount(owners.ravel() + 1, minlength=len(quads) + 1)[1:]
    area = SIZE_PX[0] * SIZE_PX[1] / STRIDE_PX**2
    cards = tuple(
        Found(quad, True, 0.5, float(n) / area, False, SIZE_PX) for quad, n in zip(quads, counts, strict=True)
    )
    finding = Finding(cards, owners, 0.0, shared_cells(owners, in_cells(quads)), kinds)
    return Laid(finding, quads, tuple(closeup.read(finding, quads, range(len(quads)), quads)))


@pytest.fixture
def knowing() -> Knowing:
    return Knowing({"top": TOP, "under": UNDER})


def codes(table: Laid) -> list[str]:
    return [text.reading.guesses[0].code for text in table.texts if text is not None]


def test_a_card_that_was_taken_to_lie_across_is_put_right(knowing: Knowing) -> None:
    across = in_view(np.array([[9.5, 9.5], [31.5, 9.5], [31.5, 25.5], [9.5, 25.5]]))[[1, 2, 3, 0]]
    before = laid(np.stack([TOP, across]), False, knowing)
    assert codes(before) == ["top", FOREIGN]
    after = reconsidered(before, knowing, SIZE_PX)
    assert codes(after) == ["top", "under"]
    assert np.abs(after.quads_view[0] - TOP).max() == 0
    assert after.finding.cards[1].hollow < 0.1


def test_cells_that_voted_for_nobody_turn_out_to_be_a_card(knowing: Knowing) -> None:
    before = laid(TOP[None], True, knowing)
    after = reconsidered(before, knowing, SIZE_PX)
    assert codes(after) == ["top", "under"]
    assert after.finding.cards[1].visible == pytest.approx(160 / 352, abs=0.01)


def test_cells_that_are_no_card_stay_nobodys() -> None:
    knowing = Knowing({"top": TOP})
    after = reconsidered(laid(TOP[None], True, knowing), knowing, SIZE_PX)
    assert codes(after) == ["top"]
    assert set(np.unique(after.finding.owners)) == {-1, 0}


def test_a_table_that_is_read_well_is_left_alone(knowing: Knowing) -> None:
    before = laid(np.stack([TOP, UNDER]), False, knowing)
    assert reconsidered(before, knowing, SIZE_PX) is before


def test_two_halves_of_one_card_become_one(knowing: Knowing) -> None:
    before = laid(np.stack([TOP, UNDER]), False, knowing)
    twice = np.concatenate([before.quads_view, UNDER[None] + 1.0])
    owners = before.finding.owners.copy()
    owners[10:15, 10:26] = 2
    cards = (*before.finding.cards, before.finding.cards[1])
    finding = Finding(cards, owners, 0.0, np.zeros((3, 3), np.int64), before.finding.kinds)
    one, kept = single(finding, twice)
    assert kept == [0, 1]
    assert (one.owners == before.finding.owners).all()
