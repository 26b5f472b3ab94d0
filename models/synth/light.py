"""Light: coloured lamps with falloff, their reflection, and the shadow of a person."""

import cv2
import numpy as np

from models.synth.scene import Image, Light

_GRID = (36, 24)
"""Columns and rows of the coarse grid on which light is computed; it changes slowly, so the result is enlarged."""


def colour_of(kelvin: float) -> tuple[float, float, float]:
    """Blue, green and red of a lamp relative to green: a fit to black-body colours seen by a daylight camera."""
    warmth = np.clip((6500 - kelvin) / 3800, -0.6, 1.1)
    return float(1 - 0.48 * warmth), 1.0, float(1 + 0.30 * warmth)


def illumination(light: Light, size: tuple[int, int]) -> Image:
    """Light of each colour on every pixel; 128 is full light."""
    x, y = np.linspace(-1, 1, _GRID[0])[None, :], np.linspace(-1, 1, _GRID[1])[:, None]
    angle = np.deg2rad(light.angle_deg)
    # The lamp is opposite to the direction of the shadows.
    along = -(np.sin(angle) * x + np.cos(angle) * y)
    level = light.level * (1 - light.falloff * (1 - along) / 2)
    if light.shade:
        # A person leaning over the near edge: a broad patch with a soft edge on one side.
        edge = np.cos(angle) * x - np.sin(angle) * y + 0.5 * along - 0.55
        level = level * (1 - light.shade / (1 + np.exp(-edge * (4 + 26 * (1 - light.softness)))))
    lamp = np.array(colour_of(light.kelvin))
    small = np.clip(128 * level[:, :, None] * lamp[None, None, :], 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def mirrored(light: Light, size: tuple[int, int]) -> Image:
    """The lamp's reflection on a glossy surface."""
    x, y = np.linspace(-1, 1, 96)[None, :], np.linspace(-1, 1, 64)[:, None]
    angle = np.deg2rad(light.angle_deg)
    spot_x, spot_y = -0.55 * np.sin(angle), -0.55 * np.cos(angle)
    width = 0.10 + 0.22 * light.softness
    spot = np.exp(-((x - spot_x) ** 2 + (1.6 * (y - spot_y)) ** 2) / (2 * width**2))
    return np.asarray(
        cv2.resize((255 * light.glare * spot).astype(np.uint8), size, interpolation=cv2.INTER_LINEAR), np.uint8
    )
