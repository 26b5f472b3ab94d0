"""Wrong plays that people make, as the tables show them: told, asked about, or waited for, and nobody else accused."""

from dataclasses import replace

import pytest

from device.evaluation.public import cheats_of
from device.evaluation.rehearsal import Rehearsal, judged, rehearse, watch
from device.evaluation.result import Result
from models.cards import own_deck
from referee.interpreter import LIFTED, Interpreter
from referee.layout import layouts_of
from referee.record import Record, read_record
from referee.rules import Opening, load_rules
from referee.seen import Seen, seen_on
from referee.verdicts import Ruling
from tests.referee.explaining import NAMES, filmed, seating_for, tables_of
from vision.sorting import sort_table
from vision.table import Table

PASSED = ("P1 pass ? @ P2", "P2 pass ? @ P1", "P1 take", "P2 take")
SETS = ("P2 star", "P2 play 2/5 2/6 2/8", "P3 play 4/2 4/3 4/6 4/8", "P1 play 5/2 5/7 5/8", "P2 play 6/1 6/2 6/7")


def recorded(game: str, players: int, *lines: str) -> Record:
    """A record of these lines."""
    text = "\n".join(["krupier record 1", f"game {game}", f"players {', '.join(NAMES[:players])}", "", *lines])
    return read_record(f"{text}\n", load_rules(game))


def flagged_in(result: Result) -> list[str]:
    """What was told to be wrong."""
    pairs = zip(result.told.log, result.told.verdicts, strict=True)
    return [str(entry.move) for entry, verdict in pairs if verdict.ruling is Ruling.ILLEGAL]


def test_three_cards_laid_and_digits_swapped_once_they_lie_there() -> None:
    lines = ("P1 lay ? ? ?", "P1 lay ? ?", "P2 lay ? ?", "P1 turn 3P1 4G0", "P1 turn 4G0 3P1", "P2 turn 5B0 6G0")
    told = watch(recorded("dawaj2", 2, *PASSED, *lines))
    assert flagged_in(told) == ["P1 lay ? ? ?", "P1 turn 4G0 3P1"]
    assert (told.accused, told.missing.total()) == (0, 0)


def test_three_cards_laid_go_back_to_the_hand_but_for_two() -> None:
    match = judged(recorded("dawaj2", 2, *PASSED, "P1 lay ? ? ?", "stand 9", "P2 lay ? ?"), load_rules("dawaj2"))
    player = match.state.players[0]
    assert (player.hand, player.spare) == (6, 1)
    after = judged(
        recorded("dawaj2", 2, *PASSED, "P1 lay ? ? ?", "stand 9", "P2 lay ? ?", "P1 turn 3P1 4G0"),
        load_rules("dawaj2"),
    )
    assert (after.state.players[0].hand, after.state.players[0].spare) == (7, 0)


def test_an_early_new_deal_is_waited_for_while_all_is_gathered_and_put_back() -> None:
    told = watch(recorded("dnp", 3, *SETS, "table redeal", "P3 discard", "P3 play 10/1 10/2"), declared=True)
    assert flagged_in(told) == ["table redeal"]
    assert (told.extra, told.missing) == ({}, {})


def test_a_card_put_back_before_the_turn_is_over_is_asked_about() -> None:
    lines = ("P1 reveal 6 @ c7", "P1 return 6 @ c7", "P1 reveal 8 @ c1", "P1 return 8 @ c1", "P1 return 6 @ c7")
    told = watch(recorded("trio", 3, *lines, "P2 reveal 9 @ c2"))
    assert (told.cheats, told.flagged, told.questioned) == (1, 0, 1)
    assert not told.extra


def test_a_heap_turned_in_part_stays_wrong_when_it_was_taken_back_before_all_was_turned() -> None:
    laid = ("P1 lay ? @ P1", "P2 lay ? @ P1", "P3 lay ? @ P3")
    told = watch(recorded("kto_drugi", 3, *laid, "P1 turn -2/13", "P1 turn -2/13 +4/29", "P3 turn +1/1"))
    assert flagged_in(told) == ["P1 turn -2/13"]
    assert (told.extra, told.missing) == ({}, {})


def test_two_cards_laid_by_one_look_like_one_card_each_of_two() -> None:
    lines = ("P1 lay ? ? @ P1", "P1 lay ? @ P1", "P2 lay ? @ P2", "P3 lay ? @ P3")
    match = judged(recorded("kto_drugi", 3, *lines), load_rules("kto_drugi"))
    assert match.verdicts[0].ruling is Ruling.ILLEGAL
    assert not cheats_of(match)


@pytest.mark.parametrize("moved_late", [False, True])
def test_a_figure_that_was_forgotten_is_told_when_the_table_is_cleared(moved_late: bool) -> None:
    """Whoever moves it then puts all right; if nobody does, it stays where it is, and nobody is wrong later."""
    laid = ("P1 lay ? @ P1", "P2 lay ? @ P2", "P3 lay ? @ P3", "P1 turn +1/1", "P2 turn +2/12", "P3 turn +3/21")
    moved = ("P1 move P1 @ 1", "P2 move P2 @ 2", "P3 move P3 @ 3", "table clear", "P1 lay ? @ P1", "P2 lay ? @ P2")

    record = recorded("kto_drugi", 3, *laid, *moved)
    tables = list(tables_of(record))
    start = next(piece for piece in tables[0].pieces if piece.colour == "P3")
    cleared = next(table.frame for table in tables if any(card.zone == "discard" for card in table.cards))

    def forgotten(table: Table) -> Table:
        if moved_late and table.frame > cleared:
            return table
        return replace(table, pieces=tuple(start if piece.colour == "P3" else piece for piece in table.pieces))

    told = watch(record, forgotten)
    assert flagged_in(told) == ["table clear"]
    assert told.told.state.chairs[2].position == (3 if moved_late else 0)


@pytest.mark.parametrize("seed", [7006, 7007])
def test_cards_that_several_looks_miss_or_invent_accuse_none_of_five(seed: int) -> None:
    """Also what somebody says while a question is open, and what only rounding made a question."""
    told = rehearse(Rehearsal(Opening("dnp", NAMES[:5], ()), seed, faults=1.0, declared=True))
    assert told.right
    assert (told.accused, told.missing.total()) == (0, 0)


def test_what_is_put_back_is_the_card_that_lay_there() -> None:
    laid = ("P1 lay ? @ P1", "P2 lay ? @ P2", "P3 lay ? @ P3", "P1 turn +1", "table clear", "P2 turn +2")
    faces = [
        {body.code for body in rest.bodies if body.zone == "P1" and body.face_up}
        for rest in filmed(recorded("kto_drugi", 3, *laid)).rests()
    ]
    turned = [cards for cards in faces if len(cards) > 1]
    assert [] != turned == [turned[0]] * len(turned)


def test_while_the_pile_is_lifted_nothing_is_told() -> None:
    lines = (*SETS, "P3 discard", "P3 play 10/1 10/2", "P1 play 8/5")
    record, before = recorded("dnp", 3, *lines), recorded("dnp", 3, *lines[:-1])
    match = judged(before, load_rules("dnp"))
    *_, last = tables_of(record)
    lifted = replace(last, cards=tuple(card for card in last.cards if card.zone != "discard"))
    assert len(lifted.cards) == len(last.cards) - 1
    one = Interpreter(load_rules("dnp"), own_deck("dnp"), layouts_of("dnp"))
    for number in range(LIFTED + 1):
        told = one.interpret(match, seen(record, lifted))
        while told.again:
            told = one.interpret(match, seen(record, lifted), again=True)
        assert [difference.place for difference in told.left] == [("discard", "discard")]
        assert told.lines == (("P1 play 8/5",) if number == LIFTED else ())


def seen(record: Record, table: Table) -> Seen:
    """What the referee sees of a table."""
    return seen_on(sort_table(table, seating_for(record)))


def test_what_was_asked_about_and_then_taken_back_is_not_played_on() -> None:
    """Out of turn somebody beats a set; that could be two plays. Once it is taken back it was one, and wrong."""
    told = watch(
        recorded("dnp", 3, "P3 star", "P3 play 1/8", "P2 play 3/5", "P1 play 2/10", "P2 play 4/6"), declared=True
    )
    assert flagged_in(told) == ["P2 play 3/5"]
    assert (told.extra, told.missing) == ({}, {})


def test_an_answer_that_nobody_gave_is_found_true_when_later_plays_need_it() -> None:
    """Who takes a set and plays as well looks like another who discards; many moves later he plays from that set."""
    told = rehearse(Rehearsal(Opening("dnp", NAMES[:3], ()), 10004, cheat=0.1, declared=True))
    assert (told.right, told.accused, told.flagged, told.questioned) == (True, 0, 14, 1)


def test_a_lie_that_stands_does_not_make_the_next_player_the_same_one() -> None:
    """What was asked about showed both cards returned: who reveals one of them again is the next player."""
    told = rehearse(Rehearsal(Opening("trio", NAMES[:6], ()), 9822, cheat=0.1))
    assert (told.right, told.accused) == (True, 0)


@pytest.mark.parametrize(("players", "seed"), [(3, 11102), (5, 12105)])
def test_looks_that_disagree_are_followed_by_more(players: int, seed: int) -> None:
    """One of three looks, or two of four, show a card that is not there; it could have been added to a set."""
    told = rehearse(Rehearsal(Opening("dnp", NAMES[:players], ()), seed, faults=1.0, declared=True))
    assert (told.right, told.accused, told.missing.total()) == (True, 0, 0)


def test_a_set_that_is_taken_and_put_back_was_not_regretted() -> None:
    """Out of turn somebody takes a set; perhaps its owner took it back himself. It lies there again: nobody did."""
    lines = ("P1 star", "P1 play 3/4 @ P1.2", "P2 play 1/6 1/7 @ P2.1", "P1 take @ P2.1", "P2 add 3/8 @ P1.2")
    told = watch(recorded("dnp", 2, *lines, "P1 play 6/2 @ P1.1"), declared=True)
    assert (told.questioned, told.extra, told.missing.total()) == (1, {}, 1)


def test_whoever_shows_that_another_lied_about_the_star_has_played_right() -> None:
    """What lies there stands at once, so the next player may take it."""
    lines = ("P1 star", "P1 play 3/4", "P2 play 1/5 1/6", "stand 7", "P3 take @ P2", "P1 discard", "P1 play 2/6 2/8")
    told = watch(recorded("dnp", 3, *lines), declared=True)
    assert flagged_in(told) == ["P2 play 1/5 1/6"]
    assert (told.asked, told.extra, told.missing) == (0, {}, {})


def test_what_was_gathered_and_put_back_stays_so_when_moves_before_it_are_told_anew() -> None:
    """Else the next set that is taken looks like the table being gathered once more."""
    told = rehearse(Rehearsal(Opening("dnp", NAMES[:5], ()), 11501, cheat=0.1, declared=True))
    assert (told.right, told.accused, told.flagged) == (True, 0, 28)


def test_a_card_that_is_taken_up_again_was_not_laid() -> None:
    """Nobody sees who lays a second card, so it counts; until it is gone, and all lies there as before."""
    lines = ("P1 lay ? @ P1", "P1 lay ? @ P3", "P2 lay ? @ P2", "table clear", "P3 lay ? @ P1", "P2 turn +1/1")
    told = watch(recorded("kto_drugi", 3, *lines, "P1 turn +2/12 +3/21"))
    assert (told.asked, told.extra) == (0, {})
    assert told.missing == {("lay @ P3", "ILLEGAL"): 1}


def test_a_set_that_either_of_two_may_have_taken_wrongly_accuses_neither() -> None:
    """It is asked about, and put back; who took it nobody has seen."""
    told = rehearse(Rehearsal(Opening("dnp", NAMES[:2], ()), 12403, cheat=0.1, declared=True))
    assert (told.right, told.accused) == (True, 0)


def test_the_same_cards_are_rather_put_back_than_played_from_another_hand() -> None:
    """Out of turn P3 takes a set; it could be P1 who may, and P2 who plays the same cards again: but who has those?"""
    lines = ("P1 star", "P1 play 3/4", "P2 play 1/6 1/7", "P3 play 2/5 2/6 2/8", "P1 discard", "P3 take @ P2")
    told = watch(recorded("dnp", 3, *lines, "P1 take @ P3", "P2 discard", "P2 play 4/6 4/8"), declared=True)
    assert (told.extra, told.missing) == ({}, {("P3 take @ P2", "ILLEGAL"): 1})
