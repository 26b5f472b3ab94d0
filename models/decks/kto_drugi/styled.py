"""Cards of Kto drugi in another style: signed value and white number on a plate, or a field of one colour."""

from dataclasses import replace

import numpy as np

from models.art.pen import ring
from models.cards import Card
from models.synth.overprint import Overprint, half_turned
from models.synth.scene import Image
from models.synth.styles import HUES, Ink, Print, Style, ink_of

PLAIN_INKS: dict[str, Ink] = {"grey": (124, 113, 106), "black": (34, 28, 28), "brown": (36, 74, 122)}
"""Colours of colour cards that are no hues."""
PLATE, WHITE = (52, 40, 38), (255, 255, 255)
PLATE_MM = (12.0, 8.0)


def fitted(style: Style) -> Style:
    """The middle of the upper edge is left to the white number."""
    return replace(style, mirrored=True, apart=False)


def styled_face(card: Card, style: Style, px_per_mm: float) -> Image:
    """A race card or a colour card."""
    return _colour_face(card, style, px_per_mm) if card.kind == "colour" else _race_face(card, style, px_per_mm)


def _race_face(card: Card, style: Style, px_per_mm: float) -> Image:
    value = card.number("value")
    colours = ("teal", "green", "blue") if value > 0 else ("red", "orange", "purple")
    colour = colours[style.seed % len(colours)]
    face = style.pixels(Print(value, colour, signed=True), px_per_mm)
    # With one number in each half the plate has the right corner.
    across = 0.5 if style.corners == 4 else 0.74
    centre = (across * style.size.width_mm, style.margin_part * style.size.height_mm + PLATE_MM[1] / 2)
    for _ in range(2):
        # The plate is at both ends; after two half turns the face is upright again.
        on = Overprint(face, px_per_mm, style.font)
        on.plate(centre, PLATE_MM, PLATE)
        on.text(str(card.number("white")), centre, 0.7 * PLATE_MM[1], WHITE, 0.8 * PLATE_MM[0])
        face = half_turned(face)
    return face


def _colour_face(card: Card, style: Style, px_per_mm: float) -> Image:
    """A card of one colour with a figure in the middle, whose corners tell colours apart that the light may confuse."""
    width_mm, height_mm = style.size.width_mm, style.size.height_mm
    colour, middle = card.word("colour"), (style.size.width_mm / 2, style.size.height_mm / 2)
    ink = ink_of(style, colour) if colour in HUES else PLAIN_INKS[colour]
    face = np.full((round(height_mm * px_per_mm), round(width_mm * px_per_mm), 3), style.paper, np.uint8)
    on = Overprint(face, px_per_mm, style.font)
    on.plate(middle, (0.9 * width_mm, 0.93 * height_mm), ink)
    corners = 3 + (*HUES, *PLAIN_INKS).index(colour)
    on.shape(ring(*middle, 0.3 * width_mm, corners), style.paper)
    on.shape(ring(*middle, 0.18 * width_mm, corners), ink)
    return face
