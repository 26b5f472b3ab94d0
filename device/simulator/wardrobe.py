"""The wardrobe: how the bodies of a simulated game look, each look made once."""

from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from device.simulator.bodies import CARD_MM, Body
from models.art import kto_drugi, lucky_box
from models.art.pen import Size
from models.art.picture import Drawing, draw_pixels
from models.cards import Deck
from models.synth.hands import make_hand
from models.synth.scene import Image, Sprite
from models.synth.sprites import Faces, card_sprite, rounded, worn


class Wardrobe:
    """Sprites of cards, piles, figures, tokens and hands."""

    def __init__(self, deck: Deck, px_per_mm: float, seed: int, wear: float) -> None:
        self._faces = Faces(deck, px_per_mm)
        self._px_per_mm, self._seed, self._wear = px_per_mm, seed, wear
        self._made: dict[tuple[object, ...], Sprite] = {}

    def sprite(self, body: Body) -> Sprite:
        """What a body looks like from above."""
        key = (body.code, body.face_up, body.marks, body.id if not body.piece else 0, body.pile)
        if key not in self._made:
            self._made[key] = self._piece(body) if body.piece else self._card(body)
        sprite = self._made[key]
        return replace(sprite, thickness_mm=CARD_MM * body.cards) if body.pile else sprite

    def hand(self, seat: int) -> Sprite:
        """Everybody has a hand and a sleeve of one's own."""
        key = ("hand", seat)
        if key not in self._made:
            self._made[key] = make_hand(np.random.default_rng((self._seed, 3, seat)))
        return self._made[key]

    def _card(self, body: Body) -> Sprite:
        sprite = self._faces.side(body.code, body.face_up)
        if body.marks:
            sprite = replace(sprite, pixels=_crossed(sprite, body.marks, np.random.default_rng(body.id)))
        return worn(sprite, self._wear, np.random.default_rng((self._seed, 4, body.id)))

    def _piece(self, body: Body) -> Sprite:
        kind, _, owner = body.code.partition(" ")
        if kind == "figure":
            colour = kto_drugi.FIGURES[int(owner[1:]) - 1]
            return self._disc(partial(kto_drugi.draw_figure, colour=colour), kto_drugi.FIGURE, 4.0)
        token = Size(lucky_box.TOKEN_MM, lucky_box.TOKEN_MM, lucky_box.TOKEN_MM / 2)
        return self._disc(partial(lucky_box.draw_token, kind=kind), token, 1.5)

    def _disc(self, drawing: Drawing, size: Size, thickness_mm: float) -> Sprite:
        sprite = card_sprite(draw_pixels(drawing, size, self._px_per_mm), size, self._px_per_mm)
        return replace(sprite, thickness_mm=thickness_mm, boxy=False)


def track_sprite(px_per_mm: float) -> Sprite:
    """The joined board of Kto drugi, flat on the table."""
    halves = [draw_pixels(partial(kto_drugi.draw_track_half, half=half), kto_drugi.HALF, px_per_mm) for half in (0, 1)]
    return Sprite(rounded(np.hstack(halves), 0), px_per_mm, thickness_mm=0.0, gloss=0.1)


def _crossed(sprite: Sprite, marks: tuple[str, ...], rng: np.random.Generator) -> Image:
    """The face with marker crosses in its cells."""
    pixels = sprite.pixels.copy()
    scale = sprite.px_per_mm
    for mark in marks:
        x, y = lucky_box.cell_centre(3 * int(mark[1]) + int(mark[3]) - 4)
        arm = 4.2 * scale
        for way in (-1, 1):
            wobble = rng.normal(0, 0.6 * scale, 4)
            start = (int(x * scale - arm + wobble[0]), int(y * scale - way * arm + wobble[1]))
            end = (int(x * scale + arm + wobble[2]), int(y * scale + way * arm + wobble[3]))
            cv2.line(pixels, start, end, (35, 25, 25, 255), max(1, round(1.3 * scale)), cv2.LINE_AA)
    return pixels
