"""Trio: the test cases of its specification."""

from dataclasses import replace

import pytest

from referee.games.trio.rules import GameRules
from referee.games.trio.state import CARDS, Phase, Swap, deal, held, winning
from referee.match import AnyMatch
from referee.verdicts import Ruling, because
from tests.referee.games_played import rules_of
from tests.referee.table_talk import ask, open_match, play, ruling

LEGAL, ILLEGAL, UNCLEAR = Ruling.LEGAL, Ruling.ILLEGAL, Ruling.UNCLEAR


def table(players: int = 3, **options: str) -> AnyMatch:
    return open_match(rules_of("trio"), players, **options)


def game() -> GameRules:
    rules = rules_of("trio")
    assert isinstance(rules, GameRules)
    return rules


def win_trio(match: AnyMatch, card: int, *places: str) -> AnyMatch:
    """The player whose turn it is reveals three equal cards and takes them."""
    seat = f"P{match.state.turn + 1}"
    return play(match, [*(f"{seat} reveal {card} @ {place}" for place in places), f"{seat} claim {card} {card} {card}"])


def miss(match: AnyMatch, *shown: tuple[int, str]) -> AnyMatch:
    """The player whose turn it is reveals cards that do not match; they go back."""
    seat = f"P{match.state.turn + 1}"
    match = play(match, [f"{seat} reveal {card} @ {place}" for card, place in shown])
    return play(match, [f"{seat} return {card} @ {place.partition('.')[0]}" for card, place in shown])


def test_t1_rulebook_example_first_turn() -> None:
    match = play(table(), "P1 reveal 3 @ P2.low; P1 reveal 2 @ P3.low")
    assert match.verdicts[-1].rule == "TR-4"
    assert match.verdicts[-1].reason.args[-1] == ("then", "~then-back")
    assert match.rules.todo(match.state) == (
        because("todo-return-hand", card="3", owner_seat=1),
        because("todo-return-hand", card="2", owner_seat=2),
    )
    assert ruling(match, "P1 reveal 2 @ c1") == (ILLEGAL, "TR-4")
    match = play(match, "P1 return 2 @ P3; P1 return 3 @ P2")
    assert (match.state.turn, match.state.phase) == (1, Phase.REVEAL)
    assert [held(match.state, seat) for seat in range(3)] == [9, 9, 9]


def test_t2_rulebook_example_second_turn_alone() -> None:
    match = play(table(first="P2"), "P2 reveal 2 @ c1; P2 reveal 2 @ P2.low; P2 reveal 2 @ P2.low")
    assert match.rules.todo(match.state) == (because("todo-claim", seat=1, card="2"),)
    match = play(match, "P2 claim 2 2 2")
    assert match.state.trios == ((), (2,), ())
    assert (match.state.turn, held(match.state, 1)) == (2, 7)
    assert not match.state.slots[0].lies


def test_t3_the_two_example_turns_are_no_single_game() -> None:
    match = miss(table(), (3, "P2.low"), (2, "P3.low"))
    match = play(match, "P2 reveal 2 @ c1")
    verdict = ask(match, "P2 reveal 2 @ P2.low")
    assert (verdict.ruling, verdict.rule, verdict.about) == (ILLEGAL, "TR-3", 0)
    assert verdict.reason == because("below", owner_seat=1, card="2", against="3")
    # The table may believe the card it sees; the fourth copy cannot be believed.
    match = match.play(verdict.move).stand(len(match.log))
    assert not match.rules.status(match.state)
    assert ruling(match, "P2 reveal 2 @ P2.low") == (ILLEGAL, "TR-K")


def test_t4_one_hand_asked_twice_for_its_highest_card() -> None:
    match = play(table(), "P1 reveal 9 @ P2.high; P1 reveal 9 @ P2.high")
    assert match.rules.todo(match.state) == (because("todo-third", seat=0, card="9"),)
    match = play(table(), "P1 reveal 9 @ P2.high; P1 reveal 8 @ P2.high")
    assert match.state.phase is Phase.RETURN


def test_t5_rulebook_example_of_teams() -> None:
    match = table(6, format="team")
    match = win_trio(match, 10, "P2.high", "P4.high", "P1.high")
    assert match.state.swaps == (Swap.SCORED, Swap.OPEN, Swap.OPEN)
    assert ask(match, "P4 swap ? @ P1").reason == because("swap-scored", seats=(3, 0))
    for swap in ("P2 swap ? @ P5", "P5 swap ? @ P2", "P3 swap ? @ P6", "P6 swap ? @ P3"):
        assert ruling(match, swap) == (LEGAL, "TR-11")
    assert ruling(match, "P1 swap ? @ P4") == (ILLEGAL, "TR-11")


LINKED = [(2, 5), (2, 9), (1, 6), (1, 8), (3, 4), (3, 10), (4, 11), (5, 12)]
UNLINKED = [(5, 9), (6, 8), (11, 12), (3, 11)]


@pytest.mark.parametrize("pair", LINKED + UNLINKED)
def test_t6_linked_trios(pair: tuple[int, int]) -> None:
    match = win_trio(table(goal="spicy"), pair[0], "c1", "c2", "c3")
    spare = next(value for value in (6, 7) if value not in pair)
    match = miss(match, (spare, "c7"), (pair[1], "c4"))
    match = miss(match, (spare, "c7"), (pair[1], "c4"))
    match = win_trio(match, pair[1], "c4", "c5", "c6")
    assert (match.state.phase is Phase.OVER) is (pair in LINKED)
    assert winning(pair, True, game().links) == ("linked" if pair in LINKED else None)
    if pair in LINKED:
        outcome = match.rules.outcome(match.state)
        assert outcome is not None
        assert (outcome.winners, outcome.places) == ((0,), ((0,), (1, 2)))
        assert match.verdicts[-1].rule == "TR-E"
        assert outcome.why.key == "won-linked"


def test_t6_all_pairs_follow_from_the_deck() -> None:
    pairs = {(a, b) for a, others in game().links.items() for b in others if a < b}
    assert pairs == set(LINKED)
    assert game().links[7] == ()


@pytest.mark.parametrize(("trios", "how"), [((1, 4, 12), "three"), ((7,), "seven"), ((2, 5), None)])
def test_t7_mild_goal(trios: tuple[int, ...], how: str | None) -> None:
    assert winning(trios, False, game().links) == how


def test_t7_mild_game_played_out() -> None:
    match = win_trio(table(), 2, "c1", "c2", "c3")
    for trio, places in ((5, ("c4", "c5", "c6")), (9, ("P2.high", "P2.high", "c7"))):
        match = miss(match, (1, "P1.low"), (3, "c9"))
        match = miss(match, (1, "P1.low"), (3, "c9"))
        assert match.rules.outcome(match.state) is None
        match = win_trio(match, trio, *places)
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert outcome.why == because("won-three", seats=(0,), trios=("2", "5", "9"))
    assert [standing.points for standing in match.rules.standings(match.state)] == [3, 0, 0]
    assert match.rules.todo(match.state) == ()
    assert ask(match, "P2 reveal 1 @ P1.low").reason == because("over")


@pytest.mark.parametrize(("trios", "how"), [((7,), "seven"), ((1, 2, 3), None)])
def test_t8_spicy_goal(trios: tuple[int, ...], how: str | None) -> None:
    assert winning(trios, True, game().links) == how


def test_t8_trio_of_seven_ends_the_game_at_once() -> None:
    match = win_trio(table(4, goal="spicy", format="team"), 7, "P1.low", "P2.high", "P2.high")
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert (outcome.winners, outcome.places) == ((0, 2), ((0, 2), (1, 3)))
    assert ask(match, "P2 swap ? @ P4").reason == because("over")


def test_t9_a_pair_is_not_the_end() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ P3.low")
    verdict = ask(match, "P1 end")
    assert (verdict.ruling, verdict.rule) == (ILLEGAL, "TR-5")
    assert verdict.reason == because("end-pair", seat=0, cards=("4", "4"))


def test_t10_one_card_is_not_the_end() -> None:
    assert ask(table(), "P1 end").reason == because("end-none", seat=0, cards=())
    match = play(table(), "P1 reveal 4 @ c1")
    assert ruling(match, "P1 end") == (ILLEGAL, "TR-5")
    assert ask(match, "P1 end").reason.key == "end-one"


def test_t11_a_centre_card_does_not_change() -> None:
    match = miss(table(), (9, "c3"), (4, "c1"))
    verdict = ask(match, "P2 reveal 5 @ c3")
    assert (verdict.ruling, verdict.rule, verdict.about) == (ILLEGAL, "TR-M", 0)
    assert verdict.reason == because("slot-changed", slot="c3", card="5", before="9")
    assert ruling(match, "P2 reveal 9 @ c3") == (LEGAL, "TR-1")


def test_t12_highest_card_of_a_hand_over_several_turns() -> None:
    match = miss(table(), (1, "c1"), (8, "P2.high"))
    wrong = ask(match, "P2 reveal 11 @ P2.high")
    assert (wrong.ruling, wrong.rule, wrong.about) == (ILLEGAL, "TR-3", 1)
    assert ruling(match, "P2 reveal 8 @ P2.high") == (LEGAL, "TR-1")
    match = win_trio(match, 8, "P2.high", "c2", "c3")
    assert ruling(match, "P3 reveal 6 @ P2.high") == (LEGAL, "TR-1")
    wrong = ask(match, "P3 reveal 9 @ P2.high")
    # Showing 8 again has told nothing new, so the first 8 is the claim that a 9 speaks against.
    assert (wrong.ruling, wrong.rule, wrong.about) == (ILLEGAL, "TR-3", 1)


def nearly_empty_hand() -> AnyMatch:
    """P2 has one card left; it is the turn of P3."""
    match = win_trio(table(6), 1, "P2.low", "P2.low", "P2.low")
    match = win_trio(match, 12, "P2.high", "c1", "c2")
    assert held(match.state, 1) == 1
    return match


def test_t13_last_card_is_lowest_and_highest() -> None:
    match = nearly_empty_hand()
    for place in ("P2.low", "P2.high", "P2"):
        verdict = ask(match, f"P3 reveal 6 @ {place}")
        assert (verdict.ruling, verdict.reason.key) == (LEGAL, "shows-last")


def test_t14_an_empty_hand_cannot_be_asked() -> None:
    match = win_trio(nearly_empty_hand(), 6, "P2", "c3", "c4")
    assert ask(match, "P4 reveal 5 @ P2.low").reason == because("hand-empty", owner_seat=1)
    assert ruling(match, "P4 reveal 5 @ P2") == (ILLEGAL, "TR-9")
    for _ in range(4):
        match = miss(match, (5, "c5"), (4, "P1.low"))
    assert match.state.turn == 1
    assert ruling(match, "P2 reveal 5 @ c5") == (LEGAL, "TR-1")


@pytest.mark.parametrize(
    ("players", "team", "hand", "centre"),
    [(3, False, 9, 9), (4, False, 7, 8), (5, False, 6, 6), (6, False, 5, 6), (4, True, 9, 0), (6, True, 6, 0)],
)
def test_t15_the_deal(players: int, team: bool, hand: int, centre: int) -> None:
    assert deal(players, team) == (hand, centre)
    assert players * hand + centre == CARDS == 36
    match = table(players, format="team" if team else "solo")
    assert [standing.hand for standing in match.rules.standings(match.state)] == [hand] * players
    assert len(match.state.slots) == centre
    assert not match.rules.status(match.state)


def test_t16_own_hand_from_both_ends() -> None:
    match = win_trio(table(), 2, "P1.low", "P1.low", "c1")
    assert match.state.trios[0] == (2,)
    match = play(table(), "P1 reveal 2 @ P1.low; P1 reveal 7 @ P1.high")
    assert match.state.phase is Phase.RETURN


def test_t17_a_trio_that_cannot_be_reached_is_no_fault() -> None:
    match = play(table(), "P1 reveal 5 @ P2.low; P1 reveal 5 @ c1; P1 reveal 3 @ P3.low")
    assert match.state.phase is Phase.RETURN
    match = play(match, "P1 return 5 @ P2; P1 return 5 @ c1; P1 return 3 @ P3")
    assert match.state.turn == 1


def test_t18_partners_link_their_trios() -> None:
    match = win_trio(table(4, goal="spicy", format="team"), 4, "P1.low", "P1.low", "P2.low")
    match = miss(match, (12, "P1.high"), (3, "P4.low"))
    assert match.state.trios == ((4,), (), (), ())
    match = win_trio(match, 11, "P2.high", "P3.high", "P3.high")
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert outcome.why == because("won-linked", seats=(0, 2), trios=("4", "11"))


def test_an_opening_that_was_cut_short_still_counts_all_cards() -> None:
    state = table().state
    short = replace(state, slots=state.slots[1:])
    assert because("status-lost", cards=35, total=36) in rules_of("trio").status(short)
