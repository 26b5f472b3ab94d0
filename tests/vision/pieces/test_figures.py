"""Figures on the track board, on rendered tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import cos, dist, radians, sin

import numpy as np
import pytest

from calibration.frames import Frame
from models.decks.kto_drugi import art as kto_drugi
from models.synth.hands import GRIP_MM, LENGTH_MM
from models.synth.scene import Thing
from tests.vision.pieces.scenes import SIZE_PX, laid, photo, sprite
from vision.follow.spots import sort_table
from vision.table import Piece, Table

SPACES = {0: 16, 1: -12, 2: 0, 3: 5, 4: -1, 5: 0}
"""Where the figure of every lane stands: also at both ends, on START and on an arrow."""


def on_track(
    spaces: Mapping[int, int], off_mm: tuple[float, float] = (0.0, 0.0), turn_deg: float = 0.0, moved_mm: float = 0.0
) -> tuple[list[Thing], list[Thing]]:
    """The track somewhere, and figures on it, each turned otherwise and some of them beside the middle of a space."""
    right, down = cos(radians(turn_deg)), sin(radians(turn_deg))
    figures = []
    for lane, space in spaces.items():
        x, y = kto_drugi.track_place(space, lane)
        x, y = x + moved_mm * (-1) ** lane, y + moved_mm * (-1) ** (lane // 2)
        place = off_mm[0] + x * right - y * down, off_mm[1] + x * down + y * right
        figures.append(Thing(sprite(kto_drugi.FIGURES[lane]), *place, 70.0 * lane))
    return [Thing(sprite("track"), *off_mm, turn_deg)], figures


def spots(pieces: Sequence[Piece]) -> dict[str, str]:
    """Where every seat's figure is."""
    assert {(piece.kind, piece.zone) for piece in pieces} <= {("figure", "track")}
    return {piece.colour: piece.spot for piece in pieces}


def wanted(spaces: Mapping[int, int]) -> dict[str, str]:
    """The same as it should be."""
    return {f"P{lane + 1}": str(space) for lane, space in spaces.items()}


def test_every_figure_is_found_on_its_space() -> None:
    track, figures = on_track(SPACES, moved_mm=3.0)
    seating, _, _, finder = laid("kto_drugi")
    pieces = finder.find(photo("kto_drugi", track, figures))
    assert spots(pieces) == wanted(SPACES)
    # A figure is 4 mm high, so that its top seems to lie farther out than its foot.
    off = [dist((piece.x_mm, piece.y_mm), (one.x_mm, one.y_mm)) for piece, one in zip(pieces, figures, strict=True)]
    assert max(off) < 4.0
    assert spots(sort_table(Table(0.0, 0, (), pieces), seating).pieces) == wanted(SPACES)


@pytest.mark.parametrize(("off_mm", "turn_deg"), [((12.0, -9.0), 2.5), ((-6.0, 5.0), 180.0)])
def test_the_track_may_lie_askew_or_the_other_way_round(off_mm: tuple[float, float], turn_deg: float) -> None:
    track, figures = on_track(SPACES, off_mm, turn_deg)
    assert spots(laid("kto_drugi")[3].find(photo("kto_drugi", track, figures))) == wanted(SPACES)


def test_an_empty_track_has_no_figures() -> None:
    track, _ = on_track({})
    assert laid("kto_drugi")[3].find(photo("kto_drugi", track, [])) == ()


def test_a_covered_figure_is_not_told_and_the_others_are() -> None:
    track, figures = on_track(SPACES)
    hidden = figures[3]
    hand = Thing(sprite("hand"), hidden.x_mm, hidden.y_mm + LENGTH_MM / 2 - GRIP_MM - 40, 0.0, 20.0)
    found = spots(laid("kto_drugi")[3].find(photo("kto_drugi", track, figures, [hand])))
    assert "P4" not in found
    assert {"P1", "P2"} <= found.keys()
    assert found.items() <= wanted(SPACES).items()


def test_a_figure_in_a_strange_lane_is_found_there() -> None:
    track, figures = on_track({0: 3, 1: -4})
    x, y = kto_drugi.track_place(7, 4)
    astray = replace(figures[1], x_mm=x, y_mm=y)
    assert spots(laid("kto_drugi")[3].find(photo("kto_drugi", track, [figures[0], astray]))) == {"P1": "3", "P2": "7"}


def test_without_a_track_there_are_no_figures() -> None:
    _, figures = on_track(SPACES)
    finder = laid("kto_drugi")[3]
    assert finder.find(photo("kto_drugi", [], figures)) == ()
    assert finder.find(Frame(0, 0.0, np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.uint8))) == ()
