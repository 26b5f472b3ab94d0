"""Lucky Box: the test cases of its specification."""

import pytest

from referee.games.lucky_box.state import (
    Phase,
    Player,
    PlayerStep,
    cell_points,
    moon_points,
    rank,
    solo_level,
    star_points,
    totals,
)
from referee.games.lucky_box.turn import distance, reaches
from referee.verdicts import Ruling
from tests.referee.games_played import bot_game, rules_of
from tests.referee.lucky_box_table import boxes, changed, dealt, table
from tests.referee.table_talk import ask, open_match, play, ruling, say

LEGAL, ILLEGAL, UNCLEAR = Ruling.LEGAL, Ruling.ILLEGAL, Ruling.UNCLEAR
CHAIN = "49:12.13.21.31 58:22.23"
"""T6 and T7: row 1 and column 1 of card 49 wait for their corner, row 2 of card 58 for its 7."""


def numbers_of(match_number: int, tokens: int, spend: int) -> set[int]:
    """The numbers that may be crossed for so many tokens, asked of the referee."""
    match = changed(table("1 3 6", number=match_number), lightning=tokens)
    found = set()
    for word, value in (("1:r1c1", 1), ("1:r1c2", 2), ("1:r1c3", 3), ("3:r1c1", 4), ("3:r1c2", 5), ("3:r1c3", 6)):
        if ruling(match, f"P1 mark {word} spend={spend}")[0] is LEGAL:
            found.add(value)
    for word, value in (("6:r2c1", 7), ("6:r2c2", 8), ("6:r2c3", 9)):
        if ruling(match, f"P1 mark {word} spend={spend}")[0] is LEGAL:
            found.add(value)
    return found


def test_t1_a_token_changes_the_number_by_one() -> None:
    assert numbers_of(5, tokens=4, spend=0) == {5}
    assert numbers_of(5, tokens=4, spend=1) == {4, 6}
    assert numbers_of(5, tokens=4, spend=2) == {3, 7}
    assert ruling(table("6", number=5), "P1 mark 6:r2c1 spend=1") == (ILLEGAL, "LB-3")
    assert ruling(table("6", number=5), "P1 mark 6:r2c1 spend=2") == (LEGAL, "LB-3")


def test_t2_nine_and_one_are_neighbours() -> None:
    assert numbers_of(9, tokens=4, spend=2) == {2, 7}
    assert numbers_of(1, tokens=4, spend=2) == {3, 8}


def test_t3_the_fewest_tokens() -> None:
    assert (distance(3, 8), distance(9, 1), distance(5, 5)) == (4, 1, 0)
    assert numbers_of(3, tokens=4, spend=4) == {1, 5, 7, 8}
    for number in range(1, 10):
        for target in range(1, 10):
            for spend in range(12):
                shifts = {(number + shift - target) % 9 for shift in range(-spend, spend + 1, 2)}
                assert reaches(number, target, spend) is (0 in shifts and (spend > 0) == (number != target))


def test_t4_stars_of_a_round() -> None:
    assert [star_points((count, 0, 0, 0)) for count in range(4)] == [0, 1, 4, 9]
    star = table("5:21.31", number=1, at=2)
    assert ruling(star, "P1 mark 5:r1c1 star2=1") == (LEGAL, "LB-4")
    full = changed(star, stars=(0, 3, 0, 0))
    assert ruling(full, "P1 mark 5:r1c1") == (LEGAL, "LB-4")
    assert ruling(full, "P1 mark 5:r1c1 star2=1") == (ILLEGAL, "LB-5")


def finish(match_round: int, hand: str, moves: str) -> list[int]:
    """Play the last number of a round, a 1, and say what was written down."""
    match = play(table(hand, number=1, turned=8, at=match_round), moves)
    return list(match.state.players[0].points)


NEARLY = ".".join(f"{row}{column}" for row in "123" for column in "123" if row + column != "11")
"""All cells crossed but the top left one."""


def test_t5_completed_cards_are_worth_less_every_round() -> None:
    one, two = f"1:{NEARLY}", f"1:{NEARLY} 25:11.{NEARLY}"
    assert finish(1, one, "P1 mark 1:r1c1 light=2; P1 score 15") == [15, 0, 0, 0]
    assert finish(2, "3", "P1 skip") == [0, 0, 0, 0]
    assert finish(3, two, "P1 mark 1:r1c1 light=2; P1 score 20") == [0, 0, 20, 0]
    assert finish(4, one, "P1 mark 1:r1c1 light=2; P1 score 8") == [0, 0, 0, 8]


def test_t6_one_mark_completes_a_row_and_a_column() -> None:
    match = table("49:12.13.21.31 58:21", number=1)
    assert ruling(match, "P1 mark 49:r1c1 58:r3c3 moon=1") == (LEGAL, "LB-6")
    assert ruling(match, "P1 mark 49:r1c1 moon=1") == (ILLEGAL, "LB-5")
    no_seven = table("49:12.13.21.31 2", number=1)
    assert ruling(no_seven, "P1 mark 49:r1c1 moon=1") == (LEGAL, "LB-4")
    assert ruling(no_seven, "P1 mark 49:r1c1") == (ILLEGAL, "LB-5")


def test_t7_a_chain_over_two_cards() -> None:
    match = table(CHAIN, number=1)
    assert ruling(match, "P1 mark 49:r1c1 58:r2c1 49:r3c2 moon=1") == (LEGAL, "LB-6")
    assert ruling(match, "P1 mark 49:r1c1 58:r2c1 moon=1") == (ILLEGAL, "LB-5")
    for more in ("light=1", "star1=1", "moon=2"):
        words = {word.partition("=")[0]: word for word in ("moon=1", more)}
        assert ruling(match, f"P1 mark 49:r1c1 58:r2c1 49:r3c2 {' '.join(words.values())}") == (ILLEGAL, "LB-5")
    after = play(match, "P1 mark 49:r1c1 58:r2c1 49:r3c2 moon=1").state.players[0]
    assert (after.moons, after.lightning, after.stars) == (1, 4, (0, 0, 0, 0))
    assert after.boxes == boxes("49:11.12.13.21.31.32 58:21.22.23")


def test_t8_a_line_without_a_bonus() -> None:
    match = table("37:22.23", number=2)
    assert ruling(match, "P1 mark 37:r2c1") == (LEGAL, "LB-4")
    assert ruling(match, "P1 mark 37:r2c1 37:r1c1") == (ILLEGAL, "LB-2")


def test_t9_lightning_does_not_change_a_bonus() -> None:
    match = table(CHAIN, number=1)
    assert ruling(match, "P1 mark 49:r1c1 58:r3c1 spend=1 moon=1") == (ILLEGAL, "LB-3")
    assert ruling(match, "P1 mark 49:r1c1 58:r3c1 moon=1") == (ILLEGAL, "LB-5")


def test_t10_a_second_mark_needs_a_line() -> None:
    match = table("49 58", number=1)
    verdict = ask(match, "P1 mark 49:r1c1 58:r1c1")
    assert (verdict.ruling, verdict.rule) == (ILLEGAL, "LB-2")
    assert dict(verdict.reason.args)["cell"] == "58:r1c1"


def test_t11_a_matching_cell_must_be_crossed() -> None:
    assert ruling(table("49", number=1), "P1 skip") == (ILLEGAL, "LB-2")
    assert ruling(table("49", number=9), "P1 skip") == (LEGAL, "LB-2")
    assert ruling(table("49:11.23", number=1), "P1 skip") == (LEGAL, "LB-2")
    assert ruling(table("49", number=9), "P1 mark 49:r1c1 spend=1") == (LEGAL, "LB-3")


def test_t12_only_tokens_held_before_the_turn_are_spent() -> None:
    match = changed(table("1:11.21", number=1), lightning=2)
    assert ruling(match, "P1 mark 1:r3c1 spend=3 light=2") == (ILLEGAL, "LB-3")
    assert ruling(changed(match, lightning=3), "P1 mark 1:r3c1 spend=3 light=2") == (LEGAL, "LB-3")


def test_t13_half_cells_are_counted_together() -> None:
    assert cell_points(boxes("1:11.12.13.21.22 2:11.12.13 3:11")) == 4
    assert cell_points(boxes(f"1:11.{NEARLY} 3:11.12")) == 1


def test_t14_moons() -> None:
    assert moon_points((5, 3, 3, 0)) == (6, 0, 0, -6)
    assert moon_points((4, 4, 1, 1)) == (6, 6, -6, -6)
    assert moon_points((2, 2, 2)) == (0, 0, 0)
    assert moon_points((4, 1)) == (6, 0)
    assert moon_points((2, 2)) == (6, 6)
    assert moon_points((0, 0)) == (6, 6)


def test_t15_alone() -> None:
    assert [moon_points((count,))[0] for count in (0, 1, 2, 3, 4, 5, 6, 9)] == [-6, -2, 0, 1, 3, 6, 10, 10]
    assert [solo_level(total) for total in (44, 45, 50, 55, 60, 65, 70)] == [1, 2, 3, 4, 5, 6, 7]
    assert [solo_level(total) for total in (-6, 49, 54, 59, 64, 69, 99)] == [1, 2, 3, 4, 5, 6, 7]
    outcome = rank((61,), (4,))
    assert (outcome.winners, outcome.places, outcome.why.key) == ((0,), ((0,),), "solo-5")


def test_t16_a_tie_goes_to_the_moons() -> None:
    outcome = rank((80, 80), (2, 3))
    assert (outcome.winners, outcome.places) == ((1,), ((1,), (0,)))
    outcome = rank((80, 80, 70), (3, 3, 9))
    assert (outcome.winners, outcome.places) == ((0, 1), ((0, 1), (2,)))
    assert rank((80, 70), (0, 9)).winners == (0,)


def test_t17_the_whole_sum() -> None:
    cards = boxes(f"1:11.{NEARLY} 2:11.12.13.21.22 3:11.12.13 4:11")
    player = Player(cards, moons=3, stars=(2, 0, 3, 1), points=(15, 0, 20, 8))
    assert totals((player, Player(moons=1), Player(moons=0))) == (67, 0, -6)


def test_t18_number_cards_of_a_round() -> None:
    match = play(table(""), "table number n4; P1 skip; table number n4; P1 skip; table number n5; P1 skip")
    assert ruling(match, "table number n4") == (ILLEGAL, "LB-S1")
    match = play(table("", turned=8), "table number n1")
    assert ruling(match, "table number n2") == (ILLEGAL, "LB-S1")
    match = play(match, "P1 skip")
    assert match.state.phase is Phase.CARDS


@pytest.mark.parametrize("seed", [5, 17, 29])
def test_t19_six_players_need_the_discards(seed: int) -> None:
    played = bot_game("lucky_box", seed)
    assert len(played.record.opening.names) == 6
    verbs = [move.verb for move in played.moves]
    drawn = [len(move.cards) if move.verb == "draw" else 0 for move in played.moves]
    assert sum(drawn) == 30 + 3 * 18
    assert verbs.count("reshuffle") >= 1
    reshuffle = verbs.index("reshuffle")
    assert sum(drawn[:reshuffle]) == 60
    assert verbs[:reshuffle].count("number") == 18


def test_t20_a_card_scores_for_the_round_it_was_completed_in() -> None:
    match = play(table(f"1:{NEARLY}", number=1, turned=8, at=2), "P1 mark 1:r1c1 light=2")
    assert match.state.players[0].step is PlayerStep.SCORE
    assert ruling(match, "P1 score 15") == (ILLEGAL, "LB-R1")
    assert ruling(match, "P1 score 12") == (LEGAL, "LB-R1")


def test_t21_a_completed_card_is_wiped_before_the_next_round() -> None:
    match = play(table(f"1:{NEARLY}", "3", number=1, turned=8), "P2 skip; P1 mark 1:r1c1 light=2")
    assert ruling(match, "table number n1") == (ILLEGAL, "LB-R1")
    match = play(match, "P1 score 15")
    assert ruling(match, "table number n1") == (ILLEGAL, "LB-R2")
    assert ruling(match, "P1 draw ?") == (ILLEGAL, "LB-R2")
    assert ruling(match, "P2 draw ?") == (LEGAL, "LB-R3")
    match = play(match, "P1 wipe 1; P1 draw ? ? ?")
    assert match.state.discard == ("1",)
    assert ruling(match, "P1 keep 1") == (ILLEGAL, "LB-K")


def test_t22_a_star_goes_into_the_row_of_its_round() -> None:
    match = table("5:21.31", number=1, at=2)
    assert ruling(match, "P1 mark 5:r1c1 star1=1") == (ILLEGAL, "LB-5")
    assert ruling(match, "P1 mark 5:r1c1 star1=1 star2=1") == (ILLEGAL, "LB-5")
    assert play(match, "P1 mark 5:r1c1 star2=1").state.players[0].stars == (0, 1, 0, 0)


def test_a_whole_start_and_a_first_turn() -> None:
    match = play(open_match(rules_of("lucky_box"), 2), dealt(2))
    assert match.state.phase is Phase.PLAY
    assert match.state.discard == ("4", "5", "9", "10")
    match = play(match, "table number n1; P1 mark 1:r1c1; P2 mark 7:r1c1")
    assert match.state.round == 1
    assert match.state.ply == 9
    assert say(match, "P1 mark 2:r1c2 1:r2c1") == say(match, "P1 mark 1:r2c1 2:r1c2 moon=0")
