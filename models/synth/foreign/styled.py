"""Foreign decks in the random styles of simulated tables: cards that differ in number, colour or stars only."""

from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from models.art.pen import Size
from models.synth.foreign.manner import Drawings
from models.synth.scene import Image
from models.synth.styles import HUES, Print, Style, random_style

_WIDTH_MM = 63
"""Styles are drawn as cards of this width; only their proportions matter."""
_NUMBERED = (16, 31)
"""Range of the number of pairs of a number and a colour, each of which has all numbers of stars."""


def styled_cards(rng: np.random.Generator, size_px: tuple[int, int]) -> Drawings:
    """A deck in a random style that is not held out."""
    wide, high = size_px
    style = random_style(rng)
    style = replace(style, size=Size(_WIDTH_MM, _WIDTH_MM * high / wide, style.size.corner_mm))
    colours = [str(name) for name in rng.choice(list(HUES), int(rng.integers(3, 6)), replace=False)]
    signed, top = bool(rng.random() < 0.2), int(rng.choice((9, 12)))
    pairs = [(number, colour) for colour in colours for number in range(top + 1)]
    chosen = [pairs[index] for index in rng.permutation(len(pairs))[: int(rng.integers(*_NUMBERED))]]
    faces = [Print(number, colour, stars, signed) for number, colour in chosen for stars in range(3)]
    return {f"{face.words}-{face.colour}-{face.stars}": partial(_face, style, face, size_px) for face in faces}


def _face(style: Style, printed: Print, size_px: tuple[int, int]) -> Image:
    pixels = style.pixels(printed, size_px[0] / _WIDTH_MM)
    return np.asarray(cv2.resize(pixels, size_px, interpolation=cv2.INTER_LINEAR), np.uint8)
