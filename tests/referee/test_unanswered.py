"""A card that cannot be read while it lies there: one tap names it; if nobody taps, the game goes on all the same."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from device.evaluation.looks import Look
from device.evaluation.rehearsal import Rehearsal, rehearse, watch
from models.cards import own_deck
from referee.record import Record
from referee.rules import Opening
from tests.referee.explaining import played, tables_of
from vision.table import FOREIGN, Guess, Table

GAMES = [("trio", 3, 1), ("trio", 3, 2), ("trio", 4, 1), ("trio", 4, 2), ("kto_drugi", 3, 2), ("kto_drugi", 2, 2)]


@pytest.mark.parametrize(("game", "players", "seed"), GAMES)
def test_nobody_answers(game: str, players: int, seed: int) -> None:
    record = played(game, players, seed)
    told = watch(record, _dazzled(record, seed))
    assert told.asked
    assert told.right
    assert not told.accused


@pytest.mark.parametrize(("game", "players", "seed"), GAMES)
def test_one_tap(game: str, players: int, seed: int) -> None:
    record = played(game, players, seed)
    told = watch(record, _dazzled(record, seed), taps=1)
    assert told.right
    assert not told.accused
    # Which end of a hand was meant is another question, which a human would have to answer as well.
    assert all("reveal" in move for move, _ in told.missing)


def _dazzled(record: Record, seed: int) -> Look:
    """One card, when it is laid for the first time, in such a light that it could be anything."""
    deck = own_deck(record.opening.game)
    codes = [card.code for card in (deck.of("race") if deck.game == "kto_drugi" else deck.cards)]
    laid = list(dict.fromkeys(card.code for table in tables_of(record) for card in table.cards if card.face_up))
    laid = [code for code in laid if code in codes]
    code = laid[len(laid) // 2]
    first, last = Random(seed).sample([other for other in codes if other != code], 2)
    guesses = (Guess(FOREIGN, 0.97), Guess(first, 0.01), Guess(code, 0.008), Guess(last, 0.002))
    there: list[bool] = []

    def dazzled(table: Table) -> Table:
        cards = [card for card in table.cards if card.code == code and card.face_up]
        there.append(bool(cards))
        # Once it has been taken away, it is seen well the next time.
        if not cards or any(was and not now for was, now in pairwise(there)):
            return table
        unread = replace(cards[0], code=FOREIGN, guesses=guesses)
        return replace(table, cards=tuple(unread if card is cards[0] else card for card in table.cards))

    return dazzled


def test_a_set_that_was_asked_about_and_taken_was_played() -> None:
    """One of four looks missed a card of it; that another set was taken instead fits the next table only."""
    names = ("Ala", "Bartek", "Celina", "Darek", "Ewa")
    told = rehearse(Rehearsal(Opening("dnp", names), 6000, faults=1.0, declared=True))
    assert told.right
    assert (told.accused, told.missing.total()) == (0, 0)
