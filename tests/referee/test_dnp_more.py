"""dnp: the rulings table, the duel, what a human lets stand, prompts, and decks that cannot be used."""

from dataclasses import replace

import pytest

from models.cards import Card, Deck, DeckError, Trait, own_deck
from referee.games.dnp.rules import GameRules
from referee.games.dnp.state import Dead, Fate, Phase, Player, State
from referee.match import AnyMatch
from referee.moves import Move, NotationError
from referee.texts import LANGUAGES, load_texts
from referee.verdicts import Ruling
from tests.referee.games_played import NAMES, rules_of
from tests.referee.table_talk import ask, play, ruling, say
from tests.referee.test_dnp import dnp, hands, known, nine_out, points, table, taken_twos, thin, turn

LEGAL, ILLEGAL, UNCLEAR = Ruling.LEGAL, Ruling.ILLEGAL, Ruling.UNCLEAR


def let(match: AnyMatch, text: str) -> AnyMatch:
    """A human lets a move stand that the referee does not call legal."""
    match = match.play(say(match, text))
    assert match.verdicts[-1].ruling is not LEGAL
    match = match.stand(len(match.log) - 1)
    assert not match.rules.status(match.state)
    return match


# The deck and the deal


@pytest.mark.parametrize(("players", "cards"), [(2, 26), (3, 30), (4, 36), (5, 40)])
def test_the_deck_shrinks_with_the_players_and_deals_out_evenly(players: int, cards: int) -> None:
    match = dnp(players)
    assert len(match.state.unseen) == cards
    assert hands(match) == [cards // players] * players


def test_the_deck_has_the_published_counts() -> None:
    deck = own_deck("dnp")
    groups = [card.word("group") for card in deck.cards for _ in range(card.count)]
    assert [groups.count(group) for group in ("base", "C", "B", "A")] == [26, 4, 6, 4]
    ends = [card.number(end) for card in deck.cards for _ in range(card.count) for end in "ab"]
    assert [ends.count(value) for value in range(1, 11)] == [10, 10, 10, 9, 9, 9, 8, 7, 5, 3]


def test_cards_of_a_removed_group_are_not_in_play() -> None:
    match = dnp(2, "P1 star")
    verdict = ask(match, "P1 play 10/1 @ P1.2")
    assert (verdict.ruling, verdict.rule, verdict.reason.key) == (ILLEGAL, "DN-K", "not-in-play")
    assert ruling(match, "P1 play 6/3 @ P1.2") == (LEGAL, "DN-A")
    assert ask(match, "P1 play 6/3 6/3 @ P1.2").reason.key == "no-copy"


def with_card(change: str, **traits: Trait) -> Deck:
    deck = own_deck("dnp")
    cards = [
        Card(c.code, c.count, c.kind, tuple({**dict(c.traits), **traits}.items())) if c.code == change else c
        for c in deck.cards
    ]
    return Deck("dnp", "changed", tuple(cards))


@pytest.mark.parametrize(
    ("deck", "message"),
    [
        (with_card("1/6", b=11), "from 1 to 10"),
        (with_card("1/6", b=1), "two different values"),
        (with_card("1/6", b="six"), "wanted a whole number"),
        (with_card("1/6", group="D"), "wanted base, C, B, A"),
        (with_card("1/5", star=False), "0 cards with a star"),
        (with_card("1/6", star=True), "3 cards with a star"),
        (with_card("1/6", b=5), "another card has the values of the star card"),
        (with_card("1/5", group="C"), "must be in group 'base'"),
        (Deck("dnp", "tiny", own_deck("dnp").cards[:1]), "1 cards in play with 2 players"),
    ],
)
def test_a_deck_that_cannot_be_used_is_refused(deck: Deck, message: str) -> None:
    with pytest.raises(DeckError, match=message):
        GameRules(deck)


def test_a_deck_that_does_not_divide_gives_the_first_seats_one_more() -> None:
    state = GameRules(Deck("dnp", "odd", own_deck("dnp").cards[:6])).start(3, {})
    assert [player.hand for player in state.players] == [3, 3, 3]
    state = GameRules(Deck("dnp", "odd", own_deck("dnp").cards[:7])).start(3, {})
    assert [player.hand for player in state.players] == [4, 4, 3]


@pytest.mark.parametrize("text", ["P1 play 9/10", "P1 play", "P1 play 8/3 @ P1", "P1 add 5/3", "P4 flip", "P1 redeal"])
def test_words_that_are_not_of_the_game(text: str) -> None:
    with pytest.raises(NotationError):
        say(dnp(3), text)


def test_the_order_of_cards_means_nothing() -> None:
    match = dnp(3)
    assert say(match, "P1 play 8/3 8/1 8/2") == say(match, "P1 play 8/1 8/2 8/3")


# Turns and the star


def test_nothing_happens_before_the_star_is_named_and_it_is_named_once() -> None:
    match = dnp(3)
    for text in ("P1 flip", "P2 play 8/1", "P3 discard"):
        assert ruling(match, text) == (ILLEGAL, "DN-2")
    match = play(match, "P3 star")
    assert turn(match) == (2, 0)
    assert ruling(match, "P3 star") == (ILLEGAL, "DN-2")
    assert ruling(match, "P1 star") == (ILLEGAL, "DN-2")


def test_the_turn_goes_clockwise() -> None:
    match = dnp(3, "P3 star; P3 flip")
    assert turn(match) == (0, 0)
    assert ruling(match, "P2 flip") == (ILLEGAL, "DN-2")
    assert ruling(match, "P3 flip") == (ILLEGAL, "DN-4")


def test_there_is_nothing_to_discard_twice() -> None:
    match = dnp(3, "P1 star")
    assert ruling(match, "P1 discard") == (ILLEGAL, "DN-3")
    match = play(match, "P1 play 8/1; P2 flip; P3 flip; P1 discard")
    assert ruling(match, "P1 discard") == (ILLEGAL, "DN-3")


def test_the_starter_keeps_room_for_the_star_card() -> None:
    match = thin(dnp(3, "P1 star"), {0: 2}, keep="8/1 8/2 1/6")
    assert ruling(match, "P1 play 8/1") == (LEGAL, "DN-A")
    verdict = ask(match, "P1 play 8/1 8/2")
    assert (verdict.ruling, verdict.rule, verdict.about) == (ILLEGAL, "DN-2", 0)
    match = play(match, "P1 play 8/1; P2 flip; P3 flip; P1 discard")
    assert ruling(match, "P1 play 8/2") == (ILLEGAL, "DN-2")
    assert ruling(match, "P1 play 1/5") == (LEGAL, "DN-A")
    # Once P1 was let play anything else, the star card may be in any other hand.
    stood = let(match, "P1 play 8/2")
    assert stood.state.claim is None
    assert stood.state.players[0].out
    assert ruling(stood, "P2 play 1/5 1/6") == (LEGAL, "DN-A")


def test_a_false_star_claim_is_forgotten_when_the_star_stands() -> None:
    match = let(dnp(3, "P1 star; P1 flip; P2 flip"), "P3 play 5/1")
    assert match.verdicts[-1].about == 0
    assert match.state.claim is None
    assert (table(match), hands(match), turn(match)) == (["5×1"], [10, 10, 9], (0, 0))


# What a hand can hold


def test_discarded_cards_stay_away() -> None:
    match = dnp(3, "P1 star; P1 play 8/1; P2 flip; P3 flip; P1 discard")
    verdict = ask(match, "P1 play 1/8")
    assert (verdict.ruling, verdict.rule, verdict.reason.key) == (ILLEGAL, "DN-K", "no-copy")
    assert dict(verdict.reason.args)["discarded"] == 1


def test_a_hand_of_known_cards_holds_nothing_else() -> None:
    match = play(thin(dnp(3, "P1 star; P1 play 8/1 8/2 8/4"), {1: 1}, keep="3/9 7/6"), "P2 take @ P1; P3 flip; P1 flip")
    assert known(match, 1) == ["1/8", "2/8", "4/8"]
    assert ruling(match, "P2 play 3/9") == (LEGAL, "DN-A")
    match = play(match, "P2 play 3/9; P3 flip; P1 flip; P2 discard")
    verdict = ask(match, "P2 play 7/6")
    assert (verdict.ruling, verdict.rule, verdict.reason.key) == (ILLEGAL, "DN-K", "no-room")
    assert ruling(match, "P2 play 1/8") == (LEGAL, "DN-A")
    assert ruling(match, "P2 play 8/1") == (ILLEGAL, "DN-5")
    assert ask(match, "P2 play 1/6 1/7 1/8 1/9").reason.key == "hand-short"


def test_a_card_known_elsewhere_cannot_come_from_here() -> None:
    match = taken_twos()
    assert ruling(match, "P3 play 9/2") == (ILLEGAL, "DN-K")
    assert ruling(match, "P3 play 5/2") == (LEGAL, "DN-A")
    assert ruling(match, "P3 play 5/2 5/2") == (ILLEGAL, "DN-K")


def test_of_two_copies_the_other_may_lie_the_other_way() -> None:
    match = dnp(3, "P1 star; P1 play 1/6; P2 take @ P1; P3 flip; P1 flip")
    assert known(match, 1) == ["6/1"]
    assert ruling(match, "P2 play 1/6") == (LEGAL, "DN-A")
    assert ruling(match, "P2 play 6/1 6/1") == (LEGAL, "DN-A")
    verdict = ask(match, "P2 play 1/6 1/6")
    assert (verdict.ruling, verdict.rule, verdict.about) == (ILLEGAL, "DN-5", 2)
    assert known(play(match, "P2 play 1/6"), 1) == ["6/1"]
    assert known(play(match, "P2 play 6/1"), 1) == []


def test_a_beaten_set_that_was_not_flipped_shows_at_the_beating_move() -> None:
    match = dnp(3, "P1 star; P1 play 7/3; P2 play 8/3; P3 flip")
    verdict = ask(match, "P1 play 7/3 7/1")
    assert (verdict.ruling, verdict.rule, verdict.about) == (ILLEGAL, "DN-5", 2)


def test_an_unread_card_is_asked_for_unless_the_rest_is_wrong_anyway() -> None:
    match = dnp(3, "P1 star; P1 play 7/3; P2 play 4/6 4/7")
    assert ruling(match, "P3 play ?") == (UNCLEAR, "DN-A")
    assert ruling(match, "P3 play 6/1 ?") == (UNCLEAR, "DN-A")
    assert ruling(match, "P3 play 3/5 ?") == (ILLEGAL, "DN-A")
    assert ruling(match, "P3 play 3/5 8/1 ?") == (ILLEGAL, "DN-A")
    assert ruling(match, "P3 play 7/3 ? ?") == (ILLEGAL, "DN-K")
    assert ruling(match, "P3 add ? @ P1") == (UNCLEAR, "DN-B")


def test_an_unread_card_that_was_added_has_left_the_hand() -> None:
    match = dnp(3, "P1 star; P1 play 7/3; P2 play 4/6 4/7")
    after = let(match, "P3 add ? @ P1")
    assert hands(after)[2] == hands(match)[2] - 1


def test_a_set_that_was_not_seen_is_beaten_taken_and_counted_as_any_other() -> None:
    match = dnp(3, "P1 star; P1 play 7/3 7/4")
    after = let(match, "P2 play ? ?")
    assert (table(after), hands(after)) == (["?×2"], [10, 8, 10]), "it has beaten the set of its size"
    taken = play(after, "P3 take @ P2")
    assert (table(taken), hands(taken), known(taken, 2)) == ([], [10, 8, 12], [])
    assert not taken.rules.status(taken.state)
    beaten = play(after, "P3 play 2/5 2/6")
    assert (table(beaten), hands(beaten)) == (["2×2"], [10, 10, 8])
    added = let(play(match, "P2 flip"), "P3 add ? @ P1")
    assert hands(play(added, "P1 discard")) == [8, 10, 9]


def test_the_last_cards_of_a_hand_may_be_played_unseen_and_taken_by_another() -> None:
    match = thin(dnp(3, "P1 star; P1 play 7/3"), {1: 2})
    after = let(match, "P2 play ? ?")
    assert (hands(after)[1], points(after)) == (0, [0, 2, 0])
    assert hands(play(after, "P3 take @ P2")) == [9, 0, 12]


# The rulings table


def test_equal_value_and_size_is_illegal_for_play_and_add() -> None:
    match = dnp(3, "P1 star; P1 play 5/7; P2 play 5/8 5/3")
    assert ruling(match, "P3 play 5/2") == (ILLEGAL, "DN-A")
    assert ruling(match, "P3 add 5/2 @ P1") == (ILLEGAL, "DN-B")


def test_two_cards_are_one_too_many_to_add() -> None:
    assert ruling(dnp(3, "P1 star; P1 play 5/7"), "P2 add 5/2 5/3 @ P1") == (ILLEGAL, "DN-B")
    assert ruling(dnp(3, "P1 star; P1 play 5/7"), "P2 add 5/2 @ P3") == (ILLEGAL, "DN-B")
    assert ruling(dnp(3, "P1 star; P1 play 5/7"), "P2 take @ P3") == (ILLEGAL, "DN-C")


def test_mixed_values_are_no_set() -> None:
    match = dnp(3, "P1 star")
    assert ruling(match, "P1 play 8/1 7/1") == (ILLEGAL, "DN-A")
    stray = let(match, "P1 play 8/1 7/1").state
    assert stray.dead == (Dead(0, 0, ("7/1", "8/1"), Fate.STRAY),)
    assert replace(stray, dead=(), ply=match.state.ply) == match.state


def test_after_three_quiet_laps_the_table_may_deal_anew() -> None:
    match = dnp(3, "P1 star; P1 play 8/1; P2 take @ P1")
    quiet = ["P3 flip", "P1 flip", "P2 flip"] * 3
    match = play(match, quiet[:7])
    assert ruling(match, "table redeal") == (ILLEGAL, "DN-R")
    match = play(match, quiet[7:8])
    assert "todo-redeal" in {reason.key for reason in match.rules.todo(match.state)}
    again = play(match, "table redeal")
    assert (again.state.phase, again.state.round, hands(again), known(again, 1)) == (Phase.STAR, 1, [10, 10, 10], [])
    assert ruling(play(match, "P2 play 1/8"), "table redeal") == (ILLEGAL, "DN-R")


def test_a_new_deal_keeps_the_points_of_who_was_out() -> None:
    match = play(nine_out(), ["P3 flip", "P1 flip"] * 3)
    assert points(play(match, "table redeal; P2 star; P2 flip")) == [0, 2, 0]


# The duel


def test_duel_a_set_goes_into_the_area_of_the_turn() -> None:
    match = dnp(2, "P1 star")
    for place in ("", " @ P1.1", " @ P2.1", " @ P2.2"):
        assert ruling(match, f"P1 play 8/1{place}") == (ILLEGAL, "DN-X2")
    assert ruling(match, "P1 play 8/1 @ P1.2") == (LEGAL, "DN-A")


def test_duel_only_the_set_of_the_turns_area_is_discarded() -> None:
    match = dnp(2, "P1 star; P1 play 8/1 @ P1.2; P2 flip; P2 flip")
    assert ruling(match, "P1 discard") == (ILLEGAL, "DN-3")
    match = play(match, "P1 play 3/4 3/5 @ P1.1")
    assert ruling(match, "P1 flip") == (ILLEGAL, "DN-3")
    assert table(play(match, "P1 discard")) == ["3×2"]


def test_duel_an_added_card_can_beat_the_own_set() -> None:
    match = dnp(2, "P1 star; P1 play 5/7 @ P1.2; P2 play 3/4 3/5 @ P2.1")
    beaten = play(match, "P2 add 5/8 @ P1.2")
    assert beaten.verdicts[-1].reason.key == "adds-own"
    assert (table(beaten), known(beaten, 1)) == (["5×2"], ["4/3", "5/3"])


def test_duel_the_opponents_two_sets_can_conflict() -> None:
    match = dnp(2, "P2 star; P2 flip; P1 play 4/6 4/7 @ P1.1; P1 play 6/1 @ P1.2")
    match = play(match, "P2 add 6/7 @ P1.2")
    assert match.verdicts[-1].reason.key == "adds-back"
    assert (table(match), known(match, 0)) == (["6×2"], ["6/4", "7/4"])


def test_duel_two_rounds_win() -> None:
    match = play(thin(dnp(2, "P1 star"), {0: 1}), "P1 play 1/5 @ P1.2")
    assert (points(match), match.state.round, match.state.phase) == ([1, 0], 2, Phase.STAR)
    match = play(thin(play(match, "P1 star"), {0: 1}), "P1 play 1/5 @ P1.2")
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert (outcome.winners, outcome.places, outcome.why.key) == ((0,), ((0,), (1,)), "won-rounds")
    assert ruling(match, "P2 flip") == (ILLEGAL, "DN-X4")


# What a human lets stand


def test_what_stands_is_done_as_well_as_it_can_be() -> None:
    match = dnp(3, "P1 star; P1 play 7/3; P2 play 8/1 8/2")
    low = let(match, "P3 play 4/6")
    assert (table(low), known(low, 0)) == (["8×2", "4×1"], ["3/7"])
    forgot = let(play(match, "P3 flip"), "P1 play 8/3")
    assert (table(forgot), forgot.state.discarded) == (["8×1", "8×2"], ("7/3",))
    twice = let(match, "P2 add 7/1 @ P1")
    assert (table(twice), turn(twice)) == (["7×2"], (2, 0))
    skipped = let(play(match, "P3 flip; P1 discard; P1 flip"), "P3 play 8/3")
    assert turn(skipped) == (0, 0)


def test_an_impossible_card_that_stands_changes_what_is_known() -> None:
    match = taken_twos()
    unturned = let(play(match, "P3 flip; P4 flip; P1 flip"), "P2 play 2/9")
    assert (known(unturned, 1), table(unturned)) == (["5/2", "7/2"], ["2×1"])
    elsewhere = let(match, "P3 play 9/2")
    assert (known(elsewhere, 1), hands(elsewhere)) == (["5/2", "7/2"], [6, 12, 8, 9])
    gone = dnp(3, "P1 star; P1 play 8/1; P2 flip; P3 flip; P1 discard")
    assert let(gone, "P1 play 1/8").state.dead == (Dead(0, 0, ("1/8",), Fate.STRAY),)


# Prompts and texts


def test_todo_says_who_does_what() -> None:
    rules, texts = rules_of("dnp"), load_texts("dnp", "en")

    def todo(match: AnyMatch) -> list[str]:
        return [texts.say(reason, NAMES) for reason in rules.todo(match.state)]

    match = dnp(3)
    assert todo(match) == ["Round 1: shuffle and deal all 30 cards (hands: 10 10 10). Who holds the star card 1/5?"]
    match = play(match, "P1 star; P1 play 8/1")
    flips = "plays a set, adds a card, takes a set or flips the hand"
    assert todo(match) == [f"Bartek {flips} (10 cards). On the table: 8×1."]
    assert todo(play(match, "P2 flip; P3 flip")) == ["Ala discards 8×1 (P1)."]
    assert "On the table: nothing." in todo(dnp(2, "P1 star"))[0]
    assert "P1.2" in todo(dnp(2, "P1 star"))[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_impossible_tables_are_spoken_of(language: str) -> None:
    rules, texts = rules_of("dnp"), load_texts("dnp", language)
    one, two = Player(1, (("3/4", "3/5"),)), Player(-1, (("8/1", "8/2"),))
    mixed = Player(0, (("8/3", "7/1", "6/1"),))
    faults = rules.status(State(0, 1, Phase.TURNS, (one, two, mixed), ()))
    keys = {"status-lost", "status-sizes", "status-mixed", "status-cards", "status-hand"}
    assert {fault.key for fault in faults} == keys
    assert all(texts.say(fault, NAMES) for fault in faults)


def test_standings_tell_hand_points_and_story() -> None:
    match = nine_out()
    out = match.rules.standings(match.state)[1]
    assert (out.hand, out.points, out.story.key) == (0, 2, "story-out")
    taker = play(match, "P3 take @ P2")
    story = load_texts("dnp", "en").say(taker.rules.standings(taker.state)[2].story, NAMES)
    assert story == "in front: nothing; known in hand: 1/9"


def test_a_move_after_the_end_changes_nothing() -> None:
    match = dnp(3, "P1 star")
    over = replace(match.state, phase=Phase.OVER)
    assert match.rules.apply(over, Move(0, "flip")) is over
