"""The referee of one match: what people do to the log between two tables, and say, is believed and not fought."""

from referee.edits import Amend, Play, Redo, Stand, Undo
from referee.match import AnyMatch
from referee.observed import ObservedTable
from tests.referee.lucky_box_table import table as boxes
from tests.referee.table_talk import open_match, play, say
from tests.referee.test_dnp import dnp
from tests.referee.watching import Watched, after, card, laid, model_of, perfect_eye, reached

START = "P1 star; P1 play 7/3"
WRONG = "P2 play 6/1 6/2"


def watching(moves: str = START) -> Watched:
    """A match that has been seen as it lies there."""
    watched = Watched(dnp(3, moves))
    watched.see(watched.lies())
    return watched


def after_moves(match: AnyMatch, *texts: str) -> ObservedTable:
    return perfect_eye(match.rules.game, after(match, *texts))


# What people do to the log


def test_what_was_written_before_the_first_table_is_certain() -> None:
    watched = Watched(dnp(3, START))
    assert watched.see(watched.lies()).edits == ()
    assert watched.see(watched.lies("P2 play 8/1")).edits != ()
    assert watched.log == ["P1 star", "P1 play 7/3", "P2 play 8/1"]


def test_a_human_takes_back_what_is_then_taken_back_on_the_table() -> None:
    watched = watching()
    before = watched.lies()
    watched.see(watched.lies("P2 play 8/1"))
    watched.edit(Undo())
    assert watched.see(before).edits == ()
    watched.see(watched.lies("P2 play 9/1"))
    assert watched.log[2:] == ["P2 play 9/1"]


def test_what_a_human_undoes_before_he_plays_it_anew_is_gone() -> None:
    watched = watching()
    watched.see(watched.lies("P2 play 8/1"))
    watched.edit(Undo())
    watched.say("P2 play 9/1")
    lying = watched.lies()
    assert watched.see(lying).edits == ()
    assert watched.log[2:] == ["P2 play 9/1"]


def test_undo_and_redo_change_nothing() -> None:
    watched = watching()
    lying = watched.lies("P2 play 8/1")
    watched.see(lying)
    watched.edit(Undo(), Redo())
    assert watched.see(lying).edits == ()
    assert watched.log[2:] == ["P2 play 8/1"]


def test_a_human_who_says_which_card_it_is_is_believed() -> None:
    """The camera doubts it; after that the card may be read as before."""
    watched = watching()
    doubtful = laid(watched.lies("P2 play 8/1"), {("P2", "set"): (card("dnp", "8/1", 0.6, ("3/8", 0.35)),)})
    watched.see(doubtful)
    assert watched.log[2:] == ["P2 play 8/1"]
    watched.edit(Amend(watched.match.log[-1].line, say(watched.match, "P2 play 8/3")))
    watched.see(doubtful, doubtful, doubtful)
    assert watched.log[2:] == ["P2 play 8/3"]
    assert watched.match.log[-1].pinned


def test_a_wrong_play_that_a_human_lets_stand_stands() -> None:
    watched = watching("P1 star; P1 play 7/3 7/4")
    lying = reached(watched.lies(WRONG), "P2 P2", "P1 P1")
    watched.see(lying)
    watched.edit(Stand())
    assert watched.see(perfect_eye("dnp", watched.match.state)).edits == ()
    watched.see(reached(watched.lies("P3 play 9/1"), "P3 P3"))
    assert watched.log[2:] == [f"{WRONG}!!", "P3 play 9/1"]


def test_what_a_human_plays_is_there_when_the_table_shows_it() -> None:
    watched = watching()
    watched.say("P2 play 8/1")
    assert watched.see(watched.lies()).edits == ()
    watched.see(watched.lies("P3 play 9/1"))
    assert watched.log[2:] == ["P2 play 8/1", "P3 play 9/1"]
    assert [entry.pinned for entry in watched.match.log[2:]] == [True, False]


def test_what_a_human_plays_before_the_table_shows_it_stays() -> None:
    watched = watching()
    before = watched.lies()
    watched.say("P2 play 8/1")
    watched.see(before)
    watched.see(perfect_eye("dnp", dnp(3, f"{START}; P2 play 8/1").state))
    assert watched.log[2:] == ["P2 play 8/1"]


def test_no_edit_touches_what_people_wrote() -> None:
    watched = watching()
    watched.say("P2 play 8/1")
    watched.see(watched.lies())
    for lying in (watched.lies("P3 play 9/1"), watched.lies()):
        watched.see(lying)
        assert watched.log[:3] == ["P1 star", "P1 play 7/3", "P2 play 8/1"]


# What people say


def test_what_is_said_in_time_is_written_as_it_is_said() -> None:
    watched = watching()
    watched.say("P2 flip")
    assert watched.see(watched.lies()).edits == ()
    watched.see(watched.lies("P3 play 8/1"))
    assert watched.log[2:] == ["P2 flip", "P3 play 8/1"]


def test_what_is_said_late_gets_its_place() -> None:
    watched = watching()
    lying = watched.lies("P2 flip", "P3 play 8/1 8/2")
    watched.see(lying)
    watched.say("P2 flip")
    watched.see(lying)
    assert watched.log[2:] == ["P2 flip", "P3 play 8/1 8/2"]


def test_what_is_said_early_waits_for_its_turn() -> None:
    watched = watching()
    watched.say("P3 flip")
    assert watched.log[2:] == ["P3 flip!"]
    watched.see(watched.lies("P2 play 8/1"))
    assert watched.log[2:] == ["P2 play 8/1", "P3 flip"]


def test_what_is_said_wrongly_spoils_nothing() -> None:
    """Nobody may say that the cards are dealt anew; the game goes on."""
    watched = watching()
    watched.say("P1 star")
    watched.see(watched.lies())
    watched.see(reached(watched.lies("P2 play 8/1"), "P2 P2", "P1 P1"))
    assert [line for line in watched.log if line != "P1 star!"] == ["P1 star", "P1 play 7/3", "P2 play 8/1"]


def test_a_declaration_is_written_by_its_human() -> None:
    watched = Watched(open_match(model_of("dnp").rules, 3))
    watched.see(watched.lies())
    watched.say("P2 star")
    decision = watched.see(perfect_eye("dnp", dnp(3, "P2 star; P2 play 7/3").state))
    assert [edit.move.verb for edit in decision.edits if isinstance(edit, Play)] == ["play"]
    assert watched.log == ["P2 star", "P2 play 7/3"]
    assert watched.match.log[0].pinned


# A log that ends with a wrong play


def illegal_last() -> AnyMatch:
    match = dnp(3, "P1 star; P1 play 7/3 7/4")
    return match.play(say(match, WRONG))


def test_a_wrong_play_at_the_end_of_the_log_may_lie_there() -> None:
    watched = Watched(illegal_last())
    lying = after_moves(watched.match, WRONG)
    assert watched.see(lying, lying).edits == ()
    assert watched.see(perfect_eye("dnp", watched.match.state)).edits == ()
    assert watched.log[2:] == [f"{WRONG}!"]


def test_a_wrong_play_at_the_end_of_the_log_that_was_taken_back_lets_play_go_on() -> None:
    watched = Watched(illegal_last())
    watched.see(after_moves(watched.match, WRONG))
    watched.see(reached(perfect_eye("dnp", watched.match.state), "P2 P2", "P1 P1"))
    watched.see(reached(after_moves(watched.match, "P2 play 8/1 8/2"), "P2 P2", "P1 P1"))
    assert watched.log[2:] == [f"{WRONG}!", "P2 play 8/1 8/2"]


def test_a_wrong_play_at_the_end_of_the_log_that_nobody_minds_stands() -> None:
    match = illegal_last()
    watched = Watched(match)
    stood = match.stand(2)
    watched.see(reached(perfect_eye("dnp", stood.state), "P2 P2"))
    watched.see(reached(after_moves(stood, "P3 play 9/1"), "P3 P3"))
    assert watched.log[2:] == [f"{WRONG}!!", "P3 play 9/1"]


def test_what_must_happen_by_itself_follows_what_a_human_plays() -> None:
    match = play(boxes("49:11.12.13.21.22.23.31.32.33 58", "31 27", number=1, turned=8), "P2 mark 31:r1c1")
    watched = Watched(match)
    watched.see(watched.lies())
    watched.say("P1 mark 58:r1c1")
    watched.see(watched.lies("P1 score 15", "P1 wipe 49"))
    assert watched.log[-3:] == ["P1 mark 58:r1c1", "P1 score 15", "P1 wipe 49"]


def test_what_a_human_undoes_is_not_written_again_from_the_same_table() -> None:
    watched = watching()
    lying = watched.lies("P2 play 8/1")
    watched.see(lying)
    watched.edit(Undo())
    assert watched.see(lying).edits == ()


def test_a_human_is_believed_though_the_camera_has_no_doubt() -> None:
    watched = watching()
    lying = watched.lies("P2 play 8/1")
    watched.see(lying)
    watched.edit(Amend(watched.match.log[-1].line, say(watched.match, "P2 play 8/3")))
    watched.see(lying, lying, lying)
    assert watched.log[2:] == ["P2 play 8/3"]


def test_a_doubtful_reading_that_stays_does_not_speak_louder_at_every_table() -> None:
    watched = Watched(dnp(3, f"{START}; P2 play 8/3"))
    doubtful = laid(watched.lies(), {("P2", "set"): (card("dnp", "8/3", 0.25, ("1/8", 0.7)),)})
    watched.see(*[doubtful] * 15)
    assert watched.log[3:] == []
