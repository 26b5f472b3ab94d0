"""Foreign picture decks: full pictures of which several cards share one and differ in a small symbol or hue."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from models.synth.foreign.canvas import BLACK, WHITE, Ink, Place, blank, lettering, oval, slab, stamp
from models.synth.foreign.manner import Drawings, Lettering, random_inks, random_lettering, slab_mask, stamp_any
from models.synth.foreign.scenery import palette, scenery
from models.synth.foreign.symbols import symbols
from models.synth.scene import Image

WORDS = (
    *("Amber", "Anchor", "Arrow", "Autumn", "Bandit", "Beacon", "Bishop", "Bridge", "Castle", "Cellar", "Cinder"),
    *("Clever", "Comet", "Copper", "Corner", "Danger", "Desert", "Dragon", "Driver", "Eagle", "Ember", "Empire"),
    *("Fable", "Falcon", "Farmer", "Feast", "Fern", "Fever", "Forest", "Fortune", "Garden", "Ghost", "Giant"),
    *("Glider", "Goblin", "Golden", "Hammer", "Harbor", "Haste", "Helmet", "Hermit", "Hunter", "Island", "Ivory"),
    *("Jester", "Jungle", "Knight", "Lagoon", "Lantern", "Legend", "Magnet", "Market", "Meadow", "Merchant", "Mirror"),
    *("Monk", "Motor", "Nomad", "Oasis", "Oracle", "Orchid", "Palace", "Pirate", "Planet", "Portal", "Prince"),
    *("Quarry", "Raven", "Relic", "Rider", "Ritual", "River", "Rogue", "Ruin", "Saddle", "Scout", "Shadow"),
    *("Signal", "Silver", "Spirit", "Storm", "Summit", "Temple", "Thief", "Thunder", "Tower", "Trader", "Turtle"),
    *("Valley", "Vault", "Velvet", "Viper", "Voyage", "Wagon", "Warden", "Whale", "Willow", "Winter", "Wizard"),
)
"""Titles of cards."""


@dataclass(frozen=True, slots=True)
class PictureStyle:
    """The layout of one deck of pictures."""

    size_px: tuple[int, int]
    letters: Lettering
    border: float
    border_ink: Ink
    corner_px: float
    title: str
    """Where the title is: top, bottom or none."""
    title_ink: Ink
    index_at: Place
    index_part: float
    index_ground: str
    """What the index is on: disc, box, an outline of its own, or nothing."""
    index_twice: bool
    differs: str
    """How cards with the same picture differ: symbol, number, stars or hue."""
    symbols: tuple[Image, ...]
    inks: tuple[Ink, ...]
    index_ink: Ink


def picture_cards(rng: np.random.Generator, size_px: tuple[int, int]) -> Drawings:
    """A deck of pictures."""
    variants = int(rng.choice((1, 2, 3, 4, 5)))
    subjects = int(np.clip(round(rng.uniform(36, 72) / variants), 8, 72))
    style = _style(rng, size_px, variants)
    inks, dark = palette(rng), bool(rng.random() < 0.3)
    share = float(rng.random())
    titles = [WORDS[index] for index in rng.permutation(len(WORDS))[:subjects]]
    seeds = [int(rng.integers(1 << 31)) for _ in titles]
    grounds: dict[int, Image] = {}

    def draw(subject: int, variant: int) -> Image:
        if subject not in grounds:
            own = np.random.default_rng(seeds[subject])
            grounds[subject] = _ground(
                style, own, inks if own.random() < share else palette(own, dark=dark), subject, titles
            )
        return _draw(style, grounds[subject], subject, variant)

    return {
        f"{titles[subject].lower()}-{variant}": partial(draw, subject, variant)
        for subject in range(len(titles))
        for variant in range(variants)
    }


def _style(rng: np.random.Generator, size_px: tuple[int, int], variants: int) -> PictureStyle:
    border_ink = (WHITE, BLACK, random_inks(rng, 1)[0])[int(rng.integers(3))]
    return PictureStyle(
        size_px=size_px,
        letters=random_lettering(rng, 0.15),
        border=0.0 if rng.random() < 0.3 else float(rng.uniform(0.02, 0.1)),
        border_ink=border_ink,
        corner_px=float(rng.choice((0, 10, 20))),
        title=str(rng.choice(("top", "bottom", "none"))),
        title_ink=random_inks(rng, 1)[0],
        index_at=(float(rng.uniform(0.1, 0.2)), float(rng.uniform(0.08, 0.16))),
        index_part=float(rng.uniform(0.04, 0.11)),
        index_ground=str(rng.choice(("disc", "box", "outline", "nothing"))),
        index_twice=bool(rng.random() < 0.6),
        differs=str(rng.choice(("symbol", "number", "stars", "hue"))),
        symbols=tuple(symbols(rng, variants + 1)),
        inks=tuple(random_inks(rng, 6, near_share=0.6)),
        index_ink=WHITE if rng.random() < 0.5 else BLACK,
    )


def _ground(style: PictureStyle, rng: np.random.Generator, inks: list[Ink], subject: int, titles: list[str]) -> Image:
    """The part that all variants of a picture share."""
    art = scenery(rng, style.size_px, inks)
    if style.border:
        part = style.border * style.size_px[0] / style.size_px[1]
        inside = np.zeros(art.shape[:2], np.uint8)
        slab_mask(inside, (style.border, part, 1 - style.border, 1 - part), style.corner_px)
        art = np.where(inside[:, :, None] > 127, art, blank(style.size_px, style.border_ink))
    if style.title != "none":
        low = 0.84 if style.title == "bottom" else 0.03
        slab(art, (style.border + 0.03, low, 0.97 - style.border, low + 0.12), style.title_ink, 0.5 * style.corner_px)
        bright = sum(style.title_ink) > 380
        words = lettering(style.letters.font, titles[subject])
        stamp(art, words, (0.5, low + 0.06), 0.06 * art.shape[0], BLACK if bright else WHITE, widest=0.6)
    return art


def _draw(style: PictureStyle, ground: Image, subject: int, variant: int) -> Image:
    face = ground.copy()
    spots = [style.index_at]
    if style.title == "top":
        spots = [(style.index_at[0], style.index_at[1] + 0.13)]
    if style.index_twice:
        spots.append((1 - spots[0][0], 1 - spots[0][1] - (0.14 if style.title == "bottom" else 0)))
    for number, at in enumerate(spots):
        _draw_index(face, style, at, subject, variant, 180.0 * number)
    return face


def _draw_index(face: Image, style: PictureStyle, at: Place, subject: int, variant: int, turn_deg: float) -> None:
    height, flat = face.shape[0], face.shape[0] / face.shape[1]
    size = style.index_part
    ink, under = style.index_ink, BLACK if style.index_ink == WHITE else WHITE
    if style.differs == "hue":
        ink = style.inks[variant]
    count = 1 + variant if style.differs == "stars" else 1
    reach = size * (0.75 + 0.35 * (count - 1))
    if style.index_ground == "disc":
        oval(face, at, (reach * flat, 0.8 * size), 0, under)
    elif style.index_ground == "box":
        slab(face, (at[0] - reach * flat, at[1] - 0.7 * size, at[0] + reach * flat, at[1] + 0.7 * size), under, 4)
    if style.differs == "number":
        mask = style.letters.mask(str(1 + (subject + variant) % 12), variant)
    else:
        mask = style.symbols[variant if style.differs == "symbol" else -1]
    for star in range(count):
        x = at[0] + (star - (count - 1) / 2) * 0.7 * size * flat
        inks = (ink, under) if style.index_ground == "outline" else (ink,)
        stamp_any(face, mask, (x, at[1]), size * height, inks, turn_deg, 0.25)
