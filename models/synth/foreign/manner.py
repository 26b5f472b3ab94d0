"""What all cards of a foreign deck have in common: lettering, inks, paper and frame."""

from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np

from models.synth.foreign.canvas import (
    BLACK,
    WHITE,
    Ink,
    Place,
    blank,
    hatch,
    ink_from,
    lettering,
    mixed_ink,
    slab,
    stamp,
    stamp_outlined,
)
from models.synth.foreign.scenery import graded, palette, scenery
from models.synth.foreign.strokes import DRAWABLE, handwritten
from models.synth.scene import Image
from models.synth.styles import fonts

Drawings = dict[str, Callable[[], Image]]
"""The cards of a deck by code, each drawn when it is needed."""
NEAR_HUES = ((0, 9, 168), (108, 122, 138), (58, 76, 92), (18, 26, 34), (0, 14, 26), (88, 100, 114))
"""Hues that lamps and cameras confuse: red, orange and pink, blue and violet, green and teal …"""
FAR_HUES = (0, 14, 26, 45, 62, 90, 108, 135, 160)


@dataclass(frozen=True, slots=True)
class Lettering:
    """A deck's numerals and words: a font, or handwriting."""

    font: str
    by_hand: bool
    thick_part: float
    wild: float
    seed: int
    each_anew: bool
    """Whether every numeral is written anew, as in a deck drawn by hand."""
    written: dict[str, Image] = field(default_factory=dict)

    def mask(self, words: str, card: int = 0) -> Image:
        """The words as a mask."""
        if not self.by_hand or not set(words) <= DRAWABLE:
            return lettering(self.font, words)
        key = f"{words} {card if self.each_anew else 0}"
        if key not in self.written:
            rng = np.random.default_rng((self.seed, *key.encode()))
            self.written[key] = handwritten(words, rng, self.thick_part, self.wild)
        return self.written[key]


def random_lettering(rng: np.random.Generator, hand_share: float = 0.3) -> Lettering:
    """A training font or a hand."""
    return Lettering(
        font=str(rng.choice(fonts())),
        by_hand=bool(rng.random() < hand_share),
        thick_part=float(rng.uniform(0.06, 0.2)),
        wild=float(rng.uniform(0.01, 0.09)),
        seed=int(rng.integers(1 << 31)),
        each_anew=bool(rng.random() < 0.5),
    )


def random_inks(rng: np.random.Generator, count: int, near_share: float = 0.35) -> list[Ink]:
    """Different colours for suits: far from each other, or such as lamps confuse."""
    saturation, value = float(rng.uniform(130, 250)), float(rng.uniform(110, 245))
    if rng.random() < near_share:
        near = NEAR_HUES[int(rng.integers(len(NEAR_HUES)))]
        hues = [float(hue) for hue in near] + [float(hue) for hue in rng.permutation(FAR_HUES)]
    else:
        hues = [float(hue) for hue in rng.permutation(FAR_HUES)]
    shift = float(rng.normal(0, 3))
    inks = [
        ink_from(hue + shift, saturation + float(rng.normal(0, 15)), value + float(rng.normal(0, 15)))
        for hue in hues[:count]
    ]
    if rng.random() < 0.2:
        inks[int(rng.integers(count))] = BLACK
    return [inks[index] for index in rng.permutation(count)]


@dataclass(frozen=True, slots=True)
class DeckPaper:
    """A deck's paper and frame, which a card may tint with its own ink."""

    size_px: tuple[int, int]
    kind: str
    """white, cream, tint, dark, grade, pattern or full."""
    frame: str
    """none, line, thick, double or own: the last in the card's own ink."""
    tone: Ink
    corner_px: float
    inset: float
    pattern: Image
    made: dict[Ink, Image] = field(default_factory=dict)

    @property
    def dark(self) -> bool:
        """Whether inks on this paper should be light."""
        return self.kind in ("dark", "full")

    def sheet(self, ink: Ink) -> Image:
        """A fresh card for printing in an ink."""
        if ink not in self.made:
            self.made[ink] = self._sheet(ink)
        return self.made[ink].copy()

    def ink_on(self, ink: Ink) -> Ink:
        """The ink for symbols of a card: readable on this paper."""
        if self.kind == "full":
            return WHITE
        return mixed_ink(ink, WHITE, 0.25) if self.kind == "dark" else ink

    def _sheet(self, ink: Ink) -> Image:
        if self.kind == "full":
            face = blank(self.size_px, ink)
        elif self.kind == "tint":
            face = blank(self.size_px, mixed_ink(WHITE, ink, 0.2))
        elif self.kind == "grade":
            face = graded(self.size_px, WHITE, mixed_ink(WHITE, self.tone, 0.45))
        elif self.kind == "pattern":
            face = self.pattern.copy()
        else:
            face = blank(self.size_px, BLACK if self.kind == "dark" else WHITE if self.kind == "white" else self.tone)
        self._draw_frame(face, ink)
        return face

    def _draw_frame(self, face: Image, ink: Ink) -> None:
        width = self.size_px[0]
        tone = ink if self.frame == "own" else self.tone
        part = self.inset * width / self.size_px[1]
        box = (self.inset, part, 1 - self.inset, 1 - part)
        if self.frame in ("thick", "own"):
            inside = np.zeros(face.shape[:2], np.uint8)
            slab_mask(inside, box, self.corner_px)
            edge = blank(self.size_px, WHITE if self.kind == "full" else tone)
            face[:] = np.where(inside[:, :, None] > 127, face, edge)
        elif self.frame in ("line", "double"):
            slab(face, box, tone, self.corner_px, max(1, round(0.008 * width)))
            if self.frame == "double":
                inner = (box[0] + 0.02, box[1] + 0.015, box[2] - 0.02, box[3] - 0.015)
                slab(face, inner, tone, 0.8 * self.corner_px, 1)


def slab_mask(mask: Image, box: tuple[float, float, float, float], corner_px: float) -> None:
    """Fill a rounded rectangle of a mask with 255."""
    three = cv2.merge([mask] * 3)
    slab(np.asarray(three, np.uint8), box, (255, 255, 255), corner_px)
    mask[:] = three[:, :, 0]


def random_paper(
    rng: np.random.Generator, size_px: tuple[int, int], kinds: dict[str, float] | None = None
) -> DeckPaper:
    """A paper and frame; `kinds` gives the share of each kind."""
    shares = kinds or {
        "white": 0.45,
        "cream": 0.1,
        "tint": 0.1,
        "dark": 0.12,
        "grade": 0.08,
        "pattern": 0.1,
        "full": 0.05,
    }
    kind = str(rng.choice(list(shares), p=np.array(list(shares.values())) / sum(shares.values())))
    cream = ink_from(float(rng.uniform(10, 32)), float(rng.uniform(10, 60)), float(rng.uniform(215, 253)))
    strong = ink_from(float(rng.uniform(0, 180)), float(rng.uniform(60, 230)), float(rng.uniform(40, 220)))
    pattern = blank(size_px, WHITE)
    if kind == "pattern":
        art = scenery(rng, size_px, palette(rng))
        pattern = np.asarray(cv2.addWeighted(art, float(rng.uniform(0.12, 0.3)), pattern, 0.8, 0), np.uint8)
        if rng.random() < 0.3:
            pattern = blank(size_px, WHITE)
            hatch(pattern, mixed_ink(WHITE, strong, 0.25), int(rng.integers(6, 24)), float(rng.choice((-1, 1, 0.5))))
    return DeckPaper(
        size_px,
        kind,
        str(rng.choice(("none", "line", "thick", "double", "own"), p=(0.4, 0.2, 0.15, 0.1, 0.15))),
        cream if kind == "cream" else strong,
        float(rng.choice((0, 6, 12, 24))),
        float(rng.uniform(0.02, 0.085)),
        pattern,
    )


def stamp_both(face: Image, mask: Image, at: Place, tall_px: float, ink: Ink, widest: float = 1) -> None:
    """Print a mask at a place, and upside down at the opposite place."""
    stamp(face, mask, at, tall_px, ink, widest=widest)
    stamp(face, mask, (1 - at[0], 1 - at[1]), tall_px, ink, 180, widest)


def stamp_any(
    face: Image, mask: Image, at: Place, tall_px: float, inks: tuple[Ink, ...], turn_deg: float = 0, widest: float = 1
) -> None:
    """Print a mask in one ink, or outlined if there are more."""
    if len(inks) == 1:
        stamp(face, mask, at, tall_px, inks[0], turn_deg, widest)
    else:
        stamp_outlined(face, mask, at, tall_px, inks, turn_deg, widest)
