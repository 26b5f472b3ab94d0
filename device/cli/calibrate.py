"""`krupier calibrate`: from a recorded video to a complete rig."""

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from calibration.frames import CalibrationError, Frame
from calibration.light import find_whites, judge_light
from calibration.rig import Rig
from calibration.solution import LensResult, solve_lens
from calibration.views import choose_views
from device.calibration_report import report_html
from device.cameras.opening import frames_now, last_frame
from device.cli.inputs import GameName, refusing
from device.cli.settings import chosen
from device.files import write_whole
from device.rig_steps import read_geometry, rig_state, seen_state, with_colour, with_lens, with_seats, with_table
from device.rigs import load_rig, save_rig
from device.sources import SourceError, frames_from

calibrate = typer.Typer(help="Teach the rig its lens, table, colours and seats.", no_args_is_help=True)

WAVING_S = 90.0
"""Seconds to watch a camera while someone waves the board."""

Source = Annotated[str | None, typer.Argument(help="A picture, a folder of pictures or a video.")]
CameraName = Annotated[str | None, typer.Option("--camera", help="A camera instead of a file: pi, usb:0.")]
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
    """Calibrate the lens with a film of the printed board (`krupier print charuco`)."""
    with refusing():
        known = _rig_or_new(rig)
        choice = choose_views(_watched(source, camera), None if board is None else read_geometry(board))
        typer.echo(choice.summary)
        result = solve_lens(choice.views, choice.size_px)
        _print_lens(result)
        if not result.trusted:
            raise CalibrationError(f"this lens cannot be trusted, {rig} stays as it is; see the advice above")
        save_rig(rig, with_lens(known, result))
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
        frame = last_frame(_named(source, camera), chosen().camera_settings)
        size_mm = None if size is None else read_size(size)
        pointed = None if corners is None else read_corners(corners)
        known = with_table(known, frame, size_mm, mat, pointed)
        save_rig(rig, known)
        table = known.table
        assert table is not None, "it was just found"
    typer.echo(
        f"{rig}: table of {table.size_mm[0]:.0f} x {table.size_mm[1]:.0f} mm saved, off by {table.error_mm:.2f} mm"
    )


@calibrate.command("colour")
def calibrate_colour(source: Source = None, camera: CameraName = None, rig: RigFile = RIG) -> None:
    """Measure the colour of the light with the printed strip (`krupier print colour-strip`).

    The result only advises on the lamp and corrects pictures of reports: cards are read without it.
    """
    with refusing():
        known = _rig_or_new(rig)
        frame = last_frame(_named(source, camera), chosen().camera_settings)
        for finding in judge_light(frame.image, find_whites(frame.image)):
            typer.echo(f"! {finding.says}")
        known = with_colour(known, frame)
        save_rig(rig, known)
        colour = known.colour
    typer.echo(f"{rig}: colours saved; light of about {colour.kelvin:.0f} K, colours off by {colour.error:.1f} (Lab)")


@calibrate.command("seats")
def calibrate_seats(
    game: GameName,
    players: Annotated[int, typer.Option("--players", min=1, max=12, help="Number of players.")],
    rig: RigFile = RIG,
    layout: Annotated[str, typer.Option("--layout", help="sides or round.")] = "sides",
) -> None:
    """Lay out the seats for a game: a zone for every player and for the middle. Edit them in the file if you like."""
    with refusing():
        known = with_seats(load_rig(rig), game, players, layout, str(rig))
        save_rig(rig, known)
    typer.echo(f"{rig}: {len(known.seats)} seats saved, zones of nobody: {len(known.zones) - len(known.seats)}")


@calibrate.command("check")
def calibrate_check(
    picture: Annotated[str | None, typer.Argument(help="A picture, a video or usb:0 to check the rig against.")] = None,
    rig: RigFile = RIG,
) -> None:
    """Show the state of the rig; with a picture also drift and light. Exit code 1 if something needs doing."""
    with refusing():
        known = load_rig(rig)
        rows = list(rig_state(known))
        if picture is not None:
            rows += list(seen_state(known, last_frame(picture, chosen().camera_settings)))
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
    """Write a page with the rectified table, its zones, the colours before and after, and the quality of the lens."""
    with refusing():
        known = load_rig(rig)
        frame = last_frame(picture, chosen().camera_settings)
        rows = [*rig_state(known), *seen_state(known, frame)]
        choice = None if film is None else choose_views(frames_from(film))
        solved = None if choice is None else (choice, solve_lens(choice.views, choice.size_px))
        write_whole(output, report_html(known, frame, rows, solved).encode())
    typer.echo(f"{output}: written")


def read_size(text: str) -> tuple[float, float]:
    """Parse a size in mm."""
    found = re.fullmatch(r"(\d{2,5}(?:\.\d+)?)x(\d{2,5}(?:\.\d+)?)", text)
    if not found:
        raise CalibrationError(f"size {text!r}; wanted WIDTHxHEIGHT in mm, as 700x500")
    return float(found[1]), float(found[2])


def read_corners(text: str) -> list[tuple[float, float]]:
    """Parse four corners in pixels."""
    found = re.findall(r"(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)", text)
    if len(found) != 4 or len(text.split()) != 4:
        raise CalibrationError(f"corners {text!r}; wanted four as x,y x,y x,y x,y")
    return [(float(x), float(y)) for x, y in found]


def _named(source: str | None, camera: str | None) -> str:
    if (source is None) == (camera is None):
        raise SourceError("wanted either a file or --camera, and not both")
    return source or camera or ""


def _watched(source: str | None, camera: str | None) -> Iterator[Frame]:
    frames = frames_now(_named(source, camera), chosen().camera_settings)
    return frames if camera is None else takewhile(lambda frame: frame.at_s < WAVING_S, frames)


def _rig_or_new(path: Path) -> Rig:
    return load_rig(path) if path.exists() else Rig()


def _print_lens(result: LensResult) -> None:
    lens, covered = result.lens, f"the board was in {100 * result.cover_share:.0f} % of the frame"
    focal = f"focal length {lens.focal_px[0]:.1f} ± {result.sigma_focal_px:.1f} px"
    typer.echo(f"{result.model.value} lens, RMS {lens.rms_px:.2f} px over {lens.views} views, {focal}, {covered}")
    for line in (*result.dropped, *result.advice):
        typer.echo(f"  {line}")
