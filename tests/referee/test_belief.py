"""The belief: tables follow each other, err, and show what people do right and wrong; the log follows them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import log
from random import Random

import pytest

from device.lab.rehearsal.looks import Faulty
from device.lab.rehearsal.rehearsal import judged, watch
from models.cards import own_deck
from referee.inference import rates
from referee.inference.belief import Belief, _likeliest, initial_belief, observe
from referee.inference.history import Act, History, Step
from referee.inference.transition import Node
from referee.moves import Move
from referee.observed import ObservedTable, observed_table
from referee.record import Record
from referee.rules import games, load_rules, opened
from referee.verdicts import Ruling
from tests.referee.explaining import played, recorded, seating_for, tables_of
from tests.referee.games_played import rules_of
from tests.referee.table_talk import open_match, say
from tests.referee.test_dnp import dnp
from tests.referee.test_trio import table
from tests.referee.watching import Watched, after, card, found, laid, model_of, perfect_eye, reached, told_of
from vision.follow.spots import sort_table
from vision.table import Arm, Guess, Table

PLAYERS = {"dawaj2": 3, "dnp": 3, "kto_drugi": 3, "lucky_box": 2, "trio": 3}


def first_tables(record: Record, most: int) -> list[ObservedTable]:
    seating = seating_for(record)
    return [observed_table(sort_table(one, seating)) for one in list(tables_of(record))[:most]]


def short(game: str, lines: int, seed: int = 4, cheat: float = 0.0) -> Record:
    """The first lines of a game of bots."""
    record = played(game, PLAYERS.get(game, 3), seed, cheat)
    return replace(record, lines=record.lines[:lines])


def believed(record: Record, tables: list[ObservedTable]) -> list[Belief]:
    """The belief after every table."""
    rules = rules_of(record.opening.game)
    beliefs = [initial_belief(rules.start(len(record.opening.names), opened(rules, record.opening)))]
    for seen in tables:
        beliefs.append(observe(model_of(record.opening.game), beliefs[-1], seen))
    return beliefs


# What a belief is


def test_the_same_tables_give_the_same_belief() -> None:
    record = short("dnp", 16)
    tables = first_tables(record, 12)
    one, other = believed(record, tables), believed(record, tables)
    assert one == other


def test_a_table_leaves_the_belief_before_it_as_it_was() -> None:
    record = short("dnp", 12)
    *_, before, last = first_tables(record, 8)
    start = believed(record, [before])[-1]
    kept = replace(start)
    observe(model_of("dnp"), start, last)
    assert start == kept


def test_only_a_few_histories_are_followed_and_their_probabilities_add_up() -> None:
    record = short("dnp", 20)
    for belief in believed(record, first_tables(record, 16)):
        assert 1 <= len(belief.histories) <= rates.MAX_HISTORIES
        weights = belief.probabilities()
        assert sum(weights) == pytest.approx(1.0)
        assert list(weights) == sorted(weights, reverse=True)
        assert belief.best is belief.histories[0]


def test_what_is_long_ago_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "SETTLED_AFTER_TABLES", 5)
    record = short("dawaj2", 24)
    beliefs = believed(record, first_tables(record, 20))
    assert max(len(belief.tables) for belief in beliefs) == 5
    settled = [belief.settled for belief in beliefs]
    assert settled == sorted(settled)
    assert settled[-1] > 5
    for belief in beliefs:
        assert all(step.table > belief.count - 6 for step in belief.best.steps)


# Errors of the camera


def test_a_table_that_does_not_change_changes_nothing() -> None:
    watched = Watched(dnp(3, "P1 star; P1 play 7/3"))
    lying = watched.lies()
    assert [watched.see(lying).edits for _ in range(5)] == [()] * 5


@pytest.mark.parametrize("sure", [0.6, 0.8])
def test_a_misread_card_is_corrected_by_the_next_table(sure: float) -> None:
    watched = Watched(dnp(3, "P1 star; P1 play 5/7"))
    right = watched.lies("P2 play 8/3")
    wrong = laid(right, {("P2", "set"): (card("dnp", "8/3", 1 - sure, ("4/8", sure)),)})
    watched.see(wrong)
    watched.see(right, right)
    assert watched.log[2:] == ["P2 play 8/3"]


def test_a_card_that_one_table_misses_is_written_when_it_is_found() -> None:
    watched = Watched(dnp(3, "P1 star; P1 play 5/7"))
    both = watched.lies("P2 play 8/1 8/3")
    watched.see(laid(both, {("P2", "set"): both["P2", "set"][:1]}))
    watched.see(both, both)
    assert watched.log[2:] == ["P2 play 8/1 8/3"]


def test_a_card_that_lies_there_and_is_missed_once_was_not_taken() -> None:
    watched = Watched(dnp(3, "P1 star; P1 play 7/3 7/4; P2 play 8/1 8/2"))
    right = watched.lies()
    watched.see(laid(right, {("P2", "set"): right["P2", "set"][:1]}), right)
    assert watched.log[3:] == []


@pytest.mark.parametrize("game", games())
def test_a_steady_odd_card_accuses_nobody(game: str) -> None:
    """Something on the table that looks like a card, at every table of a game."""
    record = short(game, 20)
    deck = own_deck(game)
    code = (deck.of("race") if game == "kto_drugi" else deck.cards)[7].code

    def odd(one: Table) -> Table:
        like = one.cards[0] if one.cards else None
        if like is None:
            return one
        corners = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))
        extra = replace(like, track=999, code=code, guesses=(Guess(code, 1.0),), face_up=True, zone="", marks=())
        return replace(one, cards=(*one.cards, replace(extra, corners_mm=corners)))

    result = watch(record, odd)
    assert result.accused == 0


# What people do wrong


def test_a_wrong_play_is_flagged_then_taken_back_and_play_goes_on() -> None:
    watched = Watched(dnp(3, "P1 star; P1 play 7/3 7/4"))
    before, wrong, right = watched.lies(), watched.lies("P2 play 6/1 6/2"), watched.lies("P2 play 8/1 8/2")
    watched.see(before, reached(wrong, "P2 P2", "P1 P1"))
    assert watched.log[2:] == ["P2 play 6/1 6/2!"]
    watched.see(reached(before, "P2 P2", "P1 P1"))
    assert watched.log[2:] == ["P2 play 6/1 6/2!"], "it was made all the same"
    watched.see(reached(right, "P2 P2", "P1 P1"))
    assert watched.log[2:] == ["P2 play 6/1 6/2!", "P2 play 8/1 8/2"]


def test_a_wrong_play_that_stands() -> None:
    """Nobody minds, and the next players play on: then it counts."""
    watched = Watched(dnp(3, "P1 star; P1 play 7/3 7/4"))
    stood = watched.match.play(say(watched.match, "P2 play 6/1 6/2")).stand(2)
    watched.see(watched.lies(), reached(perfect_eye("dnp", stood.state), "P2 P2", "P1 P1"))
    watched.see(reached(perfect_eye("dnp", after(stood, "P3 play 9/1")), "P3 P3"))
    assert watched.log[2:] == ["P2 play 6/1 6/2!!", "P3 play 9/1"]


def test_a_play_that_is_regretted_is_no_longer_written() -> None:
    watched = Watched(dnp(3, "P1 star; P1 play 7/3"))
    before = watched.lies()
    watched.see(watched.lies("P2 play 8/1"))
    assert watched.log[2:] == ["P2 play 8/1"]
    watched.see(before)
    watched.see(perfect_eye("dnp", dnp(3, "P1 star; P1 play 7/3; P2 play 9/1").state))
    assert watched.log[2:] == ["P2 play 9/1"]


def test_two_acts_between_two_tables() -> None:
    watched = Watched(dnp(3, "P1 star; P1 play 5/7"))
    watched.see(watched.lies("P2 play 3/4 3/5", "P3 play 8/1"))
    assert watched.log[2:] == ["P2 play 3/4 3/5", "P3 play 8/1"]


@pytest.mark.parametrize("game", games())
def test_a_table_that_is_never_seen_is_made_up_for(game: str) -> None:
    """Somebody plays on at once: the next table shows the acts of both."""
    record = short(game, 24)

    def hasty(tables: Iterator[Table]) -> Iterator[Table]:
        missed: tuple[Arm, ...] = ()
        for number, one in enumerate(tables):
            if number == 8:
                missed = one.arms
            else:
                yield replace(one, arms=(*missed, *one.arms))
                missed = ()

    result = watch(record, course=hasty)
    assert result.tables == watch(record).tables - 1
    assert result.accused == 0
    assert result.missing.total() <= 1


@pytest.mark.parametrize("game", games())
def test_an_honest_game_is_told_as_it_was_played(game: str) -> None:
    result = watch(short(game, 40))
    assert (result.accused, result.missing.total(), result.extra.total()) == (0, 0, 0)
    assert result.right


@pytest.mark.parametrize("game", games())
def test_cameras_that_err_accuse_nobody_in_a_short_game(game: str) -> None:
    record = short(game, 30)
    result = watch(record, Faulty(Random(7), own_deck(game), 1.0))
    assert result.accused == 0


@pytest.mark.parametrize("game", games())
def test_who_breaks_rules_is_flagged_and_nobody_else(game: str) -> None:
    result = watch(short(game, 40, seed=6, cheat=0.15))
    assert result.accused == 0
    assert result.flagged + result.questioned >= 0.5 * result.cheats


# What nobody sees


def test_who_named_the_star_card_is_known_by_who_plays_first() -> None:
    watched = Watched(open_match(rules_of("dnp"), 3))
    watched.see(watched.lies())
    assert watched.log == []
    watched.see(perfect_eye("dnp", dnp(3, "P2 star; P2 play 7/3").state))
    assert watched.log == ["P2 star", "P2 play 7/3"]


def test_who_flipped_is_known_by_who_plays_next() -> None:
    watched = Watched(dnp(3, "P1 star; P1 play 7/3"))
    watched.see(watched.lies())
    assert watched.log[2:] == [], "nothing speaks for it yet"
    watched.see(perfect_eye("dnp", dnp(3, "P1 star; P1 play 7/3; P2 flip; P3 play 8/1 8/2").state))
    assert watched.log[2:] == ["P2 flip", "P3 play 8/1 8/2"]


def test_a_whole_round_of_dnp_without_declarations() -> None:
    record = played("dnp", 3, 15)
    rules = load_rules("dnp")
    ends = [
        number
        for number, (before, after) in enumerate(pairwise(judged(record, rules).states))
        if after.round > before.round
    ]
    result = watch(replace(record, lines=record.lines[: ends[0] + 2]))
    assert result.accused == 0
    assert result.missing.total() <= 0.1 * result.rulings
    there, told = result.played.state, result.told.state
    assert told.round == there.round
    assert [player.points for player in told.players] == [player.points for player in there.players]


def test_which_end_of_a_hand_was_meant_is_left_open_in_trio() -> None:
    start = table()
    one = found(start, perfect_eye("trio", after(start, "P1 reveal 4 @ P2.low")))
    ends = {told[0].rstrip("!") for told in map(told_of, one.belief.histories) if told}
    assert {"P1 reveal 4 @ P2.low", "P1 reveal 4 @ P2.high"} & ends
    assert len(ends) > 1
    assert all(step.act is Act.PLAYED for history in one.belief.histories for step in history.steps)


def test_a_wrong_play_seen_by_nobody_but_the_camera_is_written_once() -> None:
    lines = ("P1 pass ? @ P2", "P2 pass ? @ P1", "P1 take", "P2 take", "P1 lay ? ? ?", "P1 lay ? ?", "P2 lay ? ?")
    result = watch(recorded("dawaj2", 2, *lines, "P1 turn 3P1 4G0", "P1 turn 4G0 3P1", "P2 turn 5B0 6G0"))
    pairs = zip(result.told.log, result.told.verdicts, strict=True)
    wrong = [str(entry.move) for entry, verdict in pairs if verdict.ruling is Ruling.ILLEGAL]
    assert wrong == ["P1 lay ? ? ?", "P1 turn 4G0 3P1"]


def test_histories_that_are_merged_accuse_nobody_who_may_be_innocent() -> None:
    """A wrong play that is likely, but not likely enough to be written, does not become certain with time."""
    start = dnp(3, "P1 star; P1 play 7/3")
    move, layout = say(start, "P2 play 6/1 6/2"), model_of("dnp").layout(start.state)
    wrong = Step(Act.ILLEGAL, move, Ruling.ILLEGAL, start.state, start.state, 1, 0.0, True)

    def kept(doubt: float) -> frozenset[Move]:
        guilty = History((wrong, replace(wrong, act=Act.TAKEN_BACK)), start.state, start.state, 0.0)
        innocent = History((), start.state, start.state, log(doubt / (1 - doubt)))
        nodes = [Node(history, layout, 0.0) for history in (guilty, innocent)]
        (only,) = _likeliest(model_of("dnp"), nodes, 1 + rates.RECENT_ILLEGAL_TABLES)
        assert only.total == 0.0
        return only.history.illegal_plays

    assert not kept((1 - rates.ACCUSATION_PROBABILITY) * 1.5)
    assert kept((1 - rates.ACCUSATION_PROBABILITY) / 2) == {move}
