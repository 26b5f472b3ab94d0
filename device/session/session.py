"""A session: one game at a table. Frames and lines go in; every entry is on the disk before anybody sees it."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from calibration.frames import Frame
from device.cameras.source import Health, Status
from device.files import OutputError
from device.recording.journal import JournalEntry
from device.recording.recorder import Recorder
from device.session.events import (
    CameraChanged,
    CardNamed,
    Event,
    GameOpened,
    GamePaused,
    LineJudged,
    QuestionAsked,
    RulingChallenged,
    SessionNote,
    TableObserved,
    decode,
    encode,
    judged,
)
from device.session.game import Game
from device.session.history_sync import HistorySync
from device.session.observer import Observation, Observer
from device.session.table_json import table_from_json, table_json
from referee.edits import Edit
from referee.match import AnyMatch, LogError
from referee.transcript import Ruled
from vision.table import PlacedCard, Table
from vision.watcher import PinError

Publish = Callable[[JournalEntry], None]
"""Shows an entry to people, once it is on the disk."""


class JournalWriter(Protocol):
    """Writes entries: to the journal on the disk, or to a list."""

    @property
    def next_number(self) -> int:
        """The number of the next entry."""

    def note(self, entry: JournalEntry) -> None:
        """Write an entry for good; OutputError if that fails."""


class MoveSource(Protocol):
    """Proposes moves to a session: it gets every table at rest and the match so far."""

    by_camera: bool
    """Whether the camera saw these moves; otherwise people declared them."""

    def edits(self, match: AnyMatch, table: Table) -> Iterable[Edit]:
        """The edits of the log that a table calls for; each is judged before the next one is requested."""

    @property
    def question(self) -> QuestionAsked:
        """What to ask after the last table; an empty question if all is clear."""


class MemoryJournal:
    """A journal in memory, for replays."""

    def __init__(self) -> None:
        self.entries: list[JournalEntry] = []

    @property
    def next_number(self) -> int:
        """The number of the next entry."""
        return len(self.entries)

    def note(self, entry: JournalEntry) -> None:
        """Append an entry."""
        self.entries.append(entry)


class Session:
    """A game at a table. It reads no clock: every frame and every line brings its time."""

    def __init__(
        self,
        game: Game,
        notes: JournalWriter,
        publish: Publish,
        observer: Observer | None = None,
        recorder: Recorder | None = None,
        sources: Sequence[MoveSource] = (),
        history_sync: HistorySync | None = None,
        frame: int = -1,
        at_s: float = 0.0,
        past: Iterable[JournalEntry] = (),
    ) -> None:
        """For a resumed session `frame`, `at_s` and `past` are its last frame, its last time and all its entries."""
        self.game = game
        self._notes, self._publish, self._observer = notes, publish, observer
        self._recorder, self._sources, self._history_sync = recorder, tuple(sources), history_sync
        self._frame, self._at_s = frame, at_s
        self._camera, self._seen = Health.RUNNING, False
        self.paused = False
        """Whether the observer is paused."""
        self._troubles: set[str] = set()
        self._past = deque(entry for entry in past if entry.kind in ("card", "table"))
        """Cards named and tables reported before the interruption, until their frames are watched again."""
        self._asked = QuestionAsked()
        """The question published last; every line of the log closes it."""

    @property
    def at_s(self) -> float:
        """The time of the last frame or line."""
        return self._at_s

    @property
    def frame(self) -> int:
        """The number of the last frame; -1 before the first."""
        return self._frame

    def begin(self) -> None:
        """Write the opening: game, players and options."""
        self._write(GameOpened(self.game.match.opening))

    def go_on(self, why: str, ruled_s: float) -> None:
        """Write that the session was resumed, and bring the history up to date with the last ruling."""
        self.report(SessionNote(why))
        self._sync_history(ruled_s)

    def finish(self, due: Iterable[Edit], frame: int, asked: JournalEntry | None) -> None:
        """Complete the last table of a resumed session: its missing edits, then its question."""
        self._asked = QuestionAsked() if asked is None else asked_in(asked)
        self._make(True, due, frame)
        if not self._ask() and asked is not None and self._asked != QuestionAsked():
            # The question is on the disk already, but the listeners of this run have not seen it.
            self._publish(asked)

    def see(self, frame: Frame) -> Observation | None:
        """Process one frame: observe it, record it, and judge the moves that the table shows."""
        self._frame, self._at_s, self._seen = frame.index, max(self._at_s, frame.at_s), True
        self._past.clear()
        if self._observer is None or self.paused:
            return None
        seen = self._observer.observe(frame)
        if self._recorder is not None:
            self._recorder.keep(frame, seen.worth)
        if seen.table is not None:
            self._show(seen.table)
        return seen

    def see_again(self, frame: Frame) -> None:
        """Watch a frame from before the interruption again, so that the tracker knows its cards again."""
        if self._observer is None:
            return
        seen = self._observer.observe(frame)
        if self._recorder is not None:
            # The last frames may not have reached the disk.
            self._recorder.keep(frame, seen.worth)
        while self._past and self._past[0].after <= frame.index:
            event = decode(self._past.popleft())
            table = self._name_again(event) if isinstance(event, CardNamed) else None
            if table is not None and not self._past:
                # The interruption came before the effects of this entry were written.
                self._show(table)

    def hear(self, text: str, at_s: float) -> None:
        """Judge a line that a human typed.

        NotationError, LogError (the edit is impossible) or OutputError (it cannot be written): nothing has changed.
        """
        line = self.game.read(text, human=True)
        if line is not None:
            self._rule(*self.game.judge(line), False, at_s)

    def enter(self, edit: Edit, at_s: float) -> None:
        """Judge an edit that a human made. After LogError or OutputError nothing has changed."""
        self._rule(*self.game.enter(edit), False, at_s)

    def pin(self, track: int, code: str, by: str, at_s: float) -> PlacedCard:
        """Name a card as a human says and return its earlier reading; PinError if no such card is face up."""
        if self._observer is None:
            raise PinError(f"nobody looks at the table; wanted a camera to say that card {track} is {code}")
        if self._past:
            raise PinError("the film is watched again up to where the game was; cards can be named after that")
        card = self._observer.card(track)
        self._at_s = max(self._at_s, at_s)
        self._write(CardNamed(track, code, card.code, card.centre_mm, by))
        self._show(self._observer.pin(track, code))
        return card

    def pause(self, paused: bool, at_s: float) -> None:
        """Pause or resume observing the table."""
        if paused is not self.paused:
            self._at_s = max(self._at_s, at_s)
            self.paused = paused
            self.report(GamePaused(paused))

    def challenge(self, line: int, by: str, at_s: float, settled: bool = False) -> None:
        """Open or settle a challenge of a ruling; LogError if there is no such line."""
        self.game.match.index_of(line)
        self._at_s = max(self._at_s, at_s)
        self._write(RulingChallenged(line, by, not settled))

    def repeat(self, entry: JournalEntry) -> None:
        """Repeat a human's entry in a replay; it is written even if today's rules refuse it."""
        self._at_s = max(self._at_s, entry.at_s)
        event = decode(entry)
        if isinstance(event, CardNamed):
            self._write(event, at_s=entry.at_s)
            table = self._name_again(event)
            if table is not None:
                self._show(table)
        elif isinstance(event, LineJudged):
            game, now = self.game.repeat(event)
            self._write(now, at_s=entry.at_s)
            self.game, self._asked = game, QuestionAsked()

    def feel(self, status: Status) -> None:
        """Write when the camera is lost and when it is back. The game waits in between."""
        opening = status.health is Health.LOST and not status.tries and not self._seen
        if status.health is not self._camera and not opening:
            self._camera = status.health
            self.report(CameraChanged(status.health, status.tries, status.message))

    def trouble(self, what: str) -> None:
        """Report a problem once, for example a full disk."""
        if what and what not in self._troubles:
            self._troubles.add(what)
            self.report(SessionNote(what))

    def show(self, table: Table, at_s: float) -> None:
        """Process a table from a journal instead of a frame."""
        self._frame, self._at_s, self._seen = table.frame, max(self._at_s, at_s), True
        self._show(table)

    def report(self, event: Event) -> bool:
        """Write an event that the game can do without and publish it in any case; whether it is on the disk."""
        entry = self._entry(event)
        try:
            self._notes.note(entry)
        except OutputError as error:
            self._publish(entry)
            why = f"the journal cannot be written: {error}"
            if why not in self._troubles:
                self._troubles.add(why)
                self._publish(self._entry(SessionNote(why)))
            return False
        self._publish(entry)
        return True

    def _name_again(self, event: CardNamed) -> Table | None:
        """The table after naming a card again; None if no card is at that position. Track numbers may differ."""
        if self._observer is None or event.at_mm is None or not event.code:
            return None
        try:
            card = self._observer.card_at(event.at_mm)
        except PinError as error:
            self.trouble(f"card {event.track} is {event.code}: {error}")
            return None
        return self._observer.pin(card.track, event.code)

    def _show(self, table: Table) -> None:
        # The referee gets the table as the journal stores it, so that a resumed session rules alike.
        kept = table_from_json(table_json(table), self._at_s)
        for source in self._sources:
            if not source.by_camera:
                # People declare a move before the camera has settled.
                self._make(False, source.edits(self.game.match, kept), self._frame - 1)
        if not self.report(TableObserved(table)):
            # Rulings could not be written either, and a resumed session would not know this table.
            return
        for source in self._sources:
            if source.by_camera:
                self._make(True, source.edits(self.game.match, kept), self._frame)
        self._ask()

    def _make(self, by_camera: bool, edits: Iterable[Edit], after: int) -> None:
        """Apply edits one by one; stop at the first that fails."""
        for edit in edits:
            game, ruled = self.game.enter(edit)
            try:
                self._rule(game, ruled, by_camera, self._at_s, after)
            except (LogError, OutputError) as error:
                self.trouble(f"{ruled.line.text}: {error}")
                break

    def _ask(self) -> bool:
        """Publish the open question if it has changed; whether it was published."""
        if not self._sources:
            return False
        questions = [source.question for source in self._sources if source.question != QuestionAsked()]
        question = questions[-1] if questions else QuestionAsked()
        if question == self._asked:
            return False
        self._asked = question
        self.report(question)
        return True

    def _rule(self, game: Game, ruled: Ruled, by_camera: bool, at_s: float, after: int | None = None) -> None:
        """Write line and ruling as one entry, then change the match: both happen or neither."""
        if ruled.refused is not None:
            raise LogError(ruled.refused)
        self._at_s = max(self._at_s, at_s)
        entry = self._entry(judged(ruled, by_camera), self._frame if after is None else after)
        self._notes.note(entry)
        self.game, self._asked = game, QuestionAsked()
        # The history knows of the end before anybody reads about it.
        self._sync_history(self._at_s)
        self._publish(entry)

    def _sync_history(self, at_s: float) -> None:
        if self._history_sync is not None:
            self.trouble(self._history_sync.follow(self.game.match, at_s))

    def _write(self, event: Event, at_s: float | None = None) -> None:
        entry = self._entry(event, at_s=at_s)
        self._notes.note(entry)
        self._publish(entry)

    def _entry(self, event: Event, after: int | None = None, at_s: float | None = None) -> JournalEntry:
        """The journal entry of an event; `after` is the last frame before the event."""
        kind, data = encode(event)
        if not isinstance(event, GameOpened):
            data["after"] = self._frame if after is None else after
        return JournalEntry(self._notes.next_number, self._at_s if at_s is None else at_s, kind, data)


def asked_in(entry: JournalEntry) -> QuestionAsked:
    """The question of a journal entry; an empty one if the entry is none."""
    event = decode(entry)
    return event if isinstance(event, QuestionAsked) else QuestionAsked()
