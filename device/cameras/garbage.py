"""Garbage: invalid pictures from an empty, truncated or wrongly sized buffer."""

import numpy as np

_STEP_PX = 16
"""Step in pixels of the quick test for a picture of a single colour."""


def garbage_in(image: object, size_px: tuple[int, int] | None = None) -> str:
    """What is wrong with a picture (found and wanted); empty if nothing is."""
    if not isinstance(image, np.ndarray):
        return f"{type(image).__name__} instead of a picture"
    if image.dtype != np.uint8:
        return f"pixels of {image.dtype}; wanted uint8"
    if image.ndim != 3 or image.shape[2] != 3:
        return f"a picture of shape {image.shape}; wanted height x width x 3"
    height, width = image.shape[:2]
    if not height or not width:
        return "an empty picture"
    if size_px is not None and (width, height) != size_px:
        return f"a picture of {width} x {height}; wanted {size_px[0]} x {size_px[1]}"
    # Sensor noise makes even darkness uneven: a single colour means an unfilled buffer.
    if _flat(image[::_STEP_PX, ::_STEP_PX]) and _flat(image):
        return f"a picture of one colour, {tuple(image[0, 0].tolist())}"
    return ""


def _flat(image: np.ndarray) -> bool:
    # Comparing whole rows is fast, comparing single pixels is not.
    return bool((image[0] == image[0, 0]).all() and (image == image[0]).all())
