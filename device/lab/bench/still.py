"""A still for benchmarks: one simulated table with a given number of cards, and an eye and tracker for it."""

from dataclasses import dataclass

import numpy as np

from calibration.frames import Frame, Image
from calibration.rig import Rig
from device.eyes import Eye, EyeFactory
from device.lab.simulator.rig import rig_of
from models.cards import own_deck
from models.synth.camera import overhead_camera
from models.synth.materials import make_ground
from models.synth.render import render
from models.synth.scene import CARD_MM, CardSeen, Scene, Thing
from models.synth.sprites import FaceSprites
from vision.follow.track import Tracker

GAME = "dawaj2"


@dataclass(slots=True)
class Still:
    """A frame of a table, and everything needed to look at it repeatedly."""

    image: Image
    rig: Rig
    eye: Eye
    tracker: Tracker
    found: int = 0
    looks: int = 0

    def update(self) -> None:
        """Do what happens when a table has changed: rectify, find, read, track."""
        self.looks += 1
        look = self.eye.look(Frame(self.looks, self.looks / 10, self.image))
        self.tracker.update(look)
        self.found = len(look.cards)


def still_of(cards: int, size_px: tuple[int, int], table_mm: tuple[float, float], eye_factory: EyeFactory) -> Still:
    """A table with a given number of cards in growing stacks."""
    camera = overhead_camera(*size_px, table_mm, tilt_deg=3.0, bend=0.3)
    rng = np.random.default_rng(cards)
    faces = FaceSprites(own_deck(GAME), 1.25 * camera.px_per_mm())
    codes = [card.code for card in own_deck(GAME).cards]
    columns = int(table_mm[0] // 72)
    laid = []
    for number in range(cards):
        column, row = number % columns, number // columns
        x = (column - (columns - 1) / 2) * 72 + float(rng.normal(0, 1))
        y = table_mm[1] / 2 - 50 - row * 34.0
        sprite = faces.face(codes[int(rng.integers(len(codes)))])
        laid.append(CardSeen(number, "", True, Thing(sprite, x, y, float(rng.normal(0, 1.5)), row * CARD_MM)))
    ground = make_ground("wood", rng)
    scene = Scene(camera, ground.pixels, (2 * table_mm[0], 2 * table_mm[1]), ground.gloss, cards=tuple(laid))
    rig = rig_of(camera, table_mm)
    return Still(render(scene, rng).image, rig, eye_factory.open_eye(rig, GAME), Tracker())
