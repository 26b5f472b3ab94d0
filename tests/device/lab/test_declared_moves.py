"""Declared moves of a simulated table come when they can be seen, each once and in order."""

from dataclasses import replace

from device.cameras.simulated import declared_moves
from device.lab.simulator.declared_moves import DeclaredMoves
from device.lab.simulator.game import read_simulated_game
from device.session.game import Game
from referee.edits import Edit, Play
from referee.record import Record
from referee.rules import load_rules
from vision.table import Table

CAMERA = "sim:dawaj2?players=2&seed=3&size=320x180"


def as_said(record: Record) -> list[Edit]:
    """The lines of a record as people say them."""
    edits = [line.meaning for line in record.lines if line.meaning is not None]
    return [replace(edit, human=True) if isinstance(edit, Play) else edit for edit in edits]


def test_each_line_is_told_once_it_lies_there() -> None:
    play = read_simulated_game(CAMERA)
    script = list(play.film().seen_from())
    assert [line.text for line, _ in script] == [line.text for line in play.record().lines if line.meaning is not None]
    assert [frame for _, frame in script] == sorted(frame for _, frame in script)
    game = Game.open(load_rules("dawaj2"), play.record().opening)
    declared = DeclaredMoves(read_simulated_game(CAMERA).film().seen_from())
    first, said = script[0][1], as_said(play.record())
    assert list(declared.edits(game.match, Table(0.0, first - 1, ()))) == []
    assert list(declared.edits(game.match, Table(0.0, first, ()))) == said[:1]
    rest = list(declared.edits(game.match, Table(0.0, 10**6, ())))
    assert rest == said[1:]
    assert list(declared.edits(game.match, Table(0.0, 10**6 + 1, ()))) == []


def test_frames_agree_with_what_is_filmed() -> None:
    film = read_simulated_game(CAMERA).film()
    line, frame = next(iter(read_simulated_game(CAMERA).film().seen_from()))
    shots = film.shots()
    seen = next(shot for shot in shots if shot.line == line.number and shot.settled)
    assert seen.index == frame


def test_a_session_that_goes_on_is_not_told_again() -> None:
    play = read_simulated_game(CAMERA)
    game = Game.open(load_rules("dawaj2"), play.record().opening)
    edits = as_said(play.record())
    for edit in edits[:3]:
        game, _ = game.enter(edit)
    declared = DeclaredMoves(read_simulated_game(CAMERA).film().seen_from())
    assert list(declared.edits(game.match, Table(0.0, 10**6, ()))) == edits[3:]


def test_only_what_no_camera_can_see_is_declared() -> None:
    play = read_simulated_game(CAMERA)
    game = Game.open(load_rules("dawaj2"), play.record().opening)
    declared = declared_moves(f"{CAMERA}&declared=1", ("draw",))
    assert declared is not None
    told = list(declared.edits(game.match, Table(0.0, 10**6, ())))
    assert told
    assert all(isinstance(edit, Play) and edit.move.verb == "draw" for edit in told)


def test_nobody_prompts_at_a_real_table() -> None:
    assert declared_moves("usb:0", ("draw",)) is None


def test_nobody_prompts_at_a_simulated_table_either_unless_asked_to() -> None:
    assert declared_moves(CAMERA, ("draw",)) is None
