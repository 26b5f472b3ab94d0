"""Wild grounds: unrealistic surfaces, so that training does not mistake patterns for cards."""

from collections.abc import Callable

import cv2
import numpy as np

from models.synth.materials import SIZE_PX, Ground, clouds
from models.synth.scene import Image

Ink = tuple[int, int, int]


def wild_ground(rng: np.random.Generator) -> Ground:
    """A random wild ground, at any rotation and scale."""
    maker = MAKERS[int(rng.integers(len(MAKERS)))]
    pixels = maker(rng)
    if rng.random() < 0.7:
        middle = (SIZE_PX[0] / 2, SIZE_PX[1] / 2)
        turn = cv2.getRotationMatrix2D(middle, float(rng.uniform(0, 360)), float(rng.uniform(0.8, 2.2)))
        pixels = np.asarray(cv2.warpAffine(pixels, turn, SIZE_PX, borderMode=cv2.BORDER_REFLECT), np.uint8)
    if rng.random() < 0.5:
        grain = rng.normal(0, rng.uniform(2, 14), pixels.shape)
        pixels = np.clip(pixels + grain, 0, 255).astype(np.uint8)
    return Ground("wild", pixels, float(rng.uniform(0, 0.5)))


def _ink(rng: np.random.Generator, near: Ink | None = None) -> Ink:
    """A random colour, or one similar to another."""
    if near is None:
        return int(rng.integers(256)), int(rng.integers(256)), int(rng.integers(256))
    blue, green, red = (int(np.clip(part + rng.normal(0, 30), 0, 255)) for part in near)
    return blue, green, red


def _sheet(rng: np.random.Generator) -> tuple[Image, Ink]:
    ink = _ink(rng)
    return np.full((SIZE_PX[1], SIZE_PX[0], 3), ink, np.uint8), ink


def _shape(image: Image, rng: np.random.Generator, middle: tuple[float, float], size: float, ink: Ink) -> None:
    """Draw a random flat shape: slab, disc, ring, polygon, stroke or letters."""
    kind, angle = int(rng.integers(6)), float(rng.uniform(0, 360))
    x, y = int(middle[0]), int(middle[1])
    sides = (size, size * float(rng.uniform(0.3, 1)))
    if kind == 0:
        corners = cv2.boxPoints(((x, y), sides, angle))
        cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), ink, cv2.LINE_AA)
    elif kind == 1:
        cv2.ellipse(image, (x, y), (int(sides[0] / 2), int(sides[1] / 2)), angle, 0, 360, ink, -1, cv2.LINE_AA)
    elif kind == 2:
        cv2.circle(image, (x, y), max(2, int(size / 2)), ink, max(1, int(size / rng.uniform(4, 20))), cv2.LINE_AA)
    elif kind == 3:
        turns = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8))))
        reach = size / 2 * rng.uniform(0.5, 1, len(turns))
        points = np.stack([x + reach * np.cos(turns), y + reach * np.sin(turns)], 1)
        cv2.fillPoly(image, [np.round(points).astype(np.int32)], ink, cv2.LINE_AA)
    elif kind == 4:
        way = np.array([np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))]) * size
        cv2.line(image, (x, y), (int(x + way[0]), int(y + way[1])), ink, int(rng.integers(1, 8)), cv2.LINE_AA)
    else:
        words = "".join(rng.choice(list("ABCEGKMRS0235689&%#")) for _ in range(int(rng.integers(1, 5))))
        cv2.putText(image, words, (x, y), int(rng.integers(8)), size / 50, ink, int(rng.integers(1, 4)), cv2.LINE_AA)


def _scraps(rng: np.random.Generator) -> Image:
    """Scattered shapes: large or small, few or many, in many colours or few."""
    image, ground = _sheet(rng)
    inks = [_ink(rng, ground if rng.random() < 0.4 else None) for _ in range(int(rng.integers(1, 9)))]
    scale = float(rng.uniform(8, 110))
    for _ in range(int(rng.uniform(0.2, 1.2) * 280_000 / scale**2) + 3):
        middle = tuple(rng.uniform(0, SIZE_PX))
        _shape(image, rng, middle, scale * float(rng.uniform(0.4, 1.6)), inks[int(rng.integers(len(inks)))])
    return image


def _lattice(rng: np.random.Generator) -> Image:
    """A repeated tile, perhaps with every other row shifted."""
    side, other = int(rng.integers(10, 90)), int(rng.integers(10, 90))
    ground = _ink(rng)
    tile = np.full((other, side, 3), ground, np.uint8)
    for _ in range(int(rng.integers(1, 5))):
        _shape(
            tile, rng, tuple(rng.uniform(0, (side, other))), float(rng.uniform(0.2, 0.9)) * min(side, other), _ink(rng)
        )
    rows = []
    shift = int(rng.integers(side)) if rng.random() < 0.5 else 0
    for number in range(SIZE_PX[1] // other + 1):
        row = np.tile(tile, (1, SIZE_PX[0] // side + 2, 1))
        rows.append(np.roll(row, shift * (number % 2), axis=1)[:, : SIZE_PX[0]])
    return np.ascontiguousarray(np.vstack(rows)[: SIZE_PX[1]])


def _bands(rng: np.random.Generator) -> Image:
    """Stripes in one direction or woven in both."""
    image, _ = _sheet(rng)
    for across in (True, False)[: int(rng.integers(1, 3))]:
        length = SIZE_PX[0] if across else SIZE_PX[1]
        widths = rng.integers(3, 60, int(rng.integers(2, 6)))
        period = np.concatenate([np.repeat([_ink(rng)], width, 0) for width in widths]).astype(np.float32)
        line = np.tile(period, (length // len(period) + 1, 1))[:length]
        share = float(rng.uniform(0.3, 1))
        image = np.asarray(image * (1 - share) + (line[None] if across else line[:, None]) * share, np.uint8)
    return image


def _paint(rng: np.random.Generator) -> Image:
    """Clouds of colour, soft or torn."""
    parts = [clouds(rng, (int(rng.integers(2, 40)), int(rng.integers(2, 40)))) for _ in range(3)]
    image = np.stack(parts, 2)
    if rng.random() < 0.4:
        image = np.asarray(np.round(image * int(rng.integers(2, 6))) / 4, np.float32)
    return np.asarray(np.clip(255 * image * float(rng.uniform(0.4, 1.1)), 0, 255), np.uint8)


MAKERS: tuple[Callable[[np.random.Generator], Image], ...] = (_scraps, _scraps, _lattice, _lattice, _bands, _paint)
"""All kinds of wild ground; the richest count twice."""
