"""The outlook: a camera that is open, and somebody who looks at what it shows."""

import time
from dataclasses import dataclass
from typing import Protocol

from calibration.rig import Rig
from device.cameras.opening import open_source
from device.cameras.source import Source
from device.eyes import Eye, Optician
from device.session.observer import Lookout, outline_of
from device.session.pieces import pieces_of
from device.settings import Settings
from device.teaching.choice import faces_to_play
from models.faces import Faces


class Fitter(Protocol):
    """Whoever has eyes: the optician."""

    def open_eye(self, rig: Rig | None, deck: str | None = None, faces: Faces | None = None) -> Eye:
        """The eye for a rig, or for none, and for the deck of a game or one that is given as pictures."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """Where frames come from, and who looks at them."""

    source: Source
    lookout: Lookout


def look_out(
    camera: str,
    own: Settings,
    rig: Rig | None,
    game: str,
    frame: int = -1,
    at_s: float = 0.0,
    optician: Fitter | None = None,
    deck: str | None = None,
) -> Outlook:
    """Open a camera, and an eye for it; `frame` and `at_s` are the last ones of a session that goes on.

    `deck` is the name of the deck that is played with: if it was taught it is read by its own views.
    """
    source = open_source(camera, own.camera_settings, time.monotonic, frame + 1, at_s)
    try:
        faces = faces_to_play(own.data, deck, game)
        fitter = optician or Optician(threads=own.threads)
        eye = fitter.open_eye(rig, game) if faces is None else fitter.open_eye(rig, game, faces)
        pieces = pieces_of(rig, game)
    except BaseException:
        source.close()
        raise
    return Outlook(source, Lookout(eye, rig.zones if rig is not None else (), own.rest_s, outline_of(rig), pieces))


def chosen_rig(own: Settings, camera: str, given: bool = False) -> Rig | None:
    """The rig of the settings; of a simulated table the one that a perfect calibration would find."""
    from device.rigs import load_rig

    if camera.startswith("sim:") and not given:
        from device.lab.simulator.rig import simulated_rig

        return simulated_rig(camera)
    return load_rig(own.rig) if given or own.rig.exists() else None
