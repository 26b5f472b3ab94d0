"""`krupier calibrate`: from a recorded video to a rig that knows its table."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from calibration.boards import Charuco, Chessboard, Geometry
from calibration.colour import Colour
from calibration.drift import judge_drift, measure_drift, remember
from calibration.frames import CalibrationError, Frame
from calibration.lens import Lens
from calibration.light import find_whites, judge_light
from calibration.plan import seat_table
from calibration.rig import Rig
from calibration.solution import LensResult, solve_lens
from calibration.strip import colour_from_strip
from calibration.table import locate_table, mat_markers, table_from_corners
from calibration.views import choose_views
from device.calibration_report import report_html
from device.cli.inputs import refusing
from device.files import write_whole
from device.rigs import load_rig, save_rig
from device.sources import SourceError, frames_from, last_frame
from referee.rules import load_rules

calibrate = typer.Typer(help="Teach the rig its lens, table, colours and seats.", no_args_is_help=True)

WAVING_S = 90.0
"""A camera is watched this long while somebody waves the board."""

Source = Annotated[str | None, typer.Argument(help="A picture, a folder of pictures or a video.")]
CameraName = Annotated[str | None, typer.Option("--camera", help="A camera instead of a file: usb:0.")]
RigFile = Annotated[Path, typer.Option("--rig", help="The rig's file.")]
RIG = Path("rig.toml")


@calibrate.command("lens")
def calibrate_lens(
    source: Source = None,
    camera: CameraName = None,
    rig: RigFile = RIG,
    board: Annotated[
        str | None, typer.Option("--board", help="charuco:7x5:35:26:DICT_5X5_100 or chess:9x6:25; else recognised.")
    ] = None,
) -> None:
    """Find the lens from a film of the printed board (`krupier print charuco`)."""
    with refusing():
        known = _rig_or_new(rig)
        choice = choose_views(_watched(source, camera), None if board is None else read_geometry(board))
        typer.echo(choice.summary)
        result = solve_lens(choice.views, choice.size_px)
        _print_lens(result)
        if not result.trusted:
            raise CalibrationError(f"this lens cannot be trusted, {rig} stays as it is; see the advice above")
        # What was found through another lens is not where it was any more.
        save_rig(rig, replace(known, lens=result.lens, table=None, landmarks=Rig().landmarks))
    typer.echo(f"{rig}: lens saved; now `krupier calibrate table`")


@calibrate.command("table")
def calibrate_table(
    source: Source = None,
    camera: CameraName = None,
    rig: RigFile = RIG,
    size: Annotated[str | None, typer.Option("--size", help="The table, or the printed mat, in mm: 700x500.")] = None,
    mat: Annotated[bool, typer.Option("--mat", help="The markers are those of the printed mat of --size.")] = False,
    corners: Annotated[
        str | None, typer.Option("--corners", help="By hand, in pixels: x,y x,y x,y x,y clockwise from the upper left.")
    ] = None,
) -> None:
    """Find the table by its four markers, by the mat, or by corners given by hand."""
    with refusing():
        known = _rig_or_new(rig)
        frame = last_frame(_named(source, camera))
        lens = known.lens or _perfect_lens(frame)
        size_mm = None if size is None else read_size(size)
        if corners is not None:
            if size_mm is None:
                raise CalibrationError("corners by hand need the table's size: --size 700x500")
            table = table_from_corners(read_corners(corners), size_mm, lens)
        elif mat:
            if size_mm is None:
                raise CalibrationError("the mat needs its size: --size 700x500")
            table = locate_table(frame.image, lens, size_mm, mat_markers(size_mm))
        else:
            table = locate_table(frame.image, lens, size_mm)
        landmarks = remember(frame.image, lens, table)
        save_rig(rig, replace(known, lens=lens, table=table, landmarks=landmarks))
    typer.echo(
        f"{rig}: table of {table.size_mm[0]:.0f} x {table.size_mm[1]:.0f} mm saved, off by {table.error_mm:.2f} mm"
    )


@calibrate.command("colour")
def calibrate_colour(source: Source = None, camera: CameraName = None, rig: RigFile = RIG) -> None:
    """Learn the colour of the light from the printed strip (`krupier print colour-strip`)."""
    with refusing():
        known = _rig_or_new(rig)
        frame = last_frame(_named(source, camera))
        for finding in judge_light(frame.image, find_whites(frame.image)):
            typer.echo(f"! {finding.says}")
        colour = colour_from_strip(frame.image, known.lens)
        save_rig(rig, replace(known, colour=colour))
    typer.echo(f"{rig}: colours saved; light of about {colour.kelvin:.0f} K, colours off by {colour.error:.1f} (Lab)")


@calibrate.command("seats")
def calibrate_seats(
    game: Annotated[str, typer.Argument(help="dawaj2, trio, dnp, kto_drugi or lucky_box.")],
    players: Annotated[int, typer.Option("--players", min=1, max=12, help="How many play.")],
    rig: RigFile = RIG,
    layout: Annotated[str, typer.Option("--layout", help="sides or round.")] = "sides",
) -> None:
    """Lay out the seats for a game: zones for everybody and for the middle; edit them in the file if you like."""
    with refusing():
        known = load_rig(rig)
        if known.table is None:
            raise CalibrationError(f"{rig} knows no table yet; run `krupier calibrate table` first")
        rules = load_rules(game)
        if players not in rules.seats:
            raise CalibrationError(f"{players} players; {game} wants {rules.seats[0]} to {rules.seats[-1]}")
        seating = seat_table(game, players + len(rules.guests(players)), known.table.size_mm, layout)
        save_rig(rig, replace(known, seats=seating.seats, zones=seating.zones))
    typer.echo(f"{rig}: {len(seating.seats)} seats saved, zones of nobody: {len(seating.zones) - len(seating.seats)}")


@calibrate.command("check")
def calibrate_check(
    picture: Annotated[str | None, typer.Argument(help="A picture, a video or usb:0 to check the rig against.")] = None,
    rig: RigFile = RIG,
) -> None:
    """Say the state of everything; with a picture also drift and light. Exit code 1 if something needs doing."""
    with refusing():
        known = load_rig(rig)
        rows = list(_state(known))
        if picture is not None:
            rows += list(_seen_state(known, last_frame(picture)))
    table = Table(box=None, pad_edge=False, show_header=False)
    for well, what, says in rows:
        table.add_row(Text("✓" if well else "✗", "green" if well else "bold red"), Text(what, "bold"), Text(says))
    Console(highlight=False).print(table)
    if not all(well for well, _, _ in rows):
        raise typer.Exit(1)


@calibrate.command("report")
def calibrate_report(
    picture: Annotated[str, typer.Argument(help="A picture or video of the table as it is now.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write.")],
    rig: RigFile = RIG,
    film: Annotated[
        str | None, typer.Option("--film", help="The film of the board: shows its coverage and residuals.")
    ] = None,
) -> None:
    """A page with the straightened table, its zones, the colours before and after, and how good the lens is."""
    with refusing():
        known = load_rig(rig)
        frame = last_frame(picture)
        rows = [*_state(known), *_seen_state(known, frame)]
        choice = None if film is None else choose_views(frames_from(film))
        solved = None if choice is None else (choice, solve_lens(choice.views, choice.size_px))
        write_whole(output, report_html(known, frame, rows, solved).encode())
    typer.echo(f"{output}: written")


def read_geometry(text: str) -> Geometry:
    """A board as it is written on the command line."""
    chess = re.fullmatch(r"chess:(\d+)x(\d+):([\d.]+)", text)
    if chess:
        return Chessboard(int(chess[1]), int(chess[2]), float(chess[3]))
    charuco = re.fullmatch(r"charuco:(\d+)x(\d+):([\d.]+):([\d.]+):(\w+)", text)
    if charuco:
        return Charuco(int(charuco[1]), int(charuco[2]), float(charuco[3]), float(charuco[4]), charuco[5])
    raise CalibrationError(f"board {text!r}; wanted charuco:7x5:35:26:DICT_5X5_100 or chess:9x6:25")


def read_size(text: str) -> tuple[float, float]:
    """A size in mm as it is written on the command line."""
    found = re.fullmatch(r"(\d{2,5}(?:\.\d+)?)x(\d{2,5}(?:\.\d+)?)", text)
    if not found:
        raise CalibrationError(f"size {text!r}; wanted WIDTHxHEIGHT in mm, as 700x500")
    return float(found[1]), float(found[2])


def read_corners(text: str) -> list[tuple[float, float]]:
    """Corners as they are written on the command line."""
    found = re.findall(r"(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)", text)
    if len(found) != 4 or len(text.split()) != 4:
        raise CalibrationError(f"corners {text!r}; wanted four as x,y x,y x,y x,y")
    return [(float(x), float(y)) for x, y in found]


def _named(source: str | None, camera: str | None) -> str:
    if (source is None) == (camera is None):
        raise SourceError("wanted either a file or --camera, and not both")
    return source or camera or ""


def _watched(source: str | None, camera: str | None) -> Iterator[Frame]:
    frames = frames_from(_named(source, camera))
    return frames if camera is None else takewhile(lambda frame: frame.at_s < WAVING_S, frames)


def _rig_or_new(path: Path) -> Rig:
    return load_rig(path) if path.exists() else Rig()


def _perfect_lens(frame: Frame) -> Lens:
    """Without a calibrated lens the picture is taken as it is; about 66 degrees, no bend."""
    height, width = frame.image.shape[:2]
    return Lens((width, height), (0.77 * width, 0.77 * width), ((width - 1) / 2, (height - 1) / 2), (0.0,) * 5)


def _print_lens(result: LensResult) -> None:
    lens, covered = result.lens, f"the board was in {100 * result.cover_share:.0f} % of the frame"
    focal = f"focal length {lens.focal_px[0]:.1f} ± {result.sigma_focal_px:.1f} px"
    typer.echo(f"{result.model.value} lens, RMS {lens.rms_px:.2f} px over {lens.views} views, {focal}, {covered}")
    for line in (*result.dropped, *result.advice):
        typer.echo(f"  {line}")


State = tuple[bool, str, str]


def _state(rig: Rig) -> Iterator[State]:
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


def _seen_state(rig: Rig, frame: Frame) -> Iterator[State]:
    if rig.lens is not None and rig.table is not None:
        drift = measure_drift(frame.image, rig.lens, rig.table, rig.landmarks)
        state = judge_drift(drift).value
        yield state == "ok", "drift", f"{state}: {drift.shift_mm:.1f} mm, {drift.turn_deg:.2f}° (by {drift.by})"
    findings = judge_light(frame.image, find_whites(frame.image))
    for finding in findings:
        yield False, "light", finding.says
    if not findings:
        yield True, "light", "bright, even and neutral enough"
