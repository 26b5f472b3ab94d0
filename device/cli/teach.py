"""`krupier teach`: teaches your own cards by showing them."""

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated

import cv2
import typer

from calibration.frames import Frame
from device.cli.inputs import Lang, refuse, refusing
from device.cli.read import is_film
from device.cli.settings import chosen
from device.eyes import EyeFactory
from device.files import OutputError, write_whole
from device.plain import plain
from device.rigs import load_rig
from device.settings import Settings
from device.sources import SourceError, frames_from, pictures_in, read_picture
from device.teaching.corrections import learn_corrections
from device.teaching.folder import (
    TeachingError,
    delete_deck,
    export_deck,
    find_deck,
    has_deck,
    import_deck,
    load_index,
    taught_decks,
)
from device.teaching.labels import read_labels
from device.teaching.lessons import Lesson, RefusedView
from device.teaching.played import forget_played
from device.teaching.school import School, taught_school
from device.teaching.sheet import contact_sheet
from device.teaching.words import deck_lines, lesson_lines, question_text, words_for
from models.cards import DeckError, own_decks
from models.codes import BACK, FREE, from_stem

SHEET = "sheet.png"
CAMERA = "camera:"
"""Prefix of the names of camera pictures, which have no meaningful file name."""
WARM_FRAMES = 8
"""First frames of a camera to skip: they are too dark or too bright."""


def teach(
    lang: Lang,
    what: Annotated[str | None, typer.Argument(metavar="[GAME|NAME]", help="A game, or a taught deck.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of your deck.")] = None,
    free: Annotated[str | None, typer.Option("--free", metavar="NAME", help="A deck of a game without rules.")] = None,
    images: Annotated[Path | None, typer.Option("--images", help="A picture, or a folder of them.")] = None,
    video: Annotated[Path | None, typer.Option("--video", help="A film of the cards.")] = None,
    camera: Annotated[str | None, typer.Option("--camera", help="pi, usb:0 …; Enter takes a picture.")] = None,
    rig: Annotated[Path | None, typer.Option("--rig", help="The rig's file: cards are measured in mm.")] = None,
    every: Annotated[float, typer.Option("--every", min=0, help="For a film: seconds between frames.")] = 1.0,
    labels: Annotated[Path | None, typer.Option("--labels", help="A CSV file: file,code or view,code.")] = None,
    back: Annotated[bool, typer.Option("--back", help="The pictures show backs.")] = False,
    cropped: Annotated[bool, typer.Option("--cropped", help="Each picture is one card and nothing else.")] = False,
    label: Annotated[list[str] | None, typer.Option("--label", metavar="VIEW=CODE", help="Name a view.")] = None,
    count: Annotated[
        list[str] | None, typer.Option("--count", metavar="CODE=N", help="Number of copies of a card.")
    ] = None,
    turn: Annotated[list[str] | None, typer.Option("--turn", metavar="VIEW", help="Turn a view upside down.")] = None,
    forget: Annotated[list[str] | None, typer.Option("--forget", metavar="VIEW|CODE", help="Delete views.")] = None,
    card_mm: Annotated[
        str | None, typer.Option("--card-mm", metavar="WxH", help="Size of the cards, such as 56x87.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last change.")] = False,
    corrections: Annotated[
        bool, typer.Option("--learn-corrections", help="Learn from cards that were corrected during games.")
    ] = False,
    forget_play: Annotated[
        bool, typer.Option("--forget-played", help="Delete all views that were learnt while playing.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Draw all views, and list what is missing.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the taught decks.")] = False,
    delete: Annotated[str | None, typer.Option("--delete", metavar="NAME", help="Delete a whole deck.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before deleting.")] = False,
    export: Annotated[Path | None, typer.Option("--export", metavar="FILE.zip", help="Pack the deck.")] = None,
    packed: Annotated[Path | None, typer.Option("--import", metavar="FILE.zip", help="Unpack a deck.")] = None,
) -> None:
    """Teach Krupier your own cards: spread them out or show them one by one, as often as you like.

    The file name of a picture of one card may be its code (7.jpg; 1-8.jpg is 1/8). Known cards, also those of our own
    print, are recognised; you are asked about the others, or they wait for --label. Every run adds to the deck.
    """
    with refusing():
        own = chosen(camera=camera, rig=rig)
        words = words_for(lang.value)
        if show_list:
            _list(own.data)
        elif delete is not None:
            _delete(own.data, delete, yes)
        elif packed is not None:
            entry = import_deck(own.data, packed, name)
            typer.echo(f"{entry.name} ({entry.game}): {entry.views} views of {entry.codes} cards")
        else:
            deck, game = _wanted(own.data, what, name, free)
            if export is not None:
                typer.echo(f"{plain(str(export))}: {export_deck(own.data, deck, export)} views")
                return
            if show:
                _show(own.data, deck, words)
                return
            if forget_play:
                typer.echo(f"{deck}: {len(forget_played(own.data, deck))} views from play forgotten")
                return
            known = None if rig is None else load_rig(rig)
            sight = EyeFactory(threads=own.threads).sight
            with taught_school(own.data, deck, sight, known, game) as school:
                refused = _correct(school, undo, label, count, turn, forget, card_mm)
                named = {} if labels is None else read_labels(labels, school.deck.game)
                refused += _learn(school, words, _shots(own, images, video, camera, every), named, back, cropped)
                refused += _label_views(school, named)
                if corrections:
                    for lesson in learn_corrections(school, own.data):
                        refused += _said(lesson, words)
                _ask(school, words)
                school.finish()
                for line in deck_lines(school.deck, words):
                    typer.echo(plain(line))
            if refused:
                refuse(f"{len(refused)} refused, everything else is kept:\n" + "\n".join(map(str, refused)))


def _wanted(data: Path, what: str | None, name: str | None, free: str | None) -> tuple[str, str | None]:
    """The deck to teach, and its game if the deck is new."""
    if free is not None:
        if what is not None or name is not None:
            raise typer.BadParameter("--free NAME names the deck and has no game; wanted neither GAME nor --name")
        return free, FREE
    if what is None:
        raise typer.BadParameter(f"wanted GAME --name NAME ({', '.join(own_decks())}), --free NAME, or a taught deck")
    if what in own_decks():
        if name is None:
            raise typer.BadParameter(f"wanted --name: what your deck of {what} is to be called, as --name my-{what}")
        return name, what
    if name is not None and not has_deck(data, what):
        raise TeachingError(f"no game {what!r}; there are {', '.join(own_decks())}, and --free NAME for any other")
    return what, None


Shot = tuple[str, Frame | SourceError]
"""The name of a picture, and the picture or the reason why there is none."""


def _shots(
    own: Settings, images: Path | None, video: Path | None, camera: str | None, every_s: float
) -> Iterator[Shot]:
    """All pictures to learn from."""
    if images is not None:
        if not images.exists():
            raise SourceError(f"{images}: no such file or folder; wanted a picture or a folder of pictures")
        for index, path in enumerate(pictures_in(images) if images.is_dir() else [images]):
            try:
                yield path.name, Frame(index, float(index), read_picture(path).image)
            except SourceError as error:
                yield path.name, error
    if video is not None:
        if not is_film(video):
            raise SourceError(f"{video}: is no film; wanted a video, or --images")
        due_s = 0.0
        for frame in frames_from(str(video)):
            if frame.at_s >= due_s - 0.0005:
                due_s = max(due_s + every_s, frame.at_s)
                yield f"{video.name}, frame {frame.index:06d}", frame
    if camera is not None:
        yield from _snapped(camera, own)


def _snapped(camera: str, own: Settings) -> Iterator[Shot]:
    """Pictures of a camera, one for every Enter; a single one if there is no terminal."""
    import time

    from device.cameras.opening import open_source

    source = open_source(camera, own.camera_settings, time.monotonic)
    try:
        frames = source.frames()
        last = next(islice(frames, WARM_FRAMES if source.live else 0, None), None)
        if last is None:
            raise SourceError(f"{camera}: gives no picture")
        stamp = time.strftime("%Y%m%d-%H%M%S")
        number = 0
        while last is not None:
            if is_asked() and input("Enter / q: ").strip().lower() == "q":
                return
            if source.live:
                # Frames taken while people laid out the cards are outdated.
                last = next(islice(frames, 2, None), None)
            if last is not None:
                number += 1
                yield f"{CAMERA} {stamp} {number}", last
            if not is_asked():
                return
            last = next(frames, None)
    finally:
        source.close()


def is_asked() -> bool:
    """Whether someone can answer on a terminal."""
    return sys.stdin.isatty()


def _learn(
    school: School,
    words: Mapping[str, str],
    shots: Iterator[Shot],
    named: dict[str, str],
    back: bool,
    cropped: bool,
) -> list[RefusedView]:
    refused: list[RefusedView] = []
    own_list = dict(named)
    for picture, shot in shots:
        named.pop(picture, None)
        if isinstance(shot, SourceError):
            refused.append(RefusedView(picture, str(shot)))
            continue
        code = own_list.get(picture, "")
        hint = "" if picture.startswith(CAMERA) else from_stem(school.deck.game, Path(picture).stem) or ""
        refused += _said(school.show(picture, shot, code, hint, back or BACK in (code, hint), cropped), words)
    return refused


def _said(lesson: Lesson, words: Mapping[str, str]) -> list[RefusedView]:
    for line in lesson_lines(lesson, words):
        typer.echo(plain(line))
    return list(lesson.refused)


def _label_views(school: School, named: dict[str, str]) -> list[RefusedView]:
    """Apply the labels of a list to views; labels that match nothing are refused."""
    refused = []
    for word, code in named.items():
        if any(view.origin == word for view in school.deck.views):
            continue
        try:
            school.label(word, code, "list")
        except (DeckError, TeachingError) as error:
            refused.append(RefusedView(f"{word},{code}", str(error)))
    return refused


def _correct(
    school: School,
    undo: bool,
    label: list[str] | None,
    count: list[str] | None,
    turn: list[str] | None,
    forget: list[str] | None,
    card_mm: str | None,
) -> list[RefusedView]:
    """Apply the changes to the deck one by one, so that a refused one does not affect the others."""
    if undo:
        school.undo()
    if card_mm is not None:
        school.measure(_size(card_mm))
    refused = []
    for words, do in (
        (forget, lambda word: school.forget(word)),
        (label, lambda word: school.label(*_pair(word, "--label VIEW=CODE"))),
        (count, lambda word: school.count(*_counted(word))),
        (turn, lambda word: school.turn(word)),
    ):
        for word in words or []:
            try:
                do(word)
            except (DeckError, TeachingError) as error:
                refused.append(RefusedView(word, str(error)))
    return refused


def _pair(text: str, wanted: str) -> tuple[str, str]:
    one, equals, other = text.partition("=")
    if not equals or not one or not other:
        raise TeachingError(f"found {text!r}; wanted {wanted}")
    return one, other


def _counted(text: str) -> tuple[str, int]:
    code, number = _pair(text, "--count CODE=N")
    if not number.isdecimal() or len(number) > 4:
        raise TeachingError(f"found {text!r}; wanted --count CODE=N, N a whole number")
    return code, int(number)


def _size(text: str) -> tuple[float, float]:
    width, _, height = text.partition("x")
    try:
        size = float(width), float(height)
    except ValueError:
        size = (0.0, 0.0)
    if not all(20 <= side <= 200 for side in size):
        raise TeachingError(f"--card-mm {text!r}; wanted width and height in mm, as 56x87, each from 20 to 200")
    return size


def _ask(school: School, words: Mapping[str, str]) -> None:
    """Ask about unnamed views, if someone can answer."""
    if not is_asked():
        return
    for question in school.questions():
        while True:
            answer = input(f"{plain(question_text(question, words))} ").strip()
            if not answer:
                break
            try:
                school.label_group(question, answer)
            except (DeckError, TeachingError) as error:
                typer.echo(plain(str(error)), err=True)
                continue
            break


def _list(data: Path) -> None:
    for entry in taught_decks(data):
        what = entry.fault or (
            f"{entry.game}, {entry.codes} cards ({entry.cards} with copies), {entry.views} views"
            + (f", {entry.waiting} without a name" if entry.waiting else "")
        )
        typer.echo(plain(f"{entry.name}: {what}"))


def _show(data: Path, name: str, words: Mapping[str, str]) -> None:
    home = find_deck(data, name)
    taught = load_index(home)
    for line in deck_lines(taught, words):
        typer.echo(plain(line))
    for code in taught.codes:
        typer.echo(f"{code} x{taught.count(code)}: {' '.join(view.name for view in taught.of(code))}")
    if taught.views:
        good, data_png = cv2.imencode(".png", contact_sheet(home, taught))
        if not good:
            raise OutputError(f"{home}: no PNG can be written here")
        write_whole(home / SHEET, data_png.tobytes())
        typer.echo(plain(f"{home / SHEET}: drawn"))


def _delete(data: Path, name: str, sure: bool) -> None:
    taught = load_index(find_deck(data, name))
    if not sure:
        if not is_asked():
            raise TeachingError(f"{name}: nobody can be asked whether to delete it; wanted --yes")
        if not typer.confirm(f"{name}: {len(taught.views)} views of {len(taught.codes)} cards; delete them for good?"):
            return
    delete_deck(data, name)
    typer.echo(f"{name}: deleted")
