"""Cards found again by single spots of their print."""

import cv2
import numpy as np
import pytest

from models.cards import own_deck
from models.crops import CARD_PX, CROP_PX, Floats, Image, to_crop
from models.faces import Faces, drawn_faces
from vision.hypotheses.keypoints import Memory, Spots, joined, memorised, spoken, spots_in, supposed
from vision.table import FOREIGN

SCALE = CROP_PX[0] / CARD_PX
"""Pixels of a picture for one of the view."""
PICTURE_PX = (700, 500)
LEAST = 3.0


@pytest.fixture(scope="module")
def faces() -> Faces:
    return drawn_faces(own_deck("trio"))


@pytest.fixture(scope="module")
def memory(faces: Faces) -> Memory:
    return memorised([*faces.pictures, *((FOREIGN, back) for back in faces.backs)], faces.card_mm)


def quad(middle_px: tuple[float, float], turn_deg: float) -> Floats:
    """The corners of a card of Trio in the view."""
    turn = np.deg2rad(turn_deg)
    ahead = np.array([np.cos(turn), np.sin(turn)])
    across, down = ahead * CARD_PX / 2, np.array([-ahead[1], ahead[0]]) * 88.0 / 2
    return np.array(middle_px) + np.stack([-across - down, across - down, across + down, down - across])


def table(faces: Faces, *laid: tuple[str, Floats]) -> Image:
    """A grey table, as large as two pictures of the view, with cards on it, one after the other."""
    picture = np.full((PICTURE_PX[1], PICTURE_PX[0], 3), 120, np.uint8)
    pictures = dict(faces.pictures)
    for code, place in laid:
        face = pictures[code]
        size = (face.shape[1], face.shape[0])
        back = np.linalg.inv(to_crop((place + 0.5) * SCALE - 0.5, size))
        soft = cv2.GaussianBlur(face, (0, 0), 1.5)
        flat = cv2.warpPerspective(soft, back, PICTURE_PX, flags=cv2.INTER_AREA)
        where = cv2.warpPerspective(np.full(size[::-1], 255, np.uint8), back, PICTURE_PX) > 127
        picture[where] = flat[where]
    return picture


def seen(picture: Image) -> Spots:
    return spots_in(picture, np.zeros(2), 1 / SCALE)


def off_px(found: Floats, true: Floats) -> float:
    return float(np.abs(found - true).max())


def test_cards_lie_where_their_spots_say(faces: Faces, memory: Memory) -> None:
    places = [("7", quad((80, 90), 20.0)), ("12", quad((200, 130), -75.0)), ("1", quad((280, 60), 170.0))]
    found = supposed(seen(table(faces, *places)), memory, LEAST)[:3]
    for _, place in places:
        assert min(off_px(each.quad_px, place) for each in found) < 2.0


def test_a_strip_of_a_card_is_enough(faces: Faces, memory: Memory) -> None:
    under, over = quad((120, 100), 0.0), quad((120, 118), 0.0)
    found = supposed(seen(table(faces, ("5", under), ("9", over))), memory, LEAST)
    assert min(off_px(each.quad_px, over) for each in found) < 2.0
    assert min(off_px(each.quad_px, under) for each in found) < 2.0


def test_no_spot_speaks_for_two_places(faces: Faces, memory: Memory) -> None:
    place = quad((150, 110), 30.0)
    found = supposed(seen(table(faces, ("3", place))), memory, LEAST)
    assert off_px(found[0].quad_px, place) < 2.0
    assert all(other.worth < found[0].worth / 3 for other in found[1:])


def test_a_bare_table_says_nothing(memory: Memory) -> None:
    bare = np.full((300, 300, 3), 120, np.uint8)
    assert supposed(seen(bare), memory, LEAST) == []
    assert supposed(joined([]), memory, LEAST) == []


def test_what_is_worth_too_little_is_not_supposed(faces: Faces, memory: Memory) -> None:
    spots = seen(table(faces, ("3", quad((150, 110), 30.0))))
    assert supposed(spots, memory, 1e6) == []


@pytest.mark.parametrize(("turn_deg", "way"), [(10.0, 0), (190.0, 1)])
def test_spots_say_which_side_it_is_and_which_way_up(faces: Faces, memory: Memory, turn_deg: float, way: int) -> None:
    spots = seen(table(faces, ("8", quad((150, 110), turn_deg))))
    said = spoken(spots, memory, quad((150, 110), 10.0))
    side, turned = np.unravel_index(int(said.argmax()), said.shape)
    assert (memory.codes[int(side)], int(turned)) == ("8", way)


def test_what_many_cards_have_in_common_is_known_once(memory: Memory) -> None:
    shared = memory.owners.sum(1)
    assert shared.min() >= 1
    assert shared.max() > 1
    assert len(memory.owners) == len(memory.spots.looks)
