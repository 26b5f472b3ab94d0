"""Coordinates in cells and in view px."""

import numpy as np
import pytest

from models.crops import STRIDE_PX
from vision.look.cells import cells_to_view, view_to_cells


def test_the_centre_of_the_first_cell_is_in_the_middle_of_its_pixels() -> None:
    assert cells_to_view(np.zeros(2)) == pytest.approx([(STRIDE_PX - 1) / 2] * 2)


def test_there_and_back() -> None:
    points = np.array([[-3.0, 0.5], [17.25, 400.0]])
    assert cells_to_view(view_to_cells(points)) == pytest.approx(points)
