"""Cards without print are not cards; overexposed cards may be."""

import numpy as np

from models.cards import own_deck, own_decks
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import drawn_faces, shrunk
from vision.look.blank import is_blank, is_overexposed
from vision.look.tuning import EDGE_MARGIN, OWN_DECK_EDGE_MARGIN

ALL_VISIBLE = np.full((SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)


def cloth(slope: float, noise: float) -> Image:
    rng = np.random.default_rng(1)
    across = np.linspace(0, slope, CROP_PX[0])[None, :, None]
    shape = (CROP_PX[1], CROP_PX[0], 3)
    return np.clip(120 + across + rng.normal(0, noise, shape), 0, 255).astype(np.uint8)


def test_cloth_is_blank_in_any_light() -> None:
    assert is_blank(cloth(0, 4), ALL_VISIBLE)
    assert is_blank(cloth(60, 8), ALL_VISIBLE)


def test_stripes_around_a_square_of_cloth_are_left_out_where_our_own_cards_lie() -> None:
    square = cloth(0, 4)
    wide = round(0.16 * CROP_PX[0])
    square[:, :wide] = square[:, -wide:] = (30, 90, 220)
    assert is_blank(square, ALL_VISIBLE, OWN_DECK_EDGE_MARGIN)
    assert not is_blank(square, ALL_VISIBLE), "a foreign card may have print at its edges only"


def test_no_card_of_our_decks_is_blank() -> None:
    for game in own_decks():
        faces = drawn_faces(own_deck(game))
        for picture in (*(face for _, face in faces.pictures), *faces.backs):
            small = shrunk(picture, CROP_PX)
            for edge in (EDGE_MARGIN, OWN_DECK_EDGE_MARGIN):
                assert not is_blank(small, ALL_VISIBLE, edge)
                # In dim light, too.
                assert not is_blank((small // 4).astype(np.uint8), ALL_VISIBLE, edge)


def test_a_sliver_is_not_called_blank() -> None:
    sliver = ALL_VISIBLE.copy()
    sliver[:, 5:] = 0
    assert not is_blank(cloth(0, 4), sliver)


def test_overexposed_cards_are_recognised() -> None:
    white = np.full((CROP_PX[1], CROP_PX[0], 3), 255, np.uint8)
    assert is_overexposed(white, ALL_VISIBLE)
    assert not is_overexposed((white * 0.9).astype(np.uint8), ALL_VISIBLE), "white paper that is not overexposed"
    half = white.copy()
    half[: CROP_PX[1] // 2] = 120
    assert not is_overexposed(half, ALL_VISIBLE)
    lower = ALL_VISIBLE.copy()
    lower[: SEEN_PX[1] // 2] = 0
    assert is_overexposed(half, lower), "hidden parts do not count"
