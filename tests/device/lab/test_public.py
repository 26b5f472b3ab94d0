"""What of a game shows when nobody hears what is declared."""

from device.lab.rehearsal.public import cheats_of, rulings_of, seen_by_all
from device.lab.rehearsal.rehearsal import judged
from device.lab.rehearsal.result import Result
from models.cards import own_deck
from referee.match import AnyMatch
from referee.moves import Move
from referee.record import read_record
from referee.rules import load_rules
from referee.verdicts import Ruling
from tests.referee.explaining import recorded

RULES = load_rules("dnp")
HEAD = "krupier record 1\ngame dnp\nplayers Ala, Bartek, Celina\n\n"


def match_of(*lines: str) -> AnyMatch:
    return judged(read_record(HEAD + "\n".join(lines) + "\n", RULES), RULES)


def test_what_is_only_said_counts_if_it_is_heard() -> None:
    match = match_of("P1 star", "P1 play 3/4", "P2 flip")
    assert rulings_of(match)["P2 flip", "LEGAL"] == 1
    assert rulings_of(match, heard=False) == {("P1 play 3/4", "LEGAL"): 1}


def test_a_broken_rule_that_is_only_said_shows_if_it_is_heard() -> None:
    match = match_of("P1 star", "P1 play 3/4", "P3 flip")
    assert cheats_of(match) == {("P3 flip", "ILLEGAL"): 1}
    assert not cheats_of(match, heard=False)


def test_a_wrong_play_does_not_show_if_others_may_have_said_something_before() -> None:
    out_of_turn = match_of("P1 star", "P1 play 3/4", "P3 play 5/7")
    assert cheats_of(out_of_turn) == {("P3 play 5/7", "ILLEGAL"): 1}
    assert not cheats_of(out_of_turn, heard=False), "P2 may have flipped, and it would be the turn of P3"


def test_a_wrong_play_that_nothing_said_makes_right_shows() -> None:
    too_low = match_of("P1 star", "P1 play 8/5", "P2 play 5/7")
    assert cheats_of(too_low, heard=False) == cheats_of(too_low) == {("P2 play 5/7", "ILLEGAL"): 1}


def test_moves_that_nobody_could_see_are_not_missing_but_false_accusations_count() -> None:
    played = match_of("P1 star", "P1 play 3/4", "P2 flip")
    told = match_of("P1 star", "P1 play 3/4", "P3 flip")
    unheard = Result(played, told, 0, 3, heard=False)
    assert (unheard.rulings, unheard.missing.total()) == (1, 0)
    assert (unheard.extra, unheard.accused) == ({("P3 flip", "ILLEGAL"): 1}, 1)
    right = Result(played, match_of("P2 star", "P1 play 3/4"), 0, 3, heard=False)
    assert right.extra == {("P1 play 3/4", "ILLEGAL"): 1}
    assert Result(played, played, 0, 3, heard=False).extra == {}


TRIO = "krupier record 1\ngame trio\nplayers Ala, Bartek, Celina\n\n"


def trio_of(*lines: str) -> AnyMatch:
    rules = load_rules("trio")
    return judged(read_record(TRIO + "\n".join(lines) + "\n", rules), rules)


def test_a_card_that_gives_away_a_lie_about_an_end_shows_if_the_end_was_heard() -> None:
    turn = ("P1 reveal 3 @ c1", "P1 return 7 @ P2", "P1 return 3 @ c1")
    match = trio_of("P1 reveal 7 @ P2.low", *turn, "P2 reveal 2 @ P2.low")
    assert cheats_of(match) == {("P2 reveal 2 @ P2", "ILLEGAL"): 1}
    assert not cheats_of(match, heard=False), "7 may have been the highest card of P2"


def test_a_card_that_gives_away_a_lie_shows_if_the_end_need_not_be_heard() -> None:
    first = ("P1 reveal 4 @ P2.low", "P1 reveal 3 @ c1", "P1 return 4 @ P2", "P1 return 3 @ c1")
    second = ("P2 reveal 7 @ P2.high", "P2 reveal 3 @ c1", "P2 return 7 @ P2", "P2 return 3 @ c1")
    match = trio_of(*first, *second, "P3 reveal 9 @ P2.high")
    assert cheats_of(match, heard=False) == cheats_of(match) == {("P3 reveal 9 @ P2", "ILLEGAL"): 1}


def test_who_of_two_partners_began_to_exchange_is_not_seen() -> None:
    deck = own_deck("trio")
    assert seen_by_all(deck, Move(2, "swap", ("?",), "P1")) == seen_by_all(deck, Move(0, "swap", ("?",), "P3"))


def test_two_cards_laid_by_one_look_like_one_card_each_of_two() -> None:
    lines = ("P1 lay ? ? @ P1", "P1 lay ? @ P1", "P2 lay ? @ P2", "P3 lay ? @ P3")
    match = judged(recorded("kto_drugi", 3, *lines), load_rules("kto_drugi"))
    assert match.verdicts[0].ruling is Ruling.ILLEGAL
    assert not cheats_of(match)
