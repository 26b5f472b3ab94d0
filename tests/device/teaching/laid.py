"""Pictures of cards that lie on a simulated table, of a deck that nobody has printed."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from calibration.frames import Frame
from calibration.rig import Rig, rig_text
from device.eyes import EyeFactory
from device.lab.evaluation.stills import known_rig
from device.teaching.school import taught_school
from models.codes import FREE
from models.crops import Image
from models.synth.materials import Ground, make_ground
from models.synth.render import render
from models.synth.scene import CardSeen, Light, Optics, Scene, Sprite, Thing
from models.synth.stills import GROUND_MM, TABLE_MM, Recipe, random_camera
from models.synth.styles import Print, Style, random_style

SIZE_PX = (1280, 896)
PX_PER_MM = 2.5
CODES = ("1-red", "2-red", "6-red", "9-red", "2-blue", "7-blue", "9-green", "4-green")
PLACES = tuple((x, y) for y in (-105.0, 105.0) for x in (-225.0, -75.0, 75.0, 225.0))


@dataclass(frozen=True, slots=True)
class Lying:
    """A card and where it lies."""

    code: str
    x_mm: float
    y_mm: float
    turn_deg: float = 0.0


def style(seed: int = 2) -> Style:
    """A look with numbers in the corners and in the middle."""
    made = random_style(np.random.default_rng(seed), held_out=True)
    size = replace(made.size, width_mm=59, height_mm=92)
    return replace(made, size=size, middle="number", corners=4, mirrored=True, bar=True, dark=False, ground="white")


@cache
def face(code: str, seed: int = 2) -> Sprite:
    """One card; `back` is the other side."""
    if code == "back":
        return style(seed).back(PX_PER_MM)
    number, _, colour = code.partition("-")
    return style(seed).face(Print(int(number), colour), PX_PER_MM)


@cache
def felt() -> Ground:
    """The top of the table."""
    return make_ground("felt", np.random.default_rng(3))


def table(cards: list[Lying], seed: int = 1, blur_px: float = 0.3, look: int = 2) -> tuple[Image, Rig]:
    """A picture of cards on a table, and the rig that took it."""
    rng = np.random.default_rng(seed)
    camera = random_camera(Recipe(SIZE_PX, 0.15, bent=False), np.random.default_rng(5))
    seen = tuple(
        CardSeen(number, card.code, True, Thing(face(card.code, look), card.x_mm, card.y_mm, card.turn_deg))
        for number, card in enumerate(cards)
    )
    ground = felt()
    light = Light(kelvin=4000 + 500 * (seed % 4), level=1 - 0.05 * (seed % 3), falloff=0.1)
    optics = Optics(defocus_px=blur_px, noise=2.0)
    picture = render(Scene(camera, ground.pixels, GROUND_MM, cards=seen, light=light, optics=optics), rng)
    return picture.image, known_rig(SIZE_PX, camera.matrix, camera.distortion, camera.homography, TABLE_MM)


@cache
def spread(codes: tuple[str, ...] = CODES, seed: int = 1, turn_deg: float = 0.0) -> tuple[Frame, Rig]:
    """Cards side by side."""
    cards = [
        Lying(code, x, y, turn_deg + 3 * (number % 3 - 1))
        for number, (code, (x, y)) in enumerate(zip(codes, PLACES, strict=False))
    ]
    image, rig = table(cards, seed)
    return Frame(seed, 0.0, image), rig


@cache
def one(code: str, seed: int = 1, blur_px: float = 0.3, x_mm: float = 10.0, look: int = 2) -> tuple[Frame, Rig]:
    """A single card."""
    image, rig = table([Lying(code, x_mm, -20.0, 4.0)], seed, blur_px, look)
    return Frame(0, 0.0, image), rig


def teach_spread(data: Path, eye_factory: EyeFactory) -> Path:
    """A data folder with a deck that was taught from one picture."""
    frame, rig = spread()
    with taught_school(data, "mine", eye_factory.sight, rig, FREE) as school:
        for view in school.show("spread.jpg", frame).waiting:
            x, y = np.mean(view.corners_px, axis=0)
            school.label(view.name, CODES[int(x // 320) + (4 if y > 448 else 0)])
    return data


def write_picture(path: Path, frame: Frame) -> Path:
    """A frame as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), frame.image)
    return path


def write_rig(path: Path, rig: Rig) -> Path:
    """A rig as a file."""
    path.write_text(rig_text(rig), "utf-8")
    return path
