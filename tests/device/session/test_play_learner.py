"""A game with a taught deck: sure cards are cut out of its frames, and the deck is richer after it."""

from dataclasses import replace
from math import cos, radians, sin
from pathlib import Path

import pytest

from calibration.rig import Rig
from device.eyes import EyeFactory
from device.session.observer import Observation, TaughtReading
from device.session.play_learner import PlayLearner
from device.teaching.folder import delete_deck, find_deck, load_index
from device.teaching.played import BY_PLAY
from tests.device.teaching.laid import CODES, PLACES, spread, teach_spread
from vision.table import Guess, PlacedCard, Point, Quad, Table

CARD_MM = (59.0, 92.0)


@pytest.fixture(scope="module")
def eye_factory() -> EyeFactory:
    return EyeFactory(threads=1)


@pytest.fixture
def data(eye_factory: EyeFactory, tmp_path: Path) -> Path:
    return teach_spread(tmp_path, eye_factory)


def corners_mm(centre: Point, turn_deg: float) -> Quad:
    turn, (x, y) = radians(turn_deg), (CARD_MM[0] / 2, CARD_MM[1] / 2)

    def corner(across: float, along: float) -> Point:
        return (
            centre[0] + across * cos(turn) - along * sin(turn),
            centre[1] + across * sin(turn) + along * cos(turn),
        )

    return corner(-x, -y), corner(x, -y), corner(x, y), corner(-x, y)


def table(frame: int) -> Table:
    """The cards of `spread` as a watcher reports them after three looks."""
    cards = tuple(
        PlacedCard(
            number,
            code,
            (Guess(code, 0.999),),
            True,
            corners_mm(place, 3 * (number % 3 - 1)),
            "centre",
            0.0,
            1.0,
            looks=3,
        )
        for number, (code, place) in enumerate(zip(CODES, PLACES, strict=True))
    )
    return Table(0.0, frame, cards, looks=3)


def learner(data: Path, eye_factory: EyeFactory, rig: Rig) -> PlayLearner:
    assert rig.lens is not None
    assert rig.table is not None
    reading = TaughtReading("mine", CARD_MM, eye_factory.sight)
    return PlayLearner(data, reading, "game-1", (rig.lens, rig.table), lambda: {"centre": frozenset(CODES[:6])})


def test_the_deck_is_richer_after_a_game(data: Path, eye_factory: EyeFactory) -> None:
    frame, rig = spread(CODES, 6)
    made = learner(data, eye_factory, rig)
    seen = Observation(table(frame.index), True, True, 0.5)
    made.cards.seen(frame, seen)
    made.cards.seen(frame, seen)
    assert [crop.code for crop in made.cards.crops] == list(CODES[:6]), "each once, and only those that are expected"
    assert "views from play" in made.learn()
    played = [view for view in load_index(find_deck(data, "mine")).views if view.by == BY_PLAY]
    assert played
    assert {view.code for view in played} <= set(CODES[:6])
    assert all(view.origin.startswith("game-1, frame 6, card ") for view in played)


def test_nothing_is_cut_from_a_table_that_was_reported_in_haste(data: Path, eye_factory: EyeFactory) -> None:
    frame, rig = spread(CODES, 6)
    made = learner(data, eye_factory, rig)
    for one in (replace(table(frame.index), hasty=True), table(frame.index - 1), None):
        made.cards.seen(frame, Observation(one, True, True, None))
    assert made.cards.crops == []
    assert made.learn() == ""


def test_a_deck_that_is_gone_does_not_end_the_referee(data: Path, eye_factory: EyeFactory) -> None:
    frame, rig = spread(CODES, 6)
    made = learner(data, eye_factory, rig)
    made.cards.seen(frame, Observation(table(frame.index), True, True, 0.5))
    delete_deck(data, "mine")
    assert made.learn().startswith("nothing was learnt from this game: no taught deck 'mine'")
