"""Colours come back under every lamp, and the inks of the cards stay apart."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.colour import (
    IDENTITY,
    Colour,
    Floats,
    colour_from_white,
    correct,
    encoded,
    kelvin_of,
    lab,
    linear,
    read_white,
    solve_colour,
)
from calibration.frames import CalibrationError, Image
from calibration.strip import PATCHES, bgr_of, colour_from_strip
from models.synth.render import CardTruth, RenderedPicture
from tests.calibration.lamps import LAMPS, Shot, laid, relit, sampled, separation

DATA = Path(__file__).parents[3] / "shared" / "data"
PRINTED = np.array([bgr_of(ink) for ink in PATCHES])
DAWAJ2 = ("1B0", "1P0", "1G0", "2B1", "2P1", "2G1", "3B2", "3P2", "3G2", "4B0", "4P0", "4G0")
DNP = ("2/4", "2/5", "4/6", "5/7", "2/6", "4/7", "5/8", "2/9", "4/8", "2/10", "3/5", "3/4")
INKS = {
    "dawaj2": {"blue": "#1f66c9", "pink": "#e0428f", "green": "#1d9a56"},
    "dnp": {"blue": "#1b4fa8", "pink": "#f9a8cf", "green": "#0b6e4f"},
}
# Where the ink of a card is not written on: above and below the stars; on dnp's cards under the small digits.
FIELD_MM = np.array([(x, y) for x in (7.0, 9.0, 54.0, 56.0) for y in (22.0, 25.0, 28.0, 31.0, 57.0, 60.0, 63.0, 66.0)])
EDGE_MM = np.array([(x, 16.0) for x in np.arange(7.0, 57.0, 3.0)])


@cache
def picture(game: str, kelvin: float) -> RenderedPicture:
    # The exposure is what a camera would choose: white near the top, and not over it.
    level = 0.95 / (1 + 0.3 * max(0.0, (6500 - kelvin) / 3800))
    return Shot(kelvin, level, cards=laid(game, DAWAJ2 if game == "dawaj2" else DNP)).take()


def inks_of(game: str, image: Image, cards: tuple[CardTruth, ...]) -> dict[str, Floats]:
    """Samples of the blue, pink and green ink of all cards."""
    found: dict[str, list[Floats]] = {"blue": [], "pink": [], "green": []}
    for card in cards:
        if game == "dawaj2":
            colour = {"B": "blue", "P": "pink", "G": "green"}[card.card.code[1]]
            found[colour].append(sampled(image, card, FIELD_MM))
            continue
        upper, lower = card.card.code.split("/")
        for value, points in ((upper, EDGE_MM), (lower, (63.0, 88.0) - EDGE_MM)):
            if value in ("2", "4", "5"):
                found[{"2": "blue", "4": "green", "5": "pink"}[value]].append(sampled(image, card, points))
    return {name: np.vstack(values) for name, values in found.items()}


def named(samples: dict[str, Floats], inks: dict[str, str]) -> float:
    """The part of the samples whose nearest printed ink is their own."""
    known = {name: lab(np.array(bgr_of(ink)))[0] for name, ink in inks.items()}
    right = [
        min(known, key=lambda name: float(np.linalg.norm(known[name][1:] - value[1:]))) == own
        for own, values in samples.items()
        for value in lab(values)
    ]
    return float(np.mean(right))


@pytest.mark.parametrize("game", ["dawaj2", "dnp"])
def test_blue_pink_and_green_stay_apart_under_every_lamp(game: str) -> None:
    """By the strip: each lamp alone, and all lamps together with one set of colours."""
    together: dict[str, list[Floats]] = {"blue": [], "pink": [], "green": []}
    for kelvin in LAMPS:
        taken = picture(game, kelvin)
        samples = inks_of(game, correct(taken.image, colour_from_strip(taken.image)), taken.cards)
        assert separation(samples) > 6, kelvin
        assert named(samples, INKS[game]) == 1, kelvin
        for name, values in samples.items():
            together[name].append(values)
    assert separation({name: np.vstack(values) for name, values in together.items()}) > 6


@pytest.mark.parametrize("game", ["dawaj2", "dnp"])
def test_the_white_of_the_cards_does_it_too(game: str) -> None:
    together: dict[str, list[Floats]] = {"blue": [], "pink": [], "green": []}
    for kelvin in LAMPS:
        taken = picture(game, kelvin)
        colour = colour_from_white(taken.image, [np.array(card.corners_px) for card in taken.cards])
        assert colour.matrix == IDENTITY
        samples = inks_of(game, correct(taken.image, colour), taken.cards)
        assert separation(samples) > 6, kelvin
        assert named(samples, INKS[game]) == 1, kelvin
        for name, values in samples.items():
            together[name].append(values)
    assert separation({name: np.vstack(values) for name, values in together.items()}) > 6


def test_without_correction_the_lamps_mix_the_inks_up() -> None:
    """Or else the tests above would show nothing."""
    together: dict[str, list[Floats]] = {"blue": [], "pink": [], "green": []}
    for kelvin in LAMPS:
        taken = picture("dnp", kelvin)
        for name, values in inks_of("dnp", taken.image, taken.cards).items():
            together[name].append(values)
    assert separation({name: np.vstack(values) for name, values in together.items()}) < 2
    assert named(inks_of("dnp", picture("dnp", 2700).image, picture("dnp", 2700).cards), INKS["dnp"]) < 0.9


@pytest.mark.parametrize("kelvin", LAMPS)
def test_known_colours_come_back(kelvin: float) -> None:
    colour = colour_from_strip(picture("dawaj2", kelvin).image)
    assert colour.error < 3
    assert colour.kelvin == pytest.approx(kelvin, rel=0.25)


def test_kelvins_are_in_order() -> None:
    found = [colour_from_strip(picture("dawaj2", kelvin).image).kelvin for kelvin in LAMPS]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("rgb", "kelvin"),
    [((1.0, 1.0, 1.0), 6504), ((1.0, 0.397, 0.095), 2700), ((1.0, 0.617, 0.352), 4000), ((0.80, 0.83, 1.0), 7500)],
)
def test_kelvin_of_real_lamps(rgb: tuple[float, float, float], kelvin: float) -> None:
    """Black bodies as a camera balanced for daylight sees them."""
    assert kelvin_of(1 / np.array(rgb[::-1])) == pytest.approx(kelvin, rel=0.08)


def test_neutral_light_changes_nothing() -> None:
    taken = Shot(6500, 1.0, falloff=0.0, noise=0.0, vignette=0.0, cards=laid("dawaj2", DAWAJ2)).take()
    colour = colour_from_strip(taken.image)
    assert colour.gains == pytest.approx((1, 1, 1), abs=0.02)
    assert colour.tone == pytest.approx((1, 1, 1), abs=0.02)
    assert colour.matrix == pytest.approx(IDENTITY, abs=0.02)
    assert colour.kelvin == pytest.approx(6500, rel=0.02)
    difference = np.abs(correct(taken.image, colour).astype(int) - taken.image)
    assert difference.max() <= 3


@pytest.mark.parametrize("light", [(0.10, 0.42, 1.05), (0.3, 0.6, 0.9), (1.0, 0.7, 0.55), (0.35, 0.35, 0.35)])
def test_light_of_real_physics(light: tuple[float, float, float]) -> None:
    """Amounts of light multiplied, as no 8-bit simulator does it: then the power is 1 and the gains are the inverse."""
    seen = np.round(encoded(linear(PRINTED) * np.array(light)))
    colour = solve_colour(seen, PRINTED)
    assert colour.gains == pytest.approx(1 / np.array(light), rel=0.04)
    assert colour.tone == pytest.approx((1, 1, 1), abs=0.05)
    assert colour.error < 1.5


def test_a_camera_that_mixes_its_channels_is_unmixed() -> None:
    mixing = np.array([[0.85, 0.12, 0.03], [0.08, 0.84, 0.08], [0.02, 0.15, 0.83]])
    seen = encoded(linear(PRINTED) @ mixing.T * 0.7)
    colour = solve_colour(seen, PRINTED)
    assert np.array(colour.matrix).reshape(3, 3) == pytest.approx(np.linalg.inv(mixing), abs=0.06)
    assert colour.error < 1


def test_a_camera_with_its_own_contrast_is_straightened() -> None:
    """Raspberry Pi cameras and phones deepen the shadows."""
    seen = 255 * (PRINTED / 255) ** 1.15 * (0.7, 0.9, 0.95)
    assert solve_colour(seen, PRINTED).error < 2


@pytest.mark.parametrize(("factor", "word"), [((0.001, 0.5, 0.5), "dark in blue"), ((1.0, 1.0, 90.0), "bright in red")])
def test_greys_that_say_nothing_are_refused(factor: tuple[float, float, float], word: str) -> None:
    seen = np.minimum(255, PRINTED * np.array(factor))
    with pytest.raises(CalibrationError, match=f"all 4 greys of the strip are too {word}.*exposure"):
        solve_colour(seen, PRINTED)


def test_cards_without_white_are_refused() -> None:
    image = np.full((300, 300, 3), (30, 90, 40), np.uint8)
    with pytest.raises(CalibrationError, match="no white found on 0 cards"):
        colour_from_white(image, [])
    square = np.array([(50, 50), (250, 50), (250, 250), (50, 250)])
    cv2.fillPoly(image, [square.astype(np.int32)], (255, 255, 255))
    with pytest.raises(CalibrationError, match="too bright for the camera"):
        colour_from_white(image, [square])
    with pytest.raises(CalibrationError, match="wanted more than 4"):
        colour_from_white(relit(image, (0.0005, 0.3, 0.4)), [square])


def test_a_mask_and_corners_say_the_same() -> None:
    taken = picture("dawaj2", 3500)
    corners = np.array(taken.cards[0].corners_px)
    mask = np.zeros(taken.image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255)
    by_corners, by_mask = read_white(taken.image, corners), read_white(taken.image, mask > 0)
    assert by_corners is not None
    assert by_mask is not None
    assert by_mask.bgr == pytest.approx(by_corners.bgr, abs=2)
    assert (by_mask.x_px, by_mask.y_px) == pytest.approx((by_corners.x_px, by_corners.y_px), abs=1)
    assert read_white(taken.image, corners + 5000) is None
    assert read_white(taken.image, np.zeros(taken.image.shape[:2], bool)) is None


matrices = st.lists(st.floats(-0.2, 0.2), min_size=9, max_size=9)
triples = st.tuples(*[st.floats(0.3, 4.0)] * 3)


@given(triples, matrices, st.tuples(*[st.floats(0.8, 1.25)] * 3))
def test_the_quick_way_is_the_exact_way(
    gains: tuple[float, float, float], parts: list[float], tone: tuple[float, float, float]
) -> None:
    values = np.random.default_rng(3).integers(0, 256, (60, 40, 3), dtype=np.uint8)
    for colour in (
        Colour(gains, tuple(float(part) for part in np.eye(3).ravel() + parts), tone=tone),
        Colour(gains, tone=tone),
    ):
        light = (linear(values.astype(float)) * colour.gains) ** np.array(colour.tone)
        exact = encoded(light @ np.array(colour.matrix).reshape(3, 3).T)
        assert np.abs(correct(values, colour) - exact).max() < 1.6


def test_correcting_leaves_the_picture_alone() -> None:
    image = picture("dawaj2", 4500).image
    image.setflags(write=False)
    for colour in (Colour(), Colour((2.0, 1.0, 0.7)), colour_from_strip(image)):
        before = image.copy()
        after = correct(image, colour)
        assert after is not image
        assert after.dtype == np.uint8
        assert after.shape == image.shape
        assert (image == before).all()
    assert (correct(image, Colour()) == image).all()
    assert (correct(image, replace(Colour(), kelvin=3000.0)) == image).all()


def test_a_real_card_is_white_in_daylight_and_under_the_lamp() -> None:
    film = DATA / "lamp_video" / "3c.mp4"
    if not film.is_file():
        pytest.skip(f"{film} is not there: the film of a card under changing light was not tried")
    video = cv2.VideoCapture(str(film))
    frames = [frame for ok, frame in (video.read() for _ in range(195)) if ok]
    kelvins = []
    for frame in (frames[0], frames[20], frames[-20], frames[-1]):
        image = np.asarray(frame, np.uint8)
        # The blue ground is as bright as the card in blue; the card is what is bright in red.
        _, bright = cv2.threshold(image[:, :, 2], 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        outlines, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        card = cv2.boxPoints(cv2.minAreaRect(max(outlines, key=cv2.contourArea)))
        colour = colour_from_white(image, [card])
        kelvins.append(colour.kelvin)
        inside = np.zeros(image.shape[:2], np.uint8)
        cv2.fillConvexPoly(inside, card.astype(np.int32), 255)
        paper = cv2.bitwise_and(inside, bright) > 0
        left = np.median(lab(correct(image, colour)[paper].astype(float)), axis=0)
        # Daylight from the window still falls on one end of the card, so that all of it cannot become quite white.
        assert np.abs(left[1:]).max() < 5
    assert max(kelvins[2:]) < 4000 < min(kelvins[:2])
