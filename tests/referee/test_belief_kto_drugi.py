"""Kto drugi from what lies on the table: cards laid, heaps turned, figures moved, and what people do wrong."""

import pytest

from referee.match import AnyMatch
from referee.observed import ObservedCard, ObservedTable
from tests.referee.table_talk import play
from tests.referee.test_kto_drugi import lay, race, standing_on
from tests.referee.watching import Found, found, perfect_eye
from tests.referee.watching import card as card_of
from tests.referee.watching import laid as changed

GAME = "kto_drugi"


def look(state: object, **figures: int) -> ObservedTable:
    """A table just as it should be, but for some figures: P2=5; cards are read without doubt."""
    return perfect_eye(GAME, state, **figures)


def card(word: str, chance: float = 1.0, *others: tuple[str, float]) -> ObservedCard:
    """One card that lies there."""
    return card_of(GAME, word, chance, *others)


def laid(seen: ObservedTable, **cards: str | tuple[ObservedCard, ...]) -> ObservedTable:
    """The same table with other cards in front of some seats: P1="? +2/12"."""
    return changed(
        seen,
        {
            (seat, "laid"): tuple(card(word) for word in lying.split()) if isinstance(lying, str) else lying
            for seat, lying in cards.items()
        },
    )


def explain(match: AnyMatch, *tables: ObservedTable) -> Found:
    """What is believed after some tables, each seen twice."""
    return found(match, [seen for seen in tables for _ in range(2)])


def told(one: Found) -> list[str]:
    return one.told


def rule_of(one: Found) -> str:
    """The rule that the first wrong move breaks."""
    return next((rule for _, rule in one.violations), "")


# Laying


def test_cards_in_front_of_anybody_are_laid_by_those_who_have_not() -> None:
    match = race(3)
    found = explain(match, laid(look(match.state), P2="? ?", P3="?"))
    assert told(found) == ["P2 lay ? @ P2", "P3 lay ? @ P3", "P1 lay ? @ P2"]
    assert found.left == ()


def test_the_last_card_in_front_of_somebody_else() -> None:
    match = standing_on(race(3), 0, 0, 0, in_round=5)
    tables = ({"P1": "?"}, {"P1": "?", "P3": "?"}, {"P1": "? ?", "P3": "?"})
    found = explain(match, *(laid(look(match.state), **cards) for cards in tables))
    assert told(found) == ["P1 lay ? @ P1", "P3 lay ? @ P3", "P2 lay ? @ P1!"]
    assert rule_of(found) == "KD-9"


def test_who_laid_it_is_asked_while_several_may_have() -> None:
    match = play(standing_on(race(4), 0, 0, 0, 0, in_round=5), "P1 lay ? @ P1")
    found = explain(match, laid(look(match.state), P1="? ?"))
    assert {(f"P{seat} lay ? @ P1!",) for seat in (2, 3, 4)} <= set(map(tuple, found.likely))


def test_tactical_two_cards_at_once() -> None:
    match = race(3, tactical="yes")
    found = explain(match, laid(look(match.state), P2="? ?"))
    assert (told(found)[0], rule_of(found)) == ("P2 lay ? ? @ P2!", "KD-5")


def test_a_card_too_many() -> None:
    match = lay(race(3), 1, 2, 3)
    found = explain(match, laid(look(match.state), P2="? ?"))
    assert told(found)[0].endswith("lay ? @ P2!")
    assert rule_of(found) == "KD-5"
    assert len(found.likely) > 1


# Turning


def test_heaps_are_turned_at_once_and_lie_in_any_order() -> None:
    match = lay(race(3), 2, 2, 3)
    found = explain(match, laid(look(match.state), P2="+3/21 -1/4", P3="-2/13"))
    assert told(found) == ["P2 turn -1/4 +3/21", "P3 turn -2/13"]
    assert found.left == ()


def test_a_whole_round_and_the_next_between_two_looks() -> None:
    match = race(3)
    after = play(lay(match, 2, 2, 3), "P2 turn -1/4 +3/21; P3 turn -2/13; P2 move P2 @ 2; P3 move P3 @ -2")
    found = explain(match, look(after.state))
    assert found.belief.best.state.chairs == after.state.chairs
    assert found.violations == []
    cleared = lay(play(after, "table clear"), 1, 1, 1)
    found = explain(after, look(cleared.state))
    assert told(found) == ["table clear", "P1 lay ? @ P1", "P2 lay ? @ P1", "P3 lay ? @ P1"]


def test_a_heap_is_turned_before_everybody_has_laid() -> None:
    match = play(race(4), "P1 lay ? @ P1; P2 lay ? @ P1")
    found = explain(match, laid(look(match.state), P1="+1/1 +2/12"))
    assert (told(found), rule_of(found)) == (["P1 turn +1/1 +2/12!"], "KD-5")


def test_only_a_part_of_a_heap_is_turned() -> None:
    match = lay(race(3), 1, 1, 1)
    found = explain(match, laid(look(match.state), P1="+1/1 +2/12 ?"))
    assert (told(found), rule_of(found)) == (["P1 turn +1/1 +2/12!"], "KD-7")
    # A card that is not found at all accuses nobody.
    missed = explain(match, laid(look(match.state), P1="+1/1 +2/12"))
    assert missed.violations == []


def test_one_card_is_not_found_while_all_are_turned() -> None:
    match = play(race(3), "P1 lay ? @ P1; P2 lay ? @ P2")
    found = explain(match, laid(look(match.state), P1="+1/1", P2="+2/12"))
    assert told(found) == ["P3 lay ? @ P3", "P1 turn +1/1", "P2 turn +2/12"]


def test_a_card_that_is_never_found_is_known_by_where_the_figure_goes() -> None:
    match = lay(race(3), 1, 1, 1)
    nothing = explain(match, laid(look(match.state), P1="+1/1 -3/22"))
    assert not nothing.told
    found = explain(match, laid(look(match.state, P1=2), P1="+1/1 -3/22"))
    assert told(found) == ["P1 turn +4 +1/1 -3/22", "P1 move P1 @ 2"]
    assert [(one.place, one.wanted) for one in found.left] == [(("P1", "laid"), "+4")]


def test_leons_top_card_joins_his_heap() -> None:
    match = lay(race(2), 3, 1)
    found = explain(match, laid(look(match.state), P1="-1/2", P3="+4/28 -2/13"))
    assert told(found) == ["P1 turn -1/2", "P3 turn -2/13 +4/28"]
    forgotten = explain(match, laid(look(match.state), P3="+4/28"))
    assert (told(forgotten), rule_of(forgotten)) == (["P3 turn +4/28!"], "KD-L2")


def test_a_misread_card_is_repaired_by_the_deck_and_by_the_figure() -> None:
    match = play(lay(race(3), 1, 1, 1), "P1 turn +1/1 +2/12 +5/32; P1 move P1 @ 8; table clear")
    match = lay(match, 2, 3, 3)
    spent = (card("+5/32", 0.7, ("+3/21", 0.25)),)
    found = explain(match, laid(look(match.state), P2=spent))
    assert told(found) == ["P2 turn +3/21"]
    doubtful = (card("+4/28", 0.6, ("+3/21", 0.3)),)
    table = laid(look(match.state, P1=8, P2=3, P3=-2), P2=doubtful, P3="-1/2 -1/4")
    found = explain(match, table)
    assert told(found) == ["P2 turn +3/21", "P3 turn -1/2 -1/4", "P2 move P2 @ 3", "P3 move P3 @ -2"]


def test_copies_of_one_value_are_no_question_in_the_basic_game() -> None:
    either = (card("+3/21", 0.5, ("+3/23", 0.45)),)
    basic, tactical = lay(race(3), 1, 2, 3), lay(race(3, tactical="yes"), 1, 2, 3)
    found = explain(basic, laid(look(basic.state), P2=either))
    assert found.likely == [["P2 turn +3/21"]]
    assert len(explain(tactical, laid(look(tactical.state), P2=either)).likely) > 1


def test_a_card_of_this_stage_that_comes_again() -> None:
    match = play(lay(race(3), 1, 1, 1), "P1 turn +1/1 +2/12 +5/32; P1 move P1 @ 8; table clear")
    match = lay(match, 2, 3, 3)
    found = explain(match, laid(look(match.state), P2="+5/32"))
    assert (told(found), rule_of(found)) == (["P2 turn +5/32!"], "KD-K")


@pytest.mark.parametrize("rest", [{"P2": "+3/21"}, {"P2": "+3/21", "P3": "+2/16"}], ids=["one", "two"])
def test_cards_that_are_put_aside_one_after_the_other_accuse_nobody(rest: dict[str, str]) -> None:
    """Hands rest between cards: the last one that still lies there was not laid and turned anew."""
    match = lay(race(4, tactical="yes"), 1, 2, 3, 4)
    match = play(match, "P2 turn +3/21; P3 turn +2/16; P1 turn +4/28; P4 turn +1/3")
    match = play(match, "P1 move P1 @ 4; P2 move P4 @ 3; P3 move P3 @ 2; P4 move P1 @ 5")
    left = laid(look(match.state), **({"P1": "", "P2": "", "P3": "", "P4": ""} | rest))
    assert explain(match, left).violations == []


@pytest.mark.parametrize("players", [3, 4])
def test_after_a_stage_the_last_card_to_be_put_aside_accuses_nobody(players: int) -> None:
    """Figures may be back at START before it is gone; in the new stage all cards may come again."""
    match = standing_on(race(players, tactical="yes"), *range(players), in_round=5)
    cards = ("+3/21", "+2/16", "-1/4", "+1/3")[:players]
    match = play(lay(match, *range(1, players + 1)), [f"P{seat} turn {word}" for seat, word in enumerate(cards, 1)])
    match = play(match, ["P1 move P1 @ 3", "P2 move P2 @ 3", *(["P3 move P3 @ 1", "P4 move P4 @ 4"][: players - 2])])
    after = play(match, "table clear")
    found = explain(match, laid(look(after.state), P3="-1/4"))
    assert found.violations == []
    # Who really turns a card before the others have laid theirs is told so.
    early = play(after, "P1 lay ? @ P1; P2 lay ? @ P2")
    found = explain(early, laid(look(early.state), P2="+5/32"))
    assert [told(found)[-1], rule_of(found)] == ["P2 turn +5/32!", "KD-5"]


# Moving


def turned() -> AnyMatch:
    """P2 goes to 2, P3 to -2, P1 stays."""
    return play(lay(race(3), 2, 2, 3), "P2 turn -1/4 +3/21; P3 turn -2/13")


def test_a_figure_on_the_wrong_space() -> None:
    match = turned()
    found = explain(match, look(match.state, P3=-2), look(match.state, P2=3, P3=-2))
    assert told(found) == ["P3 move P3 @ -2", "P2 move P2 @ 3!"]
    assert (rule_of(found), found.left) == ("KD-7", ())


def test_a_figure_that_should_stay() -> None:
    match = turned()
    moved = {"P2": 2, "P3": -2}
    found = explain(match, look(match.state, P2=2), look(match.state, **moved), look(match.state, P1=1, **moved))
    assert told(found) == ["P2 move P2 @ 2", "P3 move P3 @ -2", "P1 move P1 @ 1!"]


def test_a_table_cleared_while_a_figure_was_forgotten_and_one_that_is_only_hidden() -> None:
    match = turned()
    after = play(match, "P2 move P2 @ 2; P3 move P3 @ -2; table clear")
    forgotten = explain(match, look(after.state, P3=0))
    assert told(forgotten) == ["P2 move P2 @ 2", "table clear!"]
    assert not forgotten.left
    seen = look(after.state)
    pieces = {owned: spots for owned, spots in seen.pieces.items() if owned != ("figure", "P3")}
    hidden = ObservedTable(seen, pieces, seen.looks)
    assert told(explain(match, hidden)) == ["P2 move P2 @ 2", "P3 move P3 @ -2", "table clear"]


def test_a_figure_that_is_moved_while_none_is_to_be_moved() -> None:
    """Also before the first card of a round."""
    for match in (race(3), standing_on(race(3), 3, 4, 5, in_round=2)):
        assert told(explain(match, look(match.state, P2=8))) == ["P2 move P2 @ 8!"]


def test_the_last_moves_of_a_stage_are_known_when_the_next_one_is_laid_out() -> None:
    match = standing_on(race(3), 3, 4, 5, in_round=5)
    match = play(lay(match, 1, 2, 3), "P1 turn +1/1; P2 turn +2/12; P3 turn -2/13")
    after = play(match, "P1 move P1 @ 4; P2 move P2 @ 6; P3 move P3 @ 3; table clear")
    found = explain(match, look(after.state))
    assert [chair.points for chair in found.belief.best.state.chairs] == [(4,), (0,), (0,)]
    assert found.left == ()


def test_tactical_the_order_follows_the_white_numbers() -> None:
    match = play(lay(race(3, tactical="yes"), 1, 2, 3), "P1 turn +1/1; P2 turn -2/13; P3 turn +4/28")
    one = explain(match, look(match.state, P1=4))
    assert told(one) == ["P3 move P1 @ 4"]
    # Both moved the same figure, then P1 another.
    all_moved = explain(match, look(match.state, P1=2, P2=1))
    assert told(all_moved) == ["P3 move P1 @ 4", "P2 move P1 @ 2", "P1 move P2 @ 1"]
    assert all_moved.left == ()
    quicker = explain(match, look(match.state, P3=-2))
    assert (told(quicker), rule_of(quicker)) == (["P2 move P3 @ -2!"], "KD-T2")
    wrong = explain(match, look(match.state, P1=5))
    assert (told(wrong), rule_of(wrong)) == (["P3 move P1 @ 5!"], "KD-T3")


def test_tactical_a_figure_at_the_end_of_the_track_is_moved_and_stays_there() -> None:
    """So the table is not cleared too early, though no figure stands elsewhere."""
    match = standing_on(race(3, tactical="yes"), -12, 4, 5, in_round=2)
    match = play(lay(match, 1, 2, 3), "P1 turn -1/4; P2 turn -2/13; P3 turn -4/30")
    moved = ["P3 move P1 @ -12", "P2 move P1 @ -12", "P1 move P1 @ -12"]
    after = play(match, [*moved, "table clear"])
    assert told(explain(match, look(after.state))) == [*moved, "table clear"]


def test_tactical_nobody_guesses_who_was_moved_last_in_a_stage() -> None:
    match = standing_on(race(3, tactical="yes"), 3, 4, 5, in_round=5)
    match = play(lay(match, 1, 2, 3), "P1 turn +1/1; P2 turn -2/13; P3 turn +4/28")
    match = play(match, "P3 move P3 @ 9; P2 move P2 @ 2")
    after = play(match, "P1 move P1 @ 4; table clear")
    found = explain(match, look(after.state))
    assert {moves[0] for moves in found.likely} == {"P1 move P1 @ 4", "P1 move P2 @ 3", "P1 move P3 @ 10"}


def test_leons_card_moves_nobody_else() -> None:
    match = play(lay(race(2, tactical="yes"), 1, 2), "P1 turn +1/1; P2 turn -2/13; P3 turn +4/28")
    assert told(explain(match, look(match.state, P3=4))) == ["P3 move P3 @ 4"]
    found = explain(match, look(match.state, P1=4))
    assert (told(found), rule_of(found)) == (["P3 move P1 @ 4!"], "KD-L2")


# What nothing explains


def test_what_nothing_explains_is_shown() -> None:
    match = race(3)
    seen = look(match.state, P2=4)
    strange = changed(seen, {("track", "track"): (card("+5/32"),)})
    shown = {(one.place, one.wanted) for one in explain(match, strange).left}
    assert (("track", "track"), None) in shown


def test_a_figure_is_moved_and_the_table_cleared_too_early() -> None:
    match = lay(race(3), 1, 2, 3)
    moved = explain(match, look(match.state, P2=4))
    assert (told(moved), rule_of(moved), moved.left) == (["P2 move P2 @ 4!"], "KD-7", ())
    swept = explain(match, look(race(3).state))
    assert (told(swept), rule_of(swept)) == (["table clear!"], "KD-8")
    # Of several figures that are still to be moved none was; one alone may only have been forgotten.
    match = turned()
    none = explain(match, look(play(match, "P2 move P2 @ 2; P3 move P3 @ -2; table clear").state, P2=0, P3=0))
    assert told(none) == ["table clear!"]
