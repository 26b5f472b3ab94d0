"""`krupier bench simulator`: filmed frames per second, and training tables per second."""

from itertools import islice
from time import perf_counter, process_time
from typing import Annotated

import cv2
import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from device.players import NAMES
from models.cards import own_deck, own_decks
from referee.record import read_record
from referee.rules import Opening, load_rules
from referee.selfplay import self_play

WARM_UP = 250


def simulator(
    frames: Annotated[int, typer.Option("--frames", min=20, help="Frames to film of each game.")] = 300,
    tables: Annotated[int, typer.Option("--tables", min=20, help="Random tables to make.")] = 200,
) -> None:
    """Film games at 1280x720 on all cores, and make 640x448 tables on one."""
    from device.lab.simulator.film import Film, Studio
    from models.synth.stills import Recipe, Tables

    yardstick = _remap_s()
    report = Table("what", "a second", "of a plain 1280x720 remap", box=None)
    for column in report.columns[1:]:
        column.justify = "right"
    for game in own_decks():
        rules = load_rules(game)
        written = self_play(rules, Opening(game, NAMES[:4]), 1)
        film = Film(read_record(str(written), rules), own_deck(game), Studio(difficulty=0.5))
        start = perf_counter()
        count = sum(1 for _ in islice(film.shots(), frames))
        each = (perf_counter() - start) / count
        report.add_row(f"film {game}, 1280x720", f"{1 / each:.0f} frames", f"{each / yardstick:.1f} x")
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    maker = Tables(Recipe(difficulty=0.8), 1, tuple(own_deck(game) for game in own_decks()), 0.6)
    # Faces are drawn once, on first use; a training run has drawn them all after its first minute.
    for number in range(WARM_UP):
        maker.make(number)
    start = process_time()
    for number in range(1000, 1000 + tables):
        maker.make(number)
    each = (process_time() - start) / tables
    cv2.setNumThreads(threads)
    report.add_row("random table, 640x448, one core", f"{1 / each:.0f} tables", f"{each / yardstick:.1f} x")
    Console().print(report)


def _remap_s() -> float:
    """The yardstick: one remap of a 1280x720 picture."""
    image = np.zeros((720, 1280, 3), np.uint8)
    x, y = np.meshgrid(np.arange(1280, dtype=np.float32), np.arange(720, dtype=np.float32))
    times = []
    for _ in range(30):
        start = perf_counter()
        cv2.remap(image, x, y, cv2.INTER_LINEAR)
        times.append(perf_counter() - start)
    return sorted(times)[15]
