"""The history: kept through restarts, read while it is written, never lost quietly."""

import csv
import json
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from io import StringIO
from pathlib import Path
from threading import Barrier

import pytest
import typer
from typer.testing import CliRunner, Result

from device.cli.history import history
from device.exports import COLUMNS, games_csv, games_json
from device.store import (
    APPLICATION,
    STEPS,
    Finished,
    FinishedPlayer,
    ForeignError,
    GameHistory,
    StoreError,
    finished_game,
    set_aside,
)
from referee.match import AnyMatch, Match
from referee.record import read_record
from referee.rules import Opening, load_rules
from referee.selfplay import self_play
from referee.transcript import judge_record

BEGAN = datetime(2026, 5, 3, 18, 30, tzinfo=UTC)
HOSTILE = ("Robert'); DROP TABLE game;--", "\x1b[31mred\x1b[0m", "=HYPERLINK(1)", "[bold]Ala[/bold]", 'Łucja, "Ł"')


def a_game(key: str = "s1", **changes: object) -> Finished:
    players = (FinishedPlayer("Ala", 3, 1, True), FinishedPlayer("Bartek", 1, 2, False))
    game = Finished(key, "dnp", BEGAN, 754.25, players, "won", 31, (("goal", "3"),), None, "/r/one")
    return replace(game, **changes)  # type: ignore[arg-type]


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "history.sqlite"
    later = a_game("s2", began=BEGAN + timedelta(hours=1), deck="mine", recording=None)
    GameHistory(path).keep(later)
    GameHistory(path).keep(a_game())
    assert GameHistory(path).games() == (later, a_game())
    assert GameHistory(path).games(1) == (later,)
    assert GameHistory(path).check() == 2
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)


def test_the_same_game_again_replaces_it(tmp_path: Path) -> None:
    book = GameHistory(tmp_path / "h")
    book.keep(a_game())
    corrected = a_game(
        players=(
            FinishedPlayer("Ala", 1, 2, False),
            FinishedPlayer("Bartek", 3, 1, True),
            FinishedPlayer("Leon", 0, 3, False, True),
        )
    )
    book.keep(corrected)
    assert book.games() == (corrected,)
    assert book.forget("s1")
    assert not book.forget("s1")
    assert book.games() == ()
    assert not GameHistory(tmp_path / "none").forget("s1")


@pytest.mark.parametrize(("folder", "file"), [(0o2775, 0o664), (0o755, 0o644), (0o700, 0o600)])
def test_who_may_write_into_the_folder_may_write_the_history(tmp_path: Path, folder: int, file: int) -> None:
    place = tmp_path / "state"
    place.mkdir()
    place.chmod(folder)
    GameHistory(place / "h").keep(a_game())
    assert (place / "h").stat().st_mode & 0o777 == file


def test_no_file_is_no_games_and_makes_none(tmp_path: Path) -> None:
    assert GameHistory(tmp_path / "none").games() == ()
    assert GameHistory(tmp_path / "none").check() == 0
    assert not list(tmp_path.iterdir())


def test_times_are_kept_in_utc(tmp_path: Path) -> None:
    book = GameHistory(tmp_path / "h")
    book.keep(a_game(began=BEGAN.astimezone(timezone(timedelta(hours=2)))))
    assert book.games()[0].began == BEGAN
    with pytest.raises(StoreError, match="no time zone"):
        book.keep(a_game(began=datetime(2026, 5, 3)))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_names(tmp_path: Path, name: str) -> None:
    book = GameHistory(tmp_path / "h")
    book.keep(a_game(players=(FinishedPlayer(name, 3, 1, True),)))
    assert book.games()[0].players[0].name == name


def test_a_name_that_is_no_text_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    book = GameHistory(tmp_path / "h")
    book.keep(a_game())
    with pytest.raises(StoreError, match="cannot be kept"):
        book.keep(a_game("s2", players=(FinishedPlayer("\ud800", 0, 1, True),)))
    assert book.games() == (a_game(),)


def test_reading_goes_on_while_somebody_writes(tmp_path: Path) -> None:
    path = tmp_path / "h"
    GameHistory(path).keep(a_game())
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM game")
    assert GameHistory(path).games() == (a_game(),), "what is not committed is not seen"
    writer.execute("COMMIT")
    assert GameHistory(path).games() == ()
    writer.close()


def test_many_who_begin_the_same_history_wait_for_each_other(tmp_path: Path) -> None:
    files, seats = 20, 4
    together = Barrier(seats)

    def keep(number: int) -> None:
        for file in range(files):
            together.wait(timeout=30)
            for count in range(2):
                GameHistory(tmp_path / f"{file}").keep(a_game(f"{number}-{count}"))

    with ThreadPoolExecutor(seats) as writers:
        for done in [writers.submit(keep, number) for number in range(seats)]:
            done.result()
    assert [len(GameHistory(tmp_path / f"{file}").games()) for file in range(files)] == [2 * seats] * files


def test_a_writer_that_dies_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "h"
    GameHistory(path).keep(a_game())
    dying = sqlite3.connect(path, isolation_level=None)
    dying.execute("BEGIN IMMEDIATE")
    dying.execute("DELETE FROM player")
    dying.close()
    assert GameHistory(path).games() == (a_game(),)


WRITER = """
import sys
from pathlib import Path
from device.store import GameHistory
from tests.device.test_store import a_game
number = 0
while True:
    GameHistory(Path(sys.argv[1])).keep(a_game(str(number)))
    print(number, flush=True)
    number += 1
"""


def test_what_was_kept_survives_kill_9(tmp_path: Path) -> None:
    path, root = tmp_path / "h", Path(__file__).parent.parent.parent
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, cwd=root) as writer:
        assert writer.stdout is not None
        said = [int(writer.stdout.readline()) for _ in range(5)]
        writer.kill()
        said += [int(line) for line in writer.stdout.read().splitlines()]
    assert GameHistory(path).check() in (len(said), len(said) + 1)
    assert {game.key for game in GameHistory(path).games()} >= {str(number) for number in said}


def test_places_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read: File name too long"):
        GameHistory(tmp_path / ("x" * 300)).games()
    with pytest.raises(StoreError, match="cannot be read: Is a directory"):
        GameHistory(tmp_path).games()


def test_an_older_file_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "h"
    GameHistory(path).keep(a_game())
    newer = (*STEPS, "ALTER TABLE game ADD COLUMN mood TEXT; UPDATE game SET mood = 'a;b';")
    assert GameHistory(path, newer).games() == (a_game(),)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(STEPS) + 1,)
        assert connection.execute("SELECT mood FROM game").fetchone() == ("a;b",)
    with pytest.raises(StoreError, match="newer Krupier"):
        GameHistory(path).games()
    with pytest.raises(StoreError, match="newer Krupier"):
        GameHistory(path).keep(a_game("s2"))


def test_a_step_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "h"
    GameHistory(path).keep(a_game())
    broken = (*STEPS, "ALTER TABLE game ADD COLUMN mood TEXT; DROP TABLE nothing;")
    with pytest.raises(StoreError, match="nothing"):
        GameHistory(path, broken).keep(a_game("s2"))
    assert GameHistory(path).games() == (a_game(),)


def foreign_text(path: Path) -> None:
    path.write_text("Dear diary, this is no database")


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cookies (name TEXT)")


def broken_database(path: Path) -> None:
    players = tuple(FinishedPlayer("x" * 1000, 0, 1, False) for _ in range(30))
    GameHistory(path).keep(a_game(players=players))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)


def broken_head(path: Path) -> None:
    GameHistory(path).keep(a_game())
    data = bytearray(path.read_bytes())
    data[100:4096] = bytes(3996)
    path.write_bytes(data)


@pytest.mark.parametrize("make", [foreign_text, foreign_database, broken_database, broken_head])
def test_what_is_no_history_is_named_and_left_alone(tmp_path: Path, make: object) -> None:
    path = tmp_path / "history.sqlite"
    assert callable(make)
    make(path)
    before = path.read_bytes()
    with pytest.raises(ForeignError, match=r"history\.sqlite.*nothing was changed.*--begin-anew"):
        GameHistory(path).games()
    with pytest.raises(ForeignError, match=r"history\.sqlite.*--begin-anew"):
        GameHistory(path).keep(a_game())
    assert path.read_bytes() == before
    aside = set_aside(path)
    assert aside is not None
    assert aside.read_bytes() == before
    GameHistory(path).keep(a_game())
    assert GameHistory(path).games() == (a_game(),)


def test_setting_aside_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "h"
    assert set_aside(path) is None
    for number in (1, 2):
        path.write_text(str(number))
        assert set_aside(path) == tmp_path / f"h.aside-{number}"
    assert (tmp_path / "h.aside-1").read_text() == "1"


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        GameHistory(tmp_path / "file" / "h").keep(a_game())


@pytest.mark.parametrize(("game", "names"), [("dawaj2", ("Ala", "Bartek", "Celina")), ("kto_drugi", ("Ala", "Bo"))])
def test_a_played_game_as_history_keeps_it(game: str, names: tuple[str, ...]) -> None:
    rules = load_rules(game)
    match: AnyMatch = Match.open(rules, Opening(game, names))
    assert finished_game(match, "s", BEGAN, 1.0) is None
    for ruled in judge_record(read_record(str(self_play(rules, Opening(game, names), 5)), rules), rules):
        match = ruled.match
    kept = finished_game(match, "s", BEGAN, 90.5, Path("/r/one"))
    outcome = rules.outcome(match.state)
    assert kept is not None
    assert outcome is not None
    assert tuple(one.name for one in kept.players) == match.names
    assert [one.guest for one in kept.players] == [seat >= len(names) for seat in range(len(match.names))]
    assert tuple(seat for seat, one in enumerate(kept.players) if one.won) == tuple(sorted(outcome.winners))
    assert min(one.place for one in kept.players) == 1
    assert [one.points for one in kept.players] == [s.points for s in rules.standings(match.state)]
    assert (kept.game, kept.length_s, kept.recording) == (game, 90.5, "/r/one")


def test_csv_has_a_line_a_player_and_no_formulas() -> None:
    rows = list(
        csv.DictReader(StringIO(games_csv([a_game(players=tuple(FinishedPlayer(n, 1, 1, False) for n in HOSTILE))])))
    )
    assert tuple(rows[0]) == COLUMNS
    assert [row["name"] for row in rows] == [*HOSTILE[:2], "'=HYPERLINK(1)", *HOSTILE[3:]]
    assert rows[0]["began"] == "2026-05-03T18:30:00Z"
    assert rows[0]["options"] == "goal=3"
    assert [row["seat"] for row in rows] == ["1", "2", "3", "4", "5"]


def test_json_is_exact_and_has_nothing_for_a_terminal() -> None:
    name = "\x1b]0;x\x07\x9b\u202eé𝄞"
    text = games_json([a_game(players=(FinishedPlayer(name, 1, 1, True),))])
    assert json.loads(text)["games"][0]["players"][0]["name"] == name
    assert not [letter for letter in text if not letter.isprintable() and letter != "\n"]
    assert "é" in text


def krupier(*words: str) -> Result:
    app = typer.Typer()
    app.command()(history)
    return CliRunner().invoke(app, words, env={"COLUMNS": "250", "TZ": "UTC"})


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "h"
    assert "no game has been finished yet" in krupier("--file", str(path)).output
    players = tuple(FinishedPlayer(name, 3, 1, True) for name in HOSTILE)
    GameHistory(path).keep(a_game(players=(*players, FinishedPlayer("Bo", 0, 2, False))))
    result = krupier("--file", str(path))
    assert result.exit_code == 0, result.output
    assert "\x1b[31m" not in result.output
    assert "\\x1b[31mred" in result.output
    assert "★ [bold]Ala[/bold] 3" in result.output
    assert len(json.loads(krupier("--file", str(path), "--json", "--limit", "1").output)["games"][0]["players"]) == 6
    out = tmp_path / "out.csv"
    assert krupier("--file", str(path), "--csv", "-o", str(out)).exit_code == 0
    assert len(out.read_text("utf-8").splitlines()) == 7
    assert krupier("--file", str(path), "--csv", "--json").exit_code == 2


def test_beginning_anew_needs_to_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "h"
    path.write_text("no database")
    assert krupier("--file", str(path)).exit_code != 0
    assert path.read_text() == "no database"
    assert "kept as h.aside-1" in krupier("--file", str(path), "--begin-anew").output
    assert krupier("--file", str(path)).exit_code == 0
