"""Rendered tables with pieces, whose truth is known."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from calibration.frames import Frame
from calibration.plan import Seating, seat_players
from calibration.rig import Rig
from device.lab.simulator.rig import rig_of
from device.plans import plan_of
from device.session.observer import piece_finder
from models.art.pieces import board_of, table_pieces
from models.decks.kto_drugi import art as kto_drugi
from models.synth.camera import SynthCamera, overhead_camera
from models.synth.furniture import board_sprite, marker_sprite, piece_sprite
from models.synth.hands import make_hand
from models.synth.materials import Ground, make_ground
from models.synth.render import render
from models.synth.scene import Light, Optics, Scene, Sprite, Thing
from vision.watcher import PieceFinder

SIZE_PX = (1280, 720)
LAMP = Light(kelvin=3300.0, level=0.8, falloff=0.3, glare=0.2)
GRAIN = Optics(defocus_px=0.9, noise=4.0, jpeg=70)


@cache
def laid(game: str, chairs: int = 6) -> tuple[Seating, SynthCamera, Rig, PieceFinder]:
    """A table, the camera over it and who looks for pieces on it."""
    seating = seat_players(plan_of(game), chairs)
    camera = overhead_camera(*SIZE_PX, seating.table_mm, 3.0, 0.3)
    rig = replace(rig_of(camera, seating.table_mm), seats=seating.seats, zones=seating.zones)
    finder = piece_finder(rig, game)
    assert finder is not None
    return seating, camera, rig, finder


@cache
def sprite(kind: str) -> Sprite:
    """A piece, the track, or a hand."""
    if kind == "hand":
        return make_hand(np.random.default_rng(2))
    if kind == "track":
        board = board_of("kto_drugi")
        assert board is not None
        return board_sprite(board, 1.7)
    if kind in kto_drugi.FIGURES:
        return piece_sprite(table_pieces("kto_drugi")[kto_drugi.FIGURES.index(kind)], 1.7)
    return piece_sprite({piece.kind: piece for piece in table_pieces("lucky_box")}[kind], 1.7)


@cache
def ground(material: str) -> Ground:
    """A table top."""
    return make_ground(material, np.random.default_rng(4))


def photo(
    game: str, under: Sequence[Thing], things: Sequence[Thing], hands: Sequence[Thing] = (), material: str = "wood"
) -> Frame:
    """A frame of a table in the light of a warm lamp."""
    seating, camera, _, _ = laid(game)
    markers = [Thing(marker_sprite(number), x, y) for number, (x, y) in enumerate(seating.markers_mm())]
    top = ground(material)
    scene = Scene(
        camera,
        top.pixels,
        (2000.0, 1500.0),
        top.gloss,
        (*markers, *under),
        (),
        tuple(things),
        tuple(hands),
        LAMP,
        GRAIN,
    )
    return Frame(0, 0.0, render(scene, np.random.default_rng(1)).image)
