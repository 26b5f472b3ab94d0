"""Views from play: what is added to a taught deck after a game, what is refused, and how it is taken back."""

from pathlib import Path

import numpy as np
import pytest

from device.eyes import EyeFactory
from device.teaching.folder import find_deck, load_index, load_taught, undo
from device.teaching.played import (
    BY_PLAY,
    MAX_PLAYED_VIEWS_PER_CARD,
    PlayedCrop,
    forget_played,
    learn_played,
)
from device.teaching.school import taught_school
from models.crops import cut
from tests.device.teaching.laid import CODES, spread, teach_spread
from vision.unknown.survey import survey
from vision.unknown.tuning import VIEW_PX_PER_MM


@pytest.fixture(scope="module")
def eye_factory() -> EyeFactory:
    return EyeFactory(threads=1)


@pytest.fixture
def data(eye_factory: EyeFactory, tmp_path: Path) -> Path:
    return teach_spread(tmp_path, eye_factory)


def crops(eye_factory: EyeFactory, seed: int) -> list[PlayedCrop]:
    """The same cards on another table, in the same order."""
    frame, rig = spread(CODES, seed)
    assert rig.lens is not None
    assert rig.table is not None
    found: list[PlayedCrop] = []
    for card in survey(frame, eye_factory.sight, (rig.lens, rig.table), None, None).cards:
        x, y = np.mean(card.corners_px, axis=0)
        code = CODES[int(x // 320) + (4 if y > 448 else 0)]
        size_px = (round(59 * VIEW_PX_PER_MM), round(92 * VIEW_PX_PER_MM))
        image = cut(frame.image, np.array(card.corners_px), size_px)
        found.append(PlayedCrop(code, f"game, frame {seed}, card {len(found)}", image))
    assert len(found) == len(CODES)
    return found


def test_views_from_play_are_added_marked_and_taken_back(data: Path, eye_factory: EyeFactory) -> None:
    home = find_deck(data, "mine")
    before = load_index(home)
    lesson = learn_played(data, "mine", crops(eye_factory, 6), eye_factory.sight)
    assert lesson.views
    after = load_index(home)
    assert {view.code for view in lesson.views} <= set(CODES)
    assert [view.by for view in after.views[len(before.views) :]] == [BY_PLAY] * len(lesson.views)
    assert len(load_taught(data, "mine")[1].pictures) == len(CODES) + len(lesson.views)
    assert undo(home).views == before.views, "a whole game is one change"
    undo(home)
    assert len(forget_played(data, "mine")) == len(lesson.views)
    assert load_index(home).views == before.views
    assert forget_played(data, "mine") == ()


def test_a_wrong_name_is_refused(data: Path, eye_factory: EyeFactory) -> None:
    right = crops(eye_factory, 6)
    wrong = [PlayedCrop(CODES[(CODES.index(one.code) + 1) % len(CODES)], one.origin, one.image) for one in right]
    lesson = learn_played(data, "mine", wrong, eye_factory.sight)
    assert lesson.views == ()
    assert len(lesson.refused) == len(CODES)
    assert "read once more it is" in lesson.refused[0].why


def test_a_card_gets_only_so_many_views(data: Path, eye_factory: EyeFactory) -> None:
    for seed in range(6, 12):
        learn_played(data, "mine", crops(eye_factory, seed), eye_factory.sight)
    taught = load_index(find_deck(data, "mine"))
    played = [sum(view.by == BY_PLAY for view in taught.of(code)) for code in CODES]
    assert max(played) == MAX_PLAYED_VIEWS_PER_CARD


def test_a_card_that_nobody_taught_is_left_to_people(data: Path, eye_factory: EyeFactory) -> None:
    with taught_school(data, "mine", eye_factory.sight) as school:
        school.forget(CODES[0])
    own = [one for one in crops(eye_factory, 6) if one.code == CODES[0]]
    assert learn_played(data, "mine", own, eye_factory.sight).views == ()
