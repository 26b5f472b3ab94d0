"""The lens from simulated films with known truth: exact, robust, honest about itself."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.boards import BoardView
from calibration.fits import LensModel
from calibration.frames import CalibrationError
from calibration.lens import Lens
from calibration.solution import LensResult, solve_lens
from tests.calibration.films import BARREL, FISHEYE, SIZE_PX, STANDARD, filmed, imagined_views

LENSES = {"standard": STANDARD, "barrel": BARREL, "fisheye": FISHEYE}
FLOOR_FOCAL = 0.003
FLOOR_CENTRE_PX = 4.0


def focal_error(result: LensResult, lens: Lens) -> float:
    return float(np.abs(np.array(result.lens.focal_px) / lens.focal_px - 1).max())


def centre_error_px(result: LensResult, lens: Lens) -> float:
    return float(np.abs(np.array(result.lens.centre_px) - lens.centre_px).max())


@pytest.mark.parametrize("name", LENSES)
def test_a_film_gives_the_lens(name: str) -> None:
    lens = LENSES[name]
    choice = filmed(lens)
    result = solve_lens(choice.views, choice.size_px)
    assert focal_error(result, lens) < FLOOR_FOCAL
    assert centre_error_px(result, lens) < FLOOR_CENTRE_PX
    assert result.lens.rms_px < 0.15
    assert result.trusted, result.advice
    assert result.model is (LensModel.FISHEYE if lens.fisheye else LensModel.STANDARD)
    assert len(result.per_view_errors_px) == result.lens.views >= 18
    assert result.cover_share > 0.9
    # The whole bending, to the corners: the same ray falls on the same pixel.
    x, y = np.meshgrid(np.linspace(0, 1639, 12), np.linspace(0, 1231, 9))
    grid = np.stack([x.ravel(), y.ravel()], 1)
    rays = (lens.undistort(grid) - lens.centre_px) / lens.focal_px
    found = result.lens.distort(rays * result.lens.focal_px + result.lens.centre_px)
    assert np.abs(found - grid).max() < 4.0
    assert not result.lens.folds


@pytest.mark.parametrize("name", LENSES)
def test_views_and_corners_that_contradict_the_others_are_dropped(name: str) -> None:
    lens = LENSES[name]
    views = imagined_views(lens, 22, 0.1, seed=4)
    clean = solve_lens(views, SIZE_PX)
    # One board moved while it was read, one was bent; and two corners of a third were mistaken.
    skewed = views[3].pixels + np.stack([0.02 * views[3].pixels[:, 1], np.zeros(len(views[3].ids))], 1)
    bulge = np.linalg.norm(views[8].points_mm - views[8].points_mm.mean(0), axis=1)[:, None] ** 2 / 2000
    mistaken = views[12].pixels.copy()
    mistaken[:2] += (3.0, -2.5)
    spoiled = list(views)
    spoiled[3] = replace(views[3], pixels=skewed)
    spoiled[8] = replace(views[8], pixels=views[8].pixels + bulge * (1.0, -1.0))
    spoiled[12] = replace(views[12], pixels=mistaken)
    result = solve_lens(spoiled, SIZE_PX)
    names = {text.partition(":")[0] for text in result.dropped}
    assert "8" in names
    assert not names - {"3", "8", "12"}
    assert result.dropped_points >= (0 if "12" in names else 2)
    assert focal_error(result, lens) < FLOOR_FOCAL
    assert centre_error_px(result, lens) < FLOOR_CENTRE_PX
    assert result.lens.rms_px < 1.6 * clean.lens.rms_px


def test_trust_is_earned() -> None:
    """Whatever is trusted is within the floors; careless sets of views are not trusted or still exact enough."""
    trusted = []
    for seed in range(2):
        for lens in LENSES.values():
            for count, noise_px in ((9, 0.1), (13, 0.12)):
                result = solve_lens(imagined_views(lens, count, noise_px, seed), SIZE_PX)
                if result.trusted:
                    assert focal_error(result, lens) < FLOOR_FOCAL
                    assert centre_error_px(result, lens) < FLOOR_CENTRE_PX
                    trusted.append((count, noise_px))
    assert trusted.count((13, 0.12)) >= 5
    assert (9, 0.1) not in trusted


def test_the_uncertainty_is_the_real_one() -> None:
    errors = []
    for seed in range(6):
        result = solve_lens(imagined_views(STANDARD, 12, 0.15, seed), SIZE_PX)
        errors.append((result.lens.focal_px[0] - STANDARD.focal_px[0]) / result.sigma_focal_px)
        errors.append((result.lens.centre_px[0] - STANDARD.centre_px[0]) / result.sigma_centre_px)
    assert 0.5 < np.sqrt(np.mean(np.square(errors))) < 1.6
    assert np.abs(errors).max() < 4


def test_richer_models_are_not_taken_for_noise() -> None:
    models = [solve_lens(imagined_views(STANDARD, 12, 0.3, seed), SIZE_PX).model for seed in range(5)]
    assert models.count(LensModel.STANDARD) >= 4


def test_a_fisheye_is_told_from_what_it_predicts() -> None:
    held_out = dict(solve_lens(filmed(FISHEYE).views, SIZE_PX).held_out_px)
    assert held_out[LensModel.FISHEYE] < 0.15
    assert held_out[LensModel.STANDARD] > 3 * held_out[LensModel.FISHEYE]


def only(views: list[BoardView], x: tuple[float, float], y: tuple[float, float]) -> list[BoardView]:
    middles = [view.pixels.mean(0) / view.size_px for view in views]
    return [view for view, at in zip(views, middles, strict=True) if x[0] <= at[0] <= x[1] and y[0] <= at[1] <= y[1]]


def test_it_says_where_the_board_was_not_seen() -> None:
    views = [
        replace(view, ids=view.ids[kept], points_mm=view.points_mm[kept], pixels=view.pixels[kept])
        for view in imagined_views(STANDARD, 30, 0.1, seed=2)
        if (kept := (view.pixels[:, 0] > 300) | (view.pixels[:, 1] > 330)).sum() >= 8
    ]
    result = solve_lens(views, SIZE_PX)
    assert result.coverage[0][0] == 0
    assert result.trusted
    assert [hint for hint in result.advice if hint.startswith("no view")] == [
        "no view in the upper left corner: hold the board there too"
    ]


def test_one_half_of_the_frame_is_not_trusted() -> None:
    views = only(imagined_views(STANDARD, 60, 0.1, seed=3), (0.0, 0.4), (0.0, 1.0))
    result = solve_lens(views, SIZE_PX)
    assert not result.trusted
    assert any("of the frame, wanted 75%" in fault for fault in result.advice)
    assert any("no view at the right edge" in hint for hint in result.advice)


def test_views_without_tilt_leave_the_focal_length_open() -> None:
    flat = imagined_views(STANDARD, 16, 0.15, seed=1, tilt_deg=2.0, spread=0.3)
    result = solve_lens(flat, SIZE_PX)
    assert not result.trusted
    assert any("tilt the board by 20 to 40 degrees" in fault for fault in result.advice)


def test_noisy_views_are_not_trusted() -> None:
    result = solve_lens(imagined_views(STANDARD, 16, 0.7, seed=1), SIZE_PX)
    assert not result.trusted
    assert "px off, wanted 0.6" in result.advice[0]


def test_too_few_views_are_refused() -> None:
    with pytest.raises(CalibrationError, match=r"5 usable views of the board, wanted 6 at the very least.*tilted"):
        solve_lens(imagined_views(STANDARD, 5, 0.1, seed=1), SIZE_PX)


def test_a_board_with_another_geometry_is_refused() -> None:
    # The corners are counted as if the board were one square narrower.
    views = [
        replace(view, points_mm=np.stack([view.ids % 5, view.ids // 5], 1).astype(float) * 35)
        for view in imagined_views(STANDARD, 14, 0.1, seed=1)
    ]
    with pytest.raises(CalibrationError, match=r"px off, wanted less than|give no lens"):
        solve_lens(views, SIZE_PX)


def test_views_of_another_size_are_refused() -> None:
    views = imagined_views(STANDARD, 10, 0.1, seed=1)
    views[4] = replace(views[4], size_px=(820, 616))
    with pytest.raises(CalibrationError, match=r"picture 4 has 820 x 616 px, the others 1640 x 1232"):
        solve_lens(views, SIZE_PX)
