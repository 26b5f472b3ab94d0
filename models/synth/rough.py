"""Rough grounds: carpets, gravel, grass, brick and grain, so sharp that the background is never smooth."""

from collections.abc import Callable

import cv2
import numpy as np

from models.synth.materials import Ground

SIZE_PX = (1650, 1200)
"""Texture size, fine enough for grains of a millimetre: 1.5 px/mm instead of 0.6 for other grounds."""
_GRAIN_MM = (0.5, 7.0)
_PX_PER_MM = 1.5
Shade = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
"""Brightness of every pixel, centred on zero."""


def rough_ground(rng: np.random.Generator) -> Ground:
    """A random rough ground in two more or less similar colours, with stains."""
    shade = MAKERS[int(rng.integers(len(MAKERS)))](rng)
    shade = (shade - shade.mean()) / (float(shade.std()) + 1e-6)
    share = np.clip(0.5 + shade * float(rng.uniform(0.15, 0.5)), 0, 1)[:, :, None]
    dark = rng.uniform(10, 150) * rng.uniform(0.75, 1.25, 3)
    bright = dark + rng.uniform(25, 170) * rng.uniform(0.75, 1.25, 3)
    pixels = dark + (bright - dark) * share
    if rng.random() < 0.3:
        pixels += rng.normal(0, rng.uniform(4, 25), pixels.shape)
    if rng.random() < 0.5:
        pixels = pixels * (1 + float(rng.uniform(0.05, 0.3)) * _noise(rng, 60.0)[:, :, None])
    return Ground("rough", np.clip(pixels, 0, 255).astype(np.uint8), float(rng.uniform(0, 0.2)))


def _noise(rng: np.random.Generator, grain_mm: float) -> Shade:
    """Random bumps of one size."""
    side = max(1.0, grain_mm * _PX_PER_MM / 1.5)
    size = (max(2, round(SIZE_PX[0] / side)), max(2, round(SIZE_PX[1] / side)))
    bumps = rng.normal(0, 1, size[::-1]).astype(np.float32)
    grown = cv2.resize(bumps, SIZE_PX, interpolation=cv2.INTER_CUBIC)
    return np.asarray(grown / (float(grown.std()) + 1e-6), np.float32)


def _grain_mm(rng: np.random.Generator) -> float:
    low, high = np.log(_GRAIN_MM)
    return float(np.exp(rng.uniform(low, high)))


def _carpet(rng: np.random.Generator) -> Shade:
    """Short pile: grains of one size over broader ones."""
    grain = _grain_mm(rng)
    return np.asarray(_noise(rng, grain) + float(rng.uniform(0, 0.8)) * _noise(rng, 3 * grain), np.float32)


def _loops(rng: np.random.Generator) -> Shade:
    """Woven loops in slightly uneven rows."""
    rows, columns = np.indices(SIZE_PX[::-1], np.float32) / _PX_PER_MM
    pitch, angle = float(rng.uniform(2, 10)), float(rng.uniform(0, np.pi))
    slip = float(rng.uniform(0, 0.35)) * pitch
    across = columns * np.cos(angle) + rows * np.sin(angle) + slip * _noise(rng, 2 * pitch)
    along = rows * np.cos(angle) - columns * np.sin(angle) + slip * _noise(rng, 2 * pitch)
    wave = 2 * np.pi / pitch
    stretch = float(rng.uniform(0.4, 1.0))
    loops = np.sin(wave * across) * np.sin(stretch * wave * along)
    return np.asarray(loops + float(rng.uniform(0.1, 0.6)) * _noise(rng, 1.0), np.float32)


def _gravel(rng: np.random.Generator) -> Shade:
    """Stones of a uniform shade each, with dark gaps between them."""
    stone = float(rng.uniform(4, 28)) * _PX_PER_MM
    count = int(SIZE_PX[0] * SIZE_PX[1] / stone**2)
    seeds = np.full(SIZE_PX[::-1], 255, np.uint8)
    seeds[rng.integers(0, SIZE_PX[1], count), rng.integers(0, SIZE_PX[0], count)] = 0
    away, whose = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_CCOMP)
    shades = rng.normal(0, 1, int(whose.max()) + 1).astype(np.float32)
    gaps = cv2.Laplacian(shades[whose], cv2.CV_32F) != 0
    soft = cv2.GaussianBlur(gaps.astype(np.float32), (0, 0), float(rng.uniform(0.8, 2.5)))
    domed = -away / stone * float(rng.uniform(0, 2.5))
    return np.asarray(shades[whose] + domed - float(rng.uniform(1, 6)) * soft + 0.3 * _noise(rng, 1.0), np.float32)


def _blades(rng: np.random.Generator) -> Shade:
    """Grass, straw or splinters: strokes in mixed directions."""
    shade = np.zeros(SIZE_PX[::-1], np.float32)
    length, width = float(rng.uniform(8, 45)) * _PX_PER_MM, int(rng.integers(1, 6))
    way, spread = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.2, 3.2))
    count = int(min(14_000, 1.2 * SIZE_PX[0] * SIZE_PX[1] / (length * width)))
    starts, turns = rng.uniform(0, SIZE_PX, (count, 2)), rng.normal(way, spread, count)
    ends = starts + length * np.stack([np.cos(turns), np.sin(turns)], 1)
    inks = rng.normal(0, 1, count)
    for start, end, ink in zip(starts.astype(int), ends.astype(int), inks.tolist(), strict=True):
        cv2.line(shade, start.tolist(), end.tolist(), ink, width, cv2.LINE_AA)
    return np.asarray(shade + 0.2 * _noise(rng, 1.0), np.float32)


def _bricks(rng: np.random.Generator) -> Shade:
    """Bricks, tiles or planks in rows, with lighter or darker joints."""
    wide, high = float(rng.uniform(25, 160)) * _PX_PER_MM, float(rng.uniform(12, 70)) * _PX_PER_MM
    joint = float(rng.uniform(1.0, 6.0)) * _PX_PER_MM
    rows, columns = np.indices(SIZE_PX[::-1], np.float32)
    angle = float(rng.uniform(0, np.pi))
    across = columns * np.cos(angle) + rows * np.sin(angle) + 4000 + 1.5 * _noise(rng, 20.0)
    along = rows * np.cos(angle) - columns * np.sin(angle) + 4000 + 1.5 * _noise(rng, 20.0)
    row = np.floor(along / high)
    column = np.floor(across / wide + 0.5 * (row % 2))
    gap = (along % high < joint) | ((across + 0.5 * wide * (row % 2)) % wide < joint)
    shades = rng.normal(0, 0.5, 4096).astype(np.float32)
    brick = shades[(row * 97 + column).astype(np.int64) % len(shades)]
    grain = float(rng.uniform(0.1, 0.6)) * _noise(rng, _grain_mm(rng))
    return np.asarray(np.where(gap, float(rng.choice((-2.5, 2.5))), brick) + grain, np.float32)


MAKERS: tuple[Callable[[np.random.Generator], Shade], ...] = (_carpet, _carpet, _loops, _gravel, _blades, _bricks)
"""All kinds of rough ground; carpets count twice."""
