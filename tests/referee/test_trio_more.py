"""Trio: rulings, variants, prompts, what a human lets stand, and decks that cannot be used."""

from dataclasses import replace

import pytest

from models.cards import Card, Deck, DeckError
from referee.games.trio.rules import GameRules
from referee.games.trio.state import Phase, Swap, held
from referee.match import AnyMatch
from referee.moves import NotationError
from referee.rules import OpeningError
from referee.verdicts import because
from tests.referee.games_played import rules_of
from tests.referee.table_talk import ask, play, ruling, say
from tests.referee.test_trio import ILLEGAL, LEGAL, UNCLEAR, miss, table, win_trio


def let_stand(match: AnyMatch, text: str) -> AnyMatch:
    """Play a move that is not legal, and let it stand; the table must stay sane."""
    match = match.play(say(match, text)).stand(len(match.log))
    assert match.verdicts[-1].ruling is not LEGAL
    assert not match.rules.status(match.state)
    return match


# Variants


def test_teams_need_four_or_six_players() -> None:
    rules = rules_of("trio")
    assert [rules.choices(players)["format"] for players in (3, 4, 5, 6)] == [
        ("solo",),
        ("solo", "team"),
        ("solo",),
        ("solo", "team"),
    ]
    with pytest.raises(OpeningError, match="format='team'; wanted solo"):
        table(5, format="team")
    with pytest.raises(OpeningError, match="7 players"):
        table(7)


def test_whoever_ate_avocado_last_begins() -> None:
    match = table(5, first="P4")
    assert match.rules.todo(match.state) == (because("todo-first", seat=3, card=""),)
    assert ask(match, "P1 reveal 3 @ c1").reason == because("not-turn", seat=0, turn_seat=3)


def test_words_of_the_game() -> None:
    match = table(6)
    for text in ("P1 reveal 3 @ c7", "P1 reveal 13 @ c1", "P1 return 3 @ P2.low", "P1 claim 2 2 2 2", "P1 swap 3 @ P4"):
        with pytest.raises(NotationError):
            say(match, text)
    assert say(table(3), "P1 reveal 3 @ c9").target == "c9"
    assert say(match, "P1 claim 10 ? 9").cards == ("9", "10", "?")


# The turn


@pytest.mark.parametrize("text", ["P2 reveal 4 @ c2", "P3 end", "P2 claim 4 4 4", "P2 return 4 @ c1"])
def test_only_the_player_whose_turn_it_is_acts(text: str) -> None:
    assert ruling(play(table(), "P1 reveal 4 @ c1"), text) == (ILLEGAL, "TR-8")


def test_a_trio_is_complete_with_three_cards() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ c3")
    assert ruling(match, "P1 reveal 5 @ c4") == (ILLEGAL, "TR-5")
    assert ruling(match, "P1 end") == (ILLEGAL, "TR-6")
    assert ruling(match, "P1 return 4 @ c1") == (ILLEGAL, "TR-6")
    for wrong in ("4 4", "4", "5 5 5", "4 4 5", "? 5 4"):
        assert ruling(match, f"P1 claim {wrong}") == (ILLEGAL, "TR-6")
    assert ruling(match, "P1 claim 4 4 ?") == (UNCLEAR, "TR-6")
    assert ruling(match, "P1 claim 4 4 4") == (LEGAL, "TR-6")


def test_nothing_to_claim() -> None:
    match = table()
    assert ask(match, "P1 claim 4 4 4").reason.key == "claim-nothing"
    match = play(match, "P1 reveal 4 @ c1")
    assert ask(match, "P1 claim 4").reason == because("claim-few", seat=0, cards=("4",))
    match = play(match, "P1 reveal 5 @ c2")
    assert ask(match, "P1 claim 4 5").reason == because("claim-unequal", seat=0, cards=("4", "5"))


def test_every_card_goes_back_to_its_own_place() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ P2.low; P1 reveal 7 @ P2.high")
    assert ruling(match, "P1 end") == (ILLEGAL, "TR-7")
    assert ask(match, "P1 return 4 @ P3").reason == because("wrong-place", card="4", place="P3", homes=("c1", "P2"))
    assert ask(match, "P1 return 7 @ c1").reason == because("wrong-place", card="7", place="c1", homes=("P2",))
    assert ask(match, "P1 return 5 @ c1").reason == because("not-up", card="5", cards=("4", "4", "7"))
    assert ask(match, "P1 return ? @ c2").reason.key == "from-elsewhere"
    assert ruling(match, "P1 return ? @ c1") == (UNCLEAR, "TR-7")
    match = play(match, "P1 return 4 @ P2")
    assert ruling(match, "P1 return 4 @ P2") == (ILLEGAL, "TR-7")
    assert match.rules.todo(match.state) == (
        because("todo-return-slot", card="4", slot="c1"),
        because("todo-return-hand", card="7", owner_seat=1),
    )
    match = play(match, "P1 return 7 @ P2; P1 return 4 @ c1")
    assert match.state.turn == 1
    assert ruling(match, "P2 return 4 @ c1") == (ILLEGAL, "TR-7")


def test_cards_do_not_go_back_before_the_turn_is_over() -> None:
    match = play(table(), "P1 reveal 4 @ c1")
    assert ruling(match, "P1 return 4 @ c1") == (ILLEGAL, "TR-5")


def test_a_place_of_the_centre_that_has_no_face_down_card() -> None:
    match = play(table(), "P1 reveal 4 @ c1")
    assert ask(match, "P1 reveal 4 @ c1").reason == because("slot-up", slot="c1")
    match = win_trio(table(), 4, "c1", "c2", "c3")
    assert ask(match, "P2 reveal 5 @ c2").reason == because("slot-gone", slot="c2")
    assert ruling(table(4, format="team"), "P1 reveal 5 @ c1") == (ILLEGAL, "TR-1")


def test_a_card_that_was_not_read() -> None:
    assert ask(table(), "P1 reveal ? @ P2.low").reason == because("unread", seat=1)
    assert ask(table(), "P1 reveal ? @ c1").reason == because("unread", seat=0)


# Lowest or highest


def test_which_end_is_asked_if_both_are_possible() -> None:
    match = table()
    assert ask(match, "P1 reveal 3 @ P2").reason == because("which-end", owner_seat=1, card="3")
    assert ruling(match, "P1 reveal 3 @ P2") == (UNCLEAR, "TR-1")
    # Eight unseen cards below 2 cannot be: 2 can only be the lowest.
    verdict = ask(match, "P1 reveal 2 @ P2")
    assert (verdict.ruling, verdict.reason.key) == (LEGAL, "shows-low")


def test_the_end_is_inferred_from_what_is_known() -> None:
    match = miss(table(), (5, "P2.low"), (8, "P2.high"))
    for card, key in ((5, "shows-low"), (8, "shows-high")):
        assert ask(match, f"P2 reveal {card} @ P2").reason.key == key
    assert ask(match, "P2 reveal 6 @ P2").reason.key == "no-end"
    assert ask(match, "P2 reveal 4 @ P2").reason.key == "below"
    inferred, told = (play(match, f"P2 reveal 8 @ P2{end}").state for end in ("", ".high"))
    assert inferred == told


def test_the_second_card_of_a_hand_is_the_next_one() -> None:
    match = play(table(), "P1 reveal 4 @ P1.low")
    assert ruling(match, "P1 reveal 3 @ P1.low") == (ILLEGAL, "TR-3")
    assert ruling(match, "P1 reveal 3 @ P1.high") == (ILLEGAL, "TR-3")
    match = miss(table(), (1, "P1.low"), (4, "P1.low"))
    assert ruling(match, "P2 reveal 1 @ P1.low") == (LEGAL, "TR-1")
    assert ask(match, "P2 reveal 4 @ P1.low").reason == because("lower-known", owner_seat=0, card="4", against="1")


def test_low_then_high_of_the_last_card() -> None:
    match = win_trio(table(6), 1, "P2.low", "P2.low", "P2.low")
    match = play(match, "P2 reveal 4 @ P2.low")
    assert ruling(match, "P2 reveal 4 @ P2.high") == (LEGAL, "TR-4")
    match = play(match, "P2 reveal 4 @ P2.high")
    assert held(match.state, 1) == 0
    assert ruling(match, "P2 reveal 4 @ P2.low") == (ILLEGAL, "TR-9")


def test_a_fourth_copy() -> None:
    match = miss(table(), (5, "c1"), (6, "P2.high"))
    match = play(match, "P2 reveal 5 @ c2; P2 reveal 5 @ P3.low")
    verdict = ask(match, "P2 reveal 5 @ P1.low")
    assert (verdict.rule, verdict.reason, verdict.about) == ("TR-K", because("too-many", card="5", copies=3), None)


def test_a_bound_that_leaves_too_few_cards() -> None:
    verdict = ask(table(), "P1 reveal 11 @ P1.low")
    assert (verdict.rule, verdict.reason, verdict.about) == ("TR-F", because("cannot-be", card="11"), None)
    assert ruling(table(), "P1 reveal 10 @ P1.low") == (LEGAL, "TR-1")


def test_two_bounds_that_cannot_both_be_true() -> None:
    match = play(table(), "P1 reveal 9 @ P2.low")
    verdict = ask(match, "P1 reveal 9 @ P3.low")
    assert (verdict.ruling, verdict.rule, verdict.about) == (ILLEGAL, "TR-F", 0)
    assert verdict.reason == because("cannot-both", card="9")
    match = let_stand(match, "P1 reveal 9 @ P3.low")
    assert match.state.sides[1][0][0].unseen[0].low == 1


def test_only_one_end_is_possible_for_the_rest_of_the_table() -> None:
    match = play(table(), "P1 reveal 9 @ P2.low")
    # As the lowest it would need eight more high cards; as the highest it needs none.
    assert ask(match, "P1 reveal 9 @ P3").reason.key == "shows-high"


# Teams


def test_swaps_before_the_first_card() -> None:
    match = table(4, format="team")
    assert match.rules.todo(match.state)[:2] == (because("todo-swap", seats=(0, 2)), because("todo-swap", seats=(1, 3)))
    match = play(match, "P4 swap ? @ P2")
    assert ask(match, "P2 swap ? @ P4").reason == because("swap-done", seats=(1, 3))
    assert ruling(match, "P2 swap ? @ P4") == (ILLEGAL, "TR-S5")
    assert ruling(match, "P1 swap ? @ P2") == (ILLEGAL, "TR-S5")
    assert ask(match, "P1 swap ? ? @ P3").reason == because("swap-count", seats=(0, 2), cards=2)
    match = play(match, "P1 reveal 3 @ P2.low")
    assert ask(match, "P1 swap ? @ P3").reason == because("swap-closed", seats=(0, 2))
    assert ruling(match, "P1 swap ? @ P3") == (ILLEGAL, "TR-11")


def test_nobody_swaps_alone() -> None:
    assert ask(table(4), "P1 swap ? @ P3").reason == because("swap-solo")


def test_swaps_after_a_trio() -> None:
    match = win_trio(table(6, format="team"), 3, "P1.low", "P2.low", "P3.low")
    match = play(match, "P5 swap ? @ P2")
    assert ruling(match, "P2 swap ? @ P5") == (ILLEGAL, "TR-11")
    assert ruling(match, "P3 swap ? ? ? @ P6") == (ILLEGAL, "TR-11")
    assert ruling(match, "P3 swap ? @ P5") == (ILLEGAL, "TR-11")
    match = play(match, "P2 reveal 4 @ P2.low")
    assert set(match.state.swaps) == {Swap.CLOSED}
    assert ruling(match, "P3 swap ? @ P6") == (ILLEGAL, "TR-11")


def test_no_swap_with_an_empty_hand() -> None:
    match = table(6, format="team")
    match = win_trio(match, 1, "P2.low", "P2.low", "P2.low")
    match = miss(match, (2, "P2.low"), (9, "P3.high"))
    match = win_trio(match, 2, "P2.low", "P2.low", "P2.low")
    assert held(match.state, 1) == 0
    assert ask(match, "P5 swap ? @ P2").reason == because("swap-empty", seats=(1,))
    assert because("todo-swap", seats=(1, 4)) not in match.rules.todo(match.state)
    assert ruling(match, "P5 swap ? @ P2") == (ILLEGAL, "TR-11")
    assert ruling(match, "P1 swap ? @ P4") == (LEGAL, "TR-11")


def test_a_swapped_card_may_be_anything_its_owner_had() -> None:
    match = table(4, format="team")
    match = miss(match, (5, "P2.low"), (6, "P4.low"))
    match = win_trio(match, 8, "P1.high", "P1.high", "P1.high")
    match = win_trio(match, 1, "P3.low", "P3.low", "P3.low")
    assert ruling(match, "P4 reveal 5 @ P4.low") == (ILLEGAL, "TR-3")
    match = play(match, "P4 swap ? @ P2")
    assert ask(match, "P4 reveal 4 @ P4.low").reason.key == "no-guess", "P2 had nothing below 5 to give"
    assert ruling(match, "P4 reveal 6 @ P2.low") == (LEGAL, "TR-1"), "the 5 may be with P4 now"
    match = play(match, "P4 reveal 5 @ P4.low")
    # Either the 5 that everybody knew came over, or another one.
    assert {guess[0].known for guess in match.state.sides[1]} >= {(), (5,), (6,)}
    assert ruling(match, "P4 reveal 4 @ P4.low") == (ILLEGAL, "TR-3")


def test_partners_share_their_trios() -> None:
    match = win_trio(table(4, format="team"), 3, "P1.low", "P2.low", "P2.low")
    stories = [standing.story for standing in match.rules.standings(match.state)]
    assert stories[0] == because("story-team", trios=("3",), partner_seat=2)
    assert stories[1] == because("story-team-none", partner_seat=3)
    assert [standing.points for standing in match.rules.standings(match.state)] == [1, 0, 1, 0]


# What a human lets stand


def test_a_card_that_cannot_be_the_lowest_is_believed_and_its_claim_is_not() -> None:
    match = play(table(), "P1 reveal 4 @ P2.low")
    match = let_stand(match, "P1 reveal 11 @ P1.low")
    assert [card.value for card in match.state.up] == [4, 11]
    assert [guesses[0][0].unseen[0].low for guesses in match.state.sides] == [1, 4, 1]


def test_an_end_that_was_never_heard_tells_nothing() -> None:
    match = let_stand(table(), "P1 reveal 5 @ P2")
    assert match.state.sides[1][0][0].unseen[0].low == 1
    assert match.state.up[0].home == "P2"


def test_a_card_out_of_turn_starts_the_turn_of_whoever_showed_it() -> None:
    match = let_stand(table(), "P3 reveal 4 @ c1")
    assert match.state.turn == 2
    match = let_stand(match, "P1 reveal 4 @ c2")
    assert (match.state.turn, len(match.state.up)) == (2, 2)


def test_a_turn_that_was_broken_off() -> None:
    assert let_stand(table(), "P1 end").state.turn == 1
    match = let_stand(play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2"), "P1 end")
    assert match.state.phase is Phase.RETURN
    match = let_stand(play(match, "P1 return 4 @ c2"), "P1 end")
    assert (match.state.turn, match.state.up) == (1, ())
    assert match.state.slots[0].value == 4


def test_a_card_in_the_wrong_place() -> None:
    match = let_stand(play(table(), "P1 reveal 4 @ c1; P1 reveal 5 @ P2.low"), "P1 return 4 @ P3")
    assert held(match.state, 2) == 10
    assert ruling(match, "P1 return 5 @ P2") == (LEGAL, "TR-7")
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 5 @ c2")
    assert match.rules.apply(match.state, say(match, "P1 return 4 @ c3")) is match.state, "a card lies there"
    match = play(let_stand(match, "P1 return 4 @ c2"), "P1 return 5 @ c1")
    assert [slot.value for slot in match.state.slots[:2]] == [5, 4]
    match = let_stand(play(table(), "P1 reveal 4 @ c1"), "P1 return 4 @ c1")
    assert match.rules.todo(match.state) == (because("todo-first", seat=0, card=""),)


def test_a_trio_taken_by_somebody_else() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ c3")
    assert match.rules.apply(match.state, say(match, "P1 claim 5 5 5")) is match.state
    match = let_stand(match, "P3 claim 4 4 4")
    assert (match.state.trios, match.state.turn) == (((), (), (4,)), 1)


def test_a_lie_that_shows_later_frees_the_bound() -> None:
    match = miss(table(), (5, "P2.low"), (8, "P2.high"))
    match = let_stand(match, "P2 reveal 3 @ P2.low")
    assert match.line_about(match.verdicts[-1]) == 1
    unseen = match.state.sides[1][0][0].unseen[0]
    assert (unseen.low, unseen.high) == (3, 8)


def test_a_fourth_copy_that_stands_makes_the_others_doubtful() -> None:
    match = miss(table(), (5, "c1"), (6, "P2.high"))
    match = play(match, "P2 reveal 5 @ c2; P2 reveal 5 @ P3.low")
    match = let_stand(match, "P2 reveal 5 @ P1.low")
    assert (match.state.phase, match.state.slots[0].value) == (Phase.CLAIM, None)
    match = play(match, "P2 claim 5 5 5")
    assert match.rules.apply(match.state, say(match, "P3 reveal 5 @ c1")) is match.state, "three lie there already"


def test_cards_exchanged_with_an_opponent_make_both_hands_unknown() -> None:
    match = miss(table(4, format="team"), (5, "P2.low"), (8, "P4.high"))
    match = let_stand(match, "P2 swap ? @ P3")
    assert ruling(match, "P2 reveal 2 @ P2.low") == (LEGAL, "TR-1")
    assert ruling(match, "P2 reveal 9 @ P4.high") == (ILLEGAL, "TR-3"), "nobody took a card of P4"
    assert match.rules.apply(match.state, say(match, "P2 swap ? @ P2")) is match.state
    match = let_stand(match, "P2 swap ? ? @ P4")
    assert [held(match.state, seat) for seat in range(4)] == [9, 9, 9, 9]


def test_a_card_after_a_mismatch_goes_back_with_the_others() -> None:
    match = let_stand(play(table(), "P1 reveal 4 @ c1; P1 reveal 5 @ c2"), "P1 reveal 4 @ P2.low")
    assert (match.state.phase, len(match.state.up)) == (Phase.RETURN, 3)
    match = play(match, "P1 return 4 @ P2; P1 return 5 @ c2; P1 return 4 @ c1")
    assert (match.state.turn, match.state.phase) == (1, Phase.REVEAL)


def test_a_fourth_card_goes_back_before_or_after_the_trio_is_taken() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 4 @ c2; P1 reveal 4 @ P3.low")
    match = let_stand(match, "P1 reveal 9 @ c4")
    assert ruling(match, "P1 return 4 @ c1") == (ILLEGAL, "TR-6")
    before = play(match, "P1 return 9 @ c4")
    assert before.state.phase is Phase.CLAIM
    after = play(match, "P1 claim 4 4 4")
    assert (after.state.turn, after.state.phase) == (0, Phase.RETURN)
    assert play(before, "P1 claim 4 4 4").state.trios == play(after, "P1 return 9 @ c4").state.trios


def test_what_cannot_stand_changes_nothing() -> None:
    match = play(table(), "P1 reveal 4 @ c1; P1 reveal 5 @ c2")
    for text in ("P1 reveal 6 @ c1", "P1 claim 4 5", "P1 return 9 @ c1", "P1 return ? @ c9"):
        assert match.rules.apply(match.state, say(match, text)) is match.state
    assert match.rules.apply(match.state, say(match, "P1 return ? @ c1")) is not match.state
    fresh = table()
    for text in ("P1 reveal ? @ c1", "P1 return 4 @ c1", "P1 claim 4 4 4"):
        assert fresh.rules.apply(fresh.state, say(fresh, text)) is fresh.state


def test_states_that_cannot_be() -> None:
    match = table()
    hand = match.state.sides[0][0][0]
    more = replace(hand, unseen=(replace(hand.unseen[0], low=11),))
    odd = replace(match.state, sides=((((more,),)), *match.state.sides[1:]))
    assert match.rules.status(odd) == (because("status-impossible"),)
    fewer = replace(hand, unseen=(replace(hand.unseen[0], cards=8),))
    odd = replace(match.state, sides=((((hand,), (fewer,))), *match.state.sides[1:]))
    assert because("status-hands") in match.rules.status(odd)


# Decks


def deck(*changed: Card) -> Deck:
    own = {card.code: card for card in rules_of("trio").deck.cards}  # type: ignore[attr-defined]
    return Deck("trio", "other", tuple({**own, **{card.code: card for card in changed}}.values()))


def card(code: str, number: int, links: tuple[int, ...] | str, count: int = 3) -> Card:
    return Card(code, count, "card", (("number", number), ("links", links)))


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (card("7", 7, (), count=2), "count = 2; Trio wants 3 copies"),
        (card("7", 6, ()), "Trio wants 1 to 12, once each"),
        (card("13", 13, ()), "Trio wants 1 to 12, once each"),
        (card("7", 7, (8,)), "7 is linked to 8, but 8 not to 7"),
        (card("7", 7, (7,)), "link '7'"),
        (card("7", 7, (14,)), "link '14'"),
        (card("7", 7, "8"), "wanted a list"),
        (Card("7", 3, "card", (("number", 7),)), "has no 'links'"),
    ],
)
def test_decks_that_cannot_be_used(changed: Card, complaint: str) -> None:
    with pytest.raises(DeckError, match=complaint):
        GameRules(deck(changed))


def test_a_deck_with_other_codes_and_links() -> None:
    own = rules_of("trio").deck.cards  # type: ignore[attr-defined]
    cards = tuple(replace(each, code=f"n{each.code}") for each in own if each.code not in ("7", "8", "1"))
    cards += (card("n7", 7, (8,)), card("n8", 8, (1, 7)), card("n1", 1, (6, 8)))
    rules = GameRules(Deck("trio", "other", cards))
    assert rules.links[8] == (1, 7)
    state = rules.start(3, {"goal": "mild", "format": "solo", "first": "P1"})
    assert {move.cards[0] for move in rules.legal_moves(state)} == {f"n{value}" for value in range(1, 13)}
