"""`krupier doctor`: checks everything that a game needs."""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from calibration.frames import Frame
from calibration.rig import Rig
from device.cameras.opening import open_source
from device.cameras.source import Source
from device.cli.inputs import refusing
from device.doctor import (
    CheckResult,
    CheckState,
    check_clock,
    check_disk,
    check_frames,
    check_games,
    check_heat,
    check_history,
    check_port,
    check_python,
    check_rig,
    run_time_libraries,
)
from device.heat import model_name, read_heat, run_quietly
from device.plain import plain
from device.settings import Settings, find_settings
from device.sources import SourceError
from referee.rules import game_faults, games
from vision.look.network import ModelError
from vision.look.networks import WEIGHTS, load_networks

FRAMES = 15
"""Number of pictures for the flicker test."""
MARKS = {
    CheckState.WELL: ("✓", "green"),
    CheckState.ODD: ("!", "yellow"),
    CheckState.BAD: ("✗", "bold red"),
    CheckState.UNKNOWN: ("?", ""),
}


def doctor(
    camera: Annotated[str | None, typer.Option("--camera", help="Camera, instead of the one in the settings.")] = None,
    rig: Annotated[Path | None, typer.Option("--rig", help="Rig file, instead of the one in the settings.")] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Port, instead of the one in the settings.")
    ] = None,
    hours: Annotated[float, typer.Option("--hours", min=0, help="Hours of recording that the disk must hold.")] = 4.0,
    patience: Annotated[float, typer.Option("--patience", min=0.1, help="Seconds to wait for the camera.")] = 15.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check camera, light, models, rig, disk, history, clock, port and heat, and say how to fix what is wrong.

    Exit code 1 if something must be fixed before a game.
    """
    with refusing():
        found = find_settings(os.environ, {"camera": camera, "rig": rig, "port": port})
        findings = list(examine(found.settings, hours, patience))
    bad = any(one.state is CheckState.BAD for one in findings)
    if as_json:
        typer.echo(json.dumps({"well": not bad, "findings": [asdict(one) for one in findings]}, indent=1))
    else:
        _print(findings)
    if bad:
        raise typer.Exit(1)


def examine(settings: Settings, hours: float, patience_s: float) -> Iterator[CheckResult]:
    """Run all checks in order."""
    yield from check_python(run_time_libraries())
    yield from check_games(games(), game_faults())
    yield check_models(WEIGHTS, settings.threads)
    findings, rig = check_rig(settings.rig, datetime.now().astimezone())
    yield from findings
    yield from _check_camera(settings, rig, patience_s)
    yield check_disk(settings.recordings_folder, hours, settings.size, settings.fps, settings.spare_gb)
    yield check_history(settings.history_file)
    yield check_port(settings.address, settings.port)
    yield check_clock(lambda: (time.monotonic(), time.time()), time.sleep, run_quietly)
    yield check_heat(read_heat())
    board = model_name()
    if board is not None:
        yield CheckResult("board", CheckState.WELL, plain(board))


def watch(open_camera: Callable[[], Source], count: int, patience_s: float) -> tuple[list[Frame], str]:
    """The first `count` frames, and the camera's message if there are fewer; a hanging camera is abandoned."""
    source = open_camera()
    got: SimpleQueue[Frame | SourceError | None] = SimpleQueue()

    def fetch() -> None:
        try:
            for _, frame in zip(range(count), source.frames(), strict=False):
                got.put(frame)
        except SourceError as error:
            got.put(error)
        got.put(None)

    frames: list[Frame] = []
    Thread(target=fetch, name="doctor", daemon=True).start()
    ends_s = time.monotonic() + patience_s
    try:
        while True:
            found = got.get(timeout=max(0.0, ends_s - time.monotonic()))
            if not isinstance(found, Frame):
                return frames, str(found or source.status.message)
            frames.append(found)
    except Empty:
        return frames, source.status.message or f"no picture within {patience_s:g} s"
    finally:
        source.close()


def _check_camera(settings: Settings, rig: Rig | None, patience_s: float) -> Iterator[CheckResult]:
    name = settings.camera
    try:
        frames, message = watch(lambda: open_source(name, settings.camera_settings), FRAMES, patience_s)
    except SourceError as error:
        frames, message = [], str(error)
    yield from check_pictures(name, frames, message, rig)


def check_pictures(name: str, frames: Sequence[Frame], message: str, rig: Rig | None) -> Iterator[CheckResult]:
    """Check the pictures of a camera, or report why there are none."""
    if frames:
        yield from check_frames(frames, rig, name)
        return
    says = f"{name}: {message.removeprefix(f'{name}: ') or 'gives no picture'}"
    mend = (
        "is it plugged in, and does another program use it (`sudo systemctl stop krupier`)? "
        "`krupier settings set camera usb:1` takes another; for that of a Pi: scripts/install-pi"
    )
    yield CheckResult("camera", CheckState.BAD, says, mend)
    yield CheckResult("light", CheckState.UNKNOWN, "not seen without a picture")


def check_models(weights: Path, threads: int) -> CheckResult:
    """Check that the networks are present and match their model cards."""
    try:
        load_networks(weights, threads)
    except ModelError as error:
        return CheckResult("models", CheckState.BAD, str(error), "install Krupier again, or train: `krupier train`")
    names = ", ".join(sorted(path.stem for path in weights.glob("*.onnx")))
    return CheckResult("models", CheckState.WELL, f"{names}: as their cards say")


def _print(findings: list[CheckResult]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for one in findings:
        mark, style = MARKS[one.state]
        says = Text(plain(one.says))
        if one.mend:
            says.append(f"\n→ {plain(one.mend)}", "italic")
        table.add_row(Text(mark, style), Text(one.what, "bold"), says)
    Console(highlight=False).print(table)
