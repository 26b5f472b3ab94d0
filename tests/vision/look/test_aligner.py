"""Correcting the pose of a card."""

from itertools import pairwise

import numpy as np
import pytest

from calibration.frames import Frame
from device.eyes import EyeFactory
from device.lab.bench.still import still_of
from models.crops import ALIGN_CARD_PX, ALIGN_PX, Floats, to_align
from vision.look.aligner import apply_offsets

CARD = np.array([[100.0, 100.0], [163.0, 100.0], [163.0, 188.0], [100.0, 188.0]])


def test_no_offset_moves_nothing() -> None:
    assert apply_offsets(CARD[None], np.zeros((1, 4)), known_size=True) == pytest.approx(CARD[None])


@pytest.mark.parametrize("turn_deg", [0, 30, 135, 270])
def test_right_and_down_are_the_cards_own(turn_deg: float) -> None:
    angle = np.deg2rad(turn_deg)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    card = CARD @ spin.T
    found = apply_offsets(card[None], np.array([[0.1, 0.2, 0.0, 0.0]]), known_size=True)[0]
    assert found == pytest.approx(np.add(CARD, (6.3, 12.6)) @ spin.T)


def test_turn_and_size() -> None:
    found = apply_offsets(CARD[None], np.array([[0.0, 0.0, np.pi / 2, np.log(2.0)]]), known_size=False)[0]
    middle = CARD.mean(0)
    assert found.mean(0) == pytest.approx(middle)
    assert found[0] - middle == pytest.approx((88.0, -63.0))
    kept = apply_offsets(CARD[None], np.array([[0.0, 0.0, 0.0, np.log(2.0)]]), known_size=True)[0]
    assert kept == pytest.approx(CARD)


def test_the_piece_shows_the_card_upright_in_its_centre() -> None:
    card: Floats = np.roll(CARD, 1, axis=0)
    across, down = card[1] - card[0], card[3] - card[0]
    matrix = to_align(card.mean(0), down, float(np.hypot(*across)))
    corners = card @ matrix[:, :2].T + matrix[:, 2]
    middle = (np.array(ALIGN_PX) - 1) / 2
    assert corners.mean(0) == pytest.approx(middle)
    assert corners[1] - corners[0] == pytest.approx((ALIGN_CARD_PX, 0.0))


def test_cards_on_an_easy_table_lie_where_they_lie() -> None:
    """Ten cards side by side, 72 mm apart."""
    still = still_of(10, (1920, 1080), (800.0, 450.0), EyeFactory(threads=1))
    look = still.eye.look(Frame(0, 0.0, still.image))
    assert len(look.cards) == 10
    across = sorted(card.centre_mm[0] for card in look.cards)
    # They were laid with a standard deviation of 1 mm.
    assert all(abs(right - left - 72) < 5 for left, right in pairwise(across))
    widths = [np.hypot(*np.subtract(card.corners_mm[1], card.corners_mm[0])) for card in look.cards]
    assert widths == pytest.approx([63.0] * 10, abs=0.1)
