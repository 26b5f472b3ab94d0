"""The lens itself: bending and straightening, other resolutions, models that fold."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.frames import CalibrationError
from calibration.lens import Floats, Lens
from tests.calibration.films import BARREL, FISHEYE, SIZE_PX, STANDARD

RATIONAL = Lens(SIZE_PX, (911.2, 909.5), (809.7, 622.0), (0.0743, -0.237, 5e-5, -6e-6, -0.0121, 0.396, -0.292, -0.059))
FOLDING = Lens((640, 480), (335.7, 335.4), (343.3, 232.1), (-0.343, 0.15, 0.0003, 0.0005, -0.036))
LENSES = {"standard": STANDARD, "barrel": BARREL, "fisheye": FISHEYE, "rational": RATIONAL}

inside = st.lists(st.tuples(st.floats(0, SIZE_PX[0] - 1), st.floats(0, SIZE_PX[1] - 1)), min_size=1, max_size=40).map(
    lambda pixels: np.array(pixels, float)
)


@given(lens=st.sampled_from(list(LENSES.values())), pixels=inside)
def test_straighten_and_bend_are_inverse_inside_the_frame(lens: Lens, pixels: Floats) -> None:
    assert np.abs(lens.distort(lens.undistort(pixels)) - pixels).max() < 0.05


@given(
    focal=st.floats(650, 2000),
    centre=st.tuples(st.floats(780, 860), st.floats(580, 650)),
    bend=st.tuples(st.floats(-0.08, 0.08), st.floats(0, 0.01), st.floats(-1e-3, 1e-3), st.floats(-1e-3, 1e-3)),
    pixels=inside,
)
def test_any_gentle_lens_can_be_inverted(
    focal: float, centre: tuple[float, float], bend: tuple[float, float, float, float], pixels: Floats
) -> None:
    lens = Lens(SIZE_PX, (focal, focal * 1.002), centre, (*bend, 0.0))
    assert not lens.folds
    assert np.abs(lens.distort(lens.undistort(pixels)) - pixels).max() < 0.05


@pytest.mark.parametrize("name", LENSES)
def test_bending_is_what_opencv_projects(name: str) -> None:
    lens = LENSES[name]
    x, y = np.meshgrid(np.linspace(0, 1639, 20), np.linspace(0, 1231, 15))
    straight = lens.undistort(np.stack([x.ravel(), y.ravel()], 1))
    rays = np.column_stack([(straight - lens.centre_px) / lens.focal_px, np.ones(len(straight))]).reshape(-1, 1, 3)
    project = cv2.fisheye.projectPoints if lens.fisheye else cv2.projectPoints
    expected, _ = project(rays, np.zeros(3), np.zeros(3), lens.matrix, np.array(lens.distortion))
    assert np.abs(lens.distort(straight) - np.asarray(expected).reshape(-1, 2)).max() < 1e-6


def test_no_points_are_no_trouble() -> None:
    for lens in (STANDARD, FISHEYE):
        assert lens.undistort(np.empty((0, 2))).shape == (0, 2)
        assert lens.distort(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("name", LENSES)
def test_a_scaled_lens_sees_the_same_at_another_resolution(name: str) -> None:
    lens = LENSES[name]
    half = lens.scaled((820, 616))
    pixels = np.array([[0.0, 0.0], [100.5, 900.25], [820.0, 616.0], [1500.0, 1100.0]])
    expected = (lens.distort(pixels) + 0.5) / 2 - 0.5
    assert half.size_px == (820, 616)
    assert np.abs(half.distort((pixels + 0.5) / 2 - 0.5) - expected).max() < 1e-6
    assert half.scaled(SIZE_PX).focal_px == pytest.approx(lens.focal_px)
    assert half.scaled(SIZE_PX).centre_px == pytest.approx(lens.centre_px)


def test_a_lens_is_not_scaled_to_another_shape() -> None:
    with pytest.raises(CalibrationError, match=r"1640 x 1232.*2304 x 1296.*calibrate the lens again"):
        STANDARD.scaled((2304, 1296))


def test_width_in_degrees() -> None:
    assert STANDARD.width_deg == pytest.approx(66, abs=2)
    assert BARREL.width_deg == pytest.approx(102, abs=1)
    assert FISHEYE.width_deg == pytest.approx(102, abs=1)


def test_a_model_that_folds_inside_the_frame_is_noticed() -> None:
    assert FOLDING.folds
    assert not any(lens.folds for lens in LENSES.values())


def test_far_points_do_not_come_back_into_the_picture() -> None:
    # Through the bare polynomial, points behind the fold of this lens would land in the frame again.
    lens = Lens(SIZE_PX, (1262.0, 1260.0), (819.5, 615.5), (-0.2, 0.0, 0.0, 0.0, 0.0))
    assert not lens.folds
    far = np.array([[x, 615.5] for x in np.linspace(2500, 9000, 60)])
    bent = lens.distort(far)
    assert (bent[:, 0] > 1639).all()
    assert (np.diff(bent[:, 0]) > 0).all()
