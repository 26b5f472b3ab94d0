"""Outlines: straight edges around a card, and nothing where there are none."""

import cv2
import numpy as np
import pytest

from models.crops import Floats, Image
from vision.unknown.outline import find_outline, fitted_corners


def rectangle(left: float, top: float, width: float, height: float) -> Floats:
    right, bottom = left + width, top + height
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)


def table_with(*quads: Floats) -> Image:
    image: Image = np.full((600, 800, 3), 90, np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (235, 240, 240))
        middle = quad.mean(0).round().astype(int)
        cv2.circle(image, (int(middle[0]), int(middle[1])), 20, (20, 20, 200), -1)
    return image


CARD = rectangle(300, 200, 126, 176)


def test_a_card_that_lies_free_has_a_closed_outline_near_the_detection() -> None:
    outline = find_outline(table_with(CARD), CARD + np.array([6.0, -8.0]))
    assert outline.is_closed
    assert np.abs(outline.quad_px - CARD).max() < 3.5


@pytest.mark.parametrize("height", [126, 220, 240])
def test_square_and_slim_cards_are_measured(height: int) -> None:
    card = rectangle(300, 150, 126, height)
    guess = rectangle(300, 150, 126, 176)
    outline = find_outline(table_with(card), guess)
    assert outline.is_closed
    assert np.abs(outline.quad_px - card).max() < 3.5


def test_the_end_of_a_card_on_top_of_a_column_is_not_moved() -> None:
    below = rectangle(300, 150, 126, 176)
    image = table_with(below, CARD)
    cv2.line(image, (300, 200), (426, 200), (60, 60, 60), 3)
    assert np.abs(find_outline(image, CARD).quad_px - CARD).max() < 3


def test_grain_is_no_outline() -> None:
    image = np.random.default_rng(1).integers(60, 200, (600, 800, 3)).astype(np.uint8)
    assert not find_outline(image, CARD).is_closed


def test_sides_outside_the_picture_or_under_other_cards_are_unknown() -> None:
    cut_off = rectangle(-60, 200, 126, 176)
    left, _, right, _ = find_outline(table_with(cut_off), cut_off).sides
    assert np.isnan(left)
    assert right > 0.9
    other = rectangle(360, 180, 126, 216)
    assert np.isnan(find_outline(table_with(CARD, other), CARD, [other]).sides[2])


def test_a_whole_card_is_moved_to_its_four_edges_on_a_patterned_table() -> None:
    image: Image = np.full((600, 800, 3), 120, np.uint8)
    for x, y in np.mgrid[0:800:110, 0:600:110].reshape(2, -1).T.tolist():
        cv2.circle(image, (x, y), 32, (150, 20, 210), -1)
    cv2.fillConvexPoly(image, CARD.astype(np.int32), (180, 210, 240))
    # The print has an edge across the middle of the card.
    cv2.rectangle(image, (300, 288), (426, 376), (150, 160, 250), -1)
    for shift in ((0.0, 0.0), (6.0, -5.0), (-12.0, 24.0)):
        fitted = fitted_corners(image, CARD + np.array(shift))
        assert np.abs(fitted - CARD).max() < 3, shift


def test_a_card_without_edges_stays_where_it_was_found() -> None:
    plain: Image = np.full((600, 800, 3), 90, np.uint8)
    assert np.array_equal(fitted_corners(plain, CARD), CARD)
