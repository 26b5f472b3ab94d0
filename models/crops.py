"""Cutting cards out of pictures: the scales that the networks were trained at, and the cut itself."""

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

CARD_PX = 47.25
"""How wide a card is in the picture that the finder looks at: 0.75 px/mm for a card of 63 mm."""
STRIDE_PX = 4
"""The finder answers once for every cell of this many pixels."""
CROP_PX = (96, 132)
"""Width and height of a card that is cut out to be read; 1.5 px/mm for a card of 63x88 mm."""
SEEN_PX = (24, 33)
"""Width and height of the map of what is seen of such a card."""


def cut(image: Image, quad_px: Floats, size_px: tuple[int, int] = CROP_PX, smooth: bool = True) -> Image:
    """The part of a picture inside four corners, made straight; the first corner becomes the upper left."""
    way = cv2.INTER_LINEAR if smooth else cv2.INTER_NEAREST
    return np.asarray(cv2.warpPerspective(image, to_crop(quad_px, size_px), size_px, flags=way), np.uint8)


def to_crop(quad_px: Floats, size_px: tuple[int, int] = CROP_PX) -> Floats:
    """The homography from the picture to a crop of the card with these corners."""
    width, height = size_px
    # Pixel centres sit at whole numbers: a card's edge is half a pixel outside the first centre of its crop.
    corners = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    return np.asarray(cv2.getPerspectiveTransform(quad_px.astype(np.float32), corners.astype(np.float32)), float)
