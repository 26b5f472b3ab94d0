"""Loose markers: nobody measured where they lie, and their own size gives the scale."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.frames import CalibrationError
from calibration.table import TablePose, locate_table, mat_markers, pixels_to_mm, table_from_corners
from tests.calibration.tables import Floats, Laid, covers, grid_mm, lay_table, some_cards


def framed(laid: Laid, ids: tuple[int, ...]) -> Floats:
    """The true places of the markers in the table that they span: turned along its sides, from its middle."""
    middles = np.array([laid.spots[number][1:] for number in ids])
    at = dict(zip(ids, middles @ (1, 1j), strict=True))
    along = sum(at[right] - at[left] for left, right in ((0, 1), (3, 2)) if {left, right} <= set(ids))
    along -= 1j * sum(at[lower] - at[upper] for upper, lower in ((0, 3), (1, 2)) if {upper, lower} <= set(ids))
    turned = np.array([at[number] for number in ids]) * np.conj(along) / abs(along)
    flat = np.stack([turned.real, turned.imag], 1)
    return np.asarray(flat - (flat.min(0) + flat.max(0)) / 2, float)


def errors_mm(laid: Laid, table: TablePose, ids: tuple[int, ...]) -> Floats:
    """How far points all over the table are from where they should be, in the frame that the markers span."""
    true = framed(laid, ids) @ (1, 1j)
    given = np.array([laid.spots[number][1:] for number in ids]) @ (1, 1j)
    turn = (true[1] - true[0]) / (given[1] - given[0])
    points = grid_mm(table.size_mm)
    back = (points @ (1, 1j) - true[0]) / turn + given[0]
    pixels = laid.scene.camera.project(np.stack([back.real, back.imag], 1))
    inside = ((pixels > 0) & (pixels < np.array(laid.lens.size_px) - 1)).all(1)
    return np.asarray(np.linalg.norm(pixels_to_mm(pixels, laid.lens, table) - points, axis=1)[inside], float)


@pytest.mark.parametrize("covered", [(), (2,)])
@pytest.mark.parametrize("size_px", [(1640, 1232), (1280, 720)])
def test_loose_markers_give_the_table(size_px: tuple[int, int], covered: tuple[int, ...]) -> None:
    squares, ids = [], tuple(number for number in range(4) if number not in covered)
    for seed in range(8):
        laid = lay_table(seed, size_px, loose=True)
        picture = laid.picture(cards=some_cards(laid, 6, seed), clutter=covers(laid, covered))
        table = locate_table(picture, laid.lens)
        if tuple(spot[0] for spot in table.markers_mm) != ids:
            continue  # One of them lies outside the picture.
        found = errors_mm(laid, table, ids)
        squares.append(float((found**2).mean()))
        assert found.max() <= 1.0, seed
        assert np.sqrt(squares[-1]) <= 3 * table.error_mm, seed
        places = np.array([spot[1:] for spot in table.markers_mm])
        assert np.abs(places - framed(laid, ids)).max() <= 1.0, seed
        assert np.array(table.size_mm) == pytest.approx(np.ptp(places, axis=0) + 60, abs=1e-6)
    assert len(squares) >= 6
    assert np.sqrt(np.mean(squares)) <= 0.5


def test_a_lens_that_is_not_quite_right_does_little_harm() -> None:
    """As wrong as a calibration may be: 0.3 % of focal length, 4 px beside the centre."""
    for seed in range(20, 24):
        laid = lay_table(seed)
        lens = laid.lens
        focal = (1.003 * lens.focal_px[0], 1.003 * lens.focal_px[1])
        wrong = replace(lens, focal_px=focal, centre_px=(lens.centre_px[0] + 4, lens.centre_px[1] - 4))
        table = locate_table(laid.picture(), wrong, laid.size_mm, laid.spots)
        points = grid_mm(laid.size_mm)
        pixels = laid.scene.camera.project(points)
        errors = np.linalg.norm(pixels_to_mm(pixels, wrong, table) - points, axis=1)
        assert np.sqrt((errors**2).mean()) <= 0.5


def test_the_size_may_be_given() -> None:
    laid = lay_table(30, loose=True)
    assert locate_table(laid.picture(), laid.lens, (800.0, 500.0)).size_mm == (800.0, 500.0)


def test_what_cannot_be_a_table_is_refused() -> None:
    laid = lay_table(31)
    under = laid.scene.under
    swapped = (replace(under[0], x_mm=under[1].x_mm), replace(under[1], x_mm=under[0].x_mm), *under[2:])
    with pytest.raises(CalibrationError, match="do not go round the table clockwise; wanted 0 upper left"):
        locate_table(laid.picture(under=swapped), laid.lens)
    with pytest.raises(CalibrationError, match=r"mm away from where they should lie.*size of the table"):
        locate_table(laid.picture(), laid.lens, (400.0, 300.0), mat_markers((400.0, 300.0)))
    small = replace(under[2], sprite=replace(under[2].sprite, px_per_mm=1.15 * under[2].sprite.px_per_mm))
    with pytest.raises(CalibrationError, match="flat squares of one size"):
        locate_table(laid.picture(under=(*under[:2], small, under[3])), laid.lens)
    with pytest.raises(CalibrationError, match=r"saw only markers 1, 3 of 0, 1, 2, 3.*uncover 0 \(upper left\), 2"):
        locate_table(laid.picture(clutter=covers(laid, (0, 2))), laid.lens)
    with pytest.raises(CalibrationError, match="saw no marker of 0, 1, 2, 3, wanted at least 3"):
        locate_table(laid.picture(under=()), laid.lens)


def test_corners_by_hand_tell_how_well_they_were_pointed_at() -> None:
    laid = lay_table(32)
    x, y = laid.size_mm[0] / 2, laid.size_mm[1] / 2
    true = laid.scene.camera.project(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]))
    askew = true + np.array([(0, 0), (9, -7), (0, 0), (0, 0)])
    told = [
        table_from_corners([(float(right), float(down)) for right, down in corners], laid.size_mm, laid.lens).error_mm
        for corners in (true, askew)
    ]
    assert told[0] < 0.7
    assert told[1] > 2 * told[0]
