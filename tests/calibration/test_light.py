"""Light that is too dim, too red or mixed is named, with numbers and a remedy; good light is not."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.colour import White, read_white
from calibration.frames import Image
from calibration.light import LightFault, LightProblem, find_whites, judge_light
from tests.calibration.lamps import LAMPS, Shot, laid, relit

DATA = Path(__file__).parents[3] / "shared" / "data"
TABLE = Shot(6500, 0.9, markers=True, cards=laid("dawaj2", ("1B0", "1P0", "1G0", "2B0", "2P0", "2G0")))


@cache
def daylight() -> Image:
    return TABLE.take().image


def judged(image: Image) -> dict[LightFault, LightProblem]:
    return {finding.fault: finding for finding in judge_light(image, find_whites(image))}


@pytest.mark.parametrize("kelvin", LAMPS)
def test_good_light_has_no_fault(kelvin: float) -> None:
    level = 0.92 / (1 + 0.3 * (6500 - kelvin) / 3800)
    assert not judged(replace(TABLE, kelvin=kelvin, level=level).take().image)


def test_a_lamp_of_one_side_is_not_mixed_light() -> None:
    """It is darker at the other side, but of the same colour."""
    assert not judged(replace(TABLE, kelvin=3000, level=0.75, falloff=0.5).take().image)


@pytest.mark.parametrize("kelvin", [2700, 6500])
def test_dim_light_is_named(kelvin: float) -> None:
    found = judged(replace(TABLE, kelvin=kelvin, level=0.26).take().image)
    assert set(found) == {LightFault.DIM}
    assert found[LightFault.DIM].found < found[LightFault.DIM].wanted == 100
    assert "white paper reads" in found[LightFault.DIM].says
    assert "add a lamp" in found[LightFault.DIM].says


def test_dim_light_is_named_without_any_white() -> None:
    image = replace(TABLE, level=0.25, markers=False, strip_at=None).take().image
    assert [finding.fault for finding in judge_light(image)] == [LightFault.DIM]
    assert not judge_light(daylight())


@pytest.mark.parametrize(
    ("light", "fault"),
    [
        ((0.04, 0.4, 0.95), LightFault.RED),
        ((0.25, 0.25, 0.95), LightFault.RED),
        ((0.95, 0.5, 0.06), LightFault.BLUE),
        ((0.95, 0.28, 0.25), LightFault.BLUE),
        ((0.9, 0.2, 0.9), LightFault.PINK),
        ((0.12, 0.9, 0.12), LightFault.GREEN),
    ],
)
def test_coloured_light_is_named(light: tuple[float, float, float], fault: LightFault) -> None:
    found = judged(relit(daylight(), light))
    assert set(found) == {fault}
    assert found[fault].found > found[fault].wanted
    assert f"too {fault}" in found[fault].says
    assert "2700 to 6500 K" in found[fault].says


def lit_from(side: int, warm: tuple[float, float, float], cold: tuple[float, float, float]) -> Image:
    """Warm light at the left or the top that gives way to cold light at the other side."""
    image = daylight()
    share = np.linspace(0, 1, image.shape[1 - side])[:, None]
    light = np.array(warm) * (1 - share) + np.array(cold) * share
    return relit(image, light[None, :, :] if side == 0 else light[:, None, :])


@pytest.mark.parametrize("side", [0, 1])
def test_mixed_light_is_named(side: int) -> None:
    found = judged(lit_from(side, (0.25, 0.5, 0.9), (0.9, 0.85, 0.8)))
    assert set(found) == {LightFault.MIXED}
    says = found[LightFault.MIXED].says
    assert found[LightFault.MIXED].found > 2
    warm, cold = ("left", "right") if side == 0 else ("upper", "lower")
    assert says.index(cold) < says.index(warm)
    assert "use one kind of lamp" in says


def test_slightly_mixed_light_is_let_be() -> None:
    assert not judged(lit_from(0, (0.75, 0.8, 0.9), (0.88, 0.85, 0.85)))


def test_whites_side_by_side_cannot_tell_mixed_light() -> None:
    whites = [White(100, 100, (60, 120, 200)), White(160, 100, (200, 200, 200))]
    assert not judge_light(daylight(), whites)
    far = [whites[0], replace(whites[1], x_px=1000)]
    assert [finding.fault for finding in judge_light(daylight(), far)] == [LightFault.MIXED]


def test_burnt_out_white_is_named() -> None:
    found = judged(replace(TABLE, kelvin=2700, level=1.05, falloff=0.0, vignette=0.0).take().image)
    assert set(found) == {LightFault.CLIPPED}
    assert "in red" in found[LightFault.CLIPPED].says
    assert "shorten the exposure" in found[LightFault.CLIPPED].says


def test_a_mirrored_lamp_is_named() -> None:
    image = daylight().copy()
    cv2.circle(image, (600, 420), 110, (255, 255, 255), -1)
    found = judged(image)
    assert set(found) == {LightFault.CLIPPED}
    assert "burnt out" in found[LightFault.CLIPPED].says
    assert "mirror" in found[LightFault.CLIPPED].says


def test_cards_serve_as_white_too() -> None:
    taken = replace(TABLE, kelvin=3000, level=0.25, markers=False, strip_at=None).take()
    assert not find_whites(taken.image)
    whites = [read_white(taken.image, np.array(card.corners_px)) for card in taken.cards]
    assert [finding.fault for finding in judge_light(taken.image, [w for w in whites if w])] == [LightFault.DIM]


@pytest.mark.parametrize(
    ("name", "faults"), [("s0000", set()), ("s0001", set()), ("s0004", set()), ("s0002", {LightFault.MIXED})]
)
def test_traced_rooms(name: str, faults: set[LightFault]) -> None:
    """Rooms with one kind of ceiling lamps, and one with a cold and a warm lamp, as their truth says."""
    path = DATA / "traced" / "images" / f"{name}.jpg"
    if not path.is_file():
        pytest.skip(f"{path} is not there: light was not judged on path-traced rooms")
    image = np.asarray(cv2.imread(str(path)), np.uint8)
    assert len(find_whites(image)) >= 3
    assert set(judged(image)) == faults
