"""`krupier bench rulings`: time from a settled table to its ruling, compared with one look at a table."""

import gc
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import process_time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from device.cli.inputs import refusing

SIZE_PX = (1280, 720)
TABLE_MM = (800.0, 450.0)
CARDS = 40
GOAL_MS, WORST_MS = 100.0, 300.0
"""Time that a ruling may take at 99 of 100 tables, and at any table."""


@dataclass(slots=True)
class Spent:
    """Time per table over several games, and memory after each game."""

    seconds: list[float] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    """Live allocations after each game."""
    peaks_kb: list[int] = field(default_factory=list)
    """Peak memory of the process after each game."""

    def add(self, seconds: tuple[float, ...]) -> None:
        """Add one game, and collect its garbage."""
        self.seconds += seconds
        gc.collect()
        self.blocks.append(sys.getallocatedblocks())
        self.peaks_kb.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    def quantile_ms(self, share: float) -> float:
        """The time that `share` of the tables did not exceed."""
        return 1e3 * sorted(self.seconds)[int(share * (len(self.seconds) - 1))]

    def row(self, look_s: float) -> tuple[str, ...]:
        """A row of the report: times, and growth of memory since half of the games."""
        half = (len(self.blocks) - 1) // 2
        in_time = sum(1e3 * one <= GOAL_MS for one in self.seconds) / len(self.seconds)
        return (
            *(str(len(self.blocks)), str(len(self.seconds))),
            *(f"{self.quantile_ms(share):.1f}" for share in (0.5, 0.9, 0.99, 1.0)),
            f"{self.quantile_ms(0.99) / (1e3 * look_s):.2f}",
            f"{100 * in_time:.1f} %",
            f"{100 * (self.blocks[-1] / self.blocks[half] - 1):+.2f} %",
            f"{(self.peaks_kb[-1] - self.peaks_kb[half]) / 1024:+.1f} MB",
        )


COLUMNS = ("games", "tables", "p50 ms", "p90 ms", "p99 ms", "worst ms", "p99, of a look", "in time", "held", "peak")


def rulings(
    count: Annotated[int, typer.Option("--games", min=1, help="Games of each kind, in a row.")] = 10,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the first game; the others count up.")] = 1,
    cheat: Annotated[float, typer.Option("--cheat", min=0, max=1, help="How often a bot breaks a rule.")] = 0.1,
    only: Annotated[str | None, typer.Option("--game", help="Only this game.")] = None,
) -> None:
    """Time from the last settled table to the ruling, with a perfect eye; one look at 40 cards is the yardstick.

    The variants of a game take turns. All times are CPU times of one core. For memory the growth since half of the
    games is printed: what is still held after a game, and the peak of the process.
    """
    import cv2

    from device.eyes import EyeFactory
    from device.lab.bench.still import still_of
    from device.lab.rehearsal.rehearsal import Rehearsal, rehearse
    from device.lab.rehearsal.variants import variants
    from referee.rules import games, load_rules

    report = Table("game", *COLUMNS, box=None)
    for column in report.columns[1:]:
        column.justify = "right"
    with refusing():
        # One core each, and CPU time only: others may be busy on this machine.
        cv2.setNumThreads(1)
        still = still_of(CARDS, SIZE_PX, TABLE_MM, EyeFactory(threads=1))
        still.update()
        looks: list[float] = []
        for game in (only,) if only else games():
            load_rules(game)
            openings = variants(game)
            spent = Spent()
            for number in range(count):
                rehearsal = Rehearsal(openings[number % len(openings)], seed + number, cheat)
                spent.add(rehearse(rehearsal, clock=process_time).spent_s)
                # Looks between the games: a machine that is slow for a while slows down both.
                looks += [_seconds(still.update) for _ in range(5)]
            report.add_row(game, *spent.row(median(looks)))
    console = Console(highlight=False)
    console.print(report)
    console.print(
        f"A look at {CARDS} cards on {SIZE_PX[0]}x{SIZE_PX[1]} takes one core {1e3 * median(looks):.0f} ms; "
        f"wanted: a ruling within {GOAL_MS:.0f} ms at 99 of 100 tables, and never after more than {WORST_MS:.0f} ms."
    )


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start
