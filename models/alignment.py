"""Aligning a crop with a view by their print, as the matcher does it in training and when it reads.

A crop and a view are cut along the edges of the card, but print does not keep the same distance to the edges of every
card, least of all if people cut the cards themselves.
"""

import cv2
import numpy as np

from models.crops import CROP_PX, SEEN_PX, Image

PRINT_ALIGN_SCALE, PRINT_ALIGN_BLUR_PX = 0.5, 1.0
"""Scale at which print is aligned, relative to a crop, and the blur before it. Set by hand: 1 px/mm."""
PRINT_ALIGN_ITERATIONS, PRINT_ALIGN_PRECISION = 15, 1e-3
"""Limits of aligning print (ECC): iterations, and the improvement at which it stops. Set by hand."""
MAX_PRINT_SHEAR, MAX_PRINT_SHIFT_PX = 0.12, 16.0
"""Largest change of scale, rotation or shear, and largest shift in px of a crop, that a wrong cut explains.

Set by hand: borders of hand-cut cards differ by up to 5 mm, which is 10 px.
"""
MIN_ALIGNED_FRACTION, MIN_WARPED_FRACTION = 0.2, 0.5
"""Visible fraction of a card from which its print is aligned by a shift, and from which by an affine map.

Set by hand.
"""


def outline(image: Image) -> Image:
    """A crop or view as it is aligned: small, grey and soft."""
    scale = PRINT_ALIGN_SCALE
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), PRINT_ALIGN_BLUR_PX), np.uint8)


def aligned(crop: Image, visible: Image, view_outline: Image) -> tuple[Image, Image]:
    """A crop and its visibility map, moved so that its print is where a view has it; unchanged if that fails."""
    share = float(np.count_nonzero(visible)) / visible.size
    if share < MIN_ALIGNED_FRACTION:
        return crop, visible
    # A narrow strip does not determine a rotation and a scale.
    motion = cv2.MOTION_AFFINE if share >= MIN_WARPED_FRACTION else cv2.MOTION_TRANSLATION
    mask = cv2.resize(visible, view_outline.shape[::-1], interpolation=cv2.INTER_NEAREST)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, PRINT_ALIGN_ITERATIONS, PRINT_ALIGN_PRECISION)
    try:
        start = np.eye(2, 3, dtype=np.float32)
        _, found = cv2.findTransformECC(view_outline, outline(crop), start, motion, criteria, mask, 1)
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
