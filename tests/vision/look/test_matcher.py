"""The matcher: look-alikes are told apart where they differ, also if their print is not where it was when taught."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from models.cards import own_deck
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import Faces, drawn_faces
from vision.look.matcher import Matcher
from vision.look.networks import WEIGHTS
from vision.look.reader import MATCHER_HEAD, MATCHER_STEM, Comparison, Reader, taught_probabilities
from vision.table import FOREIGN

WHITE, RED, BLACK = (245, 247, 248), (50, 40, 200), (30, 28, 30)
HEART = ((0, -3), (5, -9), (10, -4), (0, 10), (-10, -4), (-5, -9))
DIAMOND = ((0, -11), (8, 0), (0, 11), (-8, 0))


def face(symbol: tuple[tuple[int, int], ...], ink: tuple[int, int, int]) -> Image:
    """A card with a crown in the middle and two small symbols that tell its suit."""
    card = np.full((CROP_PX[1], CROP_PX[0], 3), WHITE, np.uint8)
    crown = np.array([(34, 110), (28, 70), (48, 90), (64, 62), (80, 90), (100, 70), (94, 110)])
    cv2.fillPoly(card, [crown], ink, cv2.LINE_AA)
    for x, y, way in ((18, 26, 1), (110, 150, -1)):
        cv2.fillPoly(card, [np.array([(x + way * dx, y + way * dy) for dx, dy in symbol])], ink, cv2.LINE_AA)
    return card


def seen_elsewhere(card: Image, shift: tuple[float, float], gain: tuple[float, float, float]) -> Image:
    """The card cut a little beside its edges, in another light and out of focus."""
    warp = np.array([[1.02, 0.01, shift[0]], [-0.01, 0.99, shift[1]]], np.float32)
    moved = cv2.warpAffine(card, warp, CROP_PX, borderMode=cv2.BORDER_REPLICATE)
    lit = np.clip(cv2.GaussianBlur(moved, (0, 0), 0.9) * np.array(gain, np.float32), 0, 255)
    return np.asarray(lit, np.uint8)


FACES = {
    "hearts": face(HEART, RED),
    "diamonds": face(DIAMOND, RED),
    "black hearts": face(HEART, BLACK),
    "black diamonds": face(DIAMOND, BLACK),
}


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher(WEIGHTS / MATCHER_STEM, WEIGHTS / MATCHER_HEAD)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(WEIGHTS / "reader.onnx", 1)


def whole(count: int) -> Image:
    return np.full((count, SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)


@pytest.mark.parametrize("shift", [(0.0, 0.0), (6.0, -4.0), (-7.0, 5.0)])
@pytest.mark.parametrize("turned", [False, True])
def test_cards_that_differ_in_two_small_symbols(matcher: Matcher, shift: tuple[float, float], turned: bool) -> None:
    views = matcher.learn(np.stack(list(FACES.values())))
    for index, card in enumerate(FACES.values()):
        crop = seen_elsewhere(card, shift, (0.9, 0.85, 0.8))
        crop = np.ascontiguousarray(crop[::-1, ::-1]) if turned else crop
        pairs = np.array([(0, view, int(turned)) for view in range(len(FACES))])
        odds = matcher.log_odds(crop[None], whole(1), views, pairs)
        assert int(odds.argmax()) == index, (list(FACES), odds)
        assert odds[index] > 0


def test_a_card_that_is_not_in_the_deck(matcher: Matcher) -> None:
    views = matcher.learn(np.stack(list(FACES.values())))
    stranger = np.full((CROP_PX[1], CROP_PX[0], 3), (60, 140, 70), np.uint8)
    cv2.putText(stranger, "7", (30, 120), cv2.FONT_HERSHEY_DUPLEX, 4, WHITE, 8, cv2.LINE_AA)
    pairs = np.array([(0, view, turned) for view in range(len(FACES)) for turned in (0, 1)])
    assert matcher.log_odds(stranger[None], whole(1), views, pairs).max() < 0


def test_only_the_visible_part_counts(matcher: Matcher) -> None:
    views = matcher.learn(np.stack([FACES["hearts"], FACES["diamonds"]]))
    covered = FACES["hearts"].copy()
    covered[88:] = FACES["diamonds"][88:]
    visible = whole(1)
    visible[:, 22:] = 0
    odds = matcher.log_odds(covered[None], visible, views, np.array([(0, 0, 0), (0, 1, 0)]))
    assert odds[0] > odds[1]
    visible = whole(1)
    visible[:, :22] = 0
    odds = matcher.log_odds(covered[None], visible, views, np.array([(0, 0, 0), (0, 1, 0)]))
    assert odds[0] < odds[1]


def test_no_pairs(matcher: Matcher) -> None:
    views = matcher.learn(np.stack([FACES["hearts"]]))
    assert len(matcher.log_odds(FACES["hearts"][None], whole(1), views, np.zeros((0, 3), np.int64))) == 0


def test_a_taught_deck_of_look_alikes(reader: Reader) -> None:
    known = reader.learn(Faces("suits", (63.0, 88.0), tuple(FACES.items())))
    crops = np.stack([seen_elsewhere(card, (5.0, 3.0), (0.8, 0.9, 1.0)) for card in FACES.values()])
    readings = reader.read(crops, whole(len(crops)), known)
    assert [reading.guesses[0].code for reading in readings] == list(FACES)
    assert not any(reading.turned for reading in readings)


def test_a_face_that_is_another_one_upside_down_is_read_as_either(reader: Reader) -> None:
    six = np.full((CROP_PX[1], CROP_PX[0], 3), WHITE, np.uint8)
    cv2.putText(six, "6", (25, 125), cv2.FONT_HERSHEY_DUPLEX, 4, RED, 10, cv2.LINE_AA)
    nine = np.ascontiguousarray(six[::-1, ::-1])
    known = reader.learn(Faces("turned", (63.0, 88.0), (("6", six), ("9", nine), *FACES.items())))
    (reading,) = reader.read(six[None], whole(1), known)
    probabilities = {guess.code: guess.probability for guess in reading.guesses}
    assert probabilities["6"] > 0.25
    assert probabilities["9"] > 0.25


def test_a_face_without_a_way_up_says_so(reader: Reader) -> None:
    ring = np.full((CROP_PX[1], CROP_PX[0], 3), WHITE, np.uint8)
    cv2.circle(ring, (64, 88), 40, RED, 9, cv2.LINE_AA)
    known = reader.learn(Faces("rings", (63.0, 88.0), (("ring", ring), *FACES.items())))
    symmetric, suited = reader.read(np.stack([ring, FACES["hearts"]]), whole(2), known)
    assert symmetric.guesses[0].code == "ring"
    assert symmetric.way_probability < 0.8
    assert suited.way_probability > 0.95


def test_the_best_of_several_views_counts(reader: Reader) -> None:
    poor = cv2.GaussianBlur(FACES["hearts"], (0, 0), 6)
    pictures = (("hearts", np.asarray(poor, np.uint8)), *FACES.items())
    known = reader.learn(Faces("suits", (63.0, 88.0), pictures))
    (reading,) = reader.read(FACES["hearts"][None], whole(1), known)
    assert reading.guesses[0].code == "hearts"
    assert reading.guesses[0].probability > 0.8


def test_decks_of_our_own_are_read_without_the_matcher(reader: Reader) -> None:
    faces = drawn_faces(own_deck("trio"))
    known = reader.learn(replace(faces, pictures=faces.pictures[:3]))
    assert known.views is None
    with pytest.raises(ValueError, match="wanted a taught one"):
        reader.compare(np.zeros((1, CROP_PX[1], CROP_PX[0], 3), np.uint8), whole(1), known)


def test_probabilities_of_a_comparison_sum_to_one() -> None:
    compared = Comparison(
        4,
        np.array([0, 0, 1]),
        np.array([1, 3, 0]),
        np.array([5.0, 1.0, -9.0], np.float32),
        np.array([-0.1, -2.0, -3.0], np.float32),
        np.array([-6.0, -0.1], np.float32),
        np.zeros(2, np.float32),
    )
    probabilities = taught_probabilities(compared)
    assert probabilities.shape == (2, 5)
    np.testing.assert_allclose(probabilities.sum(1), 1, rtol=1e-5)
    assert probabilities[0].argmax() == 1
    assert probabilities[1].argmax() == 4
    assert probabilities[0, [0, 2]].tolist() == [0.0, 0.0]


def test_a_hue_that_the_light_does_not_decide_is_left_open(reader: Reader) -> None:
    lamp = (0.25, 0.75, 1.0)
    # Under a lamp of one colour, blue and violet of the same brightness are the same.
    blue, violet = (200, 90, 20), (190, 40, 110)
    pictures = (("blue", face(DIAMOND, blue)), ("violet", face(DIAMOND, violet)), ("hearts", face(HEART, blue)))
    known = reader.learn(Faces("hues", (63.0, 88.0), pictures))
    grey = np.stack([cv2.cvtColor(face(DIAMOND, ink), cv2.COLOR_BGR2GRAY) for ink in (blue, violet)])
    crops = np.clip(grey[..., None] * np.array(lamp), 0, 255).astype(np.uint8)
    for reading in reader.read(crops, whole(2), known):
        assert max(guess.probability for guess in reading.guesses if guess.code != FOREIGN) < 0.8
