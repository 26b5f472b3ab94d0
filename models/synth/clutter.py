"""Clutter: everyday objects on tables where people play."""

from collections.abc import Callable

import cv2
import numpy as np

from models.synth.scene import Image, Sprite
from models.synth.sprites import premultiplied

PX_PER_MM = 2.0


def make_clutter(name: str, rng: np.random.Generator) -> Sprite:
    """Make one random object of a kind."""
    return MAKERS[name](rng)


def _sheet(width_mm: float, height_mm: float) -> tuple[Image, Image]:
    shape = (round(height_mm * PX_PER_MM), round(width_mm * PX_PER_MM))
    return np.zeros((*shape, 3), np.uint8), np.zeros(shape, np.uint8)


def _ink(rng: np.random.Generator, low: int = 20, high: int = 240) -> tuple[int, int, int]:
    blue, green, red = (int(part) for part in rng.integers(low, high, 3))
    return blue, green, red


def _disc(pixels: Image, alpha: Image | None, radius_mm: float, ink: tuple[int, ...]) -> None:
    centre = (pixels.shape[1] * 8 - 8, pixels.shape[0] * 8 - 8)
    radius = int(radius_mm * PX_PER_MM * 16)
    cv2.circle(pixels, centre, radius, ink, -1, cv2.LINE_AA, 4)
    if alpha is not None:
        cv2.circle(alpha, centre, radius, 255, -1, cv2.LINE_AA, 4)


def _cup(rng: np.random.Generator) -> Sprite:
    radius = float(rng.uniform(34, 46))
    pixels, alpha = _sheet(2.9 * radius, 2.9 * radius)
    ink = _ink(rng, 90, 250)
    middle = pixels.shape[0] // 2
    arm = (int(middle + 1.2 * radius * PX_PER_MM), middle)
    for sheet, colour in ((pixels, ink), (alpha, (255,))):
        cv2.circle(
            sheet, arm, int(0.28 * radius * PX_PER_MM), colour, max(3, int(0.13 * radius * PX_PER_MM)), cv2.LINE_AA
        )
    _disc(pixels, alpha, radius, ink)
    _disc(pixels, None, radius * 0.90, tuple(int(0.55 * part) for part in ink))
    drinks = ((20, 35, 60), (40, 90, 150), (200, 215, 225), (30, 120, 190))
    _disc(pixels, None, radius * 0.84, drinks[rng.integers(len(drinks))])
    return Sprite(premultiplied(pixels, alpha), PX_PER_MM, 60.0, 0.5, boxy=False)


def _coin(rng: np.random.Generator) -> Sprite:
    radius = float(rng.uniform(8, 13))
    pixels, alpha = _sheet(2.2 * radius, 2.2 * radius)
    metals = ((90, 170, 205), (180, 185, 190), (70, 110, 170))
    metal = metals[rng.integers(len(metals))]
    _disc(pixels, alpha, radius, tuple(int(0.7 * part) for part in metal))
    _disc(pixels, None, radius * 0.88, metal)
    height, width = pixels.shape[:2]
    cv2.putText(
        pixels, str(rng.integers(1, 6)), (width // 3, 2 * height // 3), cv2.FONT_HERSHEY_DUPLEX, radius * 0.07,
        tuple(int(0.6 * part) for part in metal), 1, cv2.LINE_AA,
    )  # fmt: skip
    return Sprite(premultiplied(pixels, alpha), PX_PER_MM, 2.0, 0.7, boxy=False)


def _pen(rng: np.random.Generator) -> Sprite:
    pixels, alpha = _sheet(150, 12)
    height, width = alpha.shape
    ink = _ink(rng)
    for sheet, colour in ((pixels, ink), (alpha, (255,))):
        cv2.line(sheet, (height, height // 2), (width - height, height // 2), colour, height // 2, cv2.LINE_AA)
    cap = (width - 5 * height, height // 2)
    cv2.line(pixels, cap, (width - height, height // 2), _ink(rng), height // 2, cv2.LINE_AA)
    shine = tuple(min(255, part + 70) for part in ink)
    cv2.line(pixels, (height, height // 2 - 2), (width - 6 * height, height // 2 - 2), shine, 1, cv2.LINE_AA)
    return Sprite(premultiplied(pixels, alpha), PX_PER_MM, 8.0, 0.4, boxy=False)


def _phone(rng: np.random.Generator) -> Sprite:
    pixels, alpha = _sheet(72, 150)
    pixels[:] = (25, 25, 28)
    _round_mask(alpha, 18)
    lit = rng.random() < 0.4
    height, width = alpha.shape
    screen = _ink(rng, 60, 220) if lit else (18, 18, 20)
    cv2.rectangle(pixels, (6, 14), (width - 7, height - 15), screen, -1)
    if lit:
        for row in range(4):
            y = 60 + 50 * row
            cv2.rectangle(pixels, (14, y), (width - 15 - 10 * row, y + 24), (240, 240, 240), -1)
    return Sprite(premultiplied(pixels, alpha), PX_PER_MM, 8.0, 0.9)


def _die(rng: np.random.Generator) -> Sprite:
    pixels, alpha = _sheet(16, 16)
    bright = rng.random() < 0.6
    pixels[:] = (235, 238, 240) if bright else _ink(rng, 20, 160)
    _round_mask(alpha, 6)
    spots = {1: (4,), 2: (0, 8), 3: (0, 4, 8), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}
    for spot in spots[int(rng.integers(1, 7))]:
        centre = (8 + 8 * (spot % 3), 8 + 8 * (spot // 3))
        cv2.circle(pixels, centre, 3, (30, 30, 30) if bright else (240, 240, 240), -1, cv2.LINE_AA)
    return Sprite(premultiplied(pixels, alpha), PX_PER_MM, 16.0, 0.3)


def _paper(rng: np.random.Generator) -> Sprite:
    width, height = float(rng.uniform(60, 150)), float(rng.uniform(60, 200))
    pixels, alpha = _sheet(width, height)
    pixels[:] = _ink(rng, 215, 252)
    alpha[:] = 255
    for row in range(24, pixels.shape[0] - 16, int(rng.integers(12, 22))):
        end = int(rng.uniform(0.3, 0.95) * pixels.shape[1])
        cv2.line(pixels, (12, row), (end, row + int(rng.integers(-3, 4))), (110, 70, 40), 1, cv2.LINE_AA)
    return Sprite(premultiplied(pixels, alpha), PX_PER_MM, 0.2, 0.02)


def _round_mask(alpha: Image, radius: int) -> None:
    height, width = alpha.shape
    cv2.rectangle(alpha, (radius, 0), (width - radius - 1, height), 255, -1)
    cv2.rectangle(alpha, (0, radius), (width, height - radius - 1), 255, -1)
    for x in (radius, width - radius - 1):
        for y in (radius, height - radius - 1):
            cv2.circle(alpha, (x, y), radius, 255, -1, cv2.LINE_AA)


MAKERS: dict[str, Callable[[np.random.Generator], Sprite]] = {
    "cup": _cup,
    "coin": _coin,
    "pen": _pen,
    "phone": _phone,
    "die": _die,
    "paper": _paper,
}
"""Every kind of clutter and its maker."""
