"""`krupier rehearse`: games watched and compared with what was played."""

from dataclasses import replace
from itertools import count

import pytest
from typer.testing import CliRunner

from device.cli.app import app
from device.lab.rehearsal.rehearsal import Rehearsal, rehearse, watch
from referee.rules import Opening
from tests.referee.explaining import misread, played
from vision.table import Table

TWO = Opening("dawaj2", ("Ala", "Bartek"))


def test_an_honest_game_is_told_as_it_was_played() -> None:
    result = rehearse(Rehearsal(TWO, 3))
    assert result.right
    assert not result.missing
    assert not result.extra
    assert result.tables > 10


def test_what_is_wrong_is_counted() -> None:
    def one_eyed(table: Table) -> Table:
        return replace(table, cards=tuple(card for card in table.cards if card.zone != "P1"))

    result = watch(played("dawaj2", 2, 3), one_eyed)
    assert not result.right
    assert any(said.startswith("P1 turn") for said, _ in result.missing)


def test_the_same_seed_errs_in_the_same_way() -> None:
    one, other = (rehearse(Rehearsal(TWO, 3, faults=20)) for _ in range(2))
    assert (one.told.log, one.asked, one.tables) == (other.told.log, other.asked, other.tables)


@pytest.mark.parametrize(
    ("game", "players", "seed"),
    [("dnp", 2, 100), ("dnp", 4, 12502), ("dnp", 5, 12503), ("kto_drugi", 3, 100), ("lucky_box", 2, 100)],
)
def test_who_takes_something_back_and_does_it_again_is_understood(game: str, players: int, seed: int) -> None:
    opening = Opening(game, ("Ala", "Bartek", "Celina", "Darek", "Ewa")[:players])
    once, twice = (rehearse(Rehearsal(opening, seed, regrets=often, declared=True)) for often in (0.0, 0.1))
    assert twice.tables > once.tables + 5
    assert (twice.right, twice.accused, twice.missing, twice.extra) == (True, 0, {}, {})


def test_one_tap_answers_what_is_asked() -> None:
    whole = played("dawaj2", 2, 1)
    record = replace(whole, lines=whole.lines[:12])
    assert "P2 turn 2B0 2B2" in str(record)

    def doubtful(table: Table) -> Table:
        return misread(table, "2B0", "2B1", 0.5)

    alone, helped = watch(record, doubtful), watch(record, doubtful, taps=1)
    assert (alone.right, alone.taps) == (False, 0)
    assert ("P2 turn 2B0 2B2", "LEGAL") in alone.missing
    assert (helped.right, helped.taps) == (True, 1)
    assert (helped.missing, helped.extra) == ({}, {})
    assert helped.told.log[6].pinned, "what a human says stays"


def test_the_time_to_a_ruling_is_kept() -> None:
    ticks = count()
    result = rehearse(Rehearsal(TWO, 3), clock=lambda: float(next(ticks)))
    assert result.spent_s == (1.0,) * result.tables


def test_the_command_says_how_many_games_end_right() -> None:
    done = CliRunner().invoke(app, ["rehearse", "dawaj2", "--players", "2", "--count", "2", "--seed", "3"])
    assert done.exit_code == 0
    assert "dawaj2 with 2: 2 of 2 games end right" in done.stdout
    assert "with at most" not in done.stdout


def test_the_command_says_what_taps_would_do() -> None:
    words = ["rehearse", "dawaj2", "--players", "2", "--count", "1", "--seed", "3", "--faults", "0", "--taps", "2"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert "with at most 2 taps: 1 of 1 games end right; 0 taps in 0 games" in done.stdout


def test_a_film_cannot_be_shown_in_another_order() -> None:
    done = CliRunner().invoke(app, ["rehearse", "dawaj2", "--regrets", "0.1", "--camera"])
    assert done.exit_code == 2
    assert "--regrets with --camera" in done.stderr


def test_a_game_that_cannot_be_played_is_refused() -> None:
    done = CliRunner().invoke(app, ["rehearse", "dawaj2", "--players", "9"])
    assert done.exit_code == 2
    assert "9 players; dawaj2 wants 2 to 6" in done.output
