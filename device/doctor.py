"""The doctor: checks everything that a game needs, and says how to fix what is wrong."""

import errno
import os
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from importlib import metadata
from pathlib import Path

import cv2
import numpy as np

from calibration.colour import Colour
from calibration.drift import judge_drift, measure_drift
from calibration.frames import CalibrationError, Frame
from calibration.light import find_whites, judge_light
from calibration.rig import Rig
from device.heat import Heat, Run
from device.rigs import load_rig
from device.store import GameHistory, StoreError

MAX_RIG_AGE_DAYS = 180
"""Age in days from which a calibration should be checked again."""
BITS_PER_PIXEL = 0.15
"""Bits per pixel in the video of a busy table; a quiet table needs much less."""
MIN_CONTRAST_LEVELS = 30.0
"""Minimum difference in grey levels between the dark and the bright parts of a picture of the table."""
MAX_FLICKER = 0.015
"""Maximum relative variation of brightness between pictures, or between rows of one picture."""
FLICKER_SIZE_PX = (64, 36)
"""Size to which pictures are reduced for the flicker test."""
WARM_C, THROTTLING_C = 70.0, 80.0
"""A Raspberry Pi throttles itself from 80 °C."""
MIN_YEAR = 2026
"""An earlier year means that the clock was never set."""
MAX_CLOCK_STEP_S = 0.05
"""Maximum disagreement between wall clock and monotonic clock."""
PYTHONS = ((3, 11), (3, 13))
"""Oldest and newest supported version of Python."""
CALIBRATE = "see calibration/README.md: `krupier calibrate {part}`"


class CheckState(StrEnum):
    """Result of a check."""

    WELL = "well"
    ODD = "odd"
    """A game can be played, but someone should look into it."""
    BAD = "bad"
    UNKNOWN = "unknown"
    """The check could not be made."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What was checked, the result, an explanation, and how to fix it."""

    what: str
    state: CheckState
    says: str
    mend: str = ""


def check_python(wanted: Sequence[str], version: tuple[int, int] = sys.version_info[:2]) -> Iterator[CheckResult]:
    """Check Python and the libraries that Krupier needs."""
    least, most = (".".join(map(str, bound)) for bound in PYTHONS)
    found = f"Python {'.'.join(map(str, version))} on {platform.system()} {platform.machine()}"
    well = PYTHONS[0] <= version <= PYTHONS[1]
    yield CheckResult(
        "python",
        CheckState.WELL if well else CheckState.BAD,
        found if well else f"{found}; wanted {least} to {most}",
        "" if well else "make the environment anew: scripts/install",
    )
    missing, there = [], []
    for name in wanted:
        try:
            there.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if not wanted:
        yield CheckResult(
            "libraries", CheckState.UNKNOWN, "Krupier is not installed as a package: nobody says what it wants"
        )
    elif missing:
        yield CheckResult(
            "libraries", CheckState.BAD, f"missing: {', '.join(missing)}", "install again: scripts/install"
        )
    else:
        yield CheckResult("libraries", CheckState.WELL, ", ".join(there))


def check_games(playable: Sequence[str], faults: Mapping[str, str]) -> Iterator[CheckResult]:
    """The games that can be played, and what is wrong with installed packages that cannot."""
    yield CheckResult("games", CheckState.WELL, ", ".join(playable))
    for fault in faults.values():
        yield CheckResult("games", CheckState.ODD, fault, "mend that package, or remove it with pip uninstall")


def run_time_libraries() -> tuple[str, ...]:
    """Libraries that the installed package requires, without those for development and training."""
    try:
        wanted = metadata.requires("krupier") or []
    except metadata.PackageNotFoundError:
        return ()
    names = (text for text in wanted if "extra ==" not in text)
    return tuple(
        "".join(letter if letter.isalnum() or letter in "-_." else " " for letter in t).split()[0] for t in names
    )


def check_rig(path: Path, now: datetime) -> tuple[list[CheckResult], Rig | None]:
    """Check the contents and the age of a rig."""
    try:
        rig = load_rig(path)
        changed = datetime.fromtimestamp(path.stat().st_mtime, now.tzinfo)
    except (CalibrationError, OSError) as error:
        return [CheckResult("rig", CheckState.BAD, str(error), CALIBRATE.format(part="lens"))], None
    findings = []
    if rig.lens is None or not rig.lens.views:
        findings.append(
            CheckResult("rig", CheckState.ODD, f"{path}: the lens is not known", CALIBRATE.format(part="lens"))
        )
    if rig.table is None:
        findings.append(CheckResult("rig", CheckState.BAD, f"{path}: no table", CALIBRATE.format(part="table")))
    if rig.colour == Colour():
        findings.append(
            CheckResult(
                "rig",
                CheckState.ODD,
                f"{path}: the colour of the light is not known (it only advises on the lamp)",
                CALIBRATE.format(part="colour"),
            )
        )
    if not rig.seats:
        findings.append(
            CheckResult("rig", CheckState.BAD, f"{path}: no seats", CALIBRATE.format(part="seats GAME --players N"))
        )
    days = (now - changed).days
    if days > MAX_RIG_AGE_DAYS:
        says = f"{path}: {days} days old, wanted {MAX_RIG_AGE_DAYS} at most"
        findings.append(
            CheckResult("rig", CheckState.ODD, says, "`krupier calibrate check` with the camera says if it holds")
        )
    if not findings:
        table = rig.table.size_mm if rig.table else (0.0, 0.0)
        says = f"{path}: table of {table[0]:.0f} x {table[1]:.0f} mm, {len(rig.seats)} seats, {days} days old"
        findings.append(CheckResult("rig", CheckState.WELL, says))
    return findings, rig


def check_frames(frames: Sequence[Frame], rig: Rig | None, source: str) -> Iterator[CheckResult]:
    """Check a camera's pictures: size, drift and light."""
    last = frames[-1]
    height, width = last.image.shape[:2]
    yield CheckResult("camera", CheckState.WELL, f"{source}: {len(frames)} pictures of {width}x{height}{_taken(last)}")
    if rig is not None and rig.lens is not None and rig.lens.size_px != (width, height):
        wanted = f"{rig.lens.size_px[0]}x{rig.lens.size_px[1]}"
        yield CheckResult(
            "drift",
            CheckState.BAD,
            f"pictures of {width}x{height}; the rig was made with {wanted}",
            f"`krupier settings set size {wanted}`, or calibrate again",
        )
    elif rig is not None and rig.lens is not None and rig.table is not None:
        drift = measure_drift(last.image, rig.lens, rig.table, rig.landmarks)
        state = judge_drift(drift).value
        says = f"{state}: {drift.shift_mm:.1f} mm, {drift.turn_deg:.2f}° (by {drift.by})"
        mend = "" if state == "ok" else "`krupier calibrate table`: the camera or the table was moved"
        yield CheckResult("drift", CheckState.WELL if state == "ok" else CheckState.ODD, says, mend)
    yield from _check_light(frames)


def _taken(frame: Frame) -> str:
    """Exposure and gain of a picture, as far as the camera reports them."""
    said = dict(frame.camera)
    words = []
    if "exposure_us" in said:
        words.append(f"{said['exposure_us'] / 1000:.1f} ms")
    if "gain" in said:
        words.append(f"gain {said['gain']:.1f}")
    return f" ({', '.join(words)})" if words else ""


def _check_light(frames: Sequence[Frame]) -> Iterator[CheckResult]:
    image = frames[-1].image
    faults = [CheckResult("light", CheckState.ODD, one.says) for one in judge_light(image, find_whites(image))]
    grey = cv2.cvtColor(image[::4, ::4], cv2.COLOR_BGR2GRAY)
    dark, bright = (float(level) for level in np.percentile(grey, (2, 98)))
    if bright - dark < MIN_CONTRAST_LEVELS:
        says = f"hardly any contrast: {dark:.0f} to {bright:.0f} of 255, wanted {MIN_CONTRAST_LEVELS:.0f} between them"
        faults.append(
            CheckResult("light", CheckState.ODD, says, "take the cap off the lens; more light; a plain dark table")
        )
    flicker = flicker_of(frames)
    if flicker > MAX_FLICKER:
        says = f"the light flickers by {flicker:.1%}, wanted {MAX_FLICKER:.1%} at most"
        mend = "expose for 10 or 20 ms where mains are 50 Hz (8.3 or 16.7 ms at 60 Hz), or take another lamp"
        faults.append(CheckResult("light", CheckState.ODD, says, mend))
    if faults:
        yield from faults
    else:
        yield CheckResult("light", CheckState.WELL, f"bright, even and steady enough (it flickers by {flicker:.1%})")


def flicker_of(frames: Sequence[Frame]) -> float:
    """Relative variation of row brightness over time; movement in a few columns does not count."""
    if len(frames) < 3 or len({frame.image.shape for frame in frames}) > 1:
        return 0.0
    small = [
        cv2.resize(cv2.cvtColor(f.image, cv2.COLOR_BGR2GRAY), FLICKER_SIZE_PX, interpolation=cv2.INTER_AREA)
        for f in frames
    ]
    film = np.asarray(small, np.float64) + 4.0
    rows = np.median(film / np.median(film, axis=0), axis=2)
    return float(rows.std())


def check_disk(folder: Path, hours: float, size_px: tuple[int, int], fps: float, spare_gb: float) -> CheckResult:
    """Check that there is room for `hours` of recordings."""
    place = folder
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        return CheckResult(
            "disk",
            CheckState.BAD,
            f"{folder}: cannot be written to" + ("" if place == folder else f" ({place} cannot)"),
            "`krupier settings set recordings FOLDER`, or give yourself the right to write there",
        )
    free_gb = shutil.disk_usage(place).free / 1e9
    wanted_gb = spare_gb + hours * 3600 * fps * size_px[0] * size_px[1] * BITS_PER_PIXEL / 8 / 1e9
    if free_gb < wanted_gb:
        return CheckResult(
            "disk",
            CheckState.ODD if free_gb > spare_gb else CheckState.BAD,
            f"{folder}: {free_gb:.1f} GB free, wanted {wanted_gb:.1f} for {hours:g} hours",
            "`krupier session prune`, or `krupier settings set recordings FOLDER` on another disk",
        )
    return CheckResult(
        "disk", CheckState.WELL, f"{folder}: {free_gb:.1f} GB free, {hours:g} hours take {wanted_gb:.1f} at most"
    )


def check_history(path: Path) -> CheckResult:
    """Check that the history can be read."""
    try:
        count = GameHistory(path).check()
    except StoreError as error:
        return CheckResult("history", CheckState.BAD, str(error), "as it says; recordings hold the games too")
    return CheckResult("history", CheckState.WELL, f"{path}: {count} games")


def check_port(host: str, port: int) -> CheckResult:
    """Check that the dashboard can listen on its port."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, number) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(address)
    except OSError as error:
        mends = {
            errno.EADDRINUSE: "another program listens there, maybe Krupier itself: stop it, or take another port: "
            "`krupier settings set port 8081`",
            errno.EACCES: "ports below 1024 are not for everybody: `krupier settings set port 8080`",
        }
        mend = mends.get(error.errno or 0, "`krupier settings set host 127.0.0.1`")
        return CheckResult("port", CheckState.BAD, f"{host}, port {port}: {error.strerror or error}", mend)
    return CheckResult("port", CheckState.WELL, f"{host}, port {port}: free")


def check_clock(clocks: Callable[[], tuple[float, float]], wait: Callable[[float], None], run: Run) -> CheckResult:
    """Check that the wall clock runs and is right; `clocks` returns monotonic and wall-clock seconds."""
    began, began_wall = clocks()
    wait(0.2)
    ended, ended_wall = clocks()
    if ended <= began:
        return CheckResult("clock", CheckState.BAD, "the monotonic clock stands still", "restart the machine")
    apart_s = (ended_wall - began_wall) - (ended - began)
    year = datetime.fromtimestamp(ended_wall).astimezone().year
    mend = "only the dates shown are wrong, no ruling depends on it; `sudo timedatectl set-ntp true` and a network"
    if year < MIN_YEAR:
        return CheckResult("clock", CheckState.ODD, f"the clock says it is the year {year}", mend)
    if abs(apart_s) > MAX_CLOCK_STEP_S:
        return CheckResult("clock", CheckState.ODD, f"the wall clock was moved by {apart_s:+.2f} s just now", mend)
    synchronised = run(("timedatectl", "show", "-p", "NTPSynchronized", "--value"))
    if synchronised == "no":
        return CheckResult("clock", CheckState.ODD, "the clock is not synchronised", mend)
    return CheckResult(
        "clock", CheckState.WELL, "goes well" + (" and is synchronised" if synchronised == "yes" else "")
    )


def check_heat(heat: Heat) -> CheckResult:
    """Check that the machine is cool enough and has enough power."""
    says = "not known" if heat.temperature_c is None else f"{heat.temperature_c:.0f} °C"
    mend = "a heat sink or a fan, and the supply that belongs to this Raspberry Pi"
    if heat.now:
        return CheckResult("heat", CheckState.BAD, f"{says}; now: {', '.join(heat.now)}", mend)
    if heat.temperature_c is not None and heat.temperature_c >= WARM_C:
        state = CheckState.BAD if heat.temperature_c >= THROTTLING_C else CheckState.ODD
        return CheckResult("heat", state, f"{says}, wanted less than {WARM_C:.0f}", mend)
    if heat.before:
        return CheckResult("heat", CheckState.ODD, f"{says}; since it was switched on: {', '.join(heat.before)}", mend)
    return CheckResult("heat", CheckState.UNKNOWN if heat.temperature_c is None else CheckState.WELL, says)
