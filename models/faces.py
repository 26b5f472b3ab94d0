"""Faces: pictures of all cards of a deck, with nothing hidden, to compare crops with."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.art.decks import art_of
from models.art.picture import draw_pixels
from models.cards import Deck
from models.crops import Image

DRAWN_PX_PER_MM = 4.0
WRITTEN_ON = "box"
"""The kind of card that players draw on."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """The features that a network computed from pictures, and a key that identifies network and pictures."""

    key: str
    features: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Faces:
    """A deck as pictures: its name, the size of its cards, and all faces upright."""

    deck: str
    card_mm: tuple[float, float]
    pictures: tuple[tuple[str, Image], ...]
    """Code and picture, BGR, at any size; a card may have several."""
    written_on: frozenset[str] = frozenset()
    """Cards on which players draw."""
    game: str = ""
    """The game, if these are Krupier's own drawings, which the reader was trained with."""
    backs: tuple[Image, ...] = ()
    """The backs of the cards, one of each kind."""
    learnt: Learnt | None = None
    """The features of these pictures, if they were kept."""
    home: Path | None = None
    """The folder of a taught deck, where its features are kept."""


def drawn_faces(deck: Deck) -> Faces:
    """The faces of one of our own decks, from the drawings."""
    art = art_of(deck.game)
    size = art.size_of(deck.cards[0])
    pictures = tuple(
        (card.code, draw_pixels(partial(art.draw_face, card=card), art.size_of(card), DRAWN_PX_PER_MM))
        for card in deck.cards
    )
    written_on = frozenset(card.code for card in deck.cards if card.kind == WRITTEN_ON)
    backs = tuple(
        draw_pixels(partial(art.draw_back, kind=kind), size, DRAWN_PX_PER_MM)
        for kind in dict.fromkeys(card.kind for card in deck.cards)
    )
    return Faces(deck.name, (size.width_mm, size.height_mm), pictures, written_on, deck.game, backs)


def shrunk(picture: Image, size_px: tuple[int, int]) -> Image:
    """A picture of a card at another size."""
    return np.asarray(cv2.resize(picture, size_px, interpolation=cv2.INTER_AREA), np.uint8)
