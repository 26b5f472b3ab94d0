"""Tokens in front of the seats, on rendered tables."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from calibration.frames import Frame
from models.synth.scene import Thing
from tests.vision.pieces.scenes import SIZE_PX, laid, photo, sprite
from vision.table import Piece

Token = tuple[str, float, float, float]
"""Its kind, where it lies as its owner sees it, and how it is turned."""


def in_front(tokens: Mapping[int, Sequence[Token]]) -> list[Thing]:
    """Tokens in front of seats, later ones on top."""
    seating = laid("lucky_box")[0]
    things = []
    for seat, lying in tokens.items():
        frame = seating.seats[seat].frame
        for number, (kind, right_mm, away_mm, turn_deg) in enumerate(lying):
            x, y = frame.place(right_mm, away_mm)
            things.append(Thing(sprite(kind), x, y, turn_deg + frame.turn_deg, 0.2 * number))
    return things


def counted(pieces: Sequence[Piece]) -> Counter[tuple[str, str]]:
    """How many tokens of a kind lie in a zone."""
    assert {(piece.colour, piece.spot) for piece in pieces} <= {("", "tokens")}
    return Counter((piece.zone, piece.kind) for piece in pieces)


@pytest.mark.parametrize("material", ["wood", "felt"])
def test_tokens_are_counted_in_every_zone(material: str) -> None:
    tokens: dict[int, list[Token]] = {
        0: [("lightning", -110.0 + 10 * number, 30.0, 40.0 * number) for number in range(5)],
        1: [("moon", 20.0, 28.0, 10.0), ("moon", 44.5, 30.0, 200.0), ("lightning", 30.0, 40.0, 0.0)],
        3: [("moon", 60.0 + 10 * number, 28.0 + number, 0.0) for number in range(4)],
        5: [("lightning", 0.0, 25.0, 77.0)],
    }
    pieces = laid("lucky_box")[3].find(photo("lucky_box", [], in_front(tokens), material=material))
    truth = Counter((f"P{seat + 1}", kind) for seat, lying in tokens.items() for kind, *_ in lying)
    assert counted(pieces) == truth


def test_a_table_without_tokens_has_none() -> None:
    finder = laid("lucky_box")[3]
    assert finder.find(photo("lucky_box", [], [])) == ()
    assert finder.find(Frame(0, 0.0, np.full((SIZE_PX[1], SIZE_PX[0], 3), 200, np.uint8))) == ()
