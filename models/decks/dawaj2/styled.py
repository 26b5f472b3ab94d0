"""Cards of Dawaj 2 in another style: digit, colour and stars."""

from models.cards import Card
from models.synth.scene import Image
from models.synth.styles import Print, Style


def fitted(style: Style) -> Style:
    """Any style will do."""
    return style


def styled_face(card: Card, style: Style, px_per_mm: float) -> Image:
    """The digit in its colour, with its stars."""
    return style.pixels(Print(card.number("digit"), card.word("colour"), card.number("stars")), px_per_mm)
