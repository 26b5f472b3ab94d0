"""Tables under lamps: the printed strip, cards and markers as a camera sees them, with known truth."""

from dataclasses import dataclass
from functools import cache, partial

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.colour import Floats, encoded, lab, linear
from calibration.frames import Image
from calibration.strip import STRIP_MM, find_strip
from models.art.paper import Paper
from models.art.pen import Pen, Size
from models.art.picture import draw_pixels, rasterise
from models.art.rig import MARKER_MM, draw_marker, print_colour_strip
from models.cards import own_deck
from models.synth.camera import overhead_camera
from models.synth.render import CardTruth, RenderedPicture, render
from models.synth.scene import CardSeen, Light, Optics, Scene, Sprite, Thing
from models.synth.sprites import FaceSprites

LAMPS = (2700.0, 3500.0, 4500.0, 5500.0, 6500.0)
TABLE_MM = (640.0, 480.0)
MAT = np.full((60, 80, 3), (92, 107, 61), np.uint8)


@dataclass(frozen=True)
class Shot:
    """How a picture is taken: where the strip lies, the lamp, the lens, the sensor."""

    kelvin: float = 6500.0
    level: float = 0.8
    falloff: float = 0.2
    strip_at: tuple[float, float, float] | None = (0.0, -150.0, 90.0)
    """Centre and turn of the strip, if there is one."""
    bend: float = 0.2
    tilt_deg: float = 3.0
    noise: float = 1.5
    vignette: float = 0.1
    size_px: tuple[int, int] = (1200, 900)
    cards: tuple[CardSeen, ...] = ()
    markers: bool = False
    cover: tuple[Thing, ...] = ()

    def take(self) -> RenderedPicture:
        """The picture with its truth."""
        under = []
        if self.strip_at is not None:
            under.append(Thing(strip_sprite(), *self.strip_at))
        if self.markers:
            x, y = TABLE_MM[0] / 2 - 31, TABLE_MM[1] / 2 - 31
            corners = ((-x, -y), (x, -y), (x, y), (-x, y))
            under += [Thing(marker_sprite(number), *corner) for number, corner in enumerate(corners)]
        scene = Scene(
            overhead_camera(*self.size_px, TABLE_MM, self.tilt_deg, self.bend),
            MAT,
            (1700.0, 1300.0),
            under=tuple(under),
            cards=self.cards,
            clutter=self.cover,
            light=Light(self.kelvin, level=self.level, falloff=self.falloff),
            optics=Optics(noise=self.noise, vignette=self.vignette),
        )
        return render(scene, np.random.default_rng(5))


@cache
def strip_page(px_per_mm: float = 6.0) -> Image:
    """The page that comes out of the printer."""
    return rasterise(print_colour_strip(Paper.A4), px_per_mm)


@cache
def strip_sprite() -> Sprite:
    """The strip, cut out of its page."""
    page, scale = strip_page(), 6.0
    matrix = np.array(find_strip(page).homography).reshape(3, 3) @ np.diag([1 / scale, 1 / scale, 1])
    size = (round(STRIP_MM[0] * scale), round(STRIP_MM[1] * scale))
    cut = cv2.warpPerspective(page, matrix, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    return Sprite(np.dstack([cut, np.full(cut.shape[:2], 255, np.uint8)]), scale, 0.1)


@cache
def marker_sprite(number: int) -> Sprite:
    """A table marker, cut out with its white margin."""
    size = Size(MARKER_MM + 20, MARKER_MM + 20, 0)

    def draw(pen: Pen, number: int) -> None:
        draw_marker(pen, cv2.aruco.DICT_4X4_50, number, 10, 10, MARKER_MM)

    drawn = draw_pixels(partial(draw, number=number), size, 4.0)
    return Sprite(np.dstack([drawn, np.full(drawn.shape[:2], 255, np.uint8)]), 4.0, 0.1)


@cache
def faces(game: str) -> FaceSprites:
    """The deck of a game at the scale of the pictures."""
    return FaceSprites(own_deck(game), 3.0)


def laid(game: str, codes: tuple[str, ...]) -> tuple[CardSeen, ...]:
    """Cards in two rows in the lower part of the table, every one turned a little otherwise."""
    cards = []
    for number, code in enumerate(codes):
        row, column = divmod(number, 6)
        thing = Thing(faces(game).face(code), -230.0 + 92 * column, 10.0 + 112 * row, 7.0 * (number % 5) - 14)
        cards.append(CardSeen(number, code, True, thing))
    return tuple(cards)


def sampled(image: Image, card: CardTruth, points_mm: Floats) -> Floats:
    """The colours of a card at points of it, from its upper left corner; n x 3."""
    width, height = card.card.thing.sprite.size_mm
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    mapping = cv2.getPerspectiveTransform(corners, np.array(card.corners_px, np.float32))
    places = cv2.perspectiveTransform(points_mm.reshape(-1, 1, 2), np.asarray(mapping, float)).astype(np.float32)
    x, y = np.ascontiguousarray(places[:, :, 0]), np.ascontiguousarray(places[:, :, 1])
    return np.asarray(cv2.remap(image, x, y, cv2.INTER_LINEAR), float).reshape(-1, 3)


def separation(samples: dict[str, Floats]) -> float:
    """The smallest distance of two inks in the plane of a and b, over what their samples spread together."""
    planes = {name: lab(values)[:, 1:] for name, values in samples.items()}
    middles = {name: plane.mean(0) for name, plane in planes.items()}
    spreads = {name: float(np.sqrt(((plane - middles[name]) ** 2).sum(1).mean())) for name, plane in planes.items()}
    return min(
        float(np.linalg.norm(middles[one] - middles[two])) / (spreads[one] + spreads[two])
        for one in planes
        for two in planes
        if one < two
    )


def relit(image: Image, light_bgr: tuple[float, float, float] | NDArray[np.float64]) -> Image:
    """The picture under other light, as physics has it: amounts of light are multiplied."""
    light = linear(image.astype(float)) * np.asarray(light_bgr, float)
    return np.asarray(np.round(encoded(light)), np.uint8)
