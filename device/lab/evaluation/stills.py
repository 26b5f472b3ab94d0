"""Simulated stills: random tables that training never saw, with their ground truth."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.frames import Frame
from calibration.lens import Lens
from calibration.rig import Rig
from calibration.table import TablePose
from device.lab.evaluation.telling import MAP_PX, Telling
from device.lab.evaluation.truth import Case, SetError, TrueCard, TruePicture
from models.cards import own_deck, own_decks
from models.crops import Floats, cut
from models.faces import Faces
from models.synth.render import HAND, Canvas, CardTruth, corners_mm, expose, lay_all, truths
from models.synth.scene import Light, Scene
from models.synth.sprites import FaceSprites
from models.synth.stills import HELD_OUT_KELVIN, TABLE_MM, Recipe, StyleCards, Tables
from vision.table import FOREIGN

HAND_HIDDEN_SHARES = (0.002, 0.02)
"""Fractions of a card hidden by a hand: up to the first it is free, from the second on it is under a hand."""
RIG_SIZE_FACTOR = 1.25
"""Size of a simulated rig relative to its table, since cards may reach over the edge."""
STYLES, ALL = "styles", "all"


@dataclass(frozen=True, slots=True)
class TableOrder:
    """Which random tables to make."""

    name: str
    """A game, `all` of them, or `styles` that were never printed."""
    count: int = 100
    seed: int = 900_001
    difficulty: float = 0.7
    size_px: tuple[int, int] = (1280, 896)
    held_out: bool = True
    """Whether to use only materials, lamps and styles that training never saw, or only those it may have seen."""
    wild: bool = False
    """Also unrealistic patterns, mats and screens."""


def still_cases(order: TableOrder, blind: bool = False) -> Iterator[Case]:
    """Random tables, by default unlike any in training; `blind` hides the camera's position."""
    if order.name == STYLES:
        return _stills(order, None, order.count, 0, blind)
    games = own_decks() if order.name == ALL else (order.name,)
    for game in games:
        if game not in own_decks():
            raise SetError(
                f"sim:{game}: no such deck; wanted sim:{ALL}, sim:{STYLES} or sim: and {', '.join(own_decks())}"
            )
    shares = [order.count // len(games) + (number < order.count % len(games)) for number in range(len(games))]
    first = np.cumsum([0, *shares])
    return (
        case
        for game, share, start in zip(games, shares, first, strict=False)
        for case in _stills(order, game, share, int(start), blind)
    )


def known_rig(
    size_px: tuple[int, int],
    matrix: Floats,
    distortion: tuple[float, ...],
    to_picture: Floats,
    table_mm: tuple[float, float],
) -> Rig:
    """The rig as a perfect calibration would find it; its table is the camera's view and a little more."""
    centre = (float(matrix[0, 2]), float(matrix[1, 2]))
    lens = Lens(size_px, (float(matrix[0, 0]), float(matrix[1, 1])), centre, distortion)
    to_mm = np.linalg.inv(to_picture)
    right, low = size_px[0] - 1.0, size_px[1] - 1.0
    border = np.array(
        [(0, 0), (right / 2, 0), (right, 0), (right, low / 2), (right, low), (right / 2, low), (0, low), (0, low / 2)]
    )
    reach = cv2.perspectiveTransform(lens.undistort(border).reshape(-1, 1, 2), to_mm).reshape(-1, 2)
    seen = 2 * np.abs(reach).max(0)
    size_mm = (min(float(seen[0]), RIG_SIZE_FACTOR * table_mm[0]), min(float(seen[1]), RIG_SIZE_FACTOR * table_mm[1]))
    return Rig(lens, TablePose(size_mm, tuple((to_mm / to_mm[2, 2]).ravel()), error_mm=0.1))


def light_word(light: Light) -> str:
    """The light of a table in a word: its worst property."""
    if light.glare > 0.3:
        return "glare"
    if light.shade > 0.2:
        return "shade"
    if light.level < 0.75:
        return "dim"
    if HELD_OUT_KELVIN[0] < light.kelvin < HELD_OUT_KELVIN[1]:
        return "unseen lamp"
    return "warm" if light.kelvin < 4200 else "cool" if light.kelvin > 5500 else "neutral"


def _stills(order: TableOrder, game: str | None, count: int, first: int, blind: bool) -> Iterator[Case]:
    recipe = Recipe(order.size_px, order.difficulty, held_out=order.held_out, wild=order.wild)
    # Different seeds, so that decks are not laid out alike.
    seed = order.seed * 16 + (0 if game is None else 1 + own_decks().index(game))
    tables = Tables(recipe, seed, () if game is None else (own_deck(game),), 0.0)
    deck = None if game is None else own_deck(game)
    telling: Telling | None = None
    faces: Faces | None = None
    family = -1
    if deck is not None:
        drawn = FaceSprites(deck, 2.0)
        telling = Telling(lambda code: drawn.face(code).pixels[:, :, :3], tuple(card.code for card in deck.cards))
    made, number = 0, -1
    while made < count:
        number += 1
        cards = tables.cards(number)
        if isinstance(cards, StyleCards) and number // 8 != family:
            family = number // 8
            printed = {code: np.ascontiguousarray(face.pixels[:, :, :3]) for code, face in cards.faces().items()}
            faces = Faces(f"style {family}", next(iter(cards.faces().values())).size_mm, tuple(printed.items()))
            telling = Telling(printed.__getitem__, tuple(printed))
        scene_rng = np.random.default_rng((seed, 1, number))
        scene = tables.scene(number, scene_rng)
        width, height = scene.cards[0].thing.sprite.size_mm
        # Square cards have no long side, and none of our games has them.
        if height < 1.2 * width or telling is None:
            continue
        yield _still(scene, scene_rng, first + made, game, faces, telling, tables.material(scene), blind)
        made += 1


def _still(
    scene: Scene,
    rng: np.random.Generator,
    index: int,
    game: str | None,
    faces: Faces | None,
    telling: Telling,
    material: str,
    blind: bool,
) -> Case:
    """One table: its picture, and its truth with occlusion."""
    canvas = lay_all(scene)
    frame = Frame(index, float(index), expose(canvas, scene, rng))
    cards = tuple(
        _true_card(canvas, scene, place, truth, telling) for place, truth in enumerate(truths(canvas, scene), 1)
    )
    name = f"{game or STYLES}-{index:05d}"
    truth = TruePicture(name, cards, game or STYLES, light_word(scene.light), material)
    camera = scene.camera
    size_px = (camera.width_px, camera.height_px)
    rig = None if blind else known_rig(size_px, camera.matrix, camera.distortion, camera.homography, TABLE_MM)
    return Case(frame, truth, rig, game, faces)


def _true_card(canvas: Canvas, scene: Scene, place: int, truth: CardTruth, telling: Telling) -> TrueCard:
    margin, thing = scene.camera.margin_px, truth.card.thing
    inside = canvas.labels[margin:-margin, margin:-margin]
    quad = scene.camera.project_straight(corners_mm(thing))
    own = cut((inside == place).astype(np.uint8) * 255, quad, MAP_PX, smooth=False)
    hidden = float(np.mean(cut((inside == HAND).astype(np.uint8) * 255, quad, MAP_PX, smooth=False) > 127))
    under_hand = True if hidden >= HAND_HIDDEN_SHARES[1] else None if hidden > HAND_HIDDEN_SHARES[0] else False
    a, b, c, d = ((float(x), float(y)) for x, y in truth.corners_px)
    up, code = truth.card.face_up, truth.card.code
    return TrueCard(
        code if up else FOREIGN,
        up,
        (a, b, c, d),
        visible=truth.visible,
        readable=up and telling.readable(code, own),
        ways=1 if up and telling.upright(code, own) else 2,
        under_hand=under_hand,
        size_mm=thing.sprite.size_mm,
    )
