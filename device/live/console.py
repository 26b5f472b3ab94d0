"""The console: a session in a terminal, from its first line to its last."""

import os
import sys
import time
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from calibration.rig import Rig
from device.cameras.opening import open_source
from device.cameras.source import Source
from device.live.inbox import Inbox
from device.live.lookout import Lookout, outline_of
from device.live.loop import Loop, stopped_by_signals
from device.live.meter import Reading
from device.live.place import Place
from device.live.words import Words
from device.optician import Optician
from device.plain import plain
from device.recording.journal import Entry
from device.recording.pruning import Room
from device.recording.recorder import Recorder
from device.session import Session
from device.settings import Settings
from device.store import History
from device.watchdog import Watchdog
from referee.texts import load_texts


@dataclass(frozen=True, slots=True)
class Outlook:
    """Where frames come from, and who looks at them."""

    source: Source
    lookout: Lookout


def look_out(camera: str, own: Settings, rig: Rig | None, game: str, frame: int = -1, at_s: float = 0.0) -> Outlook:
    """Open a camera, and an eye for it; `frame` and `at_s` are the last ones of a session that goes on."""
    source = open_source(camera, own.camera_settings, time.monotonic, frame + 1, at_s)
    try:
        eye = Optician(threads=own.threads).open_eye(rig, game)
    except BaseException:
        source.close()
        raise
    return Outlook(source, Lookout(eye, rig.zones if rig is not None else (), own.rest_s, outline_of(rig)))


def play(place: Place, outlook: Outlook | None, own: Settings, language: str, status_s: float = 0.0) -> None:
    """Referee until the end; the session is closed in good order, or, after an error, left to be resumed."""
    screen, aside = Console(highlight=False), Console(highlight=False, stderr=True)
    match, folder = place.game.match, place.folder.path
    words = Words(load_texts(match.opening.game, language), match.names)

    def publish(entry: Entry) -> None:
        screen.print(words.say(entry), soft_wrap=True)

    def refuse(text: str, why: str) -> None:
        aside.print(Text(f"! {plain(text)}: {plain(why)}", "bold red"), soft_wrap=True)

    def report(reading: Reading) -> None:
        aside.print(Text(plain(str(reading)), "dim"), soft_wrap=True)

    source = outlook.source if outlook is not None else None
    lookout = outlook.lookout if outlook is not None else None
    recorder: Recorder | None = None
    well = False
    try:
        if source is not None and own.record:
            limit = round(own.recordings_limit_gb * 1e9) or None
            room = Room(folder.parent, limit, round(own.spare_gb * 1e9))
            recorder = Recorder(folder, waits=not source.live, room=room)
        shelf = place.shelf(History(own.history_file))
        session = Session(place.game, place.journal, publish, lookout, recorder, (), shelf, place.frame, place.at_s)
        if place.said:
            session.go_on(f"resumed; {len(place.game.lines)} lines so far", place.ruled_s)
        else:
            session.begin()
        for news in place.news:
            session.trouble(news)
        watchdog = Watchdog(os.environ, os.getpid())
        inbox = Inbox(sys.stdin.fileno())
        loop = Loop(session, source, inbox, time.monotonic, watchdog, refuse, report, lookout, recorder, status_s)
        aside.print(Text(f"{plain(str(folder))}: type moves, `status` or `end`", "dim"), soft_wrap=True)
        watchdog.ready(f"{match.opening.game}: {', '.join(match.names)}")
        with stopped_by_signals(loop.stop):
            loop.run()
        watchdog.stopping()
        if source is not None:
            loop.report()
        # A machine that is restarted goes on with the game it was refereeing.
        well = not loop.later
    finally:
        if source is not None:
            source.close()
        if recorder is not None:
            recorder.close()
        if well:
            place.close()
        else:
            place.leave()
    over = session.game.match.rules.outcome(session.game.match.state) is not None
    again = "" if over else f"; `krupier run --resume {folder.name}` goes on with it"
    aside.print(Text(plain(f"{folder.name}: {len(session.game.lines)} lines{again}"), "dim"), soft_wrap=True)
