"""Simulated photographs: a few cards of any deck, near or far, on any ground, with an unknown camera."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame
from device.lab.evaluation.stills import light_word
from device.lab.evaluation.truth import Case, TrueCard, TruePicture
from models.cards import own_deck, own_decks
from models.crops import Floats, Image
from models.synth.foreign.photo import PhotoCards
from models.synth.render import CardTruth, expose, lay_all, truths
from models.synth.scene import Scene
from models.synth.stills import Recipe, Tables
from vision.table import FOREIGN

PHOTOS, DARK_PHOTOS = "photos", "photos-dark"
"""Photographs of our own decks and random styles, or of dark photographic decks, which training never sees."""
SIDES_PX = (480, 800)
CARDS_ACROSS = (1.7, 12.0)
"""Range of the number of cards that would fit side by side across a photograph."""
MIN_WIDTH_CARDS = 1.6
"""Minimum width of a photograph, in card widths."""
STYLE_SHARE = 0.7
"""Share of photographs with a randomly styled deck."""
MIN_VISIBLE = 0.02
"""Minimum visible fraction of a card for it to count as in the picture."""


@dataclass(frozen=True, slots=True)
class PhotoOrder:
    """Which photographs to make."""

    count: int = 100
    seed: int = 900_001
    difficulty: float = 0.7
    size_px: tuple[int, int] = (1280, 896)
    """Size of the table pictures from which square pieces are cut."""
    held_out: bool = True
    """Whether to use materials, lamps, styles and pattern seeds that training never saw."""
    family: str = PHOTOS
    foreign_share: float = 0.0
    """Share of photographs with a foreign deck of the families of training."""
    floors: bool = False
    """Whether some photographs show parquet, tiles, rugs or printed pages."""


class DarkTables(Tables):
    """Tables with dark photographic decks."""

    def __init__(self, recipe: Recipe, seed: int) -> None:
        super().__init__(recipe, seed)
        self._dark_seed = seed
        self._dark: dict[int, PhotoCards] = {}

    def cards(self, number: int) -> PhotoCards:
        """The deck of a table; eight neighbours share one."""
        family = number // 8
        if family not in self._dark:
            self._dark = {family: PhotoCards(np.random.default_rng((self._dark_seed, 4, family)), self._px_per_mm)}
        return self._dark[family]


def photo_cases(order: PhotoOrder) -> Iterator[Case]:
    """Photographs without a rig and without a deck."""
    recipe = Recipe(
        order.size_px,
        order.difficulty,
        held_out=order.held_out,
        wild=True,
        groups=(1, 3),
        foreign_share=order.foreign_share,
        floors=order.floors,
    )
    seed = order.seed * 16 + 15
    if order.family == DARK_PHOTOS:
        tables: Tables = DarkTables(recipe, seed)
    else:
        tables = Tables(recipe, seed, tuple(own_deck(game) for game in own_decks()), STYLE_SHARE)
    made, number = 0, -1
    while made < order.count:
        number += 1
        rng = np.random.default_rng((order.seed, 15, number))
        scene = tables.scene(number, rng)
        width_mm, height_mm = scene.cards[0].thing.sprite.size_mm
        if height_mm < 1.2 * width_mm:
            continue
        case = _photo(scene, rng, made, tables.material(scene))
        if case is not None:
            yield case
            made += 1


def _photo(scene: Scene, rng: np.random.Generator, index: int, material: str) -> Case | None:
    """A piece of a table around one of its cards; None if no card is visible enough."""
    canvas = lay_all(scene)
    image, margin = expose(canvas, scene, rng), scene.camera.margin_px
    labels = canvas.labels[margin:-margin, margin:-margin]
    seen = truths(canvas, scene)
    plain = [truth for truth in seen if truth.visible > 0.3]
    if not plain:
        return None
    left, top, side = _framed(np.array(plain[int(rng.integers(len(plain)))].corners_px), image.shape, rng)
    size = int(rng.integers(*SIDES_PX))
    shrinks = cv2.INTER_AREA if size < side else cv2.INTER_CUBIC
    piece = np.asarray(cv2.resize(image[top : top + side, left : left + side], (size, size), interpolation=shrinks))
    inside = labels[top : top + side, left : left + side]
    cards = tuple(
        card
        for place, truth in enumerate(seen, 1)
        if (card := _true_card(truth, place, labels, inside, np.array([left, top]), size / side)) is not None
    )
    name = f"{PHOTOS}-{index:05d}"
    truth = TruePicture(name, cards, PHOTOS, light_word(scene.light), material)
    return Case(Frame(index, float(index), piece.astype(np.uint8)), truth)


def _framed(quad_px: Floats, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[int, int, int]:
    """Left, top and side of a square that shows a card, not always in its middle."""
    card_px = float(np.linalg.norm(quad_px[1] - quad_px[0]))
    across = float(np.exp(rng.uniform(np.log(CARDS_ACROSS[0]), np.log(CARDS_ACROSS[1]))))
    side = max(min(card_px * across, min(shape[:2])), MIN_WIDTH_CARDS * card_px)
    middle = quad_px.mean(0) + rng.uniform(-0.25, 0.25, 2) * max(0.0, side - 1.5 * card_px)
    corner = np.clip(middle - side / 2, 0, np.array(shape[1::-1]) - side)
    return int(corner[0]), int(corner[1]), int(side)


def _true_card(
    truth: CardTruth, place: int, labels: Image, inside: NDArray[np.uint8], corner: NDArray[np.int64], scale: float
) -> TrueCard | None:
    """A card in pixels of the photograph; None if it is outside. Its code need not be readable."""
    everywhere, here = (int(np.count_nonzero(part == place)) for part in (labels, inside))
    visible = truth.visible * here / max(1, everywhere)
    if visible < MIN_VISIBLE:
        return None
    (a, b), (c, d), (e, f), (g, h) = ((np.array(truth.corners_px) - corner + 0.5) * scale - 0.5).tolist()
    code = truth.card.code if truth.card.face_up else FOREIGN
    size_mm = truth.card.thing.sprite.size_mm
    quad = ((a, b), (c, d), (e, f), (g, h))
    return TrueCard(code, truth.card.face_up, quad, visible=visible, ways=2, under_hand=None, size_mm=size_mm)
