"""Other ways in which a card may lie of which only a piece is seen."""

import numpy as np
import pytest

from models.crops import Floats
from vision.hypotheses.poses import crossed, fits, framed
from vision.look.layers import shared_cells

SIZE = (16.0, 22.0)
CARD = np.array([[10.0, 10], [26, 10], [26, 32], [10, 32]])


def sides(quad: Floats) -> list[float]:
    return [float(np.linalg.norm(quad[(corner + 1) % 4] - quad[corner])) for corner in range(4)]


def clockwise(quad: Floats) -> bool:
    ahead, behind = quad[1] - quad[0], quad[3] - quad[0]
    return bool(ahead[0] * behind[1] > ahead[1] * behind[0])


def points(left: int, top: int, right: int, bottom: int) -> Floats:
    """The middles of all cells of a rectangle."""
    columns, rows = np.meshgrid(np.arange(left, right), np.arange(top, bottom))
    return np.stack([columns.ravel(), rows.ravel()], 1).astype(float)


def turned(places: Floats, degrees: float) -> Floats:
    angle = np.deg2rad(degrees)
    return np.asarray(places @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]))


@pytest.mark.parametrize("degrees", [0, 33, 120])
def test_a_card_laid_across_keeps_a_corner_and_its_size(degrees: float) -> None:
    card = turned(CARD, degrees)
    others = crossed(card)
    assert len(others) == 4
    for corner, other in enumerate(others):
        assert sides(other) == pytest.approx([16, 22, 16, 22])
        assert clockwise(other)
        assert np.linalg.norm(other - card[corner], axis=1).min() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("degrees", [0, 33])
def test_a_corner_that_is_seen_belongs_to_a_card_that_lies_along_or_across(degrees: float) -> None:
    """Of eight cards that have an edge where the piece ends, one is the true card."""
    shown = turned(points(10, 10, 22, 18), degrees)
    places = framed(shown, SIZE, np.deg2rad(degrees))
    assert len(places) == 8
    assert all(clockwise(place) for place in places)
    true = turned(CARD - 0.5, degrees)
    assert min(np.abs(place - true).max() for place in places) == pytest.approx(0, abs=1e-6)


def test_the_frame_finds_its_own_turn() -> None:
    shown = turned(points(10, 10, 26, 20), 20)
    across = framed(shown, SIZE)[0][1] - framed(shown, SIZE)[0][0]
    assert np.rad2deg(np.arctan2(across[1], across[0])) % 90 == pytest.approx(20, abs=1)


def test_a_single_cell_has_a_frame_too() -> None:
    assert np.isfinite(framed(np.array([[5.0, 5]]), SIZE)).all()


def test_what_lies_inside_must_not_be_table() -> None:
    """Of a card under another one a corner is seen: it may lie under it, not on the bare table beside it."""
    owners = np.full((60, 60), -1, np.int16)
    owners[10:32, 10:26] = 0
    owners[18:34, 8:30] = 1
    places = np.stack([CARD - 0.5, np.array([[7.5, 17.5], [29.5, 17.5], [29.5, 33.5], [7.5, 33.5]])])
    bare = owners < 0
    tried = np.stack([places[0], places[0] - (0, 14.0), places[0] + (30, 0)])
    under, above, beside = fits(tried, owners, 0, bare, shared_cells(owners, places))
    assert under > 0.95
    assert above < 0.6
    assert beside < 0


def test_a_card_that_another_one_lies_on_does_not_lie_on_it() -> None:
    owners = np.full((60, 60), -1, np.int16)
    owners[10:32, 10:26] = 0
    owners[20:42, 10:26] = 1
    places = np.stack([CARD - 0.5, CARD - 0.5 + (0, 10.0)])
    bare, shared = owners < 0, shared_cells(owners, places)
    # What is seen of the second card lies inside the corners of the first: it lies on it and hides it.
    over = fits(places[1:], owners, 1, bare, shared)[0]
    lower = fits(places[1:] - (0, 4.0), owners, 1, bare, shared)[0]
    assert over > lower
    assert over > 0.85
