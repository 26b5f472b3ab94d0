"""`krupier new-game` writes a package that installs, passes its own test and is a game like any other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from device.cli.app import app
from device.lab.rehearsal.rehearsal import Rehearsal, rehearse
from referee.rules import Opening, game_faults, games
from tests.plugin.conftest import pip_install
from tests.referee import test_every_game as every_game
from tests.referee import test_texts as texts

ROOT = Path(__file__).parent.parent.parent


def krupier(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def test_it_installs_passes_its_own_test_and_is_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, site = tmp_path / "first", tmp_path / "site"
    done = krupier("new-game", "first_game", "-o", str(project))
    assert done.exit_code == 0, done.output
    assert str(project / "krupier_first_game" / "rules.py") in done.output
    assert not [path for path in project.rglob("*") if path.is_file() and "@game@" in path.read_text("utf-8")]
    pip_install(project, site)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(ROOT)))}
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(project)],
        capture_output=True, text=True, check=False, env=env, cwd=project,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    assert "27 passed" in tested.stdout
    monkeypatch.syspath_prepend(str(site))
    assert games()[-1] == "first_game", game_faults()
    assert "R-2  W swojej turze" in krupier("rules", "first_game", "--lang", "pl").output
    assert krupier("print", "deck", "first_game", "-o", str(tmp_path / "deck.pdf")).exit_code == 0
    for same in (
        every_game.test_judge_is_legal_exactly_for_legal_moves,
        every_game.test_whatever_a_human_lets_stand_leaves_a_sane_table,
        every_game.test_records_and_states_round_trip,
        every_game.test_both_languages_say_everything,
        texts.test_no_sentence_is_unused,
    ):
        same("first_game")
    result = rehearse(Rehearsal(Opening("first_game", ("Ala", "Bartek", "Celina")), 1))
    assert result.right
    assert (result.accused, result.missing.total(), result.extra.total()) == (0, 0, 0)


@pytest.mark.parametrize("name", ["Trio!", "2nd", "x", "free", "trio", "a-b", "", "ą" * 3, "a" * 31])
def test_a_bad_name_is_refused_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    done = krupier("new-game", name, "-o", str(tmp_path / "new"))
    assert done.exit_code == 2
    assert "wanted" in done.output
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    done = krupier("new-game", "first_game", "-o", str(tmp_path))
    assert done.exit_code == 2
    assert "is there already; wanted a new folder" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
