"""Styled decks: the cards of a game as another publisher might print them, in a random style."""

from dataclasses import replace
from typing import Protocol, cast

import numpy as np

from models.art.pen import Size
from models.cards import Card, Deck, DeckError
from models.packages import has_part, part_of
from models.synth.scene import Image, Sprite
from models.synth.sprites import card_sprite
from models.synth.styles import Style, random_style

SIZES_MM = ((63.0, 88.0), (57.0, 89.0), (56.0, 87.0))
"""Card sizes of styled decks: games leave room on the table for cards of about our own size."""
PART = "styled.py"


class StyleError(DeckError):
    """A game whose cards cannot be drawn in other styles."""


class StyledArt(Protocol):
    """Interface of a module models/decks/GAME/styled.py."""

    def fitted(self, style: Style) -> Style:
        """The style with what the game needs, such as a bar below 6 and 9."""

    def styled_face(self, card: Card, style: Style, px_per_mm: float) -> Image:
        """Draw the face of a card with everything that its code says."""


def deck_style(game: str, seed: int) -> Style:
    """The held-out style of a seed, as a game can use it."""
    rng = np.random.default_rng((seed, 25))
    style = random_style(rng, held_out=True)
    width_mm, height_mm = SIZES_MM[int(rng.choice(len(SIZES_MM), p=(0.5, 0.25, 0.25)))]
    style = replace(style, size=Size(width_mm, height_mm, style.size.corner_mm))
    # Without a bar 6 and 9 are the same card unless the number is upright from both ends.
    return _art(game).fitted(replace(style, bar=style.bar or not style.mirrored))


class StyledSprites:
    """The faces and backs of one deck in one style as sprites, each made once."""

    def __init__(self, deck: Deck, style: Style, px_per_mm: float) -> None:
        self.deck, self.style = deck, style
        self._art, self._px_per_mm = _art(deck.game), px_per_mm
        self._cards = {card.code: card for card in deck.cards}
        self._kinds = tuple(dict.fromkeys(card.kind for card in deck.cards))
        self._made: dict[str, Sprite] = {}

    def face(self, code: str) -> Sprite:
        """The face of a card."""
        if code not in self._made:
            pixels = self._art.styled_face(self._cards[code], self.style, self._px_per_mm)
            self._made[code] = card_sprite(pixels, self.style.size, self._px_per_mm)
        return self._made[code]

    def back(self, code: str) -> Sprite:
        """The back of a card; every kind of card has its own."""
        kind = self._cards[code].kind
        name = f"back {kind}"
        if name not in self._made:
            style = replace(self.style, seed=self.style.seed + self._kinds.index(kind))
            self._made[name] = style.back(self._px_per_mm)
        return self._made[name]

    def side(self, code: str, face_up: bool) -> Sprite:
        """The side of a card that is up."""
        return self.face(code) if face_up else self.back(code)


def _art(game: str) -> StyledArt:
    if not has_part(game, PART):
        raise StyleError(f"game {game!r} has no {PART}; wanted one that draws its cards in other styles")
    return cast(StyledArt, part_of(game, PART.removesuffix(".py")))
