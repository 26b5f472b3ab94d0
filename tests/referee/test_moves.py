"""The text of a move round-trips, and what is no move is refused."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import referee.moves
from referee.moves import Move, NotationError, seat_index, seat_name

words = st.from_regex(r"[0-9A-Za-z+:/'?.-]{1,6}", fullmatch=True)
moves = st.builds(
    Move,
    st.none() | st.integers(0, 98),
    st.from_regex(r"[a-z]{1,20}", fullmatch=True),
    st.lists(words, max_size=5).map(tuple),
    st.none() | words,
    st.lists(st.tuples(st.from_regex(r"[a-z]{1,12}[0-9]?", fullmatch=True), st.integers(0, 9999)), max_size=3).map(
        tuple
    ),
)


@given(move=moves)
def test_text_round_trips(move: Move) -> None:
    assert Move.parse(str(move)) == move


@pytest.mark.parametrize(
    "text",
    [
        *("", "P1", "P0 pass", "P100 pass", "p1 pass", "P1 PASS", "P1 pass @", "P1 pass @ P2 P3", "P1 pass ? @P2"),
        *("P1 mark x=", "P1 mark x=99999", "P1 mark x=1 49", "P1 mark a=b", "table", "P² pass", "P1 pass = ?"),
    ],
)
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        Move.parse(text)


def test_seats_print_from_one() -> None:
    assert [seat_name(seat_index(f"P{number}")) for number in (1, 9, 12)] == ["P1", "P9", "P12"]


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(referee.moves).failed == 0
