"""Foreign decks have distinct faces, are drawn the same from the same seed, and never use what is held out."""

import numpy as np
import pytest

from models.synth.foreign.decks import FACE_HEIGHT_PX, FAMILIES, at_1_px_per_mm, indistinct, random_deck_art
from models.synth.foreign.manner import random_lettering
from models.synth.styles import HELD_OUT


@pytest.mark.parametrize("family", FAMILIES)
def test_a_deck_has_distinct_upright_faces_and_backs(family: str) -> None:
    deck = random_deck_art(np.random.default_rng(3), family)
    assert 20 <= len(deck.faces) <= 110
    assert len({face.code for face in deck.faces}) == len(deck.faces)
    assert 1 <= len(deck.backs) <= 2
    wide = round(FACE_HEIGHT_PX * deck.size_mm[0] / deck.size_mm[1])
    for face in deck.faces:
        assert face.pixels.shape == (FACE_HEIGHT_PX, wide, 3)
        assert face.pixels.dtype == np.uint8
    small = np.stack([at_1_px_per_mm(face.pixels) for face in deck.faces])
    assert sum(indistinct(small, face).sum() for face in small) == len(small)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_draws_the_same_deck(family: str) -> None:
    one, two = (random_deck_art(np.random.default_rng(5), family, most=6) for _ in range(2))
    assert [face.code for face in one.faces] == [face.code for face in two.faces]
    assert all(np.array_equal(a.pixels, b.pixels) for a, b in zip(one.faces, two.faces, strict=True))


def test_a_limit_draws_only_some_cards() -> None:
    assert len(random_deck_art(np.random.default_rng(1), "playing", most=5).faces) <= 5


def test_training_letters_use_no_held_out_font() -> None:
    rng = np.random.default_rng(0)
    used = {random_lettering(rng).font for _ in range(300)}
    assert len(used) > 15
    assert not used & set(HELD_OUT)


def test_pictures_that_differ_in_a_small_symbol_are_distinct() -> None:
    plain = np.full((88, 64, 3), 200, np.uint8)
    marked = plain.copy()
    marked[10:12, 10:12] = (40, 40, 200)
    assert not indistinct(plain[None], marked)[0]
    assert indistinct(plain[None], plain + 3)[0]
