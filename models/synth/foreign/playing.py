"""Foreign playing cards: ranks and suits, with pips, courts, or one symbol in the middle for every rank."""

from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np

from models.synth.foreign.canvas import BLACK, Ink, ink_from, stamp
from models.synth.foreign.manner import (
    DeckPaper,
    Drawings,
    Lettering,
    random_inks,
    random_lettering,
    random_paper,
    stamp_any,
    stamp_both,
)
from models.synth.foreign.scenery import palette, scenery
from models.synth.foreign.symbols import FRENCH, symbol, symbols
from models.synth.scene import Image

_PIPS = {
    1: ((0.5, 0.5),),
    2: ((0.5, 0.22), (0.5, 0.78)),
    3: ((0.5, 0.22), (0.5, 0.5), (0.5, 0.78)),
    4: ((0.32, 0.22), (0.68, 0.22), (0.32, 0.78), (0.68, 0.78)),
    5: ((0.32, 0.22), (0.68, 0.22), (0.5, 0.5), (0.32, 0.78), (0.68, 0.78)),
    6: ((0.32, 0.22), (0.68, 0.22), (0.32, 0.5), (0.68, 0.5), (0.32, 0.78), (0.68, 0.78)),
}
_MORE_PIPS = {7: ((0.5, 0.36),), 8: ((0.5, 0.36), (0.5, 0.64)), 9: ((0.5, 0.36), (0.5, 0.64), (0.5, 0.5))}
_MORE_PIPS[10] = ((0.5, 0.3), (0.5, 0.43), (0.5, 0.57), (0.5, 0.7))


@dataclass(frozen=True, slots=True)
class SuitStyle:
    """The layout of the cards of one deck with suits."""

    paper: DeckPaper
    letters: Lettering
    suits: tuple[Image, ...]
    inks: tuple[Ink, ...]
    middles: tuple[Image, ...]
    """A symbol or picture for each rank."""
    kind: str
    """Content of the middle: pips, rank, symbol, suit, picture or nothing."""
    index_part: float
    suit_part: float
    """Height of the small suit symbol relative to the index."""
    place: tuple[float, float]
    suit_apart: bool
    """Whether the suit symbol is in the other corner instead of below the rank."""
    corners: int
    big_part: float
    middle_ink: Ink | None
    """Ink of the middle; None for the suit's own."""


def playing_cards(rng: np.random.Generator, size_px: tuple[int, int]) -> Drawings:
    """A deck of ranks and suits."""
    ranks = _ranks(rng)
    style = _style(rng, size_px, len(ranks))
    return {
        f"{rank}-{suit}": partial(_draw, style, rank, place, suit)
        for suit in range(len(style.suits))
        for place, rank in enumerate(ranks)
    }


def _ranks(rng: np.random.Generator) -> list[str]:
    chance = rng.random()
    if chance < 0.5:
        return ["A", *map(str, range(2, 11)), "J", "Q", "K"]
    if chance < 0.7:
        return [*map(str, range(10)), "J", "Q", "K"]
    return list(map(str, range(1, int(rng.integers(9, 17)))))


def _style(rng: np.random.Generator, size_px: tuple[int, int], ranks: int) -> SuitStyle:
    paper = random_paper(rng, size_px)
    count = 4 if rng.random() < 0.7 else int(rng.integers(3, 7))
    french = count == 4 and rng.random() < 0.55
    plain = bool(rng.random() < 0.6)
    suits = [symbol(name, rng, plain) for name in FRENCH] if french else symbols(rng, count)
    kind = str(rng.choice(("pips", "rank", "symbol", "suit", "picture", "nothing"), p=(0.2, 0.12, 0.3, 0.1, 0.2, 0.08)))
    if kind == "picture":
        size = (int(0.62 * size_px[0]), int(0.6 * size_px[1]))
        inks = palette(rng)
        middles = [scenery(rng, size, inks if rng.random() < 0.5 else palette(rng)) for _ in range(ranks)]
    else:
        middles = symbols(rng, ranks)
    return SuitStyle(
        paper=paper,
        letters=random_lettering(rng, 0.4),
        suits=tuple(suits),
        inks=tuple(_suit_inks(rng, count, french)),
        middles=tuple(middles),
        kind=kind,
        index_part=float(rng.uniform(0.055, 0.16)),
        suit_part=float(rng.uniform(0.35, 1.0)),
        place=(float(rng.uniform(0.09, 0.16)), float(rng.uniform(0.08, 0.13))),
        suit_apart=bool(rng.random() < 0.3),
        corners=int(rng.choice((1, 2, 4), p=(0.1, 0.65, 0.25))),
        big_part=float(rng.uniform(0.25, 0.55)),
        middle_ink=None if rng.random() < 0.6 else random_inks(rng, 1)[0],
    )


def _suit_inks(rng: np.random.Generator, count: int, french: bool) -> list[Ink]:
    red = ink_from(float(rng.normal(0, 4)) % 180, float(rng.uniform(170, 250)), float(rng.uniform(150, 235)))
    chance = rng.random()
    if chance < 0.45:
        return [BLACK, red, red, BLACK][:count] if french else [(BLACK, red)[number % 2] for number in range(count)]
    if chance < 0.65:
        # Only the shape of the suit differs.
        return [random_inks(rng, 1)[0] if rng.random() < 0.5 else BLACK] * count
    return random_inks(rng, count)


def _draw(style: SuitStyle, rank: str, place: int, suit: int) -> Image:
    own = style.inks[suit]
    face = style.paper.sheet(own)
    ink = style.paper.ink_on(own)
    _draw_middle(face, style, rank, place, suit, ink)
    tall = style.index_part * face.shape[0]
    letters, small = style.letters.mask(rank, 100 * suit + place), style.suits[suit]
    x, y = style.place[0], style.place[1]
    below = y + (0.62 + 0.6 * style.suit_part) * style.index_part
    lefts = (x, 1 - x) if style.corners == 4 else (x,)
    for left in lefts:
        corner = stamp if style.corners == 1 else stamp_both
        corner(face, letters, (left, y), tall, ink, widest=0.2)
        spot = (1 - left, y) if style.suit_apart and style.corners != 4 else (left, below)
        corner(face, small, spot, style.suit_part * tall, ink, widest=0.2)
    return face


def _draw_middle(face: Image, style: SuitStyle, rank: str, place: int, suit: int, ink: Ink) -> None:
    height = face.shape[0]
    inks = (style.paper.ink_on(style.middle_ink) if style.middle_ink else ink,)
    if style.kind == "pips" and rank.isdecimal() and 1 <= int(rank) <= 10:
        number = int(rank)
        base = 6 if number in (7, 8) else 4 if number > 8 else number
        spots = _PIPS[base] + _MORE_PIPS.get(number, ())
        if number > 8:
            spots += ((0.32, 0.41), (0.68, 0.41), (0.32, 0.59), (0.68, 0.59))
        for x, y in spots:
            stamp(face, style.suits[suit], (x, y), 0.12 * height, ink, 180 if y > 0.5 else 0)
    elif style.kind == "picture":
        art = style.middles[place]
        top, left = (height - art.shape[0]) // 2, (face.shape[1] - art.shape[1]) // 2
        box = face[top : top + art.shape[0], left : left + art.shape[1]]
        box[:] = art
        cv2.rectangle(face, (left, top), (left + art.shape[1], top + art.shape[0]), ink, 2)
    elif style.kind in ("symbol", "pips"):
        stamp_any(face, style.middles[place], (0.5, 0.5), style.big_part * height, inks, widest=0.6)
    elif style.kind == "suit":
        stamp_any(face, style.suits[suit], (0.5, 0.5), style.big_part * height, inks, widest=0.6)
    elif style.kind == "rank":
        stamp_any(face, style.letters.mask(rank, place), (0.5, 0.5), style.big_part * height, inks, widest=0.6)
