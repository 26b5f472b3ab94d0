"""The folder of a session: created for a new game, or reopened with everything that its journal holds."""

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.rig import Rig, read_rig, rig_text
from device.recording.appended import MOST_LINES
from device.recording.described import placed_from
from device.recording.film import FRAMES
from device.recording.folder import (
    DECK,
    RIG,
    RecordingFolder,
    Stored,
    create_session,
    is_running,
    open_folder,
    reopen_session,
    sessions_in,
)
from device.recording.journal import JOURNAL, Journal, JournalEntry, read_journal
from device.recording.lines import picked_lines
from device.recording.manifest import Manifest, SessionState
from device.recording.parts import SessionError, file_part
from device.recording.tally import tally
from device.session.events import LINES, GameOpened, LineJudged, lines_of, readable
from device.session.game import Game, refold
from device.session.history_sync import HistorySync
from device.store import GameHistory
from models.cards import Deck, load_deck
from referee.rules import AnyRules, Opening, load_rules

_MOST_TEXT = 8_000_000


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """A locked session folder, its open journal, and the game so far."""

    recording: RecordingFolder
    journal: Journal
    game: Game
    rig: Rig | None
    frame: int = -1
    """The number of the last frame."""
    at_s: float = 0.0
    """The time of the last frame or line."""
    ruled_s: float = 0.0
    """The time of the last ruling."""
    news: tuple[str, ...] = ()
    """Changes to report: lost entries, rulings that today's rules make differently."""
    entries: tuple[JournalEntry, ...] = ()
    """The entries of the journal so far."""

    @property
    def path(self) -> Path:
        """Where the folder is."""
        return self.recording.path

    @property
    def noted_frame(self) -> int:
        """The last frame that an entry refers to; later frames had no effect yet."""
        return _last_noted(self.entries)

    @property
    def noted_s(self) -> float:
        """The time of the last entry."""
        return max((entry.at_s for entry in self.entries), default=0.0)

    @property
    def said(self) -> bool:
        """Whether the journal has an opening."""
        return any(entry.kind == "opening" for entry in self.entries)

    @property
    def start(self) -> Game:
        """The game before its first line."""
        return Game.open(self.game.match.rules, self.game.match.opening)

    def history_sync(self, history: GameHistory) -> HistorySync:
        """What keeps the history in step with this session."""
        manifest = self.recording.manifest
        key = f"{manifest.began} {self.recording.path.name}"
        return HistorySync(history, key, _moment(manifest.began), self.recording.path.absolute())

    def close(self) -> None:
        """Close the session: it is complete."""
        self.journal.close()
        self.recording.finish()

    def leave(self) -> None:
        """Release the folder as it is: the session counts as interrupted and can be resumed."""
        self.journal.close()
        self.recording.let_go()


def begin(
    root: Path, opening: Opening, rig: Rig | None = None, deck: Path | None = None, camera: str = ""
) -> SessionFolder:
    """A new session below `root`."""
    game = Game.open(load_rules(opening.game, load_deck(deck) if deck else None), opening)
    manifest = Manifest(
        began=datetime.now().astimezone().isoformat(timespec="seconds"),
        krupier=version("krupier"),
        camera=camera,
        game=opening.game,
        names=opening.names,
        options=opening.options,
        deck=opening.deck or "",
    )
    text = deck.read_text("utf-8") if deck else own_deck_text(opening.game)
    folder = create_session(root, manifest, "" if rig is None else rig_text(rig), text)
    return SessionFolder(folder, Journal(folder.path / JOURNAL), game, rig)


def resume(path: Path) -> SessionFolder:
    """An interrupted session with its match as it was; SessionError if there is no game in it."""
    stored = open_folder(path)
    if not (path / JOURNAL).is_file() and not stored.manifest.game:
        raise SessionError(f"{path}: no game was played in it; wanted a session of `krupier run`")
    entries: tuple[JournalEntry, ...] = ()
    if (path / JOURNAL).is_file():
        entries, _ = read_journal(path / JOURNAL)
    start = Game.open(*game_of(stored, entries))
    folder = reopen_session(path)
    try:
        journal = Journal(path / JOURNAL)
    except OSError:
        folder.let_go()
        raise
    # Read the journal again: until now another process might have written it.
    entries, losses = read_journal(path / JOURNAL)
    game, changed = refold(start, lines_of(entries))
    news = [str(loss) for loss in (*stored.losses, *journal.losses, *losses)]
    news += [f"line {was.line} was {_short(was)} and is {_short(now)} by today's rules" for was, now in changed]
    return SessionFolder(
        folder,
        journal,
        game,
        rig_of(stored),
        max(_last_noted(entries), _last_stored(path)),
        tally(path).length_s,
        max((entry.at_s for entry in entries if entry.kind in LINES), default=0.0),
        tuple(dict.fromkeys(news)),
        entries,
    )


def newest_cut_off(root: Path) -> Path | None:
    """The newest interrupted game below `root` that no process has open."""
    for stored in reversed(sessions_in(root)):
        open_still = stored.manifest.state is SessionState.OPEN or bool(stored.losses)
        if open_still and (stored.manifest.game or stored.part(JOURNAL)) and not is_running(stored.path):
            return stored.path
    return None


def game_of(stored: Stored, entries: tuple[JournalEntry, ...]) -> tuple[AnyRules, Opening]:
    """The rules and the opening of a session, by its manifest or, if that is damaged, by its journal."""
    manifest = stored.manifest
    opening = Opening(manifest.game, manifest.names, manifest.options, manifest.deck or None)
    if not manifest.game:
        found = next((event for event in map(readable, entries) if isinstance(event, GameOpened)), None)
        if found is None:
            raise SessionError(f"{stored.path}: says nowhere what is played in it")
        opening = found.opening
    return load_rules(opening.game, deck_of(stored) if opening.deck else None), opening


def rig_of(stored: Stored) -> Rig | None:
    """The rig that a session was played with."""
    part = stored.part(RIG)
    return None if part is None else read_rig(part.read(_MOST_TEXT).decode("utf-8", "replace"), f"{stored.path}: {RIG}")


def deck_of(stored: Stored) -> Deck:
    """The deck that a session was played with."""
    part = stored.part(DECK)
    if part is None:
        raise SessionError(f"{stored.path}: no {DECK} in it; its game was played with a deck of its own")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / DECK
        copy.write_bytes(part.read(_MOST_TEXT))
        return load_deck(copy)


def own_deck_text(game: str) -> str:
    """The file of Krupier's own deck for a game."""
    return (files("models") / "decks" / game / "deck.toml").read_text("utf-8")


def _last_noted(entries: tuple[JournalEntry, ...]) -> int:
    """The number of the last frame that some entries know of; -1 for none."""
    return max((entry.after for entry in entries), default=-1)


def _last_stored(path: Path) -> int:
    if not (path / FRAMES).is_file():
        return -1
    lines = picked_lines(file_part(path / FRAMES).read(MOST_LINES), FRAMES, placed_from)
    return max((placed.about.index for placed in lines.values if placed is not None), default=-1)


def _short(line: LineJudged) -> str:
    return f"{line.ruling or line.refused or 'done'} {line.rule}".strip()


def _moment(began: str) -> datetime:
    """When a session began, for people; a damaged manifest does not say so."""
    try:
        moment = datetime.fromisoformat(began)
    except ValueError:
        return datetime.now(UTC)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
