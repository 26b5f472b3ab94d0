"""Oddments: objects of random shape and print, so that training does not mistake them for cards."""

from collections.abc import Callable

import cv2
import numpy as np

from models.synth.scene import Image, Sprite
from models.synth.sprites import premultiplied
from models.synth.wild import MAKERS as PATTERNS

PX_PER_MM = 1.6
SIDES_MM = (25.0, 260.0)
CARD_SIDES_MM, CARD_SHAPES = (36.0, 95.0), (1.15, 1.9)
"""Short side and aspect ratio of flat boxes that could pass for a card."""


def make_oddment(rng: np.random.Generator) -> Sprite:
    """An object with an outline, a pattern, perhaps rows of keys or lines of print, and a rounded back."""
    while True:
        wide, high = np.exp(rng.uniform(np.log(SIDES_MM[0]), np.log(SIDES_MM[1]), 2))
        short, shape = min(wide, high), max(wide, high) / min(wide, high)
        boxy = bool(rng.random() < 0.55)
        card_like = CARD_SIDES_MM[0] < short < CARD_SIDES_MM[1] and CARD_SHAPES[0] < shape < CARD_SHAPES[1]
        if shape < 6 and not (boxy and card_like):
            break
    size = (round(wide * PX_PER_MM), round(high * PX_PER_MM))
    pixels = _pattern(size, rng)
    if rng.random() < 0.6:
        FITTINGS[int(rng.integers(len(FITTINGS)))](pixels, rng)
    alpha = _box(size, rng) if boxy else _blob(size, rng)
    if rng.random() < 0.6:
        pixels = _rounded(pixels, alpha, rng)
    thickness_mm = float(np.exp(rng.uniform(np.log(0.3), np.log(60))))
    return Sprite(premultiplied(pixels, alpha), PX_PER_MM, thickness_mm, float(rng.uniform(0, 0.8)), boxy=boxy)


def _pattern(size: tuple[int, int], rng: np.random.Generator) -> Image:
    """A piece of a wild pattern at any scale, or one colour with a little grain."""
    if rng.random() < 0.4:
        ink = rng.integers(0, 256, 3)
        return np.clip(rng.normal(ink, rng.uniform(0, 12), (size[1], size[0], 3)), 0, 255).astype(np.uint8)
    sheet = PATTERNS[int(rng.integers(len(PATTERNS)))](rng)
    share = float(rng.uniform(0.3, 1.0))
    wide, high = (max(8, int(share * side)) for side in (sheet.shape[1], sheet.shape[0]))
    left, top = int(rng.integers(sheet.shape[1] - wide + 1)), int(rng.integers(sheet.shape[0] - high + 1))
    return np.asarray(cv2.resize(sheet[top : top + high, left : left + wide], size), np.uint8)


def _box(size: tuple[int, int], rng: np.random.Generator) -> Image:
    """A box with more or less rounded corners."""
    wide, high = size
    radius = int(rng.uniform(0, 0.3) * min(size))
    alpha = np.zeros((high, wide), np.uint8)
    cv2.rectangle(alpha, (radius, 0), (wide - radius - 1, high - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (wide - 1, high - radius - 1), 255, -1)
    for x in (radius, wide - radius - 1):
        for y in (radius, high - radius - 1):
            cv2.circle(alpha, (x, y), radius, 255, -1, cv2.LINE_AA)
    return alpha


def _blob(size: tuple[int, int], rng: np.random.Generator) -> Image:
    """A wavy outline, smooth or jagged."""
    turns = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    reach = np.full_like(turns, 0.75)
    for wave in range(1, int(rng.integers(2, 9))):
        reach += rng.normal(0, 0.16 / wave) * np.cos(wave * turns + rng.uniform(0, 2 * np.pi))
    reach = np.clip(reach, 0.2, 1.0) / 2
    points = np.stack([(0.5 + reach * np.cos(turns)) * size[0], (0.5 + reach * np.sin(turns)) * size[1]], 1)
    alpha = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(alpha, [np.round(points).astype(np.int32)], 255, cv2.LINE_AA)
    return alpha


def _rounded(pixels: Image, alpha: Image, rng: np.random.Generator) -> Image:
    """Shading from one side: a thick object is darker towards its far edge."""
    soft = max(1.0, float(rng.uniform(0.03, 0.2)) * min(alpha.shape))
    depth = np.asarray(cv2.GaussianBlur(alpha, (0, 0), soft), np.float64) / 255
    slope_y, slope_x = np.gradient(depth)
    angle = float(rng.uniform(0, 2 * np.pi))
    light = slope_x * np.cos(angle) + slope_y * np.sin(angle)
    light = light / (np.abs(light).max() + 1e-6) * float(rng.uniform(0.15, 0.6))
    return np.asarray(np.clip(pixels * (1 + light[:, :, None]), 0, 255), np.uint8)


def _ink(rng: np.random.Generator) -> tuple[int, int, int]:
    blue, green, red = (int(part) for part in rng.integers(0, 256, 3))
    return blue, green, red


def _keys(pixels: Image, rng: np.random.Generator) -> None:
    """Rows of keys, knobs or windows."""
    high, wide = pixels.shape[:2]
    step_x, step_y = (int(rng.uniform(6, 30) * PX_PER_MM) for _ in range(2))
    ink, rim, share = _ink(rng), _ink(rng), float(rng.uniform(0.4, 0.9))
    is_round = rng.random() < 0.4
    for y in range(step_y // 2, high, step_y):
        for x in range(step_x // 2, wide, step_x):
            half = (int(step_x * share / 2), int(step_y * share / 2))
            if is_round:
                cv2.circle(pixels, (x, y), max(2, min(half)), ink, -1, cv2.LINE_AA)
                cv2.circle(pixels, (x, y), max(1, min(half) // 2), rim, -1, cv2.LINE_AA)
            else:
                low, far = (x - half[0], y - half[1]), (x + half[0], y + half[1])
                cv2.rectangle(pixels, low, far, ink, -1)
                cv2.rectangle(pixels, low, far, rim, 1)


def _lines(pixels: Image, rng: np.random.Generator) -> None:
    """Lines of print, as in books and on labels."""
    high, wide = pixels.shape[:2]
    if rng.random() < 0.6:
        pixels[:] = rng.integers(190, 256, 3)
    ink, size = _ink(rng), float(rng.uniform(0.25, 1.0))
    for y in range(int(30 * size), high, int(rng.uniform(22, 40) * size)):
        words = "".join(rng.choice(list("aeinorstlkmdpz     EAN0123456789"), int(rng.integers(4, 60))))
        cv2.putText(pixels, words, (int(rng.uniform(0, 0.2) * wide), y), 0, size * 0.7, ink, 1, cv2.LINE_AA)


def _stripes(pixels: Image, rng: np.random.Generator) -> None:
    """Stripes across, as on socks and labels, or bars."""
    high = pixels.shape[0]
    y = 0
    while y < high:
        thick = int(np.exp(rng.uniform(np.log(1.5), np.log(25))) * PX_PER_MM) + 1
        pixels[y : y + thick] = _ink(rng)
        y += thick + int(np.exp(rng.uniform(np.log(1.5), np.log(30))) * PX_PER_MM) + 1


def _frame(pixels: Image, rng: np.random.Generator) -> None:
    """A border and a shape in the middle, as on lids and covers."""
    high, wide = pixels.shape[:2]
    border = int(rng.uniform(0.02, 0.15) * min(high, wide)) + 1
    cv2.rectangle(pixels, (0, 0), (wide - 1, high - 1), _ink(rng), 2 * border)
    axes = (int(rng.uniform(0.1, 0.35) * wide), int(rng.uniform(0.1, 0.35) * high))
    cv2.ellipse(pixels, (wide // 2, high // 2), axes, float(rng.uniform(0, 180)), 0, 360, _ink(rng), -1, cv2.LINE_AA)


FITTINGS: tuple[Callable[[Image, np.random.Generator], None], ...] = (_keys, _lines, _stripes, _frame)
"""Decorations of an oddment."""
