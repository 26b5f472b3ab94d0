"""Simulated tables with markers on them, and what is really true about them."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens
from calibration.table import TablePose
from models.synth.camera import SynthCamera, overhead_camera
from models.synth.materials import make_ground
from models.synth.render import render
from models.synth.scene import CardSeen, Image, Light, Scene, Sprite, Thing
from models.synth.sprites import rounded
from models.synth.stills import random_light, random_optics

Floats = NDArray[np.float64]
MARKER_MM = 40.0
INSET_MM = 35.0
SIDES = ((-1, -1), (1, -1), (1, 1), (-1, 1))


@dataclass(frozen=True)
class Laid:
    """A table with four markers, the camera above it, and its true size."""

    scene: Scene
    size_mm: tuple[float, float]
    seed: int

    @property
    def lens(self) -> Lens:
        """The lens as a perfect calibration would find it."""
        camera = self.scene.camera
        centre = (float(camera.matrix[0, 2]), float(camera.matrix[1, 2]))
        return Lens((camera.width_px, camera.height_px), (camera.focal_px,) * 2, centre, camera.distortion)

    @property
    def spots(self) -> tuple[tuple[int, float, float], ...]:
        """Where the markers lie."""
        return tuple((number, thing.x_mm, thing.y_mm) for number, thing in enumerate(self.scene.under))

    @property
    def pose(self) -> TablePose:
        """The table as it really is."""
        inverse = np.linalg.inv(self.scene.camera.homography)
        return TablePose(self.size_mm, tuple((inverse / inverse[2, 2]).ravel()), self.spots, MARKER_MM, 0.1)

    def picture(self, **changes: object) -> Image:
        """A photograph, with something changed if wished."""
        # No two photographs have the same grain: it would stay where it is when the table moves.
        grain = np.random.default_rng((self.seed, 1, *"".join(changes).encode()))
        return render(replace(self.scene, **changes), grain).image  # type: ignore[arg-type]


def lay_table(
    seed: int, size_px: tuple[int, int] = (1640, 1232), loose: bool = False, material: str = "wood", hard: float = 0.5
) -> Laid:
    """Table number `seed`: any size, tilt up to 15 degrees, any light; loose markers lie a little askew."""
    rng = np.random.default_rng(seed)
    width = float(rng.uniform(560, 900))
    size_mm = (width, width * float(rng.uniform(0.6, 0.75)))
    camera = overhead_camera(*size_px, size_mm, float(rng.uniform(-15, 15)), float(rng.uniform(0, 1)))
    camera = replace(camera, roll_deg=camera.roll_deg + float(rng.normal(0, 3)))
    ground = make_ground(material, rng)
    markers = []
    for number, (side_x, side_y) in enumerate(SIDES):
        shift, turn = (rng.normal(0, 6, 2), float(rng.normal(0, 8))) if loose else (np.zeros(2), 0.0)
        x = side_x * (size_mm[0] / 2 - INSET_MM) + float(shift[0])
        y = side_y * (size_mm[1] / 2 - INSET_MM) + float(shift[1])
        markers.append(Thing(marker_sprite(number, camera), x, y, turn))
    light, optics = random_light(hard, rng), random_optics(0.7 * hard, size_px[0], rng)
    ground_mm = (2.2 * width, 1.6 * width)
    scene = Scene(camera, ground.pixels, ground_mm, ground.gloss, tuple(markers), light=light, optics=optics)
    return Laid(scene, size_mm, seed)


def marker_sprite(number: int, camera: SynthCamera) -> Sprite:
    """A printed marker with its white margin, every cell a whole number of pixels."""
    cell = max(5, round(1.25 * camera.px_per_mm() * MARKER_MM / 6))
    book = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    marker = np.asarray(cv2.aruco.generateImageMarker(book, number, 6 * cell, borderBits=1))
    sheet = np.pad(marker, cell, constant_values=255)
    return Sprite(np.dstack([sheet] * 3 + [np.full_like(sheet, 255)]), 6 * cell / MARKER_MM, 0.1, 0.05)


def some_cards(laid: Laid, count: int, seed: int) -> tuple[CardSeen, ...]:
    """Cards lying anywhere but on the markers."""
    rng = np.random.default_rng((seed, 2))
    cards = []
    for number in range(count):
        pixels = np.full((176, 126, 3), rng.integers(40, 255, 3), np.uint8)
        cv2.circle(pixels, (63, 88), int(rng.integers(20, 50)), tuple(int(p) for p in rng.integers(0, 255, 3)), -1)
        x, y = rng.uniform(-0.3, 0.3, 2) * laid.size_mm
        thing = Thing(Sprite(rounded(pixels, 8), 2.0, gloss=0.3), float(x), float(y), float(rng.uniform(0, 360)))
        cards.append(CardSeen(number, "x", True, thing))
    return tuple(cards)


def covers(laid: Laid, ids: tuple[int, ...]) -> tuple[Thing, ...]:
    """Coasters on some of the markers."""
    sheet = np.full((160, 160, 4), 255, np.uint8)
    sheet[:, :, :3] = (90, 140, 60)
    return tuple(Thing(Sprite(sheet, 2.0, 1.0, 0.1), laid.spots[i][1], laid.spots[i][2], 20.0) for i in ids)


def bumped(camera: SynthCamera, shift_mm: float, angle: float) -> SynthCamera:
    """The camera slid sideways, so that all of the table seems to have moved."""
    right, down = shift_mm * float(np.cos(angle)), shift_mm * float(np.sin(angle))
    place, target = camera.position_mm, camera.target_mm
    moved = (place[0] + right, place[1] + down, place[2])
    return replace(camera, position_mm=moved, target_mm=(target[0] + right, target[1] + down))


def other_lamp(light: Light, seed: int) -> Light:
    """The lamp changed for another, from another side, with somebody's shadow."""
    rng = np.random.default_rng((seed, 3))
    return replace(
        light,
        kelvin=float(rng.choice([2700, 6500])),
        level=light.level * float(rng.choice([0.5, 1.0])),
        angle_deg=light.angle_deg + float(rng.uniform(60, 300)),
        shade=float(rng.uniform(0.2, 0.6)),
    )


def grid_mm(size_mm: tuple[float, float]) -> Floats:
    """Points all over a table."""
    x, y = np.linspace(-0.5, 0.5, 9) * size_mm[0], np.linspace(-0.5, 0.5, 9) * size_mm[1]
    return np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)


def tipped(camera: SynthCamera, shift_mm: float, angle: float) -> SynthCamera:
    """The camera knocked askew: it looks beside where it looked."""
    right, down = shift_mm * float(np.cos(angle)), shift_mm * float(np.sin(angle))
    return replace(camera, target_mm=(camera.target_mm[0] + right, camera.target_mm[1] + down))


def still(laid: Laid) -> Laid:
    """The same table when nothing shakes: drift is looked for on settled tables."""
    return replace(laid, scene=replace(laid.scene, optics=replace(laid.scene.optics, motion_px=(0.0, 0.0))))
