"""The wardrobe: the sprites of a simulated game's bodies, each made once."""

from dataclasses import replace

import numpy as np

from device.lab.simulator.bodies import CARD_MM, Body
from models.art.pieces import table_pieces
from models.cards import Deck
from models.synth.furniture import piece_sprite
from models.synth.hands import make_hand
from models.synth.marks import marked, random_marker
from models.synth.scene import Sprite
from models.synth.sprites import FaceSprites, worn
from models.synth.styled import StyledSprites


class Wardrobe:
    """Sprites of cards, piles, figures, tokens and hands."""

    def __init__(
        self, deck: Deck, faces: FaceSprites | StyledSprites, px_per_mm: float, seed: int, wear: float
    ) -> None:
        self._faces = faces
        self._px_per_mm, self._seed, self._wear = px_per_mm, seed, wear
        self._pieces = {(piece.kind, piece.owner): piece for piece in table_pieces(deck.game)}
        self._made: dict[tuple[object, ...], Sprite] = {}

    def sprite(self, body: Body) -> Sprite:
        """The sprite of a body from above."""
        key = (body.code, body.face_up, body.marks, body.id if not body.piece else 0, body.pile)
        if key not in self._made:
            self._made[key] = self._piece(body) if body.piece else self._card(body)
        sprite = self._made[key]
        return replace(sprite, thickness_mm=CARD_MM * body.cards) if body.pile else sprite

    def hand(self, seat: int) -> Sprite:
        """The hand and sleeve of a seat."""
        key = ("hand", seat)
        if key not in self._made:
            self._made[key] = make_hand(np.random.default_rng((self._seed, 3, seat)))
        return self._made[key]

    def _card(self, body: Body) -> Sprite:
        sprite = self._faces.side(body.code, body.face_up)
        if body.marks and body.face_up:
            # Each player has their own marker.
            marker = random_marker(np.random.default_rng((self._seed, 5, *body.zone.encode())))
            sprite = marked(sprite, body.marks, marker, body.id)
        return worn(sprite, self._wear, np.random.default_rng((self._seed, 4, body.id)))

    def _piece(self, body: Body) -> Sprite:
        kind, _, owner = body.code.partition(" ")
        return piece_sprite(self._pieces[kind, owner], self._px_per_mm)
