"""Grounds that are never calm, and things that nobody could name: none of them may pass for a card."""

import cv2
import numpy as np
import pytest

from models.cards import own_deck
from models.synth.materials import MAKERS as MATERIALS
from models.synth.materials import make_ground
from models.synth.oddments import CARD_SHAPES, CARD_SIDES_MM, make_oddment
from models.synth.oddments import PX_PER_MM as ODDMENT_PX_PER_MM
from models.synth.rough import MAKERS, SIZE_PX, rough_ground
from models.synth.scene import Image
from models.synth.stills import GROUND_MM, Recipe, Tables


def unrest(pixels: Image) -> float:
    """How much neighbours a millimetre apart differ, at the middle of what a camera would do about the light."""
    width, height = round(GROUND_MM[0]), round(GROUND_MM[1])
    grey = cv2.cvtColor(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return float(np.abs(np.diff(grey.astype(float), axis=1)).mean() / max(1.0, float(grey.mean())))


def test_rough_grounds_are_rougher_than_tables() -> None:
    rng = np.random.default_rng(1)
    rough = [unrest(rough_ground(rng).pixels) for _ in range(12)]
    calm = [unrest(make_ground(name, rng).pixels) for name in MATERIALS for _ in range(2)]
    assert np.median(rough) > 3 * np.median(calm)


@pytest.mark.parametrize("kind", range(len(MAKERS)))
def test_every_kind_fills_its_ground(kind: int) -> None:
    shade = MAKERS[kind](np.random.default_rng(kind))
    assert shade.shape == SIZE_PX[::-1]
    assert np.isfinite(shade).all()
    quarters = [part.std() for half in np.array_split(shade, 2) for part in np.array_split(half, 2, axis=1)]
    assert min(quarters) > 0.3 * max(quarters), "it is as rough in every corner"


def test_oddments_are_of_all_shapes_but_that_of_a_card() -> None:
    rng = np.random.default_rng(2)
    things = [make_oddment(rng) for _ in range(60)]
    assert len({thing.pixels.tobytes() for thing in things}) == len(things)
    for thing in things:
        assert (thing.pixels[:, :, :3] <= thing.pixels[:, :, 3:]).all(), "colours are multiplied with what covers"
        short, long = sorted(thing.size_mm)
        card_like = CARD_SIDES_MM[0] < short < CARD_SIDES_MM[1] and CARD_SHAPES[0] < long / short < CARD_SHAPES[1]
        # Sizes are whole pixels.
        off = min(abs(long / short - shape) for shape in CARD_SHAPES)
        near = off < 0.05 or min(abs(short - side) for side in CARD_SIDES_MM) < 1
        assert not (thing.boxy and card_like) or near


def test_only_training_sees_them() -> None:
    deck = (own_deck("trio"),)
    wild, plain = (Tables(Recipe(wild=on), 5, deck) for on in (True, False))
    scenes = [[maker.scene(number, np.random.default_rng(number)) for number in range(40)] for maker in (wild, plain)]
    rough = [sum(scene.ground.shape[:2] == SIZE_PX[::-1] for scene in some) for some in scenes]
    odd = [
        sum(thing.sprite.px_per_mm == ODDMENT_PX_PER_MM for scene in some for thing in scene.clutter) for some in scenes
    ]
    assert rough[0] > 4
    assert odd[0] > 4
    assert rough[1] == odd[1] == 0
