"""A sixth game, installed with pip: what holds for our own games holds for it, from the rules to the dashboard."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from device.cli.app import app
from device.dashboard.services.catalogue import catalogue
from device.lab.rehearsal.rehearsal import Rehearsal, rehearse, watch
from device.lab.simulator.film import Studio
from models.packages import packages
from referee.moves import Move
from referee.rules import Opening, game_faults, games, load_rules
from tests.calibration import test_plan as plan
from tests.device.lab import test_simulator as simulator
from tests.referee import test_belief as belief
from tests.referee import test_every_game as every_game
from tests.referee import test_texts as texts

SHORT = Opening("war", ("Ala", "Bartek"), (("length", "short"),))
SAME = (
    every_game.test_the_referee_accepts_every_honest_game,
    every_game.test_the_referee_finds_every_cheat_and_nothing_else,
    every_game.test_judge_is_legal_exactly_for_legal_moves,
    every_game.test_whatever_a_human_lets_stand_leaves_a_sane_table,
    every_game.test_cards_are_conserved_and_something_is_always_to_do,
    every_game.test_a_match_is_the_fold_of_its_log,
    every_game.test_records_and_states_round_trip,
    every_game.test_both_languages_say_everything,
    every_game.test_every_variant_can_be_opened,
    texts.test_every_key_that_is_spoken_is_in_the_catalogue,
    texts.test_no_sentence_is_unused,
    texts.test_both_languages_take_the_same_numbers,
    texts.test_every_verb_is_said_in_both_languages,
    plan.test_whole_games_lie_in_their_zones,
    simulator.test_layouts_account_for_every_card,
    simulator.test_everything_stays_on_the_table,
    belief.test_a_steady_odd_card_accuses_nobody,
    belief.test_a_table_that_is_never_seen_is_made_up_for,
    belief.test_an_honest_game_is_told_as_it_was_played,
    belief.test_cameras_that_err_accuse_nobody_in_a_short_game,
)
"""The tests of every game that this one must pass as well."""


@pytest.mark.parametrize("same", SAME, ids=lambda same: same.__name__)
def test_what_holds_for_every_game_holds_for_it(war: str, same: Callable[[str], None]) -> None:
    same(war)


def krupier(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def test_it_is_found_behind_our_own_games_and_nothing_is_wrong(war: str) -> None:
    assert games() == ("dawaj2", "dnp", "kto_drugi", "lucky_box", "trio", war)
    assert packages()[war].owner == "krupier-war 0.1.0"
    assert game_faults() == {}


def test_it_is_gone_when_its_package_is() -> None:
    assert "war" not in games()


def test_the_commands_know_it(war: str, tmp_path: Path) -> None:
    assert "WR-2  Everybody who has cards" in krupier("rules", war, "--lang", "en").output
    assert "WR-2  Każdy, kto ma karty" in krupier("rules", war, "--lang", "pl").output
    played = krupier(
        "play", war, "--players", "Ala,Bartek", "--option", "length=short", "--seed", "3", "--cheat", "0.3"
    )
    assert played.exit_code == 0, played.output
    record = tmp_path / "war.txt"
    record.write_text(played.output, "utf-8")
    judged = krupier("judge", str(record), "--lang", "pl")
    assert judged.exit_code == 1
    assert "ILLEGAL" in judged.output
    assert "zdobytych" in judged.output or "zdobyte" in judged.output
    printed = krupier("print", "deck", war, "-o", str(tmp_path / "war.pdf"))
    assert printed.exit_code == 0, printed.output
    assert (tmp_path / "war.pdf").read_bytes().startswith(b"%PDF")


def test_honest_games_are_rehearsed_right(war: str) -> None:
    for seed in (1, 2, 3):
        result = rehearse(Rehearsal(SHORT, seed))
        assert (result.accused, result.missing.total(), result.extra.total()) == (0, 0, 0)
        assert result.right


def test_a_battle_is_refereed_through_the_camera(war: str) -> None:
    """The reader has never practised this deck: it knows the faces by their drawings."""
    record = Rehearsal(SHORT, 3).record()
    record = replace(record, lines=record.lines[:3])
    result = watch(record, studio=Studio(size_px=(960, 540), fps=5.0, difficulty=0.1))
    assert result.accused == 0
    assert result.missing.total() == 0


def test_the_dashboard_shows_it(war: str) -> None:
    entry = next(entry for entry in catalogue() if entry["name"] == war)
    assert entry["title"] == {"en": "War", "pl": "Wojna"}
    assert entry["seats"] == {"min": 2, "max": 4}
    assert entry["options"]["2"] == {"length": ["full", "short"]}
    assert len(entry["codes"]) == 52
    assert entry["verbs"]["turn"]["label"] == {"en": "turns", "pl": "odkrywa"}
    assert entry["code_hint"]["en"] == "rank and suit C, D, H or S: 7H, 10S, QD"


def test_a_battle_with_equal_cards_goes_on(war: str) -> None:
    rules = load_rules(war)
    state = rules.start(3, {"length": "short"})
    verbs = rules.verbs(3)
    assert set(verbs) == {"turn", "take", "clear"}
    for text in ("P1 turn 7H", "P2 turn 7S", "P3 turn 3C"):
        state = rules.apply(state, Move.parse(text))
    assert rules.battle(state).due == (0, 1)  # type: ignore[attr-defined]
    assert rules.judge(state, Move.parse("P3 turn AC")).rule == "WR-2"
    for text in ("P1 turn 2H", "P2 turn 9S"):
        state = rules.apply(state, Move.parse(text))
    assert [str(move) for move in rules.legal_moves(state)] == ["P2 take"]
    assert rules.apply(state, Move.parse("P2 take")).won == (0, 5, 0)
