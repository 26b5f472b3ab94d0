"""The similarity of a crop to the sides of a deck."""

import numpy as np
import pytest

from models.cards import own_deck
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import drawn_faces, shrunk
from vision.hypotheses.similarity import side_similarities, thumbnail

ALL_VISIBLE = np.full((SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)


@pytest.fixture(scope="module")
def faces() -> list[Image]:
    return [shrunk(face, CROP_PX) for _, face in drawn_faces(own_deck("dnp")).pictures[:6]]


@pytest.fixture(scope="module")
def thumbnails(faces: list[Image]) -> Image:
    return np.stack([thumbnail(face) for face in faces])


def test_a_card_looks_like_itself(faces: list[Image], thumbnails: Image) -> None:
    similarities = side_similarities(faces[2], ALL_VISIBLE, thumbnails)
    assert similarities[2, 0] > 0.95
    assert similarities[2, 0] == similarities.max()


def test_a_turned_card_looks_like_itself_turned(faces: list[Image], thumbnails: Image) -> None:
    similarities = side_similarities(faces[4][::-1, ::-1], ALL_VISIBLE, thumbnails)
    assert similarities[4, 1] == similarities.max()


def test_light_does_not_matter(faces: list[Image], thumbnails: Image) -> None:
    dim = (faces[1] * 0.5 + 20).astype(np.uint8)
    assert side_similarities(dim, ALL_VISIBLE, thumbnails)[1, 0] > 0.95


def test_hidden_parts_do_not_matter(faces: list[Image], thumbnails: Image) -> None:
    covered, visible = faces[3].copy(), ALL_VISIBLE.copy()
    covered[40:], visible[10:] = 255, 0
    assert side_similarities(covered, visible, thumbnails)[3, 0] > 0.95
    assert side_similarities(covered, ALL_VISIBLE, thumbnails)[3, 0] < 0.7


def test_a_sliver_has_no_similarity(faces: list[Image], thumbnails: Image) -> None:
    visible = np.zeros_like(ALL_VISIBLE)
    visible[0, :4] = 255
    assert not side_similarities(faces[0], visible, thumbnails).any()
