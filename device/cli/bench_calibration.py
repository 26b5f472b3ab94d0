"""`krupier bench calibration`: the cost of rectifying a frame, compared with a plain remap of the same output."""

from time import perf_counter
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

RUNS = 40


def calibration(
    px_per_mm: Annotated[float, typer.Option("--px-per-mm", min=0.5, max=4, help="The scale of the view.")] = 2.0,
) -> None:
    """Rectify a 2304x1296 frame of an 800 x 500 mm table."""
    from calibration.lens import Lens
    from calibration.rectify import Rectifier, rivals
    from calibration.table import table_from_corners

    lens = Lens((2304, 1296), (1774.0, 1774.0), (1151.5, 647.5), (-0.09, 0.02, 0.0, 0.0, 0.0))
    corners = [(160.0, 40.0), (2150.0, 60.0), (2180.0, 1260.0), (130.0, 1240.0)]
    rectifier = Rectifier(lens, table_from_corners(corners, (800.0, 500.0), lens), px_per_mm)
    image = np.random.default_rng(1).integers(0, 256, (1296, 2304, 3), np.uint8)
    ours, plain = rivals(image, rectifier)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(RUNS):
        for run, seconds in ((ours, times[0]), (plain, times[1])):
            start = perf_counter()
            run()
            seconds.append(perf_counter() - start)
    mine, rival = (sorted(seconds)[RUNS // 2] for seconds in times)
    width, height = rectifier.size_px
    size, ratio = f"2304x1296 to {width}x{height}", f"{mine / rival:.2f} times a plain remap"
    Console().print(f"{size}: {1e3 * mine:.1f} ms, {ratio} ({1e3 * rival:.1f} ms)")
