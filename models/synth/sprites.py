"""Sprites of cards: drawn or photographed faces and backs, with rounded corners and signs of wear."""

from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from models.art.decks import art_of
from models.art.pen import Size
from models.art.picture import draw_pixels
from models.cards import Deck
from models.synth.scene import Image, Sprite


class FaceSprites:
    """The faces and backs of one deck as sprites, each made once."""

    def __init__(self, deck: Deck, px_per_mm: float) -> None:
        self.deck = deck
        self._px_per_mm = px_per_mm
        self._cards = {card.code: card for card in deck.cards}
        self._made: dict[str, Sprite] = {}

    def face(self, code: str) -> Sprite:
        """The face of a card."""
        if code not in self._made:
            card, art = self._cards[code], art_of(self.deck.game)
            drawing, size = partial(art.draw_face, card=card), art.size_of(card)
            self._made[code] = card_sprite(draw_pixels(drawing, size, self._px_per_mm), size, self._px_per_mm)
        return self._made[code]

    def back(self, code: str) -> Sprite:
        """The back of a card."""
        card, art = self._cards[code], art_of(self.deck.game)
        name = f"back {card.kind}"
        if name not in self._made:
            drawing, size = partial(art.draw_back, kind=card.kind), art.size_of(card)
            self._made[name] = card_sprite(draw_pixels(drawing, size, self._px_per_mm), size, self._px_per_mm)
        return self._made[name]

    def side(self, code: str, face_up: bool) -> Sprite:
        """The side of a card that is up."""
        return self.face(code) if face_up else self.back(code)


def card_sprite(pixels: Image, size: Size, px_per_mm: float, gloss: float = 0.35) -> Sprite:
    """A picture of a card with rounded corners."""
    exact_mm = (size.width_mm, size.height_mm)
    return Sprite(rounded(pixels, size.corner_mm * px_per_mm), px_per_mm, gloss=gloss, exact_mm=exact_mm)


def rounded(pixels: Image, radius_px: float) -> Image:
    """Premultiplied BGRA with rounded corners, drawn at four times the size for a smooth edge."""
    height, width = pixels.shape[:2]
    mask = np.full((4 * height, 4 * width), 255, np.uint8)
    radius = round(4 * radius_px)
    if radius > 0:
        mask[:] = 0
        cv2.rectangle(mask, (radius, 0), (4 * width - radius - 1, 4 * height), 255, -1)
        cv2.rectangle(mask, (0, radius), (4 * width, 4 * height - radius - 1), 255, -1)
        for x in (radius, 4 * width - radius - 1):
            for y in (radius, 4 * height - radius - 1):
                cv2.circle(mask, (x, y), radius, 255, -1)
    alpha = np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return premultiplied(pixels, alpha)


def premultiplied(pixels: Image, alpha: Image) -> Image:
    """Combine BGR and alpha into premultiplied BGRA."""
    return np.asarray(
        cv2.merge([*cv2.split(cv2.multiply(pixels, cv2.merge([alpha] * 3), scale=1 / 255)), alpha]), np.uint8
    )


def worn(sprite: Sprite, wear: float, rng: np.random.Generator) -> Sprite:
    """The same card after many games: whitened edges, scratches, a yellow cast."""
    if wear <= 0:
        return sprite
    pixels = sprite.pixels.astype(np.float32)
    alpha = pixels[:, :, 3:] / 255
    height, width = pixels.shape[:2]
    solid = cv2.copyMakeBorder(
        (sprite.pixels[:, :, 3] > 127).astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0
    )
    inside = cv2.distanceTransform(solid, cv2.DIST_L2, 3)[1:-1, 1:-1]
    frayed = rng.random((height // 6 + 2, width // 6 + 2)).astype(np.float32)
    frayed = np.asarray(cv2.resize(frayed, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    rim = np.clip(1 - inside / (sprite.px_per_mm * (0.3 + 1.2 * wear * frayed)), 0, 1)[:, :, None] * wear
    paper = np.array([205, 218, 226], np.float32)
    colour = pixels[:, :, :3] * (1 - rim) + paper * alpha * rim
    colour *= 1 - wear * np.array([0.12, 0.05, 0.02], np.float32)
    for _ in range(int(6 * wear)):
        ends = rng.integers(0, (width, height), (2, 2))
        shade = float(rng.uniform(150, 240))
        cv2.line(colour, tuple(map(int, ends[0])), tuple(map(int, ends[1])), (shade, shade, shade), 1, cv2.LINE_AA)
    colour = np.minimum(colour, 255 * alpha)
    return replace(sprite, pixels=np.dstack([colour, pixels[:, :, 3:]]).astype(np.uint8))
