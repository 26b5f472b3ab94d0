"""dnp from what lies on the table: sets laid, added to, taken, beaten and discarded, and what people do wrong."""

from dataclasses import replace

import pytest

from calibration.plan import seat_players
from device.lab.simulator.bodies import SimulatedTable as Bodies
from device.plans import plan_of
from referee.games.dnp.state import flipped
from referee.inference import rates
from referee.inference.history import Act
from referee.match import AnyMatch
from referee.moves import HIDDEN
from referee.observed import ObservedCard, ObservedTable
from tests.referee.table_talk import say
from tests.referee.test_dnp import dnp, nine_out, thin
from tests.referee.watching import LOOKS, Watched, hasty, laid, model_of, reached
from tests.referee.watching import card as card_of
from tests.referee.watching import found as explain

DECK, LAYOUTS = model_of("dnp").deck, model_of("dnp").layouts


def seen(piles: int = 0, **areas: str) -> ObservedTable:
    """Cards as they lie in front of the seats: P1="8/1 8/2", in a duel P1_2="8/1"; and perhaps a discard pile."""
    cards: dict[tuple[str, str], tuple[ObservedCard, ...]] = {}
    for place, words in areas.items():
        seat, _, area = place.partition("_")
        cards[seat, f"set{area}"] = tuple(card(word) for word in words.split())
    if piles:
        cards["discard", "discard"] = (card(HIDDEN),)
    return ObservedTable(cards, looks=LOOKS)


def card(word: str, chance: float = 1.0, *others: tuple[str, float]) -> ObservedCard:
    """One card that lies with its first value up."""
    return card_of("dnp", word, chance, *others)


def told(match: AnyMatch, table: ObservedTable) -> list[str]:
    return explain(match, table).told


def faults(match: AnyMatch, table: ObservedTable) -> list[tuple[str, str]]:
    return explain(match, [table] * 2).violations


# What is done by the rules


def test_a_set_is_laid_and_the_beaten_one_is_gone_or_will_be() -> None:
    match = dnp(3, "P1 star; P1 play 7/3")
    assert told(match, seen(P2="8/1")) == ["P2 play 8/1"]
    assert told(match, seen(P1="7/3", P2="8/1")) == ["P2 play 8/1"]
    assert told(match, seen(P1="7/3", P2="2/5 2/4")) == ["P2 play 2/4 2/5"]


def test_which_way_a_card_lies_decides_its_value() -> None:
    match = dnp(3, "P1 star; P1 play 5/7")
    assert told(match, seen(P2="6/3")) == ["P2 play 6/3"]
    assert faults(match, seen(P1="5/7", P2="3/6")) == [("P2 play 3/6", "DN-A")]


def test_a_card_is_added_wherever_it_is_put_and_may_beat_another_set() -> None:
    match = dnp(3, "P1 star; P1 play 5/7; P2 play 3/4 3/5")
    assert told(match, seen(P1="5/8 5/7")) == ["P3 add 5/8 @ P1"]
    assert told(match, seen(P1="5/7 5/8", P2="3/4 3/5")) == ["P3 add 5/8 @ P1"]


def test_a_set_that_is_gone_was_discarded_by_its_owner_or_taken_by_who_plays() -> None:
    match = dnp(3, "P1 star; P1 play 5/7; P2 play 3/4 3/5; P3 flip")
    assert told(match, seen(1, P2="3/4 3/5")) == ["P1 discard"]
    match = match.play(say(match, "P1 discard"))
    assert told(match, seen(1)) == ["P1 take @ P2"]


def test_a_set_that_is_laid_card_by_card_is_one_set() -> None:
    """Nobody but its owner was seen there; who plays next has flipped."""
    match = dnp(3, "P1 star")
    half, whole = reached(seen(P1="7/1"), "P1 P1"), reached(seen(P1="7/1 7/6"), "P1 P1")
    after = reached(seen(P1="7/1 7/6", P3="8/2"), "P3 P3")
    assert explain(match, [hasty(half), whole, after]).told == ["P1 play 7/1 7/6", "P2 flip", "P3 play 8/2"]


def test_who_had_the_star_card_shows_when_it_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who seemed to begin was only the first to lay anything; that it was another is not kept in mind, but found."""
    monkeypatch.setattr(rates, "MAX_HISTORIES", 1)
    match = thin(nine_out(), {2: 1}, keep="10/2")
    match = match.play(say(match, "P3 play 10/2"))
    gathered, first = reached(seen(), "P3 P3"), reached(seen(P3="4/6"), "P3 P3")
    second = reached(seen(P3="4/6", P1="7/4 7/5"), "P1 P1")
    star = reached(seen(P1="7/4 7/5", P2="5/1"), "P2 P2")
    found = explain(match, [seen(1, P3="10/2"), gathered, first, second, star])
    assert found.told == ["P2 star", "P2 flip", "P3 play 4/6", "P1 play 7/4 7/5", "P2 play 5/1"]


def test_who_lays_the_star_card_began_and_is_not_accused() -> None:
    """What was laid by others before was right after all: who began has flipped."""
    first = reached(seen(P3="4/2 4/2 4/8"), "P3 P3")
    second = reached(seen(P3="4/2 4/2 4/8", P1="4/6 4/7"), "P1 P1")
    third = reached(seen(P3="4/2 4/2 4/8", P1="4/6 4/7", P2="1/5 1/6 1/7 1/9"), "P2 P2")
    found = explain(dnp(3), [seen(), first, second, third])
    assert found.told[:3] == ["P2 star", "P2 flip", "P3 play 4/2 4/2 4/8"]
    assert not found.accused


def test_what_is_only_remembered_under_other_cards_accuses_nobody() -> None:
    match = dnp(3, "P1 star; P1 play 5/7")
    table = seen(P1="5/7", P2="2/4 2/5")
    beneath = replace(card("9/1"), remembered=True)
    ghost = laid(table, {("P2", "set"): (beneath, *table["P2", "set"])})
    assert told(match, ghost) == ["P2 play 2/4 2/5"]
    assert explain(match, ghost).left == ()
    there = laid(table, {("P2", "set"): (replace(card("2/6"), remembered=True), *table["P2", "set"])})
    assert told(match, there) == ["P2 play 2/4 2/5 2/6"], "a strip that the eye missed this time is still a card"


def test_a_wrong_play_is_wrong_whatever_is_only_remembered_beneath_it() -> None:
    match = dnp(3, "P1 star; P1 play 5/7 5/8")
    table = seen(P1="5/7 5/8", P2="3/5 3/7")
    beneath = replace(card("10/1"), remembered=True)
    ghost = laid(table, {("P2", "set"): (*table["P2", "set"], beneath)})
    ((move, rule),) = faults(match, ghost)
    assert (move[: len("P2 play 3/5 3/7")], rule) == ("P2 play 3/5 3/7", "DN-A")


def test_several_turns_between_two_looks() -> None:
    match = dnp(3, "P1 star; P1 play 5/7")
    assert told(match, seen(P1="8/1 8/3", P2="3/4 3/5 3/6", P3="9/2")) == [
        "P2 play 3/4 3/5 3/6",
        "P3 play 9/2",
        "P1 play 8/1 8/3",
    ]
    match = dnp(3, "P1 star; P1 play 5/7; P2 play 3/4 3/5; P3 play 4/6 4/7 4/8")
    assert told(match, seen(1, P1="9/1", P3="4/6 4/7 4/8")) == ["P1 discard", "P1 play 9/1", "P2 discard"]


def test_a_set_that_nobody_saw_has_as_many_cards_as_the_one_that_it_beat() -> None:
    match = dnp(3, "P1 star; P1 play 5/7 5/8")
    taken = explain(match, reached(seen(), "P2 P2", "P1 P1", "P3 P2"))
    assert taken.told == ["P2 play ? ?!", "P3 take @ P2"]
    assert [player.hand for player in taken.belief.best.state.players] == [10, 8, 12]


def test_a_set_that_nobody_saw_is_beaten_by_one_of_its_size() -> None:
    match = dnp(3, "P1 star; P1 play 5/7 5/8")
    beaten = explain(match, reached(seen(P1="5/7 5/8", P3="7/4"), "P2 P2", "P2 P2", "P3 P3"))
    assert beaten.told == ["P2 play ?!", "P3 play 7/4"]
    assert [player.hand for player in beaten.belief.best.state.players] == [8, 10, 9]


def test_the_last_set_of_a_round_lies_there_until_the_cards_are_dealt() -> None:
    match = thin(dnp(2, "P1 star"), {0: 1})
    table = seen(P1_2="1/5")
    assert told(match, table) == ["P1 play 1/5 @ P1.2"]
    match = match.play(say(match, "P1 play 1/5 @ P1.2"))
    assert match.state.round == 2
    for resting in (table, seen(1, P1_2="1/5"), seen()):
        assert (told(match, resting), explain(match, resting).left) == ([], ())
    assert told(match, seen(P2_2="7/3")) == ["P2 star", "P2 play 7/3 @ P2.2"]


def test_the_set_of_who_is_out_may_be_added_to_and_then_goes() -> None:
    match = nine_out().play(say(nine_out(), "P3 flip"))
    assert told(match, seen(P2="9/1 9/2")) == ["P1 add 9/2 @ P2"]


def test_a_duel_has_two_areas_each() -> None:
    match = dnp(2, "P1 star; P1 play 5/7 @ P1.2")
    assert told(match, seen(P1_2="5/7", P2_1="4/6 4/7")) == ["P2 play 4/6 4/7 @ P2.1"]
    match = dnp(2, "P1 star; P1 play 5/7 @ P1.2; P2 play 4/6 4/7 @ P2.1")
    assert told(match, seen(P2_1="4/6 4/7", P2_2="6/3")) == ["P2 play 6/3 @ P2.2"]
    assert told(match, seen(P1_2="5/7", P2_2="6/1 6/3")) == ["P2 play 6/1 6/3 @ P2.2"]


def test_cards_of_a_duel_are_told_apart_by_the_half_they_lie_in() -> None:
    seating = seat_players(plan_of("dnp"), 2)
    match = dnp(2, "P1 star; P1 play 1/5 1/6 1/6 1/7 1/7 1/8 1/9 @ P1.2; P2 flip; P2 flip; P1 play 8/3 @ P1.1")
    layout = LAYOUTS.layout(DECK, match.state)
    bodies = Bodies(DECK, LAYOUTS, seating, 3)
    bodies.become(layout)
    assert {(body.zone, body.spot, body.number) for body in bodies.bodies} == {
        *(("P1", "set2", number) for number in range(7)),
        ("P1", "set1", 0),
    }


def test_a_set_that_is_never_found_under_the_card_put_to_it_accuses_nobody() -> None:
    """P1 is known to hold the card, so P2 cannot have laid it; that his set is hidden in every look is likelier."""
    before = "P1 star; P1 flip; P2 play 8/2; P3 flip; P1 take @ P2; P2 play 8/1; P3 flip; P1 flip; P2 discard; "
    match = dnp(3, before + "P2 play 8/3; P3 flip")
    found = explain(match, [seen(piles=1, P2="8/2")] * 2)
    assert ["P1 add 8/2 @ P2"] in found.likely
    assert not any(step.act is Act.ILLEGAL for step in found.belief.best.steps)


def test_a_table_without_cards_is_not_at_once_a_new_deal() -> None:
    match = dnp(3, "P1 star; P1 play 8/1 8/2; P2 play 9/1; P3 flip")
    assert "table redeal" not in told(match, seen())


# What people do wrong


def test_a_set_that_does_not_beat() -> None:
    match = dnp(3, "P1 star; P1 play 7/3 7/4")
    assert faults(match, seen(P1="7/3 7/4", P2="6/1 6/2")) == [("P2 play 6/1 6/2", "DN-A")]


def test_a_forgotten_discard() -> None:
    match = dnp(3, "P1 star; P1 play 8/1; P2 play 3/4 3/5; P3 flip")
    assert faults(match, seen(P1="8/1 5/7 5/8 5/2", P2="3/4 3/5")) == [("P1 play 5/2 5/7 5/8", "DN-3")]
    assert faults(match, seen(P1="8/1")) == [("P1 take @ P2", "DN-3")]
    assert faults(match, seen(1, P1="5/2 5/7 5/8", P2="3/4 3/5")) == []


def test_a_card_that_was_not_turned_when_it_was_taken_back() -> None:
    match = dnp(3, "P1 star; P1 play 7/4; P2 play 8/3; P3 flip")
    assert told(match, seen(P1="4/6 4/7", P2="8/3")) == ["P1 play 4/6 4/7"]
    match = dnp(3, "P1 star; P1 play 7/4; P2 play 8/3; P3 play 9/1")
    assert faults(match, seen(P1="7/4 7/5", P3="9/1")) == [("P1 play 7/4 7/5", "DN-5")]


def test_a_card_with_the_wrong_value_up() -> None:
    """Two cards that show different values are no set; where they have one in common, it is asked."""
    match = dnp(3, "P1 star")
    assert faults(match, seen(P1="8/1 7/3")) == [("P1 play 7/3 8/1", "DN-A")]
    either = explain(match, seen(P1="6/1 6/4 7/6"))
    assert ["P1 play 6/1 6/4 7/6!"] in either.likely
    assert ["P1 play 6/1 6/4 6/7"] in either.likely


def test_two_cards_added_and_a_card_of_another_value() -> None:
    match = dnp(3, "P1 star; P1 play 5/7")
    assert faults(match, seen(P1="5/7 5/2 6/3")) == [("P2 add 5/2 6/3 @ P1", "DN-B")]
    assert faults(match, seen(P1="5/7 6/1")) == [("P2 add 6/1 @ P1", "DN-B")]


def test_a_card_that_is_not_in_play() -> None:
    match = dnp(3, "P1 star; P1 play 8/1; P2 flip; P3 flip; P1 discard")
    assert faults(match, seen(1, P1="1/8 1/8")) == [("P1 play 1/8 1/8", "DN-K")]


def test_who_seems_to_have_done_nothing_has_flipped() -> None:
    match = dnp(3, "P1 star; P1 play 5/7")
    assert told(match, seen(P1="5/7", P3="8/1 8/2")) == ["P2 flip", "P3 play 8/1 8/2"]


def test_a_table_at_which_nothing_is_done_raises_no_question_about_the_play_before() -> None:
    table = seen(P1="7/3", P3="4/6 4/7")
    watched = Watched(dnp(3, "P1 star; P1 play 7/3"))
    assert watched.see(table, table, table).question is None, "P2 has flipped, or P3 was not in turn"


def test_who_plays_while_another_has_not_discarded_is_not_in_turn() -> None:
    match = dnp(3, "P1 star; P1 play 5/7; P2 play 3/4 3/5; P3 flip")
    assert faults(match, seen(P1="5/7", P2="3/4 3/5", P3="9/1 9/2 9/3")) == [("P3 play 9/1 9/2 9/3", "DN-4")]


def test_a_set_taken_when_nobody_may_take_one_is_asked_about() -> None:
    """Who plays has not discarded yet: he may have forgotten it, or another took the set out of turn."""
    match = dnp(3, "P1 star; P1 play 8/1; P2 play 3/4 3/5; P3 flip")
    found = explain(match, seen(P1="8/1"))
    assert sorted(found.likely) == [["P1 take @ P2!"], ["P2 take @ P2!"], ["P3 take @ P2!"]]


def test_a_set_that_may_be_taken_was_taken_by_who_plays() -> None:
    found = explain(dnp(3, "P1 star; P1 play 8/1"), seen())
    assert found.told == ["P2 take @ P1"]


def test_a_set_of_ones_own_other_area_is_not_to_be_taken() -> None:
    match = dnp(2, "P1 star; P1 play 5/7 @ P1.2; P2 play 4/6 4/7 @ P2.1")
    proposed = list(LAYOUTS.propose(DECK, match.state, seen(P1_2="5/7")))
    rules = {str(move): match.rules.judge(match.state, move).rule for move in proposed}
    assert rules == {"P1 take @ P2.1": "DN-2", "P2 take @ P2.1": "DN-C"}


def test_a_set_that_was_to_be_discarded_may_be_beaten_out_of_turn() -> None:
    match = dnp(2, "P1 star; P1 play 2/4 @ P1.2; P2 flip; P2 flip; P1 flip")
    proposed = [str(move) for move in LAYOUTS.propose(DECK, match.state, seen(1, P2_2="4/7"))]
    assert proposed == ["P1 discard", "P2 play 4/7 @ P2.2"]


def test_a_card_added_that_makes_a_set_too_low() -> None:
    match = dnp(3, "P1 star; P1 play 2/4; P2 play 3/4 3/5")
    assert faults(match, seen(P1="2/4 2/5")) == [("P3 add 2/5 @ P1", "DN-B")]
    assert faults(match, seen(P1="2/4 2/5", P2="3/4 3/5")) == [("P3 add 2/5 @ P1", "DN-B")]


# What the camera does wrong


def test_a_misread_card_is_repaired_by_what_the_hand_can_hold() -> None:
    match = dnp(3, "P1 star; P1 play 8/1; P2 flip; P3 flip; P1 discard")
    table = laid(seen(1), {("P1", "set"): (card("4/6"), card("4/8", 0.6, ("4/7", 0.4)))})
    assert told(match, table) == ["P1 play 4/6 4/8"]
    # 8/3 is discarded: it can only be the other reading.
    match = dnp(3, "P1 star; P1 play 8/3; P2 flip; P3 flip; P1 discard")
    table = laid(seen(1), {("P1", "set"): (replace(card("8/3", 0.6), candidates=(("3/8", 0.6), ("4/8", 0.4))),)})
    assert told(match, table) == ["P1 play 8/4"]


def test_what_nothing_explains_is_left() -> None:
    match = dnp(3, "P1 star; P1 play 7/3")
    found = explain(match, laid(seen(P1="7/3"), {("P2", "set"): (card(HIDDEN),)}))
    assert found.told == []
    assert [(difference.place, difference.wanted) for difference in found.left] == [(("P2", "set"), None)]
    missed = explain(dnp(3, "P1 star; P1 play 7/3 7/4 7/5"), seen(P1="7/3 7/5"))
    assert [difference.wanted for difference in missed.left] == ["7/4"]


def test_a_card_that_seems_to_be_turned_where_it_lies_is_no_move() -> None:
    match = dnp(3, "P1 star; P1 play 7/3 7/4; P2 flip")
    assert told(match, seen(P1=f"7/3 {flipped('7/4')}")) == []
