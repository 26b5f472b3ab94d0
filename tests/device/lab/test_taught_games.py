"""A whole game with a deck that Krupier did not print: taught from one view of each card, then refereed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from device.cli.app import app
from device.eyes import EyeFactory
from device.lab.rehearsal.taught_games import teach_film
from device.lab.simulator.game import read_simulated_game
from device.teaching.folder import load_taught
from models.cards import own_deck

STYLE, SEED = 7, 3
TABLE = f"sim:dawaj2?seed={SEED}&players=2&fps=6&style={STYLE}"


def krupier(*words: str) -> Result:
    return CliRunner().invoke(app, words, catch_exceptions=False)


def test_a_taught_deck_plays_a_whole_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRUPIER_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    lesson = teach_film(
        tmp_path / "data", "foreign", read_simulated_game(TABLE).film(), EyeFactory(threads=1).sight, 0.3, SEED
    )
    assert lesson.complete, lesson.missing
    deck, _ = load_taught(tmp_path / "data", "foreign")
    assert {card.code: card for card in deck.cards} == {card.code: card for card in own_deck("dawaj2").cards}
    film = ("simulate", "dawaj2", "--seed", str(SEED), "--players", "2", "--fps", "6", "--style", str(STYLE))
    assert krupier(*film, "-o", str(tmp_path / "film")).exit_code == 0
    done = krupier("replay", str(tmp_path / "film"), "--deck", "foreign", "--declared", "--json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout.splitlines()[-1])["data"]
    assert result["played"] == 16
    assert (result["right"], result["wrong"], result["accused"], result["score"]) == (16, 0, 0, True)
