"""Arrangements of cards on a table: scattered cards, stacks, pairs, fans, grids and heaps."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class CardSpot:
    """Position and rotation of one card."""

    x_mm: float
    y_mm: float
    turn_deg: float


Arrangement = Callable[[np.random.Generator, float, float, tuple[float, float]], list[CardSpot]]
"""Places cards of a given size on a table of a given size, bottom to top."""


def _anywhere(rng: np.random.Generator, table_mm: tuple[float, float], room_mm: float) -> tuple[float, float]:
    x, y = max(5.0, table_mm[0] / 2 - room_mm), max(5.0, table_mm[1] / 2 - room_mm)
    return float(rng.uniform(-x, x)), float(rng.uniform(-y, y))


def _moved(x: float, y: float, turn_deg: float, right_mm: float, down_mm: float, by_deg: float = 0) -> CardSpot:
    """A spot to the right of and below (x, y), as seen from a seat turned by `turn_deg`."""
    angle = np.deg2rad(turn_deg)
    dx = np.cos(angle) * right_mm - np.sin(angle) * down_mm
    dy = np.sin(angle) * right_mm + np.cos(angle) * down_mm
    return CardSpot(x + float(dx), y + float(dy), turn_deg + by_deg)


def _strip_mm(rng: np.random.Generator) -> float:
    """Visible strip of a card under the next one: mostly narrow, but people vary."""
    return float(rng.uniform(14, 26) if rng.random() < 0.55 else rng.uniform(10, 62))


def scatter(rng: np.random.Generator, width: float, height: float, table_mm: tuple[float, float]) -> list[CardSpot]:
    """Single cards at random."""
    count = int(rng.integers(1, 9))
    return [CardSpot(*_anywhere(rng, table_mm, 0.3 * height), float(rng.uniform(0, 360))) for _ in range(count)]


def stack(rng: np.random.Generator, width: float, height: float, table_mm: tuple[float, float]) -> list[CardSpot]:
    """A growing stack: each card covers the previous one except for a strip, most often of 15 to 25 mm."""
    count = int(rng.integers(2, 16))
    step, turn = _strip_mm(rng), float(rng.uniform(0, 360))
    count = min(count, max(2, int(320 / step)))
    x, y = _anywhere(rng, table_mm, 0.5 * height + 0.25 * count * step)
    return [
        _moved(x, y, turn, rng.normal(0, 1.2), (count / 2 - number) * step + rng.normal(0, 1), rng.normal(0, 1.5))
        for number in range(count)
    ]


def pair(rng: np.random.Generator, width: float, height: float, table_mm: tuple[float, float]) -> list[CardSpot]:
    """Two stacks side by side, like tens and units."""
    count, step = int(rng.integers(1, 7)), _strip_mm(rng)
    turn, gap = float(rng.uniform(0, 360)), float(rng.uniform(1, 12))
    x, y = _anywhere(rng, table_mm, height)
    return [
        _moved(x, y, turn, side * (width + gap) / 2 + rng.normal(0, 1), (count / 2 - n) * step, rng.normal(0, 1.5))
        for n in range(count)
        for side in (-1, 1)
    ]


def fan(rng: np.random.Generator, width: float, height: float, table_mm: tuple[float, float]) -> list[CardSpot]:
    """A set laid as a fan, or as a row that overlaps sideways."""
    count, step = int(rng.integers(2, 8)), _strip_mm(rng)
    turn, spread = float(rng.uniform(0, 360)), float(rng.choice((0.0, rng.uniform(2, 9))))
    x, y = _anywhere(rng, table_mm, 0.5 * height)
    spots = []
    for number in range(count):
        side = number - (count - 1) / 2
        drop = 0.5 * spread * side**2 * 0.4
        spots.append(_moved(x, y, turn, side * step, drop + rng.normal(0, 0.7), spread * side + rng.normal(0, 0.8)))
    return spots


def grid(rng: np.random.Generator, width: float, height: float, table_mm: tuple[float, float]) -> list[CardSpot]:
    """Rows and columns, like the cards in the centre or number cards in a row."""
    columns, rows = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    gap, turn = float(rng.uniform(1, 20)), float(rng.choice((0, 90, 180, 270))) + float(rng.normal(0, 3))
    x, y = _anywhere(rng, table_mm, 0.5 * height)
    return [
        _moved(
            x,
            y,
            turn,
            (column - (columns - 1) / 2) * (width + gap) + rng.normal(0, 1.5),
            (row - (rows - 1) / 2) * (height + gap) + rng.normal(0, 1.5),
            rng.normal(0, 2.5),
        )
        for row in range(rows)
        for column in range(columns)
    ]


def heap(rng: np.random.Generator, width: float, height: float, table_mm: tuple[float, float]) -> list[CardSpot]:
    """Cards thrown on top of one another."""
    count, room = int(rng.integers(3, 12)), float(rng.uniform(15, 70))
    x, y = _anywhere(rng, table_mm, 0.6 * height)
    return [
        CardSpot(x + float(rng.normal(0, room)), y + float(rng.normal(0, room)), float(rng.uniform(0, 360)))
        for _ in range(count)
    ]


def pile(rng: np.random.Generator, width: float, height: float, table_mm: tuple[float, float]) -> list[CardSpot]:
    """A squared pile, represented by a few almost aligned cards."""
    turn = float(rng.uniform(0, 360))
    x, y = _anywhere(rng, table_mm, 0.5 * height)
    count = int(rng.integers(2, 6))
    return [_moved(x, y, turn, rng.normal(0, 0.5), rng.normal(0, 0.5), rng.normal(0, 0.6)) for _ in range(count)]


ARRANGEMENTS: dict[str, Arrangement] = {
    "scatter": scatter,
    "stack": stack,
    "pair": pair,
    "fan": fan,
    "grid": grid,
    "heap": heap,
    "pile": pile,
}
"""All arrangements by name."""
