"""Dawaj 2 from what lies on the table: passes, pairs, numbers, exits; faults of people and of the camera."""

from dataclasses import replace
from random import Random

import pytest

from device.lab.rehearsal.rehearsal import watch
from models.cards import own_deck
from referee.edits import Play
from referee.match import Match
from referee.moves import HIDDEN, Move
from referee.observed import observed_table
from referee.record import Record
from referee.rules import load_rules
from referee.verdicts import Ruling
from tests.referee.explaining import misread, played, seating_for, tables_of
from tests.referee.watching import Found, found
from vision.follow.spots import sort_table
from vision.table import FOREIGN, Guess, Table

CODES = tuple(card.code for card in own_deck("dawaj2").cards)


@pytest.mark.parametrize(("players", "seed", "strict"), [(2, 1, "no"), (3, 2, "no"), (4, 3, "yes"), (6, 5, "no")])
def test_an_honest_game_is_understood(players: int, seed: int, strict: str) -> None:
    record = played("dawaj2", players, seed, strict=strict)
    game = watch(replace(record, lines=record.lines[:60]))
    assert (game.missing, game.extra, game.asked) == ({}, {}, 0)
    assert game.right


@pytest.mark.parametrize("seed", range(2))
def test_cheats_change_no_score_and_nobody_else_is_accused(seed: int) -> None:
    game = watch(played("dawaj2", 3, seed, cheat=0.1))
    assert game.right
    assert not any(ruling == "ILLEGAL" and " turn " in move for move, ruling in game.extra)


def test_who_put_a_card_into_a_wrong_tray_is_flagged_or_asked() -> None:
    game = watch(played("dawaj2", 3, 1800, cheat=0.1))
    assert game.flagged + game.questioned == game.cheats == 3


def test_a_number_that_does_not_grow_is_flagged_once_and_forgotten_when_taken_back() -> None:
    record = _with_false_number()
    game = watch(record)
    wrong = [str(entry.move) for entry, verdict in zip(game.told.log, game.told.verdicts, strict=True)
             if verdict.ruling is Ruling.ILLEGAL]  # fmt: skip
    told = [str(entry.move) for entry, verdict in zip(game.played.log, game.played.verdicts, strict=True)
            if verdict.ruling is Ruling.ILLEGAL and entry.move.verb == "turn"]  # fmt: skip
    assert told
    assert [move for move in wrong if " turn " in move] == told


def test_everybody_at_once_between_two_looks() -> None:
    record = played("dawaj2", 3, 2)
    tables = list(tables_of(record))
    moves = [line.meaning.move for line in record.lines if isinstance(line.meaning, Play)]
    first_round = next(number for number, move in enumerate(moves) if move.verb == "draw")
    # Who reached where was seen at the tables between.
    one = _found(record, replace(tables[first_round], arms=()))
    told = [text for text in one.told if " draw " not in text]
    assert sorted(told) == sorted(map(str, moves[:first_round]))
    assert not one.left


def test_a_card_that_is_misread_is_put_right_by_a_later_look() -> None:
    record = played("dawaj2", 2, 1)
    turned = next(line.meaning.move for line in record.lines if isinstance(line.meaning, Play)
                  and line.meaning.move.verb == "turn")  # fmt: skip
    code = turned.cards[0]
    other = next(c for c in CODES if c[0] == code[0] and c != code)
    first = [True]

    def wrong_at_first(table: Table) -> Table:
        if first and any(card.code == code for card in table.cards):
            first.clear()
            cards = tuple(
                replace(card, code=other, guesses=(Guess(other, 0.97),)) if card.code == code else card
                for card in table.cards
            )
            return replace(table, cards=cards)
        return table

    game = watch(record, wrong_at_first)
    assert (game.missing, game.extra) == ({}, {})
    assert game.right


def test_a_doubtful_card_is_asked_about() -> None:
    record = played("dawaj2", 2, 1)
    turned = next(line.meaning.move for line in record.lines if isinstance(line.meaning, Play)
                  and line.meaning.move.verb == "turn")  # fmt: skip
    code = turned.cards[0]
    other = next(c for c in CODES if c[0] == code[0] and c != code)
    game = watch(record, lambda table: misread(table, code, other, 0.5))
    assert game.asked


@pytest.mark.parametrize("seed", [2, 3])
def test_one_tap_names_a_card_that_cannot_be_read(seed: int) -> None:
    whole = played("dawaj2", 3, seed)
    record = replace(whole, lines=whole.lines[:50])
    turned = [line.meaning.move for line in record.lines if isinstance(line.meaning, Play)
              and line.meaning.move.verb == "turn"]  # fmt: skip
    code = turned[2].cards[0]
    unread = (Guess(FOREIGN, 0.97), Guess("1G0", 0.01), Guess(code, 0.008), Guess("2P0", 0.002))

    def dazzled(table: Table) -> Table:
        cards = (replace(card, code=FOREIGN, guesses=unread) if card.code == code else card for card in table.cards)
        return replace(table, cards=tuple(cards))

    game = watch(record, dazzled, taps=1)
    assert (game.missing, game.extra, game.taps) == ({}, {}, 1)
    assert game.right


@pytest.mark.parametrize(("seed", "place"), [(2, 0), (3, -1)])
def test_a_hand_is_shown_whole_though_a_card_of_it_is_never_found(seed: int, place: int) -> None:
    record = played("dawaj2", 3, seed)
    out = next(line.meaning.move for line in record.lines if isinstance(line.meaning, Play)
               and line.meaning.move.verb == "out")  # fmt: skip
    hidden = out.cards[place]
    game = watch(record, lambda table: replace(table, cards=tuple(c for c in table.cards if c.code != hidden)))
    assert game.right
    assert any(entry.move.verb == "out" and HIDDEN in entry.move.cards for entry in game.told.log)


def test_what_nothing_explains_is_named() -> None:
    record = played("dawaj2", 2, 1)
    table = next(tables_of(record))
    ghost = replace(table.cards[0], track=99, face_up=True, code=CODES[3], guesses=(Guess(CODES[3], 1.0),), zone="")
    one = _found(record, replace(table, cards=(*table.cards, ghost)))
    assert not one.told
    assert [(left.wanted, left.found.track if left.found else None) for left in one.left] == [(None, 99)]


@pytest.mark.parametrize("seed", range(2))
def test_a_camera_that_errs_changes_no_score(seed: int) -> None:
    rng = Random(seed)

    def erring(table: Table) -> Table:
        cards = []
        for card in table.cards:
            if rng.random() < 0.02:
                continue
            if card.face_up and rng.random() < 0.01:
                other = rng.choice(CODES)
                card = replace(card, code=other, guesses=(Guess(other, 0.7), Guess(card.code, 0.25)))
            cards.append(card)
            if rng.random() < 0.005:
                moved = tuple((x + rng.uniform(-200, 200), y + rng.uniform(-200, 200)) for x, y in card.corners_mm)
                a, b, c, d = moved
                cards.append(replace(card, track=1000 + len(cards), corners_mm=(a, b, c, d)))
        return replace(table, cards=tuple(cards))

    game = watch(played("dawaj2", 3, seed), erring)
    assert game.right
    assert not any(ruling == "ILLEGAL" for _, ruling in game.extra)


def _found(record: Record, table: Table) -> Found:
    start = Match.open(load_rules("dawaj2"), record.opening)
    return found(start, observed_table(sort_table(table, seating_for(record))))


def _with_false_number() -> Record:
    """A game in which somebody turned a number that does not grow."""
    for seed in range(60):
        record = played("dawaj2", 2, seed, cheat=0.1)
        match = Match.open(load_rules("dawaj2"), record.opening)
        for line in record.lines:
            if isinstance(line.meaning, Play):
                match = match.play(line.meaning.move)
                verdict, move = match.verdicts[-1], line.meaning.move
                if verdict.rule == "D2-C3" and verdict.ruling is Ruling.ILLEGAL and isinstance(move, Move):
                    return record
    raise AssertionError("no such game among these")
