"""Self-play: bots with real hidden hands play a whole game, honestly or not, with known ground truth."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from models.packages import part_of
from referee.edits import Edit, Play, Stand
from referee.moves import Move
from referee.record import head_length, write_record
from referee.rules import AnyRules, Opening, opened


class StuckError(RuntimeError):
    """A game without end: a fault in the bots or in the rules."""


@dataclass(frozen=True, slots=True)
class Ploy:
    """The next move of a bot, with its ground truth."""

    move: Move
    breaks: str | None = None
    """The rule that this move breaks, if it is a publicly detectable cheat."""
    applies: bool = True
    """False if the referee stops the move at once, so that the state does not change."""
    exposes: int | None = None
    """The line of an earlier cheat that this move exposes; the referee rules this move ILLEGAL about that line."""
    stands: bool = False
    """Whether the players let an exposing move stand, because only the earlier one was illegal."""


class Bots(Protocol):
    """All players of one game. The module bots.py of a game has a class `Bots(rules, players, options, rng)`.

    It also has VARIANTS, the variants to measure: pairs of a number of players and the options that differ from the
    defaults.
    """

    def honest(self, state: Any) -> Ploy:
        """The next honest move of some player."""

    def cheat(self, state: Any) -> Ploy | None:
        """A move that breaks a rule, if one is possible now."""

    def happened(self, state: Any, ploy: Ploy, line: int) -> None:
        """Update the hidden hands after a move that was made in `state`."""


@dataclass(frozen=True, slots=True)
class Crime:
    """A broken rule: the line, the rule, and the line where it shows."""

    line: int
    rule: str
    shows: int


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """A played game: its record, and every publicly detectable cheat."""

    lines: tuple[str, ...]
    crimes: tuple[Crime, ...]

    def __str__(self) -> str:
        return "\n".join((*self.lines, ""))


def self_play(
    rules: AnyRules, opening: Opening, seed: int, cheat_rate: float = 0.0, note: str = "", most_lines: int = 15_000
) -> WrittenGame:
    """Play one game to its end."""
    crimes: list[Crime] = []
    edits = _play(rules, opening, Random(seed), cheat_rate, head_length(opening, note), crimes, most_lines)
    lines = tuple(write_record(opening, edits, note))
    return WrittenGame(lines, tuple(sorted(crimes, key=lambda crime: (crime.shows, crime.line))))


def _play(
    rules: AnyRules,
    opening: Opening,
    rng: Random,
    cheat_rate: float,
    head: int,
    crimes: list[Crime],
    most_lines: int,
) -> Iterator[Edit]:
    options = opened(rules, opening)
    state = rules.start(len(opening.names), options)
    bots: Bots = part_of(rules.game, "bots").Bots(rules, len(opening.names), options, rng)
    hidden: dict[int, str] = {}
    line = head
    while rules.outcome(state) is None:
        line += 1
        if line > most_lines:
            raise StuckError(f"{rules.game} with {len(opening.names)} players has no end after {most_lines} lines")
        ploy = bots.cheat(state) if rng.random() < cheat_rate else None
        ploy = ploy or bots.honest(state)
        yield Play(ploy.move)
        if ploy.breaks is not None:
            if ploy.applies:
                hidden[line] = ploy.breaks
            else:
                crimes.append(Crime(line, ploy.breaks, line))
        if ploy.exposes is not None:
            crimes.append(Crime(ploy.exposes, hidden.pop(ploy.exposes), line))
        if ploy.applies:
            before, at = state, line
            if ploy.stands:
                yield Stand(line)
                line += 1
            state = rules.apply(state, ploy.move)
            bots.happened(before, ploy, at)
