"""`krupier replay`: plays a recording through the current models and rules."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from device.cli.inputs import Language, own_language, refusing
from device.cli.settings import chosen
from device.plain import plain
from device.settings import Settings, SettingsError

if TYPE_CHECKING:
    from device.eyes import Eye
    from device.recording.journal import JournalEntry
    from device.session.game import Game
    from device.session.observer import Observer
    from device.session.replay import Recorded, ReplayChange
    from device.session.words import EntryText


def replay(
    which: Annotated[str, typer.Argument(metavar="SESSION", help="Name, number, folder, bundle, or a simulated film.")],
    speed: Annotated[
        str, typer.Option("--speed", help="1 for the original speed, 4 for four times as fast, or max.")
    ] = "max",
    diff: Annotated[bool, typer.Option("--diff", help="Show only what has changed.")] = False,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="With --diff: a new folder for a picture of each change.")
    ] = None,
    only_rules: Annotated[bool, typer.Option("--only-rules", help="Skip the film; judge the journal's lines.")] = False,
    declared: Annotated[
        bool, typer.Option("--declared", help="For a simulated film: players declare what no camera can see.")
    ] = False,
    deck: Annotated[
        str | None, typer.Option("--deck", help="For a simulated film: read its cards with a deck that you taught.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Entries as JSON, one per line.")] = False,
    recordings: Annotated[Path | None, typer.Option("--recordings", help="Folder of the recordings.")] = None,
    lang: Annotated[Language | None, typer.Option("--lang", help="The language of the rulings.")] = None,
) -> None:
    """Replay a recording; the same recording gives the same log, to the last letter.

    A folder of `krupier simulate` is refereed from its video alone and compared with its truth.

    Exit code 1 with --diff: something has changed; for a film: its score is wrong or someone was falsely accused.
    """
    from device.lab.rehearsal.screening import is_film
    from device.recording.journal import JournalEntry
    from device.session.named import find_session
    from device.session.replay import changes, read_recorded, watch
    from device.session.replay import replay as replayed
    from device.session.words import EntryText
    from referee.texts import load_texts

    screen, aside = Console(highlight=False), Console(highlight=False, stderr=True)
    if pictures is not None and not diff:
        raise typer.BadParameter("--pictures wants --diff")
    with refusing():
        pace = _pace(speed)
        own = chosen(recordings=recordings, lang=None if lang is None else lang.value)
        language = own.lang or own_language().value
        if is_film(Path(which)):
            if pictures is not None or only_rules:
                raise SettingsError(f"{which}: a simulated film, which has neither a journal nor pictures of changes")
            if not _screened(Path(which), own, language, pace, as_json, diff, declared, deck):
                raise typer.Exit(1)
            return
        _check_session_options(which, declared, deck)
        recorded = read_recorded(find_session(which, own.recordings_folder))
        game = recorded.game
        played = None if game is None else game.match.opening.game
        words = (
            EntryText(load_texts(played, language), game.match.names)
            if game is not None and played
            else EntryText(None)
        )
        observer, eye = _watching(recorded, own, game) if recorded.has_video and not only_rules else (None, None)

        def show(entry: JournalEntry) -> None:
            if diff:
                return
            if as_json:
                typer.echo(json.dumps({"at_s": entry.at_s, "kind": entry.kind, "data": entry.data}, ensure_ascii=False))
            else:
                screen.print(words.say(entry), soft_wrap=True)

        entries: tuple[JournalEntry, ...]
        if game is None:
            if observer is None or diff:
                raise SettingsError(f"{which}: no game was played in it; nothing to judge or to compare")
            lost, entries = watch(recorded, observer, show, pace), ()
        else:
            entries, lost = replayed(recorded, game, observer, show, pace, only_rules)
        for loss in (*recorded.losses, *lost):
            aside.print(Text(f"lost: {plain(str(loss))}", "magenta"), soft_wrap=True)
        if not diff:
            return
        found = changes(recorded.entries, entries, tables=observer is not None)
        _print_changes(screen, words, found, entries)
        if pictures is not None:
            from device.session.replay_pictures import write_pictures

            written = write_pictures(pictures, recorded, found, eye)
            screen.print(Text(f"{plain(str(pictures))}: {written} pictures"))
    if found:
        raise typer.Exit(1)


def _check_session_options(which: str, declared: bool, deck: str | None) -> None:
    """Refuse options that only a simulated film understands."""
    if deck is not None:
        raise SettingsError(f"{which}: no simulated film; a session is read with the deck it was played with")
    if declared:
        raise SettingsError(f"{which}: no simulated film; what people said in a session is said again anyway")


def _watching(recorded: "Recorded", own: Settings, game: "Game | None") -> "tuple[Observer, Eye]":
    """The observer for the film of a recording, and its eye."""
    from device.eyes import EyeFactory
    from device.session.folder import rig_of
    from device.session.observer import build_observer
    from device.teaching.choice import faces_to_play

    rig = rig_of(recorded.stored)
    played, deck = (None, None) if game is None else (game.match.opening.game, game.match.opening.deck)
    # A taught deck is read with its own views, if they are on this machine.
    faces = faces_to_play(own.data, deck, played or "")
    eye = EyeFactory(threads=own.threads).open_eye(rig, played, faces)
    return build_observer(eye, rig, played, own.rest_s), eye


def _print_changes(
    screen: Console, words: "EntryText", found: "Sequence[ReplayChange]", entries: "Sequence[JournalEntry]"
) -> None:
    """Print every change, and the totals."""
    for change in found:
        screen.print(Text(change.what, "bold"))
        for sign, one in (("-", change.was), ("+", change.now)):
            screen.print(Text(f"{sign} ").append_text(words.say(one) if one else Text("nothing")), soft_wrap=True)
    lines = sum(entry.kind in ("input", "ruling") for entry in entries)
    tables = sum(entry.kind == "table" for entry in entries)
    screen.print(f"{len(found)} changes in {lines} lines and {tables} tables")


def _screened(
    folder: Path,
    own: Settings,
    language: str,
    pace: Callable[[float], None],
    as_json: bool,
    brief: bool,
    declared: bool,
    deck: str | None,
) -> bool:
    """Referee a simulated film and print the result; True if the score is right and nobody was falsely accused."""
    from device.eyes import EyeFactory
    from device.lab.rehearsal.screening import open_reel, result_json, screen
    from device.recording.journal import JournalEntry
    from device.session.observer import build_observer
    from device.session.words import EntryText
    from device.teaching.choice import faces_of_game
    from referee.texts import load_texts

    console, reel = Console(highlight=False), open_reel(folder)
    rig, opening = reel.rig, reel.record.opening
    names = (*opening.names, *reel.rules.guests(len(opening.names)))
    words = EntryText(load_texts(opening.game, language), names)
    faces = None if deck is None else faces_of_game(own.data, deck, opening.game)
    eye = EyeFactory(threads=own.threads).open_eye(rig, opening.game, faces)
    observer = build_observer(eye, rig, opening.game, own.rest_s)

    def show(entry: JournalEntry) -> None:
        if as_json and not brief:
            typer.echo(json.dumps({"at_s": entry.at_s, "kind": entry.kind, "data": entry.data}, ensure_ascii=False))
        elif not brief:
            console.print(words.say(entry), soft_wrap=True)

    entries, result = screen(reel, observer, show, pace, declared)
    if as_json:
        said = {"at_s": entries[-1].at_s, "kind": "result", "data": result_json(result)}
        typer.echo(json.dumps(said, ensure_ascii=False))
    else:
        for sign, rulings in (("-", result.missing), ("+", result.extra)):
            for (move, ruling), count in sorted(rulings.items()):
                console.print(Text(f"{sign} {ruling} {move}" + (f" ({count} times)" if count > 1 else "")))
        total = len(result.played.log)
        console.print(
            f"rulings: {total - result.missing.total()} of {total} right, {result.extra.total()} wrong, "
            f"asked {result.asked} times in {result.tables} tables"
        )
        console.print(
            f"cheats: {result.flagged} of {result.cheats} that show flagged, {result.questioned} more asked about, "
            f"{result.accused} false ILLEGAL"
        )
        console.print(f"score: {'right' if result.right else 'WRONG'}")
    return result.right and not result.accused


def _pace(speed: str) -> Callable[[float], None]:
    """A function that waits until a frame is due."""
    if speed == "max":
        return lambda at_s: None
    try:
        factor = float(speed)
    except ValueError:
        factor = 0.0
    if not 0 < factor <= 1000:
        raise SettingsError(f"--speed {speed!r}; wanted a number more than 0, 1000 at most, or max")
    began_s = time.monotonic()

    def wait(at_s: float) -> None:
        early_s = began_s + at_s / factor - time.monotonic()
        if early_s > 0:
            time.sleep(early_s)

    return wait
