"""Materials: procedural table tops of wood, felt, printed cloth, mats, plastic and stone."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from models.synth.scene import Image

SIZE_PX = (640, 448)
"""Texture size: enough for a surface of about a metre seen from afar."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A table top: its texture and its gloss."""

    name: str
    pixels: Image
    gloss: float


Floats = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def make_ground(name: str, rng: np.random.Generator) -> Ground:
    """Make a random table top of the named material."""
    maker, gloss = MAKERS[name]
    return Ground(name, maker(rng), gloss * float(rng.uniform(0.5, 1.5)))


def photographed_grounds(folder: Path) -> list[Ground]:
    """Table tops from photographs, if there are any."""
    found = []
    for path in sorted(folder.glob("*")) if folder.is_dir() else []:
        if path.suffix.lower() in (".png", ".jpg", ".jpeg"):
            pixels = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if pixels is not None and min(pixels.shape[:2]) >= 200:
                found.append(Ground(path.stem, np.asarray(cv2.resize(pixels, SIZE_PX), np.uint8), 0.1))
    return found


def clouds(rng: np.random.Generator, cells: tuple[int, int], size: tuple[int, int] = SIZE_PX) -> Floats:
    """Smooth noise from 0 to 1 with `cells` bumps across and down, in three octaves."""
    total = np.zeros(size[::-1], np.float32)
    for octave in range(3):
        across, down = (max(2, cells[0] << octave), max(2, cells[1] << octave))
        bumps = rng.random((down, across)).astype(np.float32)
        total += cv2.resize(bumps, size, interpolation=cv2.INTER_CUBIC) / 2**octave
    return np.asarray(np.clip((total - total.min()) / (np.ptp(total) + 1e-6), 0, 1), np.float32)


def _tinted(shade: Floats, dark: tuple[float, ...], bright: tuple[float, ...]) -> Image:
    low, high = np.array(dark, np.float32), np.array(bright, np.float32)
    return np.asarray(np.clip(low + (high - low) * shade[:, :, None], 0, 255), np.uint8)


def _varied(colour: tuple[float, ...], rng: np.random.Generator, by: float) -> tuple[float, ...]:
    return tuple(float(np.clip(part * rng.uniform(1 - by, 1 + by), 0, 255)) for part in colour)


def _wood(rng: np.random.Generator) -> Image:
    width, height = SIZE_PX
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    wander = clouds(rng, (3, 4)) * rng.uniform(0.1, 0.5)
    rings = np.sin((y + wander) * rng.uniform(25, 90)) * 0.5 + 0.5
    fibre = clouds(rng, (6, 160))
    shade = 0.35 * rings + 0.45 * fibre + 0.2 * clouds(rng, (3, 3))
    planks = int(rng.integers(1, 7))
    tone = np.repeat(rng.uniform(-0.12, 0.12, planks), -(-height // planks))[:height].astype(np.float32)
    shade = np.clip(shade + tone[:, None], 0, 1)
    kinds = (((30, 55, 90), (110, 160, 205)), ((25, 35, 60), (60, 90, 130)), ((120, 150, 170), (190, 215, 230)))
    dark, bright = kinds[rng.integers(len(kinds))]
    wood = _tinted(shade.astype(np.float32), _varied(dark, rng, 0.3), _varied(bright, rng, 0.15))
    for plank in range(1, planks):
        row = plank * -(-height // planks)
        cv2.line(wood, (0, row), (width, row), (20, 30, 45), 1)
    return np.asarray(np.ascontiguousarray(np.rot90(wood)) if rng.random() < 0.4 else wood, np.uint8)


def _felt(rng: np.random.Generator) -> Image:
    grain = rng.random(SIZE_PX[::-1]).astype(np.float32)
    shade = np.clip(0.6 * clouds(rng, (4, 3)) + 0.4 * cv2.GaussianBlur(grain, (0, 0), 0.7), 0, 1).astype(np.float32)
    colours = ((40, 100, 30), (110, 60, 30), (40, 40, 120), (60, 60, 60), (90, 40, 80), (70, 110, 60))
    colour = _varied(colours[rng.integers(len(colours))], rng, 0.35)
    return _tinted(shade, tuple(part * 0.75 for part in colour), tuple(part * 1.2 + 8 for part in colour))


def _cloth(rng: np.random.Generator) -> Image:
    width, height = SIZE_PX
    cloth = np.full((height, width, 3), rng.integers(120, 250, 3), np.uint8)
    step = int(rng.integers(14, 70))
    inks = [tuple(int(part) for part in rng.integers(10, 245, 3)) for _ in range(3)]
    pattern = rng.integers(4)
    for row in range(0, height + step, step):
        for column in range(0, width + step, step):
            ink, number = inks[(row // step + column // step) % 3], (row // step + column // step) % 2
            if pattern == 0:
                cv2.circle(cloth, (column, row), int(step * 0.3), ink, -1, cv2.LINE_AA)
            elif pattern == 1 and number:
                cv2.rectangle(cloth, (column, row), (column + step, row + step), inks[0], -1)
            elif pattern == 2:
                cv2.ellipse(
                    cloth, (column, row), (step // 3, step // 8), 40 * (row // step), 0, 360, ink, -1, cv2.LINE_AA
                )
            elif pattern == 3:
                cv2.line(cloth, (column, row), (column + step, row), inks[0], max(1, step // 6))
                cv2.line(cloth, (column, row), (column, row + step), inks[1], max(1, step // 5))
    weave = (rng.random((height, width, 1)) * 18).astype(np.uint8)
    folds = _tinted(clouds(rng, (2, 2)), (215, 215, 215), (255, 255, 255))
    return np.asarray(cv2.multiply(cv2.subtract(cloth, np.repeat(weave, 3, 2)), folds, scale=1 / 255), np.uint8)


def _mat(rng: np.random.Generator) -> Image:
    colour = _varied((92, 107, 61), rng, 0.5)
    mat = _tinted(clouds(rng, (120, 90)), tuple(0.94 * part for part in colour), tuple(1.06 * part for part in colour))
    if rng.random() < 0.5:
        cv2.rectangle(mat, (30, 24), (SIZE_PX[0] - 30, SIZE_PX[1] - 24), tuple(1.35 * part for part in colour), 2)
    return np.asarray(mat, np.uint8)


def _plastic(rng: np.random.Generator) -> Image:
    colour = tuple(float(part) for part in rng.uniform(60, 245, 3) * 0.4 + rng.uniform(20, 150))
    return _tinted(clouds(rng, (3, 2)), tuple(0.96 * part for part in colour), tuple(1.03 * part for part in colour))


def _stone(rng: np.random.Generator) -> Image:
    specks = rng.random(SIZE_PX[::-1]).astype(np.float32)
    veins = 1 - np.abs(clouds(rng, (5, 4)) - 0.5) * 2
    shade = np.clip(0.5 * clouds(rng, (30, 20)) + 0.25 * specks + 0.4 * veins**12, 0, 1).astype(np.float32)
    base = float(rng.uniform(60, 170))
    return _tinted(shade, _varied((base, base, base), rng, 0.12), _varied((base + 70, base + 72, base + 75), rng, 0.06))


MAKERS: dict[str, tuple[Callable[[np.random.Generator], Image], float]] = {
    "wood": (_wood, 0.18),
    "felt": (_felt, 0.0),
    "cloth": (_cloth, 0.03),
    "mat": (_mat, 0.05),
    "plastic": (_plastic, 0.5),
    "stone": (_stone, 0.35),
}
"""Every material with its maker and its gloss."""
