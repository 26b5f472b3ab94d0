"""Art of training decks: landscapes, portraits, clouds, cells and patterns, made of shapes and value noise."""

from collections.abc import Callable

import cv2
import numpy as np

from models.synth.foreign.canvas import Ink, ink_from, mixed_ink, oval, polygon
from models.synth.scene import Image

Palette = list[Ink]


def palette(rng: np.random.Generator, count: int = 5, dark: bool = False) -> Palette:
    """Colours that go together: near hues, or opposite ones."""
    base, spread = float(rng.uniform(0, 180)), float(rng.choice((8, 20, 45, 90)))
    low, high = (25, 130) if dark else (60, 255)
    return [
        ink_from(base + float(rng.normal(0, spread)), float(rng.uniform(30, 235)), float(rng.uniform(low, high)))
        for _ in range(count)
    ]


def scenery(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    """A picture of a random kind."""
    maker = MAKERS[int(rng.integers(len(MAKERS)))]
    picture = maker(rng, size_px, inks)
    if rng.random() < 0.5:
        picture = _grained(picture, rng)
    return picture


def graded(size_px: tuple[int, int], first: Ink, second: Ink, across: bool = False) -> Image:
    """A picture that changes evenly from one colour to another."""
    width, height = size_px
    ends = np.array([[first, second]], np.uint8) if across else np.array([[first], [second]], np.uint8)
    share = np.linspace(0, 1, width if across else height, dtype=np.float32)
    line = (1 - share[:, None]) * np.float32(ends.reshape(2, 3)[0]) + share[:, None] * np.float32(ends.reshape(2, 3)[1])
    line = np.asarray(line, np.uint8)
    return np.ascontiguousarray(np.broadcast_to(line[None] if across else line[:, None], (height, width, 3)))


def _noise(rng: np.random.Generator, size_px: tuple[int, int], cells: int, octaves: int) -> Image:
    """Smooth grey noise from 0 to 255."""
    total = np.zeros((size_px[1] // 2, size_px[0] // 2), np.float32)
    for octave in range(octaves):
        bumps = rng.random((max(2, int(1.4 * (cells << octave))), max(2, cells << octave)), np.float32)
        total += cv2.resize(bumps, total.shape[::-1], interpolation=cv2.INTER_CUBIC) / 2**octave
    low, high = float(total.min()), float(total.max())
    grey = np.clip((total - low) * (255 / max(high - low, 1e-6)), 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(grey, size_px, interpolation=cv2.INTER_LINEAR), np.uint8)


def _ramp(inks: Palette) -> Image:
    """A table of 256 colours through the palette."""
    places = np.linspace(0, 255, len(inks))
    columns = [np.interp(np.arange(256), places, [ink[channel] for ink in inks]) for channel in range(3)]
    return np.stack(columns, 1).astype(np.uint8)


def _clouds(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    grey = _noise(rng, size_px, int(rng.integers(2, 9)), int(rng.integers(2, 5)))
    if rng.random() < 0.3:
        grey = np.asarray(cv2.convertScaleAbs(grey.astype(np.int16) - 128, alpha=2), np.uint8)
    return _ramp(inks)[grey]


def _ridges(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    """A sky with a sun or moon over ranges of hills, the nearest in the strongest colour."""
    picture = graded(size_px, inks[0], inks[1])
    if rng.random() < 0.7:
        radius = float(rng.uniform(0.05, 0.18))
        wide = (radius, radius * size_px[0] / size_px[1])
        oval(picture, (float(rng.uniform(0.1, 0.9)), float(rng.uniform(0.1, 0.5))), wide, 0, inks[2])
    ranges = int(rng.integers(2, 6))
    x = np.linspace(0, 1, 48)
    for number in range(ranges):
        level = 0.35 + 0.6 * (number + rng.uniform(-0.3, 0.3)) / ranges
        waves = sum(rng.normal(0, 0.08 / n) * np.sin(2 * np.pi * n * x + rng.uniform(0, 6)) for n in (1, 2, 3, 5, 9))
        line = np.stack([x, level + waves], 1)
        polygon(picture, np.concatenate([line, [(1, 1), (0, 1)]]), mixed_ink(inks[1], inks[3], (number + 1) / ranges))
    for _ in range(int(rng.integers(0, 12))):
        left, foot, tall = float(rng.uniform(0, 1)), float(rng.uniform(0.6, 1)), float(rng.uniform(0.04, 0.2))
        polygon(picture, [(left - tall / 3, foot), (left, foot - tall), (left + tall / 3, foot)], inks[4])
    return picture


def _balls(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    """Shaded balls and stones in front of each other."""
    picture = graded(size_px, inks[0], inks[1])
    for _ in range(int(rng.integers(4, 14))):
        at, radius = (float(rng.uniform(0, 1)), float(rng.uniform(0.1, 1))), float(rng.uniform(0.06, 0.3))
        ink, shape, turn = inks[int(rng.integers(2, 5))], float(rng.uniform(0.5, 1)), float(rng.uniform(0, 180))
        for step in range(4):
            share = step / 4
            middle = (at[0] - 0.3 * share * radius, at[1] - 0.25 * share * radius)
            axes = (radius * (1 - share), radius * (1 - share) * shape)
            oval(picture, middle, axes, turn, mixed_ink(mixed_ink(ink, (0, 0, 0), 0.45), ink, 0.35 + 0.4 * step))
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.6, 2.5))), np.uint8)


def _portrait(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    """A figure with a face, hair, perhaps a hat, and shoulders."""
    picture = graded(size_px, inks[0], inks[1], across=bool(rng.random() < 0.4))
    skin = ink_from(float(rng.uniform(4, 20)), float(rng.uniform(40, 150)), float(rng.uniform(90, 245)))
    if rng.random() < 0.3:
        skin = inks[4]
    x, y, wide, tall = (float(rng.uniform(*span)) for span in ((0.4, 0.6), (0.36, 0.5), (0.16, 0.28), (0.14, 0.22)))
    oval(picture, (x, 1.0), (float(rng.uniform(0.3, 0.55)), float(rng.uniform(0.3, 0.45))), 0, inks[2])
    oval(picture, (x, y - 0.15 * tall), (1.2 * wide, float(rng.uniform(1.05, 1.6)) * tall), 0, inks[3])
    oval(picture, (x, y), (wide, tall), float(rng.normal(0, 6)), skin)
    for side in (-1, 1):
        eye = (x + side * 0.42 * wide, y - 0.15 * tall)
        oval(picture, eye, (0.2 * wide, float(rng.uniform(0.06, 0.2)) * tall), 0, (245, 245, 245))
        oval(picture, eye, (0.1 * wide, 0.1 * tall), 0, (30, 20, 20))
    oval(picture, (x, y + 0.5 * tall), (float(rng.uniform(0.15, 0.5)) * wide, 0.08 * tall), 0, (60, 50, 150))
    polygon(picture, [(x, y - 0.05 * tall), (x + 0.14 * wide, y + 0.25 * tall), (x, y + 0.25 * tall)], inks[1])
    if rng.random() < 0.6:
        top = y - 0.7 * tall
        hat = [(x - 1.2 * wide, top), (x - 0.8 * wide, top - float(rng.uniform(0.3, 1)) * tall), (x, top - 0.4 * tall)]
        polygon(
            picture, [*hat, (x + 0.9 * wide, top - float(rng.uniform(0.3, 1)) * tall), (x + 1.2 * wide, top)], inks[4]
        )
    return picture


def _cells(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    """Stained glass: cells around random points."""
    width, height = size_px
    small = (width // 4, height // 4)
    points = rng.uniform(0, 1, (int(rng.integers(8, 60)), 2)) * small
    y, x = np.mgrid[: small[1], : small[0]].astype(np.float32)
    away = (x[:, :, None] - points[:, 0]) ** 2 + (y[:, :, None] - points[:, 1]) ** 2
    nearest = away.argmin(2)
    tones = np.array([mixed_ink(inks[int(rng.integers(5))], inks[int(rng.integers(5))], 0.4) for _ in points], np.uint8)
    picture = cv2.resize(tones[nearest], size_px, interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.medianBlur(picture, 5), np.uint8)


def _strokes(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    """Brush strokes along a common direction."""
    picture = graded(size_px, inks[0], inks[1])
    main, reach = float(rng.uniform(0, np.pi)), float(rng.uniform(10, 60))
    starts = rng.uniform(0, 1, (int(rng.integers(40, 140)), 2)) * size_px
    for start in starts:
        angle = main + float(rng.normal(0, 0.4))
        end = start + reach * np.array([np.cos(angle), np.sin(angle)])
        ink = mixed_ink(inks[int(rng.integers(5))], inks[int(rng.integers(5))], float(rng.random()))
        ends = [(round(float(x)), round(float(y))) for x, y in (start, end)]
        cv2.line(picture, ends[0], ends[1], ink, int(rng.integers(2, 12)), cv2.LINE_AA)
    return picture


def _pattern(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    """A small tile, repeated."""
    side, high = int(rng.integers(12, 60)), int(rng.integers(12, 60))
    tile = np.empty((high, side, 3), np.uint8)
    tile[:] = inks[0]
    for ink in inks[1 : int(rng.integers(2, 5))]:
        at, reach = (float(rng.random()), float(rng.random())), float(rng.uniform(0.1, 0.45))
        if rng.random() < 0.5:
            oval(tile, at, (reach, reach), 0, ink)
        else:
            polygon(tile, rng.uniform(-0.1, 1.1, (int(rng.integers(3, 5)), 2)), ink)
    picture = np.tile(tile, (size_px[1] // high + 1, size_px[0] // side + 1, 1))[: size_px[1], : size_px[0]]
    return np.ascontiguousarray(picture)


def _lit_clouds(rng: np.random.Generator, size_px: tuple[int, int], inks: Palette) -> Image:
    """A rough surface lit from one side, as of rock, bark or water."""
    grey = _noise(rng, size_px, int(rng.integers(3, 12)), 4)
    slope = cv2.Sobel(grey, cv2.CV_16S, *((1, 0) if rng.random() < 0.5 else (0, 1)), ksize=3)
    light = cv2.convertScaleAbs(slope, alpha=float(rng.uniform(1, 3)), beta=0)
    base = _ramp(inks[:3])[grey]
    return np.asarray(cv2.add(base, np.asarray(cv2.merge([light] * 3), np.uint8) // 2), np.uint8)


def _grained(picture: Image, rng: np.random.Generator) -> Image:
    """DeckPaper and printing grain, at a quarter of the size of the picture."""
    grain = rng.normal(0, float(rng.uniform(2, 9)), (picture.shape[0] // 2, picture.shape[1] // 2)).astype(np.float32)
    grain = np.asarray(cv2.resize(grain, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)
    return np.asarray(cv2.add(picture, cv2.merge([grain] * 3), dtype=cv2.CV_8U), np.uint8)


MAKERS: tuple[Callable[[np.random.Generator, tuple[int, int], Palette], Image], ...] = (
    _clouds,
    _ridges,
    _ridges,
    _balls,
    _portrait,
    _portrait,
    _cells,
    _strokes,
    _pattern,
    _lit_clouds,
)
"""All kinds of pictures; those with things to recognise count twice."""
