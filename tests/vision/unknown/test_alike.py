"""Cards of an unknown deck that look the same are reported as equal, whichever way they are turned."""

import cv2
import numpy as np

from calibration.frames import Frame
from device.eyes import EyeFactory
from models.crops import Floats, Image
from tests.device.teaching.laid import Lying, face, table
from vision.sightings import Sighting
from vision.unknown.alike import groups_of_equal_cards


def pasted(codes: tuple[str, ...], turned: frozenset[int] = frozenset()) -> tuple[Image, list[Floats]]:
    """Cards side by side, and their corners."""
    picture = np.full((260, 140 * len(codes), 3), 90, np.uint8)
    quads = []
    for number, code in enumerate(codes):
        card = face(code).pixels[:, :, :3]
        card = card[::-1, ::-1] if number in turned else card
        wide, high = 120, round(120 * card.shape[0] / card.shape[1])
        left = 140 * number + 10
        picture[20 : 20 + high, left : left + wide] = cv2.resize(card, (wide, high), interpolation=cv2.INTER_AREA)
        right, low = left + wide - 0.5, 20 + high - 0.5
        quads.append(np.array([(left - 0.5, 19.5), (right, 19.5), (right, low), (left - 0.5, low)]))
    return picture, quads


def test_equal_cards_are_grouped_and_others_are_not() -> None:
    picture, quads = pasted(("back", "7-blue", "back", "2-red", "7-blue", "9-green"), turned=frozenset({2, 4}))
    assert groups_of_equal_cards(picture, quads) == (1, 2, 1, 0, 2, 0)


def test_cards_that_differ_only_in_colour_are_not_equal() -> None:
    picture, quads = pasted(("7-blue", "7-red", "7-green", "7-yellow"))
    assert groups_of_equal_cards(picture, quads) == (0, 0, 0, 0)


def test_no_card_and_one_card_have_no_equals() -> None:
    picture, quads = pasted(("7-blue",))
    assert groups_of_equal_cards(picture, []) == ()
    assert groups_of_equal_cards(picture, quads) == (0,)


def test_equal_backs_in_a_picture_without_a_deck() -> None:
    spots = [("back", -200), ("7-blue", -70), ("back", 70), ("2-red", 200)]
    picture, _ = table([Lying(code, x_mm, 0.0, 3.0 * number) for number, (code, x_mm) in enumerate(spots)])
    look = EyeFactory(threads=1).open_eye(None).look(Frame(0, 0.0, picture))
    alike = {spots[index][0] for index in range(4) for card in look.cards if card.alike and _is_at(card, index)}
    assert len(look.cards) == 4
    assert alike == {"back"}
    assert sum(card.alike == 1 for card in look.cards) == 2


def _is_at(card: Sighting, index: int) -> bool:
    """Whether a sighting is the card at this place from the left."""
    middle = sum(x for x, _ in card.corners_px) / 4
    return bool(abs(middle - (640 + (-200, -70, 70, 200)[index] * 2)) < 100)
