"""Replay: a recording through today's vision and today's rules; the same recording gives the same entries."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from calibration.frames import Frame
from device.recording.film import VIDEO
from device.recording.folder import Stored
from device.recording.journal import JOURNAL, JournalEntry, read_journal
from device.recording.lines import Loss
from device.recording.playback import SessionFrames
from device.session.camera_moves import CameraMoveSource
from device.session.events import LINES, LineJudged, readable
from device.session.folder import deck_of, game_of, rig_of
from device.session.game import Game
from device.session.observer import Observer
from device.session.seating import seating_of
from device.session.session import MemoryJournal, Publish, Session
from device.session.table_json import lies, table_from_json, table_json
from models.cards import own_deck

REPEATED = (*LINES, "card")
"""What people said about the game is said again."""
Pace = Callable[[float], None]
"""Waits until the time of a frame has come, or not at all."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is in a recording beside its frames."""

    stored: Stored
    entries: tuple[JournalEntry, ...]
    losses: tuple[Loss, ...]

    @property
    def game(self) -> Game | None:
        """The game before its first line; None for a film without one."""
        if not self.stored.manifest.game and not any(entry.kind == "opening" for entry in self.entries):
            return None
        return Game.open(*game_of(self.stored, self.entries))

    @property
    def has_video(self) -> bool:
        """Whether its frames are there."""
        return self.stored.part(VIDEO) is not None


@dataclass(frozen=True, slots=True)
class ReplayChange:
    """Something that today is not what it was."""

    what: str
    """Which line, or that it is a table."""
    frame: int
    """Which frame shows it; -1 for none."""
    was: JournalEntry | None
    now: JournalEntry | None


def read_recorded(stored: Stored) -> Recorded:
    """A session's journal; one that has none is a film without a game."""
    part = stored.part(JOURNAL)
    entries, losses = read_journal(part) if part is not None else ((), ())
    return Recorded(stored, entries, (*stored.losses, *losses))


def replay(
    recorded: Recorded,
    game: Game,
    observer: Observer | None = None,
    publish: Publish = lambda entry: None,
    pace: Pace = lambda at_s: None,
    only_rules: bool = False,
) -> tuple[tuple[JournalEntry, ...], tuple[Loss, ...]]:
    """Run a recording once more: all entries, and what of its film is lost. Nothing is dropped.

    Without a film the tables of its journal are explained anew; with `only_rules` its lines are judged and no more.
    """
    notes = MemoryJournal()
    camera = None if only_rules else _camera_moves(recorded, game)
    session = Session(game, notes, publish, observer, sources=() if camera is None else (camera,))
    session.begin()
    # The camera's rulings are worked out again with today's vision and rules.
    repeated = REPEATED if camera is None else ("input", "card")
    losses: tuple[Loss, ...] = ()
    filmed = observer is not None and recorded.has_video
    if camera is not None and not filmed:
        repeated = (*repeated, "table")
    said = deque(entry for entry in recorded.entries if entry.kind in repeated)
    if filmed:
        film = SessionFrames(recorded.stored)
        for frame in film.frames():
            while said and said[0].after < frame.index:
                pace(said[0].at_s)
                session.repeat(said.popleft())
            pace(frame.at_s)
            session.see(frame)
        losses = film.losses
    for entry in said:
        pace(entry.at_s)
        if entry.kind == "table":
            session.show(table_from_json(entry.data, entry.at_s), entry.at_s)
        else:
            session.repeat(entry)
    return tuple(notes.entries), losses


def _camera_moves(recorded: Recorded, game: Game) -> CameraMoveSource | None:
    """What explains the tables of a recording; nothing where people told all moves themselves."""
    rig = rig_of(recorded.stored)
    told = any(entry.kind in ("ruling", "question") for entry in recorded.entries)
    if not told or rig is None or rig.table is None or not rig.seats:
        return None
    opening = game.match.opening
    deck = deck_of(recorded.stored) if opening.deck else own_deck(opening.game)
    return CameraMoveSource(game.match.rules, deck, seating_of(rig, opening.game))


def watch(recorded: Recorded, observer: Observer, publish: Publish, pace: Pace) -> tuple[Loss, ...]:
    """A film without a game through today's vision: its tables."""
    film, number = SessionFrames(recorded.stored), 0
    for frame in film.frames():
        pace(frame.at_s)
        table = observer.observe(frame).table
        if table is not None:
            publish(JournalEntry(number, frame.at_s, "table", table_json(table)))
            number += 1
    return film.losses


def changes(
    was: tuple[JournalEntry, ...], now: tuple[JournalEntry, ...], tables: bool = True
) -> tuple[ReplayChange, ...]:
    """Every ruling that is another one, and every table on which other cards lie, or in other zones."""
    found = []
    before, after = _lines(was), _lines(now)
    for line in sorted(before.keys() | after.keys(), key=lambda number: -1 if number is None else number):
        old, new = before.get(line), after.get(line)
        if old is None or new is None or old[1] != new[1]:
            shown = old or new
            assert shown is not None, "one of the two has the line"
            found.append(ReplayChange(f"line {line}", shown[0].after, old and old[0], new and new[0]))
    return (*found, *(_other_tables(was, now) if tables else ()))


def _lines(entries: tuple[JournalEntry, ...]) -> dict[int | None, tuple[JournalEntry, LineJudged]]:
    """The judged lines of a journal, by their number."""
    events = ((entry, readable(entry)) for entry in entries)
    return {event.line: (entry, event) for entry, event in events if isinstance(event, LineJudged)}


def picture_of(recorded: Recorded, change: ReplayChange) -> Frame | None:
    """The frame that shows a change, or the last one that was stored before it."""
    if not recorded.has_video or change.frame < 0:
        return None
    film = SessionFrames(recorded.stored)
    found = film.picture(change.frame)
    if found is None:
        # A quiet table is stored only now and then.
        for frame in film.frames():
            if frame.index > change.frame:
                break
            found = frame
    return found


def _other_tables(was: tuple[JournalEntry, ...], now: tuple[JournalEntry, ...]) -> list[ReplayChange]:
    old = [entry for entry in was if entry.kind == "table"]
    new = [entry for entry in now if entry.kind == "table"]
    matcher = SequenceMatcher(None, [lies(entry.data) for entry in old], [lies(entry.data) for entry in new], False)
    found = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        for number in range(max(b - a, d - c)):
            before = old[a + number] if a + number < b else None
            after = new[c + number] if c + number < d else None
            shown: Any = next(entry for entry in (after, before) if entry is not None)
            found.append(ReplayChange(f"table at {shown.at_s:.2f} s", int(shown.data["frame"]), before, after))
    return found
