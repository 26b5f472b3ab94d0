"""Lucky Box from what lies on the table: whole turns, numbers, new cards; faults of people and of the camera."""

from dataclasses import replace

import pytest

from referee.games.lucky_box.proposals import _newest
from referee.games.lucky_box.state import State
from referee.inference.observation import TableEvidence
from referee.layout import Layout, Place
from referee.match import AnyMatch, Match
from referee.moves import Move
from referee.observed import ObservedCard, ObservedTable
from tests.referee.games_played import bot_game, rules_of
from tests.referee.lucky_box_table import changed, dealt, table
from tests.referee.table_talk import open_match, play, say
from tests.referee.watching import Found, card, found, model_of, perfect_eye

DECK, LAYOUTS = model_of("lucky_box").deck, model_of("lucky_box").layouts
CHAIN = "49:12.13.21.31 58:22.23"
"""Whoever turns a 1 here wins a 7 and a moon with it, and a 5 with the 7."""


def look(state: State) -> ObservedTable:
    """What a perfect eye sees of a state."""
    return perfect_eye("lucky_box", state)


def after(match: AnyMatch, *moves: str) -> State:
    """The state after moves, right or wrong."""
    state: State = match.state
    for text in moves:
        state = match.rules.apply(state, say(match, text))
    return state


def explained(match: AnyMatch, seen: ObservedTable) -> Found:
    return found(match, [seen] * 2)


def told(one: Found) -> list[str]:
    return sorted(said.rstrip("!") for said in one.told)


def rules_broken(one: Found) -> list[str]:
    return [rule for _, rule in one.violations]


@pytest.mark.parametrize(
    "moves",
    [
        ("P1 mark 49:r1c1 49:r3c2 58:r2c1 moon=1",),
        ("P1 mark 49:r2c3",),
        ("P1 mark 49:r2c2 spend=2",),
        ("P1 mark 49:r2c2 spend=4",),
        ("P2 mark 31:r1c1", "P1 mark 49:r1c1 49:r3c2 58:r2c1 moon=1"),
        ("P1 mark 49:r2c3", "P2 mark 31:r1c1", "P3 skip", "table number n4"),
        (
            "P1 mark 49:r2c3",
            "P2 mark 31:r1c1",
            "P3 skip",
            "table number n4",
            "P2 mark 31:r2c1",
            "P1 mark 49:r3c1 spend=0",
        ),
    ],
)
def test_a_turn_is_told_by_its_crosses_and_tokens(moves: tuple[str, ...]) -> None:
    match = table(CHAIN if "49:r3c1" not in " ".join(moves) else "49:12 58", "31 27", "3 15", number=1)
    moves = tuple(text.removesuffix(" spend=0") for text in moves)
    found = explained(match, look(after(match, *moves)))
    assert told(found) == sorted(moves)
    assert not found.left
    assert found.violations == []


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        ("P1 mark 49:r1c1 moon=1", "LB-5"),
        ("P1 mark 49:r1c1 58:r2c1 moon=1", "LB-5"),
        ("P1 mark 49:r2c3 58:r1c2", "LB-2"),
        ("P1 mark 49:r1c1 49:r3c2 49:r3c3 58:r2c1 moon=1", "LB-6"),
        ("P1 mark 49:r2c3 spend=2", "LB-3"),
    ],
)
def test_a_cross_without_a_reason_and_a_forgotten_bonus_are_flagged(move: str, rule: str) -> None:
    match = table(CHAIN, "31 27", number=1)
    found = explained(match, look(after(match, move)))
    assert told(found) == [move]
    assert rules_broken(found) == [rule]


def test_a_second_cross_in_the_same_turn_is_flagged() -> None:
    match = play(table("49 58", "31 27", number=1), "P1 mark 49:r1c1")
    found = explained(match, look(after(match, "P1 mark 58:r1c1")))
    assert told(found) == ["P1 mark 58:r1c1"]
    assert rules_broken(found) == ["LB-2"]


def test_a_token_that_was_not_taken_is_asked_about() -> None:
    """It may lie there unseen."""
    match = table(CHAIN, "31 27", number=1)
    found = explained(match, look(after(match, "P1 mark 49:r1c1 49:r3c2 58:r2c1")))
    moves = {move.rstrip("!") for history in found.likely for move in history}
    assert moves == {"P1 mark 49:r1c1 49:r3c2 58:r2c1", "P1 mark 49:r1c1 49:r3c2 58:r2c1 moon=1"}


def test_without_counted_tokens_the_fewest_are_taken_as_spent() -> None:
    match = table("49 58", "31 27", number=1)
    seen = look(after(match, "P1 mark 49:r1c3 spend=2"))
    moves = list(LAYOUTS.propose(DECK, match.state, ObservedTable(seen)))
    assert moves == [Move.parse("P1 mark 49:r1c3 spend=2")]


def test_the_next_number_is_early_while_somebody_can_cross() -> None:
    match = play(table("49 58", "31 27", number=1), "P1 mark 49:r1c1")
    found = explained(match, look(after(match, "table number n5")))
    assert told(found) == ["table number n5"]
    assert rules_broken(found) == ["LB-9"]


def test_gathered_numbers_end_a_round_for_those_who_could_not_cross() -> None:
    match = play(table("49 58", "3 15", number=1, turned=8, at=4), "P1 mark 49:r1c1")
    assert told(explained(match, look(after(match, "P2 skip")))) == ["P2 skip"]


def test_numbers_of_the_last_round_are_not_turned_again() -> None:
    match = table("49 58", "31 27")
    left_lying = tuple(ObservedCard(number, True, ((f"n{number}", 1.0),), False) for number in range(1, 10))
    seen = look(match.state)
    rest = {spot: cards for spot, cards in seen.items() if spot != ("centre", "waiting")}
    found = explained(match, ObservedTable({**rest, ("centre", "numbers"): left_lying}, seen.pieces))
    assert not found.told
    assert len(found.left) == 10


def test_everybody_changes_cards_between_two_looks() -> None:
    match, moves = open_match(rules_of("lucky_box"), 2), dealt(2)[:5]
    found = explained(match, look(after(match, *moves)))
    assert told(found) == sorted(moves)
    assert not found.left


def test_completed_cards_are_written_down_wiped_and_replaced() -> None:
    full = "49:11.12.13.21.22.23.31.32.33 58"
    start = table(full, "31 27", number=1, turned=8)
    start = play(start, "P2 mark 31:r1c1; P1 mark 58:r1c1; P1 score 15")
    moves = ("P1 wipe 49", "P1 draw ? ? ?", "P1 keep 60")
    found = explained(start, look(after(start, *moves)))
    assert told(found) == sorted(moves)
    assert not found.left
    wrong = explained(start, look(after(start, "P1 wipe 58")))
    assert [move for move, _ in wrong.violations] == ["P1 wipe 58"]


@pytest.mark.parametrize(
    ("moves", "rule"),
    [
        (("P1 draw ? ? ? ? ? ?",), "LB-S3"),
        (("P1 draw ? ? ? ? ?", "P1 keep 1 2 3 4"), "LB-S3"),
    ],
)
def test_cards_too_many_are_flagged(moves: tuple[str, ...], rule: str) -> None:
    match = open_match(rules_of("lucky_box"), 2)
    match = play(match, moves[:-1])
    found = explained(match, look(after(match, moves[-1])))
    assert told(found) == [moves[-1]]
    assert rules_broken(found) == [rule]


def test_drawn_cards_may_be_in_the_hand() -> None:
    match = play(open_match(rules_of("lucky_box"), 2), "P1 draw ? ? ? ? ?")
    seen = look(match.state)
    held = ObservedTable({spot: cards for spot, cards in seen.items() if spot != ("P1", "drawn")}, seen.pieces)
    found = explained(match, held)
    assert (found.told, found.left) == ([], ())


def test_discards_that_nobody_read_let_the_next_round_begin_if_a_human_agrees() -> None:
    moves = dealt(2)
    match = play(open_match(rules_of("lucky_box"), 2), (*moves[:2], *moves[3:]))
    found = explained(match, look(after(match, moves[2])))
    assert told(found) == [moves[2]]
    seen = look(after(match, moves[2]))
    seen["discard", "discard"] = seen["discard", "discard"][:1]
    asked = explained(match, seen)
    assert told(asked) == ["P1 discard ? ?"]
    assert not asked.accused
    assert rules_broken(asked) == ["LB-K"]
    state = asked.belief.best.state
    assert not match.rules.status(state)
    assert state.phase == "play"


def test_crosses_on_a_misread_card_count() -> None:
    match = table(CHAIN, "31 27", number=1)
    move = "P1 mark 49:r1c1 49:r3c2 58:r2c1 moon=1"
    seen = look(after(match, move))
    first, second = seen["P1", "boxes"]
    seen["P1", "boxes"] = (replace(first, candidates=(("50", 0.8), ("49", 0.1))), second)
    assert told(explained(match, seen)) == [move]
    seen["P1", "boxes"] = (replace(first, candidates=(("50", 0.99),)), second)
    assert told(explained(match, seen)) == [move]


def test_nobody_forgot_a_bonus_that_may_be_crossed_on_a_card_not_found() -> None:
    match = table(CHAIN, "31 27", number=1)
    seen = look(after(match, "P1 mark 49:r1c1 49:r3c2 58:r2c1 moon=1"))
    seen["P1", "boxes"] = seen["P1", "boxes"][:1]
    assert not explained(match, seen).accused


def test_a_kept_card_that_is_not_found_accuses_nobody() -> None:
    match = play(open_match(rules_of("lucky_box"), 2), "P1 draw ? ? ? ? ?")
    seen = look(after(match, "P1 keep 1 2 3"))
    seen["P1", "boxes"] = seen["P1", "boxes"][1:]
    assert not explained(match, seen).told


def test_box_cards_may_lie_in_any_order() -> None:
    match = table("49:12 58:22", "31 27", number=1)
    seen = look(after(match, "P1 mark 58:r1c1"))
    seen["P1", "boxes"] = seen["P1", "boxes"][::-1]
    found = explained(match, seen)
    assert told(found) == ["P1 mark 58:r1c1"]
    assert not found.left


def test_a_strange_card_is_reported() -> None:
    match = changed(table("49 58", "31 27", number=1), lightning=2)
    seen = look(match.state)
    strange = ObservedCard(99, True, (("12", 1.0),), False)
    seen["P2", "boxes"] = (*seen["P2", "boxes"], strange)
    found = explained(match, seen)
    assert not found.told
    assert [(one.place, one.wanted, one.found) for one in found.left] == [(("P2", "boxes"), None, strange)]


def test_a_draw_that_nobody_sees_is_not_asked_about() -> None:
    """Who looks at drawn cards has them in the hand; a wiped card that is only remembered makes no draw of it."""
    game = bot_game("lucky_box", 1)
    match: AnyMatch = Match.open(game.rules, game.record.opening)
    wiped = 0
    for move in game.moves:
        boxes = look(match.state).get((f"P{(move.seat or 0) + 1}", "boxes"), ())
        before, match = match, match.play(move)
        if move.verb != "wipe":
            continue
        seen = look(match.state)
        taken = [card for card in boxes if card.likely(most=1) == move.cards[:1]]
        assert taken
        zone = (f"P{(move.seat or 0) + 1}", "drawn")
        found = explained(before, ObservedTable({**seen, zone: (replace(taken[0], remembered=True),)}, seen.pieces))
        assert [said for said in told(found) if " score " not in said] == [str(move)]
        wiped += 1
    assert wiped


def test_a_number_that_was_turned_before_says_of_nobody_that_he_skipped() -> None:
    """It is wrong and will be taken back: who has not crossed anything yet still may."""
    match = table("2 7", "31 37", number=8, turned=2)
    assert told(explained(match, look(after(match, "table number n9")))) == ["table number n9"]
    assert told(explained(match, look(after(match, "P1 skip", "P2 skip", "table number n7")))) == [
        "P1 skip",
        "P2 skip",
        "table number n7",
    ]


def test_a_number_that_is_squeezed_into_the_row_is_the_newest_one() -> None:
    codes = ("n1", "n5", "n7", "n4")
    row = tuple(card("lucky_box", code) for code in codes)
    newest = card("lucky_box", "n9")
    assert _newest((*row[:2], newest, *row[2:]), codes).likely() == ("n9",)
    assert _newest((*row, newest), codes).likely() == ("n9",)
    again = (*row, replace(row[1], track=7))
    assert _newest(again, codes).likely() == ("n5",), "a number may come twice"


def test_a_row_in_another_order_is_unlikely_but_no_other_row() -> None:
    model = model_of("lucky_box")
    codes = ("n1", "n5", "n7", "n4", "n9")
    place = Place("centre", "numbers", codes)
    row = tuple(card("lucky_box", code) for code in codes)
    in_order, squeezed = (
        TableEvidence(model.deck, model.layouts, ObservedTable({("centre", "numbers"): cards}, looks=3))
        for cards in (row, (*row[:2], row[4], *row[2:4]))
    )
    layout = Layout((place,))
    assert in_order.log_likelihood(layout) > squeezed.log_likelihood(layout)
    other = Layout((replace(place, cards=("n1", "n5", "n7", "n4", "n4")),))
    assert squeezed.log_likelihood(layout) > squeezed.log_likelihood(other)
