"""The checkup: the checks of `krupier doctor`, run by the dashboard."""

import time
from collections.abc import Iterator
from datetime import datetime

from calibration.frames import Frame
from calibration.rig import Rig
from device.cli.doctor import FRAMES, check_models, check_pictures, watch
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import AppState
from device.dashboard.services.jobs import Progress
from device.doctor import (
    CheckResult,
    CheckState,
    check_clock,
    check_disk,
    check_heat,
    check_history,
    check_python,
    check_rig,
    run_time_libraries,
)
from device.heat import model_name, read_heat, run_quietly
from device.plain import plain
from device.recording.lines import JSON
from vision.look.networks import WEIGHTS

HOURS = 4.0
PATIENCE_S = 12.0
_CHECKS = 14
"""Approximate number of checks, for the progress bar."""
_BETWEEN_S = 0.1


def examine(app_state: AppState, progress: Progress) -> JSON:
    """Run every check; report what is well, what is not, and how to fix it."""
    findings: list[JSON] = []
    well = True
    for finding in _findings(app_state, progress):
        well = well and finding.state is not CheckState.BAD
        row = {"what": finding.what, "state": finding.state.value, "says": plain(finding.says)}
        findings.append({**row, "mend": plain(finding.mend)})
        progress(min(0.98, len(findings) / _CHECKS))
    return {"well": well, "findings": findings}


def _findings(app_state: AppState, progress: Progress) -> Iterator[CheckResult]:
    settings = app_state.settings
    yield from check_python(run_time_libraries())
    yield check_models(WEIGHTS, settings.threads)
    findings, rig = check_rig(settings.rig, datetime.now().astimezone())
    yield from findings
    yield from _check_camera(app_state, rig, progress)
    yield check_disk(settings.recordings_folder, HOURS, settings.size, settings.fps, settings.spare_gb)
    yield check_history(settings.history_file)
    # Whoever reads this has reached the port.
    yield CheckResult("port", CheckState.WELL, f"{settings.address}, port {settings.port}: this page comes from there")
    yield check_clock(lambda: (time.monotonic(), time.time()), time.sleep, run_quietly)
    yield check_heat(read_heat())
    board = model_name()
    if board is not None:
        yield CheckResult("board", CheckState.WELL, board)


def _check_camera(app_state: AppState, rig: Rig | None, progress: Progress) -> Iterator[CheckResult]:
    name = app_state.settings.camera
    if app_state.playing():
        frames = _seen(app_state, progress)
        message = "" if frames else "the game that is on has no camera, or it gives nothing"
        yield from check_pictures("the game's camera", frames, message, rig if frames else None)
        return
    frames, message = [], ""
    try:
        with app_state.borrow_camera(name) as source:
            frames, message = watch(lambda: source, FRAMES, PATIENCE_S)
    except Refusal as refusal:
        message = refusal.what
    yield from check_pictures(name, frames, message, rig)


def _seen(app_state: AppState, progress: Progress) -> list[Frame]:
    """Some frames of the running game's camera, without disturbing the game."""
    frames: list[Frame] = []
    ends_s = time.monotonic() + PATIENCE_S / 2
    while len(frames) < FRAMES and time.monotonic() < ends_s:
        newest = app_state.newest_frame()
        if newest is not None and (not frames or newest.index != frames[-1].index):
            frames.append(newest)
        progress(0.3)
        time.sleep(_BETWEEN_S)
    return frames
