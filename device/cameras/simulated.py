"""The simulated table as a camera: bots play in front of a virtual camera."""

import time
from collections.abc import Callable, Iterable, Iterator

from calibration.frames import Frame
from calibration.rig import Rig
from device.cameras.live import LiveSource
from device.cameras.source import SIMULATED, Clock, Health, Picture, Source, Status
from device.lab.simulator.declared_moves import DeclaredMoves
from device.lab.simulator.film import Shot
from device.lab.simulator.game import SimulatedGame, read_simulated_game
from device.lab.simulator.rig import film_rig


def simulated_source(camera: str, clock: Clock, stall_s: float, first_index: int, first_s: float) -> Source:
    """The source of a camera named sim:GAME?…"""
    game = read_simulated_game(camera)
    if not game.live:
        return SimulatedFile(game)
    return LiveSource(lambda: SimulatedCamera(game, clock), clock, stall_s, first_index, first_s)


class SimulatedCamera:
    """Films the table at the pace of a real camera."""

    def __init__(self, game: SimulatedGame, clock: Clock, sleep: Callable[[float], None] = time.sleep) -> None:
        self.size_px = game.studio.size_px
        self._shots = game.film().shots()
        self._clock, self._sleep = clock, sleep
        self._began_s: float | None = None

    def read(self) -> Picture | None:
        """The next picture when it is due, or late if drawing took longer; None after the last."""
        shot = next(self._shots, None)
        if shot is None:
            return None
        if self._began_s is None:
            self._began_s = self._clock()
        early_s = self._began_s + shot.at_s - self._clock()
        if early_s > 0:
            self._sleep(early_s)
        return Picture(shot.image)

    def close(self) -> None:
        """Nothing to release."""


class SimulatedFile:
    """The same film read like a file: as fast as it can be drawn, with the film's own times, nothing dropped."""

    live = False

    def __init__(self, game: SimulatedGame) -> None:
        self._game = game
        self._status = Status(Health.RUNNING, 0.0, 0, "")

    @property
    def status(self) -> Status:
        """Running until the game is over."""
        return self._status

    def frames(self) -> Iterator[Frame]:
        """The whole game."""
        at_s = 0.0
        for shot in self._game.film().shots():
            if self._status.health is Health.ENDED:
                return
            at_s = shot.at_s
            yield _frame(shot)
        self._status = Status(Health.ENDED, at_s, 0, "the game is over")

    def close(self) -> None:
        """Stop filming."""
        self._status = Status(Health.ENDED, self._status.since_s, 0, "closed")


def _frame(shot: Shot) -> Frame:
    shot.image.flags.writeable = False
    return Frame(shot.index, shot.at_s, shot.image)


def simulated_rig(camera: str) -> Rig:
    """The rig of a camera named sim:GAME?…, as a perfect calibration would find it."""
    return film_rig(read_simulated_game(camera).film())


def simulated_players(camera: str) -> tuple[str, int]:
    """The game of a simulated table and the number of its players."""
    game = read_simulated_game(camera)
    return game.game, len(game.players)


def declared_moves(camera: str, verbs: Iterable[str]) -> DeclaredMoves | None:
    """The moves with these verbs that the players of a simulated table declare; None for any other camera."""
    game = read_simulated_game(camera) if camera.startswith(SIMULATED) else None
    return DeclaredMoves.of_film(game.film(), verbs) if game is not None and game.declared else None
