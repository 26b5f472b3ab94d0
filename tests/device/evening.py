"""An evening at the small table: a bot game, said line by line while the film goes on. A program can be killed."""

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from device.recording.journal import JournalEntry
from device.recording.recorder import Recorder
from device.session.folder import SessionFolder, begin, newest_cut_off, resume
from device.session.observer import Observer
from device.session.session import Publish, Session
from device.store import GameHistory
from referee.snapshot import to_json
from tests.device.small_table import ZONES, SlotEye, filmed
from tests.referee.games_played import BotGame, bot_game

TABLES = ((), ("9G0",), ("9G0", "5P1"), ("9G0", "5P1", "6B3"), ("9G0", "5P1", "6B3", "7P2"))
EVERY = 2
"""A line is said after every so many frames."""


@cache
def played() -> BotGame:
    """The game: with cheats, so that some of it is illegal."""
    return min((bot_game("dawaj2", seed, 0.2) for seed in range(1, 6)), key=lambda one: len(one.record.lines))


@cache
def said() -> tuple[str, ...]:
    """What is said: the game, and some second thoughts."""
    lines = [line.text for line in played().record.lines if line.meaning is not None]
    return (*lines[:4], "undo", "redo", *lines[4:])


def observer() -> Observer:
    """Somebody who watches the small table."""
    return Observer(SlotEye(), ZONES)


def session_at(place: SessionFolder, history: Path, publish: Publish, recorder: Recorder | None = None) -> Session:
    """A session at that place."""
    history_sync = place.history_sync(GameHistory(history))
    session = Session(
        place.game, place.journal, publish, observer(), recorder, (), history_sync, place.frame, place.at_s
    )
    if place.said:
        session.go_on("resumed", place.ruled_s)
    else:
        session.begin()
    return session


def play(place: SessionFolder, history: Path, publish: Publish) -> dict[str, Any]:
    """Play to the end from wherever the session was left; what came of it."""
    recorder = Recorder(place.path, waits=True)
    session = session_at(place, history, publish, recorder)
    film = filmed(TABLES, session.frame + 1)
    for text in said()[len(place.game.lines) :]:
        for _ in range(EVERY):
            frame = next(film, None)
            if frame is not None:
                session.see(frame)
        session.hear(text, session.at_s)
    for frame in film:
        session.see(frame)
    recorder.close()
    place.close()
    return result(session)


def result(session: Session) -> dict[str, Any]:
    """Everything about a game that must not depend on how often it was cut off."""
    match = session.game.match
    rulings = [[verdict.ruling.value, verdict.rule] for verdict in match.verdicts]
    return {"record": session.game.record, "state": to_json(match.state), "rulings": rulings}


def main(root: Path) -> None:
    """Play, or go on; every entry that is shown is a line of output."""

    def publish(entry: JournalEntry) -> None:
        print(entry.kind, entry.number, flush=True)

    path = newest_cut_off(root / "recordings") if (root / "recordings").exists() else None
    place = begin(root / "recordings", played().record.opening) if path is None else resume(path)
    print(json.dumps(play(place, root / "history.sqlite", publish)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
