"""`krupier read`: reads the cards in pictures and videos."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import cv2
import typer
from rich.console import Console

from calibration.frames import Frame, Image
from device.cli.inputs import Lang, Language, refusing
from device.cli.settings import chosen
from device.eyes import Eye, EyeFactory
from device.faces import load_faces
from device.files import OutputError, new_folder, write_whole
from device.readings import heading, reading_json, reading_table
from device.rigs import load_rig
from device.sources import PICTURES, SourceError, frames_from, pictures_in, read_picture
from device.teaching.choice import deck_to_read
from vision.draw.overlay import ENGLISH, POLISH, LabelWords, draw_look
from vision.sightings import Look

FILM = ".mp4"
_CODEC = "mp4v"
_QUALITY = 93
"""JPEG quality of drawn pictures."""
_MAX_FPS = 60.0
"""Maximum frame rate of a drawn video."""
_MIN_WIDTH = 100
"""Minimum width of the table in characters."""


@dataclass(frozen=True, slots=True)
class PictureReading:
    """A picture, its name, and the cards on it."""

    name: str
    frame: Frame
    look: Look


def read(
    source: Annotated[str, typer.Argument(metavar="IMAGE|DIR|VIDEO", help="What to read.")],
    lang: Lang,
    rig: Annotated[
        Path | None, typer.Option("--rig", help="The rig's file; without it scale and slant come from the picture.")
    ] = None,
    deck: Annotated[str | None, typer.Option("--deck", help="The game or taught deck of the cards.")] = None,
    faces: Annotated[
        Path | None, typer.Option("--faces", help="Another deck: a folder with a picture of every card.")
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help='Print {"images": {name: {"cards": [{code, guesses, corners, face, visible, …}]}}}, '
            "corners in pixels of the picture in card order.",
        ),
    ] = False,
    draw: Annotated[
        Path | None,
        typer.Option("--draw", help="Draw the readings: to a picture, a new folder or an .mp4, as the source is."),
    ] = None,
    every: Annotated[float, typer.Option("--every", min=0, help="For a video: seconds between frames.")] = 1.0,
) -> None:
    """Say which cards are on the table, where, which way up, and how sure that is."""
    with refusing():
        game, taught = deck_to_read(chosen().data, deck)
        known = None if rig is None else load_rig(rig)
        known_faces = taught if faces is None else load_faces(faces)
        path = Path(source)
        if draw is not None:
            _check_output(path, draw)
        eye = EyeFactory().open_eye(known, game, known_faces)
        looks = looks_at(path, eye, every)
        if draw is not None:
            looks = _drawn(looks, path, draw, every, POLISH if lang is Language.PL else ENGLISH)
        console = Console(highlight=False, width=max(Console().width, _MIN_WIDTH))
        found: dict[str, Any] = {}
        for seen in looks:
            if as_json:
                when = {"at_s": round(seen.frame.at_s, 3)} if is_film(path) else {}
                found[seen.name] = when | reading_json(seen.look)
            else:
                console.print(heading(seen.name, seen.look))
                if seen.look.cards:
                    console.print(reading_table(seen.look, known))
        if as_json:
            typer.echo(json.dumps({"images": found}, ensure_ascii=False))
        elif draw is not None:
            typer.echo(f"{draw}: drawn")


def looks_at(path: Path, eye: Eye, every_s: float) -> Iterator[PictureReading]:
    """Look at a picture, at all pictures of a folder, or at a film every `every_s` seconds."""
    if not path.exists():
        raise SourceError(f"{path}: no such file or folder; wanted a picture, a folder of pictures or a video")
    if not is_film(path):
        files = pictures_in(path) if path.is_dir() else [path]
        for index, file in enumerate(files):
            frame = Frame(index, float(index), read_picture(file).image)
            yield PictureReading(file.name, frame, eye.look(frame))
        return
    due_s = 0.0
    for frame in frames_from(str(path)):
        # Frame times are sums of fractions: half a millisecond early is on time.
        if frame.at_s >= due_s - 0.0005:
            due_s = max(due_s + every_s, frame.at_s)
            yield PictureReading(f"{frame.index:06d}", frame, eye.look(frame))


def is_film(path: Path) -> bool:
    """Whether a path is to be opened as a video."""
    return not path.is_dir() and path.suffix.lower() not in PICTURES


def _check_output(path: Path, draw: Path) -> None:
    if draw.resolve() == path.resolve():
        raise OutputError(f"{draw}: is what is to be read, and stays as it is; wanted another place to draw to")
    wanted = "" if path.is_dir() else FILM if is_film(path) else ", ".join(PICTURES)
    if wanted and (draw.suffix.lower() not in wanted.split(", ") or draw.is_dir()):
        raise OutputError(f"{draw}: cannot be drawn to; wanted a file that ends in {wanted}")
    if path.is_dir() and draw.exists() and (not draw.is_dir() or any(draw.iterdir())):
        raise OutputError(f"{draw}: is there already and not empty; wanted a new or an empty folder")


def _drawn(
    looks: Iterator[PictureReading], path: Path, draw: Path, every_s: float, words: LabelWords
) -> Iterator[PictureReading]:
    """The same readings, each drawn as it passes."""
    if path.is_dir():
        with new_folder(draw) as folder:
            for seen in looks:
                (folder / seen.name).write_bytes(_encoded(folder / seen.name, seen, words))
                yield seen
    elif is_film(path):
        yield from _filmed(looks, draw, every_s, words)
    else:
        for seen in looks:
            write_whole(draw, _encoded(draw, seen, words))
            yield seen


def _encoded(path: Path, seen: PictureReading, words: LabelWords) -> bytes:
    drawn = draw_look(seen.frame.image, seen.look, words)
    kind = path.suffix.lower()
    quality = [cv2.IMWRITE_JPEG_QUALITY, _QUALITY] if kind in (".jpg", ".jpeg") else []
    good, data = cv2.imencode(kind, drawn, quality)
    if not good:
        raise OutputError(f"{path}: no such picture can be written; wanted {', '.join(PICTURES)}")
    return data.tobytes()


def _filmed(looks: Iterator[PictureReading], draw: Path, every_s: float, words: LabelWords) -> Iterator[PictureReading]:
    """Write the frames that were looked at as a video, at their original pace."""
    try:
        folder = tempfile.TemporaryDirectory(prefix=f".{draw.name}.", dir=draw.parent)
    except OSError as error:
        raise OutputError(f"{draw}: cannot be written: {error.strerror}") from error
    with folder as name:
        part = Path(name) / f"part{FILM}"
        writer: cv2.VideoWriter | None = None
        last: Frame | None = None
        waiting: list[Image] = []
        for seen in looks:
            waiting.append(draw_look(seen.frame.image, seen.look, words))
            if last is not None and writer is None:
                # The second frame shows the frame rate.
                writer = _writer(part, waiting[0], seen.frame.at_s - last.at_s)
            last = seen.frame
            if writer is not None:
                for picture in waiting:
                    writer.write(picture)
                waiting.clear()
            yield seen
        if writer is None and waiting:
            writer = _writer(part, waiting[0], every_s)
            writer.write(waiting[0])
        if writer is not None:
            writer.release()
            part.chmod(0o644)
            part.replace(draw)


def _writer(part: Path, picture: Image, apart_s: float) -> cv2.VideoWriter:
    fps = min(_MAX_FPS, 1 / max(apart_s, 1 / _MAX_FPS))
    size = (picture.shape[1], picture.shape[0])
    writer = cv2.VideoWriter(str(part), cv2.VideoWriter.fourcc(*_CODEC), fps, size)
    if not writer.isOpened():
        raise OutputError(f"{part}: no video can be written here (codec {_CODEC})")
    return writer
