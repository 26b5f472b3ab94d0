"""Crops: cards cut out of pictures at the scales that the networks were trained at."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

CARD_PX = 63.0
"""Width of a card in the picture for the finder: 1 px/mm for a card of 63 mm."""
STRIDE_PX = 4
"""Side of the finder's cells: it gives one output for each."""
CROP_PX = (128, 176)
"""Width and height of a crop for the reader; 2 px/mm for a card of 63x88 mm."""
SEEN_PX = (32, 44)
"""Width and height of the visibility map of such a crop."""

_FEW = 6
"""Number of crops below which two threads do not pay off."""


def cut(image: Image, quad_px: Floats, size_px: tuple[int, int] = CROP_PX, smooth: bool = True) -> Image:
    """The part of a picture inside four corners, rectified; the first corner becomes the upper left."""
    way = cv2.INTER_LINEAR if smooth else cv2.INTER_NEAREST
    return np.asarray(cv2.warpPerspective(image, to_crop(quad_px, size_px), size_px, flags=way), np.uint8)


def cut_all(image: Image, quads_px: Floats) -> Image:
    """The same for many cards, at the size of a crop."""
    crops = np.empty((len(quads_px), CROP_PX[1], CROP_PX[0], 3), np.uint8)
    maps = [to_crop(quad) for quad in quads_px]
    at_once(lambda place: cv2.warpPerspective(image, maps[place], CROP_PX, dst=crops[place]), len(crops))
    return crops


def at_once(work: Callable[[int], object], count: int) -> None:
    """Call a function with every number below `count`, in two threads if OpenCV may use more than one.

    OpenCV itself does not split such small pictures among threads.
    """
    if count < _FEW or cv2.getNumThreads() < 2:
        _each(work, range(count))
        return
    with ThreadPoolExecutor(1) as other:
        half = other.submit(_each, work, range(0, count, 2))
        _each(work, range(1, count, 2))
        half.result()


def _each(work: Callable[[int], object], numbers: range) -> None:
    for number in numbers:
        work(number)


def to_crop(quad_px: Floats, size_px: tuple[int, int] = CROP_PX) -> Floats:
    """The homography from the picture to a crop of the card with these corners."""
    width, height = size_px
    # Pixel centres are at integers: a card's edge is half a pixel outside the first centre of its crop.
    corners = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    return np.asarray(cv2.getPerspectiveTransform(quad_px.astype(np.float32), corners.astype(np.float32)), float)


ALIGN_PX = (80, 112)
"""Width and height of the crop for the aligner, with the card in its centre."""
ALIGN_CARD_PX = 63.0
"""Width of the card in it."""
ALIGN_SEEN_PX = (20, 28)
"""Width and height of its visibility map."""
ALIGN_UNITS = (4.0, 4.0, 0.06, 0.03)
"""Units of the aligner's outputs: right and down in pixels, rotation in radians, logarithm of the size."""


def to_align(middle_px: Floats, down_px: Floats, card_px: float) -> Floats:
    """The affine map from a picture to an aligner crop: from a card's centre, its downward direction and its width."""
    return np.asarray(all_to_align(middle_px[None], down_px[None], np.array([card_px]))[0])


def all_to_align(middles_px: Floats, downs_px: Floats, cards_px: Floats) -> Floats:
    """The same for many cards."""
    scale = ALIGN_CARD_PX / cards_px
    cosine, sine = (downs_px / np.maximum(np.linalg.norm(downs_px, axis=1), 1e-9)[:, None]).T * scale
    # Down the card becomes down the crop, and across the card becomes to the right.
    turn = np.stack([np.stack([sine, -cosine], 1), np.stack([cosine, sine], 1)], 1)
    centre = np.array([(ALIGN_PX[0] - 1) / 2, (ALIGN_PX[1] - 1) / 2])
    shift = centre - np.einsum("nij,nj->ni", turn, middles_px)
    return np.concatenate([turn, shift[:, :, None]], 2)


def align_map(seen: NDArray[np.bool_], matrix: Floats, cell_px: int) -> Image:
    """The visibility map (255 where the card is visible) of an aligner crop, from the cells of the picture."""
    owners = np.where(seen, 0, -1).astype(np.int16)
    return np.asarray(align_maps(owners, np.zeros(1, np.int64), matrix[None], cell_px)[0])


def align_maps(
    owners: NDArray[np.int16], numbers: NDArray[np.int64], matrices: Floats, cell_px: int
) -> NDArray[np.uint8]:
    """The visibility maps of many crops; `owners` gives the number of the visible card in every cell of the picture."""
    width, height = ALIGN_SEEN_PX
    # The centre of every pixel of the map in pixels of the crop, and from there back in the picture.
    x, y = np.meshgrid(np.arange(width) * 4 + 1.5, np.arange(height) * 4 + 1.5)
    back = np.linalg.inv(matrices[:, :, :2])
    points = np.stack([x.ravel(), y.ravel()])[None] - matrices[:, :, 2:]
    columns, rows = np.rint((np.einsum("nij,njk->kni", back, points).T - (cell_px - 1) / 2) / cell_px).astype(np.int64)
    inside = (rows >= 0) & (rows < owners.shape[0]) & (columns >= 0) & (columns < owners.shape[1])
    found = owners[rows.clip(0, owners.shape[0] - 1), columns.clip(0, owners.shape[1] - 1)]
    seen = inside & (found == numbers[:, None])
    return np.where(seen, 255, 0).astype(np.uint8).reshape(len(matrices), height, width)
