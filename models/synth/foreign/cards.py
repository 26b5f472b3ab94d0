"""The cards of a foreign deck as sprites for simulated tables."""

import cv2
import numpy as np

from models.art.pen import Size
from models.synth.foreign.decks import FAMILIES, DeckArt, random_deck_art
from models.synth.scene import Image, Sprite
from models.synth.sprites import card_sprite


class ForeignCards:
    """A foreign deck for simulated tables; every card has the first back of the deck."""

    def __init__(self, art: DeckArt, px_per_mm: float) -> None:
        self._size, self._px_per_mm = Size(*art.size_mm, art.corner_mm), px_per_mm
        self._faces = {card.code: self._sprite(card.pixels) for card in art.faces}
        self._codes = list(self._faces)
        self._back = self._sprite(art.backs[0])

    def faces(self) -> dict[str, Sprite]:
        """Every card by its code."""
        return dict(self._faces)

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        """Draw a card: its code, its face and its back."""
        code = self._codes[rng.integers(len(self._codes))]
        return code, self._faces[code], self._back

    def _sprite(self, pixels: Image) -> Sprite:
        size_px = (round(self._size.width_mm * self._px_per_mm), round(self._size.height_mm * self._px_per_mm))
        small = np.asarray(cv2.resize(pixels, size_px, interpolation=cv2.INTER_AREA), np.uint8)
        return card_sprite(small, self._size, self._px_per_mm)


def random_foreign_cards(rng: np.random.Generator, px_per_mm: float, most: int) -> ForeignCards:
    """A random deck of any family, reduced to `most` cards."""
    family = str(rng.choice(list(FAMILIES)))
    return ForeignCards(random_deck_art(rng, family, most), px_per_mm)
