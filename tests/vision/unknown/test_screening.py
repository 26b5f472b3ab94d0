"""Screening: an own deck is noticed in a picture, and its kept thumbnails are those of the drawings."""

import cv2
import numpy as np

from models.cards import own_deck, own_decks
from models.crops import Image
from models.faces import drawn_faces
from models.thumbnails import drawn_thumbnails, load_thumbnails
from vision.unknown.screening import similar_decks

QUAD = np.array([(100, 80), (352, 80), (352, 432), (100, 432)], float)


def picture_of(face: Image) -> Image:
    image: Image = np.full((500, 500, 3), 90, np.uint8)
    image[80:432, 100:352] = cv2.resize(face, (252, 352), interpolation=cv2.INTER_AREA)
    return image


def test_kept_thumbnails_are_those_of_the_drawings() -> None:
    kept = load_thumbnails()
    assert set(kept) == set(own_decks())
    drawn = drawn_thumbnails("trio").astype(int)
    assert np.abs(drawn - kept["trio"].astype(int)).mean() < 2


def test_an_own_card_is_noticed_upside_down_and_in_dim_light_and_a_foreign_one_is_not() -> None:
    kept = load_thumbnails()
    face = drawn_faces(own_deck("trio")).pictures[3][1]
    dim = np.asarray(picture_of(face)[::-1, ::-1] * 0.6, np.uint8)
    turned = 499.0 - QUAD
    assert "trio" in similar_decks(np.ascontiguousarray(dim), [turned], kept)
    stripes: Image = np.full((352, 252, 3), 230, np.uint8)
    stripes[::40] = stripes[1::40] = stripes[:, 100:140] = 30
    assert similar_decks(picture_of(stripes), [QUAD], kept) == []
    assert similar_decks(picture_of(stripes), [], kept) == []
