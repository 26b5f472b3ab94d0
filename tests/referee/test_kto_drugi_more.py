"""Kto drugi, ten lepszy: what else could go wrong."""

from collections import Counter
from dataclasses import replace

import pytest

from models.cards import Card, Deck, DeckError, Trait
from referee.games.kto_drugi.rules import GameRules
from referee.games.kto_drugi.state import Due, Phase, heaps, move_order, rank
from referee.match import AnyMatch
from referee.moves import Move, NotationError
from referee.record import read_record
from referee.rules import Opening
from referee.selfplay import self_play
from referee.texts import load_texts
from referee.transcript import judge_record
from referee.verdicts import Ruling, because
from tests.referee.games_played import rules_of
from tests.referee.table_talk import ask, open_match, play, ruling, say
from tests.referee.test_kto_drugi import lay, positions, race, standing_on, white_deck

LEGAL, ILLEGAL, UNCLEAR = Ruling.LEGAL, Ruling.ILLEGAL, Ruling.UNCLEAR


def turned(match: AnyMatch, *cards: str) -> AnyMatch:
    """P1, P2 … lay a card in front of themselves and turn it."""
    match = lay(match, *range(1, match.state.players + 1))
    return play(match, [f"P{seat} turn {card}" for seat, card in enumerate(cards, 1)])


def test_own_deck_is_the_one_of_the_rulebook() -> None:
    deck = rules_of("kto_drugi").deck  # type: ignore[attr-defined]
    values = Counter(card.number("value") for card in deck.of("race") for _ in range(card.count))
    assert values == {-4: 1, -3: 3, -2: 4, -1: 5, 1: 6, 2: 5, 3: 4, 4: 3, 5: 1}
    whites = sorted((card.number("white"), abs(card.number("value"))) for card in deck.of("race"))
    assert [white for white, _ in whites] == list(range(1, 33))
    assert [size for _, size in whites] == sorted(size for _, size in whites)
    assert deck.total("colour") == 6


@pytest.mark.parametrize(
    ("code", "count", "traits", "wanted"),
    [
        ("+17/1", 40, (("value", 17), ("white", 1)), "wanted -12 to 16"),
        ("0/1", 40, (("value", 0), ("white", 1)), "not 0"),
        ("+2/x", 40, (("value", 2), ("white", -1)), "wanted 0 or more"),
        ("+2", 40, (("value", 2), ("white", 1)), "more than the value"),
        ("+2/1", 29, (("value", 2), ("white", 1)), "at least 30"),
        ("+2/1", 40, (("value", 2),), "no 'white'"),
    ],
)
def test_decks_that_cannot_be_used(code: str, count: int, traits: tuple[tuple[str, Trait], ...], wanted: str) -> None:
    with pytest.raises(DeckError, match=wanted):
        GameRules(Deck("kto_drugi", "odd", (Card(code, count, "race", traits),)))


# Laying


def test_one_card_each() -> None:
    match = play(race(3), "P1 lay ? @ P2")
    assert ruling(match, "P1 lay ? @ P1") == (ILLEGAL, "KD-5")
    assert ask(match, "P2 lay ? ? @ P1").reason == because("lay-count", seat=1, cards=2)
    everything = lay(race(3), 2, 2, 2)
    assert everything.state.chairs[1].before == 3
    assert ruling(everything, "P1 lay ? @ P1") == (ILLEGAL, "KD-5")


def test_cards_are_put_aside_before_the_next_round() -> None:
    match = turned(race(3), "+1", "-1", "+2")
    for early in (race(3), lay(race(3), 1, 2, 3), match):
        assert ruling(early, "table clear") == (ILLEGAL, "KD-8")
    match = play(match, "P1 move P1 @ 1; P2 move P2 @ -1; P3 move P3 @ 2")
    assert ruling(match, "P1 lay ? @ P1") == (ILLEGAL, "KD-8")
    assert match.rules.todo(match.state) == (because("todo-clear", cards=3, round=1),)
    match = play(match, "table clear; P1 lay ? @ P1")
    assert (match.state.round, match.state.aside) == (2, 3)
    assert [chair.hand for chair in match.state.chairs] == [3, 4, 4]


def test_tactical_cards_lie_in_front_of_their_players() -> None:
    match = race(3, tactical="yes")
    assert ruling(match, "P1 lay ? @ P2") == (ILLEGAL, "KD-T1")
    assert ruling(match, "P1 lay ? @ P1") == (LEGAL, "KD-T1")
    last = standing_on(match, 0, 0, 0, in_round=5)
    assert ruling(last, "P1 lay ? @ P2") == (ILLEGAL, "KD-T1")


# Turning


def test_a_heap_is_turned_whole_and_once() -> None:
    match = lay(race(3), 2, 2, 3)
    assert ruling(match, "P1 turn +1") == (ILLEGAL, "KD-7")
    for cards in ("+1", "+1 +1 +1"):
        wrong = ask(match, f"P2 turn {cards}")
        assert wrong.reason == because("turn-count", seat=1, shown=len(cards.split()), cards=2)
    match = play(match, "P2 turn +1 -1")
    assert ruling(match, "P2 turn +1 -1") == (ILLEGAL, "KD-7")
    assert match.rules.todo(match.state) == (because("todo-turn", seat=2, cards=1),)


def test_order_of_a_heap_means_nothing() -> None:
    match = race(3)
    assert say(match, "P1 turn +2 -1 +2/12") == say(match, "P1 turn +2/12 +2 -1")


def test_unknown_cards_are_no_words() -> None:
    for words in ("+6", "+2/13", "2", "RED"):
        with pytest.raises(NotationError):
            say(race(3), f"P1 turn {words}")


def test_a_card_may_be_written_by_value_or_by_code() -> None:
    match = lay(race(3), 1, 2, 3)
    assert ruling(match, "P1 turn +2") == ruling(match, "P1 turn +2/12") == (LEGAL, "KD-7")
    assert ruling(match, "P1 turn ?") == (UNCLEAR, "KD-7")
    single = [move for move in match.rules.legal_moves(match.state) if move.seat == 0]
    assert len(single) == 9 + 32


def test_values_and_codes_are_counted_together() -> None:
    match = play(lay(race(6), 1, 1, 1, 1, 2, 2), "P1 turn +2 +2 +2 +2/12")
    assert ruling(match, "P2 turn +2 +1") == (LEGAL, "KD-7")
    assert ruling(match, "P2 turn +2 +2/14") == (ILLEGAL, "KD-K")
    assert ruling(match, "P2 turn +2/12 +1") == (ILLEGAL, "KD-K")
    assert ask(match, "P2 turn +2/12 +1").reason == because("too-many", card="+2/12", copies=1)


def test_the_deck_is_whole_again_in_the_next_stage() -> None:
    match = turned(standing_on(race(3), 3, 2, 1, in_round=5), "+5", "-1", "+1")
    match = play(match, "P1 move P1 @ 8; P2 move P2 @ 1; P3 move P3 @ 2")
    assert [chair.points for chair in match.state.chairs] == [(0,), (0,), (2,)]
    assert match.rules.todo(match.state)[0].key == "todo-stage"
    match = play(match, "table clear")
    assert (match.state.stage, match.state.round, positions(match)) == (2, 1, [0, 0, 0])
    assert play(lay(match, 1, 2, 3), "P1 turn +5").state.stage == 2


def test_heaps_keep_to_the_copies() -> None:
    kinds = (("+1", 0, 9), ("+1/a", 0, 1), ("-1/b", 1, 2))
    found = list(heaps(kinds, (2, 1), 2))
    assert found == [("+1", "+1"), ("+1", "+1/a"), ("+1", "-1/b"), ("+1/a", "-1/b")]


# Moving


def test_figures_move_when_all_cards_are_turned() -> None:
    match = play(lay(race(3), 1, 2, 3), "P1 turn +2; P2 turn +1")
    assert ruling(match, "P1 move P1 @ 2") == (ILLEGAL, "KD-7")
    match = play(match, "P3 turn -2")
    assert ruling(match, "P1 move P2 @ 1") == (ILLEGAL, "KD-7")
    assert ruling(match, "P1 move P1 P2 @ 2") == (ILLEGAL, "KD-7")
    assert match.rules.todo(match.state)[0] == because("todo-move", seat=0, sum="+2", space="2")
    match = play(match, "P3 move P3 @ -2; P1 move P1 @ 2")
    assert ruling(match, "P1 move P1 @ 4") == (ILLEGAL, "KD-7")
    match = play(match, "P2 move P2 @ 1")
    assert ruling(match, "P2 move P2 @ 2") == (ILLEGAL, "KD-7")


def test_nobody_moves_when_nothing_changes() -> None:
    match = play(lay(standing_on(race(3), 16, -12, 0), 1, 3, 3), "P1 turn +3; P3 turn +1 -1")
    assert match.state.phase is Phase.CLEAR


def test_a_stopped_figure_comes_back() -> None:
    match = turned(standing_on(race(3), 16, -12, 0), "-1", "+1", "+1")
    match = play(match, "P1 move P1 @ 15; P2 move P2 @ -11; P3 move P3 @ 1")
    assert positions(match) == [15, -11, 1]


# Leon


def test_leon_has_a_chair_a_stack_and_no_will() -> None:
    match = race(2)
    assert [chair.hand for chair in match.state.chairs] == [5, 5, 4]
    assert match.state.stock == 18
    assert ruling(match, "P3 lay ? @ P3") == (ILLEGAL, "KD-L2")
    assert ruling(match, "P3 turn -1") == (ILLEGAL, "KD-5")
    match = lay(match, 1, 2)
    assert ruling(match, "P3 turn ?") == (UNCLEAR, "KD-L2")
    match = play(match, "P3 turn -1")
    assert ruling(match, "P3 turn -1") == (ILLEGAL, "KD-7")


def test_leon_plays_no_card_in_round_5() -> None:
    match = standing_on(race(2), 5, 3, 4, in_round=5)
    assert match.state.chairs[2].hand == 0
    assert ruling(match, "P3 turn +1") == (ILLEGAL, "KD-L3")
    assert ruling(match, "P1 lay ? @ P3") == (ILLEGAL, "KD-9")
    match = lay(match, 1, 2)
    assert ruling(match, "P3 turn +1") == (ILLEGAL, "KD-L3")
    match = play(match, "P1 turn +2; P2 turn -1; P1 move P1 @ 7; P2 move P2 @ 2")
    assert [chair.points for chair in match.state.chairs] == [(0,), (0,), (4,)]
    assert match.rules.todo(match.state)[0].key == "todo-stage-leon"


def test_tactical_leon_moves_himself_at_his_place() -> None:
    match = lay(race(2, tactical="yes"), 1, 2)
    match = play(match, "P1 turn +3/21; P2 turn +1/1; P3 turn -2/13")
    match = play(match, "P1 move P3 @ 3")
    assert match.rules.todo(match.state) == (because("todo-push-leon", seat=2, sum="-2", white=13),)
    assert ruling(match, "P2 move P2 @ 1") == (ILLEGAL, "KD-T2")
    assert ruling(match, "P3 move P1 @ -2") == (ILLEGAL, "KD-L2")
    assert positions(play(match, "P3 move P3 @ 1; P2 move P3 @ 2")) == [0, 0, 2]


def test_leon_is_called_leon() -> None:
    rules = rules_of("kto_drugi")
    texts = [load_texts("kto_drugi", language) for language in ("en", "pl")]
    for seed, tactical in enumerate(("no", "yes") * 3):
        opening = Opening("kto_drugi", ("Julia", "Adam"), (("tactical", tactical),))
        written = self_play(rules, opening, seed, cheat_rate=0.3)
        for ruled in judge_record(read_record(str(written), rules), rules):
            state = ruled.match.state
            outcome = rules.outcome(state)
            reasons = [*rules.todo(state), *(standing.story for standing in rules.standings(state))]
            reasons += [outcome.why] if outcome else []
            reasons += [ruled.verdict.reason] if ruled.verdict else []
            assert not [text for text in texts for reason in reasons if "P3" in text.say(reason, opening.names)]


def test_leon_shares_a_victory_by_name() -> None:
    outcome = rank((9, 4, 4), 2)
    assert outcome.winners == (1, 2)
    assert "Adam and Leon" in load_texts("kto_drugi", "en").say(outcome.why, ("Julia", "Adam"))


# Tactical


def test_tactical_needs_the_white_number() -> None:
    match = lay(race(3, tactical="yes"), 1, 2, 3)
    assert ruling(match, "P1 turn +2") == (UNCLEAR, "KD-T2")
    assert ruling(match, "P1 turn +2/12") == (LEGAL, "KD-T1")
    match = play(match, "P1 turn +2/12")
    assert ruling(match, "P2 turn +2/12") == (ILLEGAL, "KD-K")
    assert ruling(match, "P2 turn +2/14") == (LEGAL, "KD-T1")


def test_tactical_every_card_moves_one_figure() -> None:
    match = turned(standing_on(race(3, tactical="yes"), 16, 0, 0), "+5/32", "-4/30", "+1/1")
    moves = {str(move) for move in match.rules.legal_moves(match.state)}
    assert moves == {"P1 move P1 @ 16", "P1 move P2 @ 5", "P1 move P3 @ 5"}
    assert ruling(match, "P1 move P2 P3 @ 5") == (ILLEGAL, "KD-T3")
    assert ruling(match, "table clear") == (ILLEGAL, "KD-8")
    match = play(match, "P1 move P1 @ 16")
    assert match.rules.todo(match.state) == (because("todo-push", seat=1, sum="-4", white=30),)


def test_equal_white_numbers() -> None:
    match = turned(open_match(GameRules(white_deck()), 3, tactical="yes"), "+1/20", "+4/20", "-4/20")
    assert [due.seat for due in match.state.queue] == [1, 2, 0]
    same = [(Due(seat, "+1/0"), 1, 0) for seat in range(4)]
    assert [due.seat for due in move_order(same, 4)] == [0, 1, 2, 3]
    after = [(Due(2, "+2/5"), 2, 5), *same[:2], same[3]]
    assert [due.seat for due in move_order(after, 4)] == [2, 3, 0, 1]


# The end, and what a human lets stand


def test_the_game_is_over_when_the_last_figure_stands() -> None:
    match = race(3)
    sheets = ((1, 2, 3, 5), (1, 2, 3, 0), (1, 2, 3, 0))
    chairs = tuple(replace(chair, points=sheet) for chair, sheet in zip(match.state.chairs, sheets, strict=True))
    match = replace(match, states=(replace(match.state, stage=5, chairs=chairs),))
    match = turned(standing_on(match, 4, 2, 1, in_round=5), "+1", "+1", "+1")
    match = play(match, "P1 move P1 @ 5; P2 move P2 @ 3; P3 move P3 @ 2")
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert outcome.winners == (1,)
    assert outcome.why == because("won", seat=1, points=9, highest=11)
    assert match.rules.todo(match.state) == ()
    for text in ("table clear", "P1 lay ? @ P1", "P1 turn +1", "P1 move P1 @ 6"):
        assert ask(match, text).reason == because("over")
        assert match.rules.apply(match.state, say(match, text)) is match.state


def test_two_cards_that_a_human_lets_stand() -> None:
    match = race(3)
    match = match.play(say(match, "P1 lay ? ? @ P2"))
    assert match.state.ply == 0
    match = match.stand(0)
    assert (match.state.chairs[0].hand, match.state.chairs[1].before) == (3, 2)
    match = play(match, "P2 lay ? @ P3; P3 lay ? @ P3; P2 turn +1 +1; P3 turn +1 +1")
    match = play(match, "P2 move P2 @ 2; P3 move P3 @ 2; table clear")
    for _ in range(3):
        match = quiet_round(match)
    assert (match.state.round, match.state.chairs[0].hand) == (5, 0)
    assert ruling(match, "P1 lay ? @ P1") == (ILLEGAL, "KD-5")
    match = play(match, "P2 lay ? @ P2; P3 lay ? @ P3")
    assert match.state.phase is Phase.TURN


def quiet_round(match: AnyMatch) -> AnyMatch:
    """A round in which everything goes to P1 and adds up to nothing."""
    cards = {2: "+1 +1 -2", 3: "-1 -1 +2", 4: "+2 -1 -1"}[match.state.round]
    return play(lay(match, 1, 1, 1), f"P1 turn {cards}; table clear")


def test_wrong_steps_that_a_human_lets_stand() -> None:
    match = turned(race(3), "+1", "-1", "+2")
    rules, state = match.rules, match.state
    elsewhere = rules.apply(state, Move(0, "move", ("P2",), "7"))
    assert (elsewhere.chairs[1].position, elsewhere.chairs[1].goal, elsewhere.chairs[0].goal) == (7, None, 1)
    tactical = turned(race(3, tactical="yes"), "+1/1", "-1/2", "+2/12")
    early = tactical.rules.apply(tactical.state, Move(0, "move", ("P2",), "1"))
    assert [due.seat for due in early.queue] == [2, 1]
    assert tactical.rules.apply(early, Move(0, "move", ("P2",), "2")) is early


def test_standings_tell_the_score_sheet() -> None:
    match = turned(standing_on(race(3), 3, 2, 1, in_round=5), "+1", "+1", "+1")
    match = play(match, "P1 move P1 @ 4; P2 move P2 @ 3; P3 move P3 @ 2")
    standing = match.rules.standings(match.state)[1]
    assert (standing.hand, standing.points, standing.story) == (0, 3, because("story", here="3", sheet=("3",)))
