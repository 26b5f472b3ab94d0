"""Types of the simulated table: objects, light, optics and scene."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.synth.camera import SynthCamera

Image = NDArray[np.uint8]

CARD_MM = 0.31
"""Thickness of a card."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """A flat object seen from above: premultiplied BGRA pixels and their scale."""

    pixels: Image
    px_per_mm: float
    thickness_mm: float = CARD_MM
    gloss: float = 0.0
    boxy: bool = True
    """Whether the outline is (nearly) the rectangle, so that the shadow is a rectangle too."""
    exact_mm: tuple[float, float] | None = None
    """Exact width and height, where the pixel size would be too coarse."""

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height."""
        return self.exact_mm or self._counted_mm()

    def _counted_mm(self) -> tuple[float, float]:
        return self.pixels.shape[1] / self.px_per_mm, self.pixels.shape[0] / self.px_per_mm


@dataclass(frozen=True, slots=True)
class Thing:
    """A placed sprite: centre, clockwise rotation, height of its underside above the table."""

    sprite: Sprite
    x_mm: float
    y_mm: float
    turn_deg: float = 0.0
    height_mm: float = 0.0
    lean_deg: float = 0.0
    """Rotation about the long axis: 0 flat, 90 on edge, as a card that is being turned over."""
    curl_mm: float = 0.0
    """Height of the middle of a bent card above its ends."""


@dataclass(frozen=True, slots=True)
class CardSeen:
    """A card of the scene: its identity and its placement."""

    id: int
    code: str
    face_up: bool
    thing: Thing
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp: colour, position, and hardness of shadows."""

    kelvin: float = 4500.0
    angle_deg: float = 40.0
    """Direction from which the light comes, seen from above."""
    slant: float = 0.6
    """Length of a shadow relative to the height of the object."""
    softness: float = 0.5
    falloff: float = 0.25
    """How much darker the far side of the table is."""
    level: float = 1.0
    glare: float = 0.0
    """Strength of the lamp's reflection."""
    shade: float = 0.0
    """Darkness of the shadow of a person leaning over the table."""


@dataclass(frozen=True, slots=True)
class Optics:
    """Effects of camera and encoder on the picture."""

    defocus_px: float = 0.0
    motion_px: tuple[float, float] = (0.0, 0.0)
    """Movement of the picture during exposure, right and down."""
    noise: float = 2.0
    vignette: float = 0.15
    gamma: float = 1.0
    jpeg: int = 0
    """JPEG quality of the picture; 0 for no compression."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The table at one moment, bottom to top."""

    camera: SynthCamera
    ground: Image
    """BGR texture of the table, covering `ground_mm` around the middle of the table."""
    ground_mm: tuple[float, float]
    ground_gloss: float = 0.1
    under: tuple[Thing, ...] = ()
    """Printed things under the cards: mat, track, markers."""
    cards: tuple[CardSeen, ...] = ()
    clutter: tuple[Thing, ...] = ()
    hands: tuple[Thing, ...] = ()
    light: Light = field(default_factory=Light)
    optics: Optics = field(default_factory=Optics)
