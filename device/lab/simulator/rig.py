"""The rig of a simulated table: known exactly, because camera and seats are made up."""

from dataclasses import replace

from calibration.rig import Rig
from device.cameras.simulated import read_play
from device.lab.bench.still import rig_of
from device.lab.simulator.film import Film


def simulated_rig(camera: str) -> Rig:
    """The rig for a camera called sim:GAME?…, as a perfect calibration would find it."""
    return film_rig(read_play(camera).film())


def film_rig(film: Film) -> Rig:
    """The rig for a film."""
    seating = film.seating
    return replace(rig_of(film.camera, seating.table_mm), camera="sim", seats=seating.seats, zones=seating.zones)
