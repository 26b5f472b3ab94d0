"""Foreign text decks: words, fractions, several numbers on a card, white numbers on coloured bars."""

from collections.abc import Callable
from functools import partial

import numpy as np

from models.synth.foreign.canvas import BLACK, WHITE, Ink, lettering, slab, stamp
from models.synth.foreign.manner import (
    DeckPaper,
    Drawings,
    Lettering,
    random_inks,
    random_lettering,
    random_paper,
    stamp_both,
)
from models.synth.foreign.pictures import WORDS
from models.synth.foreign.symbols import symbols
from models.synth.scene import Image

SHARES = {"white": 0.45, "cream": 0.15, "tint": 0.1, "grade": 0.1, "pattern": 0.1, "dark": 0.1}
"""Shares of the kinds of paper."""


def word_cards(rng: np.random.Generator, size_px: tuple[int, int]) -> Drawings:
    """A deck whose cards differ in what is written on them."""
    maker = MAKERS[int(rng.integers(len(MAKERS)))]
    return maker(rng, random_paper(rng, size_px, SHARES), random_lettering(rng, 0.15))


def _words(rng: np.random.Generator, paper: DeckPaper, letters: Lettering) -> Drawings:
    inks, tall, lines = random_inks(rng, 4), float(rng.uniform(0.05, 0.11)), int(rng.integers(1, 4))
    seeds = rng.permutation(len(WORDS))
    corner, body = bool(rng.random() < 0.6), bool(rng.random() < 0.4)

    def draw(card: int) -> Image:
        own = inks[card % len(inks)]
        face, ink = paper.sheet(own), paper.ink_on(own)
        for line in range(lines):
            words = WORDS[seeds[(card * (1 + 6 * line) + line) % len(WORDS)]]
            words = words.upper() if letters.by_hand else words
            row = 0.5 + (line - (lines - 1) / 2) * 1.5 * tall
            stamp(face, lettering(letters.font, words), (0.5, row), tall * face.shape[0], ink, widest=0.8)
        for line in range(4 if body else 0):
            # Small print that nobody can read at a distance.
            slab(face, (0.15, 0.72 + 0.04 * line, 0.85 - 0.1 * (line == 3), 0.733 + 0.04 * line), (150, 150, 150))
        if corner:
            stamp_both(face, letters.mask(str(card % 12)), (0.13, 0.09), 0.07 * face.shape[0], ink, 0.2)
        return face

    return _all(draw, int(rng.integers(36, 90)))


def _fractions(rng: np.random.Generator, paper: DeckPaper, letters: Lettering) -> Drawings:
    inks, tall, slash = random_inks(rng, 3), float(rng.uniform(0.1, 0.22)), bool(rng.random() < 0.5)
    count = int(rng.integers(36, 80))
    values = [(int(value) // 12 + 1, int(value) % 12 + 1) for value in rng.permutation(144)[:count]]
    small = bool(rng.random() < 0.7)

    def draw(card: int) -> Image:
        own = inks[card % len(inks)]
        face, ink = paper.sheet(own), paper.ink_on(own)
        above, below = (letters.mask(str(part), card) for part in values[card])
        high, row = tall * face.shape[0], 0.75 * tall
        if slash:
            stamp(face, above, (0.3, 0.5 - row / 2), high, ink, widest=0.28)
            stamp(face, lettering(letters.font, "/"), (0.5, 0.5), 1.4 * high, ink)
            stamp(face, below, (0.7, 0.5 + row / 2), high, ink, widest=0.28)
        else:
            stamp(face, above, (0.5, 0.5 - row), high, ink, widest=0.5)
            slab(face, (0.3, 0.49, 0.7, 0.51), ink)
            stamp(face, below, (0.5, 0.5 + row), high, ink, widest=0.5)
        if small:
            words = lettering(letters.font, f"{values[card][0]}/{values[card][1]}")
            stamp_both(face, words, (0.16, 0.08), 0.05 * face.shape[0], ink, 0.25)
        return face

    return _all(draw, count)


def _several(rng: np.random.Generator, paper: DeckPaper, letters: Lettering) -> Drawings:
    """Two to four numbers in fixed places, each perhaps with a symbol beside it."""
    inks, marks = random_inks(rng, 4), symbols(rng, 4)
    every = ((0.5, 0.2), (0.25, 0.5), (0.75, 0.5), (0.5, 0.8), (0.2, 0.15), (0.8, 0.85), (0.8, 0.15))
    places = [every[index] for index in rng.permutation(len(every))[: int(rng.integers(2, 5))]]
    tall, with_marks, top = float(rng.uniform(0.08, 0.16)), bool(rng.random() < 0.5), int(rng.choice((5, 9, 20, 99)))
    count = int(rng.integers(36, 90))
    values = rng.integers(0, top + 1, (count, len(places)))
    # Every second card differs from its neighbour in one number only.
    values[1::2] = values[: len(values[1::2]) * 2 : 2]
    changed = rng.integers(len(places), size=count)
    values[np.arange(1, count, 2), changed[1::2]] = rng.integers(0, top + 1, count // 2)
    values = np.unique(values, axis=0)

    def draw(card: int) -> Image:
        face = paper.sheet(inks[0])
        for number, at in enumerate(places):
            ink = paper.ink_on(inks[number])
            stamp(face, letters.mask(str(values[card, number]), number), at, tall * face.shape[0], ink, widest=0.3)
            if with_marks:
                stamp(face, marks[number], (at[0], at[1] + 0.8 * tall), 0.4 * tall * face.shape[0], ink)
        return face

    return _all(draw, len(values))


def _bars(rng: np.random.Generator, paper: DeckPaper, letters: Lettering) -> Drawings:
    """Coloured bars with white numbers."""
    colours, bars = int(rng.integers(3, 7)), int(rng.integers(1, 4))
    inks = random_inks(rng, colours, near_share=0.6)
    tall, upright = float(rng.uniform(0.1, 0.2)), bool(rng.random() < 0.2)
    count, top = int(rng.integers(36, 80)), int(rng.choice((9, 15, 60)))
    values, tones = rng.integers(0, top + 1, (count, bars)), rng.integers(0, colours, (count, bars))
    values[1::2], tones[1::2] = values[: count // 2 * 2 : 2], tones[: count // 2 * 2 : 2]
    for card in range(1, count, 2):
        if rng.random() < 0.5:
            values[card, 0] = (values[card, 0] + rng.integers(1, top + 1)) % (top + 1)
        else:
            tones[card, 0] = (tones[card, 0] + rng.integers(1, colours)) % colours
    rows = np.unique(np.concatenate([values, tones], axis=1), axis=0)

    def draw(card: int) -> Image:
        face = paper.sheet(inks[0])
        for bar in range(bars):
            ink, middle = inks[rows[card, bars + bar]], (bar + 1) / (bars + 1)
            if upright:
                slab(face, (middle - 0.1, 0.1, middle + 0.1, 0.9), ink, 8)
                at = (middle, 0.25)
            else:
                slab(face, (0.06, middle - 0.6 * tall, 0.94, middle + 0.6 * tall), ink, 6)
                at = (0.5, middle)
            over: Ink = BLACK if sum(ink) > 560 else WHITE
            stamp(face, letters.mask(str(rows[card, bar]), bar), at, 0.75 * tall * face.shape[0], over, widest=0.17)
        return face

    return _all(draw, len(rows))


def _all(draw: Callable[[int], Image], count: int) -> Drawings:
    return {str(card): partial(draw, card) for card in range(count)}


MAKERS: tuple[Callable[[np.random.Generator, DeckPaper, Lettering], Drawings], ...] = (
    _words,
    _fractions,
    _several,
    _bars,
)
