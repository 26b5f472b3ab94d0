"""Dawaj 2: the test cases of its specification, and what else could go wrong."""

from dataclasses import replace

import pytest

from models.cards import Card, Deck, DeckError
from referee.games.dawaj2.rules import GameRules
from referee.games.dawaj2.state import Exit, Phase, Player, Progress, allot, collectable, extend_run, left_of, rank
from referee.match import AnyMatch, Match
from referee.texts import load_texts
from referee.verdicts import Ruling
from tests.referee.games_played import rules_of
from tests.referee.table_talk import ask, open_match, play, ruling, say

LEGAL, ILLEGAL, UNCLEAR = Ruling.LEGAL, Ruling.ILLEGAL, Ruling.UNCLEAR


def generous_deck() -> Deck:
    """Four copies of every digit, colour and number of stars."""
    letters = {"blue": "B", "pink": "P", "green": "G"}
    cards = tuple(
        Card(f"{digit}{letters[colour]}{stars}", 4, "card", (("digit", digit), ("colour", colour), ("stars", stars)))
        for digit in range(1, 10)
        for colour in letters
        for stars in range(3)
    )
    return Deck("dawaj2", "generous", cards)


def generous(players: int, **options: str) -> AnyMatch:
    return open_match(GameRules(generous_deck()), players, **options)


def pass_round(match: AnyMatch) -> AnyMatch:
    """Everybody still in passes one card and takes one."""
    seats = [seat for seat, player in enumerate(match.state.players) if player.exit is None]
    match = play(match, [f"P{seat + 1} pass ? @ P{left_of(match.state, seat) + 1}" for seat in seats])
    return play(match, [f"P{seat + 1} take" for seat in seats])


def create_round(match: AnyMatch, pairs: dict[int, str]) -> AnyMatch:
    """Pass, then lay and turn the given pairs."""
    match = pass_round(match)
    match = play(match, [f"P{seat} lay ? ?" for seat in pairs])
    return play(match, [f"P{seat} turn {pair}" for seat, pair in pairs.items()])


def draw_all(match: AnyMatch) -> AnyMatch:
    owed = {seat: player.owed for seat, player in enumerate(match.state.players) if player.owed}
    return play(match, [f"P{seat + 1} draw {'? ' * cards}" for seat, cards in owed.items()])


def owed(match: AnyMatch) -> list[int]:
    return [player.owed for player in match.state.players]


def at(match: AnyMatch, phase: Phase, *players: Player) -> AnyMatch:
    """The same match with another table: for situations that take long to reach."""
    return replace(match, states=(replace(match.state, phase=phase, round=5, players=players),))


def numbered(number: int, hand: int, step: Progress = Progress.NOTHING) -> Player:
    """A player who created one number."""
    return Player(hand, (f"{number // 10}B0",), (f"{number % 10}B0",), ("blue", 1), ("blue", 1), step=step)


THREE_ROUNDS = (
    {1: "1P0 2G0", 2: "1B0 2G0", 3: "1G0 4B0", 4: "1P0 3P0"},
    {1: "2P0 5G0", 2: "1B0 5P0", 3: "3G0 6B0", 4: "2G0 1P0"},
    {1: "3P1 3G1", 2: "2B1 2B1", 3: "5G0 2B1", 4: "2P0 8P0"},
)


def test_t1_rulebook_example_letters() -> None:
    match = generous(4)
    for pairs in THREE_ROUNDS[:2]:
        match = draw_all(create_round(match, pairs))
    match = create_round(match, THREE_ROUNDS[2])
    awards = [award for player in match.state.players for award in player.awards]
    assert [awards.count(award) for award in ("highest", "stars", "double")] == [1, 2, 2]
    assert sum("-" in award for award in awards) == 6
    assert match.state.players[2].awards[0] == "highest"
    assert set(match.state.players[0].awards) == {"stars", "double", "pink-tens", "green-units"}


def test_t2_three_full_rounds() -> None:
    match = generous(4)
    piles, hands = [], []
    for pairs, draws in zip(THREE_ROUNDS, ([0, 0, 1, 0], [0, 0, 1, 0], [4, 3, 3, 1]), strict=True):
        match = create_round(match, pairs)
        assert owed(match) == draws
        match = draw_all(match)
        piles.append(match.state.pile - (generous_total() - 108))
        hands.append([player.hand for player in match.state.players])
    assert piles == [71, 70, 59]
    assert hands == [[7, 7, 8, 7], [5, 5, 7, 5], [7, 6, 8, 4]]


def generous_total() -> int:
    return generous_deck().total("card")


def gone(hand: int, number: int, phase: Phase = Phase.CREATE, round_: int = 5) -> Player:
    return Player(hand, exit=Exit(round_, phase, hand, number))


def test_t3_all_out_most_cards_win() -> None:
    outcome = rank((gone(1, 40), gone(3, 50), gone(2, 60)))
    assert (outcome.winners, outcome.why.key) == ((1,), "won-cards")
    assert outcome.places == ((1,), (2,), (0,))


def test_t4_all_out_lowest_number_breaks_the_tie() -> None:
    outcome = rank((gone(2, 87), gone(2, 64), gone(1, 31)))
    assert (outcome.winners, outcome.why.key) == ((1,), "won-number")


def test_t5_all_out_shared() -> None:
    outcome = rank((gone(2, 64), gone(2, 64)))
    assert (outcome.winners, outcome.why.key) == ((0, 1), "won-shared")


def test_t6_the_number_must_grow() -> None:
    match = generous(2)
    match = play(pass_round(match), "P1 lay ? ?; P2 lay ? ?")
    assert ruling(match, "P1 turn 1B0 1B0") == (LEGAL, "D2-C3")
    match = draw_all(play(match, "P1 turn 4B0 5G0; P2 turn 1B0 2G0"))
    match = play(pass_round(match), "P1 lay ? ?; P2 lay ? ?")
    assert ruling(match, "P1 turn 4B0 5G0") == (ILLEGAL, "D2-C3")
    assert ruling(match, "P1 turn 4B0 4G0") == (ILLEGAL, "D2-C3")
    assert ruling(match, "P1 turn 4B0 6G0") == (LEGAL, "D2-C3")


def test_t7_tied_highest_and_no_stars() -> None:
    match = create_round(generous(3), {1: "7B0 1G0", 2: "7P0 1G0", 3: "6B0 1P0"})
    assert [player.awards for player in match.state.players] == [("highest",), ("highest",), ()]


def test_t8_tied_stars() -> None:
    match = create_round(generous(3), {1: "1B1 2G0", 2: "1P0 2G1", 3: "6B0 1P0"})
    assert ["stars" in player.awards for player in match.state.players] == [True, True, False]


@pytest.mark.parametrize(
    ("colours", "draws"),
    [("GGGGGG", [0, 0, 1, 0, 0, 1]), ("GGPG", [0, 0, 0, 0]), ("PPPGPPP", [0, 0, 1, 0, 0, 0, 1])],
    ids=["t9", "t10", "t11"],
)
def test_t9_t10_t11_colour_groups(colours: str, draws: list[int]) -> None:
    run, paid = ("", 0), []
    for colour in colours:
        run, closed = extend_run(run, colour)
        paid.append(int(closed))
    assert paid == draws


def test_t12_five_draws_at_most() -> None:
    match = generous(2)
    match = draw_all(create_round(match, {1: "1P0 2B0", 2: "2B0 1G0"}))
    match = draw_all(create_round(match, {1: "1P0 3B0", 2: "2B0 3P0"}))
    match = create_round(match, {1: "7P2 7B0", 2: "2G0 4B1"})
    assert match.state.players[0].awards == ("highest", "stars", "double", "pink-tens", "blue-units")
    assert owed(match) == [5, 0]
    english, polish = load_texts("dawaj2", "en"), load_texts("dawaj2", "pl")
    todo = match.rules.todo(match.state)[0]
    assert english.say(todo, ("Ala",)) == (
        "Ala draws 5: highest number, most stars, double, pink triple (tens), blue triple (units)."
    )
    assert polish.say(todo, ("Ala",)).startswith("Ala dobiera 5: najwyższa liczba, najwięcej gwiazdek, dublet")


def test_t13_passing_skips_who_is_out() -> None:
    match = open_match(rules_of("dawaj2"), 4)
    match = at(match, Phase.PASS, numbered(12, 4), numbered(13, 4), gone(2, 14, round_=4), numbered(15, 4))
    assert ruling(match, "P1 pass ? @ P2") == (LEGAL, "D2-P4")
    assert ruling(match, "P2 pass ? @ P4") == (LEGAL, "D2-P4")
    assert ruling(match, "P4 pass ? @ P1") == (LEGAL, "D2-P4")
    assert ruling(match, "P2 pass ? @ P3") == (ILLEGAL, "D2-P4")
    assert ruling(match, "P3 pass ? @ P4") == (ILLEGAL, "D2-X1")


def test_t14_empty_hands_drop_out_before_passing() -> None:
    match = open_match(rules_of("dawaj2"), 3)
    last = replace(numbered(51, 3, Progress.TURNED), owed=1)
    empty = replace(numbered(61, 0, Progress.TURNED))
    match = at(match, Phase.DRAW, empty, last, empty)
    match = play(match, "P2 draw ?")
    assert match.state.phase is Phase.OVER
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert (outcome.winners, outcome.why.key) == ((1,), "won-last")
    assert match.state.players[0].exit == Exit(6, Phase.PASS, 0, 61)
    assert ruling(match, "P2 pass ? @ P1") == (ILLEGAL, "D2-E1")


def test_t15_comparison_without_cards() -> None:
    assert rank((gone(0, 91, Phase.PASS), gone(0, 77, Phase.PASS))).winners == (1,)


def test_t16_ninety_nine_is_forced_out() -> None:
    match = at(open_match(rules_of("dawaj2"), 2), Phase.PASS, numbered(99, 8), numbered(51, 4))
    match = pass_round(match)
    assert match.state.players[0].exit == Exit(5, Phase.CREATE, 8, 99)
    assert match.state.phase is Phase.CREATE, "the last player may still drop out in the same moment"
    match = play(match, "P2 lay ? ?; P2 turn 5P0 2P0")
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert outcome.winners == (1,)


def test_t17_shown_hand_proves_or_refutes_the_exit() -> None:
    match = at(open_match(rules_of("dawaj2"), 2), Phase.CREATE, numbered(87, 3), numbered(51, 4))
    assert ruling(match, "P1 out 8P0 7B1 3G0") == (LEGAL, "D2-C7")
    match = at(match, Phase.CREATE, numbered(87, 2), numbered(51, 4))
    verdict = ask(match, "P1 out 8P0 8G0")
    assert (verdict.ruling, verdict.rule) == (ILLEGAL, "D2-C7")
    assert ("best", 88) in verdict.reason.args
    assert ruling(match, "P1 out 8P0 7B1 3G0") == (ILLEGAL, "D2-C7"), "a shown hand has exactly the cards held"
    assert ruling(match, "P1 out") == (UNCLEAR, "D2-C7")
    assert ruling(match, "P1 out ? 3G0") == (UNCLEAR, "D2-C7")


def test_t18_only_the_last_moment_is_compared() -> None:
    outcome = rank((gone(0, 20, Phase.PASS), gone(1, 60), gone(1, 50)))
    assert outcome.places == ((2,), (1,), (0,))


def test_t19_reshuffle_collects_seventeen() -> None:
    def with_numbers(numbers: int, hand: int, **more: object) -> Player:
        tens = tuple(f"{digit}B0" for digit in range(1, numbers + 1))
        units = tuple(f"{digit}G0" for digit in range(1, numbers + 1))
        return Player(hand, tens, units, ("blue", 1), ("green", 1), **more)  # type: ignore[arg-type]

    out = with_numbers(4, 3, exit=Exit(3, Phase.CREATE, 3, 44))
    players = (with_numbers(7, 4, step=Progress.TURNED, owed=2, awards=("highest",)), with_numbers(6, 5), out)
    assert collectable(players) == 17
    match = at(open_match(rules_of("dawaj2"), 3), Phase.DRAW, *players)
    seen = tuple(sum(code in (*p.tens, *p.units) for p in players) for code in rules_of("dawaj2")._codes)  # type: ignore[attr-defined]
    match = replace(match, states=(replace(match.state, pile=0, seen=seen),))
    assert ruling(match, "P1 draw ?") == (ILLEGAL, "D2-R1")
    match = play(match, "table reshuffle")
    assert match.state.pile == 17
    assert [len(player.tens) for player in match.state.players] == [5, 5, 0]
    assert match.state.players[2].hand == 0
    match = play(match, "P1 draw ? ?")
    assert (match.state.pile, match.state.phase) == (15, Phase.PASS)


def test_t20_wrong_neighbour_and_two_cards() -> None:
    match = open_match(rules_of("dawaj2"), 4)
    assert ruling(match, "P2 pass ? @ P1") == (ILLEGAL, "D2-P4")
    assert ruling(match, "P2 pass ? ? @ P3") == (ILLEGAL, "D2-P4")


def test_too_few_cards_are_dealt_one_a_lap() -> None:
    players = (
        replace(numbered(91, 3), owed=3, awards=("highest", "stars", "double")),
        replace(numbered(81, 3), owed=2, awards=("stars", "double")),
        replace(numbered(71, 3), owed=2, awards=("stars", "double")),
    )
    state = replace(open_match(rules_of("dawaj2"), 3).state, pile=4)
    assert [player.owed for player in allot(state, players)] == [1, 2, 1]
    assert [player.owed for player in allot(replace(state, pile=0), players)] == [0, 0, 0]


def test_own_card_first_then_the_received_one() -> None:
    match = play(open_match(rules_of("dawaj2"), 2), "P1 pass ? @ P2")
    assert ruling(match, "P2 take") == (ILLEGAL, "D2-P5")
    assert ruling(match, "P1 take") == (ILLEGAL, "D2-P5")
    match = play(match, "P2 pass ? @ P1; P2 take")
    assert ruling(match, "P2 take") == (ILLEGAL, "D2-P5")


def test_nobody_turns_before_all_are_ready() -> None:
    match = play(pass_round(open_match(rules_of("dawaj2"), 3)), "P1 lay ? ?; P2 lay ? ?")
    assert ruling(match, "P1 turn 3P1 3G1") == (ILLEGAL, "D2-C2")
    assert ruling(match, "P3 turn 3P1 3G1") == (ILLEGAL, "D2-C1")
    assert ruling(match, "P1 lay ? ?") == (ILLEGAL, "D2-C1")
    assert ruling(match, "P3 lay ? ? ?") == (ILLEGAL, "D2-C1")


def test_unread_card_asks() -> None:
    match = play(pass_round(open_match(rules_of("dawaj2"), 2)), "P1 lay ? ?; P2 lay ? ?")
    assert ruling(match, "P1 turn ? 3G1") == (UNCLEAR, "D2-C2")


def test_fifth_copy_is_found() -> None:
    match = play(pass_round(open_match(rules_of("dawaj2"), 2)), "P1 lay ? ?; P2 lay ? ?; P1 turn 3P1 1B0")
    assert ruling(match, "P2 turn 3P1 4B0") == (ILLEGAL, "D2-K")
    assert ruling(match, "P2 turn 3P2 3P2") == (ILLEGAL, "D2-K")


def test_wrong_number_can_be_taken_back_or_let_stand() -> None:
    match = draw_all(create_round(generous(2), {1: "4B0 5G0", 2: "5B0 6G0"}))
    match = play(pass_round(match), "P1 lay ? ?; P2 lay ? ?; P2 turn 6B0 6G0")
    wrong = match.play(say(match, "P1 turn 4B0 4G0"))
    assert wrong.state == match.state
    assert play(wrong, "P1 turn 4B0 6G0").state.phase is Phase.DRAW
    stood = wrong.stand(len(wrong.log) - 1)
    assert stood.state.players[0].units[-1] == "4G0"
    assert stood.log[-1].pinned
    assert stood.verdicts[-1].ruling is ILLEGAL


def test_strict_variant_drops_out_at_once() -> None:
    match = draw_all(create_round(generous(3, strict="yes"), {1: "4B0 5G0", 2: "5B0 6G0", 3: "1B0 2G0"}))
    match = play(pass_round(match), "P1 lay ? ?; P2 lay ? ?; P3 lay ? ?; P1 turn 4B0 4G0")
    assert match.state.players[0].exit == Exit(2, Phase.CREATE, 7, 45)
    assert ask(match, "P2 turn 5B0 7G0").ruling is LEGAL


def test_unverified_exit_can_stand() -> None:
    match = at(open_match(rules_of("dawaj2"), 3), Phase.CREATE, numbered(87, 3), numbered(51, 4), numbered(51, 4))
    match = match.play(say(match, "P1 out"))
    assert match.verdicts[-1].ruling is UNCLEAR
    assert match.state.players[0].exit is None
    assert match.stand(0).state.players[0].exit is not None


def test_amending_recomputes_what_follows() -> None:
    match = open_match(rules_of("dawaj2"), 2)
    for text in ("P1 pass ? @ P1", "P2 pass ? @ P1", "P1 take"):
        match = match.play(say(match, text))
    assert [verdict.ruling for verdict in match.verdicts] == [ILLEGAL, LEGAL, ILLEGAL]
    match = match.amend(0, say(match, "P1 pass ? @ P2"))
    assert [verdict.ruling for verdict in match.verdicts] == [LEGAL, LEGAL, LEGAL]


@pytest.mark.parametrize(
    ("card", "message"),
    [
        (Card("0B0", 1, "card", (("digit", 0), ("colour", "blue"), ("stars", 0))), "digit 1 to 9"),
        (Card("1R0", 1, "card", (("digit", 1), ("colour", "red"), ("stars", 0))), "colour = 'red'"),
        (Card("1B0", 1, "card", (("digit", 1), ("colour", "blue"))), "no 'stars'"),
        (Card("1B0", 5, "card", (("digit", 1), ("colour", "blue"), ("stars", 0))), "5 cards"),
    ],
)
def test_unusable_decks_are_refused(card: Card, message: str) -> None:
    with pytest.raises(DeckError, match=message):
        GameRules(Deck("dawaj2", "bad", (card,)))


def test_refolding_needs_no_clock() -> None:
    match = create_round(generous(2), {1: "4B0 5G0", 2: "5B0 6G0"})
    again = Match.open(match.rules, match.opening)
    for entry in match.log:
        again = again.play(entry.move)
    assert again.state == match.state


def test_three_cards_laid_go_back_to_the_hand_but_for_two() -> None:
    match = play(open_match(rules_of("dawaj2"), 2), "P1 pass ? @ P2; P2 pass ? @ P1; P1 take; P2 take")
    match = match.play(say(match, "P1 lay ? ? ?")).stand(len(match.log))
    match = play(match, "P2 lay ? ?")
    player = match.state.players[0]
    assert (player.hand, player.spare) == (6, 1)
    player = play(match, "P1 turn 3P1 4G0").state.players[0]
    assert (player.hand, player.spare) == (7, 0)
