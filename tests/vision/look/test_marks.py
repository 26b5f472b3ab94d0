"""The mark reader with its trained network: crosses and circles found, old ghosts not, what is unseen unknown."""

from functools import cache

import numpy as np
import pytest

from models.cards import own_deck
from models.crops import Image, cut
from models.marks import CARD_PX, LEAST_SEEN, PLACES, MarkError
from models.synth.marks import FeltPen, ghosted, marked, strayed
from models.synth.scene import Sprite
from models.synth.sprites import FaceSprites
from models.training.gather import deck_templates
from models.training.marked import make_cards
from vision.look.marks import UNKNOWN, Mark, MarkReader, marked_places
from vision.look.network import load_network
from vision.look.networks import MARK_INPUTS, WEIGHTS

PENS = (FeltPen((25, 25, 25), 1.0, 0.9), FeltPen((170, 60, 20), 1.6, 0.85), FeltPen((40, 30, 190), 1.3, 0.85, dry=0.4))
ALL_SEEN = np.full((33, 24), 255, np.uint8)


@cache
def reader() -> MarkReader:
    return MarkReader(load_network(WEIGHTS / "marks.onnx", MARK_INPUTS, 1))


@cache
def faces() -> FaceSprites:
    return FaceSprites(own_deck("lucky_box"), 3.0)


def straight(sprite: Sprite) -> Image:
    height, width = sprite.pixels.shape[:2]
    corners = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    return cut(np.ascontiguousarray(sprite.pixels[:, :, :3]), corners, CARD_PX)


def read(sprite: Sprite, clean: Sprite, seen: Image = ALL_SEEN) -> tuple[Mark, ...]:
    return reader().read([straight(sprite)], [seen], [straight(clean)])[0]


@pytest.mark.parametrize("pen", PENS)
def test_every_place_on_its_own(pen: FeltPen) -> None:
    for number, word in enumerate(PLACES):
        clean = faces().face(str(4 * number + 1))
        assert marked_places(read(marked(clean, (word,), pen, number), clean)) == (word,)


def test_a_clean_card_and_a_full_one() -> None:
    clean = faces().face("37")
    marks = read(clean, clean)
    assert tuple(mark.place for mark in marks) == PLACES
    assert max(mark.probability for mark in marks) < 0.05
    full = read(marked(clean, PLACES, PENS[0], 2), clean)
    assert marked_places(full) == PLACES
    assert min(mark.probability for mark in full) > 0.9


def test_what_was_wiped_off_and_what_went_astray_is_no_mark() -> None:
    taken: list[float] = []
    for seed in range(9):
        clean, pen = faces().face(str(10 + seed)), PENS[seed % 3]
        old = strayed(ghosted(clean, PLACES, pen, seed), pen, seed)
        taken += [mark.probability for mark in read(old, clean)]
    assert max(taken) < 0.9
    assert np.mean(np.array(taken) > 0.5) <= 0.02


def test_a_mark_over_what_was_wiped_off() -> None:
    for seed in range(3):
        clean, pen = faces().face(str(20 + seed)), PENS[seed]
        old = ghosted(clean, PLACES, pen, seed)
        marks = {mark.place: mark.probability for mark in read(marked(old, ("r2c2", "b4"), pen, seed), clean)}
        assert min(marks.pop("r2c2"), marks.pop("b4")) > 0.9
        assert max(marks.values()) < 0.9


def test_what_is_not_seen_is_unknown() -> None:
    clean = faces().face("12")
    seen = ALL_SEEN.copy()
    seen[:, 13:] = 0
    marks = {mark.place: mark for mark in read(marked(clean, PLACES, PENS[0], 5), clean, seen)}
    assert {word for word, mark in marks.items() if not mark.known} >= {"b1", "b2", "b3", "b6"}
    assert all(mark.probability == UNKNOWN for mark in marks.values() if not mark.known)
    assert all(marks[word].known and marks[word].probability > 0.9 for word in ("r1c1", "r2c2", "b4"))
    assert all(mark.known == (mark.visible >= LEAST_SEEN) for mark in marks.values())
    hidden = read(marked(clean, PLACES, PENS[0], 5), clean, 0 * ALL_SEEN)
    assert marked_places(hidden) == ()
    assert {mark.probability for mark in hidden} == {UNKNOWN}


def test_simulated_tables_that_training_never_saw() -> None:
    cards = make_cards(90_210, 4, (1024, 717), held_out=True, difficulty=0.7)
    templates = deck_templates(own_deck("lucky_box"))
    found = reader().read(list(cards.pixels), list(cards.seen), [templates[str(code)] for code in cards.codes])
    right, sure = [], []
    for marks, truth in zip(found, cards.truth, strict=True):
        for mark, there in zip(marks, truth, strict=True):
            if mark.known:
                right.append((mark.probability > 0.5) == there)
                sure.append(max(mark.probability, 1 - mark.probability))
    assert len(right) > 400
    assert np.mean(right) >= 0.985
    assert np.mean(np.array(right)[np.array(sure) > 0.98]) >= 0.995
    assert abs(np.mean(sure) - np.mean(right)) < 0.01


def test_many_cards_are_read_like_one() -> None:
    clean = [faces().face(str(code)) for code in (3, 8, 41)]
    crops = [straight(marked(face, PLACES[number:9], PENS[number], number)) for number, face in enumerate(clean)]
    templates = [straight(face) for face in clean]
    together = reader().read(crops, [ALL_SEEN] * 3, templates)
    for number, marks in enumerate(together):
        alone = reader().read([crops[number]], [ALL_SEEN], [templates[number]])[0]
        assert marked_places(marks) == marked_places(alone)
        assert [mark.probability for mark in marks] == pytest.approx([mark.probability for mark in alone], abs=1e-4)


def test_none_and_too_few() -> None:
    assert reader().read([], [], []) == []
    with pytest.raises(MarkError, match="1 crops, 0 maps, 1 templates; wanted as many of each"):
        reader().read([np.zeros((132, 96, 3), np.uint8)], [], [np.zeros((132, 96, 3), np.uint8)])
