"""`krupier evaluate`: scores readings of labelled pictures."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from calibration.rig import Rig
from device.cli.inputs import refusing
from device.cli.settings import chosen
from device.cli.simulate import picture_size
from device.eyes import Eye, EyeFactory
from device.faces import load_faces
from device.files import OutputError, new_folder, write_whole
from device.lab.evaluation.report import print_report, report_json
from device.lab.evaluation.score import Scored, score
from device.lab.evaluation.truth import TRUTH, Case, SetError, folder_cases
from device.rigs import load_rig
from device.teaching.choice import deck_to_read
from models.faces import Faces
from vision.sightings import Look

SIMULATED = "sim:"
TAUGHT = {"sim:taught": "styles", "sim:taught-photo": "photo"}
"""Sets of taught decks, and their families."""
_MIN_WIDTH = 132
"""Minimum width of the report: a narrow terminal wraps lines instead of cutting figures off."""
OpenEye = Callable[[Rig | None, str | None, Faces | None], Eye]


def evaluate(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SET",
            help="A folder with truth.json, a folder of `krupier simulate`, or sim:GAME, sim:all, sim:styles: "
            "random tables that training never saw; sim:photos: pieces of such tables, from near by or far off, on any "
            "ground, without a rig or a deck; sim:taught: decks of such tables, taught from one view a card; "
            "sim:photos-dark, sim:taught-photo: the same with dark photographic decks.",
        ),
    ],
    rig: Annotated[
        Path | None, typer.Option("--rig", help="The rig's file; by default the simulator's own, or none.")
    ] = None,
    deck: Annotated[str | None, typer.Option("--deck", help="The game or taught deck of the cards.")] = None,
    faces: Annotated[
        Path | None, typer.Option("--faces", help="A picture of every card, named by its code; by default SET/faces.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Maximum number of pictures.")] = None,
    pictures: Annotated[Path | None, typer.Option("--pictures", help="A new folder for pictures of mistakes.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write figures and mistakes to this file.")] = None,
    every: Annotated[float, typer.Option("--every", min=0, help="For a film: seconds between scored frames.")] = 2.0,
    count: Annotated[int, typer.Option("--count", min=1, help="Number of random tables.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same tables.")] = 900_001,
    difficulty: Annotated[float, typer.Option("--difficulty", min=0, max=1, help="How hard the tables are.")] = 0.7,
    size: Annotated[str, typer.Option("--size", help="Size of the pictures, such as 1280x896.")] = "1280x896",
    blind: Annotated[bool, typer.Option("--blind", help="Hide the camera's position from the eye.")] = False,
) -> None:
    """Score pictures with truth: found, read, which way up, how sure; by deck, visible part, light and material."""
    with refusing():
        _check_places(json_file, pictures)
        known = None if rig is None else load_rig(rig)
        game, taught = deck_to_read(chosen().data, deck)
        if name in TAUGHT:
            from device.lab.evaluation.taught import Counted, TeachingOrder, measure_teaching, teaching_json

            order = TeachingOrder(count, seed, difficulty, picture_size(size), TAUGHT[name])
            total_counts = Counted()
            for line in measure_teaching(order, EyeFactory(), total_counts):
                typer.echo(line)
            _write_json(json_file, {"set": name, **teaching_json(order, total_counts)})
            return
        if name.startswith(SIMULATED):
            if known is not None:
                raise SetError(f"{name}: --rig {rig} is for pictures of a camera; wanted none, or --blind")
            total = min(count, limit or count)
            cases = _simulated(name.removeprefix(SIMULATED), total, seed, difficulty, size, blind)
        else:
            cases, total = _cases_on_disk(Path(name), known, game, faces or taught, every, blind), None
        album = None
        scored: list[Scored] = []
        reads = False
        if pictures is not None:
            from device.lab.evaluation.album import Album

            album = Album()
        with _progress() as bar:
            task = bar.add_task(name, total=total)
            for case, look in looks(islice(cases, limit), EyeFactory().open_eye):
                scored.append(score(look, case.truth))
                reads = reads or case.deck is not None or case.faces is not None
                if album is not None:
                    album.add(case, scored[-1])
                bar.advance(task)
        if not scored:
            raise SetError(f"{name}: no picture in it that can be scored; a film must have settled frames")
        plain = Console(highlight=False)
        print_report(scored, reads, Console(highlight=False, width=max(plain.width, _MIN_WIDTH)))
        _write_json(json_file, {"set": name, **report_json(scored, reads)})
        if album is not None and pictures is not None:
            with new_folder(pictures) as folder:
                written = album.write(folder, scored, reads)
            typer.echo(f"{pictures}: {written} pictures")


def _write_json(file: Path | None, values: dict[str, Any]) -> None:
    if file is not None:
        write_whole(file, (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode())
        typer.echo(f"{file}: written")


def _simulated(name: str, count: int, seed: int, difficulty: float, size: str, blind: bool) -> Iterator[Case]:
    from device.lab.evaluation.photos import DARK_PHOTOS, PHOTOS, PhotoOrder, photo_cases
    from device.lab.evaluation.stills import TableOrder, still_cases

    if name in (PHOTOS, DARK_PHOTOS):
        return photo_cases(PhotoOrder(count, seed, difficulty, picture_size(size), family=name))
    return still_cases(TableOrder(name, count, seed, difficulty, picture_size(size)), blind)


def looks(cases: Iterable[Case], opener: OpenEye) -> Iterator[tuple[Case, Look]]:
    """Look at every picture with the eye for its rig and deck."""
    eye, of = None, None
    for case in cases:
        wanted = (case.rig, case.deck, case.faces)
        if eye is None or of is None or any(one is not other for one, other in zip(wanted, of, strict=True)):
            eye, of = opener(*wanted), wanted
        yield case, eye.look(case.frame)


def _check_places(json_file: Path | None, pictures: Path | None) -> None:
    """Refuse unwritable output before the work is done, not after."""
    if json_file is not None and (json_file.is_dir() or not json_file.parent.is_dir()):
        raise OutputError(f"{json_file}: cannot be written; wanted a file in a folder that is there")
    if pictures is not None and pictures.exists() and (not pictures.is_dir() or any(pictures.iterdir())):
        raise OutputError(f"{pictures}: is there already and not empty; wanted a new or an empty folder")


def _cases_on_disk(
    folder: Path, rig: Rig | None, deck: str | None, faces: Path | Faces | None, every_s: float, blind: bool
) -> Iterator[Case]:
    from device.lab.evaluation.films import film_cases
    from device.lab.simulator.archive import TRUTH as FILM_TRUTH

    if (folder / TRUTH).is_file():
        own = folder / "faces"
        shown = faces or (own if deck is None and own.is_dir() else None)
        return folder_cases(folder, rig, deck, load_faces(shown) if isinstance(shown, Path) else shown)
    if (folder / FILM_TRUTH).is_file():
        return film_cases(folder, every_s, rig, blind)
    what = "has neither" if folder.is_dir() else "is no folder with"
    raise SetError(
        f"{folder}: {what} {TRUTH} nor {FILM_TRUTH}; wanted a set with truth, or sim:GAME, sim:all, sim:styles,"
        " sim:photos, sim:photos-dark, sim:taught, sim:taught-photo"
    )


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
