"""The steps of a calibration: each takes a rig and an observation and returns a more complete rig."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from calibration.boards import Charuco, Chessboard, Geometry
from calibration.colour import Colour
from calibration.drift import judge_drift, measure_drift, remember
from calibration.frames import CalibrationError, Frame
from calibration.lens import Lens
from calibration.light import find_whites, judge_light
from calibration.plan import Seating, seat_table
from calibration.rig import Rig
from calibration.solution import LensResult
from calibration.strip import colour_from_strip
from calibration.table import locate_table, mat_markers, table_from_corners
from device.plans import plan_of
from referee.rules import load_rules

Size = tuple[float, float]
State = tuple[bool, str, str]
"""Whether a part is well, its name, and a description."""


def with_lens(known: Rig, result: LensResult) -> Rig:
    """The rig with a newly solved lens; CalibrationError if the lens cannot be trusted."""
    if not result.trusted:
        raise CalibrationError("this lens cannot be trusted, everything stays as it is; see the advice")
    # Table and landmarks were measured through the old lens.
    return replace(known, lens=result.lens, table=None, landmarks=Rig().landmarks)


def with_table(
    known: Rig,
    frame: Frame,
    size_mm: Size | None = None,
    mat: bool = False,
    corners_px: Sequence[tuple[float, float]] | None = None,
) -> Rig:
    """The rig with the table of a frame: found by its markers, by the mat's, or given by its corners."""
    lens = known.lens or perfect_lens(frame)
    if corners_px is not None:
        if size_mm is None:
            raise CalibrationError("corners by hand need the table's size: --size 700x500")
        table = table_from_corners(corners_px, size_mm, lens)
    elif mat:
        if size_mm is None:
            raise CalibrationError("the mat needs its size: --size 700x500")
        table = locate_table(frame.image, lens, size_mm, mat_markers(size_mm))
    else:
        table = locate_table(frame.image, lens, size_mm)
    return replace(known, lens=lens, table=table, landmarks=remember(frame.image, lens, table))


def with_colour(known: Rig, frame: Frame) -> Rig:
    """The rig with the colour of the light, measured on the printed strip in a frame."""
    return replace(known, colour=colour_from_strip(frame.image, known.lens))


def with_seats(known: Rig, game: str, players: int, layout: str = "sides", name: str = "the rig") -> Rig:
    """The rig with zones for every player and for the middle."""
    if known.table is None:
        raise CalibrationError(f"{name} knows no table yet; run `krupier calibrate table` first")
    seating = seated(game, players, known.table.size_mm, layout)
    return replace(known, seats=seating.seats, zones=seating.zones)


def seated(game: str, players: int, size_mm: Size, layout: str = "sides") -> Seating:
    """A table laid for the players of a game and for its automatic players."""
    rules = load_rules(game)
    if players not in rules.seats:
        raise CalibrationError(f"{players} players; {game} wants {rules.seats[0]} to {rules.seats[-1]}")
    return seat_table(plan_of(game), players + len(rules.guests(players)), size_mm, layout)


def perfect_lens(frame: Frame) -> Lens:
    """Stands in for an uncalibrated lens: about 66 degrees, without distortion."""
    height, width = frame.image.shape[:2]
    return Lens((width, height), (0.77 * width, 0.77 * width), ((width - 1) / 2, (height - 1) / 2), (0.0,) * 5)


def read_geometry(text: str) -> Geometry:
    """Parse the description of a calibration board."""
    mm = r"(\d{1,4}(?:\.\d+)?)"
    chess = re.fullmatch(rf"chess:(\d{{1,2}})x(\d{{1,2}}):{mm}", text)
    if chess:
        return Chessboard(int(chess[1]), int(chess[2]), float(chess[3]))
    charuco = re.fullmatch(rf"charuco:(\d{{1,2}})x(\d{{1,2}}):{mm}:{mm}:(\w+)", text)
    if charuco:
        return Charuco(int(charuco[1]), int(charuco[2]), float(charuco[3]), float(charuco[4]), charuco[5])
    raise CalibrationError(f"board {text!r}; wanted charuco:7x5:35:26:DICT_5X5_100 or chess:9x6:25")


def rig_state(rig: Rig) -> Iterator[State]:
    """State of each part of a rig."""
    lens, table = rig.lens, rig.table
    if lens is None or not lens.views:
        yield False, "lens", "not calibrated: `krupier calibrate lens`"
    else:
        yield True, "lens", f"{lens.size_px[0]}x{lens.size_px[1]}, RMS {lens.rms_px:.2f} px over {lens.views} views"
    if table is None:
        yield False, "table", "not calibrated: `krupier calibrate table`"
    else:
        yield True, "table", f"{table.size_mm[0]:.0f} x {table.size_mm[1]:.0f} mm, off by {table.error_mm:.2f} mm"
    if rig.colour == Colour():
        yield False, "colour", "not calibrated: `krupier calibrate colour`"
    else:
        yield True, "colour", f"light of about {rig.colour.kelvin:.0f} K, off by {rig.colour.error:.1f} (Lab)"
    if not rig.seats:
        yield False, "seats", "not laid out: `krupier calibrate seats GAME --players N`"
    else:
        yield True, "seats", f"{len(rig.seats)}; zones of nobody: {len(rig.zones) - len(rig.seats)}"


def seen_state(rig: Rig, frame: Frame) -> Iterator[State]:
    """Agreement of a frame with a rig: drift and light."""
    if rig.lens is not None and rig.table is not None:
        drift = measure_drift(frame.image, rig.lens, rig.table, rig.landmarks)
        state = judge_drift(drift).value
        yield state == "ok", "drift", f"{state}: {drift.shift_mm:.1f} mm, {drift.turn_deg:.2f}° (by {drift.by})"
    findings = judge_light(frame.image, find_whites(frame.image))
    for finding in findings:
        yield False, "light", finding.says
    if not findings:
        yield True, "light", "bright, even and neutral enough"
