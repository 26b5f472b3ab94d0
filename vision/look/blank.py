"""The blank-card test: squares of a cloth have the shape of a card but no print. And the test for overexposure."""

import cv2
import numpy as np

from models.crops import SEEN_PX, Image
from vision.look.tuning import (
    EDGE_MARGIN,
    MAX_OVEREXPOSED_FRACTION,
    MIN_PRINT_CONTRAST,
    MIN_VISIBLE_POINTS,
    OVEREXPOSED_VALUE,
)


def is_blank(crop: Image, visible: Image, edge_margin: float = EDGE_MARGIN) -> bool:
    """Whether the visible part of a crop has one colour, apart from a linear falloff of the light."""
    width, height = SEEN_PX
    inside = np.zeros((height, width), bool)
    margin_x, margin_y = round(edge_margin * width), round(edge_margin * height)
    inside[margin_y:-margin_y, margin_x:-margin_x] = True
    rows, columns = np.nonzero(inside & (visible > 127))
    if len(rows) < MIN_VISIBLE_POINTS:
        return False
    points = cv2.resize(crop, SEEN_PX, interpolation=cv2.INTER_AREA)[rows, columns].astype(np.float64)
    plane = np.column_stack([columns, rows, np.ones(len(rows))])
    residuals = points - plane @ np.linalg.lstsq(plane, points, rcond=None)[0]
    return bool(residuals.std(0).max() < MIN_PRINT_CONTRAST)


def is_overexposed(crop: Image, visible: Image) -> bool:
    """Whether nearly all of the visible part is white with light: then no print can be seen on the card."""
    points = cv2.resize(crop, SEEN_PX, interpolation=cv2.INTER_AREA)[visible > 127]
    if len(points) < MIN_VISIBLE_POINTS:
        return False
    return float((points.min(1) >= OVEREXPOSED_VALUE).mean()) > MAX_OVEREXPOSED_FRACTION
