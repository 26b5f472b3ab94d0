"""Kto drugi, ten lepszy: the test cases of its specification."""

from dataclasses import replace

import pytest

from models.cards import Card, Deck
from referee.games.kto_drugi.rules import GameRules
from referee.games.kto_drugi.state import FIRST, LAST, Phase, rank, score
from referee.match import AnyMatch
from referee.verdicts import Ruling, because
from tests.referee.games_played import rules_of
from tests.referee.table_talk import ask, open_match, play, ruling

LEGAL, ILLEGAL = Ruling.LEGAL, Ruling.ILLEGAL


def race(players: int, **options: str) -> AnyMatch:
    return open_match(rules_of("kto_drugi"), players, **options)


def standing_on(match: AnyMatch, *positions: int, in_round: int = 1) -> AnyMatch:
    """The same match with the figures somewhere else, in another round."""
    hands = [chair.hand - in_round + 1 for chair in match.state.chairs]
    chairs = tuple(
        replace(chair, position=position, hand=hand)
        for chair, position, hand in zip(match.state.chairs, positions, hands, strict=True)
    )
    return replace(match, states=(replace(match.state, chairs=chairs, round=in_round),))


def positions(match: AnyMatch) -> list[int]:
    return [chair.position for chair in match.state.chairs]


def lay(match: AnyMatch, *targets: int) -> AnyMatch:
    """P1, P2 … lay a card each in front of the given seats."""
    return play(match, [f"P{seat} lay ? @ P{target}" for seat, target in enumerate(targets, 1)])


def white_deck() -> Deck:
    """A deck with other white numbers, one of them printed on three cards."""
    faces = [("+2/30", 2, 30), ("+3/22", 3, 22), ("-3/21", -3, 21), ("+1/7", 1, 7)]
    faces += [("-4/20", -4, 20), ("+4/20", 4, 20), ("+1/20", 1, 20)]
    cards = [Card(code, 1, "race", (("value", value), ("white", white))) for code, value, white in faces]
    return Deck("kto_drugi", "white", (*cards, Card("+1/0", 30, "race", (("value", 1), ("white", 0)))))


def test_t1_rulebook_example_of_a_round() -> None:
    match = lay(race(3), 1, 3, 3)
    match = play(match, "P1 turn +2; P3 turn -1 -3")
    assert ask(match, "P2 move P2 @ 1").reason == because("stays", seat=1, here="~start")
    match = play(match, "P1 move P1 @ 2; P3 move P3 @ -4")
    assert positions(match) == [2, 0, -4]


def test_t2_cards_are_added_before_the_figure_stops() -> None:
    match = lay(standing_on(race(3), 0, 15, 0), 2, 2, 1)
    match = play(match, "P2 turn +3 -4; P1 turn +1")
    wrong = ask(match, "P2 move P2 @ 12")
    assert (wrong.ruling, wrong.rule) == (ILLEGAL, "KD-7")
    assert wrong.reason == because("wrong-space", seat=1, found="12", here="15", sum="-1", space="14")
    assert positions(play(match, "P2 move P2 @ 14"))[1] == 14


@pytest.mark.parametrize(
    ("start", "cards", "end"),
    [(15, "+3", 16), (15, "+3 +1", 16), (-11, "-4 +1", -12), (-11, "-4 +3", -12)],
)
def test_t3_a_figure_stops_at_the_ends_of_the_track(start: int, cards: str, end: int) -> None:
    match = standing_on(race(3), 0, start, 0)
    match = lay(match, 2, *([2, 3] if " " in cards else [3, 3]))
    match = play(match, f"P2 turn {cards}; P3 turn {'+1' if ' ' in cards else '+1 +1'}")
    assert ruling(match, f"P2 move P2 @ {end}") == (LEGAL, "KD-7")
    others = [space for space in range(FIRST, LAST + 1) if space != end]
    assert {ruling(match, f"P2 move P2 @ {space}") for space in others} == {(ILLEGAL, "KD-7")}


@pytest.mark.parametrize(("start", "card", "end"), [(-1, "+2", 1), (1, "-1", 0)])
def test_t4_start_counts_as_a_space(start: int, card: str, end: int) -> None:
    match = play(lay(standing_on(race(3), start, 0, 0), 1, 2, 3), f"P1 turn {card}; P2 turn +1; P3 turn +1")
    assert positions(play(match, f"P1 move P1 @ {end}"))[0] == end


def score_stage(*before: int) -> list[int]:
    """Play round 5 of the first stage with +1 for everybody, and read the score sheet."""
    match = standing_on(race(len(before)), *before, in_round=5)
    seats = range(1, len(before) + 1)
    match = lay(match, *seats)
    match = play(match, [f"P{seat} turn +1" for seat in seats])
    match = play(match, [f"P{seat} move P{seat} @ {space + 1}" for seat, space in zip(seats, before, strict=True)])
    return [chair.points[0] for chair in match.state.chairs]


def test_t5_second_farthest_space_scores() -> None:
    assert score((9, 6, 1)) == (0, 6, 0)
    assert score_stage(8, 5, 0) == [0, 6, 0]


def test_t6_a_shared_leading_space_counts_as_one() -> None:
    assert score((4, 4, 1, -3)) == (0, 0, 1, 0)
    assert score_stage(3, 3, 0, -4) == [0, 0, 1, 0]


def test_t7_everybody_on_the_second_space_scores_even_below_zero() -> None:
    assert score((3, -2, -2, -2)) == (0, -2, -2, -2)
    assert score_stage(2, -3, -3, -3) == [0, -2, -2, -2]


def test_t8_one_occupied_space_scores_nothing() -> None:
    assert score((5, 5, 5)) == (0, 0, 0)
    assert score_stage(4, 4, 4) == [0, 0, 0]


def test_t9_start_scores_nothing() -> None:
    assert score((4, 0, 0)) == (0, 0, 0)
    assert score_stage(3, -1, -1) == [0, 0, 0]


def places(*totals: int) -> tuple[tuple[int, ...], ...]:
    """All places of a game that ended with these totals; the first are the winners."""
    match = race(len(totals))
    chairs = tuple(replace(chair, points=(total,)) for chair, total in zip(match.state.chairs, totals, strict=True))
    outcome = match.rules.outcome(replace(match.state, phase=Phase.OVER, chairs=chairs))
    assert outcome is not None
    assert outcome.winners == outcome.places[0]
    return outcome.places


def test_t10_equal_second_totals_share_the_victory() -> None:
    assert places(12, 9, 9, 3) == ((1, 2), (0,), (3,))


def test_t11_a_shared_highest_total_counts_as_one() -> None:
    assert places(12, 12, 7) == ((2,), (0, 1))


def test_t12_all_equal_share_the_victory() -> None:
    assert places(8, 8, 8) == ((0, 1, 2),)


def test_t13_second_highest_below_zero() -> None:
    assert places(-2, -5, -9) == ((1,), (0,), (2,))


def test_t14_zeros_share_the_victory() -> None:
    assert places(10, 0, 0) == ((1, 2), (0,))


def test_t15_the_last_card_goes_in_front_of_oneself() -> None:
    match = standing_on(race(3), 0, 0, 0, in_round=5)
    assert ruling(match, "P3 lay ? @ P1") == (ILLEGAL, "KD-9")
    assert ruling(match, "P3 lay ? @ P3") == (LEGAL, "KD-9")


def test_t16_a_missing_card_is_counted_and_named() -> None:
    match = play(race(4), "P1 lay ? @ P2; P2 lay ? @ P2; P4 lay ? @ P1")
    early = ask(match, "P2 turn +1 +1")
    assert (early.ruling, early.rule) == (ILLEGAL, "KD-5")
    assert early.reason == because("turn-early", cards=1, seats=(2,))
    assert match.rules.todo(match.state) == (because("todo-lay", seat=2, stage=1, round=1),)


def test_t17_leon_turns_his_top_card() -> None:
    match = lay(race(2), 3, 1)
    assert match.state.chairs[2].hand == 4
    assert ruling(match, "P3 turn +4") == (ILLEGAL, "KD-L2")
    match = play(match, "P3 turn +4 -1; P1 turn -2; P3 move P3 @ 3; P1 move P1 @ -2")
    assert positions(match) == [-2, 0, 3]
    assert match.state.chairs[2].hand == 3


def test_t18_leon_can_win() -> None:
    outcome = rank((14, 2, 9), 2)
    assert (outcome.winners, outcome.places) == ((2,), ((2,), (0,), (1,)))
    assert outcome.why == because("won-leon", points=9, highest=14)
    match = race(2)
    points = ((14,), (2,), (9,))
    chairs = tuple(replace(chair, points=sheet) for chair, sheet in zip(match.state.chairs, points, strict=True))
    assert match.rules.outcome(replace(match.state, phase=Phase.OVER, chairs=chairs)) == outcome


def test_t19_white_numbers_order_the_moves() -> None:
    match = lay(open_match(GameRules(white_deck()), 3, tactical="yes"), 1, 2, 3)
    match = play(match, "P3 turn +1/7; P2 turn -3/21; P1 turn +2/30")
    for early in ("P2 move P3 @ -3", "P3 move P3 @ 1"):
        assert ruling(match, early) == (ILLEGAL, "KD-T2")
    match = play(match, "P1 move P3 @ 2")
    match = play(match, "P2 move P3 @ -1")
    match = play(match, "P3 move P3 @ 0")
    assert positions(match) == [0, 0, 0]
    assert match.state.phase is Phase.CLEAR


def test_t20_tactical_moves_stop_one_by_one() -> None:
    match = lay(standing_on(open_match(GameRules(white_deck()), 3, tactical="yes"), 0, 0, 15), 1, 2, 3)
    match = play(match, "P1 turn +3/22; P2 turn -4/20; P3 turn +1/0")
    assert ruling(match, "P1 move P3 @ 15") == (ILLEGAL, "KD-T3")
    match = play(match, "P1 move P3 @ 16; P2 move P3 @ 12")
    assert positions(match)[2] == 12


def test_t21_one_stage_shows_a_card_too_often() -> None:
    match = play(lay(race(3), 1, 2, 3), "P1 turn +5")
    assert ruling(match, "P2 turn +5") == (ILLEGAL, "KD-K")
    assert ruling(match, "P2 turn +5/32") == (ILLEGAL, "KD-K")
    assert ask(match, "P2 turn +5").reason == because("too-many", card="+5", copies=1)
    again = play(lay(race(3), 1, 1, 3), "P3 turn +1")
    assert ruling(again, "P1 turn +5 +5") == (ILLEGAL, "KD-K")


def test_t22_six_players_use_thirty_cards() -> None:
    state = race(6).state
    assert (state.stock, sum(chair.hand for chair in state.chairs)) == (2, 30)
