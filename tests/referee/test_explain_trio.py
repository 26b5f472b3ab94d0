"""Trio explained: the moves that a look at the table tells, legal or not."""

from dataclasses import replace

import pytest

from models.cards import own_deck
from referee.explain import Explainer, Explanation
from referee.layout import layouts_of
from referee.layouts.trio import UNSEEN
from referee.match import AnyMatch
from referee.moves import HIDDEN, Move
from referee.record import read_record
from referee.rules import Opening
from referee.seen import Lying, Seen, Spot
from referee.selfplay import self_play
from referee.states.trio import State
from referee.states.trio_hands import dealt_hand
from referee.transcript import judge_record
from referee.verdicts import Ruling
from tests.referee.games_played import NAMES, BotGame, rules_of, states_of
from tests.referee.table_talk import play, say
from tests.referee.test_trio import miss, table, win_trio

DECK, LAYOUTS, RULES = own_deck("trio"), layouts_of("trio"), rules_of("trio")
VARIANTS = [
    (players, form, goal)
    for players, form in ((3, "solo"), (4, "solo"), (4, "team"), (5, "solo"), (6, "solo"), (6, "team"))
    for goal in ("mild", "spicy")
]


def lying(word: str, *others: tuple[str, float]) -> Lying:
    """One card as the camera tells it, with what else it may be."""
    if word == HIDDEN:
        return Lying(0, False, (), False)
    return Lying(
        0, True, tuple(sorted(((word, 0.95 - sum(p for _, p in others)), *others), key=lambda c: -c[1])), False
    )


def seen(state: State, **changed: tuple[Lying, ...]) -> Seen:
    """A table as it should lie, except for some places: c3, P2_shown, P2_trios."""
    cards: dict[Spot, tuple[Lying, ...]] = {
        (place.zone, place.spot): tuple(map(lying, place.cards)) for place in LAYOUTS.layout(DECK, state).places
    }
    for name, there in changed.items():
        zone, _, spot = name.rpartition("_")
        cards[zone or "centre", spot] = there
    return Seen({spot: there for spot, there in cards.items() if there})


def explained(state: State, table: Seen) -> Explanation:
    """What the engine says."""
    return Explainer(RULES, DECK, LAYOUTS, table).explain(state)


def told(found: Explanation) -> list[str]:
    """The moves of the best story, illegal ones with their rule."""
    return [str(step.move) + ("!" if step.ruling is Ruling.ILLEGAL else "") for step in found.best.steps]


def wrong_rule(match: AnyMatch, found: Explanation) -> str:
    """The rule that the first illegal move of the best story breaks."""
    state = match.state
    for step in found.best.steps:
        verdict = RULES.judge(state, step.move)
        if verdict.ruling is Ruling.ILLEGAL:
            return verdict.rule
        state = RULES.apply(state, step.move)
    raise AssertionError(f"nothing illegal in {told(found)}")


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
    asked = 0
    for state, move in list(states_of(played))[:-1][::4]:
        assert isinstance(state, State)
        found = explained(state, seen(RULES.apply(state, move)))
        assert [without_end(step.move) for step in found.best.steps] == [without_end(move)]
        assert all(step.ruling is Ruling.LEGAL for step in found.best.steps)
        assert not found.left
        stories = {str(story.moves[0]) for story in (found.best, *found.rivals)}
        assert stories & {str(move), without_end(move)} or move.verb == "swap" or "." not in (move.target or "")
        asked += bool(found.rivals)
    assert asked < 12


def test_a_table_that_did_not_change_needs_no_moves() -> None:
    match = play(table(), "P1 reveal 4 @ c1")
    assert explained(match.state, seen(match.state)).best.steps == ()


# Ends of hands


def test_the_end_is_inferred_if_only_one_is_possible() -> None:
    match = miss(table(), (5, "P2.low"), (9, "c1"))
    found = explained(match.state, seen(match.state, P2_shown=(lying("5"),)))
    assert (told(found), found.rivals) == (["P2 reveal 5 @ P2.low"], ())


def test_both_ends_are_told_if_both_are_possible_and_that_it_is_not_known() -> None:
    found = explained(table().state, seen(table().state, P2_shown=(lying("4"),)))
    assert told(found) == ["P1 reveal 4 @ P2.low"], "a 4 is rather the lowest of nine cards than the highest"
    assert [str(story.moves[0]) for story in found.rivals] == ["P1 reveal 4 @ P2.high", "P1 reveal 4 @ P2"]
    assert found.rivals[-1].steps[0].ruling is Ruling.UNCLEAR


def test_the_last_card_of_a_hand_has_no_end() -> None:
    state = table(6).state
    state = replace(state, sides=(((dealt_hand(1),),), *state.sides[1:]))
    moves = LAYOUTS.propose(DECK, state, seen(state, P1_shown=(lying("9"),)))
    assert [str(move) for move in moves] == ["P1 reveal 9 @ P1"]


# Several moves at once


def test_the_next_turn_began_before_anybody_looked() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 12 @ P2.high")
    found = explained(match.state, seen(match.state, c1=(lying("?"),), P2_shown=(), c5=(lying("6"),)))
    assert sorted(told(found)) == ["P1 return 12 @ P2", "P1 return 4 @ c1", "P2 reveal 6 @ c5"]
    same_hand = explained(match.state, seen(match.state, c1=(lying("?"),), P2_shown=(lying("1"),)))
    assert sorted(told(same_hand)) == ["P1 return 12 @ P2", "P1 return 4 @ c1", "P2 reveal 1 @ P2.low"]


def test_a_whole_turn_of_cards_in_the_order_in_which_it_is_legal() -> None:
    state = table().state
    found = explained(state, seen(state, c1=(lying("9"),), c2=(lying("4"),), c3=(lying("4"),)))
    assert told(found)[-1] == "P1 reveal 9 @ c1"
    assert sorted(told(found)[:2]) == ["P1 reveal 4 @ c2", "P1 reveal 4 @ c3"]
    trio = explained(state, seen(state, c1=(), c2=(), c3=(), P1_trios=(lying("4"),) * 3))
    assert [text.partition(" @ ")[0] for text in told(trio)] == ["P1 reveal 4"] * 3 + ["P1 claim 4 4 4"]
    assert trio.left == ()


def test_the_third_card_came_from_a_hand_and_nobody_saw_whose() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2")
    found = explained(match.state, seen(match.state, c1=(), c2=(), P1_trios=(lying("4"),) * 3))
    stories = {tuple(str(move) for move in story.moves) for story in (found.best, *found.rivals)}
    assert stories == {(f"P1 reveal 4 @ P{owner}.low", "P1 claim 4 4 4") for owner in (1, 2, 3)}
    known = miss(table(), (4, "P2.low"), (9, "P3.high"))
    known = play(known, "P2 reveal 4 @ c1; P2 reveal 4 @ c2")
    found = explained(known.state, seen(known.state, c1=(), c2=(), P2_trios=(lying("4"),) * 3))
    assert (told(found), found.rivals) == (["P2 reveal 4 @ P2.low", "P2 claim 4 4 4"], ())


def test_a_trio_is_taken_and_the_others_exchange_cards() -> None:
    match = play(table(4, format="team"), "P1 reveal 2 @ P1.low; P1 reveal 2 @ P2.low; P1 reveal 2 @ P3.low")
    empty = {f"P{seat}_shown": () for seat in (1, 3)}
    backs = {f"P{seat}_shown": (lying("?"),) for seat in (2, 4)}
    found = explained(match.state, seen(match.state, P1_trios=(lying("2"),) * 3, **empty, **backs))
    assert told(found) == ["P1 claim 2 2 2", "P2 swap ? @ P4"]
    # The next card ends it: what was exchanged is in the hands.
    after = RULES.apply(found.best.state, Move.parse("P2 reveal 5 @ P1.low"))
    assert not [place for place in LAYOUTS.layout(DECK, after).places if HIDDEN in place.cards]


# What people do wrong


def test_early_stop() -> None:
    match = play(table(), "P1 reveal 4 @ c1")
    found = explained(match.state, seen(match.state, c1=(lying("?"),)))
    assert (told(found), wrong_rule(match, found)) == (["P1 return 4 @ c1!"], "TR-5")
    match = play(match, "P1 reveal 4 @ P2.low")
    found = explained(match.state, seen(match.state, c1=(lying("?"),), P2_shown=()))
    assert (told(found)[0], wrong_rule(match, found)) == ("P1 end!", "TR-5")
    assert sorted(told(found)[1:]) == ["P1 return 4 @ P2", "P1 return 4 @ c1"]


def test_a_trio_that_is_put_back() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ P2.low")
    found = explained(match.state, seen(match.state, c1=(lying("?"),), c2=(lying("?"),), P2_shown=()))
    assert (told(found)[0], wrong_rule(match, found), len(told(found))) == ("P1 end!", "TR-6", 4)


@pytest.mark.parametrize(
    ("moves", "rule"),
    [
        ("P1 reveal 4 @ c1; P1 reveal 5 @ c2", "TR-4"),
        ("P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ P2.low", "TR-5"),
    ],
)
def test_going_on(moves: str, rule: str) -> None:
    match = play(table(), moves)
    found = explained(match.state, seen(match.state, c7=(lying("8"),)))
    assert (told(found), wrong_rule(match, found)) == (["P1 reveal 8 @ c7!"], rule)
    found = explained(match.state, seen(match.state, P3_shown=(lying("1"),)))
    assert (told(found), wrong_rule(match, found)) == (["P1 reveal 1 @ P3.low!"], rule)


def test_a_centre_card_is_put_back_elsewhere() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 5 @ c2")
    found = explained(match.state, seen(match.state, c1=(lying("5"),), c2=(lying("?"),)))
    assert (told(found), wrong_rule(match, found)) == (["P1 return 4 @ c2!"], "TR-7")
    match = win_trio(table(), 3, "c1", "c2", "c3")
    match = play(match, "P2 reveal 4 @ c4; P2 reveal 9 @ P3.high")
    found = explained(match.state, seen(match.state, c4=(), c2=(lying("?"),)))
    assert (told(found), wrong_rule(match, found)) == (["P2 return 4 @ c2!"], "TR-7")
    found = explained(match.state, seen(match.state, P3_shown=(), c2=(lying("?"),)))
    assert (told(found), wrong_rule(match, found)) == (["P2 return 9 @ c2!"], "TR-7")


def test_a_centre_card_that_is_nowhere_is_asked_about() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 9 @ P3.high")
    found = explained(match.state, seen(match.state, P3_shown=(), c1=()))
    stories = [[str(move) for move in story.moves] for story in (found.best, *found.rivals)]
    assert ["P1 return 9 @ P3"] in stories
    assert ["P1 return 9 @ P3", "P1 return 4 @ P1"] in stories, "it may be in a hand"
    assert [difference.place for difference in found.left] == [("centre", "c1")]


def test_a_trio_in_front_of_the_wrong_player() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ c3")
    found = explained(match.state, seen(match.state, c1=(), c2=(), c3=(), P3_trios=(lying("4"),) * 3))
    assert (told(found), wrong_rule(match, found)) == (["P3 claim 4 4 4!"], "TR-8")


def test_cards_that_cannot_be() -> None:
    match = miss(table(), (5, "P2.low"), (9, "c1"))
    slot = explained(match.state, seen(match.state, c1=(lying("6"),)))
    assert (told(slot), wrong_rule(match, slot)) == (["P2 reveal 6 @ c1!"], "TR-M")
    match = miss(match, (8, "P2.high"), (9, "c1"))
    middle = explained(match.state, seen(match.state, P2_shown=(lying("6"),)))
    assert (told(middle), wrong_rule(match, middle)) == (["P3 reveal 6 @ P2!"], "TR-3")


def test_a_card_that_gives_an_earlier_lie_away_is_told_with_its_end() -> None:
    match = miss(table(), (5, "P2.low"), (9, "c1"))
    match = miss(match, (8, "P2.high"), (9, "c1"))
    below = explained(match.state, seen(match.state, P2_shown=(lying("3"),)))
    assert (told(below), wrong_rule(match, below)) == (["P3 reveal 3 @ P2.low!"], "TR-3")
    above = explained(match.state, seen(match.state, P2_shown=(lying("11"),)))
    assert (told(above), wrong_rule(match, above)) == (["P3 reveal 11 @ P2.high!"], "TR-3")
    assert not any(story.steps for story in (*below.rivals, *above.rivals)), "there is nothing else to say of it"


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
    found = explained(match.state, seen(RULES.apply(match.state, late)))
    assert told(found) == ["P1 reveal 9 @ P2.high"], "nobody sees who asked"


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
    found = explained(match.state, seen(match.state, P1_shown=(lying("?"),), P3_shown=(lying("?"),)))
    assert (told(found), wrong_rule(match, found)) == (["P1 swap ? @ P3!"], "TR-11")


def test_an_exchange_that_nobody_saw_is_better_than_an_accusation() -> None:
    match = miss(table(4, format="team"), (5, "P2.low"), (8, "P4.high"))
    match = miss(match, (9, "P1.high"), (3, "P3.low"))
    match = win_trio(match, 12, "P2.high", "P3.high", "P3.high")
    assert match.rules.judge(match.state, say(match, "P4 reveal 2 @ P2")).ruling is Ruling.ILLEGAL
    found = explained(match.state, seen(match.state, P2_shown=(lying("2"),)))
    assert told(found) == ["P2 swap ? @ P4", "P4 reveal 2 @ P2.low"]


# What the camera does wrong


def test_a_misread_card_is_repaired() -> None:
    match = miss(table(), (5, "P2.low"), (9, "c1"))
    found = explained(match.state, seen(match.state, c1=(lying("6", ("9", 0.1)),)))
    assert told(found) == ["P2 reveal 9 @ c1"]
    found = explained(match.state, seen(match.state, P2_shown=(lying("3", ("8", 0.2)),)))
    assert told(found)[0].startswith("P2 reveal 8 @ P2"), "a 3 would be below the lowest card"
    up = play(match, "P2 reveal 5 @ P2.low")
    assert told(explained(up.state, seen(up.state, P2_shown=(lying("6"),)))) == [], "it is not another card"


def test_a_trio_of_which_one_card_is_not_found() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ c3")
    found = explained(match.state, seen(match.state, c1=(), c2=(), c3=(), P1_trios=(lying("4"),) * 2))
    assert told(found) == ["P1 claim 4 4 4"]


def test_what_nothing_explains_is_left() -> None:
    match = play(table(), "P1 reveal 4 @ c1")
    found = explained(match.state, seen(match.state, P3_trios=(lying("11"),)))
    assert told(found) == []
    assert [(left.place, left.wanted) for left in found.left] == [(("P3", "trios"), None)]
    unread = explained(match.state, seen(match.state, c4=(Lying(0, True, (), False),)))
    assert told(unread) == []
    assert [left.place for left in unread.left] == [("centre", "c4")]


def test_nothing_is_told_after_the_end() -> None:
    match = win_trio(table(), 7, "c1", "c2", "c3")
    assert told(explained(match.state, seen(match.state, c5=(lying("2"),)))) == []
