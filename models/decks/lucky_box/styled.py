"""Cards of Lucky Box in another style.

The grid and the bonuses are where our own print has them, because marks are read at these places only.
"""

from dataclasses import replace

import numpy as np

from models.art.pen import Point, Size, bolt, ring, star
from models.cards import Card
from models.decks.lucky_box.art import BONUS_MM, CELL_MM, SIZE, cell_centre, column_centre, row_centre
from models.synth.overprint import Overprint
from models.synth.scene import Image
from models.synth.styles import HUES, Ink, Print, Style, ink_of

INK = (40, 36, 34)
WORD_MM = 5.0
NAME_MM = 7.0
"""Height of the number of a box card at its upper edge and in its lower right corner."""


def fitted(style: Style) -> Style:
    """Cards have the size of our own ones; 6 and 9 have a bar."""
    return replace(style, size=Size(SIZE.width_mm, SIZE.height_mm, style.size.corner_mm), bar=True)


def styled_face(card: Card, style: Style, px_per_mm: float) -> Image:
    """A number card or a box card."""
    if card.kind == "number":
        return style.pixels(Print(card.number("number"), _colour(style, card.number("number"))), px_per_mm)
    return _box_face(card, style, px_per_mm)


def _box_face(card: Card, style: Style, px_per_mm: float) -> Image:
    width_mm, height_mm = SIZE.width_mm, SIZE.height_mm
    ground, second = (ink_of(style, _colour(style, number)) for number in (0, 4))
    rows, columns = round(height_mm * px_per_mm), round(width_mm * px_per_mm)
    face = np.full((rows, columns, 3), [int(0.75 * p + 0.25 * i) for p, i in zip(style.paper, ground, strict=True)])
    face = face.astype(np.uint8)
    on, paper = Overprint(face, px_per_mm, style.font), style.paper
    text = (235, 235, 235) if style.dark else INK
    for cell, digit in enumerate(card.row("grid")):
        on.plate(cell_centre(cell), (CELL_MM - 0.6, CELL_MM - 0.6), paper, ground)
        on.text(str(digit), cell_centre(cell), WORD_MM + 1, text, 9)
        if str(digit) in "69":
            x, y = cell_centre(cell)
            on.plate((x, y + 4.4), (5.0, 0.7), text)
    for number, bonus in enumerate((*card.row("rows"), *card.row("cols"))):
        centre = row_centre(number) if number < 3 else column_centre(number - 3)
        _bonus(on, str(bonus), centre, paper, second, text)
    for x, y in ((width_mm / 2, 9.0), (row_centre(0)[0], column_centre(0)[1])):
        on.plate((x, y), (14, NAME_MM + 3), second)
        on.text(card.code, (x, y), NAME_MM, paper, 11)
    on.plate((width_mm / 2, height_mm - 8), (0.7 * width_mm, 3), second)
    return face


def _bonus(on: Overprint, bonus: str, centre: Point, paper: Ink, ink: Ink, text: Ink) -> None:
    """A bonus on a disc; a line without one has an empty ring."""
    x, y = centre
    on.disc(centre, BONUS_MM / 2, ink)
    on.disc(centre, BONUS_MM / 2 - 0.8, paper)
    if bonus == "L":
        on.shape(bolt(x, y, 8), ink)
    elif bonus == "D":
        on.shape(bolt(x - 2, y, 7), ink)
        on.shape(bolt(x + 2, y, 7), ink)
    elif bonus == "S":
        on.shape(star(x, y, 4), text)
    elif bonus == "M":
        on.disc(centre, 3.6, text)
        on.disc((x + 1.6, y - 0.8), 2.9, paper)
    elif bonus == "?":
        # The fonts of styles have digits only.
        on.shape(ring(x, y, 3.8, 4), ink)
        on.disc(centre, 1.2, paper)
    elif bonus != "-":
        on.text(bonus, centre, WORD_MM, ink, 7)
        if bonus in "69":
            on.plate((x, y + 3.5), (4.0, 0.6), ink)


def _colour(style: Style, number: int) -> str:
    colours = tuple(HUES)
    return colours[(number + style.seed) % len(colours)]
