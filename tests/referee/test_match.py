"""Matches: undo, redo, amend, correct and let stand, and what the log refuses."""

import pytest

from referee.edits import Amend, Correct, Play, Redo, Stand, Undo
from referee.match import LogError
from referee.verdicts import Ruling
from tests.referee.games_played import rules_of
from tests.referee.table_talk import open_match, play, say


def test_undo_and_redo_walk_the_log() -> None:
    start = open_match(rules_of("dawaj2"), 2)
    match = play(start, "P1 pass ? @ P2; P2 pass ? @ P1")
    assert match.undo().undo().state == start.state
    assert match.undo().undo().redo().redo() == match
    with pytest.raises(LogError, match="nothing to undo"):
        start.undo()
    with pytest.raises(LogError, match="nothing to redo"):
        match.redo()
    with pytest.raises(LogError, match="nothing to redo"):
        play(match.undo(), "P2 pass ? @ P1").redo()


def test_a_humans_entry_is_pinned() -> None:
    match = open_match(rules_of("dawaj2"), 2)
    match = match.play(say(match, "P1 pass ? @ P2"), human=True)
    with pytest.raises(LogError, match="line 1 is pinned"):
        match.correct(0, say(match, "P1 pass ? @ P1"))
    assert match.amend(0, say(match, "P1 pass ? @ P1")).verdicts[0].ruling is Ruling.ILLEGAL


def test_the_camera_may_correct_its_own_entry() -> None:
    match = open_match(rules_of("dawaj2"), 2)
    match = match.play(say(match, "P1 pass ? @ P1"))
    match = match.play(say(match, "P2 pass ? @ P1"))
    corrected = match.correct(0, say(match, "P1 pass ? @ P2"))
    assert [verdict.ruling for verdict in corrected.verdicts] == [Ruling.LEGAL, Ruling.LEGAL]
    assert not corrected.log[0].pinned
    assert corrected.log[0].line == match.log[0].line


def test_entries_that_are_not_there() -> None:
    match = play(open_match(rules_of("dawaj2"), 2), "P1 pass ? @ P2")
    with pytest.raises(LogError, match="no entry 5; the log has 1"):
        match.stand(5)
    with pytest.raises(LogError, match="line 9 is not a move"):
        match.index_of(9)


def test_an_illegal_move_that_makes_no_sense_changes_nothing_even_if_it_stands() -> None:
    match = open_match(rules_of("dawaj2"), 2)
    match = match.play(say(match, "P1 draw ?")).stand(0)
    assert match.state == match.states[0]
    assert match.plies == ()


def test_every_edit_does_what_its_method_does() -> None:
    start = open_match(rules_of("dawaj2"), 2)
    to_self, to_other = say(start, "P1 pass ? @ P1"), say(start, "P1 pass ? @ P2")
    match = start.edit(Play(to_self), 5)
    assert match == start.play(to_self, 5)
    assert start.edit(Play(to_self, human=True), 5) == start.play(to_self, 5, human=True)
    assert match.edit(Undo(), 6) == match.undo()
    assert match.undo().edit(Redo(), 7) == match
    assert match.edit(Correct(5, to_other), 6) == match.correct(0, to_other)
    assert match.edit(Amend(5, to_other), 6) == match.amend(0, to_other)
    assert match.edit(Stand(5), 6) == match.edit(Stand(), 6) == match.stand(0)


def test_an_edit_that_cannot_be_made_is_refused() -> None:
    start = open_match(rules_of("dawaj2"), 2)
    move = say(start, "P1 pass ? @ P2")
    with pytest.raises(LogError, match="nothing to undo"):
        start.edit(Undo(), 5)
    with pytest.raises(LogError, match="nothing to let stand; the log is empty"):
        start.edit(Stand(), 5)
    with pytest.raises(LogError, match="line 4 is not a move"):
        start.edit(Play(move), 5).edit(Correct(4, move), 6)
    with pytest.raises(LogError, match="line 5 is pinned by a human"):
        start.edit(Play(move, human=True), 5).edit(Correct(5, move), 6)


def test_a_doubt_stays_with_its_entry_until_a_human_speaks() -> None:
    start = open_match(rules_of("dawaj2"), 2)
    to_self, to_other = say(start, "P1 pass ? @ P1"), say(start, "P1 pass ? @ P2")
    match = start.edit(Play(to_self, probability=0.7), 5)
    assert match.log[0].probability == 0.7
    assert match.edit(Undo(), 6).edit(Redo(), 7).log[0].probability == 0.7
    assert match.edit(Correct(5, to_other, probability=0.9), 6).log[0].probability == 0.9
    assert match.edit(Stand(), 6).log[0].probability == 0.7, "that it stands does not say that it was seen well"
    assert match.edit(Amend(5, to_other), 6).log[0].probability == 1.0
    assert start.edit(Play(to_self, human=True, probability=0.7), 5).log[0].probability == 1.0
