"""Piece finders: which games have one, and a watcher that uses one."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.frames import Frame
from device.session.observer import PIECE_VIEW_CARD_MM, piece_finder
from tests.vision.pieces.scenes import laid
from vision.look.table_view import TableView
from vision.pieces.finders import PieceError, piece_finder_of
from vision.sightings import Look
from vision.table import Piece
from vision.watcher import Watcher


def test_only_some_games_have_pieces() -> None:
    seating, _, rig, _ = laid("lucky_box")
    assert piece_finder(rig, "trio") is None
    assert piece_finder(None, "lucky_box") is None
    assert piece_finder(replace(rig, seats=()), "lucky_box") is None
    assert rig.lens is not None
    assert rig.table is not None
    with pytest.raises(PieceError, match="trio has no pieces; wanted one of kto_drugi, lucky_box"):
        piece_finder_of("trio", TableView(rig.lens, rig.table, PIECE_VIEW_CARD_MM), seating)


class Blind:
    """An eye that sees no cards."""

    def look(self, frame: Frame) -> Look:
        return Look(frame.index, frame.at_s, ())


class ScriptedFinder:
    """A finder with a scripted figure."""

    def __init__(self) -> None:
        self.spot, self.asked = "1", 0

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        self.asked += 1
        return (Piece("figure", "P1", 0.0, 0.0, "track", self.spot),)


def test_a_table_whose_pieces_changed_is_another_table() -> None:
    finder = ScriptedFinder()
    watcher = Watcher(Blind(), pieces=finder)
    tables = []
    for index in range(100):
        image = np.full((90, 160, 3), 90, np.uint8)
        # Something moves at 3 s and comes back to where it was at 6 s; only the second time the figure does, too.
        image[30:60, 20 if 30 <= index < 60 else 90 :][:, :30] = 220
        finder.spot = "1" if index < 60 else "4"
        table = watcher.observe(Frame(index, index / 10, image))
        if table is not None:
            tables.append((table.pieces[0].spot, index))
    assert [spot for spot, _ in tables] == ["1", "4"]
    assert tables[1][1] > 60
    assert finder.asked == 3
