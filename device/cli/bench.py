"""`krupier bench`: speed, as ratios within one run, because machines are noisy."""

import gc
import resource
from dataclasses import dataclass
from itertools import product
from statistics import median
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from device.players import NAMES
from referee.edits import Play
from referee.match import Match
from referee.moves import Move
from referee.record import read_record
from referee.rules import AnyRules, Opening, games, load_rules
from referee.selfplay import self_play

bench = typer.Typer(help="Measure speed and memory.", no_args_is_help=True)

SLOW_VERBS = ("reveal",)
"""Moves whose full check of the hidden hands may take longer than a simple one."""


@bench.callback()
def measure() -> None:
    """Measure speed and memory."""


@bench.command()
def referee(
    games_each: Annotated[int, typer.Option("--games", min=10, help="Games to judge of each kind.")] = 200,
) -> None:
    """Judge whole bot games: moves per second, the slowest moves, memory."""
    spin = _spin_s()
    table = Table("game", "games", "moves", "moves/s", "p50 µs", "p99 µs", "spins a move", "RSS growth", box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for game in games():
        rows = _judge_games(load_rules(game), games_each)
        for label, timing in rows.items():
            table.add_row(
                f"{game} {label}".strip(),
                str(games_each),
                str(len(timing.seconds)),
                f"{len(timing.seconds) / sum(timing.seconds):,.0f}",
                f"{1e6 * median(timing.seconds):.1f}",
                f"{1e6 * sorted(timing.seconds)[int(0.99 * len(timing.seconds))]:.1f}",
                f"{median(timing.seconds) / spin:.2f}",
                f"{timing.growth_kb:+,} kB",
            )
    Console().print(table)
    Console().print(f"A spin is a fixed pure-Python loop of 100 dictionary look-ups, here {1e6 * spin:.1f} µs.")


@dataclass(slots=True)
class Timing:
    """Duration of each move, and the memory that the second half of the games added."""

    seconds: list[float]
    growth_kb: int = 0


def _judge_games(rules: AnyRules, count: int) -> dict[str, Timing]:
    timings: dict[str, Timing] = {}
    openings = [
        Opening(rules.game, NAMES[:players], tuple(zip(rules.choices(players), values, strict=True)))
        for players in rules.seats
        for values in product(*rules.choices(players).values())
    ]
    half_kb = 0
    for seed in range(count):
        if seed == count // 2:
            gc.collect()
            half_kb = _peak_rss_kb()
        _judge_game(rules, openings[seed % len(openings)], seed, timings)
    growth_kb = _peak_rss_kb() - half_kb
    for timing in timings.values():
        timing.growth_kb = growth_kb
    return timings


def _judge_game(rules: AnyRules, opening: Opening, seed: int, timings: dict[str, Timing]) -> None:
    record = read_record(str(self_play(rules, opening, seed)), rules)
    moves: list[Move] = [line.meaning.move for line in record.lines if isinstance(line.meaning, Play)]
    match = Match.open(rules, opening)
    for move in moves:
        start = perf_counter()
        match = match.play(move)
        seconds = perf_counter() - start
        label = move.verb if move.verb in SLOW_VERBS else ""
        timings.setdefault(label, Timing([])).seconds.append(seconds)


def _spin_s() -> float:
    """The yardstick: the time of 100 dictionary look-ups on this machine now."""
    table = {number: number for number in range(100)}

    def spin() -> float:
        start = perf_counter()
        total = 0
        for number in range(100):
            total += table[number]
        return perf_counter() - start

    return median(spin() for _ in range(2000))


def _peak_rss_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
