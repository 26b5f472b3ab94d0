"""`krupier bench rulings`: how long it takes from a table that lies there to its ruling, next to a look at one."""

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from device.cli.inputs import refusing
from device.cli.play import NAMES

SIZE_PX = (1280, 720)
TABLE_MM = (800.0, 450.0)
CARDS = 40
PLAYERS = 3
GOAL_MS = 100.0


def rulings(
    count: Annotated[int, typer.Option("--games", min=1, help="Games of each kind.")] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the first; the others follow.")] = 1,
    cheat: Annotated[float, typer.Option("--cheat", min=0, max=1, help="How often a bot breaks a rule.")] = 0.02,
    only: Annotated[str | None, typer.Option("--game", help="Only this one.")] = None,
) -> None:
    """From the last settled table to the ruling, told by a perfect eye; a look at 40 cards is the yardstick.

    All times are those of one core that does nothing else.
    """
    import cv2

    from device.evaluation.rehearsal import Rehearsal, rehearse
    from device.optician import Optician
    from device.still import still_of
    from referee.rules import Opening, games, load_rules, opened

    report = Table("game", "tables", "p50 ms", "p90 ms", "p99 ms", "most ms", "p99, of a look", "in time", box=None)
    for column in report.columns[1:]:
        column.justify = "right"
    with refusing():
        # One core each, and the time that it really worked: others may be busy on this machine.
        cv2.setNumThreads(1)
        still = still_of(CARDS, SIZE_PX, TABLE_MM, Optician(threads=1))
        still.update()
        looks: list[float] = []
        for game in (only,) if only else games():
            opening = Opening(game, NAMES[:PLAYERS])
            opened(load_rules(game), opening)
            spent: list[float] = []
            for number in range(seed, seed + count):
                spent += rehearse(Rehearsal(opening, number, cheat), clock=process_time).spent_s
                # Looks between the games: a machine that is slow for a while is so for both.
                looks += [_seconds(still.update) for _ in range(5)]
            spent.sort()
            p50, p90, p99 = (1e3 * spent[int(share * (len(spent) - 1))] for share in (0.5, 0.9, 0.99))
            in_time = sum(1e3 * one <= GOAL_MS for one in spent) / len(spent)
            report.add_row(
                *(game, str(len(spent)), f"{p50:.1f}", f"{p90:.1f}", f"{p99:.1f}", f"{1e3 * spent[-1]:.0f}"),
                *(f"{p99 / (1e3 * median(looks)):.2f}", f"{100 * in_time:.1f} %"),
            )
    console = Console(highlight=False)
    console.print(report)
    console.print(
        f"A look at {CARDS} cards on {SIZE_PX[0]}x{SIZE_PX[1]} takes one core {1e3 * median(looks):.0f} ms; "
        f"wanted: a ruling within {GOAL_MS:.0f} ms."
    )


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start
