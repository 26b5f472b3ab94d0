"""The simulated table as a source: bots play a game in front of a camera that does not exist."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl

from calibration.frames import Frame
from device.cameras.source import Clock, Health, Picture, Status
from device.cli.play import chosen_names
from device.lab.simulator.film import Film, Shot, Studio
from device.lab.simulator.motion import STILL_S
from device.sources import SourceError
from models.cards import own_deck
from referee.record import Record, read_record
from referee.rules import Opening, games, load_rules, opened
from referee.selfplay import self_play

WANTED = "sim:GAME?seed=1&players=3&difficulty=0.3&fps=10&rest=1.2&cheat=0&size=1280x720&live=1&declared=0"
_SIDES_PX = (160, 4096)


@dataclass(frozen=True, slots=True)
class Play:
    """Which game is played, by whom, how honestly, and how it is filmed."""

    game: str
    players: tuple[str, ...]
    cheat: float
    studio: Studio
    live: bool
    """Whether it is filmed at the pace of a real camera, or as fast as it can be drawn."""
    declared: bool = False
    """Whether people say what no camera can see."""

    def record(self) -> Record:
        """The game as its bots play it: the same every time."""
        rules, seed = load_rules(self.game), self.studio.seed
        played = self_play(rules, Opening(self.game, self.players, ()), seed, self.cheat, note=f"bots, seed {seed}")
        return read_record(str(played), rules)

    def film(self) -> Film:
        """What the camera would see of it."""
        return Film(self.record(), own_deck(self.game), self.studio)


def read_play(name: str) -> Play:
    """A simulated table as it is named on the command line: sim:GAME?seed=1&…; errors say what is wrong."""
    game, _, query = name.removeprefix("sim:").partition("?")
    if game not in games():
        raise SourceError(f"{name}: no game {game!r}; wanted sim: and one of {', '.join(games())}")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as error:
        raise SourceError(f"{name}: {query!r} cannot be read; wanted {WANTED}") from error
    given = dict(pairs)
    if len(given) < len(pairs):
        raise SourceError(f"{name}: something is given twice; wanted {WANTED}")
    unknown = given.keys() - {"seed", "players", "difficulty", "fps", "rest", "cheat", "size", "live", "declared"}
    if unknown:
        raise SourceError(f"{name}: unknown {', '.join(sorted(unknown))}; wanted {WANTED}")

    def number(key: str, usual: float, least: float, most: float) -> float:
        text = given.get(key, "")
        try:
            value = float(text) if key in given else usual
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise SourceError(f"{name}: {key} is {text!r}; wanted a number from {least:g} to {most:g}")
        return value

    def whole(key: str, usual: int, least: int, most: int) -> int:
        value = number(key, usual, least, most)
        if value != int(value):
            raise SourceError(f"{name}: {key} is {given[key]!r}; wanted a whole number")
        return int(value)

    studio = Studio(
        _size(name, given.get("size", "1280x720")),
        number("fps", 10.0, 1.0, 60.0),
        number("difficulty", 0.3, 0.0, 1.0),
        whole("seed", 1, 0, 2**31),
        number("rest", STILL_S, 0.1, 60.0),
    )
    players = chosen_names(given.get("players", "3"))
    opened(load_rules(game), Opening(game, players, ()))
    live, declared = (bool(whole(key, usual, 0, 1)) for key, usual in (("live", 1), ("declared", 0)))
    return Play(game, players, number("cheat", 0.0, 0.0, 1.0), studio, live, declared)


class SimulatedCamera:
    """Films the table at the pace of a real camera."""

    def __init__(self, play: Play, clock: Clock, sleep: Callable[[float], None] = time.sleep) -> None:
        self.size_px = play.studio.size_px
        self._shots = play.film().shots()
        self._clock, self._sleep = clock, sleep
        self._began_s: float | None = None

    def read(self) -> Picture | None:
        """The next picture when its time has come; a little late if it took long to draw. None after the last."""
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
        """Nothing to let go of."""


class SimulatedFile:
    """The same film read like a file: as fast as it can be drawn, with the times of the film, none dropped."""

    live = False

    def __init__(self, play: Play) -> None:
        self._play = play
        self._status = Status(Health.RUNNING, 0.0, 0, "")

    @property
    def status(self) -> Status:
        """Running until it is over."""
        return self._status

    def frames(self) -> Iterator[Frame]:
        """The whole game."""
        at_s = 0.0
        for shot in self._play.film().shots():
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


def _size(name: str, text: str) -> tuple[int, int]:
    least, most = _SIDES_PX
    sides = [int(side) if side.isdecimal() and len(side) < 6 else 0 for side in text.split("x")]
    if len(sides) != 2 or not all(least <= side <= most and side % 2 == 0 for side in sides):
        raise SourceError(f"{name}: size {text!r}; wanted WIDTHxHEIGHT, each even and from {least} to {most}")
    return sides[0], sides[1]
