"""What has the shape of a card and nothing printed on it is no card."""

import numpy as np

from models.cards import own_deck, own_decks
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import drawn_faces, shrunk
from vision.look.blank import EDGE, OWN_EDGE, is_bare, is_burnt_out

EVERYTHING = np.full((SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)


def cloth(slope: float, noise: float) -> Image:
    rng = np.random.default_rng(1)
    across = np.linspace(0, slope, CROP_PX[0])[None, :, None]
    shape = (CROP_PX[1], CROP_PX[0], 3)
    return np.clip(120 + across + rng.normal(0, noise, shape), 0, 255).astype(np.uint8)


def test_cloth_is_bare_in_any_light() -> None:
    assert is_bare(cloth(0, 4), EVERYTHING)
    assert is_bare(cloth(60, 8), EVERYTHING)


def test_stripes_around_a_square_of_cloth_are_left_out_where_our_own_cards_lie() -> None:
    square = cloth(0, 4)
    wide = round(0.16 * CROP_PX[0])
    square[:, :wide] = square[:, -wide:] = (30, 90, 220)
    assert is_bare(square, EVERYTHING, OWN_EDGE)
    assert not is_bare(square, EVERYTHING), "a foreign card may have print at its edges only"


def test_no_card_of_ours_is_bare() -> None:
    for game in own_decks():
        faces = drawn_faces(own_deck(game))
        for picture in (*(face for _, face in faces.pictures), *faces.backs):
            small = shrunk(picture, CROP_PX)
            for edge in (EDGE, OWN_EDGE):
                assert not is_bare(small, EVERYTHING, edge)
                # In dim light, too.
                assert not is_bare((small // 4).astype(np.uint8), EVERYTHING, edge)


def test_of_a_sliver_nothing_is_said() -> None:
    sliver = EVERYTHING.copy()
    sliver[:, 5:] = 0
    assert not is_bare(cloth(0, 4), sliver)


def test_what_light_has_burnt_out_may_bear_any_print() -> None:
    white = np.full((CROP_PX[1], CROP_PX[0], 3), 255, np.uint8)
    assert is_burnt_out(white, EVERYTHING)
    assert not is_burnt_out((white * 0.9).astype(np.uint8), EVERYTHING), "white paper that is not burnt out"
    half = white.copy()
    half[: CROP_PX[1] // 2] = 120
    assert not is_burnt_out(half, EVERYTHING)
    lower = EVERYTHING.copy()
    lower[: SEEN_PX[1] // 2] = 0
    assert is_burnt_out(half, lower), "what is hidden does not count"
