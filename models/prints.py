"""Prints: the classes of the network that reads what is printed at the upper end of a card."""

from models.crops import CROP_PX, Image

END_PX = (CROP_PX[0], 80)
"""Width and height of the end of a card that is read: the upper 40 mm of most cards."""
NUMBERS = tuple(range(13))
"""The numbers that the network knows; its first output means none of them."""
MOST_STARS = 3
COLOURS = ("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink")
"""The colours that the network knows; its first output means none of them."""


def upper_end(crop: Image) -> Image:
    """The upper end of a crop of a whole card."""
    return crop[: END_PX[1]]
