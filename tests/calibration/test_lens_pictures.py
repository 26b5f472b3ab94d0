"""The lens from photographs by other people and from path-traced views, where they are present."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.boards import OWN_BOARD, find_board
from calibration.fits import LensModel
from calibration.frames import Frame
from calibration.solution import LensResult, solve_lens
from calibration.views import choose_views

DATA = Path(__file__).parent.parent.parent.parent / "shared" / "data"


def pictures(folder: str, pattern: str) -> list[Frame]:
    paths = sorted((DATA / folder).glob(pattern))
    if not paths:
        pytest.skip(f"no pictures {pattern} in ../shared/data/{folder}: the lens is not tried on them")
    return [Frame(index, float(index), np.asarray(cv2.imread(str(path)), np.uint8)) for index, path in enumerate(paths)]


def solved(frames: list[Frame], views: int) -> LensResult:
    """The whole way, without being told which board it is."""
    choice = choose_views(frames)
    assert len(choice.views) >= views
    return solve_lens(choice.views, choice.size_px)


@pytest.mark.parametrize(("side", "focal_px"), [("left", 532.0), ("right", 535.0)])
def test_chessboards_of_opencv(side: str, focal_px: float) -> None:
    result = solved(pictures("calibration/chess_opencv/images", f"{side}*.jpg"), 11)
    assert result.lens.focal_px == pytest.approx((focal_px, focal_px), rel=0.01)
    assert result.lens.rms_px < 0.26
    assert result.lens.distortion[0] == pytest.approx(-0.3, abs=0.05)
    assert result.trusted


def test_chessboards_of_a_small_pi_camera() -> None:
    result = solved(pictures("calibration/chess_pi_stereopi/images", "*.png"), 10)
    assert result.lens.focal_px == pytest.approx((298.0, 298.0), rel=0.02)
    assert result.lens.rms_px < 0.21


def test_chessboards_of_a_wide_pi_camera() -> None:
    result = solved(pictures("calibration/fisheye_pi_stereopi/images", "*.png"), 10)
    # The standard model fits these as well, but folds over in the corners of the picture.
    assert result.model is LensModel.FISHEYE
    assert result.lens.focal_px == pytest.approx((335.0, 335.0), rel=0.01)
    assert result.lens.rms_px < 0.13
    assert not result.lens.folds


def test_traced_views_with_known_truth() -> None:
    frames = pictures("traced/calibration", "*.jpg")
    truth = json.loads((DATA / "traced/calibration/truth.json").read_text("utf-8"))
    off = []
    for frame, wanted in zip(frames, truth["views"], strict=True):
        view = find_board(frame.image, OWN_BOARD)
        assert view is not None, wanted["image"]
        assert len(view.ids) >= 0.9 * sum(wanted["in_frame"])
        off.append(view.pixels - np.array(wanted["corners_px"])[view.ids])
    assert np.sqrt((np.concatenate(off) ** 2).sum(1).mean()) < 0.3
    result = solved(frames, 13)
    camera = truth["camera"]
    assert result.lens.focal_px == pytest.approx((camera["fx"], camera["fy"]), rel=0.003)
    assert result.lens.centre_px == pytest.approx((camera["cx"], camera["cy"]), abs=4.0)
    assert result.model is LensModel.STANDARD
    assert result.trusted
