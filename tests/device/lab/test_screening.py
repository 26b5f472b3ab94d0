"""Films of `krupier simulate`, replayed: what is told of them against their truth."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from device.cli.app import app
from device.lab.rehearsal.screening import is_film, open_reel

RECORD = "krupier record 1\ngame dawaj2\nplayers Ala, Bartek\n\nP1 pass ? @ P2\nP2 pass ? @ P1\nP1 take\n"


def krupier(*words: str) -> Result:
    return CliRunner().invoke(app, words, catch_exceptions=False)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("film")
    (folder / "game.txt").write_text(RECORD, "utf-8")
    words = ("simulate", "dawaj2", "--record", str(folder / "game.txt"), "--difficulty", "0.1", "--seed", "3")
    done = krupier(*words, "-o", str(folder / "film"))
    assert done.exit_code == 0, done.output
    return folder / "film"


def test_a_film_is_opened_with_its_rig_and_its_script(film: Path, tmp_path: Path) -> None:
    assert is_film(film)
    assert not is_film(tmp_path)
    reel = open_reel(film)
    assert [line.text for line, _ in reel.script] == RECORD.split("\n")[4:7]
    shown = [frame for _, frame in reel.script]
    assert shown == sorted(set(shown)), "each is seen later than the one before"
    assert shown[-1] < len(reel.times_s) == sum(1 for _ in reel.frames())
    assert {seat.zone.name for seat in reel.rig.seats} == {"P1", "P2"}


def test_what_was_played_is_told_from_the_video(film: Path) -> None:
    done = krupier("replay", str(film), "--json")
    assert done.exit_code == 0, done.output
    *entries, last = (json.loads(line) for line in done.stdout.splitlines())
    assert [one["data"]["text"] for one in entries if one["kind"] == "ruling"] == RECORD.split("\n")[4:7]
    assert last["kind"] == "result"
    told = last["data"]
    assert (told["played"], told["right"], told["wrong"], told["accused"], told["score"]) == (3, 3, 0, 0, True)


def test_a_wrong_score_is_an_exit_code(film: Path, tmp_path: Path) -> None:
    other = shutil.copytree(film, tmp_path / "film")
    (other / "record.txt").write_text(RECORD.replace("P1 take\n", ""), "utf-8")
    done = krupier("replay", str(other), "--diff")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "+ LEGAL P1 take",
        "rulings: 2 of 2 right, 1 wrong, asked 0 times in 4 tables",
        "cheats: 0 of 0 that show flagged, 0 more asked about, 0 false ILLEGAL",
        "score: WRONG",
    ]


def test_what_cannot_be_watched_is_refused(film: Path, tmp_path: Path) -> None:
    other = shutil.copytree(film, tmp_path / "film")
    assert krupier("replay", str(other), "--only-rules").exit_code == 2
    (other / "rig.toml").unlink()
    done = krupier("replay", str(other))
    assert done.exit_code == 2
    assert "rig.toml: cannot be read: No such file or directory; wanted what `krupier simulate` writes" in done.stderr
