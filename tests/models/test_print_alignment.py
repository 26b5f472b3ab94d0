"""Aligning print: a crop is moved to where a view has its print, and left alone where that fails."""

import cv2
import numpy as np

from models.crops import CROP_PX, SEEN_PX, Image
from models.print_alignment import aligned_print, outline_of

SEEN = np.full((SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)


def card() -> Image:
    face = np.full((CROP_PX[1], CROP_PX[0], 3), 230, np.uint8)
    cv2.putText(face, "5", (30, 120), cv2.FONT_HERSHEY_DUPLEX, 4, (40, 30, 160), 9, cv2.LINE_AA)
    cv2.circle(face, (24, 24), 9, (20, 90, 20), -1, cv2.LINE_AA)
    return face


def test_print_is_moved_to_where_the_view_has_it() -> None:
    view = card()
    warp = np.array([[1, 0, 6], [0, 1, -4]], np.float32)
    crop = np.asarray(cv2.warpAffine(view, warp, CROP_PX, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    moved, _ = aligned_print(crop, SEEN, outline_of(view))
    inside = np.s_[20:-20, 20:-20]
    before, after = (np.abs(image[inside].astype(int) - view[inside]).mean() for image in (crop, moved))
    assert after < before / 5


def test_a_crop_of_which_little_is_seen_stays_where_it_is() -> None:
    seen = np.zeros_like(SEEN)
    seen[:6] = 255
    crop = card()
    moved, same = aligned_print(crop, seen, outline_of(np.roll(crop, 5, axis=0)))
    assert moved is crop
    assert same is seen
