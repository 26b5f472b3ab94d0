"""The simulated human, and what is public of a game."""

import pytest

from device.lab.rehearsal.human import Human
from device.lab.rehearsal.logbook import edited
from device.lab.rehearsal.public import cheats_of, rulings_of, seen_by_all
from device.session.game import Game
from models.cards import own_deck
from referee.edits import Play, Undo
from referee.moves import Move
from referee.record import Record, read_record
from referee.rules import Opening, load_rules

DECK = own_deck("dawaj2")
RULES = load_rules("dawaj2")
HEAD = "krupier record 1\ngame dawaj2\nplayers Ala, Bartek\n\n"
PASSED = ((Play(Move.parse("P1 pass ? ? @ P2")),), (Play(Move.parse("P1 pass ? @ P2")),), ())


def record(*lines: str) -> Record:
    return read_record(HEAD + "\n".join(lines), RULES)


def start() -> Game:
    return Game.open(RULES, Opening("dawaj2", ("Ala", "Bartek")))


def human(most: int, *lines: str) -> Human:
    """Who knows these lines, each seen ten frames after the one before."""
    return Human(DECK, ((line, 10 * number) for number, line in enumerate(record(*lines).lines)), most)


def play(text: str) -> Play:
    return Play(Move.parse(text))


def test_the_choice_that_happened_is_tapped_and_pinned() -> None:
    ala, match = human(1, "P1 pass ? @ P2"), start().match
    edits = ala.answer(PASSED, match, 15)
    assert edits == (Play(Move.parse("P1 pass ? @ P2"), human=True),)
    match = edited(match, edits)
    assert [(str(entry.move), entry.pinned) for entry in match.log] == [("P1 pass ? @ P2", True)]
    assert ala.taps == 1
    assert ala.answer(((play("P2 pass ? @ P1"),),), match, 99) == (), "that was the last tap"


@pytest.mark.parametrize("frame", [-1, 0, 5])
def test_nobody_taps_what_did_not_happen_yet(frame: int) -> None:
    ala, match = human(3, "P2 pass ? @ P1", "P1 pass ? @ P2"), start().match
    assert ala.answer(PASSED, match, frame) == ()
    assert ala.answer((), match, frame) == ()
    assert ala.taps == 0


def test_a_choice_may_take_back_what_was_told() -> None:
    match = start().match.play(Move.parse("P2 pass ? @ P1"))
    choices = ((Undo(), play("P1 pass ? @ P2")), (Undo(), Undo()))
    after = edited(match, human(1, "P1 pass ? @ P2").answer(choices, match, 10))
    assert [str(entry.move) for entry in after.log] == ["P1 pass ? @ P2"]


def test_nobody_knows_who_laid_a_card_face_down_in_kto_drugi() -> None:
    deck = own_deck("kto_drugi")
    code = next(card.code for card in deck.of("race") if card.number("value") == -2)
    assert seen_by_all(deck, Move.parse("P1 lay ? @ P2")) == seen_by_all(deck, Move.parse("P2 lay ? @ P2"))
    assert seen_by_all(deck, Move.parse(f"P1 turn {code}")) == "P1 turn -2"
    assert seen_by_all(DECK, Move.parse("P1 pass ? @ P2")) == "P1 pass ? @ P2"


def test_a_cheat_shows_if_it_leaves_something_that_nothing_allowed_would_leave() -> None:
    game = start()
    for text in ("P1 draw ?", "P1 pass ? ? @ P2", "P1 pass ? @ P2"):
        line = game.read(text)
        assert line is not None
        game, _ = game.judge(line)
    assert rulings_of(game.match) == {
        ("P1 draw ?", "ILLEGAL"): 1,
        ("P1 pass ? ? @ P2", "ILLEGAL"): 1,
        ("P1 pass ? @ P2", "LEGAL"): 1,
    }
    assert cheats_of(game.match) == {("P1 pass ? ? @ P2", "ILLEGAL"): 1}
