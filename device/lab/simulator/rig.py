"""The rig of a simulated camera: known exactly, because camera and seats are simulated."""

from dataclasses import replace

import numpy as np

from calibration.lens import Lens
from calibration.rig import Rig
from calibration.table import TablePose
from device.lab.simulator.film import Film
from models.synth.camera import SynthCamera


def film_rig(film: Film) -> Rig:
    """The rig of a film, with its seats."""
    seating = film.seating
    return replace(rig_of(film.camera, seating.table_mm), camera="sim", seats=seating.seats, zones=seating.zones)


def rig_of(camera: SynthCamera, table_mm: tuple[float, float]) -> Rig:
    """The rig that calibration would find for a simulated camera."""
    centre = (float(camera.matrix[0, 2]), float(camera.matrix[1, 2]))
    lens = Lens((camera.width_px, camera.height_px), (camera.focal_px,) * 2, centre, camera.distortion)
    to_mm = np.linalg.inv(camera.homography)
    return Rig(lens, TablePose(table_mm, tuple(float(value) for value in (to_mm / to_mm[2, 2]).ravel())))
