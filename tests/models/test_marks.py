"""Marks on Lucky Box cards: drawn where they belong, told from what is left of old ones, cut out with their places."""

import tomllib
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.cards import own_deck
from models.crops import Image, cut
from models.marks import (
    BONUSES,
    CARD_PX,
    CELLS,
    CHANNELS,
    PATCH_PX,
    PLACES,
    MarkError,
    cut_patches,
    place_centre,
    seen_shares,
)
from models.synth.marks import FeltPen, ghosted, marked, random_marker, strayed
from models.synth.scene import Sprite
from models.synth.sprites import FaceSprites

BLACK = FeltPen((20, 20, 20), 1.2, 1.0)
ALL_SEEN = np.full((33, 24), 255, np.uint8)


@pytest.fixture(scope="module")
def face() -> Sprite:
    return FaceSprites(own_deck("lucky_box"), 4.0).face("8")


def straight(sprite: Sprite) -> Image:
    height, width = sprite.pixels.shape[:2]
    corners = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    return cut(np.ascontiguousarray(sprite.pixels[:, :, :3]), corners, CARD_PX)


def changed(one: Sprite, other: Sprite) -> NDArray[np.float64]:
    """How much each place differs between two cards: the mean over its 13 mm."""
    gap = np.abs(one.pixels[:, :, :3].astype(int) - other.pixels[:, :, :3]).mean(2)
    shares = []
    for word in PLACES:
        x, y = (round(part * one.px_per_mm) for part in place_centre(word))
        half = round(6.5 * one.px_per_mm)
        shares.append(float(gap[y - half : y + half, x - half : x + half].mean()))
    return np.array(shares)


def test_the_words_are_the_referees() -> None:
    assert CELLS[0] == "r1c1"
    assert CELLS[5] == "r2c3"
    assert len(set(PLACES)) == 15
    assert place_centre("r3c1")[1] == place_centre("b3")[1]
    assert place_centre("r1c2")[0] == place_centre("b5")[0]
    with pytest.raises(MarkError, match="mark 'r4c1', wanted one of r1c1"):
        place_centre("r4c1")


@pytest.mark.parametrize("word", PLACES)
def test_a_mark_lies_in_its_place(face: Sprite, word: str) -> None:
    for seed in range(4):
        there = changed(face, marked(face, (word,), BLACK, seed))
        place = PLACES.index(word)
        assert there[place] > 4
        assert there.argmax() == place


def test_marks_come_from_the_seed_and_stay_when_others_come(face: Sprite) -> None:
    pen = FeltPen((20, 20, 20), 1.2, 1.0, sloppy=0.2)
    one, two = marked(face, ("r1c1",), pen, 3), marked(face, ("r1c1", "r3c3", "b1"), pen, 3)
    assert np.array_equal(two.pixels, marked(face, ("b1", "r3c3", "r1c1"), pen, 3).pixels)
    assert changed(one, two)[0] < 0.2
    assert changed(one, two)[PLACES.index("r3c3")] > 4
    assert changed(one, marked(face, ("r1c1",), pen, 4))[0] > 2
    assert np.array_equal(one.pixels[:, :, 3], face.pixels[:, :, 3])


def test_what_was_wiped_off_is_paler_than_any_mark(face: Sprite) -> None:
    rng = np.random.default_rng(1)
    for seed in range(12):
        pen = random_marker(rng)
        fresh, old = changed(face, marked(face, PLACES, pen, seed)), changed(face, ghosted(face, PLACES, pen, seed))
        assert (old < 0.35 * fresh).all()
        assert old.max() > 0


def test_stray_strokes_keep_clear_of_the_places(face: Sprite) -> None:
    for seed in range(12):
        stray = strayed(face, BLACK, seed)
        assert not np.array_equal(stray.pixels, face.pixels)
        gap = np.abs(stray.pixels.astype(int) - face.pixels).max(2) > 60
        for word in PLACES:
            x, y = (round(part * face.px_per_mm) for part in place_centre(word))
            half = round(2.5 * face.px_per_mm)
            # A dot where the pen touched is allowed anywhere, a stroke is not.
            assert gap[y - half : y + half, x - half : x + half].mean() < 0.2


def test_patches_show_card_print_and_what_is_seen(face: Sprite) -> None:
    template = straight(face)
    seen = ALL_SEEN.copy()
    seen[:, 15:] = 0
    patches = cut_patches(straight(marked(face, ("r2c2",), BLACK, 1)), seen, template)
    assert patches.shape == (15, CHANNELS, PATCH_PX, PATCH_PX)
    gap = np.abs(patches[:, :3].astype(int) - patches[:, 3:6]).mean((1, 2, 3))
    assert gap.argmax() == PLACES.index("r2c2")
    shares = dict(zip(PLACES, seen_shares(patches).tolist(), strict=True))
    assert shares["r1c1"] == 1
    assert shares["b1"] == 0
    assert 0 < shares["r1c3"] < 1


def test_the_lamp_is_taken_out(face: Sprite) -> None:
    template = straight(face)
    dim = (template * np.array([0.4, 0.6, 0.7])).astype(np.uint8)
    patches = cut_patches(dim, ALL_SEEN, template).astype(int)
    assert np.abs(patches[:, :3] - patches[:, 3:6]).mean() < 4


def test_pictures_of_other_sizes(face: Sprite) -> None:
    template = straight(face)
    large = np.ascontiguousarray(marked(face, ("r2c2",), BLACK, 1).pixels[:, :, :3])
    small = straight(marked(face, ("r2c2",), BLACK, 1))
    patches = cut_patches(small, ALL_SEEN, template)
    assert np.abs(cut_patches(large, ALL_SEEN, template).astype(int) - patches).mean() < 3
    turned = np.ascontiguousarray(small[::-1, ::-1])
    assert np.array_equal(cut_patches(turned[::-1, ::-1], ALL_SEEN[::-1, ::-1], template), patches)


def test_a_hidden_card_and_no_card() -> None:
    crop = np.zeros((CARD_PX[1], CARD_PX[0], 3), np.uint8)
    assert not seen_shares(cut_patches(crop, 0 * ALL_SEEN, crop)).any()
    with pytest.raises(MarkError, match=r"a crop of shape \(132, 96\), wanted"):
        cut_patches(crop[:, :, 0], ALL_SEEN, crop)
    with pytest.raises(MarkError, match=r"a template of shape \(0, 96, 3\), wanted"):
        cut_patches(crop, ALL_SEEN, crop[:0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_training_goes_on_where_it_stopped(face: Sprite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from models.training import marked as cards
    from models.training import marks as training

    def few_cards(seed: int, *_: object) -> cards.CutOut:
        pixels = np.stack([straight(marked(face, PLACES[number:], BLACK, seed)) for number in range(4)])
        truth = np.array([[place >= number for place in range(15)] for number in range(4)])
        return cards.CutOut(pixels, np.stack([ALL_SEEN] * 4), np.array(["8"] * 4), truth)

    monkeypatch.setattr(cards, "make_cards", few_cards)
    monkeypatch.setattr(training, "SHARDS", 1)
    monkeypatch.setattr(training, "HELD_OUT", 1)
    monkeypatch.setattr(training, "box_templates", lambda: {"8": straight(face)})
    first = training.train_marks(tmp_path, 2, 5, tmp_path / "marks.onnx")
    written = (tmp_path / "marks.onnx").read_bytes()
    assert training.train_marks(tmp_path, 2, 5, tmp_path / "marks.onnx") == first
    assert (tmp_path / "marks.onnx").read_bytes() == written
    assert first.places == 60
    assert len(written) < 100_000
    card = tomllib.loads((tmp_path / "marks.toml").read_text("utf-8"))
    assert card["sha256"] == sha256(written).hexdigest()
    assert card["rebuild"] == "krupier train marks --seed 5 --steps 2"
    files = {path.name for path in tmp_path.iterdir()}
    gathered = {"marks-seen-5-000.npz", "marks-seen-5-001.npz", "marks-held-out-7-000.npz"}
    assert files == {*gathered, "marks.onnx", "marks.pt", "marks.toml"}


def test_figures_of_answers() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from models.training.marks import best_heat, expected_calibration_error, figures

    truth = np.array([[True, False], [True, False]])
    odds = np.array([[3.0, -3.0], [-3.0, 9.0]], np.float32)
    found = figures(odds, truth, np.array([[True, True], [True, False]]))
    assert (found.places, found.cards) == (3, 2)
    assert found.exact_places == pytest.approx(2 / 3)
    assert found.exact_cards == 0.5
    assert (found.missed, found.invented) == (0.5, 0)
    assert expected_calibration_error(np.full(10, 0.8), np.arange(10) < 8) == pytest.approx(0, abs=1e-9)
    assert expected_calibration_error(np.full(10, 0.9), np.arange(10) < 5) == pytest.approx(0.4)
    rng = np.random.default_rng(0)
    honest = rng.normal(0, 2, 20_000)
    drawn = rng.random(20_000) < 1 / (1 + np.exp(-honest))
    assert best_heat((2 * honest).astype(np.float32), drawn) == pytest.approx(2, abs=0.15)


def test_bonuses_follow_the_cells() -> None:
    assert PLACES == CELLS + BONUSES
