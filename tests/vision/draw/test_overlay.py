"""The overlay: kinds of cards look different, labels hide nothing that matters, and Polish letters are drawn."""

import cv2
import numpy as np
import pytest

from models.art.lettering import letter_words
from vision.draw.labels import MASK_SCALE, place_labels
from vision.draw.overlay import BACK, ENGLISH, FACE, POLISH, UNDER_HAND, UNSURE, draw_look, label_of, style_of
from vision.sightings import Look, Sighting
from vision.table import FOREIGN, Guess, Quad

GREY = 110


def quad(x: float, y: float, wide: float = 63.0, tall: float = 88.0) -> Quad:
    return (x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall)


def card(corners: Quad, *guesses: tuple[str, float], face_up: bool = True, under_hand: bool = False) -> Sighting:
    return Sighting(corners, corners, face_up, 0.99, 1.0, under_hand, tuple(Guess(*guess) for guess in guesses))


def table(width: int = 640, height: int = 480) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((height, width, 3), GREY, np.uint8)


def test_what_is_written_about_a_card() -> None:
    here = quad(10, 10)
    assert label_of(card(here, ("7B1", 0.999))) == "7B1"
    assert label_of(card(here, ("7B1", 0.83))) == "7B1\u200283 %"
    assert label_of(card(here, (FOREIGN, 0.999))) == ENGLISH.foreign
    assert label_of(card(here, face_up=False), POLISH) == "zakryta"
    assert label_of(card(here, under_hand=True), POLISH) == "pod ręką"
    assert label_of(card(here, face_up=False, under_hand=True)) == "back, under a hand"
    assert label_of(card(here)) == ENGLISH.unread


def test_kinds_of_cards_differ_in_colour_and_in_line() -> None:
    here = quad(10, 10)
    styles = [
        style_of(card(here, ("7B1", 0.999))),
        style_of(card(here, ("7B1", 0.6))),
        style_of(card(here, face_up=False)),
        style_of(card(here, ("7B1", 0.9), under_hand=True)),
    ]
    assert styles == [FACE, UNSURE, BACK, UNDER_HAND]
    assert len({style.colour for style in styles}) == 4
    assert len({style.dashes for style in styles}) == 4


def test_the_picture_itself_stays_as_it_is() -> None:
    picture = table()
    before = picture.copy()
    drawn = draw_look(picture, Look(0, 0.0, (card(quad(100, 100), ("7B1", 1.0)),)))
    assert np.array_equal(picture, before)
    assert drawn.shape == picture.shape
    assert not np.array_equal(drawn, before)
    assert np.array_equal(draw_look(picture, Look(0, 0.0, ())), before)


def test_a_grey_picture_is_drawn_in_colour() -> None:
    drawn = draw_look(table()[:, :, 0], Look(0, 0.0, (card(quad(100, 100), ("7B1", 1.0)),)))
    assert drawn.shape == (480, 640, 3)
    assert np.ptp(drawn.astype(int), axis=2).max() > 60


def test_lines_follow_the_edges_and_the_tick_stands_at_the_top() -> None:
    drawn = draw_look(table(), Look(0, 0.0, (card(quad(200, 150, 126, 176), ("7B1", 1.0)),))).astype(int)
    ink = np.abs(drawn - FACE.colour).max(axis=2) < 40
    assert ink[238, 199:202].any(), "left edge"
    assert ink[238, 325:328].any(), "right edge"
    assert ink[144:150, 263].any(), "the tick stands out over the top edge"
    assert not ink[330:336, 263].any(), "and not under the lower one"
    turned = np.roll(np.array(quad(200, 150, 126, 176)), 2, axis=0)
    upside: Quad = tuple((float(x), float(y)) for x, y in turned)  # type: ignore[assignment]
    drawn = draw_look(table(), Look(0, 0.0, (card(upside, ("7B1", 1.0)),))).astype(int)
    ink = np.abs(drawn - FACE.colour).max(axis=2) < 40
    assert ink[327:332, 263].any()


def test_a_card_hides_the_lines_of_those_below_it() -> None:
    below, above = card(quad(200, 150, 126, 176), ("7B1", 1.0)), card(quad(180, 190, 166, 100), face_up=False)
    drawn = draw_look(table(), Look(0, 0.0, (below, above))).astype(int)
    blue = np.abs(drawn - FACE.colour).max(axis=2) < 40
    assert blue[310, 198:203].any(), "seen below the upper card"
    assert not blue[200:280, 195:205].any(), "hidden by the upper card"


def test_labels_of_a_stack_hide_no_corners_and_not_each_other() -> None:
    cards = [np.array(quad(260, 60 + 18 * level, 63, 88), float) for level in range(15)]
    shape = (480 // MASK_SCALE + 1, 640 // MASK_SCALE + 1)
    seen = []
    for level, corners in enumerate(cards):
        mask = np.zeros(shape, np.uint8)
        cv2.fillConvexPoly(mask, (corners / MASK_SCALE).astype(np.int32), 255)
        for other in cards[level + 1 :]:
            cv2.fillConvexPoly(mask, (other / MASK_SCALE).astype(np.int32), 0)
        seen.append(mask)
    size = (54, 17)
    positions = place_labels((640, 480), cards, seen, [size] * len(cards))
    boxes = [(position.left, position.top, position.left + size[0], position.top + size[1]) for position in positions]
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= 640
        assert bottom <= 480
        for next_left, next_top, next_right, next_bottom in boxes[number + 1 :]:
            assert left >= next_right or next_left >= right or top >= next_bottom or next_top >= bottom
        for place in cards:
            inside = (place > (left + MASK_SCALE, top + MASK_SCALE)) & (
                place < (right - MASK_SCALE, bottom - MASK_SCALE)
            )
            assert not inside.all(axis=1).any()


def test_many_cards_and_cards_outside_the_picture_are_drawn() -> None:
    rng = np.random.default_rng(4)
    cards = tuple(
        card(quad(float(x), float(y)), ("5G2", float(rng.uniform(0.3, 1))))
        for x, y in rng.uniform((-60, -80), (630, 470), (40, 2))
    )
    drawn = draw_look(table(), Look(0, 0.0, cards))
    assert drawn.shape == (480, 640, 3)
    assert np.mean(drawn != GREY) > 0.1


@pytest.mark.parametrize("letter", list("ąćęłńóśźżĄĆĘŁŃÓŚŹŻ…–"))
def test_every_polish_letter_is_in_the_font(letter: str) -> None:
    missing = letter_words("\ue0ff", 40)
    drawn = letter_words(letter, 40)
    assert drawn.max() == 255
    assert drawn.shape != missing.shape or not np.array_equal(drawn, missing)
    assert not drawn[0].any(), "nothing is cut off above"
    assert not drawn[-1].any(), "nor below"
