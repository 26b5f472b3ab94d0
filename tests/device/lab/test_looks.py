"""Looks that err, and the one table that they are fused into."""

from dataclasses import replace
from random import Random

import pytest

from device.lab.rehearsal.looks import Faulty, fused, looked_at
from models.cards import own_deck
from vision.table import Guess, PlacedCard, Table

DECK = own_deck("dnp")
SQUARE = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))


def card(track: int, code: str = "1/2", *guesses: tuple[str, float], face_up: bool = True) -> PlacedCard:
    read = tuple(Guess(*guess) for guess in guesses or ((code, 1.0),)) if face_up else ()
    return PlacedCard(track, code if face_up else "", read, face_up, SQUARE, "P1", 0.0, 1.0)


def table(*cards: PlacedCard) -> Table:
    return Table(1.0, 10, cards)


def tracks(seen: Table) -> list[int]:
    return [one.track for one in seen.cards]


def test_a_card_counts_the_looks_that_found_it() -> None:
    seen = fused((table(card(1), card(2)), table(card(2)), table(card(1), card(2))))
    assert seen.looks == 3
    assert [(one.track, one.looks) for one in seen.cards] == [(1, 2), (2, 3)]


@pytest.mark.parametrize(("looks", "there"), [(1, True), (2, True), (3, False), (5, False)])
def test_a_card_that_one_look_of_many_found_is_left_out(looks: int, there: bool) -> None:
    seen = fused((*(table(card(1)),) * (looks - 1), table(card(1), card(-1))))
    assert (-1 in tracks(seen)) == there


def test_cards_that_a_look_missed_stay_below_what_lies_on_them() -> None:
    one, two, three = card(1), card(2), card(3)
    assert tracks(fused((table(one, three), table(one, two, three), table(two, three)))) == [1, 2, 3]


def test_readings_are_averaged_over_the_looks_that_found_the_card() -> None:
    right, wrong = card(1, "1/2"), card(1, "3/4", ("3/4", 0.7), ("1/2", 0.25))
    (seen,) = fused((table(right), table(wrong), table(right))).cards
    assert seen.code == "1/2"
    assert seen.guesses[0].probability > 0.8
    (seen,) = fused((table(wrong), table(wrong), table(right))).cards
    assert {guess.code for guess in seen.guesses[:2]} == {"1/2", "3/4"}
    (seen,) = fused((table(wrong),) * 3).cards
    assert [guess.code for guess in seen.guesses] == ["3/4", "1/2"]
    assert [guess.probability for guess in seen.guesses] == pytest.approx([0.7, 0.25])


def test_most_looks_say_which_side_is_up() -> None:
    up, down = card(1), card(1, face_up=False)
    (seen,) = fused((table(up), table(down), table(down))).cards
    assert (seen.face_up, seen.code, seen.guesses, seen.looks) == (False, "", (), 3)
    (seen,) = fused((table(up), table(down), table(up))).cards
    assert (seen.face_up, seen.code) == (True, "1/2")


def test_looks_err_freshly_or_all_alike() -> None:
    full = table(*(card(number) for number in range(1, 41)))

    def looks_of(steady: bool) -> set[int]:
        look = Faulty(Random(1), DECK, 5.0)
        return {one.looks for one in looked_at(full, look, 3, steady).cards}

    assert looks_of(steady=False) == {2, 3}
    assert looks_of(steady=True) == {3}


def test_an_invented_card_is_seen_by_one_look_unless_all_err_alike() -> None:
    full = table(*(card(number) for number in range(1, 41)))

    def invented(looks: int, steady: bool) -> int:
        look = Faulty(Random(1), DECK, 20.0)
        return sum(track < 0 for track in tracks(looked_at(full, look, looks, steady)))

    assert invented(3, steady=False) == 0
    assert invented(1, steady=False) > 0
    assert invented(3, steady=True) == invented(1, steady=True) > 0


def test_a_perfect_eye_sees_every_card_in_every_look() -> None:
    full = table(card(1), card(2, face_up=False))
    seen = looked_at(full, Faulty(Random(1), DECK, 0.0), 3, steady=False)
    assert [replace(one, looks=1, guesses=()) for one in seen.cards] == [replace(one, guesses=()) for one in full.cards]
