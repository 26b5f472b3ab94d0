"""How a rehearsal shows a game to its referee, and what it counts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from typer.testing import CliRunner

from calibration.plan import Seating
from device.cli.app import app
from device.lab.rehearsal.logbook import Logbook, edited
from device.lab.rehearsal.rehearsal import Rehearsal, judged, rehearse, run_games, watch
from device.lab.rehearsal.result import RehearsalFigures, Result, figures_of
from device.lab.rehearsal.variants import variants
from models.cards import Deck
from referee.edits import Amend, Correct, Play, Redo, Stand, Undo
from referee.inference.questions import Decision, Question
from referee.match import AnyMatch, LogError, Match
from referee.moves import Move
from referee.rules import AnyRules, Opening, load_rules, opened
from vision.table import Table

TWO = Opening("dawaj2", ("Ala", "Bartek"))
THREE = Opening("dnp", ("Ala", "Bartek", "Celina"))
HASTY = Rehearsal(TWO, 3, haste=0.5)
PASS, OTHER = Move.parse("P1 pass ? @ P2"), Move.parse("P2 pass ? @ P1")


@dataclass
class Silent:
    """A referee that remembers what it was shown, writes what it hears, and asks what it is told to."""

    questions: Iterator[Question | None] = field(default_factory=lambda: iter(()))
    seen: list[Table] = field(default_factory=list)
    heard: list[tuple[Move, float, int]] = field(default_factory=list)
    """Each with when, and how many tables had been seen."""

    def of(self, rules: AnyRules, deck: Deck, seating: Seating) -> "Silent":
        return self

    def observe(self, match: AnyMatch, table: Table) -> Decision:
        self.seen.append(table)
        return Decision(question=next(self.questions, None))

    def hear(self, match: AnyMatch, move: Move, at_s: float) -> Decision:
        self.heard.append((move, at_s, len(self.seen)))
        return Decision((Play(move),))


def shown(rehearsal: Rehearsal) -> Silent:
    silent = Silent()
    rehearse(rehearsal, referee_of=silent.of)
    return silent


def test_every_table_is_seen_once_after_three_looks() -> None:
    seen = shown(Rehearsal(TWO, 3)).seen
    frames = [table.frame for table in seen]
    assert frames == sorted(set(frames))
    assert {table.looks for table in seen} == {card.looks for table in seen for card in table.cards} == {3}
    assert {table.looks for table in shown(Rehearsal(TWO, 3, looks=1)).seen} == {1}


def test_declarations_are_heard_only_if_asked_for() -> None:
    assert not shown(Rehearsal(THREE, 1)).heard
    declared = shown(Rehearsal(THREE, 1, declared=True)).heard
    lines = Rehearsal(THREE, 1).record().lines
    moves = [line.meaning.move for line in lines if isinstance(line.meaning, Play)]
    assert [move for move, _, _ in declared] == [move for move in moves if move.verb in ("star", "flip", "redeal")]
    times = [at_s for _, at_s, _ in declared]
    assert times == sorted(times)


def test_an_eager_declaration_comes_one_table_earlier() -> None:
    usual, eager = (shown(Rehearsal(THREE, 1, declared=True, eager=share)).heard for share in (0.0, 1.0))
    assert [move for move, _, _ in eager] == [move for move, _, _ in usual]
    earlier = {before - seen for (_, _, before), (_, _, seen) in zip(usual, eager, strict=True)}
    assert earlier == {1}
    some = shown(Rehearsal(THREE, 1, declared=True, eager=0.5)).heard
    assert usual != some != eager


def test_haste_and_mess_show_other_tables() -> None:
    usual, hasty, messy = (shown(one).seen for one in (Rehearsal(TWO, 3), HASTY, Rehearsal(TWO, 3, mess=0.5)))
    frames = [table.frame for table in hasty]
    assert set(frames) < {table.frame for table in usual}
    assert (frames[0], frames[-1]) == (usual[0].frame, usual[-1].frame)
    assert [table.frame for table in messy] == [table.frame for table in usual]
    assert messy != usual
    assert hasty == shown(HASTY).seen


def test_a_question_that_stays_or_comes_back_at_once_counts_once() -> None:
    one, likelier = (Question(((Play(PASS, probability=share),), ()), frozenset({"one"})) for share in (0.5, 0.6))
    other = Question(((Play(OTHER),), ()), frozenset({"another"}))

    def asked(*questions: Question | None) -> int:
        return rehearse(Rehearsal(TWO, 3), referee_of=Silent(iter(questions)).of).asked

    assert asked(one, one, likelier) == 1
    assert asked(one, None, one) == 1
    assert asked(one, None, None, one) == 2
    assert asked(one, other, one) == 2


def test_cheats_among_the_choices_of_a_question_are_counted() -> None:
    rules = load_rules("dawaj2")
    wrong = Move.parse("P1 pass ? ? @ P2")
    record = Rehearsal(TWO, 3).record()
    silent = Silent(iter((Question(((Play(wrong),), (Play(PASS),))),)))
    result = watch(record, referee_of=silent.of)
    assert result.suspected == {("P1 pass ? ? @ P2", "ILLEGAL"): 1}
    played = Match.open(rules, TWO).play(wrong)
    told: AnyMatch = Match.open(rules, TWO)
    asked = Result(played, told, 1, 1, suspected=result.suspected)
    assert (asked.cheats, asked.flagged, asked.questioned) == (1, 0, 1)
    assert Result(played, played, 1, 1, suspected=result.suspected).questioned == 0


def test_edits_are_done_to_a_match() -> None:
    match: AnyMatch = Match.open(load_rules("dawaj2"), TWO)
    match = edited(match, (Play(PASS), Play(PASS), Undo()))
    assert [entry.move for entry in match.log] == [PASS]
    assert [entry.move for entry in edited(match, (Redo(), Correct(1, OTHER))).log] == [OTHER, PASS]
    assert edited(match, (Amend(1, OTHER),)).log[0].pinned
    assert edited(match, (Stand(),)).log[0].stands
    assert edited(match, (Stand(1),)).log[0].stands
    assert edited(match, (Play(OTHER),), human=True).log[1].pinned
    for impossible in (Correct(9, PASS), Stand(9)):
        with pytest.raises(LogError):
            edited(match, (impossible,))
    with pytest.raises(LogError, match="empty"):
        edited(Match.open(load_rules("dawaj2"), TWO), (Stand(),))


def test_only_what_the_camera_brought_has_a_probability() -> None:
    book = Logbook(Match.open(load_rules("dawaj2"), TWO))
    book = book.after((Play(PASS, probability=0.8), Play(OTHER, human=True), Play(PASS, probability=0.3)))
    assert book.probabilities == {1: 0.8, 3: 0.3}
    assert book.after((Undo(), Play(OTHER, probability=0.6))).probabilities == {1: 0.8, 3: 0.6}
    assert book.after((Correct(1, OTHER, 0.9), Amend(3, OTHER))).probabilities == {1: 0.9}
    assert book.after((Play(OTHER),), declared=OTHER).probabilities == book.probabilities


def test_the_calibration_error_compares_probabilities_with_what_was_right() -> None:
    rules = load_rules("dawaj2")
    played = Match.open(rules, TWO).play(PASS).play(OTHER)
    told = Match.open(rules, TWO).play(PASS).play(PASS).play(OTHER)
    result = Result(played, told, 0, 3, probabilities={1: 1.0, 2: 0.5, 3: 0.75})
    assert result.confidences == ((1.0, True), (0.5, False), (0.75, True))
    assert figures_of((result,)).ece == pytest.approx((0.0 + 0.5 + 0.25) / 3)
    assert RehearsalFigures(confidences=((0.5, True), (0.5, False))).ece == 0.0
    assert RehearsalFigures().ece == 0.0


def test_figures_add_up() -> None:
    results = run_games([Rehearsal(TWO, seed) for seed in (3, 4)])
    both = figures_of(results)
    assert both == figures_of(results[:1]) + figures_of(results[1:])
    assert (both.games, both.right, both.reported, both.asked) == (2, 2, both.rulings, 0)
    assert both.rulings == sum(len(judged(Rehearsal(TWO, seed).record(), load_rules("dawaj2")).log) for seed in (3, 4))


def test_the_command_prints_one_json_object() -> None:
    words = ["rehearse", "dawaj2", "--players", "2", "--count", "1", "--seed", "3", "--json", "--haste", "0.1"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert list(json.loads(done.stdout)) == [
        *("games", "right", "unasked", "rulings", "reported", "asked", "false_illegal"),
        *("cheats", "flagged", "questioned", "ece"),
    ]


def test_the_command_takes_every_option() -> None:
    words = ["rehearse", "dnp", "--players", "2", "--count", "1", "--seed", "1", "--eager", "0.2", "--faults", "1"]
    done = CliRunner().invoke(app, [*words, "--steady", "--looks", "2", "--haste", "0.05", "--mess", "0.1"])
    assert done.exit_code == 0
    assert "questions; " in done.stdout
    assert "ECE 0." in done.stdout


@pytest.mark.parametrize("option", ["--haste", "--mess"])
def test_a_film_goes_on_by_itself(option: str) -> None:
    done = CliRunner().invoke(app, ["rehearse", "dawaj2", option, "0.1", "--camera"])
    assert done.exit_code == 2
    assert f"{option} with --camera" in done.stderr


def test_there_are_23_variants_that_can_be_played() -> None:
    assert len(set(variants())) == len(variants()) == 23
    for opening in variants():
        opened(load_rules(opening.game), opening)
