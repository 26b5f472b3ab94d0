"""Words of the simulated table: what lies on it, how it is lit, what it is made of."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.synth.camera import Camera

Image = NDArray[np.uint8]

CARD_MM = 0.31
"""How thick a card is."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """A flat thing seen from above: premultiplied BGRA pixels, and how many of them make a millimetre."""

    pixels: Image
    px_per_mm: float
    thickness_mm: float = CARD_MM
    gloss: float = 0.0
    boxy: bool = True
    """Whether its outline is (nearly) its rectangle, so that its shadow is one too."""
    exact_mm: tuple[float, float] | None = None
    """Width and height where they are known better than by counting pixels."""

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height."""
        return self.exact_mm or self._counted_mm()

    def _counted_mm(self) -> tuple[float, float]:
        return self.pixels.shape[1] / self.px_per_mm, self.pixels.shape[0] / self.px_per_mm


@dataclass(frozen=True, slots=True)
class Thing:
    """A sprite at its place: centre, clockwise turn, height of its underside above the table."""

    sprite: Sprite
    x_mm: float
    y_mm: float
    turn_deg: float = 0.0
    height_mm: float = 0.0
    lean_deg: float = 0.0
    """How far it is turned about its own long axis: 0 flat, 90 on its edge, as a card that is being turned over."""
    curl_mm: float = 0.0
    """How much the middle of a bent card stands above its ends."""


@dataclass(frozen=True, slots=True)
class CardSeen:
    """A card of the scene: what it is and where it lies."""

    id: int
    code: str
    face_up: bool
    thing: Thing
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp: its colour, where it stands, and how hard its shadows are."""

    kelvin: float = 4500.0
    angle_deg: float = 40.0
    """The direction the light comes from, seen from above."""
    slant: float = 0.6
    """How far shadows reach, as a part of the height of what throws them."""
    softness: float = 0.5
    falloff: float = 0.25
    """How much darker the far side of the table is."""
    level: float = 1.0
    glare: float = 0.0
    """How strongly the lamp is mirrored."""
    shade: float = 0.0
    """How dark the shadow of somebody who leans over the table is."""


@dataclass(frozen=True, slots=True)
class Optics:
    """What camera and encoder do to the picture."""

    defocus_px: float = 0.0
    motion_px: tuple[float, float] = (0.0, 0.0)
    """How far the picture moved while it was taken, right and down."""
    noise: float = 2.0
    vignette: float = 0.15
    gamma: float = 1.0
    jpeg: int = 0
    """Quality of the JPEG the picture went through; 0 for none."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One moment of the table, bottom to top."""

    camera: Camera
    ground: Image
    """The table's surface, BGR, laid over the area `ground_mm` around the middle of the table."""
    ground_mm: tuple[float, float]
    ground_gloss: float = 0.1
    under: tuple[Thing, ...] = ()
    """Printed things under the cards: mat, track, markers."""
    cards: tuple[CardSeen, ...] = ()
    clutter: tuple[Thing, ...] = ()
    hands: tuple[Thing, ...] = ()
    light: Light = field(default_factory=Light)
    optics: Optics = field(default_factory=Optics)
