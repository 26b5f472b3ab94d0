"""The history of finished games, in one SQLite file that survives power cuts and is never lost quietly."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from json import dumps, loads
from pathlib import Path
from time import monotonic, sleep

from referee.match import AnyMatch
from referee.rules import opened

APPLICATION = 0x4B525550
"""Stands in the file's header: KRUP."""
MAGIC = b"SQLite format 3\x00"
WAIT_S = 10.0
"""For so long somebody who writes waits for somebody else who does."""
STEPS = (
    """
    CREATE TABLE game (
        key TEXT PRIMARY KEY,
        game TEXT NOT NULL,
        began TEXT NOT NULL,
        length_s REAL NOT NULL,
        options TEXT NOT NULL,
        deck TEXT,
        why TEXT NOT NULL,
        moves INTEGER NOT NULL,
        recording TEXT
    ) STRICT;
    CREATE INDEX game_began ON game (began);
    CREATE TABLE player (
        key TEXT NOT NULL REFERENCES game (key) ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        name TEXT NOT NULL,
        points INTEGER NOT NULL,
        place INTEGER NOT NULL,
        won INTEGER NOT NULL,
        guest INTEGER NOT NULL,
        PRIMARY KEY (key, seat)
    ) STRICT;
    """,
)
"""What makes each version of the file from the one before; steps are only ever added."""
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_GAMES = "SELECT key, game, began, length_s, options, deck, why, moves, recording FROM game"
_PLAYERS = "SELECT key, name, points, place, won, guest FROM player"


class StoreError(OSError):
    """A history that cannot be read or written; the message names the file and says what to do."""


class ForeignError(StoreError):
    """A file that is no history, or a broken one: `set_aside` keeps it and makes room for a new one."""


@dataclass(frozen=True, slots=True)
class FinishedPlayer:
    """Somebody who played, by the order of the seats."""

    name: str
    points: int
    place: int
    """From 1; those who share a place have the same."""
    won: bool
    guest: bool = False
    """Played by the rules themselves: Leon."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that is over."""

    key: str
    """Which it is: keeping the same one again replaces it, so nothing is counted twice after a restart."""
    game: str
    began: datetime
    """By the wall clock, for people; in UTC."""
    length_s: float
    """By the session's own clock."""
    players: tuple[FinishedPlayer, ...]
    why: str = ""
    """How it ended: a key of the referee's messages."""
    moves: int = 0
    options: tuple[tuple[str, str], ...] = ()
    deck: str | None = None
    recording: str | None = None
    """The folder of the session."""


def finished_game(
    match: AnyMatch, key: str, began: datetime, length_s: float, recording: Path | None = None
) -> Finished | None:
    """A match as the history keeps it, or None while it goes on."""
    outcome = match.rules.outcome(match.state)
    if outcome is None:
        return None
    places: dict[int, int] = {}
    ahead = 1
    for group in outcome.places:
        places |= dict.fromkeys(group, ahead)
        ahead += len(group)
    points = {standing.seat: standing.points for standing in match.rules.standings(match.state)}
    last = max(len(match.names), 1)
    players = tuple(
        FinishedPlayer(
            name, points.get(seat, 0), places.get(seat, last), seat in outcome.winners, seat >= len(match.opening.names)
        )
        for seat, name in enumerate(match.names)
    )
    options = tuple(sorted(opened(match.rules, match.opening).items()))
    folder = None if recording is None else str(recording)
    opening = match.opening
    return Finished(
        key, opening.game, began, length_s, players, outcome.why.key, len(match.plies), options, opening.deck, folder
    )


class GameHistory:
    """Finished games on disk. Opens the file for each question only: threads and processes may share it."""

    def __init__(self, path: Path, steps: Sequence[str] = STEPS) -> None:
        self._path, self._steps = path, steps

    def keep(self, game: Finished) -> None:
        """Write a game; it is on the disk when this returns. The same key again replaces it."""
        began = _stamp(game.began)
        row = (game.key, game.game, began, game.length_s, dumps(game.options), game.deck, game.why, game.moves)
        rows = [
            (game.key, seat, one.name, one.points, one.place, one.won, one.guest)
            for seat, one in enumerate(game.players)
        ]
        with self._written() as connection:
            connection.execute("DELETE FROM game WHERE key = ?", (game.key,))
            connection.execute("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, game.recording))
            connection.executemany("INSERT INTO player VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def forget(self, key: str) -> bool:
        """Take a game out, as when its end was undone; False if it was not there."""
        if not self._is_there():
            return False
        with self._written() as connection:
            return connection.execute("DELETE FROM game WHERE key = ?", (key,)).rowcount > 0

    def games(self, limit: int | None = None) -> tuple[Finished, ...]:
        """All games, or the last few of them, the latest first."""
        if not self._is_there():
            return ()
        with self._read() as connection:
            # Both questions must be answered from the same moment.
            connection.execute("BEGIN")
            most = -1 if limit is None else limit
            rows = connection.execute(f"{_GAMES} ORDER BY began DESC, key DESC LIMIT ?", (most,)).fetchall()
            seated: dict[str, list[FinishedPlayer]] = {str(row[0]): [] for row in rows}
            for key, name, points, place, won, guest in connection.execute(f"{_PLAYERS} ORDER BY key, seat"):
                if key in seated:
                    seated[key].append(FinishedPlayer(name, points, place, bool(won), bool(guest)))
        return tuple(
            Finished(
                key,
                game,
                datetime.fromisoformat(began),
                length_s,
                tuple(seated[key]),
                why,
                moves,
                tuple((str(name), str(value)) for name, value in loads(options)),
                deck,
                recording,
            )
            for key, game, began, length_s, options, deck, why, moves, recording in rows
        )

    def check(self) -> int:
        """How many games there are; StoreError if any part of the file is broken."""
        if not self._is_there():
            return 0
        with self._read() as connection:
            said = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if said != "ok":
                raise self._foreign(f"is broken: {said}")
            return int(connection.execute("SELECT count(*) FROM game").fetchone()[0])

    @contextmanager
    def _written(self) -> Iterator[sqlite3.Connection]:
        """A connection inside a transaction that is durable when it ends, or has changed nothing."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self._path.parent}: cannot be made: {error.strerror}") from error
        self._refuse_foreign()
        is_new = not self._is_there()
        with self._named_faults(), closing(self._connected(str(self._path))) as connection:
            if is_new:
                # Who may write into the folder may write the history: the service and who set it up are two users.
                self._path.chmod(self._path.parent.stat().st_mode & 0o666)
            # Before anything is touched: what belongs to others stays as it is.
            self._version(connection)
            _keep_a_log(connection)
            # In WAL mode the default would be to lose the last games in a power cut.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            with _transaction(connection):
                self._migrate(connection)
                yield connection

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """A connection that changes nothing; it sees what was whole when it began."""
        self._refuse_foreign()
        place = self._path.absolute().as_uri()
        log = self._path.with_name(self._path.name + "-wal")
        with self._named_faults():
            connection = self._connected(f"{place}?mode=ro")
            try:
                version = self._version(connection)
            except sqlite3.OperationalError:
                # Where nothing can be written SQLite reads a finished file only when told that nobody changes it.
                connection.close()
                if log.exists():
                    raise
                connection = self._connected(f"{place}?mode=ro&immutable=1")
                version = self._version(connection)
            with closing(connection):
                if version == len(self._steps):
                    yield connection
                    return
        # An older file is brought up to date by opening it for writing.
        with self._written() as connection:
            pass
        with self._named_faults(), closing(self._connected(f"{place}?mode=ro")) as connection:
            yield connection

    def _connected(self, place: str) -> sqlite3.Connection:
        return sqlite3.connect(place, timeout=WAIT_S, isolation_level=None, uri=place.startswith("file:"))

    def _version(self, connection: sqlite3.Connection) -> int:
        """The version of the file; refuses what is not ours or is newer than we know."""
        # One statement, one moment: somebody else may be making the file just now.
        version, owner, tables = connection.execute(
            "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema) "
            "FROM pragma_user_version, pragma_application_id"
        ).fetchone()
        if owner != APPLICATION and (tables or version or owner):
            raise self._foreign(f"is a database of another program ({tables} tables and indexes)")
        if version > len(self._steps):
            raise StoreError(
                f"{self._path}: version {version}, made by a newer Krupier; wanted {len(self._steps)} at most: "
                "install the newer Krupier again"
            )
        return int(version)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        version = self._version(connection)
        for number, step in enumerate(self._steps[version:], version + 1):
            # executescript would end the transaction: a step is done whole or not at all.
            for statement in _statements(step):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        if version == 0:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")

    def _is_there(self) -> bool:
        try:
            self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            # A history that may not be read is not the same as none.
            raise StoreError(f"{self._path}: cannot be read: {error.strerror}") from error
        return True

    def _refuse_foreign(self) -> None:
        try:
            with self._path.open("rb") as file:
                head = file.read(len(MAGIC))
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"{self._path}: cannot be read: {error.strerror}") from error
        if head and head != MAGIC:
            raise self._foreign(f"is no history; it begins with {head!r}")

    def _foreign(self, what: str) -> ForeignError:
        return ForeignError(
            f"{self._path}: {what}; nothing was changed. "
            "`krupier history --begin-anew` keeps this file under another name and begins a new history"
        )

    @contextmanager
    def _named_faults(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _BROKEN:
                raise self._foreign(f"is broken: {error}") from error
            raise StoreError(f"{self._path}: {error}") from error
        except UnicodeEncodeError as error:
            raise StoreError(f"{self._path}: {error.object!r} cannot be kept; wanted text") from error


def set_aside(path: Path) -> Path | None:
    """Keep a file that is no good under another name; the new name, or None if there was nothing."""
    if not path.exists():
        return None
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    try:
        # What was written last may still stand in the log beside the file.
        for tail in ("", "-wal", "-shm"):
            part = path.with_name(path.name + tail)
            if part.exists():
                part.rename(aside.with_name(aside.name + tail))
    except OSError as error:
        raise StoreError(f"{path}: cannot be renamed: {error.strerror}") from error
    return aside


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Turn to WAL mode, which a file keeps; waits for others, as SQLite itself does not for this question."""
    until_s = monotonic() + WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > until_s:
                raise
            sleep(0.01)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # A full disk may have rolled it back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _statements(script: str) -> Iterator[str]:
    part = ""
    for piece in script.split(";"):
        part += piece + ";"
        if sqlite3.complete_statement(part) and part.strip(" \n;"):
            yield part
            part = ""


def _stamp(moment: datetime) -> str:
    """A moment as text that sorts by time."""
    if moment.tzinfo is None:
        raise StoreError(f"{moment.isoformat()} has no time zone; wanted a moment in UTC")
    return moment.astimezone(UTC).isoformat(timespec="seconds")
