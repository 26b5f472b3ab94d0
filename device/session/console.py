"""The console: a session in a terminal, from its first line to its last."""

import os
import sys

from rich.console import Console
from rich.text import Text

from device.plain import plain
from device.recording.folder import DECK
from device.recording.journal import JournalEntry
from device.session.camera_moves import move_sources
from device.session.folder import SessionFolder
from device.session.inbox import Inbox
from device.session.loop import stopped_by_signals
from device.session.meter import MeterReading
from device.session.observer import WatchedCamera
from device.session.runner import SessionRunner
from device.session.words import EntryText
from device.settings import Settings
from device.watchdog import Watchdog
from models.cards import load_deck
from referee.texts import load_texts


def play(
    place: SessionFolder, watched: WatchedCamera | None, own: Settings, language: str, status_s: float = 0.0
) -> None:
    """Referee until the end; the session is closed in good order, or, after an error, left to be resumed."""
    screen, aside = Console(highlight=False), Console(highlight=False, stderr=True)
    match, folder, camera = place.game.match, place.path, place.recording.manifest.camera
    words = EntryText(load_texts(match.opening.game, language), match.names)

    def publish(entry: JournalEntry) -> None:
        screen.print(words.say(entry), soft_wrap=True)

    def refuse(text: str, why: str) -> None:
        aside.print(Text(f"! {plain(text)}: {plain(why)}", "bold red"), soft_wrap=True)

    def report(reading: MeterReading) -> None:
        aside.print(Text(plain(str(reading)), "dim"), soft_wrap=True)

    watchdog = Watchdog(os.environ, os.getpid())
    inbox = Inbox(sys.stdin.fileno())
    sources = move_sources(match.rules, load_deck(folder / DECK), place.rig, camera) if watched is not None else ()
    runner = SessionRunner(place, watched, own, publish, inbox, refuse, report, watchdog, sources, status_s)
    runner.begin()
    aside.print(Text(f"{plain(str(folder))}: type moves, `status` or `end`", "dim"), soft_wrap=True)
    watchdog.ready(f"{match.opening.game}: {', '.join(match.names)}")
    with stopped_by_signals(runner.loop.stop):
        runner.run()
    watchdog.stopping()
    if runner.has_camera:
        runner.loop.report()
    game = runner.session.game
    over = game.match.rules.outcome(game.match.state) is not None
    again = "" if over else f"; `krupier run --resume {folder.name}` goes on with it"
    aside.print(Text(plain(f"{folder.name}: {len(game.lines)} lines{again}"), "dim"), soft_wrap=True)
