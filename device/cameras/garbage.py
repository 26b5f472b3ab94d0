"""Garbage: pictures that no camera took, because a buffer was empty, cut off or of another size."""

import numpy as np

_EVERY = 16
"""Points so far apart each way tell nearly always that a picture is not one flat colour."""


def garbage_in(image: object, size_px: tuple[int, int] | None = None) -> str:
    """What is wrong with a picture: what was found and what was wanted; "" when nothing is."""
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
    # The noise of a sensor makes even darkness uneven: one colour everywhere is a buffer that nobody filled.
    if _flat(image[::_EVERY, ::_EVERY]) and _flat(image):
        return f"a picture of one colour, {tuple(image[0, 0].tolist())}"
    return ""


def _flat(image: np.ndarray) -> bool:
    # Whole rows are compared quickly, single pixels are not.
    return bool((image[0] == image[0, 0]).all() and (image == image[0]).all())
