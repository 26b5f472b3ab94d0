"""Pictures that nobody calibrated: how wide a card is in them, and what lies there."""

import cv2
import numpy as np
import pytest

from calibration.frames import Frame
from device.eyes import EyeFactory
from device.lab.evaluation.photos import PhotoOrder, photo_cases
from device.lab.evaluation.score import VisionFigures, figures, score
from models.crops import CARD_PX, Image
from tests.device.teaching.laid import face, spread
from vision.look.finder import CARD_HEIGHT_PX, Detection
from vision.unknown.scale import card_width_px, scale_score
from vision.unknown.survey import survey

SEED = 770_002
"""Of the sample in the suite; the figures in models/README.md are of other pictures."""


def found(sure: float, grown: float = 1.0, visible: float = 1.0) -> Detection:
    return Detection(np.zeros((4, 2)), True, sure, visible, False, (CARD_PX * grown, CARD_HEIGHT_PX * grown))


def test_one_card_that_is_sure_says_more_about_the_scale_than_grain() -> None:
    carpet = tuple(found(0.45, visible=0.5) for _ in range(40))
    assert scale_score((found(0.73),)) > scale_score(carpet)
    assert scale_score((found(0.73),)) > scale_score((found(0.73, grown=1.3),)), (
        "at the right scale it has the right size"
    )
    assert scale_score(()) == 0.0


@pytest.fixture(scope="module")
def eye_factory() -> EyeFactory:
    return EyeFactory(threads=1)


def test_the_width_of_cards_is_found_from_near_by_and_far_off(eye_factory: EyeFactory) -> None:
    off = []
    for case in photo_cases(PhotoOrder(20, SEED, 0.2)):
        quads = np.array([card.corners_px for card in case.truth.cards])
        true_px = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
        off.append(abs(np.log(card_width_px(case.frame.image, eye_factory.sight.finder) / true_px)))
    assert np.median(off) < 0.1
    assert sum(one > 0.25 for one in off) <= 3


@pytest.fixture(scope="module")
def total(eye_factory: EyeFactory) -> VisionFigures:
    eye = eye_factory.open_eye(None)
    return figures([score(eye.look(case.frame), case.truth) for case in photo_cases(PhotoOrder(40, SEED))])


def test_most_cards_of_photographs_are_found_and_few_are_invented(total: VisionFigures) -> None:
    assert total.cards > 100
    assert total.found / total.cards >= 0.85
    assert total.invented / total.tables <= 0.5


def slanted(image: Image, tilt_deg: float, focal_length: float = 0.9) -> Image:
    """A picture from straight above as a camera that looks at it from the lower edge would see it."""
    height, width = image.shape[:2]
    focal_px, tilt = focal_length * width, np.deg2rad(tilt_deg)
    centring = np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, 1]])
    plane = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, -np.sin(tilt) / focal_px, 1]])
    seen = np.linalg.inv(centring) @ plane @ centring
    return np.asarray(cv2.warpPerspective(image, seen, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize("tilt_deg", [0, 15, 30])
def test_the_proportions_of_cards_are_measured_in_spite_of_the_slant(eye_factory: EyeFactory, tilt_deg: float) -> None:
    frame, _ = spread(("7-blue", "2-red", "9-green", "7-blue", "2-red", "9-green"))
    seen = survey(Frame(0, 0.0, slanted(frame.image, tilt_deg)), eye_factory.sight, None, None)
    assert sum(not card.fault for card in seen.cards) == 6
    width, height = seen.cards[0].size_mm
    true_width, true_height = face("7-blue").size_mm
    assert height / width == pytest.approx(true_height / true_width, rel=0.06)
