"""What is printed at the upper end of a card: the words that the network for prints answers in."""

from models.crops import CROP_PX, Image

END_PX = (CROP_PX[0], 80)
"""Width and height of the end of a card that is looked at: the upper 40 mm of most cards."""
NUMBERS = tuple(range(13))
"""The numbers it knows; its first answer is that there is none, then come these."""
MOST_STARS = 3
COLOURS = ("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink")
"""The colours it knows; its first answer is that there is none."""


def upper_end(crop: Image) -> Image:
    """The upper end of a crop of a whole card."""
    return crop[: END_PX[1]]
