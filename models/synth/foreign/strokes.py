"""Hand-drawn digits and letters: brush and pen strokes through displaced points."""

import cv2
import numpy as np

from models.synth.foreign.symbols import smoothed
from models.synth.scene import Image

TALL_PX, WIDE_PX = 96, 72
_LINES: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "0": (((0.5, 0), (0.05, 0.15), (0, 0.5), (0.1, 0.9), (0.5, 1), (0.95, 0.85), (1, 0.5), (0.9, 0.12), (0.5, 0)),),
    "1": (((0.15, 0.25), (0.55, 0), (0.55, 1)),),
    "2": (((0.05, 0.25), (0.2, 0.03), (0.7, 0), (0.95, 0.25), (0.8, 0.5), (0, 1), (1, 1)),),
    "3": (((0.05, 0.1), (0.5, 0), (0.9, 0.2), (0.45, 0.48), (0.95, 0.7), (0.6, 1), (0, 0.9)),),
    "4": (((0.7, 1), (0.7, 0), (0, 0.68), (1, 0.68)),),
    "5": (((0.95, 0), (0.15, 0), (0.1, 0.45), (0.6, 0.38), (1, 0.65), (0.7, 1), (0, 0.92)),),
    "6": (((0.85, 0.05), (0.35, 0.15), (0, 0.6), (0.2, 1), (0.8, 1), (0.95, 0.65), (0.5, 0.48), (0.05, 0.65)),),
    "7": (((0, 0), (1, 0), (0.35, 1)),),
    "8": (((0.5, 0.48), (0.1, 0.25), (0.5, 0), (0.9, 0.22), (0.5, 0.48), (0, 0.75), (0.5, 1), (1, 0.75), (0.5, 0.48)),),
    "9": (((0.15, 0.95), (0.65, 0.85), (1, 0.4), (0.8, 0), (0.2, 0), (0.05, 0.35), (0.5, 0.52), (0.95, 0.35)),),
    "A": (((0, 1), (0.5, 0), (1, 1)), ((0.2, 0.62), (0.8, 0.62))),
    "J": (((0.3, 0), (1, 0)), ((0.7, 0), (0.7, 0.8), (0.4, 1), (0, 0.8))),
    "Q": (((0.5, 0), (0, 0.3), (0.05, 0.75), (0.5, 1), (1, 0.75), (0.95, 0.25), (0.5, 0)), ((0.6, 0.7), (1.05, 1.05))),
    "K": (((0.05, 0), (0.05, 1)), ((0.95, 0), (0.08, 0.55), (1, 1))),
    "X": (((0, 0), (1, 1)), ((1, 0), (0, 1))),
    "+": (((0.5, 0.2), (0.5, 0.8)), ((0.1, 0.5), (0.9, 0.5))),
    "-": (((0.1, 0.5), (0.9, 0.5)),),
}
"""The strokes of each character, from 0 to 1, y downwards."""
DRAWABLE = frozenset(_LINES)


def handwritten(words: str, rng: np.random.Generator, thick_part: float, wild: float) -> Image:
    """A word in strokes whose points are displaced by `wild`, as a mask cropped to its ink."""
    letters = [_letter(letter, rng, thick_part, wild) for letter in words]
    sheet = np.concatenate(letters, axis=1)
    left, top, wide, high = cv2.boundingRect(sheet)
    return np.ascontiguousarray(sheet[top : top + high, left : left + wide])


def _letter(letter: str, rng: np.random.Generator, thick_part: float, wild: float) -> Image:
    margin = int(0.7 * thick_part * TALL_PX) + 6
    sheet = np.zeros((TALL_PX + 2 * margin, WIDE_PX + 2 * margin), np.uint8)
    lean = float(rng.normal(0, 0.5 * wild))
    for line in _LINES[letter]:
        points = np.array(line) + rng.normal(0, wild, (len(line), 2))
        points[:, 0] += lean * (0.5 - points[:, 1])
        path = smoothed(points, 2, closed=False) * (WIDE_PX, TALL_PX) + margin
        whole = max(1, round(thick_part * TALL_PX))
        if wild < 0.05:
            cv2.polylines(sheet, [np.round(16 * path).astype(np.int32)], False, 255, whole, cv2.LINE_AA, 4)
            continue
        # A brush: the pressure changes along the stroke.
        widths = whole * (1 + 0.35 * np.sin(np.linspace(0, rng.uniform(2, 7), len(path)) + rng.uniform(0, 6)))
        for one, two, width in zip(path[:-1], path[1:], widths, strict=False):
            ends = [(round(16 * x), round(16 * y)) for x, y in (one, two)]
            cv2.line(sheet, ends[0], ends[1], 255, max(1, round(width)), cv2.LINE_AA, 4)
    return sheet
