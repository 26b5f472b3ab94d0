"""Prints: the classes of the network that reads what is printed at the upper end of a card."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from models.cards import Card
from models.codes import listed
from models.crops import CROP_PX, Image
from models.packages import has_part, packages, part_of

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


@dataclass(frozen=True, slots=True)
class CardPrint:
    """What a card shows, if that is no more than numbers, stars and a colour."""

    code: str
    numbers: tuple[int, ...]
    """One number that stands at both ends, or one for each end, either way round."""
    stars: int | None = None
    """None where the deck has no stars."""
    colour: str = ""
    """A word of COLOURS; empty where colour says nothing."""


class CardPrints(Protocol):
    """The module prints.py of a deck whose cards show nothing but numbers, stars and colours."""

    def card_prints(self, listed: Mapping[str, Card]) -> tuple[CardPrint, ...]:
        """Every card that a face may be, given the cards of deck.toml."""


def prints_of(game: str) -> tuple[CardPrint, ...]:
    """The cards of a game by what is printed on them; none if their faces show more than numbers and colours."""
    if game not in packages() or not has_part(game, "prints.py"):
        return ()
    return cast(CardPrints, part_of(game, "prints")).card_prints(listed(game))
