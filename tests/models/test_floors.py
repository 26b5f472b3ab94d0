"""Floors fill their ground, and foreign decks are dealt on tables only where that is asked for."""

import numpy as np
import pytest

from models.cards import own_deck
from models.synth.floors import MAKERS, SIZE_PX, floor_ground
from models.synth.foreign.cards import ForeignCards, random_foreign_cards
from models.synth.stills import FLOORS, Recipe, Tables

SMALL = Recipe((320, 224))


@pytest.mark.parametrize("kind", range(len(MAKERS)))
@pytest.mark.parametrize("seed", range(4))
def test_every_floor_fills_its_ground(kind: int, seed: int) -> None:
    pixels = MAKERS[kind](np.random.default_rng((kind, seed)))
    assert pixels.shape == (*SIZE_PX[::-1], 3)
    assert pixels.dtype == np.uint8


def test_the_same_seed_lays_the_same_floor() -> None:
    one, two = (floor_ground(np.random.default_rng(4)) for _ in range(2))
    assert one.name == "floor"
    assert np.array_equal(one.pixels, two.pixels)


def test_a_foreign_deck_keeps_its_shape_and_its_faces() -> None:
    cards = random_foreign_cards(np.random.default_rng(2), px_per_mm=2.0, most=6)
    faces = cards.faces()
    assert 2 <= len(faces) <= 6
    width_mm, height_mm = next(iter(faces.values())).size_mm
    code, face, back = cards.draw(np.random.default_rng(1))
    assert face is faces[code]
    assert face.pixels.shape == back.pixels.shape == (round(2 * height_mm), round(2 * width_mm), 4)


def test_foreign_decks_come_only_where_they_are_asked_for() -> None:
    decks = (own_deck("trio"),)
    plain = Tables(SMALL, 3, decks, 0.5)
    foreign = Tables(Recipe((320, 224), foreign_share=1.0), 3, decks, 0.5)
    assert not any(isinstance(plain.cards(8 * number), ForeignCards) for number in range(6))
    assert all(isinstance(foreign.cards(8 * number), ForeignCards) for number in range(3))
    assert foreign.cards(0) is foreign.cards(7), "eight neighbours share a deck"


def test_floors_are_more_grounds_and_change_nothing_else() -> None:
    plain, floored = Tables(SMALL, 3), Tables(Recipe((320, 224), floors=True), 3)
    assert len(floored._grounds) == len(plain._grounds) + FLOORS
    assert np.array_equal(floored._grounds[0].pixels, plain._grounds[0].pixels)
