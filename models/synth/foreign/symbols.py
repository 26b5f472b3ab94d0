"""Symbols of foreign decks as masks: suits, crowns, arrows and shapes that exist in no other deck."""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from models.art.pen import ring, star
from models.synth.scene import Image

Outline = NDArray[np.float64]
"""Points of a closed line; a symbol reaches from -1 to 1, y downwards."""
Parts = list[tuple[bool, Outline]]
"""Outlines in drawing order; True fills, False cuts a hole."""

MASK_PX = 96
_REACH = 0.94
"""Part of the mask that a symbol fills, so that smooth edges are not cut off."""

_HALVES: dict[str, tuple[int, tuple[tuple[float, float], ...]]] = {
    "heart": (2, ((0, -0.4), (0.18, -0.85), (0.62, -1), (1, -0.6), (0.95, -0.1), (0.5, 0.5), (0.05, 1), (0, 1))),
    "spade": (2, ((0, -1), (0.25, -0.65), (0.95, 0), (0.9, 0.5), (0.4, 0.62), (0.1, 0.35), (0.12, 0.7), (0.4, 1))),
    "diamond": (0, ((0, -1), (0.72, 0), (0, 1))),
    "crown": (0, ((0, -0.8), (0.32, -0.05), (0.9, -0.65), (0.75, 0.75), (0, 0.75))),
    "sword": (0, ((0, -1), (0.13, -0.8), (0.13, 0.35), (0.5, 0.35), (0.5, 0.5), (0.1, 0.5), (0.1, 0.95), (0, 1))),
    "shield": (1, ((0, -0.9), (0.8, -0.85), (0.85, 0.1), (0.45, 0.75), (0, 1))),
    "cup": (1, ((0, -0.9), (0.75, -0.9), (0.7, -0.1), (0.14, 0.25), (0.12, 0.65), (0.5, 0.95), (0, 0.95))),
    "drop": (2, ((0, -1), (0.12, -0.7), (0.6, 0.1), (0.6, 0.7), (0.2, 1), (0, 1))),
    "leaf": (2, ((0, -1), (0.3, -0.6), (0.62, 0), (0.4, 0.6), (0.08, 0.7), (0.07, 1), (0, 1))),
    "bell": (2, ((0, -1), (0.25, -0.85), (0.5, -0.3), (0.6, 0.3), (0.9, 0.6), (0.3, 0.66), (0.2, 0.95), (0, 0.95))),
    "acorn": (1, ((0, -1), (0.1, -0.75), (0.7, -0.6), (0.75, -0.2), (0.5, -0.15), (0.5, 0.4), (0, 1))),
    "arrow": (0, ((0, -1), (0.75, -0.1), (0.3, -0.1), (0.3, 1), (0, 1))),
    "house": (0, ((0, -1), (0.95, -0.1), (0.7, -0.1), (0.7, 0.9), (0, 0.9))),
    "fir": (0, ((0, -1), (0.45, -0.4), (0.2, -0.4), (0.65, 0.2), (0.3, 0.2), (0.8, 0.75), (0.12, 0.75), (0.12, 1))),
    "rocket": (1, ((0, -1), (0.35, -0.5), (0.35, 0.3), (0.75, 0.8), (0.3, 0.65), (0, 0.9))),
    "mug": (0, ((0, -0.7), (0.65, -0.7), (0.5, 0.9), (0, 0.9))),
    "cat": (1, ((0, -0.45), (0.3, -0.5), (0.7, -1), (0.85, 0.1), (0.5, 0.8), (0, 0.95))),
    "tulip": (1, ((0, -0.5), (0.6, -1), (0.6, 0), (0.1, 0.25), (0.1, 0.5), (0.6, 0.3), (0.1, 1), (0, 1))),
    "mushroom": (2, ((0, -1), (0.7, -0.85), (1, -0.1), (0.3, 0), (0.25, 0.6), (0.4, 0.95), (0, 0.95))),
}
"""Mirrored shapes: how often the outline is smoothed, and its right half from top to bottom."""


def _mirrored(name: str) -> Parts:
    rounds, half = _HALVES[name]
    right = np.array(half, float)
    left = (right * (-1, 1))[::-1]
    return [(True, smoothed(np.concatenate([right, left]), rounds))]


def smoothed(points: Outline, rounds: int, closed: bool = True) -> Outline:
    """Cut the corners of a line, as often as wanted."""
    for _ in range(rounds):
        following = np.roll(points, -1, axis=0) if closed else points[1:]
        first = points if closed else points[:-1]
        cut = np.stack([0.75 * first + 0.25 * following, 0.25 * first + 0.75 * following], 1).reshape(-1, 2)
        points = cut if closed else np.concatenate([points[:1], cut, points[-1:]])
    return points


def _disc(x: float, y: float, radius: float) -> Outline:
    return np.array(ring(x, y, radius, 32))


def _polar(radius: Callable[[Outline], Outline]) -> Outline:
    turns = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    reach = radius(turns)
    return np.stack([reach * np.sin(turns), -reach * np.cos(turns)], 1)


def _club(rng: np.random.Generator) -> Parts:
    size = float(rng.uniform(0.42, 0.5))
    stem = np.array([(0, -0.2), (0.12, 0.5), (0.42, 1), (-0.42, 1), (-0.12, 0.5)])
    leaves: Parts = [(True, _disc(x, y, size)) for x, y in ((0, -0.5), (-0.5, 0.22), (0.5, 0.22))]
    return [*leaves, (True, stem)]


def _star(rng: np.random.Generator) -> Parts:
    return [(True, np.array(star(0, 0, 1, int(rng.integers(4, 9)), float(rng.uniform(0.3, 0.7)))))]


def _regular(rng: np.random.Generator) -> Parts:
    return [(True, np.array(ring(0, 0, 1, int(rng.integers(3, 9)), float(rng.choice((0, 0, 30, 45))))))]


def _flower(rng: np.random.Generator) -> Parts:
    petals, depth = int(rng.integers(3, 9)), float(rng.uniform(0.15, 0.45))
    outline = _polar(lambda turns: (1 - depth) + depth * np.cos(petals * turns))
    return [(True, outline)] + ([(False, _disc(0, 0, 0.22))] if rng.random() < 0.6 else [])


def _disk(rng: np.random.Generator) -> Parts:
    return [(True, _disc(0, 0, 1))] + (
        [(False, _disc(0, 0, float(rng.uniform(0.3, 0.8))))] if rng.random() < 0.5 else []
    )


def _moon(rng: np.random.Generator) -> Parts:
    return [(True, _disc(0, 0, 1)), (False, _disc(float(rng.uniform(0.35, 0.55)), -0.15, 0.82))]


def _cross(rng: np.random.Generator) -> Parts:
    arm = float(rng.uniform(0.2, 0.4))
    across = np.array([(-1, -arm), (1, -arm), (1, arm), (-1, arm)])
    both = [across, across[:, ::-1]]
    if rng.random() < 0.5:
        turn = np.array([[1, -1], [1, 1]]) / np.sqrt(2)
        both = [part @ turn for part in both]
    return [(True, part) for part in both]


def _skip(rng: np.random.Generator) -> Parts:
    thick = float(rng.uniform(0.18, 0.3))
    bar = np.array([(-0.9, -thick / 2), (0.9, -thick / 2), (0.9, thick / 2), (-0.9, thick / 2)])
    slope = np.array([[1, -1], [1, 1]]) / np.sqrt(2)
    return [(True, _disc(0, 0, 1)), (False, _disc(0, 0, 1 - thick)), (True, bar @ slope)]


def _reverse(rng: np.random.Generator) -> Parts:
    wide = float(rng.uniform(0.16, 0.26))
    one = np.array([(0.1, 0.9), (0.1, -0.1), (-0.2, -0.1), (0.1 + wide, -0.9), (0.9, -0.1), (0.1 + 2 * wide, -0.1)])
    one = np.concatenate([one, [(0.1 + 2 * wide, 0.9)]]) * (0.75, 1)
    return [(True, one), (True, -one)]


def _bolt(_: np.random.Generator) -> Parts:
    shape = ((0.24, -1), (-0.64, 0.16), (-0.08, 0.16), (-0.28, 1), (0.64, -0.24), (0.08, -0.24), (0.44, -1))
    return [(True, np.array(shape))]


def _mask(rng: np.random.Generator) -> Parts:
    half = np.array([(0, -0.3), (0.5, -0.55), (1, -0.4), (0.95, 0.2), (0.5, 0.5), (0.15, 0.2), (0, 0.2)])
    outline = smoothed(np.concatenate([half, (half * (-1, 1))[::-1]]), 1)
    eye = float(rng.uniform(0.14, 0.22))
    return [(True, outline), (False, _disc(0.48, -0.08, eye)), (False, _disc(-0.48, -0.08, eye))]


def _eye(rng: np.random.Generator) -> Parts:
    lid = smoothed(np.array([(-1, 0), (-0.4, -0.55), (0.4, -0.55), (1, 0), (0.4, 0.55), (-0.4, 0.55)]), 2)
    pupil = float(rng.uniform(0.25, 0.4))
    return [(True, lid), (False, _disc(0, 0, pupil)), (True, _disc(0, 0, 0.6 * pupil))]


def _fish(_: np.random.Generator) -> Parts:
    body = smoothed(np.array([(-1, 0), (-0.5, -0.5), (0.2, -0.4), (0.55, 0), (0.2, 0.4), (-0.5, 0.5)]), 2)
    return [
        (True, body),
        (True, np.array([(0.3, 0), (1, -0.5), (0.85, 0), (1, 0.5)])),
        (False, _disc(-0.55, -0.1, 0.1)),
    ]


def _key(_: np.random.Generator) -> Parts:
    stem = np.array([(-0.1, -0.1), (0.1, -0.1), (0.1, 0.5), (0.45, 0.5), (0.45, 0.7), (0.1, 0.7), (0.1, 1), (-0.1, 1)])
    return [(True, _disc(0, -0.5, 0.48)), (False, _disc(0, -0.5, 0.24)), (True, stem)]


def _sun(rng: np.random.Generator) -> Parts:
    rays = int(rng.integers(8, 17))
    return [(True, np.array(star(0, 0, 1, rays, 0.62))), (False, _disc(0, 0, 0.5)), (True, _disc(0, 0, 0.36))]


def _snow(rng: np.random.Generator) -> Parts:
    arms = int(rng.choice((6, 8)))
    bar = np.array([(-0.07, 0), (-0.07, -1), (0.07, -1), (0.07, 0)])
    twig = np.array([(0, -0.4), (0.35, -0.75), (0.42, -0.68), (0.05, -0.28)])
    parts: Parts = []
    for arm in range(arms):
        cos, sin = np.cos(2 * np.pi * arm / arms), np.sin(2 * np.pi * arm / arms)
        turn = np.array([[cos, sin], [-sin, cos]])
        parts += [(True, bar @ turn), (True, twig @ turn), (True, (twig * (-1, 1)) @ turn)]
    return parts


def _blob(rng: np.random.Generator) -> Parts:
    """A shape that no symbol has: a smooth random outline."""
    waves = rng.normal(0, 1, (5, 2)) / np.arange(1, 6)[:, None] ** 0.8
    numbers = np.arange(1, 6)[:, None]

    def reach(turns: Outline) -> Outline:
        wavy = (waves[:, :1] * np.cos(numbers * turns) + waves[:, 1:] * np.sin(numbers * turns)).sum(0)
        return np.asarray(np.clip(0.62 + 0.18 * wavy, 0.2, 1.2), float)

    return [(True, _polar(reach))] + ([(False, _disc(0, 0, 0.25))] if rng.random() < 0.3 else [])


def _shards(rng: np.random.Generator) -> Parts:
    """A shape that no symbol has: a few bars and triangles."""
    parts: Parts = []
    for _ in range(int(rng.integers(2, 5))):
        points = rng.uniform(-1, 1, (int(rng.integers(3, 5)), 2))
        parts.append((True, np.asarray(cv2.convexHull(points.astype(np.float32)), float).reshape(-1, 2)))
    return parts


DRAWN: dict[str, Callable[[np.random.Generator], Parts]] = {
    "club": _club,
    "star": _star,
    "regular": _regular,
    "flower": _flower,
    "disk": _disk,
    "moon": _moon,
    "cross": _cross,
    "skip": _skip,
    "reverse": _reverse,
    "bolt": _bolt,
    "mask": _mask,
    "eye": _eye,
    "fish": _fish,
    "key": _key,
    "sun": _sun,
    "snow": _snow,
    "blob": _blob,
    "shards": _shards,
}
NAMES = (*_HALVES, *DRAWN)
FRENCH = ("spade", "heart", "diamond", "club")


def symbol(name: str, rng: np.random.Generator, plain: bool = False) -> Image:
    """A symbol as one deck draws it: stretched, bent, hollow or whole."""
    parts = _mirrored(name) if name in _HALVES else DRAWN[name](rng)
    shape = np.diag(np.exp(rng.normal(0, 0.08, 2)))
    if not plain and rng.random() < 0.25:
        shape = shape @ np.array([[1, 0], [float(rng.normal(0, 0.2)), 1]])
    bend = 0.0 if plain or rng.random() < 0.6 else float(rng.uniform(0.02, 0.1))
    phase = rng.uniform(0, 2 * np.pi, 2)
    changed = [(fill, points @ shape + bend * np.sin(4 * points[:, ::-1] + phase)) for fill, points in parts]
    reach = max(float(np.abs(points).max()) for _, points in changed)
    mask = np.zeros((MASK_PX, MASK_PX), np.uint8)
    for fill, points in changed:
        scaled = (points * (_REACH / reach) + 1) * (MASK_PX / 2)
        cv2.fillPoly(mask, [np.round(16 * scaled - 8).astype(np.int32)], 255 if fill else 0, cv2.LINE_AA, 4)
    if not plain and rng.random() < 0.15:
        # Only the contour is printed.
        inner = cv2.erode(mask, np.ones((3, 3), np.uint8), iterations=int(rng.integers(2, 6)))
        mask = np.asarray(cv2.subtract(mask, inner), np.uint8)
    return _cropped(mask)


def symbols(rng: np.random.Generator, count: int) -> list[Image]:
    """Different symbols for one deck, in one manner of drawing."""
    plain = bool(rng.random() < 0.6)
    names = [NAMES[index] for index in rng.permutation(len(NAMES))[:count]]
    names += [str(rng.choice(("blob", "shards", "star", "flower"))) for _ in range(count - len(names))]
    return [symbol(name, rng, plain) for name in names]


def _cropped(mask: Image) -> Image:
    left, top, wide, high = cv2.boundingRect(mask)
    return np.ascontiguousarray(mask[top : top + high, left : left + wide])
