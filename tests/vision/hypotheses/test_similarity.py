"""How much a crop looks like the sides of a deck."""

import numpy as np
import pytest

from models.cards import own_deck
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import drawn_faces, shrunk
from vision.hypotheses.similarity import likeness, small_side

ALL = np.full((SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)


@pytest.fixture(scope="module")
def faces() -> list[Image]:
    return [shrunk(face, CROP_PX) for _, face in drawn_faces(own_deck("dnp")).pictures[:6]]


@pytest.fixture(scope="module")
def sides(faces: list[Image]) -> Image:
    return np.stack([small_side(face) for face in faces])


def test_a_card_looks_like_itself(faces: list[Image], sides: Image) -> None:
    like = likeness(faces[2], ALL, sides)
    assert like[2, 0] > 0.95
    assert like[2, 0] == like.max()


def test_a_turned_card_looks_like_itself_turned(faces: list[Image], sides: Image) -> None:
    like = likeness(faces[4][::-1, ::-1], ALL, sides)
    assert like[4, 1] == like.max()


def test_light_does_not_matter(faces: list[Image], sides: Image) -> None:
    dim = (faces[1] * 0.5 + 20).astype(np.uint8)
    assert likeness(dim, ALL, sides)[1, 0] > 0.95


def test_what_is_not_seen_does_not_matter(faces: list[Image], sides: Image) -> None:
    covered, seen = faces[3].copy(), ALL.copy()
    covered[40:], seen[10:] = 255, 0
    assert likeness(covered, seen, sides)[3, 0] > 0.95
    assert likeness(covered, ALL, sides)[3, 0] < 0.7


def test_of_next_to_nothing_nothing_is_said(faces: list[Image], sides: Image) -> None:
    seen = np.zeros_like(ALL)
    seen[0, :4] = 255
    assert not likeness(faces[0], seen, sides).any()
