"""Marks on a crop that was cut beside the edges of its card, aligned by the print of the card."""

import numpy as np

from models.cards import own_deck
from models.crops import CROP_PX, SEEN_PX, Image, cut
from models.print_alignment import aligned_print, outline_of, rough_shift
from models.synth.marks import FeltPen, marked
from models.synth.scene import Sprite
from models.synth.sprites import FaceSprites
from vision.look.marks import MarkReader, marked_places
from vision.look.network import load_network
from vision.look.networks import MARK_INPUTS, WEIGHTS

PX_PER_MM = 3.0
ALL_SEEN: Image = np.full(SEEN_PX[::-1], 255, np.uint8)


def cut_beside(sprite: Sprite, right_mm: float, down_mm: float) -> Image:
    """A crop of a card whose corners were assumed a little beside it."""
    height, width = sprite.pixels.shape[:2]
    corners = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    pixels = np.ascontiguousarray(sprite.pixels[:, :, :3])
    return cut(pixels, corners + PX_PER_MM * np.array([right_mm, down_mm]), CROP_PX)


def test_marks_are_read_on_a_card_that_was_cut_beside_its_edges() -> None:
    reader = MarkReader(load_network(WEIGHTS / "marks.onnx", MARK_INPUTS, 1))
    clean = FaceSprites(own_deck("lucky_box"), PX_PER_MM).face("29")
    crossed = marked(clean, ("r3c1",), FeltPen((170, 60, 20), 1.6, 0.85), 3)
    face = cut_beside(clean, 0.0, 0.0)
    for right_mm, down_mm in ((0.0, 0.0), (0.5, -3.5), (-1.0, 4.0), (4.0, 0.0)):
        beside, outline = cut_beside(crossed, right_mm, down_mm), outline_of(face)
        crop, seen = aligned_print(beside, ALL_SEEN, outline, rough_shift(beside, outline))
        assert marked_places(reader.read([crop], [seen], [face])[0]) == ("r3c1",), (right_mm, down_mm)


def test_a_crop_of_something_else_is_not_moved() -> None:
    plain: Image = np.full((CROP_PX[1], CROP_PX[0], 3), 128, np.uint8)
    face = cut_beside(FaceSprites(own_deck("lucky_box"), PX_PER_MM).face("29"), 0.0, 0.0)
    crop, seen = aligned_print(plain, ALL_SEEN, outline_of(face))
    assert crop is plain
    assert seen is ALL_SEEN
