"""What is seen: pieces are counted by where they stand."""

import pytest

from calibration.plan import Seating, seat_players, seat_table
from device.plans import plan_of
from models.decks.kto_drugi.art import track_place
from referee.games.kto_drugi.state import FIRST, LAST
from referee.observed import observed_table
from vision.follow.spots import sort_table
from vision.table import Piece, Table


def _tables() -> list[Seating]:
    game = "kto_drugi"
    return [
        seat_players(plan_of(game), 6),
        seat_table(plan_of(game), 3, (1400.0, 900.0)),
        seat_table(plan_of(game), 3, (900.0, 1400.0)),
    ]


@pytest.mark.parametrize("seating", _tables())
def test_figures_are_told_by_the_number_of_their_space(seating: Seating) -> None:
    spaces = range(FIRST, LAST + 1)
    pieces = []
    for space in spaces:
        x, y = track_place(space, space % 6)
        pieces.append(Piece("figure", f"P{space}", *seating.middle.place(x + 3.0, -y), "track"))
    pieces.append(Piece("moon", "", 0.0, 0.0, "P2"))
    seen = observed_table(sort_table(Table(0.0, 0, (), tuple(pieces)), seating))
    for space in spaces:
        assert seen.pieces["figure", f"P{space}"] == {("track", str(space)): 1}
    assert seen.pieces["moon", "P2"] == {("P2", "tokens"): 1}
