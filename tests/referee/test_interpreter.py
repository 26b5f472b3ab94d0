"""The interpreter: a table is told when it has been seen often enough, and what one look errs about accuses nobody."""

from dataclasses import replace

import pytest

from device.evaluation.looks import Look
from device.evaluation.public import seen_by_all
from device.evaluation.rehearsal import watch
from models.cards import own_deck
from referee.edits import Play
from referee.explain import Explainer
from referee.interpreter import LEAST_LOOKS, LOST, MOST_LOOKS, Interpreter
from referee.layout import layouts_of
from referee.match import AnyMatch
from referee.moves import Move
from referee.record import Record, read_record
from referee.rules import load_rules
from referee.seen import Seen, seen_on
from referee.told import Told
from referee.transcript import judge_record
from referee.verdicts import Ruling
from tests.referee.explaining import filmed, played, seating_for, tables_of
from vision.sorting import sort_table
from vision.table import Guess, Table

RECORD = played("dnp", 3, 5)
DECK = own_deck("dnp")
MATCHES: list[AnyMatch] = [judged.match for judged in judge_record(RECORD, load_rules("dnp"))]
TABLES = list(tables_of(RECORD))
SEATING = seating_for(RECORD)


def interpreter() -> Interpreter:
    return Interpreter(load_rules("dnp"), DECK, layouts_of("dnp"))


def seen(table: Table) -> Seen:
    return seen_on(sort_table(table, SEATING))


def table_of_two() -> tuple[AnyMatch, Table]:
    """A table onto which somebody has just laid two cards or more, and the match before that."""
    for before, after, line in zip(MATCHES, MATCHES[1:], RECORD.lines[1:], strict=False):
        if isinstance(line.meaning, Play) and line.meaning.move.verb == "play" and len(line.meaning.move.cards) > 1:
            words = {(place.zone, place.spot) for place in layouts_of("dnp").layout(DECK, after.state).places}
            for table in TABLES:
                found = Explainer(after.rules, DECK, layouts_of("dnp"), seen(table)).explain(after.state)
                if not found.best.steps and found.best.fit > -0.1 and words:
                    return before, table
    raise AssertionError("nobody lays two cards in this game")


def without_last(table: Table, match: AnyMatch) -> Table:
    """The same table, but a card that was laid there just now is not found."""
    known = {card.track for card in table.cards}
    for card in table.cards:
        if card.face_up:
            fewer = replace(table, cards=tuple(one for one in table.cards if one is not card))
            told = told_of(match, fewer)
            if told.lines != told_of(match, table).lines:
                return fewer
    raise AssertionError(f"it does not matter which of {sorted(known)} is missed")


def told_after(one: Interpreter, match: AnyMatch, *looks: Table) -> Told:
    told = Told()
    for number, table in enumerate(looks):
        told = one.interpret(match, seen(table), again=number > 0)
    return told


def told_of(match: AnyMatch, table: Table) -> Told:
    """What is told when every look shows the same."""
    return told_after(interpreter(), match, *(table,) * LEAST_LOOKS)


def test_every_table_is_looked_at_three_times_before_anything_is_told() -> None:
    match, table = table_of_two()
    one = interpreter()
    for number in range(LEAST_LOOKS - 1):
        early = one.interpret(match, seen(table), again=number > 0)
        assert early.again
        assert not early.lines
    last = one.interpret(match, seen(table), again=True)
    assert not last.again
    assert last.lines
    assert LEAST_LOOKS == 3


def test_a_card_that_one_look_misses_is_seen_by_the_others() -> None:
    match, table = table_of_two()
    wanted = told_of(match, table)
    fewer = without_last(table, match)
    one = interpreter()
    told = told_after(one, match, fewer, table)
    looks = 2
    while told.again:
        told = one.interpret(match, seen(table), again=True)
        looks += 1
    assert told.lines == wanted.lines
    assert 2 < looks <= MOST_LOOKS


def test_looks_at_another_table_are_not_mixed_with_the_first() -> None:
    match, table = table_of_two()
    one = interpreter()
    assert one.interpret(match, seen(without_last(table, match))).again
    for number in range(LEAST_LOOKS - 1):
        assert one.interpret(match, seen(table), again=number > 0).again, "a new table is looked at as often"
    assert one.interpret(match, seen(table), again=True).lines == told_of(match, table).lines


def test_nobody_is_accused_by_one_look_of_several() -> None:
    match, table = table_of_two()
    upside_down = replace(
        table,
        cards=tuple(
            replace(card, turned_deg=card.turned_deg + 180.0 if card.turned_deg < 0 else card.turned_deg - 180.0)
            for card in table.cards
        ),
    )
    one = interpreter()
    told = told_after(one, match, upside_down, table)
    while told.again:
        told = one.interpret(match, seen(table), again=True)
    after = match
    for line in told.lines:
        move = next(entry.move for entry in MATCHES[-1].log if str(entry.move) == line)
        after = after.play(move)
    assert all(verdict.ruling is Ruling.LEGAL for verdict in after.verdicts)


@pytest.mark.parametrize(("game", "players", "seed"), [("trio", 4, 1802), ("trio", 4, 1803), ("dnp", 3, 1800)])
def test_wrong_plays_that_stay_or_seem_to_be_taken_back_do_not_spoil_the_game(
    game: str, players: int, seed: int
) -> None:
    told = watch(played(game, players, seed, cheat=0.1), declared=True)
    assert told.right
    assert told.accused <= 1, "a wrong play that nobody objects to can be told in more than one way"


@pytest.mark.parametrize(("players", "game", "seed"), [(2, "dnp", 1801), (3, "trio", 3802)])
def test_a_wrong_play_that_seemed_right_is_wrong_once_it_is_taken_back(players: int, game: str, seed: int) -> None:
    """A card revealed after a mismatch that was told away; a set played after a take, as if it had beaten that set."""
    told = watch(played(game, players, seed, cheat=0.1), declared=True)
    assert told.right
    assert not told.accused
    assert told.flagged + told.questioned >= 0.75 * told.cheats


def recorded(game: str, players: int, *lines: str) -> Record:
    """A record of these lines."""
    names = ", ".join(("Ala", "Bartek", "Celina", "Darek")[:players])
    text = "\n".join(["krupier record 1", f"game {game}", f"players {names}", "", *lines])
    return read_record(f"{text}\n", load_rules(game))


def test_of_several_who_may_have_passed_a_card_wrongly_nobody_is_accused() -> None:
    """P2 has the card from P1 already when another one lies there for a while: anybody may have put it down."""
    first = ("P4 pass ? @ P1", "P2 pass ? @ P3", "P1 pass ? @ P2", "P2 take", "P3 pass ? @ P2")
    told = watch(recorded("dawaj2", 4, *first, "P1 take", "P3 pass ? @ P4", "P4 take", "P3 take"))
    assert told.cheats == 1
    assert (told.accused, told.missing.total()) == (0, 1)


def test_a_card_put_back_and_another_one_taken_is_asked_about() -> None:
    """A second card after a mismatch, or the first one taken by mistake: what follows fits both, and is asked again."""
    told = watch(
        recorded(
            "trio",
            3,
            *("P1 reveal 6 @ c7", "P1 reveal 2 @ P3.high", "P1 reveal 2 @ c5", "P1 return 2 @ c5", "P1 return 6 @ c7"),
            *("P2 reveal 8 @ c1", "P2 reveal 9 @ c2", "P2 return 9 @ c2", "P2 return 8 @ c1"),
        )
    )
    assert not told.accused
    assert told.asked == 2


def test_who_of_two_partners_began_to_exchange_is_not_seen() -> None:
    deck = own_deck("trio")
    assert seen_by_all(deck, Move(2, "swap", ("?",), "P1")) == seen_by_all(deck, Move(0, "swap", ("?",), "P3"))


def moves_of(record: Record) -> list[tuple[Move, int]]:
    """The moves of a record, each with the first frame in which it can be seen."""
    script = filmed(record).seen_from()
    return [(line.meaning.move, frame) for line, frame in script if isinstance(line.meaning, Play)]


def never_shown(record: Record, number: int) -> Look:
    """The last card of a set is not found on its first table, however often that is looked at."""
    moves = moves_of(record)
    (move, start), word = moves[number], moves[number][0].cards[-1]
    end = next(frame for _, frame in moves[number:] if frame > start)
    codes = {word, "/".join(reversed(word.split("/")))}

    def fault(table: Table) -> Table:
        laid = [card for card in table.cards if card.face_up and card.code.rstrip("ABC") in codes]
        if not laid or not start <= table.frame < end:
            return table
        return replace(table, cards=tuple(card for card in table.cards if card is not laid[-1]))

    assert move.verb == "play"
    assert len(move.cards) > 1
    return fault


@pytest.mark.parametrize(("players", "seed", "number"), [(2, 8, 21), (2, 9, 62), (3, 1, 41), (3, 6, 12), (3, 8, 34)])
def test_what_was_said_meanwhile_keeps_its_place_when_moves_are_told_anew(players: int, seed: int, number: int) -> None:
    """A set of which a card is found only after the next player has flipped, which no table shows."""
    record = played("dnp", players, seed)
    assert moves_of(record)[number + 1][0].verb == "flip"
    told = watch(record, never_shown(record, number), declared=True)
    assert told.right
    assert (told.accused, told.missing.total()) == (0, 0)


def test_looks_that_disagree_twice_are_not_believed_at_once() -> None:
    """One look misses a card, the next one shows it and another one that is not there."""
    match, table = table_of_two()
    wanted = told_of(match, table).lines
    fewer = without_last(table, match)
    missed = next(card for card in table.cards if card not in fewer.cards)
    a, b, c, d = ((x - 40, y + 60) for x, y in missed.corners_mm)
    more = replace(table, cards=(*table.cards, replace(missed, track=-1, corners_mm=(a, b, c, d))))
    one = interpreter()
    told = told_after(one, match, fewer, more)
    while told.again:
        told = one.interpret(match, seen(table), again=True)
    assert told.lines == wanted


def test_who_plays_on_before_a_table_was_looked_at_often_enough_is_still_understood() -> None:
    match, table = table_of_two()
    wanted = told_of(match, table).lines
    # One of the cards may be another one: after two looks that is nearly settled, and two more are wanted.
    card = next(card for card in table.cards if card.code == "4/8")
    likely = replace(card, guesses=(Guess("4/8", 0.88), Guess("4/7", 0.12)))
    vague = replace(table, cards=tuple(likely if one is card else one for one in table.cards))
    one = interpreter()
    assert told_after(one, match, vague, vague).again
    told = one.interpret(match, seen(table))
    assert (told.lines, told.again) == (wanted, True)


def test_a_play_that_is_wrong_for_want_of_a_card_is_right_once_the_card_is_found() -> None:
    """And so is what was said after it, and judged by it."""
    record = played("dnp", 3, 5)
    told = watch(record, never_shown(record, 58), declared=True)
    assert told.right
    assert (told.accused, told.missing.total()) == (0, 0)


def test_who_has_lost_the_thread_accuses_nobody_any_more() -> None:
    match, table = table_of_two()
    for _ in range(LOST):
        match = match.play(Move(0, "take", (), "P2"))
    assert all(verdict.ruling is Ruling.ILLEGAL for verdict in match.verdicts[-LOST:])
    wrong = replace(table, cards=tuple(replace(card, turned_deg=card.turned_deg + 180) for card in table.cards))
    one = interpreter()
    told = told_after(one, match, wrong)
    while told.again:
        told = one.interpret(match, seen(wrong), again=True)
    assert told.lines == ()
    assert told.question is not None
