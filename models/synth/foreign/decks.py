"""Whole decks that resemble published games, in several families, for training the reader."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from models.synth.foreign.canvas import WHITE, blank, mixed_ink, oval, slab, stamp
from models.synth.foreign.manner import Drawings, random_inks
from models.synth.foreign.numbers import number_cards
from models.synth.foreign.pictures import picture_cards
from models.synth.foreign.plain import plain_cards
from models.synth.foreign.playing import playing_cards
from models.synth.foreign.scenery import palette, scenery
from models.synth.foreign.styled import styled_cards
from models.synth.foreign.symbols import symbols
from models.synth.foreign.words import word_cards
from models.synth.scene import Image

FAMILIES: dict[str, Callable[[np.random.Generator, tuple[int, int]], Drawings]] = {
    "playing": playing_cards,
    "numbers": number_cards,
    "pictures": picture_cards,
    "plain": plain_cards,
    "words": word_cards,
    "styled": styled_cards,
}
"""The families that training draws from."""
SIZES_MM = ((63, 88), (56, 87), (59, 91), (44, 68), (57, 89), (70, 110), (70, 121), (65, 65), (48, 88))
"""Widths and heights of cards."""
SIZE_SHARES = (0.36, 0.14, 0.14, 0.1, 0.1, 0.04, 0.04, 0.04, 0.04)
FACE_HEIGHT_PX = 352
"""Height of a drawn face: twice that of a crop."""
_SAME_LEVELS, _SAME_VALUES = 14, 6
"""Two faces are the same if fewer channel values than the second differ by more than the first, at 1 px/mm."""


@dataclass(frozen=True, slots=True)
class CardPicture:
    """One printed face."""

    code: str
    pixels: Image


@dataclass(frozen=True, slots=True)
class DeckArt:
    """The prints of a deck."""

    family: str
    size_mm: tuple[float, float]
    corner_mm: float
    faces: tuple[CardPicture, ...]
    backs: tuple[Image, ...]


def random_deck_art(rng: np.random.Generator, family: str, most: int | None = None) -> DeckArt:
    """A deck of a family with distinct faces; `most` limits their number where only some cards are needed."""
    size_mm = SIZES_MM[int(rng.choice(len(SIZES_MM), p=SIZE_SHARES))]
    return draw_deck(family, FAMILIES[family](rng, face_px(size_mm)), random_back, size_mm, rng, most)


def draw_deck(
    family: str,
    drawings: Drawings,
    back: Callable[[np.random.Generator, tuple[int, int]], Image],
    size_mm: tuple[float, float],
    rng: np.random.Generator,
    most: int | None = None,
) -> DeckArt:
    """Draw some cards of a deck; of faces that look the same only the first is kept."""
    codes = list(drawings)
    if most is not None:
        codes = [codes[index] for index in sorted(rng.permutation(len(codes))[:most])]
    faces: list[CardPicture] = []
    small = np.empty((len(codes), 88, 64, 3), np.uint8)
    for code in codes:
        pixels = drawings[code]()
        reduced = at_1_px_per_mm(pixels)
        if not indistinct(small[: len(faces)], reduced).any():
            small[len(faces)] = reduced
            faces.append(CardPicture(code, pixels))
    backs = tuple(back(rng, face_px(size_mm)) for _ in range(int(rng.integers(1, 3))))
    return DeckArt(family, size_mm, float(rng.uniform(1.5, 5)), tuple(faces), backs)


def face_px(size_mm: tuple[float, float]) -> tuple[int, int]:
    """Width and height of a drawn face."""
    return round(FACE_HEIGHT_PX * size_mm[0] / size_mm[1]), FACE_HEIGHT_PX


def at_1_px_per_mm(face: Image) -> Image:
    """A face at about one pixel per millimetre."""
    return np.asarray(cv2.resize(face, (64, 88), interpolation=cv2.INTER_AREA), np.uint8)


def indistinct(faces: Image, one: Image) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of some small faces cannot be told from one."""
    # Different pictures differ in a coarse grid already; only the others are compared in full.
    coarse = np.abs(faces[:, ::8, ::8].astype(np.int16) - one[::8, ::8]).mean(axis=(1, 2, 3)) < 4
    same = np.zeros(len(faces), bool)
    for index in np.flatnonzero(coarse):
        differs = cv2.threshold(cv2.absdiff(faces[index], one).reshape(-1, 1), _SAME_LEVELS, 255, cv2.THRESH_BINARY)[1]
        same[index] = cv2.countNonZero(differs) < _SAME_VALUES
    return same


def random_back(rng: np.random.Generator, size_px: tuple[int, int]) -> Image:
    """A back: a pattern or picture with a rim, perhaps an emblem; often the same upside down."""
    inks = random_inks(rng, 2)
    art = scenery(
        rng, size_px, [*inks, mixed_ink(inks[0], inks[1], 0.5), WHITE, inks[0]] if rng.random() < 0.7 else palette(rng)
    )
    if rng.random() < 0.6:
        half = art.shape[0] // 2
        art[half:] = art[: art.shape[0] - half][::-1, ::-1]
    rim = float(rng.uniform(0, 0.08))
    back = blank(size_px, WHITE if rng.random() < 0.7 else inks[0])
    inset = round(rim * size_px[0])
    back[inset : size_px[1] - inset, inset : size_px[0] - inset] = art[
        inset : size_px[1] - inset, inset : size_px[0] - inset
    ]
    if rng.random() < 0.4:
        oval(back, (0.5, 0.5), (0.25, 0.25 * size_px[0] / size_px[1]), 0, WHITE)
        stamp(back, symbols(rng, 1)[0], (0.5, 0.5), 0.3 * size_px[0], inks[0])
    if rng.random() < 0.3:
        slab(back, (0.08, 0.06, 0.92, 0.94), inks[1], 12, 2)
    return back
