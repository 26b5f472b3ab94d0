"""Cards of dnp in another style: two halves with a value each, the other value small below it, and the symbol."""

from dataclasses import replace

import numpy as np

from models.art.pen import Size, ring, star
from models.cards import Card
from models.synth.overprint import Overprint, half_turned
from models.synth.scene import Image
from models.synth.styles import HUES, Print, Style, ink_of

POINTS = {"A": 3, "B": 4, "C": 6}
"""Corners of the set-up symbols."""
INK, PALE_INK = (40, 36, 34), (225, 225, 225)


def fitted(style: Style) -> Style:
    """Each half is a small card with its value in one corner; 6 and 9 need a bar, because halves are turned."""
    middle = style.middle if style.middle in ("number", "nothing") else "number"
    return replace(style, corners=2, mirrored=False, bar=True, apart=False, border=False, middle=middle)


def styled_face(card: Card, style: Style, px_per_mm: float) -> Image:
    """Value a in the upper half, value b in the lower one, upside down."""
    mark = "star" if card.has("star") else card.word("group")
    a, b = card.number("a"), card.number("b")
    rows = round(style.size.height_mm * px_per_mm)
    upper = _half(style, a, b, mark, px_per_mm)[: rows // 2]
    lower = _half(style, b, a, mark, px_per_mm)[: rows - rows // 2]
    return np.ascontiguousarray(np.vstack([upper, half_turned(lower)]))


def _half(style: Style, own: int, other: int, mark: str, px_per_mm: float) -> Image:
    """The upper half, a pixel higher than needed, with the symbol in its upper right corner."""
    width_mm, height_mm = style.size.width_mm, style.size.height_mm / 2 + 1 / px_per_mm
    half = replace(style, size=Size(width_mm, height_mm, 0), index_part=2 * style.index_part)
    face = half.pixels(Print(own, _colour(style, own)), px_per_mm)
    on = Overprint(face, px_per_mm, style.font)
    ink = PALE_INK if style.dark else INK
    tall_mm, left_mm = half.index_part * height_mm, style.margin_part * width_mm
    on.text(str(other), (left_mm + 5, style.margin_part * height_mm + 2.1 * tall_mm), 0.6 * tall_mm, ink, 9)
    x, y = width_mm - 8, 8
    if mark == "star":
        on.shape(star(x, y, 4.5), ink_of(style, _colour(style, other)))
    elif mark in POINTS:
        on.shape(ring(x, y, 4.0, POINTS[mark]), ink)
    return face


def _colour(style: Style, value: int) -> str:
    colours = tuple(HUES)
    return colours[(3 * value + style.seed) % len(colours)]
