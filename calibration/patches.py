"""Patches: pieces of the table's surface that are recognised again in any light."""

from base64 import b64decode, b64encode
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import Image

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Mask = NDArray[np.bool_]

SIDE = 33
"""Pixels across a patch; at one pixel per mm that is half a card."""
PATTERN_BYTES = -(-SIDE * SIDE // 8)
"""Size of a stored patch: one bit per pixel."""
MOST = 72
_CELL = 48
"""Side of the grid cells in pixels, each with one patch, so that no card and no hand hides them all."""
_LEAST_CONTRAST, _NOISE_SHARE = 0.5, 0.5
"""Smallest contrast of a patch in grey levels, and the share of pixel noise that remains in it; below that, contrast
comes from the sensor, the encoder or a reflection."""
_QUIET, _ENCODED_CONTRAST = 0.2, 1.5
"""Grey levels: a picture with less noise was compressed, and its faint grain comes from the encoder."""
_MOST_CONTRAST = 2.5
"""Largest contrast, as a multiple of the usual contrast of this surface."""
_DARK, _FAINT = 8.0, 0.003
"""Grey levels, and shares of the light, below which there is only noise."""
_TURN_STEP_DEG = 0.15
_NEAR = np.arange(-2, 3)
_SHARP = 0.02
"""Curvature of the similarity at its peak below which a position is not determined: a stripe, or noise."""
_FAR_PX = 2.5
"""Longest step that is taken towards the peak."""
_TRUTHS = SIDE * SIDE / 12
"""Independent pixels of a patch: neighbouring pixels of a smoothed picture repeat each other."""
MIN_SIMILARITY = 0.3
"""Similarity from which a patch is recognised; patterns are stored in black and white, so 0.8 is the maximum."""


@dataclass(frozen=True, slots=True)
class SurfacePatch:
    """A piece of the surface: its centre in pixels of the view, and its bright pixels in base64."""

    x: float
    y: float
    pattern: str


@dataclass(frozen=True, slots=True)
class PatchSimilarity:
    """The similarity of every patch to its present surroundings: a square of values each, centred on its old place."""

    places: Floats
    values: Singles
    reach: int


@dataclass(frozen=True, slots=True)
class PatchPositions:
    """The present positions of patches; a stripe determines only the position across it."""

    now: Floats
    precision: Floats
    """n x 2 x 2: turns an error in pixels into a multiple of the expected error."""
    similarity: Floats
    determined: Floats
    """n x 2 x 2: projections onto the directions in which a patch determines its position."""


def texture_of(view: Image) -> Singles:
    """The grain of the surface without the effect of light.

    Light multiplies, so in the logarithm it is a slowly varying summand.
    """
    tone = np.log(np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), np.float32) + _DARK)
    grain = cv2.GaussianBlur(tone, (0, 0), 0.9) - cv2.GaussianBlur(tone, (0, 0), 6.0)
    # The edge of a card must not outweigh the grain beside it.
    return np.asarray(grain / np.sqrt(cv2.GaussianBlur(grain**2, (0, 0), 8.0) + _FAINT**2), np.float32)


def contrast_of(view: Image) -> Singles:
    """The standard deviation of the grain around every pixel, in grey levels."""
    grey = np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), np.float32)
    grain = cv2.GaussianBlur(grey, (0, 0), 0.9) - cv2.GaussianBlur(grey, (0, 0), 6.0)
    return np.asarray(np.sqrt(np.maximum(cv2.blur(grain**2, (SIDE, SIDE)), 0)), np.float32)


def cut_patches(view: Image, usable: Mask) -> tuple[SurfacePatch, ...]:
    """The most distinctive patches, spread over the usable part."""
    texture, contrast = texture_of(view), contrast_of(view)
    room = SIDE // 2 + 2
    inside = np.asarray(cv2.erode(usable.astype(np.uint8), np.ones((2 * room + 1,) * 2, np.uint8)), bool)
    inside[:room], inside[-room:], inside[:, :room], inside[:, -room:] = False, False, False, False
    if not inside.any():
        return ()
    grey = np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), np.float32)
    noise = float(np.median(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 0.9))[inside]))
    usual = float(np.median(contrast[inside]))
    least = float(np.hypot(_LEAST_CONTRAST, _NOISE_SHARE * noise)) if noise > _QUIET else _ENCODED_CONTRAST
    if usual < least:
        return ()
    # Objects that stand out from most of the surface lie on it and will be removed.
    surface = (contrast > least) & (contrast < _MOST_CONTRAST * usual)
    telling = np.where(inside & surface, cv2.cornerMinEigenVal(texture, SIDE), 0)
    found = []
    for top in range(0, texture.shape[0], _CELL):
        for left in range(0, texture.shape[1], _CELL):
            cell = telling[top : top + _CELL, left : left + _CELL]
            y, x = np.unravel_index(int(np.argmax(cell)), cell.shape)
            if cell[y, x] > 0:
                found.append((float(cell[y, x]), left + int(x), top + int(y)))
    best = sorted(found, reverse=True)[:MOST]
    return tuple(SurfacePatch(x, y, _written(_cut(texture, x, y))) for _, x, y in best)


def compare_patches(texture: Singles, patches: tuple[SurfacePatch, ...], reach: int) -> PatchSimilarity:
    """The similarity of the patches to everything within `reach` pixels of their places."""
    half, size = SIDE // 2, SIDE + 2 * reach
    padded = cv2.copyMakeBorder(texture, *(half + reach,) * 4, cv2.BORDER_CONSTANT, value=0)
    values = np.zeros((len(patches), 2 * reach + 1, 2 * reach + 1), np.float32)
    for index, patch in enumerate(patches):
        x, y = round(patch.x), round(patch.y)
        around = padded[y : y + size, x : x + size]
        if around.shape == (size, size):
            values[index] = cv2.matchTemplate(around, _read(patch.pattern), cv2.TM_CCOEFF_NORMED)
    return PatchSimilarity(np.array([(patch.x, patch.y) for patch in patches], float).reshape(-1, 2), values, reach)


def vote(similarity: PatchSimilarity, middle: Floats) -> tuple[float, Floats, float]:
    """The rotation about the centre in degrees and the shift that most patches support, and the relative runner-up."""
    reach, arms = similarity.reach, similarity.places - middle
    # Patches near the edge of a tilted picture deviate a little from the common motion.
    wide = np.stack([cv2.dilate(values, np.ones((5, 5), np.uint8)) for values in similarity.values])
    padded = np.pad(np.maximum(wide, 0), ((0, 0), (reach, reach), (reach, reach)))
    longest = float(np.linalg.norm(arms, axis=1).max())
    most = np.rad2deg(0.9 * reach / max(longest, 1.0))
    steps = int(most / _TURN_STEP_DEG)
    scores = np.zeros((2 * steps + 1, 2 * reach + 1, 2 * reach + 1), np.float32)
    for number in range(-steps, steps + 1):
        cosine, sine = np.cos(np.deg2rad(number * _TURN_STEP_DEG)), np.sin(np.deg2rad(number * _TURN_STEP_DEG))
        moves = np.round(arms @ np.array([[cosine - 1, sine], [-sine, cosine - 1]])).astype(int)
        for (x, y), values in zip(moves, padded, strict=True):
            left, top = int(x) + reach, int(y) + reach
            scores[number + steps] += values[top : top + 2 * reach + 1, left : left + 2 * reach + 1]
    turn, row, column = (int(place) for place in np.unravel_index(int(np.argmax(scores)), scores.shape))
    best = scores.max(0)
    peaks = best >= cv2.dilate(best, np.ones((11, 11), np.uint8))
    peaks[max(0, row - 5) : row + 6, max(0, column - 5) : column + 6] = False
    second = float(best[peaks].max()) if peaks.any() else 0.0
    level = float(np.median(best))
    rival = max(0.0, second - level) / max(float(scores.max()) - level, 1e-6)
    return (turn - steps) * _TURN_STEP_DEG, np.array([column - reach, row - reach], float), rival


def locate_patches(similarity: PatchSimilarity, expected: Floats) -> PatchPositions:
    """The present positions of patches near their expected ones."""
    own = np.arange(len(expected))
    inner = similarity.reach - 4
    spots = np.round(expected - similarity.places).astype(np.intp)
    spots, outside = np.clip(spots, -inner, inner), np.abs(spots).max(1) > inner + 1
    around = _windows(similarity, own, spots)
    row, column = np.divmod(around.reshape(len(own), -1).argmax(1), len(_NEAR))
    spots += np.stack([_NEAR[column], _NEAR[row]], 1)
    windows = _windows(similarity, own, spots)
    # A paraboloid through the 25 values around: its value, slope and curvature at the centre.
    fitted = windows.reshape(len(own), -1).astype(float) @ _PARABOLOID.T
    like = np.where(outside, 0.0, windows.max((1, 2)))
    slope = fitted[:, 1:3]
    bend = -np.stack([2 * fitted[:, 3], fitted[:, 4], fitted[:, 4], 2 * fitted[:, 5]], 1).reshape(-1, 2, 2)
    sharp, ways = np.linalg.eigh(bend)
    known, sharp = sharp > _SHARP, np.maximum(sharp, _SHARP)
    steps = np.clip(np.einsum("nij,ni->nj", ways, slope) / sharp, -_FAR_PX, _FAR_PX)
    now = similarity.places + spots + np.einsum("nij,nj->ni", ways, steps)
    share = np.clip(like / 0.8, 0.05, 0.95)
    # The similarity of two noisy patches falls with their noise, as for any matched filter.
    trust = _TRUTHS * share**2 / (1 - share**2) * sharp.T / np.maximum(like, 0.05)
    precision = (known * np.minimum(np.sqrt(trust), 10).T)[:, :, None] * ways.transpose(0, 2, 1)
    return PatchPositions(now, precision, like, np.einsum("nij,nj,nkj->nik", ways, known.astype(float), ways))


def _windows(similarity: PatchSimilarity, own: NDArray[np.intp], spots: NDArray[np.intp]) -> Singles:
    rows, columns = similarity.reach + spots[:, 1, None] + _NEAR, similarity.reach + spots[:, 0, None] + _NEAR
    return np.asarray(similarity.values[own[:, None, None], rows[:, :, None], columns[:, None]], np.float32)


def _paraboloid() -> Floats:
    y, x = np.indices((len(_NEAR), len(_NEAR)), float).reshape(2, -1) - len(_NEAR) // 2
    return np.asarray(np.linalg.pinv(np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], 1)), float)


_PARABOLOID = _paraboloid()


def _cut(texture: Singles, x: int, y: int) -> Singles:
    half = SIDE // 2
    return texture[y - half : y + half + 1, x - half : x + half + 1]


def _written(patch: Singles) -> str:
    return b64encode(np.packbits(patch > np.median(patch)).tobytes()).decode("ascii")


def _read(pattern: str) -> Singles:
    bright = np.unpackbits(np.frombuffer(b64decode(pattern), np.uint8))[: SIDE * SIDE]
    return bright.astype(np.float32).reshape(SIDE, SIDE)
