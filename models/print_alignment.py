"""Print alignment: moves a crop of a card so that its print is where a view of the same face has it.

A crop and a view are cut along the edges of the card, but print does not keep the same distance to the edges of every
card, least of all if people cut the cards themselves. Training and reading align in the same way.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CROP_PX, SEEN_PX, Image

PRINT_ALIGN_SCALE, PRINT_ALIGN_BLUR_PX = 0.5, 1.0
"""Scale at which print is aligned, relative to a crop, and the blur before it. Set by hand: 1 px/mm."""
PRINT_ALIGN_ITERATIONS, PRINT_ALIGN_PRECISION = 15, 1e-3
"""Limits of aligning print (ECC): iterations, and the improvement at which it stops. Set by hand."""
MAX_PRINT_SHEAR, MAX_PRINT_SHIFT_PX = 0.12, 16.0
"""Largest change of scale, rotation or shear, and largest shift in px of a crop, that a wrong cut explains.

Set by hand: borders of hand-cut cards differ by up to 5 mm, which is 10 px.
"""
MAX_PRINT_SEARCH_PX = 6
"""Largest shift that a rough start of the alignment may have, at the scale of the alignment. Set by hand: 6 mm."""
MIN_ALIGNED_FRACTION, MIN_WARPED_FRACTION = 0.2, 0.5
"""Visible fraction of a card from which its print is aligned by a shift, and from which by an affine map.

Set by hand.
"""


def outline_of(image: Image) -> Image:
    """A crop or view as it is aligned: small, grey and soft."""
    scale = PRINT_ALIGN_SCALE
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), PRINT_ALIGN_BLUR_PX), np.uint8)


def rough_shift(crop: Image, outline: Image) -> NDArray[np.float32]:
    """The warp from a view to a crop that lies beside it: the shift at which they agree best."""
    reach = MAX_PRINT_SEARCH_PX
    around = cv2.copyMakeBorder(outline_of(crop), reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    _, _, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(around, outline, cv2.TM_CCOEFF_NORMED))
    return np.array([[1, 0, x - reach], [0, 1, y - reach]], np.float32)


def aligned_print(
    crop: Image, visible: Image, outline: Image, start: NDArray[np.float32] | None = None
) -> tuple[Image, Image]:
    """A crop and its visibility map, moved so that its print is where a view has it; unchanged if that fails.

    Print more than 2 mm beside its place is found from a rough `start`.
    """
    share = float(np.count_nonzero(visible)) / visible.size
    if share < MIN_ALIGNED_FRACTION:
        return crop, visible
    # A narrow strip does not determine a rotation and a scale.
    motion = cv2.MOTION_AFFINE if share >= MIN_WARPED_FRACTION else cv2.MOTION_TRANSLATION
    mask = cv2.resize(visible, outline.shape[::-1], interpolation=cv2.INTER_NEAREST)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, PRINT_ALIGN_ITERATIONS, PRINT_ALIGN_PRECISION)
    try:
        begin = np.eye(2, 3, dtype=np.float32) if start is None else start
        _, found = cv2.findTransformECC(outline, outline_of(crop), begin, motion, criteria, mask, 1)
    except cv2.error:
        # OpenCV raises where two pictures have nothing in common.
        return crop, visible
    warp = np.asarray(found, np.float32).copy()
    warp[:, 2] /= PRINT_ALIGN_SCALE
    if np.abs(warp[:, :2] - np.eye(2)).max() > MAX_PRINT_SHEAR or np.abs(warp[:, 2]).max() > MAX_PRINT_SHIFT_PX:
        return crop, visible
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(crop, warp, CROP_PX, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    warp[:, 2] /= CROP_PX[0] / SEEN_PX[0]
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    seen = cv2.warpAffine(visible, warp, SEEN_PX, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8), np.asarray(seen, np.uint8)
