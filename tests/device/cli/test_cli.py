"""The command line, used as a person would."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from device.cli.app import app
from referee.rules import games

every_game = pytest.mark.parametrize("game", games())


def krupier(*words: str, given: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, words, input=given, env={"LANG": "C", "LC_ALL": "C", "COLUMNS": "200"})


def played(*words: str) -> str:
    result = krupier("play", *words)
    assert result.exit_code == 0, result.output
    return result.stdout


@every_game
def test_play_then_judge_is_all_legal(game: str) -> None:
    record = played(game, "--players", "3", "--seed", "5")
    assert record == played(game, "--players", "3", "--seed", "5"), "the same seed gives the same game"
    result = krupier("judge", "-", given=record)
    assert result.exit_code == 0, result.output
    assert "ILLEGAL" not in result.stdout


@every_game
def test_cheats_are_in_the_truth_and_in_the_rulings(game: str, tmp_path: Path) -> None:
    truth = tmp_path / "truth.jsonl"
    record = played(game, "--players", "3", "--seed", "6", "--cheat", "0.1", "--truth", str(truth))
    crimes = [json.loads(line) for line in truth.read_text("utf-8").splitlines()]
    result = krupier("judge", "-", "--json", given=record)
    assert result.exit_code == 1
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    found = [(row["about"] or row["line"], row["rule"], row["line"]) for row in rows if row["ruling"] == "ILLEGAL"]
    assert found == [(crime["line"], crime["rule"], crime["shows"]) for crime in crimes]
    assert rows[-1]["state"]["outcome"]["winners"]
    assert rows[0]["state"]["todo"]


@every_game
def test_rules_are_told_in_both_languages(game: str) -> None:
    english, polish = krupier("rules", game, "--lang", "en"), krupier("rules", game, "--lang", "pl")
    assert english.exit_code == polish.exit_code == 0
    assert english.stdout != polish.stdout
    ids = [line.split()[0] for line in english.stdout.splitlines() if not line.startswith(" ")]
    assert ids == [line.split()[0] for line in polish.stdout.splitlines() if not line.startswith(" ")]


def test_judge_speaks_the_language_asked_for() -> None:
    record = played("dawaj2", "--players", "Zosia,Tomek", "--seed", "1")
    assert "Zosia passes a card" in krupier("judge", "-", "--lang", "en", given=record).stdout
    assert "Zosia przekazuje kartę" in krupier("judge", "-", "--lang", "pl", given=record).stdout


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "found '', wanted 'krupier record 1'"),
        ("hello\n", "standard input:1: found 'hello'"),
        (b"krupier record 1\ngame \xb1\xea\n", "standard input:2: byte 0xb1 is not UTF-8 text"),
        ("krupier record 1\ngame chess\nplayers A,B\n\n", "no game 'chess'"),
        (
            "krupier record 1\ngame dawaj2\nplayers A,B\n\nP1 turn 1X0 1B0\n",
            "standard input:5: '1X0' cannot stand here",
        ),
        ("krupier record 1\ngame dawaj2\nplayers A,B\ndeck mine\n\n", "deck 'mine'; give its file with --deck"),
    ],
)
def test_what_is_no_record_exits_2(data: str | bytes, message: str) -> None:
    result = krupier("judge", "-", given=data)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("judge", "/nowhere/game.txt"), "cannot be read: No such file"),
        (("judge", "/"), "cannot be read: Is a directory"),
        (("play", "poker"), "no game 'poker'"),
        (("play", "dawaj2", "--players", "7"), "7 players; dawaj2 wants 2 to 6"),
        (("play", "dawaj2", "--players", "99999999999"), "99999999999 players"),
        (("play", "dawaj2", "--players", "A,A"), "two players are called 'A'"),
        (("play", "dawaj2", "--option", "strict"), "wanted NAME=VALUE"),
        (("play", "dawaj2", "--option", "strict=perhaps"), "wanted no or yes"),
        (("play", "dawaj2", "--truth", "/nowhere/truth"), "cannot be written"),
        (("play", "dawaj2", "--deck", "/nowhere/deck.toml"), "cannot be read"),
        (("rules", "poker"), "no game 'poker'"),
    ],
)
def test_bad_words_exit_2_and_say_why(words: tuple[str, ...], message: str) -> None:
    result = krupier(*words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_deck_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    text = (Path(__file__).parents[3] / "models" / "decks" / "dawaj2" / "deck.toml").read_text("utf-8")
    own.write_text(text.replace('name = "dawaj2"', 'name = "my-dawaj"').replace("count = 1", "count = 3"), "utf-8")
    record = played("dawaj2", "--deck", str(own), "--seed", "3")
    assert "deck my-dawaj" in record
    assert krupier("judge", "-", "--deck", str(own), given=record).exit_code == 0
    assert krupier("judge", "-", given=record).exit_code == 2
    assert krupier("play", "trio", "--deck", str(own)).exit_code == 2


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -c 'from device.cli.app import main; main()' play dawaj2 --players 6 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout == "krupier record 1\n"
    assert done.stderr == ""
