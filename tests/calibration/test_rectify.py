"""Straightening in one step: what is where, to a third of a pixel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.frames import CalibrationError, Frame
from calibration.markers import find_markers
from calibration.rectify import Rectifier, rectifier_for, rivals
from calibration.table import mm_to_pixels
from tests.calibration.tables import lay_table


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), px_per_mm=st.floats(0.8, 2.2))
def test_rectify_then_project_back_is_identity(seed: int, px_per_mm: float) -> None:
    laid = lay_table(seed, (1280, 720))
    rectifier = Rectifier(laid.lens, laid.pose, px_per_mm)
    sources, seen = rectifier.sources_px(), rectifier.seen()
    rows, columns = np.nonzero(seen)
    pick = np.random.default_rng(seed).integers(0, len(rows), 200)
    rows, columns = rows[pick], columns[pick]
    middle = np.array([(rectifier.size_px[0] - 1) / 2, (rectifier.size_px[1] - 1) / 2])
    points_mm = (np.stack([columns, rows], 1) - middle) / px_per_mm
    wanted = mm_to_pixels(points_mm, laid.lens, laid.pose)
    assert np.abs(sources[rows, columns] - wanted).max() <= 0.3


def test_a_point_of_the_table_appears_where_it_should() -> None:
    """The middles of the markers, found in the straightened picture of a bent and tilted one."""
    laid = lay_table(3, (1640, 1232))
    view = rectifier_for(laid.lens, laid.pose, 1.5).rectify(Frame(0, 0.0, laid.picture()))
    assert view.image.shape[1] == pytest.approx(1.5 * laid.size_mm[0], abs=2)
    for _, x, y in laid.spots:
        column, row = (round(part) for part in view.to_px(x, y))
        marker = view.image[row - 45 : row + 46, column - 45 : column + 46].max(2).astype(float)
        paper = view.image[row - 36 : row + 37, column - 36 : column + 37]
        assert paper.max() > 2 * paper.min(), "black and white of the marker"
        # A marker's dark square of 60 px sits in the middle of what was cut out.
        dark = marker < (marker.min() + marker.max()) / 2
        dark_rows, dark_columns = np.nonzero(dark[10:-10, 10:-10])
        assert (dark_rows.min() + dark_rows.max()) / 2 == pytest.approx(35, abs=1.5)
        assert (dark_columns.min() + dark_columns.max()) / 2 == pytest.approx(35, abs=1.5)
    assert view.to_mm(*view.to_px(12.5, -40.0)) == pytest.approx((12.5, -40.0))


def test_maps_are_made_once() -> None:
    laid = lay_table(4, (1280, 720))
    assert rectifier_for(laid.lens, laid.pose, 1.0) is rectifier_for(laid.lens, laid.pose, 1.0)
    ours, plain = rivals(laid.picture(), rectifier_for(laid.lens, laid.pose, 1.0))
    assert ours().shape == plain().shape


def test_other_pictures_and_huge_views_are_refused() -> None:
    laid = lay_table(5, (1280, 720))
    with pytest.raises(CalibrationError, match="the lens was calibrated for 1280 x 720"):
        Rectifier(laid.lens, laid.pose, 1.0).rectify(Frame(0, 0.0, np.zeros((10, 10, 3), np.uint8)))
    with pytest.raises(CalibrationError, match="pixels"):
        Rectifier(laid.lens, laid.pose, 40.0)


@pytest.mark.parametrize("size_px", [(1640, 1232), (1280, 720)])
def test_sampled_points_appear_where_they_should(size_px: tuple[int, int]) -> None:
    """The middles of all markers, found again in the straightened picture."""
    for seed in range(20, 24):
        laid = lay_table(seed, size_px)
        view = Rectifier(laid.lens, laid.pose, 2.0).rectify(Frame(0, 0.0, laid.picture()))
        markers = find_markers(view.image, wanted=range(4))
        assert len(markers) >= 3, seed
        for marker in markers:
            off = np.mean(marker.corners_px, 0) - view.to_px(*laid.spots[marker.id][1:])
            assert np.linalg.norm(off) <= 0.3, (seed, marker.id)
