"""Rendered tables for the gate: the same cards under any light, laid, turned over, moved, or under a hand."""

from dataclasses import replace
from functools import cache

import numpy as np

from calibration.frames import Frame
from models.cards import own_deck
from models.synth.camera import overhead_camera
from models.synth.hands import LENGTH_MM, make_hand
from models.synth.materials import make_ground
from models.synth.render import render
from models.synth.scene import CardSeen, Light, Optics, Scene, Thing
from models.synth.sprites import FaceSprites

SIZE_PX = (1280, 720)
TABLE_MM = (800.0, 450.0)
PLACES_MM = ((-220.0, -90.0), (-120.0, -80.0), (-20.0, 60.0), (90.0, 70.0), (105.0, 70.0), (230.0, -60.0))


@cache
def faces() -> FaceSprites:
    """A deck at the scale of the pictures."""
    return FaceSprites(own_deck("dawaj2"), 2.0)


@cache
def scene(material: str) -> Scene:
    """Six cards, one of them face down, on a table top."""
    ground = make_ground(material, np.random.default_rng(3))
    codes = [card.code for card in own_deck("dawaj2").cards][: len(PLACES_MM)]
    laid = enumerate(zip(codes, PLACES_MM, strict=True))
    cards = tuple(card(number, code, *place, 7.0 * number) for number, (code, place) in laid)
    return Scene(
        overhead_camera(*SIZE_PX, TABLE_MM),
        ground.pixels,
        (1500.0, 1000.0),
        ground.gloss,
        cards=(*cards[:-1], turned_over(cards[-1])),
        light=Light(level=0.8),
        optics=Optics(noise=2.5),
    )


def card(number: int, code: str, x_mm: float, y_mm: float, turn_deg: float = 0.0) -> CardSeen:
    """A card face up."""
    return CardSeen(number, code, True, Thing(faces().face(code), x_mm, y_mm, turn_deg))


def turned_over(seen: CardSeen) -> CardSeen:
    """The same card with its other side up."""
    side = faces().side(seen.code, not seen.face_up)
    return replace(seen, face_up=not seen.face_up, thing=replace(seen.thing, sprite=side))


def with_card(table: Scene, number: int, changed: CardSeen) -> Scene:
    """A table on which one card is another."""
    return replace(table, cards=(*table.cards[:number], changed, *table.cards[number + 1 :]))


def moved(seen: CardSeen, right_mm: float, down_mm: float) -> CardSeen:
    """The same card a little farther."""
    return replace(seen, thing=replace(seen.thing, x_mm=seen.thing.x_mm + right_mm, y_mm=seen.thing.y_mm + down_mm))


def with_hand(table: Scene, reach_mm: float) -> Scene:
    """A hand from the lower edge whose finger tips reach so far into the table."""
    hand = make_hand(np.random.default_rng(2))
    return replace(table, hands=(Thing(hand, 60.0, TABLE_MM[1] / 2 - reach_mm + LENGTH_MM / 2 - 18.0, 0.0, 32.0),))


def picture(table: Scene, at_s: float) -> Frame:
    """What the camera gives at a time; its grain is new every time."""
    number = round(at_s * 100)
    return Frame(number, at_s, render(table, np.random.default_rng(number)).image)
