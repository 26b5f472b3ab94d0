"""Bareness: whether something of a card's shape has any print on it; squares of a cloth have not."""

import cv2
import numpy as np

from models.crops import SEEN_PX, Image

LEAST_PRINT = 4.0
"""By how much the lightness of a printed card varies at least, of 255; simulated cards do so by more than 5."""
EDGE, OWN_EDGE = 0.12, 0.2
"""What is left out at each edge: the neighbour of a square shows there. All our own cards have print in the middle."""
BURNT, MOST_BURNT = 250, 0.85
"""Pixels from this value on in all colours have burnt out; where more than such a part has, print cannot be seen."""
_FEWEST = 60
"""With fewer points in sight nothing can be said."""


def is_bare(crop: Image, seen: Image, edge: float = EDGE) -> bool:
    """Whether a cut-out card is of one colour where it is seen, but for light that falls off evenly."""
    width, height = SEEN_PX
    inside = np.zeros((height, width), bool)
    inside[round(edge * height) : -round(edge * height), round(edge * width) : -round(edge * width)] = True
    rows, columns = np.nonzero(inside & (seen > 127))
    if len(rows) < _FEWEST:
        return False
    points = cv2.resize(crop, SEEN_PX, interpolation=cv2.INTER_AREA)[rows, columns].astype(np.float64)
    slope = np.column_stack([columns, rows, np.ones(len(rows))])
    rest = points - slope @ np.linalg.lstsq(slope, points, rcond=None)[0]
    return bool(rest.std(0).max() < LEAST_PRINT)


def is_burnt_out(crop: Image, seen: Image) -> bool:
    """Whether a cut-out card is white with light nearly wherever it is seen: then it may bear any print."""
    shown = cv2.resize(crop, SEEN_PX, interpolation=cv2.INTER_AREA)[seen > 127]
    return len(shown) >= _FEWEST and float((shown.min(1) >= BURNT).mean()) > MOST_BURNT
