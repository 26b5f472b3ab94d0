"""The game that a simulated table plays, read from its name: sim:GAME?seed=1&players=3&…"""

from dataclasses import dataclass
from urllib.parse import parse_qsl

from device.lab.simulator.film import Film, Studio
from device.lab.simulator.motion import STILL_S
from device.players import chosen_names
from device.sources import SourceError
from models.cards import own_deck
from referee.record import Record, read_record
from referee.rules import Opening, games, load_rules, opened
from referee.selfplay import self_play

WANTED = "sim:GAME?seed=1&players=3&difficulty=0.3&fps=10&rest=1.2&cheat=0&size=1280x720&style=7&live=1&declared=0"
_KEYS = frozenset(("seed", "players", "difficulty", "fps", "rest", "cheat", "size", "style", "live", "declared"))
_SIDES_PX = (160, 4096)


@dataclass(frozen=True, slots=True)
class SimulatedGame:
    """The game, its players, how often they cheat, and how they are filmed."""

    game: str
    players: tuple[str, ...]
    cheat: float
    studio: Studio
    live: bool
    """Whether frames come at the pace of a real camera instead of as fast as they can be drawn."""
    declared: bool = False
    """Whether people declare the moves that no camera can see."""

    def record(self) -> Record:
        """The record of the game that the bots play; the same every time."""
        rules, seed = load_rules(self.game), self.studio.seed
        played = self_play(rules, Opening(self.game, self.players, ()), seed, self.cheat, note=f"bots, seed {seed}")
        return read_record(str(played), rules)

    def film(self) -> Film:
        """The film of the game."""
        return Film(self.record(), own_deck(self.game), self.studio)


def read_simulated_game(name: str) -> SimulatedGame:
    """The simulated game that a camera name describes; SourceError says what is wrong with the name."""
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
    unknown = given.keys() - _KEYS
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
        whole("style", 0, 0, 2**31) if "style" in given else None,
    )
    players = chosen_names(given.get("players", "3"))
    opened(load_rules(game), Opening(game, players, ()))
    live, declared = (bool(whole(key, usual, 0, 1)) for key, usual in (("live", 1), ("declared", 0)))
    return SimulatedGame(game, players, number("cheat", 0.0, 0.0, 1.0), studio, live, declared)


def _size(name: str, text: str) -> tuple[int, int]:
    least, most = _SIDES_PX
    sides = [int(side) if side.isdecimal() and len(side) < 6 else 0 for side in text.split("x")]
    if len(sides) != 2 or not all(least <= side <= most and side % 2 == 0 for side in sides):
        raise SourceError(f"{name}: size {text!r}; wanted WIDTHxHEIGHT, each even and from {least} to {most}")
    return sides[0], sides[1]
