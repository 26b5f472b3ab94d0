"""The simulated table tells the truth about what it shows."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from models.cards import own_deck
from models.synth.camera import SynthCamera, overhead_camera
from models.synth.mats import MAT_PX_PER_MM, make_mat, make_screen
from models.synth.render import corners_mm, render
from models.synth.scene import CardSeen, Image, Light, Optics, Scene, Sprite, Thing
from models.synth.sprites import FaceSprites, rounded
from models.synth.stills import Recipe, Tables
from models.synth.styles import HELD_OUT, HUES, Print, fonts, random_style

PLAIN_LIGHT = Light(kelvin=6500, slant=0, softness=0, falloff=0)
PLAIN_OPTICS = Optics(noise=0, vignette=0)
DARK = np.full((80, 120, 3), 20, np.uint8)


def white_card(width_px: int = 252, height_px: int = 352, corner_px: float = 0) -> Sprite:
    return Sprite(rounded(np.full((height_px, width_px, 3), 255, np.uint8), corner_px), 4.0, thickness_mm=0.3)


def random_camera(rng: np.random.Generator) -> SynthCamera:
    lens = (-float(rng.uniform(0, 0.25)), float(rng.uniform(0, 0.05)), 0.0, 0.0, 0.0)
    place = (float(rng.uniform(-150, 150)), float(rng.uniform(-150, 150)), float(rng.uniform(500, 800)))
    return SynthCamera(960, 640, 800.0, lens, place, (0.0, 0.0), float(rng.uniform(-10, 10)))


def plain_scene(camera: SynthCamera, cards: tuple[CardSeen, ...]) -> Scene:
    return Scene(camera, DARK, (1600, 1200), 0, cards=cards, light=PLAIN_LIGHT, optics=PLAIN_OPTICS)


def drawn_outline_px(image: Image) -> NDArray[np.float32]:
    """The drawn edge of a bright card, between the pixels: enlarged eight times, then followed."""
    large = cv2.resize(image, None, fx=8, fy=8, interpolation=cv2.INTER_LINEAR).max(2)
    contours, _ = cv2.findContours((large > 137).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(contours, key=cv2.contourArea).reshape(-1, 2).astype(np.float32)
    return np.asarray((outline + 0.5) / 8 - 0.5, np.float32)


def edge_of(scene: Scene) -> NDArray[np.float32]:
    """The edge of the scene's first card as the lens bends it."""
    corners = corners_mm(scene.cards[0].thing)
    shares = np.linspace(0, 1, 40, endpoint=False)[:, None]
    points = [one + (two - one) * shares for one, two in zip(corners, np.roll(corners, -1, 0), strict=True)]
    return np.asarray(scene.camera.project(np.vstack(points)), np.float32)


@pytest.mark.parametrize("seed", range(12))
def test_truth_corners_lie_on_the_drawn_edges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    thing = Thing(white_card(), rng.uniform(-120, 120), rng.uniform(-80, 80), rng.uniform(0, 360))
    scene = plain_scene(random_camera(rng), (CardSeen(1, "x", True, thing),))
    picture = render(scene, rng)
    outline, edge = drawn_outline_px(picture.image), edge_of(scene)
    strays = [abs(cv2.pointPolygonTest(edge, (float(x), float(y)), True)) for x, y in outline[::5]]
    assert max(strays) <= 1.0
    assert np.mean(strays) <= 0.3
    for corner in picture.cards[0].corners_px:
        assert np.linalg.norm(outline - np.array(corner), axis=1).min() <= 1.0


@pytest.mark.parametrize("seed", range(8))
def test_visible_parts_agree_with_masks_drawn_from_the_corners(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    things = [
        Thing(white_card(), rng.uniform(-90, 90), rng.uniform(-60, 60), rng.uniform(0, 360), 0.3 * number)
        for number in range(9)
    ]
    cards = tuple(CardSeen(number, "x", True, thing) for number, thing in enumerate(things))
    picture = render(plain_scene(random_camera(rng), cards), rng)
    owner = np.full(picture.image.shape[:2], -1, np.int32)
    whole = []
    for number, truth in enumerate(picture.cards):
        quad = np.round(np.array(truth.corners_px) * 16).astype(np.int32)
        mask: NDArray[np.uint8] = np.zeros(owner.shape, np.uint8)
        cv2.fillConvexPoly(mask, quad, 1, cv2.LINE_8, 4)
        owner[mask > 0] = number
        whole.append(cv2.contourArea(np.array(truth.corners_px, np.float32)))
    for number, truth in enumerate(picture.cards):
        seen = np.count_nonzero(owner == number) / whole[number]
        assert truth.visible == pytest.approx(min(seen, 1), abs=0.03)


def test_cards_outside_the_picture_are_not_visible() -> None:
    camera = overhead_camera(640, 448, (600, 420))
    outside = CardSeen(1, "x", True, Thing(white_card(), 2000, 0))
    half = CardSeen(2, "x", True, Thing(white_card(), 0, -camera.height_px / camera.px_per_mm() / 2))
    picture = render(plain_scene(camera, (outside, half)), np.random.default_rng(0))
    assert picture.cards[0].visible == 0
    assert picture.cards[1].visible == pytest.approx(0.5, abs=0.05)


def test_a_face_is_drawn_the_right_way_round() -> None:
    faces = FaceSprites(own_deck("dawaj2"), 4.0)
    camera = overhead_camera(960, 640, (300, 200))
    card = CardSeen(1, "7P2", True, Thing(faces.face("7P2"), 20, -10, 30))
    picture = render(plain_scene(camera, (card,)), np.random.default_rng(0))
    quad = np.array(picture.cards[0].corners_px, np.float32)
    size = np.array([[0, 0], [252, 0], [252, 352], [0, 352]], np.float32)
    straight = cv2.warpPerspective(picture.image, cv2.getPerspectiveTransform(quad, size), (252, 352))
    original = faces.face("7P2").pixels[:, :, :3]
    turned = original[::-1, ::-1]
    near = [float(np.abs(straight.astype(int) - other.astype(int)).mean()) for other in (original, turned)]
    assert near[0] < 10 < near[1]


def test_warm_light_is_warm() -> None:
    camera = overhead_camera(320, 240, (300, 200))
    card = (CardSeen(1, "x", True, Thing(white_card(), 0, 0)),)
    means = {}
    for kelvin in (2700, 6500):
        scene = Scene(
            camera, DARK, (800, 600), 0, cards=card, light=Light(kelvin=kelvin, level=0.7), optics=PLAIN_OPTICS
        )
        means[kelvin] = render(scene, np.random.default_rng(0)).image[110:130, 150:170].mean((0, 1))
    assert means[2700][2] - means[2700][0] > 60
    assert abs(means[6500][2] - means[6500][0]) < 10


def tables(seed: int = 3, held_out: bool = False) -> Tables:
    return Tables(Recipe((320, 224), 0.8, held_out), seed, (own_deck("trio"),), 0.7)


def test_table_number_n_is_always_the_same() -> None:
    forwards, backwards = tables(), tables()
    first = [forwards.make(number) for number in (0, 1, 9)]
    second = [backwards.make(number) for number in (9, 1, 0)][::-1]
    for one, other in zip(first, second, strict=True):
        assert one.image.tobytes() == other.image.tobytes()
        assert [card.corners_px for card in one.cards] == [card.corners_px for card in other.cards]
    assert tables(4).make(0).image.tobytes() != first[0].image.tobytes()


def test_tables_are_full_of_all_kinds_of_things() -> None:
    maker = tables()
    cards = [card for number in range(40) for card in maker.make(number).cards]
    assert {card.card.face_up for card in cards} == {True, False}
    covered = [card for card in cards if 0.1 < card.visible < 0.5]
    assert len(covered) > 0.1 * len(cards)
    assert len({card.card.code for card in cards}) > 40


def test_training_never_sees_the_held_out_styles() -> None:
    assert set(fonts()) & set(fonts(held_out=True)) == set()
    assert set(fonts(held_out=True)) == set(HELD_OUT)
    rng = np.random.default_rng(0)
    seen, kept = [random_style(rng) for _ in range(300)], [random_style(rng, held_out=True) for _ in range(100)]
    assert {style.font for style in seen} == set(fonts())
    assert {style.font for style in kept} == set(HELD_OUT)
    assert {style.ground for style in seen} & {style.ground for style in kept} == set()


def test_every_style_draws_every_print() -> None:
    rng = np.random.default_rng(1)
    for number in range(60):
        style = random_style(rng, held_out=number % 5 == 0)
        colours = list(HUES)[number % 8], list(HUES)[(number + 3) % 8]
        prints = (Print(number % 13, colours[0], number % 3), Print((number + 1) % 13, colours[1], 0, signed=True))
        one, other = (style.face(printed, 2.0).pixels for printed in prints)
        assert one.shape == other.shape
        assert np.abs(one.astype(int) - other.astype(int)).max() > 60
        assert style.back(2.0).pixels.tobytes() != one.tobytes()


def test_training_sees_mats_with_places_for_cards_on_them_and_evaluation_does_not() -> None:
    deck = (own_deck("trio"),)
    wild = Tables(Recipe(wild=True, printed=True), 5, deck)
    plain = Tables(Recipe(printed=True), 5, deck)
    mats = {id(thing.sprite) for number in range(60) for thing in on_table(wild, number) if is_mat(thing)}
    assert len(mats) > 5
    assert not any(is_mat(thing) for number in range(60) for thing in on_table(plain, number))


def on_table(maker: Tables, number: int) -> tuple[Thing, ...]:
    return maker.scene(number, np.random.default_rng(number)).under


def is_mat(thing: Thing) -> bool:
    return thing.sprite.px_per_mm == MAT_PX_PER_MM


def test_mats_and_screens_are_all_different_and_hold_their_colours() -> None:
    rng = np.random.default_rng(3)
    for maker in (make_mat, make_screen):
        things = [maker(rng) for _ in range(8)]
        assert len({thing.pixels.tobytes() for thing in things}) == 8
        for thing in things:
            # Colours are multiplied with how much covers: none is brighter than that.
            assert (thing.pixels[:, :, :3] <= thing.pixels[:, :, 3:]).all()
            assert thing.pixels[:, :, 3].any()
