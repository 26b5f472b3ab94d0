"""Decks in other styles: every card of every game can be drawn, and no two cards look the same."""

from itertools import combinations

import numpy as np
import pytest

from models.cards import own_deck, own_decks
from models.synth.styled import SIZES_MM, StyledSprites, deck_style

STYLES = (3, 4)
"""Seeds of a style with light paper and of one with dark paper."""
PX_PER_MM = 2.0


def sprites(game: str, seed: int) -> StyledSprites:
    return StyledSprites(own_deck(game), deck_style(game, seed), PX_PER_MM)


@pytest.mark.parametrize("game", own_decks())
@pytest.mark.parametrize("seed", STYLES)
def test_every_card_has_its_own_face(game: str, seed: int) -> None:
    made = sprites(game, seed)
    faces = {card.code: made.face(card.code).pixels.astype(np.int16) for card in made.deck.cards}
    assert len({face.shape for face in faces.values()}) == 1
    for (one, left), (other, right) in combinations(faces.items(), 2):
        clear_px = int((np.abs(left - right).max(2) > 60).sum())
        assert clear_px / PX_PER_MM**2 > 1.0, f"{one} and {other} differ on less than a square millimetre"


@pytest.mark.parametrize("game", own_decks())
def test_every_kind_of_card_has_its_own_back(game: str) -> None:
    made = sprites(game, STYLES[0])
    one_of_each = {card.kind: card.code for card in made.deck.cards}
    backs = [made.back(code).pixels.tobytes() for code in one_of_each.values()]
    assert len(set(backs)) == len(one_of_each)


def test_a_seed_is_a_style() -> None:
    game = own_decks()[0]
    assert deck_style(game, 5) == deck_style(game, 5)
    assert len({deck_style(game, seed) for seed in range(6)}) == 6
    for seed in range(6):
        size = deck_style(game, seed).size
        assert (size.width_mm, size.height_mm) in SIZES_MM
