"""Cells: the finder answers once per cell of the view; coordinates in cells and in view px."""

from models.crops import STRIDE_PX, Floats


def view_to_cells(points_view: Floats) -> Floats:
    """Points of the view, in cells."""
    return (points_view + 0.5) / STRIDE_PX - 0.5


def cells_to_view(points_cells: Floats) -> Floats:
    """Points given in cells, in view px."""
    return (points_cells + 0.5) * STRIDE_PX - 0.5
