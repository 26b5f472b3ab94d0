"""Colour: the effect of the light on colours, and its correction, for reports and advice only.

Cards are read from uncorrected pictures: the networks were trained under lamps of many colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import CalibrationError, Image

Floats = NDArray[np.float64]
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

CLIPPED = 250.0
"""Value from which a channel may be saturated."""
DARK = 4.0
"""Value below which a channel tells nothing about the light."""
MOST_TONE = 1.5
"""Largest exponent of a camera's tone curve."""
TETHER = 0.03
"""Weight of the pull of the mixing matrix towards the identity; patches have weights of about 1."""
WHITE_WEIGHT = 100.0
WHITE_SHARE = 0.72
"""Share of the brightest value that every channel of a white pixel must reach."""
LEAST_WHITE_PX = 12
BAND = 48
"""Rows that are corrected at a time, so that intermediate results stay in the processor's cache."""
TO_XYZ = np.array(
    [[0.1804375, 0.3575761, 0.4124564], [0.0721750, 0.7151522, 0.2126729], [0.9503041, 0.1191920, 0.0193339]]
)
"""Linear blue, green, red to CIE XYZ, for the white point of daylight (D65)."""


@dataclass(frozen=True, slots=True)
class Colour:
    """A correction of linear-light BGR: a white balance and a mixing matrix."""

    gains: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Factors for blue, green and red, applied first."""
    matrix: tuple[float, ...] = IDENTITY
    """Matrix that then mixes blue, green and red: nine numbers, row by row."""
    kelvin: float = 0.0
    """The estimated colour temperature of the light; 0 if unknown."""
    error: float = 0.0
    """Mean error of the known colours after the correction, in CIE Lab."""
    tone: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Exponents for blue, green and red after the gains: every camera has its own tone curve."""


@dataclass(frozen=True, slots=True)
class White:
    """A piece of white paper in the picture."""

    x_px: float
    y_px: float
    bgr: tuple[float, float, float]
    """The values in the picture, 0 to 255."""
    clipped: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The share of saturated pixels in each channel."""


def linear(values: Floats) -> Floats:
    """Picture values, 0 to 255, as linear light, 0 to 1 (the sRGB curve)."""
    share = np.asarray(values, float) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def encoded(light: Floats) -> Floats:
    """Linear light as picture values; the inverse of `linear`."""
    light = np.clip(light, 0, 1)
    return np.asarray(255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055), float)


def lab(values: Floats) -> Floats:
    """Picture values in CIE Lab, where distances are roughly those that people perceive; n x 3."""
    light = linear(values).reshape(-1, 3) @ TO_XYZ.T / TO_XYZ.sum(1)
    root = np.where(light > 216 / 24389, np.cbrt(light), (24389 / 27 * light + 16) / 116)
    return np.stack([116 * root[:, 1] - 16, 500 * (root[:, 0] - root[:, 1]), 200 * (root[:, 1] - root[:, 2])], 1)


def kelvin_of(gains: Floats) -> float:
    """The colour temperature for white balance gains, by McCamy's formula, for a camera balanced for daylight."""
    x, y, z = TO_XYZ @ (1 / gains)
    slope = (x / (x + y + z) - 0.3320) / (0.1858 - y / (x + y + z))
    kelvin = 449 * slope**3 + 3525 * slope**2 + 6823.3 * slope + 5520.33
    # The formula holds for lamps; outside their range it only tells the direction.
    return float(np.clip(kelvin, 1500, 20000))


def solve_colour(seen: Floats, wanted: Floats) -> Colour:
    """The correction that turns seen colours into the known ones; both n x 3 from 0 to 255."""
    seen, wanted = np.asarray(seen, float).reshape(-1, 3), np.asarray(wanted, float).reshape(-1, 3)
    grey = np.ptp(wanted, axis=1) < 1
    gains, tone = (
        np.array(parts)
        for parts in zip(*(_fit_greys(seen[grey], wanted[grey], channel) for channel in range(3)), strict=True)
    )
    clear = (seen < CLIPPED).all(1)
    light, aim = (linear(seen[clear]) * gains) ** tone, linear(wanted[clear])
    # Dark patches count nearly as much as bright ones: the perceived difference matters, not that of linear light.
    weight = 1 / np.sqrt(aim.mean(1) + 0.05)
    rows = np.vstack([light * weight[:, None], np.full((1, 3), WHITE_WEIGHT), np.eye(3) * TETHER**0.5])
    aims = np.vstack([aim * weight[:, None], np.full((1, 3), WHITE_WEIGHT), np.eye(3) * TETHER**0.5])
    matrix = np.linalg.lstsq(rows, aims, rcond=None)[0].T
    after = encoded(light @ matrix.T)
    error = float(np.linalg.norm(lab(after) - lab(wanted[clear]), axis=1).mean())
    mixing = tuple(float(part) for part in matrix.ravel())
    return Colour(_triple(gains), mixing, kelvin_of(gains), error, _triple(tone))


def _fit_greys(seen: Floats, wanted: Floats, channel: int) -> tuple[float, float]:
    """The gain and the exponent that bring the greys of a channel to their printed brightness."""
    values, aims = seen[:, channel], wanted[:, channel]
    fit = (values < CLIPPED) & (values > DARK)
    if not fit.any():
        name, found = ("blue", "green", "red")[channel], ", ".join(f"{value:.0f}" for value in values)
        raise CalibrationError(
            f"all {len(values)} greys of the strip are too {'dark' if (values <= DARK).any() else 'bright'} in {name} "
            f"({found}); wanted at least one between {DARK:.0f} and {CLIPPED:.0f}: change the exposure or the lamp"
        )
    light, aim = linear(values[fit]), linear(aims[fit])
    power = 1.0
    if fit.sum() >= 3:
        spread, wide = np.log(light) - np.log(light).mean(), np.log(aim) - np.log(aim).mean()
        power = float((spread @ wide + TETHER) / (spread @ spread + TETHER))
        power = min(MOST_TONE, max(1 / MOST_TONE, power))
    bent = light**power
    # The fit is linear, not logarithmic: bright greys count more, because they are measured better.
    return float(bent @ aim / (bent @ bent)) ** (1 / power), power


def colour_from_white(image: Image, places: Sequence[NDArray[np.generic]]) -> Colour:
    """A white balance from cards with white areas; each place is four corners in pixels or a mask."""
    whites = [white for white in (read_white(image, place) for place in places) if white is not None]
    if not whites:
        raise CalibrationError(
            f"no white found on {len(places)} cards; wanted at least one with a white border or ground, "
            "lit and not covered: lay a few cards face up, or use the colour strip"
        )
    usable = [white for white in whites if max(white.clipped) < 0.5]
    if not usable:
        raise CalibrationError(
            f"the white of all {len(whites)} cards is too bright for the camera; "
            "wanted less than 250 of 255: shorten the exposure or dim the lamp"
        )
    values = np.array([white.bgr for white in usable])
    light = np.median(linear(values), axis=0)
    if light.min() <= linear(np.array([DARK]))[0]:
        raise CalibrationError(
            f"the white of the cards reads {_words(encoded(light))} in blue, green, red; "
            f"wanted more than {DARK:.0f} in each: brighter or whiter light is needed"
        )
    gains = 1 / light
    after = encoded(linear(values) * gains)
    error = float(np.linalg.norm(lab(after) - lab(np.full(3, 255.0)), axis=1).mean())
    return Colour(_triple(gains), IDENTITY, kelvin_of(gains), error)


def read_white(image: Image, place: NDArray[np.generic]) -> White | None:
    """The white of a card or a marker, if there is any; `place` is four corners in pixels or a mask of the picture."""
    pixels, x, y = _pixels_of(image, place)
    if len(pixels) < LEAST_WHITE_PX:
        return None
    # Ink absorbs light, so white is bright in every channel at once, whatever the colour of the lamp.
    bright = np.percentile(pixels, 95, axis=0)
    white = pixels[(pixels >= WHITE_SHARE * bright).all(1)]
    if len(white) < max(LEAST_WHITE_PX, 0.02 * len(pixels)):
        return None
    # The brightest part may be the one nearest to a lamp: continue with the typical brightness of the paper.
    for _ in range(2):
        middle = np.median(white, axis=0)
        white = pixels[((pixels >= WHITE_SHARE * middle) & (pixels <= middle / WHITE_SHARE)).all(1)]
    return White(x, y, _triple(np.median(white, axis=0)), _triple((white >= CLIPPED).mean(0)))


def _pixels_of(image: Image, place: NDArray[np.generic]) -> tuple[Floats, float, float]:
    """The pixels of a place, n x 3, and its centre."""
    if place.shape == image.shape[:2]:
        rows, columns = np.nonzero(place)
        if not len(rows):
            return np.empty((0, 3)), 0.0, 0.0
        return image[rows, columns].astype(float), float(columns.mean()), float(rows.mean())
    corners = np.asarray(place, float).reshape(-1, 2)
    height, width = image.shape[:2]
    x, y = corners.mean(0)
    left, top = np.clip(np.floor(corners.min(0)), 0, (width, height)).astype(int)
    right, bottom = np.clip(np.ceil(corners.max(0)) + 1, 0, (width, height)).astype(int)
    inside = np.zeros((max(0, bottom - top), max(0, right - left)), np.uint8)
    if inside.size:
        cv2.fillPoly(inside, [np.round((corners - (left, top)) * 16).astype(np.int32)], 255, cv2.LINE_8, 4)
    return image[top:bottom, left:right][inside > 0].astype(float), float(x), float(y)


def correct(image: Image, colour: Colour) -> Image:
    """The picture as it would look in daylight."""
    if colour.matrix == IDENTITY:
        if colour.gains == colour.tone == (1.0, 1.0, 1.0):
            return image.copy()
        return np.asarray(cv2.LUT(image, _short_table(colour)), np.uint8)
    into, back, mixing = _tables(colour)
    result = np.empty_like(image)
    for top in range(0, len(image), BAND):
        light = np.asarray(cv2.transform(cv2.LUT(image[top : top + BAND], into), mixing), np.uint16)
        np.take(back, light, out=result[top : top + BAND], mode="clip")
    return result


@lru_cache(maxsize=8)
def _short_table(colour: Colour) -> Image:
    """A lookup table for a correction without mixing; 1 x 256 x 3."""
    light = (linear(np.arange(256.0))[:, None] * np.array(colour.gains)) ** np.array(colour.tone)
    return np.round(encoded(light)).astype(np.uint8).reshape(1, 256, 3)


@lru_cache(maxsize=8)
def _tables(colour: Colour) -> tuple[NDArray[np.uint16], Image, NDArray[np.float32]]:
    """Lookup tables from picture values to 16-bit light and back, and the matrix to apply between them."""
    light = linear(np.arange(256.0))[:, None] ** np.array(colour.tone)
    into = np.round(65535 * light).astype(np.uint16).reshape(1, 256, 3)
    back = np.round(encoded(np.arange(65536) / 65535)).astype(np.uint8)
    mixing = np.array(colour.matrix).reshape(3, 3) * np.array(colour.gains) ** np.array(colour.tone)
    return into, back, mixing.astype(np.float32)


def _triple(values: Floats) -> tuple[float, float, float]:
    blue, green, red = (float(value) for value in values)
    return blue, green, red


def _words(values: Floats) -> str:
    return " ".join(f"{value:.0f}" for value in values)
