"""Trio from what lies on the table: cards revealed, returned and claimed, and what people do wrong."""

from dataclasses import replace

import pytest

from referee.games.trio.hands import dealt_hand
from referee.games.trio.state import State
from referee.games.trio.table import UNSEEN
from referee.inference.history import Act
from referee.match import AnyMatch
from referee.moves import HIDDEN, Move
from referee.observed import ObservedCard, ObservedTable
from referee.record import read_record
from referee.rules import Opening
from referee.selfplay import self_play
from referee.transcript import judge_record
from referee.verdicts import Ruling
from tests.referee.games_played import NAMES, BotGame, rules_of, states_of
from tests.referee.table_talk import play, say
from tests.referee.test_trio import miss, table, win_trio
from tests.referee.watching import Found, card, found, found_from, laid, model_of, perfect_eye

DECK, LAYOUTS, RULES = model_of("trio").deck, model_of("trio").layouts, rules_of("trio")
VARIANTS = [
    (players, form, goal)
    for players, form in ((3, "solo"), (4, "solo"), (4, "team"), (5, "solo"), (6, "solo"), (6, "team"))
    for goal in ("mild", "spicy")
]


def lying(word: str, *others: tuple[str, float]) -> ObservedCard:
    """One card as the camera tells it, with what else it may be."""
    return card("trio", word, 0.95 - sum(chance for _, chance in others), *others)


def seen(state: State, **changed: tuple[ObservedCard, ...]) -> ObservedTable:
    """A table as it should lie, except for some places: c3, P2_shown, P2_trios."""
    places = {(name.rpartition("_")[0] or "centre", name.rpartition("_")[2]): there for name, there in changed.items()}
    return laid(perfect_eye("trio", state), places)


def explained(match: AnyMatch, table: ObservedTable) -> Found:
    return found(match, [table] * 2)


def wrong_rule(found: Found) -> str:
    """The rule that the first illegal move breaks."""
    return found.violations[0][1]


def without_end(move: Move) -> str:
    """A move as the camera sees it: which end was asked for cannot be heard, nor who began an exchange."""
    if move.verb == "swap":
        return "swap " + " ".join(sorted((f"P{(move.seat or 0) + 1}", move.target or "")))
    return str(replace(move, target=(move.target or "").partition(".")[0]))


def bot_game(players: int, form: str, goal: str, seed: int) -> BotGame:
    opening = Opening("trio", NAMES[:players], (("goal", goal), ("format", form), ("first", f"P{seed % players + 1}")))
    written = self_play(RULES, opening, seed)
    return BotGame(RULES, written, read_record(str(written), RULES))


# Whole games


@pytest.mark.parametrize(("players", "form", "goal"), VARIANTS)
def test_every_move_of_an_honest_game_is_told(players: int, form: str, goal: str) -> None:
    played = bot_game(players, form, goal, seed=players)
    for state, move in list(states_of(played))[:-1][::5]:
        assert isinstance(state, State)
        found = found_from("trio", state, seen(RULES.apply(state, move)))
        assert [without_end(step.move) for step in found.belief.best.steps] == [without_end(move)]
        assert all(step.act is Act.PLAYED for step in found.belief.best.steps)
        assert not found.left


def test_a_table_that_did_not_change_needs_no_moves() -> None:
    match = play(table(), "P1 reveal 4 @ c1")
    assert explained(match, seen(match.state)).told == []


# Ends of hands


def test_the_end_is_inferred_if_only_one_is_possible() -> None:
    match = miss(table(), (5, "P2.low"), (9, "c1"))
    found = explained(match, seen(match.state, P2_shown=(lying("5"),)))
    assert found.told == ["P2 reveal 5 @ P2.low"]


def test_both_ends_are_kept_in_mind_if_both_are_possible() -> None:
    found = explained(table(), seen(table().state, P2_shown=(lying("4"),)))
    (said,) = found.told
    assert said.rstrip("!").partition(".")[0] == "P1 reveal 4 @ P2"
    assert found.belief.best.illegal_play is None
    assert len(found.likely) > 1, "low, high, or not known"


def test_the_last_card_of_a_hand_has_no_end() -> None:
    state = table(6).state
    state = replace(state, sides=(((dealt_hand(1),),), *state.sides[1:]))
    moves = LAYOUTS.propose(DECK, state, seen(state, P1_shown=(lying("9"),)))
    assert [str(move) for move in moves] == ["P1 reveal 9 @ P1"]


# Several moves at once


def test_the_next_turn_began_before_anybody_looked() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 12 @ P2.high")
    found = explained(match, seen(match.state, c1=(lying("?"),), P2_shown=(), c5=(lying("6"),)))
    assert sorted(found.told) == ["P1 return 12 @ P2", "P1 return 4 @ c1", "P2 reveal 6 @ c5"]
    same_hand = explained(match, seen(match.state, c1=(lying("?"),), P2_shown=(lying("1"),)))
    assert sorted(same_hand.told) == ["P1 return 12 @ P2", "P1 return 4 @ c1", "P2 reveal 1 @ P2.low"]


def test_a_whole_turn_of_cards_in_the_order_in_which_it_is_legal() -> None:
    match, state = table(), table().state
    found = explained(match, seen(state, c1=(lying("9"),), c2=(lying("4"),), c3=(lying("4"),)))
    assert found.told[-1] == "P1 reveal 9 @ c1"
    assert sorted(found.told[:2]) == ["P1 reveal 4 @ c2", "P1 reveal 4 @ c3"]
    trio = explained(match, seen(state, c1=(), c2=(), c3=(), P1_trios=(lying("4"),) * 3))
    assert [text.partition(" @ ")[0] for text in trio.told] == ["P1 reveal 4"] * 3 + ["P1 claim 4 4 4"]
    assert trio.left == ()


def test_the_third_card_came_from_a_hand_and_nobody_saw_whose() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2")
    found = explained(match, seen(match.state, c1=(), c2=(), P1_trios=(lying("4"),) * 3))
    assert {told[0].partition(".")[0] for told in found.likely} >= {f"P1 reveal 4 @ P{owner}" for owner in (1, 2, 3)}
    assert found.told[-1] == "P1 claim 4 4 4"
    known = miss(table(), (4, "P2.low"), (9, "P3.high"))
    known = play(known, "P2 reveal 4 @ c1; P2 reveal 4 @ c2")
    found = explained(known, seen(known.state, c1=(), c2=(), P2_trios=(lying("4"),) * 3))
    assert found.told == ["P2 reveal 4 @ P2.low", "P2 claim 4 4 4"]


def test_a_trio_is_taken_and_the_others_exchange_cards() -> None:
    match = play(table(4, format="team"), "P1 reveal 2 @ P1.low; P1 reveal 2 @ P2.low; P1 reveal 2 @ P3.low")
    empty = {f"P{seat}_shown": () for seat in (1, 3)}
    backs = {f"P{seat}_shown": (lying("?"),) for seat in (2, 4)}
    found = explained(match, seen(match.state, P1_trios=(lying("2"),) * 3, **empty, **backs))
    assert found.told == ["P1 claim 2 2 2", "P2 swap ? @ P4"]
    # The next card ends it: what was exchanged is in the hands.
    after = RULES.apply(found.belief.best.state, Move.parse("P2 reveal 5 @ P1.low"))
    assert not [place for place in LAYOUTS.layout(DECK, after).places if HIDDEN in place.cards]


# What people do wrong


def test_early_stop() -> None:
    """A card that is turned back at once may follow another one that nobody saw: then nobody is accused."""
    match = play(table(), "P1 reveal 4 @ c1")
    back = explained(match, seen(match.state, c1=(lying("?"),)))
    assert all(step.act is not Act.ILLEGAL for step in back.belief.best.steps)
    assert back.left == ()


def test_a_trio_that_is_put_back() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ P2.low")
    one = seen(match.state, c1=(lying("?"),))
    both = seen(match.state, c1=(lying("?"),), c2=(lying("?"),))
    found = found_from("trio", match.state, [one, both])
    assert wrong_rule(found) == "TR-6"


@pytest.mark.parametrize(
    ("moves", "rule"),
    [
        ("P1 reveal 4 @ c1; P1 reveal 5 @ c2", "TR-4"),
        ("P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ P2.low", "TR-5"),
    ],
)
def test_going_on(moves: str, rule: str) -> None:
    match = play(table(), moves)
    found = explained(match, seen(match.state, c7=(lying("8"),)))
    assert (found.told, wrong_rule(found)) == (["P1 reveal 8 @ c7!"], rule)
    found = explained(match, seen(match.state, P3_shown=(lying("1"),)))
    assert (found.told, wrong_rule(found)) == (["P1 reveal 1 @ P3.low!"], rule)


def test_a_centre_card_is_put_back_elsewhere() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 5 @ c2")
    found = explained(match, seen(match.state, c1=(lying("5"),), c2=(lying("?"),)))
    assert (found.told, wrong_rule(found)) == (["P1 return 4 @ c2!"], "TR-7")
    match = win_trio(table(), 3, "c1", "c2", "c3")
    match = play(match, "P2 reveal 4 @ c4; P2 reveal 9 @ P3.high")
    found = explained(match, seen(match.state, c4=(), c2=(lying("?"),)))
    assert (found.told, wrong_rule(found)) == (["P2 return 4 @ c2!"], "TR-7")
    found = explained(match, seen(match.state, P3_shown=(), c2=(lying("?"),)))
    assert (found.told, wrong_rule(found)) == (["P2 return 9 @ c2!"], "TR-7")


def test_a_centre_card_that_is_nowhere_accuses_nobody_at_once() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 9 @ P3.high")
    found = found_from("trio", match.state, seen(match.state, P3_shown=(), c1=()))
    assert found.told[0] == "P1 return 9 @ P3"
    assert found.belief.best.illegal_play is None


def test_a_trio_in_front_of_the_wrong_player() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ c3")
    found = explained(match, seen(match.state, c1=(), c2=(), c3=(), P3_trios=(lying("4"),) * 3))
    assert (found.told, wrong_rule(found)) == (["P3 claim 4 4 4!"], "TR-8")


def test_cards_that_cannot_be() -> None:
    match = miss(table(), (5, "P2.low"), (9, "c1"))
    slot = explained(match, seen(match.state, c1=(lying("6"),)))
    assert (slot.told, wrong_rule(slot)) == (["P2 reveal 6 @ c1!"], "TR-M")
    match = miss(match, (8, "P2.high"), (9, "c1"))
    middle = explained(match, seen(match.state, P2_shown=(lying("6"),)))
    assert (middle.told, wrong_rule(middle)) == (["P3 reveal 6 @ P2!"], "TR-3")


def test_a_card_that_gives_an_earlier_lie_away_is_told_with_its_end() -> None:
    match = miss(table(), (5, "P2.low"), (9, "c1"))
    match = miss(match, (8, "P2.high"), (9, "c1"))
    below = explained(match, seen(match.state, P2_shown=(lying("3"),)))
    assert (below.told, wrong_rule(below)) == (["P3 reveal 3 @ P2.low!"], "TR-3")
    above = explained(match, seen(match.state, P2_shown=(lying("11"),)))
    assert (above.told, wrong_rule(above)) == (["P3 reveal 11 @ P2.high!"], "TR-3")


def test_an_end_that_teaches_nothing_is_left_open() -> None:
    left_open = 0
    for state, move in list(states_of(bot_game(6, "solo", "mild", seed=1)))[:-1]:
        assert isinstance(state, State)
        if move.verb == "reveal" and (move.target or "").startswith("P"):
            there = seen(RULES.apply(state, move))
            after = {str(told): RULES.apply(state, told) for told in LAYOUTS.propose(DECK, state, there)}
            assert all(list(after.values()).count(one) == 1 for one in after.values()), "each is another story"
            left_open += len(after) == 2
    assert left_open, "one end and that it is not known"


def test_a_card_out_of_turn_looks_like_one_in_turn() -> None:
    match = play(table(), "P1 reveal 4 @ c1")
    late = say(match, "P3 reveal 9 @ P2.high")
    assert RULES.judge(match.state, late).rule == "TR-8"
    found = explained(match, seen(RULES.apply(match.state, late)))
    assert found.told == ["P1 reveal 9 @ P2.high"], "nobody sees who asked"


@pytest.mark.parametrize(("players", "form"), [(3, "solo"), (4, "team")])
def test_who_ends_a_turn_moves_nothing(players: int, form: str) -> None:
    opening = Opening("trio", NAMES[:players], (("format", form),))
    ended = 0
    for seed in range(1, 5):
        record = read_record(str(self_play(RULES, opening, seed, cheat_rate=0.3)), RULES)
        match = list(judge_record(record, RULES))[-1].match
        for state, entry in zip(match.states, match.log, strict=False):
            if entry.move.verb in UNSEEN:
                ended += 1
                assert LAYOUTS.layout(DECK, RULES.apply(state, entry.move)) == LAYOUTS.layout(DECK, state)
    assert ended > 3


def test_the_team_that_scored_exchanges_cards() -> None:
    match = win_trio(table(4, format="team"), 2, "P1.low", "P2.low", "P3.low")
    found = explained(match, seen(match.state, P1_shown=(lying("?"),), P3_shown=(lying("?"),)))
    assert (found.told, wrong_rule(found)) == (["P1 swap ? @ P3!"], "TR-11")


def test_an_exchange_that_nobody_saw_is_better_than_an_accusation() -> None:
    match = miss(table(4, format="team"), (5, "P2.low"), (8, "P4.high"))
    match = miss(match, (9, "P1.high"), (3, "P3.low"))
    match = win_trio(match, 12, "P2.high", "P3.high", "P3.high")
    assert match.rules.judge(match.state, say(match, "P4 reveal 2 @ P2")).ruling is Ruling.ILLEGAL
    found = explained(match, seen(match.state, P2_shown=(lying("2"),)))
    assert found.told == ["P2 swap ? @ P4", "P4 reveal 2 @ P2.low"]


# What the camera does wrong


def test_a_misread_card_is_repaired() -> None:
    match = miss(table(), (5, "P2.low"), (9, "c1"))
    found = explained(match, seen(match.state, c1=(lying("6", ("9", 0.1)),)))
    assert found.told == ["P2 reveal 9 @ c1"]
    found = explained(match, seen(match.state, P2_shown=(lying("3", ("8", 0.2)),)))
    assert found.told[0].startswith("P2 reveal 8 @ P2"), "a 3 would be below the lowest card"
    up = play(match, "P2 reveal 5 @ P2.low")
    assert explained(up, seen(up.state, P2_shown=(lying("6"),))).told == [], "it is not another card"


def test_a_trio_of_which_one_card_is_not_found() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ c3")
    found = explained(match, seen(match.state, c1=(), c2=(), c3=(), P1_trios=(lying("4"),) * 2))
    assert found.told == ["P1 claim 4 4 4"]


def test_what_nothing_explains_is_left() -> None:
    match = play(table(), "P1 reveal 4 @ c1")
    found = explained(match, seen(match.state, P3_trios=(lying("11"),)))
    assert found.told == []
    assert [(left.place, left.wanted) for left in found.left] == [(("P3", "trios"), None)]
    unread = explained(match, seen(match.state, c4=(ObservedCard(0, True, (), False),)))
    assert unread.told == []
    assert {left.place for left in unread.left} == {("centre", "c4")}


def test_nothing_is_told_after_the_end() -> None:
    match = win_trio(table(), 7, "c1", "c2", "c3")
    assert explained(match, seen(match.state, c5=(lying("2"),))).told == []


# What is taken back, and what no table shows


def test_a_card_that_goes_back_comes_out_and_goes_back_again_accuses_nobody() -> None:
    match = play(table(), "P1 reveal 6 @ c1; P1 reveal 2 @ P3.low; P1 return 6 @ c1")
    shown, back = match, play(match, "P1 return 2 @ P3")
    asked = play(back, "P2 reveal 3 @ P1.low")
    followed = found(match, [seen(one.state) for one in (back, shown, back, asked)])
    assert not followed.accused
    assert followed.told[-1] == "P2 reveal 3 @ P1.low"


def test_partners_may_exchange_cards_between_two_tables() -> None:
    match = win_trio(table(4, format="team"), 12, "P1.high", "P2.high", "P3.high")
    assert "swap" in {move.verb for move, _ in LAYOUTS.unseen(match.state)}
    assert "swap" not in {move.verb for move, _ in LAYOUTS.unseen(play(match, "P2 reveal 4 @ P3.low").state)}
