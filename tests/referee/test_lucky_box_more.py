"""Lucky Box: the rulings, drawing and hidden cards, the words of a record, decks, and what people let stand."""

from dataclasses import replace

import pytest

from models.cards import Deck, own_deck
from referee.games.lucky_box.rules import GameRules
from referee.games.lucky_box.state import Box, Phase, Player, PlayerStep, hidden, remaining
from referee.match import AnyMatch
from referee.moves import NotationError
from referee.record import read_record
from referee.rules import Opening
from referee.selfplay import self_play
from referee.texts import load_texts
from referee.transcript import judge_record
from referee.verdicts import Ruling
from tests.referee.games_played import NAMES, rules_of
from tests.referee.lucky_box_table import boxes, changed, dealt, table
from tests.referee.table_talk import ask, open_match, play, ruling, say

LEGAL, ILLEGAL, UNCLEAR = Ruling.LEGAL, Ruling.ILLEGAL, Ruling.UNCLEAR
ALL = "11.12.13.21.22.23.31.32.33"


def fresh(players: int = 2) -> AnyMatch:
    return open_match(rules_of("lucky_box"), players)


def small_deck() -> Deck:
    """The first thirty cards: six players empty the deck at once, and reshuffles never end."""
    cards = own_deck("lucky_box").cards
    return Deck("lucky_box", "small", tuple(c for c in cards if c.kind == "number" or int(c.code) <= 30))


# The rulings


def test_a_wasteful_spend_is_legal_and_said() -> None:
    match = table("49", number=9)
    verdict = ask(match, "P1 mark 49:r1c1 spend=3")
    assert (verdict.ruling, verdict.reason.key) == (LEGAL, "wastes")
    assert "1 would do" in load_texts("lucky_box", "en").say(verdict.reason, NAMES)
    assert ruling(match, "P1 mark 49:r1c1 spend=2") == (ILLEGAL, "LB-3")


def test_a_spend_must_change_the_number() -> None:
    verdict = ask(table("49", number=1), "P1 mark 49:r1c1 spend=2")
    assert (verdict.ruling, verdict.rule, verdict.reason.key) == (ILLEGAL, "LB-3", "spends-for-nothing")


def test_a_bonus_may_be_used_on_the_same_card() -> None:
    assert ruling(table("8:12.22", number=4), "P1 mark 8:r3c2 8:r1c1") == (LEGAL, "LB-6")


def test_a_bonus_without_a_cell_is_lost() -> None:
    assert ruling(table("8:13.23.31.32", number=5), "P1 mark 8:r3c3 star1=1") == (LEGAL, "LB-4")
    last = table(f"12:{ALL.removeprefix('11.')}", number=1)
    assert ruling(last, "P1 mark 12:r1c1 light=1") == (LEGAL, "LB-4")


def test_an_any_may_take_the_last_cell_of_a_waiting_digit() -> None:
    # The 5 in the middle of card 8 completes row 2 (bonus 7) and column 2 (bonus ?).
    one_seven = table("8:12.21.23.32 58:33", number=5)
    assert ruling(one_seven, "P1 mark 8:r2c2 58:r2c1") == (LEGAL, "LB-6")
    assert ruling(one_seven, "P1 mark 8:r2c2 58:r1c1 58:r2c1") == (LEGAL, "LB-6")
    assert ask(one_seven, "P1 mark 8:r2c2 58:r1c1").reason.key == "bonus-unused"
    two_sevens = table("8:12.21.23.32 58", number=5)
    assert ruling(two_sevens, "P1 mark 8:r2c2 58:r2c1") == (ILLEGAL, "LB-5")
    assert ruling(two_sevens, "P1 mark 8:r2c2 58:r2c1 58:r3c3") == (LEGAL, "LB-6")
    assert ruling(two_sevens, "P1 mark 8:r2c2") == (ILLEGAL, "LB-5")
    assert ruling(two_sevens, "P1 mark 8:r2c2 58:r1c1 58:r2c1 58:r3c3") == (ILLEGAL, "LB-6")


def test_a_wrong_turn_is_repaired_until_the_next_number() -> None:
    match = table("49", "58", number=1).play(say(table("49", "58"), "P1 mark 49:r1c2"))
    assert match.verdicts[-1].ruling is ILLEGAL
    match = match.amend(0, say(match, "P1 mark 49:r1c1"))
    assert match.verdicts[-1].ruling is LEGAL
    assert ruling(match, "P1 mark 49:r2c3") == (ILLEGAL, "LB-2")
    assert ruling(match, "table number n2") == (ILLEGAL, "LB-9")
    match = play(match, "P2 mark 58:r1c1; table number n2")
    assert match.state.numbers == ("n1", "n2")


def test_marks_that_cannot_be() -> None:
    match = table("49:11", "58", number=1)
    assert ruling(match, "P1 mark 49:r1c1") == (ILLEGAL, "LB-2")
    assert ask(match, "P1 mark 58:r1c1").reason.key == "not-owned"
    assert ask(match, "P1 mark 49:r2c3 49:r2c3").reason.key == "crossed-twice"
    assert ruling(match, "P1 mark ?") == (UNCLEAR, "LB-2")
    assert ruling(match, "table number ?") == (ILLEGAL, "LB-9")
    assert ruling(table("49"), "table number ?") == (UNCLEAR, "LB-1")
    assert ruling(table("49"), "P1 mark 49:r1c1") == (ILLEGAL, "LB-1")
    assert ruling(fresh(), "P1 mark 49:r1c1") == (ILLEGAL, "LB-T")
    assert ruling(fresh(), "P1 skip") == (ILLEGAL, "LB-T")
    for text in ("P1 draw ?", "P1 keep 1", "P1 discard 1", "P1 score 15", "P1 wipe 49"):
        assert ruling(match, text) == (ILLEGAL, "LB-T")


# Drawing


def test_cards_are_drawn_kept_and_discarded_in_this_order() -> None:
    match = fresh()
    assert ruling(match, "P1 draw ? ? ? ? ? ?") == (ILLEGAL, "LB-S3")
    assert ruling(match, "P1 keep 1 2 3") == (ILLEGAL, "LB-S3")
    assert ruling(match, "table number n1") == (ILLEGAL, "LB-S3")
    assert ruling(match, "P1 score 15") == (ILLEGAL, "LB-R1")
    assert ruling(match, "P1 wipe 1") == (ILLEGAL, "LB-R2")
    match = play(match, "P1 draw ? ?; P1 draw ? ? ?")
    assert match.state.deck == 55
    for text in ("P1 draw ?", "P1 keep 1 2", "P1 keep 1 2 3 4", "P1 discard 1 2"):
        assert ruling(match, text) == (ILLEGAL, "LB-S3")
    assert ruling(match, "P1 keep 1 2 ?") == (UNCLEAR, "LB-K")
    assert ruling(match, "P1 keep 1 1 2") == (ILLEGAL, "LB-K")
    match = play(match, "P1 keep 3 1 2")
    assert ruling(match, "P1 keep 4 5 6") == (ILLEGAL, "LB-S3")
    assert ruling(match, "P1 discard 4") == (ILLEGAL, "LB-S3")
    assert ruling(match, "P1 discard 3 4") == (ILLEGAL, "LB-K")
    match = play(match, "P1 discard 5 4; P2 draw ? ? ? ? ?")
    assert ruling(match, "P2 keep 5 6 7") == (ILLEGAL, "LB-K")
    match = play(match, "P2 keep 6 7 8; P2 discard 9 10")
    assert match.state.phase is Phase.PLAY


def test_after_a_reshuffle_the_decks_are_told_apart() -> None:
    match = play(table("3", "6", number=1, turned=8), "P1 skip; P2 skip")
    unseen = tuple(int(code in (1, 2, 4, 5)) for code in range(1, 61))
    discard = tuple(str(code) for code in range(7, 61))
    state = replace(match.state, deck=4, discard=discard, unseen=unseen, pools=(unseen,))
    match = replace(fresh(), states=(state,))
    assert not match.rules.status(state)
    assert ruling(match, "table reshuffle") == (ILLEGAL, "LB-R4")
    match = play(match, "P1 draw ? ? ?")
    assert ruling(match, "P2 draw ? ? ?") == (ILLEGAL, "LB-R4")
    match = play(match, "P2 draw ?; table reshuffle; P2 draw ? ?")
    # The old deck was 1 2 4 5: three of them are in the first hand, one in the second.
    assert ruling(match, "P1 keep 7") == (ILLEGAL, "LB-K")
    assert ruling(match, "P1 keep 3") == (ILLEGAL, "LB-K")
    after = play(match, "P2 keep 2")
    assert ruling(after, "P2 discard 1 7") == (ILLEGAL, "LB-K")
    assert ruling(after, "P2 discard 7 8") == (LEGAL, "LB-R3")
    assert ruling(after, "P1 keep 2") == (ILLEGAL, "LB-K")
    after = play(match, "P2 keep 7")
    assert ruling(after, "P2 discard 8 9") == (ILLEGAL, "LB-K")
    assert ruling(after, "P2 discard 4 8") == (LEGAL, "LB-R3")
    after = play(after, "P2 discard 4 8; P1 keep 1")
    assert ruling(after, "P1 discard 2 9") == (ILLEGAL, "LB-K")
    after = play(after, "P1 discard 2 5")
    assert (after.state.phase, after.state.round, after.state.pools) == (Phase.PLAY, 2, (after.state.unseen,))


def test_two_copies_never_accuse_falsely() -> None:
    # A card with a copy in either deck leaves both possible; one with copies in the new deck only does not.
    pools, unseen = ((1, 0, 2), (1, 2, 0)), (2, 2, 2)
    assert remaining(((2, 1),), pools, unseen, (0,)) == ((1, 1), (2, 0))
    assert remaining(((2, 1),), pools, unseen, (0, 0)) == ((1, 0),)
    assert remaining(((2, 1),), pools, unseen, (1, 1)) == ()
    assert remaining(((1, 1), (2, 0)), pools, unseen, (2, 2)) == ((0, 0),)


def test_draws_without_cards_are_lost() -> None:
    rules = GameRules(small_deck())
    for players in (6, 12):
        written = self_play(rules, Opening("lucky_box", NAMES[:players]), players)
        *_, last = judge_record(read_record(str(written), rules), rules)
        assert all(verdict.ruling is LEGAL for verdict in last.match.verdicts)
        for state in last.match.states:
            for place, pool in enumerate(state.pools):
                deck = state.deck if place == len(state.pools) - 1 else 0
                cards = deck + sum(player.splits[0][place] for player in state.players)
                assert players > 6 or sum(pool) == cards
    match = open_match(rules, 2)
    state = replace(match.state, round=1, deck=1, unseen=(1, *[0] * 29), pools=((1, *[0] * 29),))
    hands = (
        Player(boxes("2"), owed=3),
        Player(tuple(Box(str(code)) for code in range(3, 31)), step=PlayerStep.READY, owed=0),
    )
    match = replace(match, states=(replace(state, players=hands),))
    assert not rules.status(match.state)
    match = play(match, "P1 draw ?")
    assert match.state.players[0].step is PlayerStep.KEEP
    match = play(match, "P1 keep 1")
    assert match.state.phase is Phase.PLAY


# Two copies


def test_a_second_copy_gets_its_own_name() -> None:
    match = play(fresh(7), "P1 draw ? ? ? ? ?")
    assert match.state.deck == 115
    match = play(match, "P1 keep 49 49 3; P1 discard 1 2; P2 draw ? ? ? ? ?")
    assert [box.name for box in match.state.players[0].boxes] == ["3", "49", "49'"]
    assert ruling(match, "P2 keep 4 5 49") == (ILLEGAL, "LB-K")
    assert ruling(match, "P2 keep 3 4 5") == (LEGAL, "LB-S3")
    assert ruling(match, "P2 keep 1 1 5") == (ILLEGAL, "LB-K")
    both = table(f"49:{ALL} 49':{ALL.removeprefix('11.')}", *[""] * 6, number=1, turned=8)
    both = play(both, [f"P{seat} skip" for seat in range(2, 8)])
    assert ruling(both, "P1 mark 49':r1c1 moon=1") == (LEGAL, "LB-4")
    both = play(both, "P1 mark 49':r1c1 moon=1; P1 score 30; P1 wipe 49' 49")
    assert both.state.discard == ("49", "49")
    with pytest.raises(NotationError):
        say(fresh(6), "P1 mark 49':r1c1")


# Words


@pytest.mark.parametrize(
    "text",
    [
        "P1 mark 61:r1c1",
        "P1 mark 49:r4c1",
        "P1 mark 49",
        "P1 mark",
        "P1 mark 49:r1c1 sun=1",
        "P1 keep n5",
        "P1 keep 49'",
        "table number 5",
        "P1 number n5",
        "P1 score x",
        "P1 score 1000",
        "P1 draw 49",
        "P3 skip",
    ],
)
def test_words_that_are_not_in_the_game(text: str) -> None:
    with pytest.raises(NotationError):
        say(fresh(), text)


def test_points_have_one_spelling() -> None:
    assert str(say(fresh(), "P1 score 007")) == "P1 score 7"


def test_prompts_say_what_to_do() -> None:
    texts = load_texts("lucky_box", "en")

    def prompts(match: AnyMatch) -> list[str]:
        return [texts.say(reason, NAMES) for reason in match.rules.todo(match.state)]

    assert prompts(fresh(1)) == ["Ala draws 5 box cards."]
    assert prompts(play(fresh(1), "P1 draw ? ? ? ? ?")) == ["Ala keeps 3 of 5 drawn cards."]
    assert prompts(play(fresh(1), "P1 draw ? ? ? ? ?; P1 keep 1 2 3")) == ["Ala discards the other 2."]
    match = play(fresh(1), dealt(1))
    assert prompts(match) == ["Turn number 1 of round 1."]
    match = play(match, "table number n1")
    assert prompts(match) == ["Ala crosses a 1, or another number for lightning (holds 4)."]
    assert prompts(table("3", number=1))[0].startswith("Ala has no 1: skip")
    match = play(table(f"1:{ALL.removeprefix('11.')}", number=1, turned=8), "P1 mark 1:r1c1 light=2")
    assert prompts(match) == ["Ala writes down 15 points for 1."]
    assert prompts(play(match, "P1 score 15")) == ["Ala wipes and discards 1."]


# The end


def test_the_last_round_ends_with_the_last_score() -> None:
    nearly = ALL.removeprefix("11.")
    match = table(f"1:{nearly}", f"3:{nearly}", f"2:{ALL.replace('22.', '')}", number=1, turned=8, at=4)
    match = play(changed(match, 2, moons=1), "P1 mark 1:r1c1 light=2; P2 skip")
    assert ruling(match, "P3 skip") == (ILLEGAL, "LB-2")
    match = play(match, "P3 mark 2:r2c2")
    assert match.state.phase is Phase.CARDS
    assert ruling(match, "P1 wipe 1") == (ILLEGAL, "LB-R1")
    assert ruling(match, "P2 draw ?") == (ILLEGAL, "LB-R3")
    match = play(match, "P1 score 8")
    assert ruling(match, "P1 wipe 1") == (ILLEGAL, "LB-R2")
    assert ruling(match, "table number n1") == (ILLEGAL, "LB-R1")
    match = play(match, "P3 score 8")
    assert match.state.phase is Phase.OVER
    assert ask(match, "P1 draw ?").reason.key == "over"
    assert [standing.points for standing in match.rules.standings(match.state)] == [2, -2, 14]
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert outcome.places == ((2,), (0,), (1,))
    assert not match.rules.todo(match.state)


def test_alone_the_total_is_rated() -> None:
    match = play(table("3:11.12.13.21", number=1, turned=8, at=4), "P1 skip")
    outcome = match.rules.outcome(match.state)
    assert outcome is not None
    assert (outcome.winners, outcome.why.key, dict(outcome.why.args)["points"]) == ((0,), "solo-1", -4)


# What people let stand


def test_what_a_human_lets_stand() -> None:
    match = play(fresh(), "P1 draw ? ? ? ? ?").play(say(fresh(), "P1 keep 1 2 3 4"))
    match = match.stand(1)
    assert (len(match.state.players[0].boxes), hidden(match.state.players[0])) == (4, 1)
    match = play(match, "P1 discard 5")
    early = play(fresh(), "P1 draw ? ?").play(say(fresh(), "P1 keep 1")).stand(1)
    assert early.state.players[0].owed == 0
    late = table("49", "58", number=1).play(say(fresh(), "table number n2")).stand(0)
    assert late.state.numbers == ("n1", "n2")
    impossible = play(match, "P2 draw ? ? ? ? ?")
    assert impossible.rules.apply(impossible.state, say(impossible, "P2 keep 1 2 3")) is impossible.state
    unwiped = table(f"1:{ALL.removeprefix('11.')}", number=1, turned=8)
    unwiped = play(unwiped, "P1 mark 1:r1c1 light=2").play(say(fresh(), "P1 draw ? ? ?")).stand(1)
    assert (unwiped.state.players[0].step, hidden(unwiped.state.players[0])) == (PlayerStep.SCORE, 3)
    unwiped = play(unwiped, "P1 score 15; P1 wipe 1; P1 keep 7; P1 discard 8 9")
    assert unwiped.state.round == 2
    both = play(table("49:12.13", number=1), "P1 mark 49:r2c3").play(say(fresh(), "P1 mark 49:r2c1 moon=1")).stand(1)
    assert both.state.players[0].moons == 1
