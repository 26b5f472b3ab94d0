"""The gate: sees cards and hands move, and is blind to lamps, exposure, grain and soft shadows."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.frames import Frame
from models.synth.scene import Light, Optics, Scene
from tests.vision.tables import moved, picture, scene, turned_over, with_card, with_hand
from vision.follow.gate import Gate, Motion

SHARED = Path(__file__).parents[4] / "shared" / "data"
TOPS = ("wood", "cloth")
on_tops = pytest.mark.parametrize("top", TOPS)


def seen(before: Scene, after: Scene) -> Motion:
    """What the gate says about a table that lay still and is another one in the next frame."""
    gate = Gate()
    gate.compare(picture(before, 0.0))
    gate.mark_looked()
    assert gate.compare(picture(before, 0.1)) == Motion(False, False, False)
    return gate.compare(picture(after, 0.2))


LAMPS: dict[str, Callable[[Light], Light]] = {
    "warm": lambda light: replace(light, kelvin=2700.0),
    "dimmed": lambda light: replace(light, level=0.25),
    "bright": lambda light: replace(light, level=1.15),
    "from one side": lambda light: replace(light, falloff=0.6),
    "somebody's soft shadow": lambda light: replace(light, shade=0.3, softness=1.0),
}


@on_tops
@pytest.mark.parametrize("lamp", LAMPS)
def test_a_lamp_is_not_a_move(top: str, lamp: str) -> None:
    table = scene(top)
    said = seen(table, replace(table, light=LAMPS[lamp](table.light)))
    assert not said.moving
    assert not said.changed
    assert said.lit or lamp not in ("dimmed", "bright")


@on_tops
def test_grain_and_exposure_are_not_a_move(top: str) -> None:
    table = scene(top)
    exposed = replace(table, optics=Optics(noise=6.0, gamma=1.25))
    assert not seen(table, exposed).moving


@on_tops
def test_what_players_do_is_a_move(top: str) -> None:
    table = scene(top)
    changes = {
        "laid": (replace(table, cards=table.cards[1:]), table),
        "taken": (table, replace(table, cards=table.cards[1:])),
        "turned over": (table, with_card(table, 1, turned_over(table.cards[1]))),
        "pushed by 3 mm": (table, with_card(table, 0, moved(table.cards[0], 3.0, 0.0))),
        "a back pushed by 3 mm": (table, with_card(table, 5, moved(table.cards[5], 2.1, 2.1))),
        "pushed in a stack": (table, with_card(table, 4, moved(table.cards[4], 3.0, 0.0))),
        "finger tips": (table, with_hand(table, 20.0)),
    }
    for what, (before, after) in changes.items():
        said = seen(before, after)
        assert said.moving, what
        assert said.changed, what
        assert not said.lit, what


def test_what_creeps_is_noticed_by_the_last_look() -> None:
    """A card that is pushed more slowly than anything moves from frame to frame."""
    table, gate = scene("felt"), Gate()
    gate.compare(picture(table, 0.0))
    gate.mark_looked()
    said = [
        gate.compare(picture(with_card(table, 0, moved(table.cards[0], 0.2 * step, 0.0)), 0.1 * step))
        for step in range(1, 16)
    ]
    assert not any(motion.moving for motion in said)
    assert said[-1].changed
    gate.mark_looked()
    after = with_card(table, 0, moved(table.cards[0], 3.0, 0.0))
    assert gate.compare(picture(after, 2.0)) == Motion(False, False, False)


def test_a_lamp_in_the_meantime_does_not_hide_a_move() -> None:
    table, gate = scene("wood"), Gate()
    gate.compare(picture(table, 0.0))
    gate.mark_looked()
    dim = replace(table, light=replace(table.light, level=0.4))
    assert not gate.compare(picture(dim, 0.5)).changed
    assert gate.compare(picture(with_card(dim, 0, moved(dim.cards[0], 3.0, 0.0)), 1.0)).changed


def test_only_the_table_counts() -> None:
    table = scene("mat")
    outside = Gate(((0.0, 0.0), (1279.0, 0.0), (1279.0, 400.0), (0.0, 400.0)))
    outside.compare(picture(table, 0.0))
    outside.mark_looked()
    assert outside.compare(picture(with_hand(table, 60.0), 0.1)) == Motion(False, False, False)


def test_odd_frames() -> None:
    """Grey, tiny, black, of another size, from a clock that jumps: never an error, and new is new."""
    gate = Gate()
    black = np.zeros((90, 160, 3), np.uint8)
    assert gate.compare(Frame(0, 0.0, black)) == Motion(True, True, False)
    gate.mark_looked()
    assert gate.compare(Frame(1, 0.1, black)) == Motion(False, False, False)
    assert gate.compare(Frame(2, -5.0, black)) == Motion(False, False, False)
    assert gate.compare(Frame(3, 0.3, np.zeros((120, 160), np.uint8))).moving
    assert gate.compare(Frame(4, 0.4, np.zeros((3, 200, 3), np.uint8))).moving


def clip(name: str, most: int) -> Iterator[Frame]:
    if not (SHARED / name).exists():
        pytest.skip(f"{name} is not here: the gate is not tried on it")
    video = cv2.VideoCapture(str(SHARED / name))
    fps = video.get(cv2.CAP_PROP_FPS)
    for index in range(most):
        there, image = video.read()
        if not there:
            return
        yield Frame(index, index / fps, np.asarray(image, np.uint8))


@pytest.mark.parametrize("name", ["box.mp4", "cup.mp4"])
def test_a_real_hand_moves(name: str) -> None:
    gate = Gate()
    said = [gate.compare(frame).moving for frame in clip(f"textures_hands/video/{name}", 150)][45:]
    assert sum(said) >= 0.95 * len(said)
