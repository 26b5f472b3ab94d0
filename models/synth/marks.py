"""Marks by hand: marker strokes on Lucky Box cards, and their traces after wiping."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.decks.lucky_box.art import SIZE
from models.marks import BONUSES, PLACES, place_centre
from models.synth.materials import clouds
from models.synth.scene import Sprite

Line = NDArray[np.float64]
"""Consecutive points in millimetres."""
Layer = NDArray[np.float32]
"""Ink coverage of every pixel, from 0 to 1."""
OVERSAMPLING = 2
"""Oversampling factor of ink, which gives line widths between whole pixels."""
INKS = ((28, 24, 24), (28, 24, 24), (150, 60, 20), (200, 90, 30), (40, 30, 190), (60, 110, 25), (130, 30, 100),
        (25, 50, 90), (30, 90, 225), (120, 60, 215), (150, 120, 20))  # fmt: skip
"""BGR colours of markers: black, blues, red, green, violet, brown, orange, pink, teal; black is the most common."""
STRAY_CLEARANCE_MM = 5.4
"""Minimum distance of a stray stroke from the middle of a cell, so that it does not mark the cell."""


@dataclass(frozen=True, slots=True)
class FeltPen:
    """A pen, and the hand that holds it."""

    ink: tuple[int, int, int]
    width_mm: float
    cover: float
    """Opacity of the ink over the print, from 0 to 1."""
    dry: float = 0.0
    """Streakiness of the lines: 0 for a fresh pen."""
    sloppy: float = 0.5
    """How far off and how crooked the strokes are."""


def random_marker(rng: np.random.Generator) -> FeltPen:
    """A random pen that is fit to play with."""
    ink = np.clip(np.array(INKS[rng.integers(len(INKS))]) + rng.normal(0, 14, 3), 0, 255).astype(int)
    return FeltPen(
        (int(ink[0]), int(ink[1]), int(ink[2])),
        width_mm=float(rng.uniform(0.9, 2.4)),
        cover=float(rng.uniform(0.75, 1.0)),
        dry=float(rng.uniform(0.1, 0.45)) if rng.random() < 0.35 else 0.0,
        sloppy=float(rng.uniform(0.1, 1.0)),
    )


def marked(sprite: Sprite, words: Iterable[str], marker: FeltPen, seed: int) -> Sprite:
    """The card with crosses in its cells and circles around its bonuses.

    Every mark depends only on the seed and its place: another mark leaves the others unchanged.
    """
    lines = [line for word in words for line in mark_lines(word, marker.sloppy, _rng(seed, 1 + PLACES.index(word)))]
    ink = _drawn(sprite, lines, marker.width_mm)
    if marker.dry:
        ink *= 1 - marker.dry * _streaks(ink, _rng(seed, 0))
    return _inked(sprite, ink * marker.cover, marker.ink)


def ghosted(sprite: Sprite, words: Iterable[str], marker: FeltPen, seed: int) -> Sprite:
    """The card with badly wiped marks of an earlier round: pale, smeared and partly gone."""
    rng = _rng(seed, len(PLACES) + 1)
    lines = [line for word in words for line in mark_lines(word, marker.sloppy, _rng(seed, 1 + PLACES.index(word)))]
    ink = _drawn(sprite, lines, marker.width_mm)
    reach = max(1, round(float(rng.uniform(0.3, 4)) * sprite.px_per_mm))
    wipe = np.full((1, reach), 1 / reach) if rng.random() < 0.5 else np.full((reach, 1), 1 / reach)
    smear = np.asarray(cv2.filter2D(ink, -1, wipe), np.float32)
    left = np.clip(1.6 * _clouds(ink, (4, 5), rng) - 0.2, 0, 1)
    return _inked(sprite, (0.6 * ink + 0.4 * smear) * left * float(rng.uniform(0.04, 0.24)), marker.ink)


def strayed(sprite: Sprite, marker: FeltPen, seed: int) -> Sprite:
    """The card with meaningless strokes and dots: the pen slipped, was tried out, or was put down."""
    rng = _rng(seed, len(PLACES) + 2)
    lines = [line for line in (_stray_line(rng) for _ in range(int(rng.integers(1, 5)))) if line is not None]
    lines += [_dot(rng) for _ in range(int(rng.integers(0, 3)))]
    return _inked(sprite, _drawn(sprite, lines, min(marker.width_mm, 1.5)) * marker.cover, marker.ink)


def mark_lines(word: str, sloppy: float, rng: np.random.Generator) -> list[Line]:
    """The strokes of one mark: a cross, a single stroke or a scribble in a cell, a circle around a bonus."""
    centre = np.array(place_centre(word)) + rng.normal(0, 0.9 * sloppy, 2)
    if word in BONUSES:
        return [_circle(centre, sloppy, rng)]
    kind = rng.random()
    if kind < 0.6:
        lean = rng.normal(0, 8 * sloppy) + rng.choice((0.0, 0.0, 0.0, 45.0))
        return [_stroke(centre, lean + way, _arm(rng), sloppy, rng) for way in (45, 135)]
    if kind < 0.8:
        way = float(rng.choice((0.0, 45.0, 135.0, 135.0))) + rng.normal(0, 15 * sloppy)
        # A diagonal stroke may be longer than a straight one, which would reach the next cell.
        room = 6.8 / max(abs(np.cos(np.deg2rad(way))), abs(np.sin(np.deg2rad(way))))
        return [_stroke(centre, way, min(room, _arm(rng) + 1.2), sloppy, rng)]
    return [_scribble(centre, rng)]


def _arm(rng: np.random.Generator) -> float:
    """Half the length of a stroke."""
    return float(rng.uniform(4.2, 7.4))


def _stroke(centre: Line, turn_deg: float, arm_mm: float, sloppy: float, rng: np.random.Generator) -> Line:
    """A nearly straight line through a point."""
    angle = np.deg2rad(turn_deg + rng.normal(0, 6 * sloppy))
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    at = np.linspace(-1, 1, 9)[:, None]
    bend, shift = rng.normal(0, 0.9 * sloppy), rng.normal(0, 0.5 * sloppy, 2)
    return np.asarray(centre + shift + at * arm_mm * along + bend * (1 - at**2) * across, float)


def _scribble(centre: Line, rng: np.random.Generator) -> Line:
    """Strokes back and forth until the number is covered."""
    turns = int(rng.integers(4, 11))
    half, tall = float(rng.uniform(3, 5.5)), float(rng.uniform(2.5, 5))
    x = np.where(np.arange(turns) % 2, half, -half) + rng.normal(0, 0.5, turns)
    y = np.linspace(-tall, tall, turns) + rng.normal(0, 0.3, turns)
    angle = rng.uniform(0, 2 * np.pi)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(centre + np.column_stack([x, y]) @ spin, float)


def _circle(centre: Line, sloppy: float, rng: np.random.Generator) -> Line:
    """One or two turns around a point, never quite closed or round."""
    rounds = float(rng.choice((0.88, 1.0, 1.1, 1.9), p=(0.15, 0.35, 0.35, 0.15))) + rng.normal(0, 0.03)
    angle = rng.uniform(0, 2 * np.pi) + np.linspace(0, 2 * np.pi * rounds, int(28 * rounds))
    radius = rng.uniform(5.4, 7.9) + rng.normal(0, 0.5 * sloppy) * np.linspace(-1, 1, len(angle))
    for waves in (2, 3):
        radius = radius + rng.normal(0, 0.35 * sloppy) * np.sin(waves * angle + rng.uniform(0, 2 * np.pi))
    wide = 1 + rng.normal(0, 0.1 * sloppy)
    return np.asarray(centre + np.column_stack([wide * radius * np.cos(angle), radius * np.sin(angle) / wide]), float)


def _stray_line(rng: np.random.Generator) -> Line | None:
    """A stroke that stays clear of all places; None if none was found."""
    middles = np.array([place_centre(word) for word in PLACES])
    for _ in range(12):
        start = rng.uniform((1, 1), (SIZE.width_mm - 1, SIZE.height_mm - 1))
        line = _stroke(start, float(rng.uniform(0, 180)), float(rng.uniform(1, 11)), 1.0, rng)
        if np.linalg.norm(line[:, None] - middles, axis=2).min() > STRAY_CLEARANCE_MM:
            return line
    return None


def _dot(rng: np.random.Generator) -> Line:
    """A dot where the pen touched the card."""
    start = rng.uniform((2, 2), (SIZE.width_mm - 2, SIZE.height_mm - 2))
    return np.stack([start, start + rng.normal(0, 0.25, 2)])


def _drawn(sprite: Sprite, lines: list[Line], width_mm: float) -> Layer:
    """Ink coverage of lines at the size of the sprite."""
    height, width = sprite.pixels.shape[:2]
    scale = OVERSAMPLING * sprite.px_per_mm
    sheet = np.zeros((OVERSAMPLING * height, OVERSAMPLING * width), np.uint8)
    for line in lines:
        points = np.round((line * scale - 0.5) * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(sheet, [points], False, 255, max(1, round(width_mm * scale)), cv2.LINE_AA, 4)
    return np.asarray(cv2.resize(sheet, (width, height), interpolation=cv2.INTER_AREA) / np.float32(255), np.float32)


def _streaks(ink: Layer, rng: np.random.Generator) -> Layer:
    """Gaps left by a dry pen: thin broken slanting lines."""
    fine = _clouds(ink, (60, 12) if rng.random() < 0.5 else (14, 80), rng)
    return np.asarray(np.clip(2.5 * fine - 0.6, 0, 1), np.float32)


def _clouds(ink: Layer, cells: tuple[int, int], rng: np.random.Generator) -> Layer:
    return np.asarray(clouds(rng, cells, (ink.shape[1], ink.shape[0])), np.float32)


def _inked(sprite: Sprite, ink: Layer, colour: tuple[int, int, int]) -> Sprite:
    """The sprite with ink on it, limited to the card's outline."""
    pixels = sprite.pixels.astype(np.float32)
    on_card = np.array(colour, np.float32) * (pixels[:, :, 3:] / 255)
    pixels[:, :, :3] += (on_card - pixels[:, :, :3]) * ink[:, :, None]
    return replace(sprite, pixels=np.round(pixels).astype(np.uint8))


def _rng(seed: int, part: int) -> np.random.Generator:
    return np.random.default_rng((seed, part))
