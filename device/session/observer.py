"""The observer: an eye and a watcher over one table, built in one way for every program."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Protocol

import numpy as np

from calibration.frames import Frame
from calibration.rig import Rig
from calibration.seats import Zone
from calibration.table import mm_to_pixels
from device.cameras.opening import open_source
from device.cameras.source import SIMULATED, Source
from device.eyes import Eye, EyeFactory
from device.session.seating import seating_of
from device.settings import Settings
from device.teaching.choice import faces_to_play
from models.art.pieces import table_pieces
from models.faces import Faces
from vision.follow.gate import Gate
from vision.follow.stillness import StillnessDetector, TableState
from vision.follow.tuning import REST_S
from vision.look.networks import Networks
from vision.look.table_view import TableView
from vision.pieces.finders import piece_finder_of
from vision.sightings import Look
from vision.table import PlacedCard, Point, Table
from vision.watcher import PieceFinder, Watcher

KEEP_AFTER_S = 1.0
"""Frames are recorded for this long after the last movement or look."""
PIECE_VIEW_CARD_MM = (63.0, 88.0)
"""The card size of every game that has pieces: a table view is made for a card size."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one frame gave."""

    table: Table | None
    """The table, if it has come to rest and differs from the last one."""
    looked: bool
    """Whether the networks looked at this frame."""
    worth: bool
    """Whether a recording needs this frame: without it a replay might see another game."""
    rested_s: float | None
    """For the first table after a movement: how long nothing had moved."""


class CountingEye:
    """An eye that counts its looks."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye
        self.looks = 0

    def look(self, frame: Frame) -> Look:
        """Look, and count."""
        self.looks += 1
        return self._eye.look(frame)


class Observer:
    """Watches a table frame by frame."""

    def __init__(
        self,
        eye: Eye,
        zones: Iterable[Zone] = (),
        rest_s: float = REST_S,
        outline_px: tuple[Point, ...] = (),
        pieces: PieceFinder | None = None,
    ) -> None:
        self._eye, self._stillness = CountingEye(eye), StillnessDetector(rest_s)
        self._watcher = Watcher(self._eye, zones, stillness=self._stillness, gate=Gate(outline_px), pieces=pieces)
        self._busy_s, self._moved_s = -inf, -inf

    @property
    def looks(self) -> int:
        """How many times the networks have looked."""
        return self._eye.looks

    @property
    def state(self) -> TableState:
        """What happens on the table now."""
        return self._watcher.state

    def card(self, track: int) -> PlacedCard:
        """A card of the last table; PinError if it is not there face up."""
        return self._watcher.card(track)

    def card_at(self, point_mm: Point) -> PlacedCard:
        """The card of the last table whose centre is at a point; PinError if there is none."""
        return self._watcher.card_at(point_mm)

    def pin(self, track: int, code: str) -> Table:
        """The last table with one card named by a human."""
        return self._watcher.pin(track, code)

    def resume(self, table: Table) -> None:
        """Continue from a table that was reported before a break."""
        self._watcher.resume(table)

    def observe(self, frame: Frame) -> Observation:
        """Watch one more frame."""
        before = self.looks
        table = self._watcher.observe(frame)
        looked = self.looks > before
        if looked or self.state is not TableState.STILL:
            self._busy_s = frame.at_s
        moved_s = frame.at_s - self._stillness.quiet_s
        # A table that is reported in haste comes from an earlier frame: nothing has rested in this one.
        first = table is not None and table.frame == frame.index and moved_s > self._moved_s
        if first:
            self._moved_s = moved_s
        worth = 0 <= frame.at_s - self._busy_s <= KEEP_AFTER_S
        return Observation(table, looked, worth, self._stillness.quiet_s if first else None)


def build_observer(eye: Eye, rig: Rig | None, game: str | None, rest_s: float = REST_S) -> Observer:
    """The observer of a game on the table of a rig, or of a picture without one."""
    zones = rig.zones if rig is not None else ()
    return Observer(eye, zones, rest_s, table_outline(rig), piece_finder(rig, game))


def table_outline(rig: Rig | None) -> tuple[Point, ...]:
    """The edge of the table in pixels: the gate ignores movement outside it."""
    if rig is None or rig.lens is None or rig.table is None:
        return ()
    x, y = rig.table.size_mm[0] / 2, rig.table.size_mm[1] / 2
    corners = mm_to_pixels(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]), rig.lens, rig.table)
    return tuple((float(across), float(down)) for across, down in corners)


def piece_finder(rig: Rig | None, game: str | None) -> PieceFinder | None:
    """The finder of a game's pieces; None if the game has none or the rig does not know its seats."""
    if game is None or rig is None or rig.lens is None or rig.table is None or not rig.seats:
        return None
    if not table_pieces(game):
        return None
    return piece_finder_of(game, TableView(rig.lens, rig.table, PIECE_VIEW_CARD_MM), seating_of(rig, game))


class EyeOpener(Protocol):
    """Opens eyes: the eye factory, or a stand-in."""

    def open_eye(self, rig: Rig | None, deck: str | None = None, faces: Faces | None = None) -> Eye:
        """The eye for a rig or none, for the deck of a game or one given as pictures."""


@dataclass(frozen=True, slots=True)
class TaughtReading:
    """A taught deck that is being read."""

    deck: str
    card_mm: tuple[float, float]
    sight: Networks


@dataclass(frozen=True, slots=True)
class WatchedCamera:
    """An open camera and the observer of its frames."""

    source: Source
    observer: Observer
    learning: TaughtReading | None = None
    """The taught deck that is read and the networks that read it; None for Krupier's own deck."""


def open_observer(
    camera: str,
    own: Settings,
    rig: Rig | None,
    game: str,
    frame: int = -1,
    at_s: float = 0.0,
    eye_factory: EyeOpener | None = None,
    deck: str | None = None,
) -> WatchedCamera:
    """Open a camera and its observer; `frame` and `at_s` are the last ones of a session that continues.

    `deck` names the deck on the table: a taught deck is read by its own views.
    """
    source = open_source(camera, own.camera_settings, time.monotonic, frame + 1, at_s)
    try:
        faces = faces_to_play(own.data, deck, game)
        factory = eye_factory or EyeFactory(threads=own.threads)
        eye = factory.open_eye(rig, game) if faces is None else factory.open_eye(rig, game, faces)
        observer = build_observer(eye, rig, game, own.rest_s)
    except BaseException:
        source.close()
        raise
    learning = None
    if faces is not None and own.learn_from_play and isinstance(factory, EyeFactory):
        learning = TaughtReading(faces.deck, faces.card_mm, factory.sight)
    return WatchedCamera(source, observer, learning)


def chosen_rig(own: Settings, camera: str, given: bool = False) -> Rig | None:
    """The rig of the settings; for a simulated table the rig that a perfect calibration would find."""
    from device.rigs import load_rig

    if camera.startswith(SIMULATED) and not given:
        from device.cameras.simulated import simulated_rig

        return simulated_rig(camera)
    return load_rig(own.rig) if given or own.rig.exists() else None
