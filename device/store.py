"""The history of finished games: an SQLite file that survives power cuts and never loses a game silently."""

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
"""SQLite application ID in the file header: KRUP."""
MAGIC = b"SQLite format 3\x00"
WAIT_S = 10.0
"""Seconds to wait for another writer."""
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
"""Migrations: each makes one version of the file from the previous one. New ones are only appended."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_GAMES = "SELECT key, game, began, length_s, options, deck, why, moves, recording FROM game"
_PLAYERS = "SELECT key, name, points, place, won, guest FROM player"


class StoreError(OSError):
    """A history that cannot be read or written; the message names the file and says what to do."""


class ForeignError(StoreError):
    """A file that is damaged or not a history; `set_aside` renames it to make room for a new one."""


@dataclass(frozen=True, slots=True)
class FinishedPlayer:
    """A player of a finished game; players are in seat order."""

    name: str
    points: int
    place: int
    """Counts from 1; players who share a place have the same number."""
    won: bool
    guest: bool = False
    """Played by the rules themselves, as Leon is."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished game."""

    key: str
    """Identifies the game: keeping it again replaces it, so a restart counts nothing twice."""
    game: str
    began: datetime
    """Wall-clock time in UTC, for display."""
    length_s: float
    """Measured by the session's own clock."""
    players: tuple[FinishedPlayer, ...]
    why: str = ""
    """How the game ended: a key of the referee's messages."""
    moves: int = 0
    options: tuple[tuple[str, str], ...] = ()
    deck: str | None = None
    recording: str | None = None
    """The session folder."""


def finished_game(
    match: AnyMatch, key: str, began: datetime, length_s: float, recording: Path | None = None
) -> Finished | None:
    """A finished match as the history stores it; None while the match goes on."""
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
    """Finished games on disk. Opens the file for each query, so threads and processes may share it."""

    def __init__(self, path: Path, steps: Sequence[str] = STEPS) -> None:
        self._path, self._steps = path, steps

    def keep(self, game: Finished) -> None:
        """Store a game durably. A game with the same key is replaced."""
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
        """Delete a game, for example when its end was undone; False if it was not there."""
        if not self._is_there():
            return False
        with self._written() as connection:
            return connection.execute("DELETE FROM game WHERE key = ?", (key,)).rowcount > 0

    def games(self, limit: int | None = None) -> tuple[Finished, ...]:
        """All games, or the last `limit` of them, latest first."""
        if not self._is_there():
            return ()
        with self._read() as connection:
            # Both queries must see the same snapshot.
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
        """Number of games; StoreError if any part of the file is damaged."""
        if not self._is_there():
            return 0
        with self._read() as connection:
            said = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if said != "ok":
                raise self._foreign(f"is broken: {said}")
            return int(connection.execute("SELECT count(*) FROM game").fetchone()[0])

    @contextmanager
    def _written(self) -> Iterator[sqlite3.Connection]:
        """A connection inside a transaction that commits durably or changes nothing."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self._path.parent}: cannot be made: {error.strerror}") from error
        self._refuse_foreign()
        is_new = not self._is_there()
        with self._named_faults(), closing(self._connected(str(self._path))) as connection:
            if is_new:
                # The service and the user who installed it both write: the file gets the folder's permissions.
                self._path.chmod(self._path.parent.stat().st_mode & 0o666)
            # Check first: another program's database must not be touched.
            self._version(connection)
            _use_wal(connection)
            # In WAL mode the default would lose the last games in a power cut.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            with _transaction(connection):
                self._migrate(connection)
                yield connection

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection that sees a consistent snapshot."""
        self._refuse_foreign()
        place = self._path.absolute().as_uri()
        log = self._path.with_name(self._path.name + "-wal")
        with self._named_faults():
            connection = self._connected(f"{place}?mode=ro")
            try:
                version = self._version(connection)
            except sqlite3.OperationalError:
                # On a read-only disk SQLite opens the file only with `immutable`; unmerged log entries rule that out.
                connection.close()
                if log.exists():
                    raise
                connection = self._connected(f"{place}?mode=ro&immutable=1")
                version = self._version(connection)
            with closing(connection):
                if version == len(self._steps):
                    yield connection
                    return
        # Opening an older file for writing migrates it.
        with self._written() as connection:
            pass
        with self._named_faults(), closing(self._connected(f"{place}?mode=ro")) as connection:
            yield connection

    def _connected(self, place: str) -> sqlite3.Connection:
        return sqlite3.connect(place, timeout=WAIT_S, isolation_level=None, uri=place.startswith("file:"))

    def _version(self, connection: sqlite3.Connection) -> int:
        """The version of the file; refuses other programs' files and versions newer than this one."""
        # One statement sees one state: another process may be creating the file right now.
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
            # executescript would commit the transaction; a step must be applied completely or not at all.
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
            # An unreadable history must not count as a missing one.
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
            if code in _DAMAGED:
                raise self._foreign(f"is broken: {error}") from error
            raise StoreError(f"{self._path}: {error}") from error
        except UnicodeEncodeError as error:
            raise StoreError(f"{self._path}: {error.object!r} cannot be kept; wanted text") from error


def set_aside(path: Path) -> Path | None:
    """Rename a damaged or foreign file; the new name, or None if there was no file."""
    if not path.exists():
        return None
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    try:
        # The latest transactions may still be in the log beside the file.
        for tail in ("", "-wal", "-shm"):
            part = path.with_name(path.name + tail)
            if part.exists():
                part.rename(aside.with_name(aside.name + tail))
    except OSError as error:
        raise StoreError(f"{path}: cannot be renamed: {error.strerror}") from error
    return aside


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode, which is persistent; retries because SQLite does not wait for this statement."""
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
        # SQLite may have rolled back already, for example on a full disk.
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
    """A time as text that sorts chronologically."""
    if moment.tzinfo is None:
        raise StoreError(f"{moment.isoformat()} has no time zone; wanted a moment in UTC")
    return moment.astimezone(UTC).isoformat(timespec="seconds")
