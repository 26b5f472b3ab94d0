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
from device.teaching.guide import guide_lines, guide_page
from device.teaching.labels import read_labels
from device.teaching.lessons import DoubtfulNameError, Lesson, RefusedView, TeachingQuestion
from device.teaching.played import forget_played
from device.teaching.school import School, taught_school
from device.teaching.sheet import contact_sheet
from device.teaching.translations import in_language
from device.teaching.words import (
    deck_lines,
    insist_text,
    lesson_lines,
    question_text,
    warning_text,
    words_for,
)
from models.cards import DeckError, own_decks
from models.codes import BACK, FREE, from_stem, listed
from models.taught import TaughtDeck

SHEET = "sheet.png"
CAMERA = "camera:"
"""Prefix of the names of camera pictures, which have no meaningful file name."""
ASK_APART = "-"
"""The answer that asks about each view of a group alone."""
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
    insist: Annotated[
        bool, typer.Option("--insist", help="Take the names that you give, whatever the pictures suggest.")
    ] = False,
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
    guide: Annotated[bool, typer.Option("--guide", help="Tell what to teach for a game, and what to check.")] = False,
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
    with refusing(lambda text: in_language(text, lang.value)):
        own = chosen(camera=camera, rig=rig)
        words = words_for(lang.value)
        if show_list:
            _list(own.data, lang.value)
        elif delete is not None:
            _delete(own.data, delete, yes, words)
        elif packed is not None:
            entry = import_deck(own.data, packed, name)
            typer.echo(words["imported"].format(name=entry.name, game=entry.game, views=entry.views, codes=entry.codes))
        else:
            deck, game = _wanted(own.data, what, name, free)
            if guide:
                _guide(game or load_index(find_deck(own.data, deck)).game, lang.value, words)
                return
            if export is not None:
                views = export_deck(own.data, deck, export)
                typer.echo(words["exported"].format(file=plain(str(export)), views=views))
                return
            if show:
                _show(own.data, deck, lang.value, words)
                return
            if forget_play:
                typer.echo(words["played-forgotten"].format(name=deck, views=len(forget_played(own.data, deck))))
                return
            known = None if rig is None else load_rig(rig)
            sight = EyeFactory(threads=own.threads).sight
            with taught_school(own.data, deck, sight, known, game) as school:
                refused = _correct(school, words, undo, label, count, turn, forget, card_mm, insist)
                named = {} if labels is None else read_labels(labels, school.deck.game)
                shots = _shots(own, images, video, camera, every)
                refused += _learn(school, words, shots, named, back, cropped, insist)
                refused += _label_views(school, words, named, insist)
                if corrections:
                    for lesson in learn_corrections(school, own.data):
                        refused += _said(lesson, words)
                _ask(school, lang.value)
                school.finish()
                _sum_up(school.deck, lang.value, words)
            if refused:
                said = [plain(in_language(str(one), lang.value)) for one in refused]
                refuse("\n".join((words["refused"].format(count=len(said)), *said)))


def _wanted(data: Path, what: str | None, name: str | None, free: str | None) -> tuple[str, str | None]:
    """The deck to teach, and its game if the deck is new."""
    if free is not None:
        if what is not None or name is not None:
            raise typer.BadParameter("--free NAME names the deck and has no game; wanted neither GAME nor --name")
        return free, FREE
    if what is None:
        raise typer.BadParameter(f"wanted GAME --name NAME ({', '.join(own_decks())}), --free NAME, or a taught deck")
    if what in own_decks():
        return name or f"my-{what.replace('_', '-')}", what
    if name is not None and not has_deck(data, what):
        raise TeachingError(f"no game {what!r}; there are {', '.join(own_decks())}, and --free NAME for any other")
    return what, None


def _guide(game: str, language: str, words: Mapping[str, str]) -> None:
    """Print the page about teaching a game."""
    typer.echo(plain(guide_page(game, language) or words["no-guide"].format(game=game)))


def _sum_up(deck: TaughtDeck, language: str, words: Mapping[str, str]) -> None:
    """Print how far a deck is and what to do next; for a new deck, how to begin."""
    ours = listed(deck.game)
    if not deck.views and ours:
        cards = sum(card.count for card in ours.values())
        typer.echo(words["begin"].format(game=deck.game, name=deck.name, cards=cards, codes=len(ours)))
    else:
        for line in deck_lines(deck, words):
            typer.echo(plain(line))
    for line in guide_lines(deck, language, words):
        typer.echo(plain(line))


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
    insist: bool,
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
        lesson = school.show(picture, shot, code, hint, back or BACK in (code, hint), cropped, insist)
        refused += _said(lesson, words)
    return refused


def _said(lesson: Lesson, words: Mapping[str, str]) -> list[RefusedView]:
    for line in lesson_lines(lesson, words):
        typer.echo(plain(line))
    return list(lesson.refused)


def _label(school: School, words: Mapping[str, str], view: str, code: str, by: str, insist: bool) -> None:
    """Name a view, with a warning if it looks like another card."""
    warning = school.label(view, code, by, insist).warning
    if warning is not None:
        typer.echo(plain(warning_text(warning, words)))


def _label_views(school: School, words: Mapping[str, str], named: dict[str, str], insist: bool) -> list[RefusedView]:
    """Apply the labels of a list to views; labels that match nothing are refused."""
    refused = []
    for word, code in named.items():
        if any(view.origin == word for view in school.deck.views):
            continue
        try:
            _label(school, words, word, code, "list", insist)
        except (DeckError, TeachingError) as error:
            refused.append(RefusedView(f"{word},{code}", str(error)))
    return refused


def _correct(
    school: School,
    words: Mapping[str, str],
    undo: bool,
    label: list[str] | None,
    count: list[str] | None,
    turn: list[str] | None,
    forget: list[str] | None,
    card_mm: str | None,
    insist: bool,
) -> list[RefusedView]:
    """Apply the changes to the deck one by one, so that a refused one does not affect the others."""
    if undo:
        school.undo()
    if card_mm is not None:
        school.measure(_size(card_mm))
    refused = []
    for given, do in (
        (forget, lambda word: school.forget(word)),
        (label, lambda word: _label(school, words, *_pair(word, "--label VIEW=CODE"), "hand", insist)),
        (count, lambda word: school.count(*_counted(word))),
        (turn, lambda word: school.turn(word)),
    ):
        for word in given or []:
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


def _ask(school: School, language: str) -> None:
    """Ask about unnamed views, if someone can answer."""
    if not is_asked():
        return
    words = words_for(language)
    open_questions = list(school.questions())
    while open_questions:
        question = open_questions.pop(0)
        answer = input(f"{plain(question_text(question, words))} ").strip()
        if answer == ASK_APART and len(question.views) > 1:
            open_questions[:0] = school.asked_apart(question)
        elif answer and not _answered(school, language, question, answer):
            open_questions.insert(0, question)


def _answered(school: School, language: str, question: TeachingQuestion, answer: str) -> bool:
    """Name the views of a question; False if the answer was not taken, so that the question is asked again."""
    try:
        school.label_group(question, answer, asking=True)
    except DoubtfulNameError as error:
        words = words_for(language)
        meant = input(plain(insist_text(error.doubtful, words))).strip().lower() == words["yes"]
        if meant:
            school.label_group(question, answer, insist=True)
        return meant
    except (DeckError, TeachingError) as error:
        typer.echo(plain(in_language(str(error), language)), err=True)
        return False
    return True


def _list(data: Path, language: str) -> None:
    words = words_for(language)
    for entry in taught_decks(data):
        waiting = words["listed-waiting"].format(waiting=entry.waiting) if entry.waiting else ""
        what = words["listed"].format(
            name=entry.name, game=entry.game, codes=entry.codes, cards=entry.cards, views=entry.views
        )
        fault = in_language(entry.fault, language)
        typer.echo(plain(f"{entry.name}: {fault}" if fault else what + waiting))


def _show(data: Path, name: str, language: str, words: Mapping[str, str]) -> None:
    home = find_deck(data, name)
    taught = load_index(home)
    _sum_up(taught, language, words)
    for code in taught.codes:
        typer.echo(f"{code} x{taught.count(code)}: {' '.join(view.name for view in taught.of(code))}")
    if taught.views:
        good, data_png = cv2.imencode(".png", contact_sheet(home, taught))
        if not good:
            raise OutputError(f"{home}: no PNG can be written here")
        write_whole(home / SHEET, data_png.tobytes())
        typer.echo(plain(words["drawn"].format(file=home / SHEET)))


def _delete(data: Path, name: str, sure: bool, words: Mapping[str, str]) -> None:
    taught = load_index(find_deck(data, name))
    if not sure:
        if not is_asked():
            raise TeachingError(f"{name}: nobody can be asked whether to delete it; wanted --yes")
        if not typer.confirm(words["sure"].format(name=name, views=len(taught.views), codes=len(taught.codes))):
            return
    delete_deck(data, name)
    typer.echo(words["deleted"].format(name=name))
