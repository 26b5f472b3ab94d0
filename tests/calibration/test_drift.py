"""A bumped rig is noticed by its markers and found again; another lamp is not a bump."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from calibration.drift import Drift, DriftState, Landmarks, follow, judge_drift, measure_drift, remember
from calibration.frames import CalibrationError
from calibration.table import TablePose, pixels_to_mm, table_from_corners
from models.synth.camera import SynthCamera
from models.synth.materials import MAKERS
from tests.calibration.tables import Laid, bumped, covers, grid_mm, lay_table, other_lamp, some_cards, still, tipped

SIZE_PX = (1280, 720)
MATERIALS = tuple(MAKERS)


def remembered(seed: int, material: str = "") -> tuple[Laid, Landmarks]:
    laid = still(lay_table(seed, SIZE_PX, material=material or MATERIALS[seed % len(MATERIALS)]))
    return laid, remember(laid.picture(cards=some_cards(laid, 5, seed)), laid.lens, laid.pose)


def errors_mm(laid: Laid, table: TablePose, camera: SynthCamera) -> float:
    points = grid_mm(laid.size_mm)
    pixels = camera.project(points)
    return float(np.sqrt((np.linalg.norm(pixels_to_mm(pixels, laid.lens, table) - points, axis=1) ** 2).mean()))


def test_a_shift_is_noticed_and_another_lamp_is_none() -> None:
    for seed in range(20):
        laid, landmarks = remembered(seed)
        camera = bumped(laid.scene.camera, 2.0, 0.7 * seed)
        lamp, cards = other_lamp(laid.scene.light, seed), some_cards(laid, 6, seed + 50)
        moved = measure_drift(laid.picture(camera=camera, cards=cards), laid.lens, laid.pose, landmarks)
        assert (judge_drift(moved), moved.by) == (DriftState.WARN, "markers"), (seed, moved)
        assert moved.shift_mm == pytest.approx(2.0, abs=0.25), seed
        lit = measure_drift(laid.picture(light=lamp, cards=cards), laid.lens, laid.pose, landmarks)
        assert (judge_drift(lit), lit.by) == (DriftState.OK, "markers"), (seed, lit)
        assert lit.shift_mm < 0.5, seed


@pytest.mark.parametrize("bump", [bumped, tipped])
@pytest.mark.parametrize(("covered", "material"), [((), ""), ((1,), ""), ((0, 3), "stone")])
def test_a_rig_that_moved_far_finds_its_table_again(
    bump: Callable[[SynthCamera, float, float], SynthCamera], covered: tuple[int, ...], material: str
) -> None:
    """Where two markers are covered, the surface helps."""
    for seed in (40, 42):
        laid, landmarks = remembered(seed, material)
        camera = bump(laid.scene.camera, 6.0, 0.7 * seed)
        picture = laid.picture(camera=camera, cards=some_cards(laid, 6, seed), clutter=covers(laid, covered))
        assert judge_drift(measure_drift(picture, laid.lens, laid.pose, landmarks)) is DriftState.RECALIBRATE
        table = follow(picture, laid.lens, laid.pose, landmarks)
        assert errors_mm(laid, table, camera) <= 0.5, seed
        assert table.error_mm >= laid.pose.error_mm


def test_a_turn_is_told_in_degrees() -> None:
    laid, landmarks = remembered(50)
    camera = laid.scene.camera
    picture = laid.picture(camera=replace(camera, roll_deg=camera.roll_deg + 0.8))
    assert abs(measure_drift(picture, laid.lens, laid.pose, landmarks).turn_deg) == pytest.approx(0.8, abs=0.05)


def test_a_small_shift_leaves_the_table_as_it_is() -> None:
    laid, landmarks = remembered(51)
    picture = laid.picture(camera=bumped(laid.scene.camera, 2.5, 1.0))
    assert follow(picture, laid.lens, laid.pose, landmarks) == laid.pose


@pytest.mark.parametrize("covered", [(), (0,), (0, 1)])
def test_a_marker_that_is_pushed_alone_is_no_drift(covered: tuple[int, ...]) -> None:
    laid = still(lay_table(52, SIZE_PX, material="stone"))
    landmarks = remember(laid.picture(), laid.lens, laid.pose)
    pushed = replace(laid.scene.under[2], x_mm=laid.scene.under[2].x_mm - 12, y_mm=laid.scene.under[2].y_mm + 3)
    under = (*laid.scene.under[:2], pushed, laid.scene.under[3])
    drift = measure_drift(laid.picture(under=under, clutter=covers(laid, covered)), laid.lens, laid.pose, landmarks)
    assert judge_drift(drift) is DriftState.OK, drift


def test_a_table_given_by_hand_is_watched_too() -> None:
    """Its corners and its size were not quite right, and that must not look like a drift."""
    laid = still(lay_table(53, SIZE_PX, material="stone"))
    x, y = laid.size_mm[0] / 2, laid.size_mm[1] / 2
    true = laid.scene.camera.project(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]))
    corners = true + np.array([(2, 1), (-1, 2), (0, 0), (3, 0)])
    size_mm = (1.04 * laid.size_mm[0], 0.97 * laid.size_mm[1])
    table = table_from_corners([(float(right), float(down)) for right, down in corners], size_mm, laid.lens)
    landmarks = remember(laid.picture(), laid.lens, table)
    lit = laid.picture(light=other_lamp(laid.scene.light, 1))
    assert judge_drift(measure_drift(lit, laid.lens, table, landmarks)) is DriftState.OK
    camera = bumped(laid.scene.camera, 9.0, 1.0)
    for covered in ((), (0, 1, 2, 3)):
        found = follow(laid.picture(camera=camera, clutter=covers(laid, covered)), laid.lens, table, landmarks)
        points = 0.9 * grid_mm(laid.size_mm)
        before = pixels_to_mm(laid.scene.camera.project(points), laid.lens, table)
        after = pixels_to_mm(camera.project(points), laid.lens, found)
        assert np.sqrt(((after - before) ** 2).sum(1).mean()) < 0.5


def test_limits() -> None:
    def judged(shift_mm: float, sure: bool = True) -> DriftState:
        return judge_drift(Drift(shift_mm, 0.0, sure, "markers"))

    assert [judged(shift) for shift in (0, 1.5, 2.0, 5.5, 6.0, 80)] == [
        *(DriftState.OK, DriftState.OK),
        *(DriftState.WARN, DriftState.WARN),
        *(DriftState.RECALIBRATE, DriftState.RECALIBRATE),
    ]
    assert judged(0.0, sure=False) is judged(9.0, sure=False) is DriftState.UNKNOWN


def test_pictures_of_another_size_are_refused() -> None:
    laid = lay_table(54, SIZE_PX)
    with pytest.raises(CalibrationError, match="the lens was calibrated for"):
        measure_drift(np.zeros((100, 100, 3), np.uint8), laid.lens, laid.pose, Landmarks())


def test_nothing_remembered_is_nothing_known() -> None:
    laid = lay_table(55, SIZE_PX)
    drift = measure_drift(laid.picture(), laid.lens, replace(laid.pose, markers_mm=()), Landmarks())
    assert judge_drift(drift) is DriftState.UNKNOWN
    assert follow(laid.picture(), laid.lens, laid.pose, Landmarks()) == laid.pose
