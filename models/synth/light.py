"""Light: lamps of every colour, their falloff, their mirror image, and somebody's shadow."""

import cv2
import numpy as np

from models.synth.scene import Image, Light

_GRID = (36, 24)
"""Light changes slowly, so it is computed on a coarse grid and enlarged."""


def colour_of(kelvin: float) -> tuple[float, float, float]:
    """Blue, green and red of a lamp, green being 1: a fit to black-body colours as a daylight camera sees them."""
    warmth = np.clip((6500 - kelvin) / 3800, -0.6, 1.1)
    return float(1 - 0.48 * warmth), 1.0, float(1 + 0.30 * warmth)


def illumination(light: Light, size: tuple[int, int]) -> Image:
    """How much light of each colour falls on every pixel; 128 is full light."""
    x, y = np.linspace(-1, 1, _GRID[0])[None, :], np.linspace(-1, 1, _GRID[1])[:, None]
    angle = np.deg2rad(light.angle_deg)
    # The lamp stands where shadows point away from.
    along = -(np.sin(angle) * x + np.cos(angle) * y)
    level = light.level * (1 - light.falloff * (1 - along) / 2)
    if light.shade:
        # Somebody leans over the near edge: a broad soft-edged patch on one side.
        edge = np.cos(angle) * x - np.sin(angle) * y + 0.5 * along - 0.55
        level = level * (1 - light.shade / (1 + np.exp(-edge * (4 + 26 * (1 - light.softness)))))
    lamp = np.array(colour_of(light.kelvin))
    small = np.clip(128 * level[:, :, None] * lamp[None, None, :], 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def mirrored(light: Light, size: tuple[int, int]) -> Image:
    """The lamp's mirror image on a glossy surface."""
    x, y = np.linspace(-1, 1, 96)[None, :], np.linspace(-1, 1, 64)[:, None]
    angle = np.deg2rad(light.angle_deg)
    spot_x, spot_y = -0.55 * np.sin(angle), -0.55 * np.cos(angle)
    width = 0.10 + 0.22 * light.softness
    spot = np.exp(-((x - spot_x) ** 2 + (1.6 * (y - spot_y)) ** 2) / (2 * width**2))
    return np.asarray(
        cv2.resize((255 * light.glare * spot).astype(np.uint8), size, interpolation=cv2.INTER_LINEAR), np.uint8
    )
