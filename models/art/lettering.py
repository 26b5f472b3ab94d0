"""Lettering: text as pixels, in the font of the cards and with all Polish letters."""

from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

Image = NDArray[np.uint8]
PLAIN = "Baloo2-SemiBold"
_TOP, _BOTTOM = 0.14, 1.42
"""Top and bottom of a line, from the highest accent to the lowest descender, in font sizes."""


def letter_words(words: str, size_px: int) -> Image:
    """A line of text as a mask, 255 where there is ink; all lines of a size are equally tall."""
    font = _font(size_px)
    width = max(1, round(font.getlength(words)) + 1)
    sheet = Pillow.new("L", (width, round((_BOTTOM - _TOP) * size_px)))
    ImageDraw.Draw(sheet).text((0, -round(_TOP * size_px)), words, 255, font=font)
    return np.array(sheet, np.uint8)


@lru_cache(maxsize=16)
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    folder = Path(str(files("models"))) / "art" / "fonts"
    return ImageFont.truetype(str(folder / f"{PLAIN}.ttf"), size_px)
