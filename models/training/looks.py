"""Image augmentation: lamps, window bars, blur and grain beyond what the renderer simulates."""

import cv2
import numpy as np

from models.crops import Image

Gain = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
"""Brightness factor of each pixel."""


def relit(image: Image, rng: np.random.Generator) -> Image:
    """The picture in another light: other gains, hard patches of sun or shade, veiling glare."""
    height, width = image.shape[:2]
    gain = np.ones((height, width, 1), np.float32)
    if rng.random() < 0.35:
        gain = _patches(height, width, rng)[:, :, None]
    colour = np.exp(rng.normal(0, 0.10, 3)).astype(np.float32) * float(np.exp(rng.normal(0, 0.22)))
    veil = float(rng.uniform(0, 40)) if rng.random() < 0.25 else 0.0
    lit = image.astype(np.float32) * (gain * colour) + veil
    if rng.random() < 0.3:
        grey = lit.mean(2, keepdims=True)
        lit = grey + (lit - grey) * float(rng.uniform(0.55, 1.5))
    if rng.random() < 0.3:
        lit = 255 * np.clip(lit / 255, 0, 1) ** float(rng.uniform(0.6, 1.5))
    return np.clip(lit, 0, 255).astype(np.uint8)


def blurred(image: Image, rng: np.random.Generator) -> Image:
    """Sometimes out of focus, coarse or oversharpened."""
    chance = rng.random()
    if chance < 0.15:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.5, 1.3))), np.uint8)
    if chance < 0.25:
        return _coarse(image, float(rng.uniform(0.5, 0.9)))
    if chance < 0.35:
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        return np.asarray(cv2.addWeighted(image, 1.8, soft, -0.8, 0), np.uint8)
    return image


def distant(image: Image, rng: np.random.Generator) -> Image:
    """As seen by a camera above a large table: half of the time with fewer pixels."""
    if rng.random() < 0.5:
        return image
    return _coarse(image, float(rng.uniform(0.35, 0.9)))


def exposed(image: Image, rng: np.random.Generator) -> Image:
    """The picture with a wrong exposure: overexposed in the sun, or much too dark."""
    if rng.random() > 0.3:
        return image
    bright = rng.random() < 0.75
    gain = np.exp(rng.uniform(0.2, 1.2) if bright else rng.uniform(-1.2, -0.3))
    tint = np.exp(rng.normal(0, 0.15, 3)).astype(np.float32) * np.float32(gain)
    lit = image.astype(np.float32)
    if bright and rng.random() < 0.4:
        # Sun through a window: the rest of the table keeps its exposure.
        height, width = image.shape[:2]
        sun: Gain = np.zeros((height, width), np.float32)
        for _ in range(int(rng.integers(1, 4))):
            _fill_slab(sun, rng, 1.0)
        sun = np.asarray(cv2.GaussianBlur(sun, (0, 0), float(rng.uniform(0.5, 6))), np.float32)
        return np.clip(lit * (1 + sun[:, :, None] * (tint - 1)), 0, 255).astype(np.uint8)
    return np.clip(lit * tint, 0, 255).astype(np.uint8)


def _coarse(image: Image, scale: float) -> Image:
    """The picture at a lower resolution, scaled back to its size."""
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, image.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)


def _patches(height: int, width: int, rng: np.random.Generator) -> Gain:
    """Polygons that are brighter or darker than the rest, with hard to soft edges."""
    gain = np.full((height, width), float(rng.uniform(0.6, 1.1)), np.float32)
    for _ in range(int(rng.integers(1, 6))):
        _fill_slab(gain, rng, float(np.exp(rng.normal(0.1, 0.45))))
    soft = float(rng.uniform(0.5, 12))
    return np.asarray(cv2.GaussianBlur(gain, (0, 0), soft), np.float32)


def _fill_slab(gain: Gain, rng: np.random.Generator, value: float) -> None:
    """Fill a rectangle at a random position and rotation."""
    height, width = gain.shape
    middle = rng.uniform(0, (width, height))
    angle, sides = float(rng.uniform(0, np.pi)), rng.uniform(0.05, 0.7, 2) * width
    across, along = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    corners = [middle + across * sides[0] * x + along * sides[1] * y for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    cv2.fillConvexPoly(gain, np.round(corners).astype(np.int32), value, cv2.LINE_AA)
