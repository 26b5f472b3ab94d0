"""`krupier bench vision`: one look at a full table, compared with a common detection network."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from calibration.frames import Image
from calibration.rig import Rig
from device.cli.inputs import refusing

TABLE_MM = (800.0, 450.0)
SIZE_PX = (1920, 1080)
COUNTS = (10, 20, 40, 80)
CARDS = 40
IDLE = 10
"""Idle frames measured in a row."""
STATUS = "/proc/self/status"


def vision(
    threads: Annotated[
        int, typer.Option("--threads", min=1, max=64, help="Threads for our networks and the yardstick.")
    ] = 2,
    runs: Annotated[int, typer.Option("--runs", min=3, help="Runs of each; medians are shown.")] = 25,
) -> None:
    """Full update and idle frame at 1920x1080, relative to a YOLO11n-sized run at 640; memory; growth with cards."""
    with refusing():
        _measure(Console(), threads, runs)


def _measure(console: Console, threads: int, runs: int) -> None:
    import cv2
    import numpy as np

    from calibration.frames import Frame
    from device.eyes import EyeFactory
    from device.lab.bench.still import still_of
    from device.lab.bench.yardstick import SIDE_PX, yolo11n_sized
    from vision.follow.gate import Gate
    from vision.look.network import Network

    cv2.setNumThreads(threads)
    pixels = np.random.default_rng(1).random((1, 3, SIDE_PX, SIDE_PX), np.float32)
    yardstick = Network(yolo11n_sized(), "yardstick", {"images": (1, 3, SIDE_PX, SIDE_PX)}, threads)
    eye_factory = EyeFactory(threads=threads)
    stills = {count: still_of(count, SIZE_PX, TABLE_MM, eye_factory) for count in COUNTS}
    gate, clock = Gate(), iter(range(10**9))
    # On an idle table frames come in a row, each in a fresh buffer.
    frames = [stills[CARDS].image.copy() for _ in range(IDLE)]

    def idle() -> None:
        for image in frames:
            gate.compare(Frame(0, next(clock) / 10, image))

    work: dict[str, Callable[[], object]] = {"YOLO11n-sized network": lambda: yardstick.run({"images": pixels})}
    work |= {f"update, {count} cards": still.update for count, still in stills.items()}
    work["idle frame"] = idle
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for run in work.values():
        run()
    for _ in range(runs):
        for name, run in work.items():
            start = perf_counter()
            run()
            seconds[name].append((perf_counter() - start) / (IDLE if run is idle else 1))
    whole = median(seconds["YOLO11n-sized network"])
    table = Table("", "median ms", "of the network", box=None)
    for name, times in seconds.items():
        table.add_row(name, f"{1e3 * median(times):.1f}", f"{median(times) / whole:.3f}")
    console.print(table)
    console.print("found: " + ", ".join(f"{still.found} of {count} cards" for count, still in stills.items()))
    console.print(
        f"peak memory of a process that only looks: {_peak_mb(stills[CARDS].image, stills[CARDS].rig):.0f} MB"
    )


def _peak_mb(image: Image, rig: Rig) -> float:
    """Peak memory of a fresh process that only looks at this table."""
    import cv2

    from device.lab.bench.still import GAME
    from device.rigs import save_rig

    with TemporaryDirectory() as folder:
        picture, rig_file = Path(folder) / "table.png", Path(folder) / "rig.toml"
        cv2.imwrite(str(picture), image)
        save_rig(rig_file, rig)
        words = ["read", str(picture), "--rig", str(rig_file), "--deck", GAME]
        # The kernel's count for children starts with the parent's memory; a process's own does not.
        code = f"from device.cli.app import app; app({words!r}, standalone_mode=False); print(open({STATUS!r}).read())"
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024
