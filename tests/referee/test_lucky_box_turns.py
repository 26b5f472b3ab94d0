"""Lucky Box: long chains, the two views of a turn, and decks."""

from dataclasses import replace
from random import Random
from time import perf_counter

import pytest

from models.cards import Card, Deck, DeckError, own_deck
from referee.games.lucky_box.marks import Marks, Turn
from referee.games.lucky_box.rules import GameRules
from referee.games.lucky_box.state import FULL, Box, Player, PlayerStep
from referee.games.lucky_box.turn import read_faces
from referee.verdicts import Ruling
from tests.referee.lucky_box_table import table
from tests.referee.table_talk import ask, ruling

LEGAL, ILLEGAL = Ruling.LEGAL, Ruling.ILLEGAL
RICH = ("26", "28", "30", "31", "33", "35")
"""Cards with nothing but digits as bonuses."""


def test_a_line_with_every_cell_does_not_hang() -> None:
    match = table(" ".join(RICH), number=1)
    cells = " ".join(f"{card}:r{row}c{column}" for card in RICH for row in (1, 2, 3) for column in (1, 2, 3))
    begun = perf_counter()
    assert ruling(match, f"P1 mark {cells}") == (ILLEGAL, "LB-6")
    assert perf_counter() - begun < 1
    rng = Random(7)
    no_diagonal = "12.13.21.23.31.32"
    words = [f"{card}:r{cell}c{cell}" for card in RICH for cell in (1, 2, 3)]
    for _ in range(15):
        match = table(" ".join(f"{card}:{no_diagonal}" for card in RICH), number=rng.randint(1, 9))
        begun = perf_counter()
        ask(match, f"P1 mark {' '.join(rng.sample(words, rng.randint(8, 18)))}")
        assert perf_counter() - begun < 1


def test_both_ends_of_a_turn_agree() -> None:
    deck = own_deck("lucky_box")
    faces = read_faces(deck)
    marks, rng, met = Marks(faces), Random(3), 0
    for _ in range(60):
        density = rng.random()
        cards = tuple(
            Box(code, sum(1 << cell for cell in range(9) if rng.random() < density))
            for code in rng.sample(sorted(faces), rng.randint(1, 4))
        )
        stars = tuple(rng.randint(0, 3) for _ in range(4))
        turn = Turn(
            0, Player(cards, rng.randint(0, 5), stars=stars, step=PlayerStep.MARK), rng.randint(1, 4), rng.randint(1, 9)
        )
        moves = [move for move in marks.moves(turn) if move.verb == "mark"]
        known = set(moves)
        assert len(known) == len(moves)
        words = [
            word
            for word, (name, cell) in marks.cells.items()
            for box in cards
            if box.name == name and not box.crossed >> cell & 1
        ]
        for move in rng.sample(moves, min(60, len(moves))):
            assert marks.judge(turn, move).ruling is LEGAL
            cells = set(move.cards) ^ set(rng.sample(words, min(2, len(words))))
            tried = replace(move, cards=tuple(sorted(cells, key=marks.order)))
            if cells:
                assert (marks.judge(turn, tried).ruling is LEGAL) is (tried in known), (cards, str(tried))
                met += tried in known
    assert met > 20


# Decks


def refused(change: dict[str, object], code: str = "1", drop: int = 0) -> str:
    own = own_deck("lucky_box")
    cards = []
    for card in own.cards[drop:]:
        if card.code == code:
            traits = tuple((key, change.get(key, value)) for key, value in card.traits)
            given = {"code": card.code, "count": card.count, "kind": card.kind, **change}
            card = Card(str(given["code"]), int(str(given["count"])), str(given["kind"]), traits)  # type: ignore[arg-type]
        cards.append(card)
    with pytest.raises(DeckError) as error:
        GameRules(Deck("lucky_box", "other", tuple(cards)))
    return str(error.value)


def test_decks_that_cannot_be_used() -> None:
    assert "nine numbers" in refused({"grid": (1, 2, 3)})
    assert "nine numbers" in refused({"grid": (1, 2, 3, 4, 5, 6, 7, 8, 10)})
    assert "wanted a list" in refused({"grid": "123"})
    assert "bonuses 7 8 X" in refused({"rows": ("7", "8", "X")})
    assert "3 rows" in refused({"rows": ("7", "8"), "cols": ("S", "S", "S", "S")})
    assert "count 1" in refused({"count": 2})
    assert "no : or '" in refused({"code": "1'"})
    assert "wanted box or number" in refused({"kind": "card"})
    assert "29 box cards" in refused({}, drop=31)
    assert "number cards" in refused({"number": 3}, code="n9")


def test_the_own_deck_is_the_printed_one() -> None:
    deck = own_deck("lucky_box")
    assert (deck.total("box"), deck.total("number")) == (60, 18)
    faces = [(card.row("grid"), card.row("rows"), card.row("cols")) for card in deck.of("box")]
    assert len(set(faces)) == 60
    digits = [digit for grid, _, _ in faces for digit in grid]
    assert all(digits.count(str(digit)) == 60 for digit in range(1, 10))
    bonuses = [bonus for _, rows, columns in faces for bonus in (*rows, *columns)]
    assert {bonus: bonuses.count(bonus) for bonus in "LDMS?-"} == {"L": 50, "D": 23, "M": 49, "S": 44, "?": 33, "-": 8}
    assert all(bonuses.count(str(digit)) == 17 for digit in range(1, 10))
    assert FULL.bit_count() == 9
