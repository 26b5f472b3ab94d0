"""dnp: the test cases of its specification."""

from dataclasses import replace

from referee.games.dnp.state import Phase, called, printed, sets
from referee.match import AnyMatch
from referee.verdicts import Ruling
from tests.referee.games_played import rules_of
from tests.referee.table_talk import ask, open_match, play, ruling, say

LEGAL, ILLEGAL, UNCLEAR = Ruling.LEGAL, Ruling.ILLEGAL, Ruling.UNCLEAR


def dnp(players: int, moves: str = "") -> AnyMatch:
    return play(open_match(rules_of("dnp"), players), moves)


def thin(match: AnyMatch, hands: dict[int, int], keep: str = "") -> AnyMatch:
    """The same table with shorter hands: so many cards of theirs, none of those to keep, lie on the discard pile."""
    state = match.state
    players = list(state.players)
    unseen, kept = list(state.unseen), [printed(card) for card in keep.split()]
    gone = []
    for seat, hand in hands.items():
        for _ in range(players[seat].hand - hand):
            gone.append(next(card for card in unseen if card not in kept and card != "1/5"))
            unseen.remove(gone[-1])
        players[seat] = replace(players[seat], hand=hand)
    thinned = replace(state, players=tuple(players), unseen=tuple(unseen), discarded=(*state.discarded, *gone))
    assert not match.rules.status(thinned)
    return replace(match, states=(*match.states[:-1], thinned))


def scored(match: AnyMatch, *points: int) -> AnyMatch:
    """The same table with these points."""
    players = tuple(replace(p, points=won) for p, won in zip(match.state.players, points, strict=True))
    return replace(match, states=(*match.states[:-1], replace(match.state, players=players)))


def hands(match: AnyMatch) -> list[int]:
    return [player.hand for player in match.state.players]


def points(match: AnyMatch) -> list[int]:
    return [player.points for player in match.state.players]


def known(match: AnyMatch, seat: int) -> list[str]:
    return [held.card for held in match.state.players[seat].known]


def table(match: AnyMatch) -> list[str]:
    return [called(lying) for _, _, lying in sets(match.state)]


def turn(match: AnyMatch) -> tuple[int, int]:
    return match.state.turn, match.state.area


def test_t1_a_set_of_the_same_size_must_be_higher() -> None:
    match = dnp(3, "P1 star; P1 play 7/1; P2 play 6/1 6/2 6/3")
    assert ruling(match, "P3 play 8/1") == (LEGAL, "DN-A")
    assert ruling(match, "P3 play 7/3") == (ILLEGAL, "DN-A")
    assert ruling(match, "P3 play 5/7") == (ILLEGAL, "DN-A")
    assert ruling(match, "P3 play 7/1 7/3 7/4") == (LEGAL, "DN-A")
    assert ruling(match, "P3 play 6/1 6/4 6/7") == (ILLEGAL, "DN-A")
    for free in ("1/6 1/8", "1/7 1/8 1/9 1/10", "2/4 2/4 2/5 2/5 2/9"):
        assert ruling(match, f"P3 play {free}") == (LEGAL, "DN-A")
        assert len(table(play(match, f"P3 play {free}"))) == 3
    beaten = play(match, "P3 play 8/1")
    assert (table(beaten), hands(beaten), known(beaten, 0)) == (["6×3", "8×1"], [10, 7, 9], ["1/7"])
    beaten = play(match, "P3 play 7/1 7/3 7/4")
    assert (table(beaten), hands(beaten)) == (["7×1", "7×3"], [9, 10, 7])
    assert known(beaten, 1) == ["1/6", "2/6", "3/6"]


def test_t2_four_cards_with_active_3_are_value_3_size_4() -> None:
    match = dnp(5, "P1 star; P1 play 3/4 3/5 3/6 3/10")
    assert table(match) == ["3×4"]
    assert dict(match.verdicts[-1].reason.args)["played"] == "3×4"


def test_t3_an_added_card_may_not_make_the_set_lose() -> None:
    match = dnp(3, "P1 star; P1 play 2/4; P2 play 3/4 3/6")
    assert ruling(match, "P3 add 2/5 @ P1") == (ILLEGAL, "DN-B")


def test_t4_an_added_card_can_beat_another_set() -> None:
    match = dnp(3, "P1 star; P1 play 5/7; P2 play 3/4 3/6; P3 add 5/8 @ P1")
    assert match.verdicts[-1].rule == "DN-B"
    assert table(match) == ["5×2"]
    assert (hands(match), known(match, 1)) == ([9, 10, 9], ["4/3", "6/3"])


def taken_twos() -> AnyMatch:
    return dnp(4, "P1 star; P1 play 2/5 2/7 2/9; P2 take @ P1")


def test_t5_a_taken_set_is_flipped_into_the_hand() -> None:
    match = taken_twos()
    assert match.verdicts[-1].rule == "DN-C"
    assert (hands(match), table(match)) == ([6, 12, 9, 9], [])
    assert known(match, 1) == ["5/2", "7/2", "9/2"]


def test_t6_a_flip_turns_the_known_cards_and_shows_who_did_not() -> None:
    match = play(taken_twos(), "P3 play 2/5; P4 flip; P1 flip; P2 flip")
    assert known(match, 1) == ["2/5", "2/7", "2/9"]
    match = play(match, "P3 discard; P3 flip; P4 flip; P1 flip")
    assert ruling(match, "P2 play 2/5 2/7 2/9") == (LEGAL, "DN-A")
    verdict = ask(match, "P2 play 5/2")
    assert (verdict.ruling, verdict.rule, verdict.about) == (ILLEGAL, "DN-5", 2)
    other_unseen = play(taken_twos(), "P3 flip; P4 flip; P1 flip; P2 flip; P3 flip; P4 flip; P1 flip")
    assert ruling(other_unseen, "P2 play 5/2") == (LEGAL, "DN-A")
    assert ruling(other_unseen, "P2 play 7/2") == (ILLEGAL, "DN-5")


def test_t7_an_added_card_has_the_value_of_the_set() -> None:
    assert ruling(dnp(3, "P1 star; P1 play 5/7"), "P2 add 6/1 @ P1") == (ILLEGAL, "DN-B")


def test_t8_nobody_adds_to_an_own_set() -> None:
    match = dnp(3, "P1 star; P1 play 5/7; P2 flip; P3 flip")
    assert ruling(match, "P1 add 5/8 @ P1") == (ILLEGAL, "DN-3")
    assert ruling(play(match, "P1 discard"), "P1 add 5/8 @ P1") == (ILLEGAL, "DN-B")
    duel = dnp(2, "P1 star; P1 flip; P2 flip; P2 flip; P1 play 5/7 @ P1.1")
    assert ruling(duel, "P1 add 5/8 @ P1.1") == (ILLEGAL, "DN-B")


def test_t9_nobody_takes_an_own_set() -> None:
    match = dnp(3, "P1 star; P1 play 5/7; P2 flip; P3 flip; P1 discard")
    assert ruling(match, "P1 take @ P1") == (ILLEGAL, "DN-C")
    duel = dnp(2, "P1 star; P1 flip; P2 flip; P2 flip; P1 play 5/7 @ P1.1")
    assert ruling(duel, "P1 take @ P1.1") == (ILLEGAL, "DN-C")


def test_t10_an_action_that_nobody_saw_is_asked_for_and_two_actions_are_one_too_many() -> None:
    match = play(taken_twos(), "P3 flip; P4 flip; P1 flip")
    assert ruling(match, "P2 pass") == (UNCLEAR, "DN-4")
    passed = match.play(say(match, "P2 pass"))
    assert turn(passed) == (1, 0)
    passed = passed.stand(len(passed.log) - 1)
    assert (turn(passed), known(passed, 1)) == ((2, 0), []), "any card of the hand may be another now"
    assert ruling(match, "P1 flip") == (ILLEGAL, "DN-4")
    assert ruling(match, "P1 play 8/1") == (ILLEGAL, "DN-4")
    assert ruling(match, "P4 flip") == (ILLEGAL, "DN-2")


def test_t11_a_forgotten_discard_is_stopped_and_then_does_not_count() -> None:
    match = dnp(3, "P1 star; P1 play 8/1; P2 flip; P3 flip")
    for action in ("play 5/7", "take @ P2", "flip", "pass"):
        assert ruling(match, f"P1 {action}") == (ILLEGAL, "DN-3")
    assert ruling(play(match, "P1 discard"), "P1 play 5/7") == (LEGAL, "DN-A")
    assert match.state.discarded == ()
    assert play(match, "P1 discard").state.discarded == ("8/1",)


def nine_out() -> AnyMatch:
    """P2 is first out with 9×1; it is the turn of P3."""
    return play(thin(dnp(3, "P1 star; P1 flip"), {1: 1}, keep="9/1 9/2 10/2"), "P2 play 9/1")


def test_t12_a_beaten_set_of_who_is_out_is_discarded() -> None:
    match = nine_out()
    assert (points(match), hands(match), table(match)) == ([0, 2, 0], [10, 0, 10], ["9×1"])
    match = play(match, "P3 play 10/2")
    assert match.verdicts[-1].reason.key == "plays-out"
    assert (table(match), hands(match)) == (["10×1"], [10, 0, 9])
    assert "9/1" in match.state.discarded
    assert match.state.players[1].out
    assert ruling(match, "P2 flip") == (ILLEGAL, "DN-6")


def test_t13_an_unbeaten_set_of_who_is_out_is_discarded_at_his_turn() -> None:
    match = play(nine_out(), "P3 flip")
    assert table(match) == ["9×1"]
    match = play(match, "P1 flip")
    assert (table(match), turn(match)) == ([], (2, 0))
    assert "9/1" in match.state.discarded


def test_t14_the_set_of_who_is_out_can_be_taken() -> None:
    match = play(nine_out(), "P3 take @ P2")
    assert (hands(match), known(match, 2), table(match)) == ([10, 0, 11], ["1/9"], [])


def test_t15_the_last_card_added_to_the_set_of_who_is_out_ends_the_round() -> None:
    match = play(thin(nine_out(), {2: 1}, keep="9/2"), "P3 add 9/2 @ P2")
    assert points(match) == [0, 2, 1]
    assert (match.state.phase, match.state.round, hands(match)) == (Phase.STAR, 2, [10, 10, 10])


def test_t16_the_first_out_with_four_points_wins_at_once() -> None:
    match = thin(scored(dnp(3, "P1 star"), 3, 3, 0), {0: 1})
    match = play(match, "P1 play 5/1")
    outcome = match.rules.outcome(match.state)
    assert points(match) == [5, 3, 0]
    assert outcome is not None
    assert (outcome.winners, outcome.places) == ((0,), ((0,), (1,), (2,)))
    assert ruling(match, "P2 flip") == (ILLEGAL, "DN-9")


def test_t17_the_second_out_can_win_too() -> None:
    match = thin(scored(dnp(3, "P1 star"), 1, 3, 0), {0: 1, 1: 1}, keep="9/2")
    match = play(match, "P1 play 5/1")
    assert match.rules.outcome(match.state) is None
    match = play(match, "P2 play 9/2")
    outcome = match.rules.outcome(match.state)
    assert points(match) == [3, 4, 0]
    assert outcome is not None
    assert outcome.winners == (1,)


def test_t18_five_players_start_with_eight_cards() -> None:
    match = dnp(5)
    assert hands(match) == [8] * 5
    assert hands(play(match, "P1 star; P1 play 7/1 7/3 7/4; P2 take @ P1")) == [5, 11, 8, 8, 8]


def test_t19_duel_the_own_other_set_is_a_rival_too() -> None:
    match = dnp(2, "P1 star; P1 flip; P2 flip; P2 flip; P1 play 4/2 4/6 @ P1.1")
    assert ruling(match, "P1 play 3/5 3/6 @ P1.2") == (ILLEGAL, "DN-X3")
    match = play(match, "P1 play 6/1 6/2 @ P1.2")
    assert match.verdicts[-1].reason.key == "plays-own"
    assert (table(match), hands(match), known(match, 0)) == (["6×2"], [11, 13], ["2/4", "6/4"])


def test_t20_duel_the_star_holder_starts_with_one_turn() -> None:
    match = dnp(2, "P2 star")
    turns = []
    for _ in range(7):
        turns.append(turn(match))
        match = play(match, f"P{match.state.turn + 1} flip")
    assert turns == [(1, 1), (0, 0), (0, 1), (1, 0), (1, 1), (0, 0), (0, 1)]


def test_t21_duel_who_gets_cards_back_is_not_out() -> None:
    match = dnp(2, "P1 star; P1 play 1/5 @ P1.2; P2 flip; P2 flip; P1 play 4/2 4/6 @ P1.1; P1 discard")
    match = play(thin(match, {0: 2}, keep="6/1 6/2"), "P1 play 6/1 6/2 @ P1.2")
    assert (hands(match), points(match), match.state.round) == ([2, 13], [0, 0], 1)
    assert known(match, 0) == ["2/4", "6/4"]


def test_t22_two_sets_of_one_size_cannot_be() -> None:
    match = dnp(3, "P1 star; P1 play 3/4 3/5; P2 play 8/1 8/2 8/4")
    state = match.state
    bad = replace(state.players[1], areas=(("8/1", "8/2"),), hand=state.players[1].hand + 1)
    faults = match.rules.status(replace(state, players=(state.players[0], bad, state.players[2])))
    assert "status-sizes" in {fault.key for fault in faults}
    assert match.rules.status(state) == ()


def test_t23_the_star_card_from_another_hand_shows_a_false_claim() -> None:
    match = dnp(3, "P1 star; P1 flip; P2 flip")
    verdict = ask(match, "P3 play 5/1")
    assert (verdict.ruling, verdict.rule, verdict.about) == (ILLEGAL, "DN-2", 0)
    shown = dnp(3, "P1 star; P1 play 1/5; P2 take @ P1; P3 flip; P1 flip")
    assert ruling(shown, "P2 play 5/1") == (LEGAL, "DN-A")


def test_t24_only_the_winning_addition_is_legal() -> None:
    match = dnp(4, "P1 star; P1 play 2/4 2/5; P2 play 3/4 3/5 3/6; P3 play 5/7")
    assert ruling(match, "P4 add 2/6 @ P1") == (ILLEGAL, "DN-B")
    match = play(match, "P4 add 5/8 @ P3")
    assert (table(match), known(match, 0)) == (["3×3", "5×2"], ["4/2", "5/2"])
