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


ALIGN_PX = (80, 112)
"""Width and height of the piece of a picture in which a card's place is made exact, the card in its middle."""
ALIGN_CARD_PX = 63.0
"""How wide the card is in it."""
ALIGN_SEEN_PX = (20, 28)
"""Width and height of the map of what is seen of it."""
ALIGN_UNITS = (4.0, 4.0, 0.06, 0.03)
"""The units in which it is said how the card lies: right and down in pixels, turn in radians, logarithm of the size."""


def to_align(middle_px: Floats, down_px: Floats, card_px: float) -> Floats:
    """The affine map from a picture to such a piece: a card's middle, the way down along it, its width in pixels."""
    scale = ALIGN_CARD_PX / card_px
    cosine, sine = down_px / max(float(np.hypot(*down_px)), 1e-9)
    # Down the card becomes down the piece; across it, to the right.
    turn = scale * np.array([[sine, -cosine], [cosine, sine]])
    shift = np.array([(ALIGN_PX[0] - 1) / 2, (ALIGN_PX[1] - 1) / 2]) - turn @ middle_px
    return np.column_stack([turn, shift])


def align_map(seen: NDArray[np.bool_], matrix: Floats, cell_px: int) -> Image:
    """Where the card itself is seen (255) in a piece, at a quarter of its size, from cells of the picture."""
    whole = np.vstack([matrix, [0, 0, 1]])
    from_cells = np.array([[cell_px, 0, (cell_px - 1) / 2], [0, cell_px, (cell_px - 1) / 2], [0, 0, 1]])
    to_quarter = np.array([[0.25, 0, -0.375], [0, 0.25, -0.375], [0, 0, 1]])
    way = (to_quarter @ whole @ from_cells)[:2]
    mask = seen.astype(np.uint8) * 255
    return np.asarray(cv2.warpAffine(mask, way, ALIGN_SEEN_PX, flags=cv2.INTER_NEAREST), np.uint8)
