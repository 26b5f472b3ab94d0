"""Cards found by single keypoints of their print."""

import cv2
import numpy as np
import pytest

from models.cards import own_deck
from models.crops import CARD_PX, CROP_PX, Floats, Image, to_crop
from models.faces import Faces, drawn_faces
from vision.hypotheses.keypoints import (
    KeypointIndex,
    Keypoints,
    build_index,
    concatenated,
    detect_keypoints,
    pose_candidates,
    side_scores,
)
from vision.table import FOREIGN

SCALE = CROP_PX[0] / CARD_PX
"""Picture px per view px."""
PICTURE_PX = (700, 500)
MIN_SCORE = 3.0


@pytest.fixture(scope="module")
def faces() -> Faces:
    return drawn_faces(own_deck("trio"))


@pytest.fixture(scope="module")
def index(faces: Faces) -> KeypointIndex:
    return build_index([*faces.pictures, *((FOREIGN, back) for back in faces.backs)], faces.card_mm)


def quad(centre_px: tuple[float, float], turn_deg: float) -> Floats:
    """The corners of a card of Trio in the view."""
    turn = np.deg2rad(turn_deg)
    ahead = np.array([np.cos(turn), np.sin(turn)])
    across, down = ahead * CARD_PX / 2, np.array([-ahead[1], ahead[0]]) * 88.0 / 2
    return np.array(centre_px) + np.stack([-across - down, across - down, across + down, down - across])


def table(faces: Faces, *cards: tuple[str, Floats]) -> Image:
    """A grey table at twice the scale of the view, with cards laid on it one after the other."""
    picture = np.full((PICTURE_PX[1], PICTURE_PX[0], 3), 120, np.uint8)
    pictures = dict(faces.pictures)
    for code, place in cards:
        face = pictures[code]
        size = (face.shape[1], face.shape[0])
        back = np.linalg.inv(to_crop((place + 0.5) * SCALE - 0.5, size))
        soft = cv2.GaussianBlur(face, (0, 0), 1.5)
        flat = cv2.warpPerspective(soft, back, PICTURE_PX, flags=cv2.INTER_AREA)
        where = cv2.warpPerspective(np.full(size[::-1], 255, np.uint8), back, PICTURE_PX) > 127
        picture[where] = flat[where]
    return picture


def keypoints_of(picture: Image) -> Keypoints:
    return detect_keypoints(picture, np.zeros(2), 1 / SCALE)


def off_px(found: Floats, true: Floats) -> float:
    return float(np.abs(found - true).max())


def test_keypoints_find_cards(faces: Faces, index: KeypointIndex) -> None:
    places = [("7", quad((80, 90), 20.0)), ("12", quad((200, 130), -75.0)), ("1", quad((280, 60), 170.0))]
    found = pose_candidates(keypoints_of(table(faces, *places)), index, MIN_SCORE)[:3]
    for _, place in places:
        assert min(off_px(each.quad_px, place) for each in found) < 2.0


def test_a_strip_of_a_card_is_enough(faces: Faces, index: KeypointIndex) -> None:
    under, over = quad((120, 100), 0.0), quad((120, 118), 0.0)
    found = pose_candidates(keypoints_of(table(faces, ("5", under), ("9", over))), index, MIN_SCORE)
    assert min(off_px(each.quad_px, over) for each in found) < 2.0
    assert min(off_px(each.quad_px, under) for each in found) < 2.0


def test_no_keypoint_supports_two_poses(faces: Faces, index: KeypointIndex) -> None:
    place = quad((150, 110), 30.0)
    found = pose_candidates(keypoints_of(table(faces, ("3", place))), index, MIN_SCORE)
    assert off_px(found[0].quad_px, place) < 2.0
    assert all(other.score < found[0].score / 3 for other in found[1:])


def test_an_empty_table_has_no_poses(index: KeypointIndex) -> None:
    empty = np.full((300, 300, 3), 120, np.uint8)
    assert pose_candidates(keypoints_of(empty), index, MIN_SCORE) == []
    assert pose_candidates(concatenated([]), index, MIN_SCORE) == []


def test_a_pose_with_too_low_a_score_is_left_out(faces: Faces, index: KeypointIndex) -> None:
    keypoints = keypoints_of(table(faces, ("3", quad((150, 110), 30.0))))
    assert pose_candidates(keypoints, index, 1e6) == []


@pytest.mark.parametrize(("turn_deg", "way"), [(10.0, 0), (190.0, 1)])
def test_keypoints_tell_the_side_and_which_way_up(
    faces: Faces, index: KeypointIndex, turn_deg: float, way: int
) -> None:
    keypoints = keypoints_of(table(faces, ("8", quad((150, 110), turn_deg))))
    scores = side_scores(keypoints, index, quad((150, 110), 10.0))
    side, turned = np.unravel_index(int(scores.argmax()), scores.shape)
    assert (index.codes[int(side)], int(turned)) == ("8", way)


def test_keypoints_common_to_many_cards_are_indexed_once(index: KeypointIndex) -> None:
    shared = index.is_on_side.sum(1)
    assert shared.min() >= 1
    assert shared.max() > 1
    assert len(index.is_on_side) == len(index.keypoints.descriptors)
