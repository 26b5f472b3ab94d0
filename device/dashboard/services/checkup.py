"""The checkup: what `krupier doctor` looks at, while the dashboard itself runs."""

import time
from collections.abc import Iterator
from datetime import datetime

from calibration.frames import Frame
from calibration.rig import Rig
from device.cli.doctor import FRAMES, check_models, check_pictures, watch
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import House
from device.dashboard.services.jobs import Step
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
"""About so many findings there are."""
_BETWEEN_S = 0.1


def examine(house: House, step: Step) -> JSON:
    """Everything, one after the other; what is well, what is not, and how to mend it."""
    findings: list[JSON] = []
    well = True
    for finding in _findings(house, step):
        well = well and finding.state is not CheckState.BAD
        row = {"what": finding.what, "state": finding.state.value, "says": plain(finding.says)}
        findings.append({**row, "mend": plain(finding.mend)})
        step(min(0.98, len(findings) / _CHECKS))
    return {"well": well, "findings": findings}


def _findings(house: House, step: Step) -> Iterator[CheckResult]:
    own = house.own
    yield from check_python(run_time_libraries())
    yield check_models(WEIGHTS, own.threads)
    findings, rig = check_rig(own.rig, datetime.now().astimezone())
    yield from findings
    yield from _check_camera(house, rig, step)
    yield check_disk(own.recordings_folder, HOURS, own.size, own.fps, own.spare_gb)
    yield check_history(own.history_file)
    # That somebody reads this tells that the port is well.
    yield CheckResult("port", CheckState.WELL, f"{own.address}, port {own.port}: this page comes from there")
    yield check_clock(lambda: (time.monotonic(), time.time()), time.sleep, run_quietly)
    yield check_heat(read_heat())
    board = model_name()
    if board is not None:
        yield CheckResult("board", CheckState.WELL, board)


def _check_camera(house: House, rig: Rig | None, step: Step) -> Iterator[CheckResult]:
    name = house.own.camera
    if house.playing():
        frames = _seen(house, step)
        message = "" if frames else "the game that is on has no camera, or it gives nothing"
        yield from check_pictures("the game's camera", frames, message, rig if frames else None)
        return
    frames, message = [], ""
    try:
        with house.borrow_camera(name) as source:
            frames, message = watch(lambda: source, FRAMES, PATIENCE_S)
    except Refusal as refusal:
        message = refusal.what
    yield from check_pictures(name, frames, message, rig)


def _seen(house: House, step: Step) -> list[Frame]:
    """Some frames of the camera that a game has; it is not disturbed."""
    frames: list[Frame] = []
    ends_s = time.monotonic() + PATIENCE_S / 2
    while len(frames) < FRAMES and time.monotonic() < ends_s:
        newest = house.newest_frame()
        if newest is not None and (not frames or newest.index != frames[-1].index):
            frames.append(newest)
        step(0.3)
        time.sleep(_BETWEEN_S)
    return frames
