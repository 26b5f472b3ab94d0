"""Candidate poses of a card of which only a part is visible."""

import numpy as np
import pytest

from models.crops import Floats
from vision.hypotheses.poses import crossed_poses, flush_poses, pose_fits
from vision.look.layers import overlap_counts

SIZE = (16.0, 22.0)
CARD = np.array([[10.0, 10], [26, 10], [26, 32], [10, 32]])


def sides(quad: Floats) -> list[float]:
    return [float(np.linalg.norm(quad[(corner + 1) % 4] - quad[corner])) for corner in range(4)]


def clockwise(quad: Floats) -> bool:
    ahead, behind = quad[1] - quad[0], quad[3] - quad[0]
    return bool(ahead[0] * behind[1] > ahead[1] * behind[0])


def points(left: int, top: int, right: int, bottom: int) -> Floats:
    """The centres of all cells of a rectangle."""
    columns, rows = np.meshgrid(np.arange(left, right), np.arange(top, bottom))
    return np.stack([columns.ravel(), rows.ravel()], 1).astype(float)


def turned(places: Floats, degrees: float) -> Floats:
    angle = np.deg2rad(degrees)
    return np.asarray(places @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]))


@pytest.mark.parametrize("degrees", [0, 33, 120])
def test_a_card_laid_across_keeps_a_corner_and_its_size(degrees: float) -> None:
    card = turned(CARD, degrees)
    others = crossed_poses(card)
    assert len(others) == 4
    for corner, other in enumerate(others):
        assert sides(other) == pytest.approx([16, 22, 16, 22])
        assert clockwise(other)
        assert np.linalg.norm(other - card[corner], axis=1).min() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("degrees", [0, 33])
def test_a_visible_corner_belongs_to_a_card_that_lies_along_or_across(degrees: float) -> None:
    """Of eight cards flush with the edges of the visible part, one is the true card."""
    shown = turned(points(10, 10, 22, 18), degrees)
    places = flush_poses(shown, SIZE, np.deg2rad(degrees))
    assert len(places) == 8
    assert all(clockwise(place) for place in places)
    true = turned(CARD - 0.5, degrees)
    assert min(np.abs(place - true).max() for place in places) == pytest.approx(0, abs=1e-6)


def test_the_bounding_rectangle_finds_its_own_angle() -> None:
    shown = turned(points(10, 10, 26, 20), 20)
    across = flush_poses(shown, SIZE)[0][1] - flush_poses(shown, SIZE)[0][0]
    assert np.rad2deg(np.arctan2(across[1], across[0])) % 90 == pytest.approx(20, abs=1)


def test_a_single_cell_has_poses_too() -> None:
    assert np.isfinite(flush_poses(np.array([[5.0, 5]]), SIZE)).all()


def test_cells_inside_the_outline_must_not_show_the_table() -> None:
    """Only a corner of a card is visible: the card may be under the other one, not on the table beside it."""
    owners = np.full((60, 60), -1, np.int16)
    owners[10:32, 10:26] = 0
    owners[18:34, 8:30] = 1
    places = np.stack([CARD - 0.5, np.array([[7.5, 17.5], [29.5, 17.5], [29.5, 33.5], [7.5, 33.5]])])
    is_table = owners < 0
    tried = np.stack([places[0], places[0] - (0, 14.0), places[0] + (30, 0)])
    under, above, beside = pose_fits(tried, owners, 0, is_table, overlap_counts(owners, places))
    assert under > 0.95
    assert above < 0.6
    assert beside < 0


def test_a_card_that_another_one_lies_on_does_not_lie_on_it() -> None:
    owners = np.full((60, 60), -1, np.int16)
    owners[10:32, 10:26] = 0
    owners[20:42, 10:26] = 1
    places = np.stack([CARD - 0.5, CARD - 0.5 + (0, 10.0)])
    is_table, overlaps = owners < 0, overlap_counts(owners, places)
    # The second card is visible inside the outline of the first: it is on top and hides it.
    over = pose_fits(places[1:], owners, 1, is_table, overlaps)[0]
    lower = pose_fits(places[1:] - (0, 4.0), owners, 1, is_table, overlaps)[0]
    assert over > lower
    assert over > 0.85
