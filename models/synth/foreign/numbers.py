"""Foreign number decks: numerals in a few colours on full-bleed faces, with ovals, action and wild cards."""

from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np

from models.synth.foreign.canvas import BLACK, WHITE, Ink, blank, ink_from, mixed_ink, oval, polygon, press, slab, stamp
from models.synth.foreign.manner import (
    Drawings,
    Lettering,
    random_inks,
    random_lettering,
    slab_mask,
    stamp_any,
    stamp_both,
)
from models.synth.foreign.scenery import graded, palette, scenery
from models.synth.foreign.symbols import symbols
from models.synth.scene import Image


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """The layout of one deck of numbers in colours."""

    size_px: tuple[int, int]
    letters: Lettering
    inks: tuple[Ink, ...]
    actions: tuple[Image, ...]
    ground: str
    """full, rim, black, white, grade or texture."""
    rim: float
    rim_ink: Ink
    corner_px: float
    field_shape: str
    """Shape under the numeral: oval, slanted, disc, diamond, box, outline or none."""
    field_turn: float
    field_part: float
    field_ink: Ink
    big_part: float
    big_turn: float
    outlined: int
    """Number of extra inks of the numeral: outline, then shadow."""
    corner_part: float
    corners: int
    marked: str
    """How 6 and 9 are marked: bar, dot or not at all."""
    texture: Image


def number_cards(rng: np.random.Generator, size_px: tuple[int, int]) -> Drawings:
    """A deck of numbers in colours."""
    count = int(rng.integers(3, 7))
    style = _style(rng, size_px, count)
    first, last = int(rng.choice((0, 1))), int(rng.choice((9, 9, 10, 12, 15)))
    drawings: Drawings = {}
    for colour in range(count):
        for number in range(first, last + 1):
            drawings[f"{number}-{colour}"] = partial(
                _draw, style, str(number), None, style.inks[colour], 100 * colour + number
            )
        for action in range(len(style.actions)):
            drawings[f"action{action}-{colour}"] = partial(
                _draw, style, "", style.actions[action], style.inks[colour], 0
            )
    for wild, words in enumerate(("", "+4", "X")[: int(rng.integers(0, 4))]):
        drawings[f"wild{wild}"] = partial(_draw_wild, style, words)
    return drawings


def _style(rng: np.random.Generator, size_px: tuple[int, int], count: int) -> NumberStyle:
    ground = str(rng.choice(("full", "rim", "black", "white", "grade", "texture"), p=(0.15, 0.35, 0.2, 0.1, 0.1, 0.1)))
    cream = ink_from(25, float(rng.uniform(0, 60)), float(rng.uniform(220, 255)))
    return NumberStyle(
        size_px=size_px,
        letters=random_lettering(rng, 0.2),
        inks=tuple(random_inks(rng, count, near_share=0.6)),
        actions=tuple(symbols(rng, int(rng.integers(0, 5)))),
        ground=ground,
        rim=float(rng.uniform(0.03, 0.09)),
        rim_ink=WHITE if rng.random() < 0.6 else BLACK if rng.random() < 0.5 else cream,
        corner_px=float(rng.choice((0, 8, 16, 30))),
        field_shape=str(
            rng.choice(
                ("oval", "slanted", "disc", "diamond", "box", "outline", "none"),
                p=(0.15, 0.3, 0.12, 0.08, 0.08, 0.12, 0.15),
            )
        ),
        field_turn=float(rng.choice((-1, 1))) * float(rng.uniform(15, 40)),
        field_part=float(rng.uniform(0.3, 0.46)),
        field_ink=WHITE if rng.random() < 0.7 else cream if rng.random() < 0.5 else BLACK,
        big_part=float(rng.uniform(0.25, 0.5)),
        big_turn=float(rng.choice((0, 0, 0, -12, 12, 20))),
        outlined=int(rng.choice((0, 1, 2), p=(0.5, 0.25, 0.25))),
        corner_part=float(rng.uniform(0.06, 0.15)),
        corners=int(rng.choice((0, 2, 4), p=(0.15, 0.65, 0.2))),
        marked=str(rng.choice(("bar", "dot", "none"), p=(0.45, 0.15, 0.4))),
        texture=scenery(rng, size_px, palette(rng, dark=True)),
    )


def _ground(style: NumberStyle, ink: Ink) -> Image:
    if style.ground == "full":
        return blank(style.size_px, ink)
    if style.ground == "black":
        return blank(style.size_px, BLACK)
    if style.ground == "white":
        return blank(style.size_px, WHITE)
    face = blank(style.size_px, style.rim_ink)
    part = style.rim * style.size_px[0] / style.size_px[1]
    box = (style.rim, part, 1 - style.rim, 1 - part)
    if style.ground == "rim":
        slab(face, box, ink, style.corner_px)
        return face
    inside = np.zeros(face.shape[:2], np.uint8)
    slab_mask(inside, box, style.corner_px)
    inner = graded(style.size_px, ink, mixed_ink(ink, BLACK, 0.5))
    if style.ground == "texture":
        inner = np.asarray(cv2.addWeighted(style.texture, 0.3, blank(style.size_px, ink), 0.7, 0), np.uint8)
    return np.where(inside[:, :, None] > 127, inner, face)


def _field(face: Image, style: NumberStyle, ink: Ink) -> Ink:
    """Draw what is under the numeral; returns the ink for a numeral on it."""
    over = mixed_ink(ink, WHITE, 0.15) if style.ground == "black" else ink if style.ground == "white" else WHITE
    wide, flat = style.field_part, style.size_px[0] / style.size_px[1]
    if style.field_shape == "none":
        return over
    if style.field_shape == "outline":
        oval(face, (0.5, 0.5), (wide, 0.9 * wide), style.field_turn, over, max(2, round(0.015 * face.shape[1])))
        return over
    if style.field_shape in ("oval", "slanted"):
        oval(
            face, (0.5, 0.5), (wide, 0.95 * wide), style.field_turn * (style.field_shape == "slanted"), style.field_ink
        )
    elif style.field_shape == "disc":
        oval(face, (0.5, 0.5), (wide, wide * flat), 0, style.field_ink)
    elif style.field_shape == "diamond":
        polygon(face, [(0.5, 0.12), (0.5 + wide, 0.5), (0.5, 0.88), (0.5 - wide, 0.5)], style.field_ink)
    else:
        slab(face, (0.5 - wide, 0.5 - wide, 0.5 + wide, 0.5 + wide), style.field_ink, style.corner_px)
    return mixed_ink(ink, WHITE, 0.15) if style.field_ink == BLACK else ink


def _draw(style: NumberStyle, words: str, action: Image | None, ink: Ink, card: int) -> Image:
    face = _ground(style, ink)
    over = _field(face, style, ink)
    mask = style.letters.mask(words, card) if action is None else action
    inks = (over, *(BLACK, mixed_ink(BLACK, ink, 0.3))[: style.outlined])
    tall = style.big_part * face.shape[0]
    stamp_any(face, mask, (0.5, 0.5), tall, inks, style.big_turn, 0.62)
    _mark(face, style, words, over, (0.5, 0.5), tall)
    on = mixed_ink(ink, WHITE, 0.15) if style.ground == "black" else ink if style.ground == "white" else WHITE
    small = style.corner_part * face.shape[0]
    x, y = style.rim + 0.08, 0.5 * style.rim + 0.03 + style.corner_part / 2
    for left in (x, 1 - x)[: style.corners // 2]:
        stamp_both(face, mask, (left, y), small, on, 0.2)
        _mark(face, style, words, on, (left, y), small)
    return face


def _mark(face: Image, style: NumberStyle, words: str, ink: Ink, at: tuple[float, float], tall_px: float) -> None:
    """The bar or dot that tells 6 from 9, and its copy upside down for a numeral in a corner."""
    if style.marked == "none" or not set(words) & set("69"):
        return
    wide = 0.5 * tall_px if style.marked == "bar" else 0.12 * tall_px
    cover = np.full((max(1, round(0.1 * tall_px)), max(1, round(wide))), 255, np.uint8)
    below = (at[0], at[1] + 0.62 * tall_px / face.shape[0])
    press(face, cover, below, ink)
    if at != (0.5, 0.5):
        press(face, cover, (1 - below[0], 1 - below[1]), ink)


def _draw_wild(style: NumberStyle, words: str) -> Image:
    face = blank(style.size_px, BLACK if style.ground != "black" else WHITE)
    turns = np.linspace(0, 2 * np.pi, len(style.inks) + 1)
    for number, ink in enumerate(style.inks):
        arc = np.linspace(turns[number], turns[number + 1], 12)
        rim = np.stack([0.5 + 0.36 * np.cos(arc), 0.5 + 0.36 * np.sin(arc)], 1)
        polygon(face, np.concatenate([[(0.5, 0.5)], rim]), ink)
    if words:
        mask = style.letters.mask(words)
        stamp(face, mask, (0.5, 0.5), 0.2 * face.shape[0], WHITE, widest=0.5)
        stamp_both(face, mask, (style.rim + 0.1, 0.09), style.corner_part * face.shape[0], WHITE, 0.2)
    return face
