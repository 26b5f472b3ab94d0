"""A table of a few coloured squares, and an eye that reads them off the pixels, also off recorded ones."""

from collections.abc import Iterator, Sequence

import numpy as np

from calibration.frames import Frame, Image
from calibration.seats import rectangle
from vision.sightings import Look, Sighting
from vision.table import Guess, Quad

SIZE_PX = (160, 90)
ZONES = (rectangle("P1", -400, -225, 0, 225), rectangle("P2", 0, -225, 400, 225))
COLOURS = {"9G0": (40, 200, 40), "5P1": (200, 40, 200), "6B3": (220, 60, 30), "7P2": (30, 60, 230)}
SLOTS_PX = ((20, 30), (60, 30), (100, 30), (130, 30))
"""The left upper corners of where cards lie."""
WIDE_PX, TALL_PX = 18, 26
FPS = 10
REST, MOVE = 18, 3
"""Frames of a table at rest, and of a hand over it."""

Laid = Sequence[str]


def picture(laid: Laid, hand: int | None = None, seed: int = 1) -> Image:
    """What a camera sees of cards in the first slots, and of a hand that is so far in."""
    wide, tall = SIZE_PX
    image = np.repeat(np.random.default_rng(seed).integers(95, 125, (tall, wide, 1), np.uint8), 3, 2)
    for code, (x, y) in zip(laid, SLOTS_PX, strict=False):
        image[y : y + TALL_PX, x : x + WIDE_PX] = COLOURS[code]
    if hand is not None:
        image[60:, 10 + 30 * hand : 50 + 30 * hand] = 15
    image.flags.writeable = False
    return image


def filmed(tables: Sequence[Laid], first: int = 0) -> Iterator[Frame]:
    """Tables one after the other, each at rest for a while, with a hand in between."""
    index = 0
    for number, laid in enumerate(tables):
        pictures = [picture(laid, hand) for hand in range(MOVE)] if number else []
        pictures += [picture(laid)] * REST
        for image in pictures:
            if index >= first:
                yield Frame(index, index / FPS, image)
            index += 1


class SlotEye:
    """Reads the colours of the slots."""

    def __init__(self, misread: dict[str, str] | None = None) -> None:
        self._misread = misread or {}

    def look(self, frame: Frame) -> Look:
        """The cards in the slots."""
        hand = bool(frame.image[62:].min() < 30)
        cards = []
        for x, y in SLOTS_PX:
            seen = frame.image[y + 6 : y + TALL_PX - 6, x + 5 : x + WIDE_PX - 5].reshape(-1, 3).mean(0)
            code = min(COLOURS, key=lambda code: float(np.abs(seen - COLOURS[code]).sum()))
            if np.abs(seen - COLOURS[code]).sum() < 90:
                guess = Guess(self._misread.get(code, code), 0.97)
                quad = _quad(x, y)
                cards.append(Sighting(quad, quad, True, 0.98, 1.0, False, (guess,)))
        return Look(frame.index, frame.at_s, tuple(cards), 0.05 if hand else 0.0)


def _quad(x_px: int, y_px: int) -> Quad:
    left, top = 5.0 * x_px - 400, 5.0 * y_px - 225
    right, low = left + 5.0 * WIDE_PX, top + 5.0 * TALL_PX
    return (left, top), (right, top), (right, low), (left, low)
