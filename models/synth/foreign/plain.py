"""Foreign decks with little print: one or a few small symbols on an empty card."""

from functools import partial
from itertools import product

import numpy as np

from models.synth.foreign.canvas import WHITE, Ink, Place, mixed_ink, oval, slab, stamp
from models.synth.foreign.manner import Drawings, random_inks, random_lettering, random_paper, stamp_both
from models.synth.foreign.symbols import symbols
from models.synth.scene import Image

SHARES = {"white": 0.6, "cream": 0.15, "dark": 0.15, "tint": 0.1}
"""Shares of the kinds of paper."""


def plain_cards(rng: np.random.Generator, size_px: tuple[int, int]) -> Drawings:
    """A deck of shapes, colours and counts."""
    shapes, colours, most = int(rng.integers(2, 9)), int(rng.integers(2, 6)), int(rng.choice((1, 1, 2, 3, 4)))
    while shapes * colours * most < 24:
        shapes += 1
    paper = random_paper(rng, size_px, SHARES)
    masks, inks = symbols(rng, shapes), random_inks(rng, colours, near_share=0.6)
    place = str(rng.choice(("middle", "corners", "both", "row", "one corner")))
    tall, ringed = float(rng.uniform(0.05, 0.2)), bool(rng.random() < 0.25)
    numeral = random_lettering(rng) if rng.random() < 0.25 else None

    def draw(shape: int, colour: int, count: int) -> Image:
        ink = paper.ink_on(inks[colour])
        face = paper.sheet(inks[colour] if paper.kind == "tint" else inks[0])
        if numeral is not None:
            stamp(face, masks[shape], (0.5, 0.4), tall * face.shape[0], ink)
            stamp(face, numeral.mask(str(count)), (0.5, 0.62), 0.07 * face.shape[0], ink)
            return face
        _place(face, masks[shape], ink, count, place, tall, ringed)
        return face

    every = list(product(range(shapes), range(colours), range(1, most + 1)))
    chosen = [every[index] for index in rng.permutation(len(every))[:96]]
    return {f"{shape}-{colour}-{count}": partial(draw, shape, colour, count) for shape, colour, count in sorted(chosen)}


def _place(face: Image, mask: Image, ink: Ink, count: int, place: str, tall: float, ringed: bool) -> None:
    height = face.shape[0]
    if ringed:
        flat = height / face.shape[1]
        oval(face, (0.5, 0.5), (0.2 * flat, 0.2), 0, mixed_ink(ink, WHITE, 0.6), 2)
    if place in ("corners", "both", "one corner"):
        for number in range(count):
            at: Place = (0.12, 0.09 + 0.8 * number * min(tall, 0.09))
            if place == "one corner":
                stamp(face, mask, at, min(tall, 0.09) * 0.7 * height, ink)
            else:
                stamp_both(face, mask, at, min(tall, 0.09) * 0.7 * height, ink)
    if place in ("middle", "both", "row"):
        for number in range(count):
            size = min(tall, 0.85 / count * face.shape[1] / height)
            off = (number - (count - 1) / 2) * 1.1 * size
            spot = (0.5, 0.5 + off) if place != "row" else (0.5 + off * height / face.shape[1], 0.5)
            stamp(face, mask, spot, size * height, ink, widest=size * height / face.shape[1])
    if place == "row":
        slab(face, (0.2, 0.85, 0.8, 0.87), ink)
