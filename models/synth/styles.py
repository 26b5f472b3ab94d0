"""Styles: decks that were never printed, each with its own font, layout, ornaments and colours.

A network trained on them must read numbers, colours and stars in any design.
"""

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from models.art.pen import Point, Size, ring, star
from models.synth.materials import clouds
from models.synth.scene import Image, Sprite
from models.synth.sprites import card_sprite

Ink = tuple[int, int, int]
HUES = {"red": 0, "orange": 14, "yellow": 26, "green": 62, "teal": 88, "blue": 108, "purple": 138, "pink": 164}
"""Colours by name, with their hue in OpenCV's range of 0 to 179."""
GLYPH_PX = 160
HELD_OUT = ("bungee", "cinzel", "kanit", "special-elite", "zilla-slab")
"""Fonts reserved for evaluation; training never sees them."""


@dataclass(frozen=True, slots=True)
class Print:
    """The printed content of a card."""

    number: int
    colour: str = "blue"
    stars: int = 0
    signed: bool = False

    @property
    def words(self) -> str:
        """The number as printed."""
        return f"{self.number:+d}" if self.signed else str(self.number)


@dataclass(frozen=True, slots=True)
class Style:
    """The design of a deck."""

    font: str
    size: Size
    ground: str
    """white, tint, full or oval: how the card's colour is used."""
    corners: int
    """Number of corners that carry the number: 2 or 4."""
    middle: str
    """Content of the middle: number, pips, picture, shape or nothing."""
    index_part: float
    """Height of the corner number relative to the card's height."""
    margin_part: float
    border: bool
    mirrored: bool
    """Whether the lower half repeats the upper one upside down."""
    bar: bool
    """Whether 6 and 9 have a bar below."""
    outlined: bool
    shape: int
    hue_shift: int
    dark: bool
    seed: int
    boxed: bool = False
    """Whether the corner number is in a box of paper colour."""
    hatched: bool = False
    """Whether pale stripes cross the paper."""
    ringed: bool = False
    """Whether the middle number of a coloured card is on a disc of paper colour."""
    apart: bool = False
    """Whether the stars are large and separate from the number, in the middle of the upper edge."""

    def face(self, printed: Print, px_per_mm: float) -> Sprite:
        """Draw the face."""
        return card_sprite(self.pixels(printed, px_per_mm), self.size, px_per_mm)

    def pixels(self, printed: Print, px_per_mm: float) -> Image:
        """Draw the face as a rectangle, without rounded corners."""
        return _draw_face(self, printed, px_per_mm)

    @property
    def paper(self) -> Ink:
        """The colour of the unprinted card."""
        return (36, 32, 30) if self.dark else (250, 252, 253)

    def back(self, px_per_mm: float) -> Sprite:
        """Draw the back."""
        return card_sprite(_draw_back(self, px_per_mm), self.size, px_per_mm)


def fonts(held_out: bool = False) -> tuple[str, ...]:
    """The fonts for training, or those reserved for evaluation."""
    names = sorted(path.stem for path in _folder().glob("*.ttf"))
    return tuple(name for name in names if (name in HELD_OUT) is held_out)


def random_style(rng: np.random.Generator, held_out: bool = False) -> Style:
    """A random design; held-out styles use fonts and a layout that training never sees."""
    sizes = ((63, 88), (56, 87), (57, 89), (59, 92), (44, 68), (70, 110), (63, 63))
    width, height = sizes[int(rng.choice(len(sizes), p=(0.5, 0.15, 0.1, 0.05, 0.1, 0.05, 0.05)))]
    corners, middles = (2, 4), ("number", "pips", "picture", "shape", "nothing")
    style = Style(
        font=str(rng.choice(fonts(held_out))),
        size=Size(width, height, float(rng.uniform(1.5, 5.5))),
        ground="tint" if held_out else str(rng.choice(("white", "white", "full", "oval"))),
        corners=int(rng.choice(corners)),
        middle=str(rng.choice(middles, p=(0.4, 0.2, 0.15, 0.15, 0.1))),
        index_part=float(rng.uniform(0.10, 0.17)),
        margin_part=float(rng.uniform(0.03, 0.08)),
        border=bool(rng.random() < 0.4),
        mirrored=bool(rng.random() < 0.75),
        bar=bool(rng.random() < 0.5),
        outlined=bool(rng.random() < 0.25),
        shape=int(rng.integers(3, 8)),
        hue_shift=int(rng.integers(-5, 6)),
        dark=bool(rng.random() < 0.15),
        seed=int(rng.integers(1 << 31)),
    )
    return style if held_out else _finer(style)


def _finer(style: Style) -> Style:
    """The style, more often than not with smaller corner numbers and more decoration around them."""
    rng = np.random.default_rng((style.seed, 2))
    small = rng.random() < 0.5
    return replace(
        style,
        index_part=float(rng.uniform(0.055, 0.10)) if small else style.index_part,
        boxed=bool(rng.random() < 0.3),
        hatched=bool(rng.random() < 0.2),
        ringed=bool(rng.random() < 0.3),
        apart=bool(rng.random() < 0.3),
    )


@cache
def glyphs(font: str, words: str) -> Image:
    """Text as a mask, cropped to its ink."""
    face = ImageFont.truetype(str(font_path(font)), GLYPH_PX)
    left, top, right, bottom = face.getbbox(words)
    sheet = Pillow.new("L", (max(1, int(right - left)), max(1, int(bottom - top))))
    ImageDraw.Draw(sheet).text((-left, -top), words, 255, font=face)
    return np.asarray(sheet, np.uint8)


def font_path(font: str) -> Path:
    """The file of a font."""
    return _folder() / f"{font}.ttf"


def ink_of(style: Style, colour: str) -> Ink:
    """A colour as this deck prints it."""
    hue = (HUES[colour] + style.hue_shift) % 180
    rng = np.random.default_rng((style.seed, HUES[colour]))
    tone = np.array([[[hue, rng.integers(150, 256), rng.integers(130, 235)]]], np.uint8)
    blue, green, red = (int(part) for part in cv2.cvtColor(tone, cv2.COLOR_HSV2BGR)[0, 0])
    return blue, green, red


def _draw_face(style: Style, printed: Print, px_per_mm: float) -> Image:
    width, height = round(style.size.width_mm * px_per_mm), round(style.size.height_mm * px_per_mm)
    ink = ink_of(style, printed.colour)
    paper = style.paper
    face = np.full((height, width, 3), paper, np.uint8)
    on = ink
    if style.ground in ("full", "oval"):
        rim = int(0.04 * width)
        cv2.rectangle(face, (rim, rim), (width - rim, height - rim), ink, -1)
        on = paper
        if style.ground == "oval":
            axes = (int(0.36 * width), int(0.40 * height))
            cv2.ellipse(face, (width // 2, height // 2), axes, 25, 0, 360, paper, -1, cv2.LINE_AA)
    elif style.ground == "tint":
        face[:] = [int(0.75 * p + 0.25 * i) for p, i in zip(paper, ink, strict=True)]
    if style.hatched:
        step = max(3, int(0.07 * width))
        pale = [int(0.82 * f + 0.18 * o) for f, o in zip(face[height // 8, width // 2].tolist(), on, strict=True)]
        for start in range(-height, width, step):
            cv2.line(face, (start, 0), (start + height, height), pale, max(1, step // 3), cv2.LINE_AA)
    if style.border:
        inset = int(0.025 * width)
        cv2.rectangle(
            face, (inset, inset), (width - inset, height - inset), on, max(1, int(0.012 * width)), cv2.LINE_AA
        )
    ringed = style.ringed and style.ground == "full"
    if ringed:
        cv2.circle(face, (width // 2, height // 2), int(0.38 * width), paper, -1, cv2.LINE_AA)
    _draw_middle(face, style, printed, paper if style.ground == "full" and not ringed else ink)
    half = _corner_layer(style, printed, ink if style.boxed else on, on, (height, width))
    _blend(face, half)
    _blend(face, half[::-1, ::-1] if style.mirrored else half[::-1, ::-1] * (style.corners == 4))
    return face


def _corner_layer(style: Style, printed: Print, ink: Ink, on: Ink, shape: tuple[int, int]) -> Image:
    """The number in the upper corners, with the stars under or beside it, as BGRA."""
    height, width = shape
    layer = np.zeros((height, width, 4), np.uint8)
    tall = style.index_part * height
    mask = glyphs(style.font, printed.words)
    wide = min(tall * mask.shape[1] / mask.shape[0], 0.36 * width)
    left, top = style.margin_part * width, style.margin_part * height
    lefts = [left] if style.corners == 2 else [left, width - left - wide]
    for x in lefts:
        if style.boxed:
            paper = (*style.paper, 255)
            tail = 0.0 if style.apart or style.corners == 4 else 0.8 * printed.stars
            box = (x - 0.3 * tall, top - 0.2 * tall, x + wide + 0.3 * tall, top + (1.3 + tail) * tall)
            cv2.rectangle(layer, (int(box[0]), int(box[1])), (int(box[2]), int(box[3])), paper, -1)
        _stamp(layer, mask, x, top, wide, tall, ink)
        if style.bar and set(printed.words) & set("69"):
            row = int(top + 1.12 * tall)
            cv2.line(layer, (int(x), row), (int(x + wide), row), (*ink, 255), max(1, int(0.1 * tall)))
    for number in range(printed.stars):
        radius = 0.05 * height if style.apart else 0.35 * tall
        if style.corners == 2 and not style.apart:
            centre = (left + wide / 2, top + 1.45 * tall + 0.8 * tall * number)
        else:
            centre = (width / 2 + (number - (printed.stars - 1) / 2) * 2.3 * radius, top + max(tall / 2, radius))
        plain = on if style.apart or style.corners == 4 else ink
        _fill(layer, star(*centre, radius), (*((0, 190, 250) if style.seed % 2 else plain), 255))
    return layer


def _draw_middle(face: Image, style: Style, printed: Print, ink: Ink) -> None:
    height, width = face.shape[:2]
    layer = np.zeros((height, width, 4), np.uint8)
    if style.middle == "number":
        mask = glyphs(style.font, printed.words)
        tall = 0.4 * height
        wide = min(tall * mask.shape[1] / mask.shape[0], 0.62 * width)
        _stamp(layer, mask, (width - wide) / 2, (height - tall) / 2, wide, tall, ink)
        if style.outlined:
            rim = np.asarray(cv2.dilate(layer[:, :, 3], np.ones((3, 3), np.uint8)), np.uint8)
            face[(rim & ~layer[:, :, 3]) > 0] = (20, 20, 20)
    elif style.middle == "pips":
        count = min(12, abs(printed.number))
        columns = 1 if count < 4 else 2 if count < 9 else 3
        rows = -(-count // columns)
        for pip in range(count):
            x = width * (0.5 + 0.2 * (pip % columns - (columns - 1) / 2))
            y = height * (0.5 + 0.5 / max(rows, 3) * (pip // columns - (rows - 1) / 2))
            _fill(layer, ring(x, y, 0.065 * width, style.shape), (*ink, 255))
    elif style.middle == "shape":
        _fill(layer, ring(width / 2, height / 2, 0.24 * width, style.shape), (*ink, 255))
    elif style.middle == "picture":
        rng = np.random.default_rng((style.seed, printed.number % (1 << 32), HUES[printed.colour]))
        box = face[int(0.25 * height) : int(0.75 * height), int(0.18 * width) : int(0.82 * width)]
        for channel in range(3):
            box[:, :, channel] = 255 * clouds(rng, (3, 4), (box.shape[1], box.shape[0]))
    _blend(face, layer)


def _draw_back(style: Style, px_per_mm: float) -> Image:
    rng = np.random.default_rng((style.seed, 1))
    width, height = round(style.size.width_mm * px_per_mm), round(style.size.height_mm * px_per_mm)
    back = np.full((height, width, 3), 250, np.uint8)
    rim = int(rng.uniform(0, 0.07) * width)
    inks = [ink_of(style, str(rng.choice(list(HUES)))) for _ in range(2)]
    cv2.rectangle(back, (rim, rim), (width - rim, height - rim), inks[0], -1)
    step = max(4, int(rng.uniform(0.08, 0.3) * width))
    for row in range(rim, height - rim, step):
        for column in range(rim, width - rim, step):
            if style.shape % 2:
                points = np.array(ring(column, row, 0.35 * step, style.shape), np.float32)
                cv2.fillPoly(back, [points.astype(np.int32)], inks[1], cv2.LINE_AA)
            else:
                cv2.line(back, (column, row), (column + step, row + step), inks[1], max(1, step // 8), cv2.LINE_AA)
    if rng.random() < 0.6:
        cv2.circle(back, (width // 2, height // 2), int(0.25 * width), inks[1], -1, cv2.LINE_AA)
        cv2.circle(back, (width // 2, height // 2), int(0.18 * width), (250, 250, 250), -1, cv2.LINE_AA)
    return back


def _stamp(layer: Image, mask: Image, x: float, y: float, wide: float, tall: float, ink: Ink) -> None:
    size = (max(1, round(wide)), max(1, round(tall)))
    small = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
    left, top = max(0, round(x)), max(0, round(y))
    area = layer[top : top + size[1], left : left + size[0]]
    cover = small[: area.shape[0], : area.shape[1]]
    share = np.where(area[:, :, 3] > 0, cover, 255)[:, :, None] / np.float32(255)
    area[:, :, :3] = np.round(area[:, :, :3] * (1 - share) + np.array(ink, np.float32) * share)
    area[:, :, 3] = np.maximum(area[:, :, 3], cover)


def _fill(layer: Image, points: list[Point], ink: tuple[int, ...]) -> None:
    cv2.fillPoly(layer, [np.round(np.array(points) * 16).astype(np.int32)], ink, cv2.LINE_AA, 4)


def _blend(face: Image, layer: Image) -> None:
    alpha = layer[:, :, 3:].astype(np.uint16)
    face[:] = ((face * (255 - alpha) + layer[:, :, :3] * alpha) // 255).astype(np.uint8)


def _folder() -> Path:
    return Path(str(files("models"))) / "synth" / "fonts"
