"""Faces to compare with: every card of a deck as it looks when nothing hides it."""

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
    """What a network made of pictures, and the word that says of which network and which pictures."""

    key: str
    features: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Faces:
    """A deck as pictures: its name, the size of its cards, and each face upright."""

    deck: str
    card_mm: tuple[float, float]
    pictures: tuple[tuple[str, Image], ...]
    """Code and picture, BGR, at any size; a card may have several."""
    written_on: frozenset[str] = frozenset()
    """Cards on which players draw."""
    game: str = ""
    """The game, if these are Krupier's own drawings, which the reader has practised."""
    backs: tuple[Image, ...] = ()
    """The other side of the cards, as many kinds as there are."""
    learnt: Learnt | None = None
    """What was learnt of these pictures before, if it was kept."""
    home: Path | None = None
    """The folder of a taught deck: what is learnt of it is kept there."""


def drawn_faces(deck: Deck) -> Faces:
    """The faces of one of our own decks, straight from the drawing."""
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
    """A face at the size of a crop."""
    return np.asarray(cv2.resize(picture, size_px, interpolation=cv2.INTER_AREA), np.uint8)
