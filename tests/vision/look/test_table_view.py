"""The rectified view of a table, and the maps between view, table and frame."""

import numpy as np
import pytest

from calibration.frames import CalibrationError
from calibration.lens import Lens
from calibration.table import TablePose
from models.crops import CARD_PX
from vision.look.table_view import MARGIN_MM, TableView, downscaled

SIZE_PX = (1600, 1000)
PX_PER_MM = 2.0
CARD_MM = (60.0, 90.0)


@pytest.fixture
def view() -> TableView:
    """A camera that looks straight down at a table of 700 x 400 mm, with 2 px/mm."""
    lens = Lens(SIZE_PX, (1200.0, 1200.0), (799.5, 499.5), (0.0,) * 5)
    mm = 1 / PX_PER_MM
    return TableView(lens, TablePose((700.0, 400.0), (mm, 0, -799.5 * mm, 0, mm, -499.5 * mm, 0, 0, 1)), CARD_MM)


def test_cards_have_the_size_that_the_finder_was_trained_for(view: TableView) -> None:
    assert view.card_px == pytest.approx((CARD_PX, CARD_PX * 1.5))


def test_a_card_is_where_the_maps_say(view: TableView) -> None:
    image = np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.uint8)
    corners_mm = np.array([[100.0, -50], [160, -50], [160, 40], [100, 40]])
    left, top = np.ceil(view.mm_to_frame(corners_mm)[0]).astype(int)
    right, bottom = np.ceil(view.mm_to_frame(corners_mm)[2]).astype(int)
    image[top:bottom, left:right] = 255
    rows, columns = np.nonzero(view.rectify(image)[:, :, 0] > 127)
    centre_view = np.array([[columns.mean(), rows.mean()]])
    assert view.view_to_mm(centre_view)[0] == pytest.approx((130.0, -5.0), abs=0.6)


def test_view_table_frame_and_back(view: TableView) -> None:
    points_view = np.array([[0.0, 0.0], [120.0, 300.5], [500.0, 20.0]])
    frame = view.mm_to_frame(view.view_to_mm(points_view))
    assert view.frame_to_view(frame) == pytest.approx(points_view, abs=1e-3)


def test_the_visible_extent_ends_where_the_frame_does(view: TableView) -> None:
    """Across, the frame shows 400 mm to each side, more than the view; down, 250 mm."""
    left, top, right, bottom = view.visible_extent_mm()
    assert (left, right) == (-350.0 - MARGIN_MM, 350.0 + MARGIN_MM)
    assert (top, bottom) == (-200.0 - MARGIN_MM, 200.0 + MARGIN_MM)
    larger = TableView(view.lens, TablePose((900.0, 400.0), view.table.homography), CARD_MM)
    left, _, right, _ = larger.visible_extent_mm()
    assert -left == right == pytest.approx(400.0, abs=3.0)


def test_a_frame_of_another_size_is_refused(view: TableView) -> None:
    with pytest.raises(CalibrationError, match="100 x 100"):
        view.rectify(np.zeros((100, 100, 3), np.uint8))


def test_downscaling_averages() -> None:
    image = np.zeros((4, 4, 3), np.uint8)
    image[:, ::2] = 200
    assert downscaled(image, 1) is image
    assert (downscaled(image, 2) == 100).all()
