"""Questions and edits: how the log follows the belief, and what people are asked."""

from dataclasses import replace

from referee.edits import Edit, Play, Stand
from referee.inference import rates
from referee.inference.belief import Belief, initial_belief, stake_of
from referee.inference.history import Act, History, Step
from referee.inference.questions import Decision, decide
from referee.match import AnyMatch
from referee.observed import ObservedTable, observed_table
from tests.referee.explaining import played, seating_for, tables_of
from tests.referee.table_talk import open_match, say
from tests.referee.test_dnp import dnp
from tests.referee.watching import Found, Watched, card, found, laid, model_of, perfect_eye, reached
from vision.follow.spots import sort_table

START = "P1 star; P1 play 7/3 7/4"
DNP = model_of("dnp")


def history(match: AnyMatch, *texts: str, score: float = 0.0) -> History:
    """A history of these moves after a match; one with ! is wrong, one with !! stands."""
    state, shown, steps = match.state, match.state, list[Step]()
    for text in texts:
        move = say(match, text.rstrip("!"))
        verdict, after = match.rules.judge(state, move), match.rules.apply(state, move)
        act = Act.ILLEGAL if text.endswith("!") else Act.PLAYED
        steps.append(Step(act, move, verdict.ruling, state, after, 1, 0.0, True))
        shown = after
        if text.endswith("!!"):
            steps.append(Step(Act.STANDS, move, verdict.ruling, state, after, 1, 0.0, False))
        state = state if act is Act.ILLEGAL and not text.endswith("!!") else after
    return History(tuple(steps), state, shown, score)


def decided(match: AnyMatch, *histories: History, settled: int = 2, doubted: int = 0) -> Decision:
    return decide(DNP, Belief(histories, count=1, settled=settled, doubts=(("score", doubted),)), match)


def bare(edits: tuple[Edit, ...]) -> list[str]:
    """Edits as words, without their probabilities."""
    return [str(edit.move) if isinstance(edit, Play) else type(edit).__name__.lower() for edit in edits]


# Edits


def test_what_is_believed_is_written() -> None:
    match = dnp(3, START)
    decision = decided(match, history(match, "P2 play 8/1 8/2", "P3 play 9/1"))
    assert bare(decision.edits) == ["P2 play 8/1 8/2", "P3 play 9/1"]
    assert all(isinstance(edit, Play) and not edit.human for edit in decision.edits)


def test_nothing_is_rewritten_when_nothing_has_changed() -> None:
    before = dnp(3, START)
    for moves in ((), ("P2 play 8/1 8/2",), ("P2 play 8/1 8/2", "P3 play 9/1")):
        match = before
        for text in moves:
            match = match.play(say(match, text))
        assert decided(match, history(before, *moves)).edits == ()


def test_only_what_has_changed_is_undone_and_played_anew() -> None:
    before = dnp(3, START)
    match = before
    for text in ("P2 play 8/1 8/2", "P3 play 9/1"):
        match = match.play(say(match, text))
    other = history(before, "P2 play 8/1 8/2", "P3 play 9/2", "P1 play 2/4 2/5 2/6")
    assert bare(decided(match, other).edits) == ["undo", "P3 play 9/2", "P1 play 2/4 2/5 2/6"]
    assert bare(decided(match, history(before)).edits) == ["undo", "undo"]


def test_a_wrong_play_that_stands_is_written_and_let_stand() -> None:
    match = dnp(3, START)
    stands = history(match, "P2 play 6/1 6/2!!")
    assert bare(decided(match, stands).edits) == ["P2 play 6/1 6/2", "stand"]
    lies = match.play(say(match, "P2 play 6/1 6/2"))
    assert decided(lies, stands).edits == (Stand(lies.log[-1].line),)
    assert decided(lies.stand(2), stands).edits == ()


def test_what_stood_and_does_not_any_more_is_written_anew() -> None:
    match = dnp(3, START)
    stood = match.play(say(match, "P2 play 6/1 6/2")).stand(2)
    assert bare(decided(stood, history(match, "P2 play 6/1 6/2!")).edits) == ["undo", "P2 play 6/1 6/2"]


def test_what_is_settled_is_not_touched() -> None:
    match = dnp(3, START)
    assert decided(match, initial_belief(match.state).best, settled=2).edits == ()


def test_the_referee_makes_edits_that_a_match_can_make() -> None:
    """From table to table of a game with wrong plays and errors; the log then says what is believed."""
    record = replace(whole := played("dnp", 3, 6, cheat=0.15), lines=whole.lines[:30])
    watched = Watched(open_match(model_of("dnp").rules, 3))
    seating = seating_for(record)
    probabilities = []
    for table in tables_of(record):
        decision = watched.see(observed_table(sort_table(table, seating)))
        probabilities += [edit.probability for edit in decision.edits if isinstance(edit, Play)]
    assert len(watched.log) > 15
    assert all(0.0 <= probability <= 1.0 for probability in probabilities)


# Accusations


def test_an_accusation_that_is_not_certain_is_not_written() -> None:
    match = dnp(3, START)
    wrong, other = history(match, "P2 play 6/1 6/2!"), history(match, "P2 play 8/1 8/2", score=-0.1)
    assert decided(match, wrong, other).edits == ()
    assert bare(decided(match, wrong, replace(other, score=-20.0)).edits) == ["P2 play 6/1 6/2"]


def test_what_comes_before_a_doubtful_accusation_is_written() -> None:
    match = dnp(3, START)
    wrong = history(match, "P2 play 8/1 8/2", "P3 play 5/7 5/8!")
    honest = history(match, "P2 play 8/1 8/2", score=-0.1)
    assert bare(decided(match, wrong, honest).edits) == ["P2 play 8/1 8/2"]


def test_who_is_accused_in_all_histories_is_accused() -> None:
    match = dnp(3, START)
    one = history(match, "P2 play 6/1 6/2!!", "P3 play 9/1")
    other = history(match, "P2 play 6/1 6/2!!", "P3 play 9/2", score=-0.1)
    assert bare(decided(match, one, other).edits)[:2] == ["P2 play 6/1 6/2", "stand"]


# Probabilities


def test_a_move_is_as_likely_as_all_histories_with_it() -> None:
    match = dnp(3, START)
    one = history(match, "P2 play 8/1 8/2", "P3 play 9/1")
    other = history(match, "P2 play 8/1 8/2", "P3 play 9/2")
    first, second = decided(match, one, other).edits
    assert isinstance(first, Play)
    assert isinstance(second, Play)
    assert (first.probability, second.probability) == (1.0, 0.5)


# Questions


def taken() -> tuple[AnyMatch, ObservedTable]:
    """A set is gone that nobody may take: any of three may have."""
    match = dnp(3, "P1 star; P1 play 8/1; P2 play 3/4 3/5; P3 flip")
    return match, laid(perfect_eye("dnp", match.state), {("P2", "set"): ()})


def test_a_question_comes_only_after_lasting_doubt() -> None:
    match, gone = taken()
    watched = Watched(match)
    asked = [watched.see(gone).question is not None for _ in range(rates.ASK_AFTER_TABLES + 1)]
    assert asked == [False] * (rates.ASK_AFTER_TABLES - 1) + [True, True]
    assert watched.log[4:] == [], "nobody is accused meanwhile"


def test_what_is_certain_is_not_asked() -> None:
    watched = Watched(dnp(3, START))
    watched.see(watched.lies())
    lying = reached(watched.lies("P2 play 8/1 8/2"), "P2 P2", "P1 P1")
    assert [watched.see(lying).question for _ in range(4)] == [None] * 4


def test_the_choices_of_a_question_lead_to_different_rulings() -> None:
    match, gone = taken()
    watched = Watched(match)
    question = watched.see(*[gone] * 3).question
    assert question is not None
    assert len(question.choices) > 1
    logs = []
    for choice in question.choices:
        after = Watched(match)
        after.edit(*choice)
        logs.append(tuple(after.log))
    assert len(set(logs)) == len(logs)
    for edit in (edit for choice in question.choices for edit in choice if isinstance(edit, Play)):
        assert 0.0 < edit.probability < 1.0


def test_histories_that_differ_in_nothing_that_matters_are_one_stake() -> None:
    match = dnp(3, START)
    one, other = history(match, "P2 play 8/1 8/2"), history(match, "P2 play 9/1 9/2")
    now = Belief((one,))
    assert stake_of(DNP, now, one) == stake_of(DNP, now, other), "hands and points are the same"
    assert stake_of(DNP, now, one) != stake_of(DNP, now, history(match, "P2 play 8/1"))
    wrong = history(match, "P2 play 6/1 6/2!")
    assert stake_of(DNP, now, history(match)) != stake_of(DNP, now, wrong), "who did wrong matters"
    long_ago = replace(now, count=now.count + rates.ASK_FOR_TABLES + 1)
    assert stake_of(DNP, long_ago, history(match)) == stake_of(DNP, long_ago, wrong), "play has gone on since"
    assert decided(match, one, other, doubted=9).question is None


def test_an_answer_ends_the_question() -> None:
    match, gone = taken()
    watched = Watched(match)
    question = watched.see(*[gone] * 3).question
    assert question is not None
    watched.edit(*(replace(edit, human=True) if isinstance(edit, Play) else edit for edit in question.choices[1]))
    assert watched.log[4:] == ["P2 take @ P2!"]
    decision = watched.see(gone)
    assert (decision.edits, decision.question) == ((), None)


def test_what_nothing_explains_is_left() -> None:
    match = dnp(3, START)
    odd: Found = found(match, laid(perfect_eye("dnp", match.state), {("P2", "set"): (card("dnp", "?"),)}))
    decision = decide(DNP, odd.belief, match)
    assert [(one.place, one.wanted) for one in decision.left] == [(("P2", "set"), None)]
    assert decision.edits == ()
