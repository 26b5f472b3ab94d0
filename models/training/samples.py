"""Training samples: simulated tables seen from straight above, a label for every cell, and card crops."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Floats, Image, cut
from models.synth.render import CardTruth, corners_mm, expose, lay_all, truths
from models.synth.scene import Scene
from models.synth.stills import Tables

VIEW_PX = (640, 448)
"""Size of a stored view; training reduces it."""
CARD_PX, LABEL_PX = 63.0, 4
"""In a stored view: the width of a card, and the side of a labelled cell."""
CUT_PX = (128, 176)
"""Size of a stored card crop."""
SEEN_PX = (CUT_PX[0] // 4, CUT_PX[1] // 4)
"""Width and height of the visibility map of a card."""
MIN_VISIBLE = 0.06
"""Minimum visible fraction of a card to crop it."""


@dataclass(frozen=True, slots=True)
class CutCard:
    """A card crop, possibly upside down, with its visibility map."""

    pixels: Image
    seen: Image
    """255 where the card itself is visible."""
    code: str
    """Empty for a back."""
    turned: bool
    """Whether the crop shows the card upside down."""
    visible: float


@dataclass(frozen=True, slots=True)
class Sample:
    """One table."""

    view: Image
    labels: Image
    """For every cell of the finder: 0 table, 1… card, `HAND`, `COVER`."""
    quads: NDArray[np.float32]
    """Corners of every card in the view, in card order."""
    face_up: NDArray[np.bool_]
    visible: NDArray[np.float32]
    crops: tuple[CutCard, ...]


def make_sample(tables: Tables, seed: int, number: int, most_crops: int = 8) -> Sample | None:
    """Table `number` as a sample; None for square cards, which have no long side."""
    rng = np.random.default_rng((seed, 1, number))
    scene = tables.scene(number, rng)
    width, height = scene.cards[0].thing.sprite.size_mm
    if height < 1.2 * width:
        return None
    canvas = lay_all(scene)
    image = expose(canvas, scene, rng)
    margin = scene.camera.margin_px
    labels = np.ascontiguousarray(canvas.labels[margin:-margin, margin:-margin])
    seen = truths(canvas, scene)
    to_view = _to_view(scene, width, rng)
    flat = np.array([scene.camera.project_straight(corners_mm(card.thing)) for card in scene.cards])
    return Sample(
        np.asarray(cv2.warpPerspective(image, to_view, VIEW_PX), np.uint8),
        _cells(labels, to_view),
        cv2.perspectiveTransform(flat, to_view).astype(np.float32),
        np.array([card.face_up for card in scene.cards], bool),
        np.array([truth.visible for truth in seen], np.float32),
        tuple(_cut_card(image, labels, truth, place, rng) for place, truth in _chosen(seen, most_crops, rng)),
    )


def _to_view(scene: Scene, card_mm: float, rng: np.random.Generator) -> Floats:
    """Transform from picture to view: straight from above, cards about `CARD_PX` wide, with a calibration error."""
    scale = CARD_PX / card_mm * float(np.exp(rng.normal(0, 0.07)))
    room = np.maximum(0, np.array([640, 448]) * scale - VIEW_PX) / 2 / scale + 40
    middle = rng.uniform(-room, room)
    to_table = np.linalg.inv(scene.camera.homography)
    shift = np.array([[scale, 0, VIEW_PX[0] / 2 - scale * middle[0]], [0, scale, VIEW_PX[1] / 2 - scale * middle[1]]])
    # A slightly wrong rig: one part in fifty at the edges.
    lean = np.array([[1, 0, 0], [0, 1, 0], [*rng.normal(0, 2e-5, 2), 1]])
    return np.asarray(lean @ np.vstack([shift, [0, 0, 1]]) @ to_table, float)


def _cells(labels: Image, to_view: Floats) -> Image:
    """The label in the middle of every cell."""
    half = LABEL_PX / 2 - 0.5
    to_cells = np.array([[1 / LABEL_PX, 0, -half / LABEL_PX], [0, 1 / LABEL_PX, -half / LABEL_PX], [0, 0, 1]])
    size = (VIEW_PX[0] // LABEL_PX, VIEW_PX[1] // LABEL_PX)
    return np.asarray(cv2.warpPerspective(labels, to_cells @ to_view, size, flags=cv2.INTER_NEAREST), np.uint8)


def _chosen(seen: tuple[CardTruth, ...], most: int, rng: np.random.Generator) -> list[tuple[int, CardTruth]]:
    """Some of the sufficiently visible cards; few backs, which have nothing to read."""
    worth = [
        (place, truth)
        for place, truth in enumerate(seen, 1)
        if truth.visible > MIN_VISIBLE and (truth.card.face_up or rng.random() < 0.15)
    ]
    return [worth[index] for index in rng.permutation(len(worth))[:most]]


def _cut_card(image: Image, labels: Image, truth: CardTruth, place: int, rng: np.random.Generator) -> CutCard:
    """A crop as the finder would make it: the less of the card is visible the less exact, and either way up."""
    quad = np.array(truth.corners_px)
    middle, px_per_mm = quad.mean(0), float(np.linalg.norm(quad[1] - quad[0])) / 63
    off = 1 + 1.5 * (1 - truth.visible)
    turn, grow = rng.normal(0, 0.006 * off), np.exp(rng.normal(0, 0.006 * off))
    spin = np.array([[1, -turn], [turn, 1]]) * grow
    quad = (quad - middle) @ spin.T + middle + rng.normal(0, 0.5 * off, 2) * px_per_mm
    quad += rng.normal(0, 0.25 * off, (4, 2)) * px_per_mm
    turned = bool(rng.random() < 0.5)
    quad = np.roll(quad, 2, axis=0) if turned else quad
    seen = cut((labels == place).astype(np.uint8) * 255, quad, SEEN_PX, smooth=False)
    return CutCard(cut(image, quad, CUT_PX), seen, truth.card.code if truth.card.face_up else "", turned, truth.visible)
