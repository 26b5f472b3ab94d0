"""The measurement of taught decks: what is counted, calibration, and a family that training never sees."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from device.lab.evaluation.score import Judged, calibration_error_of, reliability_of
from device.lab.evaluation.taught import (
    PHOTO,
    STRANGE,
    Counted,
    MixedCards,
    TeachingOrder,
    _cards,
    _count,
    teaching_json,
    telling_of,
)
from device.lab.evaluation.telling import MAP_PX
from device.lab.evaluation.truth import TrueCard
from models.art.pen import Size
from models.crops import Image
from models.synth.foreign.decks import FAMILIES
from models.synth.foreign.photo import ART, EMBLEMS, PhotoCards, emblem_mask
from models.synth.scene import Sprite
from models.synth.sprites import card_sprite
from models.synth.styles import HELD_OUT
from vision.sightings import Sighting
from vision.table import FOREIGN, Guess, Quad

ROOT = Path(__file__).parents[3]
QUAD: Quad = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))


def judged(code: str, read: str | None, probability: float = 0.9, visible: float = 1.0) -> Judged:
    seen = None if read is None else Sighting(QUAD, QUAD, True, 1.0, 1.0, guesses=(Guess(read, probability),))
    return Judged(TrueCard(code, True, QUAD, visible=visible, readable=True), seen)


def test_readings_are_counted_by_what_was_taught() -> None:
    total = Counted()
    cards = (
        judged("1-1", "1-1", 0.9),
        judged("1-2", "1-1", 0.8),
        judged("1-3", FOREIGN, 0.7),
        judged("1-1", None),
        judged("strange 1-1", FOREIGN, 0.6),
        judged("strange 1-2", "1-2", 0.95),
        judged("strange 1-2", None),
    )
    _count(cards, {"1-1", "1-2"}, total)
    assert (total.to_find, total.found, total.exact) == (4, 3, 1)
    assert (total.taught_readable, total.taught_exact) == (2, 1)
    assert (total.strangers, total.rejected) == (3, 2)
    assert (total.found_strangers, total.found_rejected) == (2, 1)
    assert (total.taught_whole, total.taught_whole_exact) == (2, 1)
    assert total.readings == [(0.9, True), (0.8, False)]
    # A card that could not be taught is rightly rejected.
    assert total.stranger_readings == [(0.7, True), (0.6, True), (0.95, False)]
    assert total.ece == pytest.approx((0.1 + 0.8 + 0.3 + 0.4 + 0.95) / 5)
    values = teaching_json(TeachingOrder(8, 1, 0.7, (640, 448), PHOTO), total)
    assert values["exact_share"] == pytest.approx(1 / 3)
    assert values["strangers_rejected_share"] == pytest.approx(2 / 3)
    assert values["whole_exact_share"] == pytest.approx(1 / 3)
    assert values["ece"] == total.ece


def test_a_stranger_counts_if_what_is_seen_of_it_is_on_no_card_of_the_deck() -> None:
    white = np.full((176, 126, 4), 255, np.uint8)
    seven, eight = white.copy(), white.copy()
    seven[20:60, 20:50, :3] = eight[20:60, 70:100, :3] = 0
    size = Size(63, 88, 3)

    class Deck:
        def __init__(self, pixels: Image) -> None:
            self._face = card_sprite(np.ascontiguousarray(pixels[:, :, :3]), size, 2.0)

        def faces(self) -> dict[str, Sprite]:
            return {"7": self._face}

        def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
            return "7", self._face, self._face

    upper, lower = (np.zeros((MAP_PX[1], MAP_PX[0]), np.uint8) for _ in range(2))
    upper[:40], lower[48:] = 255, 255
    other = telling_of(MixedCards(Deck(seven), Deck(eight)))
    assert other.readable(STRANGE + "7", upper)
    assert not other.readable(STRANGE + "7", lower)
    same = telling_of(MixedCards(Deck(seven), Deck(seven)))
    assert not same.readable(STRANGE + "7", upper)


def test_strangers_that_do_not_count_are_said() -> None:
    total = Counted()
    seen = judged("strange 1-1", "1-1")
    _count((replace(seen, truth=replace(seen.truth, readable=False)),), {"1-1"}, total)
    assert (total.strangers, total.strangers_alike) == (0, 1)


def test_calibration_error_of_readings() -> None:
    sure = [(0.95, True)] * 19 + [(0.95, False)]
    assert calibration_error_of(sure) == pytest.approx(0.0)
    assert calibration_error_of([(0.99, False)]) == pytest.approx(0.99)
    assert calibration_error_of([]) is None
    assert sum(count for count, _, _ in reliability_of(sure)) == 20


def test_photographic_cards_share_pictures_and_are_told_apart_by_small_symbols() -> None:
    cards, _ = _cards(TeachingOrder(8, 1, 0.7, (1280, 896), PHOTO), np.random.default_rng(4))
    faces = cards.faces()
    assert 8 <= len(faces) <= 28
    one, two = faces["1-1"].pixels[:, :, :3].astype(int), faces["1-2"].pixels[:, :, :3].astype(int)
    differs = np.abs(one - two).max(2) > 20
    assert 0.0005 < differs.mean() < 0.06
    dark = np.mean([face.pixels[:, :, :3].mean() for face in faces.values()])
    assert dark < 128


def test_held_out_decks_use_held_out_fonts() -> None:
    rng = np.random.default_rng(0)
    assert {PhotoCards(rng, 1.0).style.font for _ in range(4)} <= set(HELD_OUT)


def test_emblems_are_distinct() -> None:
    masks = np.stack([emblem_mask(name) for name in EMBLEMS]).astype(int)
    for number, mask in enumerate(masks):
        others = np.delete(masks, number, axis=0)
        assert np.abs(others - mask).mean(axis=(1, 2)).min() > 30


def test_training_never_imports_the_held_out_family() -> None:
    assert not set(FAMILIES) & set(ART)
    for path in [*(ROOT / "models" / "training").rglob("*.py"), *(ROOT / "models" / "synth").rglob("*.py")]:
        if path.name == "photo.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.module != "models.synth.foreign.photo", path
    own = ast.parse((ROOT / "models" / "synth" / "foreign" / "photo.py").read_text("utf-8"))
    used = {node.module for node in ast.walk(own) if isinstance(node, ast.ImportFrom)}
    assert not used & {f"models.synth.foreign.{name}" for name in ("scenery", "symbols", "strokes", "manner")}
