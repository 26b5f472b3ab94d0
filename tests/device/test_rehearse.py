"""`krupier rehearse`: games watched and compared with what was played."""

from typer.testing import CliRunner

from device.cli.app import app
from device.evaluation.rehearsal import Rehearsal, rehearse
from referee.rules import Opening

TWO = Opening("dawaj2", ("Ala", "Bartek"))


def test_an_honest_game_is_told_as_it_was_played() -> None:
    result = rehearse(Rehearsal(TWO, 3))
    assert result.right
    assert not result.missing
    assert not result.extra
    assert result.tables > 10


def test_what_is_wrong_is_counted() -> None:
    result = rehearse(Rehearsal(TWO, 3, faults=12))
    assert result.asked > 0
    assert rehearse(Rehearsal(TWO, 3, faults=12)).extra == result.extra, "the same seed errs in the same way"


def test_the_command_says_how_many_games_end_right() -> None:
    done = CliRunner().invoke(app, ["rehearse", "dawaj2", "--players", "2", "--count", "2", "--seed", "3"])
    assert done.exit_code == 0
    assert "dawaj2 with 2: 2 of 2 games end right" in done.stdout


def test_a_game_that_cannot_be_played_is_refused() -> None:
    done = CliRunner().invoke(app, ["rehearse", "dawaj2", "--players", "9"])
    assert done.exit_code == 2
    assert "9 players; dawaj2 wants 2 to 6" in done.output
