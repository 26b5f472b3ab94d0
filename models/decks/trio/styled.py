"""Cards of Trio in another style: a number in a colour of its own; the linked numbers are not printed."""

from models.cards import Card
from models.synth.scene import Image
from models.synth.styles import HUES, Print, Style


def fitted(style: Style) -> Style:
    """Any style will do."""
    return style


def styled_face(card: Card, style: Style, px_per_mm: float) -> Image:
    """The number; a few numbers share each colour."""
    number, colours = card.number("number"), tuple(HUES)
    return style.pixels(Print(number, colours[(number + style.seed) % len(colours)]), px_per_mm)
