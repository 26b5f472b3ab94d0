"""A session: frames and lines go in; what is seen, said and ruled is on the disk, and then shown."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from calibration.frames import Frame
from device.cameras.source import Health, Status
from device.files import OutputError
from device.recording.journal import Entry
from device.recording.lines import JSON
from device.recording.recorder import Recorder
from device.session.game import Game, ruling_json
from device.session.history_sync import Shelf
from device.session.observer import Lookout, Seen
from device.session.table_json import table_from_json, table_json
from referee.edits import Edit
from referee.match import AnyMatch, LogError
from referee.transcript import Ruled
from vision.table import Placed, Table
from vision.watcher import PinError

Publish = Callable[[Entry], None]
"""Shows an entry to people; called when it is on the disk."""


class Notes(Protocol):
    """Where entries are kept: the journal, or a list."""

    @property
    def next_number(self) -> int:
        """The number of the entry that comes next."""

    def note(self, entry: Entry) -> None:
        """Keep an entry for good; OutputError if that cannot be done."""


class MoveSource(Protocol):
    """Brings moves to a session without being asked: it sees every table that comes to rest, and the match so far."""

    kind: str
    """What its entries in the journal are: a ruling (it was seen) or an input (it was said, as nobody can see it)."""

    def edits(self, match: AnyMatch, table: Table) -> Iterable[Edit]:
        """What happened, as edits of the log; each is judged before the next one is asked for."""

    @property
    def doubts(self) -> dict[str, JSON]:
        """What there is to ask (`choices`, each some lines) and to show (`left`) after the last table; or nothing."""


class Memory:
    """Entries that are only kept in mind: those of a replay."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    @property
    def next_number(self) -> int:
        """The number of the entry that comes next."""
        return len(self.entries)

    def note(self, entry: Entry) -> None:
        """Keep it."""
        self.entries.append(entry)


class Session:
    """A game at a table. It reads no clock: times come with frames, or with what is said."""

    def __init__(
        self,
        game: Game,
        notes: Notes,
        publish: Publish,
        lookout: Lookout | None = None,
        recorder: Recorder | None = None,
        sources: Sequence[MoveSource] = (),
        shelf: Shelf | None = None,
        frame: int = -1,
        at_s: float = 0.0,
        past: Iterable[Entry] = (),
    ) -> None:
        """One that goes on says which frame was its last one, when something happened last, and all its entries."""
        self.game = game
        self._notes, self._publish = notes, publish
        self._lookout, self._recorder, self._sources, self._shelf = lookout, recorder, tuple(sources), shelf
        self._frame, self._at_s = frame, at_s
        self._camera, self._seen = Health.RUNNING, False
        self.paused = False
        """Whether nobody looks at the table for a while."""
        self._troubles: set[str] = set()
        self._past = deque(entry for entry in past if entry.kind in ("card", "table"))
        """What was named and given before it was cut off, until the frames of that time are seen again."""
        self._asked: dict[str, JSON] = {}
        """What was told last that there is to ask; every line of the log settles it."""

    @property
    def at_s(self) -> float:
        """When something happened last."""
        return self._at_s

    @property
    def frame(self) -> int:
        """The number of the last frame; -1 before the first."""
        return self._frame

    def begin(self) -> None:
        """Note what is played, before anything else."""
        opening = self.game.match.opening
        options: list[JSON] = [list(pair) for pair in opening.options]
        said: dict[str, JSON] = {"game": opening.game, "names": list(opening.names)}
        self._keep(
            Entry(self._notes.next_number, self._at_s, "opening", said | {"options": options, "deck": opening.deck})
        )

    def go_on(self, why: str, ruled_s: float) -> None:
        """Note that it goes on after it was cut off; the history is made to agree with what was ruled last."""
        self.tell("note", {"what": why, "after": self._frame})
        self._shelve(ruled_s)

    def finish(self, due: Iterable[Edit], frame: int, asked: Entry | None) -> None:
        """Do what is left to do about the last table of a session that goes on: edits, and asking what was asked."""
        self._asked = {} if asked is None else {key: value for key, value in asked.data.items() if key != "after"}
        self._make("ruling", due, frame)
        if not self._ask() and asked is not None and self._asked:
            # It is on the disk already, but nobody here has read it.
            self._publish(asked)

    def see(self, frame: Frame) -> Seen | None:
        """One more frame: store it, look at it, and judge what those who watch the table say about it."""
        self._frame, self._at_s, self._seen = frame.index, max(self._at_s, frame.at_s), True
        self._past.clear()
        if self._lookout is None or self.paused:
            return None
        seen = self._lookout.see(frame)
        if self._recorder is not None:
            self._recorder.keep(frame, seen.worth)
        if seen.table is not None:
            self._show(seen.table)
        return seen

    def see_again(self, frame: Frame) -> None:
        """A frame of a film from before the session was cut off: the eye follows the cards to where they were."""
        if self._lookout is None:
            return
        seen = self._lookout.see(frame)
        if self._recorder is not None:
            # The last ones had perhaps not reached the disk.
            self._recorder.keep(frame, seen.worth)
        while self._past and self._past[0].after <= frame.index:
            entry = self._past.popleft()
            table = self._named_again(entry) if entry.kind == "card" else None
            if table is not None and not self._past:
                # It was cut off before what this changes was noted.
                self._show(table)

    def hear(self, text: str, at_s: float) -> None:
        """Something a human says.

        NotationError, LogError (it cannot be done) or OutputError (it cannot be kept): then nothing has changed.
        """
        line = self.game.read(text, human=True)
        if line is not None:
            self._rule(*self.game.judge(line), "input", at_s)

    def enter(self, edit: Edit, at_s: float) -> None:
        """An edit that a human makes. LogError or OutputError: then nothing has changed."""
        self._rule(*self.game.enter(edit), "input", at_s)

    def pin(self, track: int, code: str, by: str, at_s: float) -> Placed:
        """A human says which card that is; PinError if no such card lies face up. What it was read as before."""
        if self._lookout is None:
            raise PinError(f"nobody looks at the table; wanted a camera to say that card {track} is {code}")
        if self._past:
            raise PinError("the film is watched again up to where the game was; cards can be named after that")
        card = self._lookout.card(track)
        self._at_s = max(self._at_s, at_s)
        where: list[JSON] = [round(side, 2) for side in card.centre_mm]
        said: dict[str, JSON] = {"track": track, "code": code, "was": card.code, "at_mm": where, "by": by}
        self._keep(Entry(self._notes.next_number, self._at_s, "card", {**said, "after": self._frame}))
        self._show(self._lookout.pin(track, code))
        return card

    def pause(self, paused: bool, at_s: float) -> None:
        """Look away from the table, or look at it again."""
        if paused is not self.paused:
            self._at_s = max(self._at_s, at_s)
            self.paused = paused
            self.tell("pause", {"paused": paused, "after": self._frame})

    def challenge(self, line: int, by: str, at_s: float, settled: bool = False) -> None:
        """Somebody doubts a ruling, or the doubt is settled; LogError if there is no such line."""
        self.game.match.index_of(line)
        self._at_s = max(self._at_s, at_s)
        said: dict[str, JSON] = {"line": line, "by": by, "open": not settled, "after": self._frame}
        self._keep(Entry(self._notes.next_number, self._at_s, "challenge", said))

    def repeat(self, entry: Entry) -> None:
        """Something that was said in a session that is replayed; it is noted also when today's rules refuse it."""
        self._at_s = max(self._at_s, entry.at_s)
        if entry.kind == "card":
            self._pin_again(entry)
            return
        game, said = self.game.repeat(entry)
        self._keep(Entry(self._notes.next_number, entry.at_s, entry.kind, {**said, "after": self._frame}))
        self.game, self._asked = game, {}

    def feel(self, status: Status) -> None:
        """How the camera is; noted when it is lost and when it is back. The game waits."""
        opening = status.health is Health.LOST and not status.tries and not self._seen
        if status.health is not self._camera and not opening:
            self._camera = status.health
            said: dict[str, JSON] = {"health": status.health.value, "tries": status.tries, "message": status.message}
            self.tell("camera", {**said, "after": self._frame})

    def trouble(self, what: str) -> None:
        """Something that people must know once: recording has stopped, a full disk."""
        if what and what not in self._troubles:
            self._troubles.add(what)
            self.tell("note", {"what": what, "after": self._frame})

    def show(self, table: Table, at_s: float) -> None:
        """A table that somebody else has seen, as a journal keeps it."""
        self._frame, self._at_s, self._seen = table.frame, max(self._at_s, at_s), True
        self._show(table)

    def tell(self, kind: str, data: dict[str, JSON]) -> bool:
        """Note something without which the game goes on; shown in any case. Whether it is on the disk."""
        entry = Entry(self._notes.next_number, self._at_s, kind, data)
        try:
            self._notes.note(entry)
        except OutputError as error:
            self._publish(entry)
            why = f"the journal cannot be written: {error}"
            if why not in self._troubles:
                self._troubles.add(why)
                self._publish(Entry(entry.number, self._at_s, "note", {"what": why, "after": self._frame}))
            return False
        self._publish(entry)
        return True

    def _pin_again(self, entry: Entry) -> None:
        """In a replay the card is found by where it lay: tracks may be numbered otherwise."""
        self._keep(Entry(self._notes.next_number, entry.at_s, "card", {**entry.data, "after": self._frame}))
        table = self._named_again(entry)
        if table is not None:
            self._show(table)

    def _named_again(self, entry: Entry) -> Table | None:
        """The table with a card that was named before; None if no such card lies there."""
        data = entry.data
        where, code = data.get("at_mm"), data.get("code")
        if self._lookout is None or not isinstance(where, list) or not isinstance(code, str):
            return None
        try:
            x_mm, y_mm = (float(side) for side in where if isinstance(side, int | float))
            card = self._lookout.card_at((x_mm, y_mm))
        except ValueError as error:
            self.trouble(f"card {data.get('track')} is {code}: {error}")
            return None
        return self._lookout.pin(card.track, code)

    def _show(self, table: Table) -> None:
        shown = table_json(table)
        # What the journal keeps is what is observed: a session that goes on comes to the same rulings.
        kept = table_from_json(shown, self._at_s)
        for source in self._sources:
            if source.kind == "input":
                # People say what they do before the camera is done with it.
                self._make(source.kind, source.edits(self.game.match, kept), self._frame - 1)
        if not self.tell("table", {**shown, "after": self._frame}):
            # Nothing could be ruled either, and whoever goes on would know nothing of it.
            return
        for source in self._sources:
            if source.kind != "input":
                self._make(source.kind, source.edits(self.game.match, kept), self._frame)
        self._ask()

    def _make(self, kind: str, edits: Iterable[Edit], after: int) -> None:
        """Make edits one by one, up to the first that cannot be made."""
        for edit in edits:
            game, ruled = self.game.enter(edit)
            try:
                self._rule(game, ruled, kind, self._at_s, after)
            except (LogError, OutputError) as error:
                self.trouble(f"{ruled.line.text}: {error}")
                break

    def _ask(self) -> bool:
        """Tell what there is to ask, if that is something else than before; whether it was told."""
        if not self._sources:
            return False
        doubts: dict[str, JSON] = {}
        for source in self._sources:
            doubts |= source.doubts
        if doubts == self._asked:
            return False
        self._asked = doubts
        self.tell("question", {**doubts, "after": self._frame})
        return True

    def _rule(self, game: Game, ruled: Ruled, kind: str, at_s: float, after: int | None = None) -> None:
        """The match changes when line and ruling are on the disk, as one entry, or not at all."""
        if ruled.refused is not None:
            raise LogError(ruled.refused)
        self._at_s = max(self._at_s, at_s)
        said = {**ruling_json(ruled), "after": self._frame if after is None else after}
        entry = Entry(self._notes.next_number, self._at_s, kind, said)
        self._notes.note(entry)
        self.game, self._asked = game, {}
        # Before anybody reads that it is over.
        self._shelve(self._at_s)
        self._publish(entry)

    def _shelve(self, at_s: float) -> None:
        if self._shelf is not None:
            self.trouble(self._shelf.follow(self.game.match, at_s))

    def _keep(self, entry: Entry) -> None:
        self._notes.note(entry)
        self._publish(entry)
