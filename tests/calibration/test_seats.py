"""Zones and seats: whose is a point, and what is upright for whom."""

from math import hypot

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.seats import Seat, SeatFrame, Zone, across, rectangle, turned, zone_of

LEFT = rectangle("left", -200, -100, 0, 100)
RIGHT = rectangle("right", 0, -100, 200, 100)
PILE = rectangle("pile", -20, -30, 20, 30)
ALONE = rectangle("alone", 300, -20, 340, 20)
ZONES = (LEFT, RIGHT, PILE, ALONE)
turns = st.floats(-720, 720)
lengths = st.floats(-500, 500)


@pytest.mark.parametrize(
    ("point", "name"),
    [
        ((-100, 0), "left"),
        ((100, 0), "right"),
        ((5, 5), "pile"),  # the smallest zone that holds it
        ((-5, 29), "pile"),
        ((-5, 31), "left"),
        ((-0.1, 60), "left"),
        ((0.1, 60), "right"),
        ((-215, 0), "left"),  # a little outside
        ((100, 129), "right"),
        ((100, 131), ""),  # too far outside
        ((225, 0), "right"),
        ((275, 0), "alone"),
        ((250, 0), ""),
        ((-221, -121), "left"),  # beyond a corner: 29.7 mm away
        ((-222, -122), ""),
    ],
)
def test_zone_of(point: tuple[float, float], name: str) -> None:
    assert zone_of(ZONES, point) == name


def test_between_two_equally_near_zones_the_nearer_centre_wins() -> None:
    broad, small = rectangle("broad", -300, -50, -10, 50), rectangle("small", 10, -50, 60, 50)
    assert zone_of((broad, small), (0, 0)) == "small"
    assert zone_of((broad, small), (-1, 0)) == "broad"
    assert zone_of((), (0, 0)) == ""
    assert zone_of((broad, small), (0, 0), near_mm=5) == ""


def test_up_at_the_four_sides() -> None:
    ups = [Seat(0, PILE, SeatFrame(0, 0, turn)).up for turn in (0.0, 90.0, 180.0, 270.0, 360.0, -90.0)]
    assert ups == [(0, -1), (1, 0), (0, 1), (-1, 0), (0, -1), (-1, 0)]
    assert all(str(part) != "-0.0" for up in ups for part in up)


@given(turns, lengths, lengths)
def test_a_view_is_a_turn_about_its_beginning(turn: float, right: float, away: float) -> None:
    frame, seat = SeatFrame(30.0, -40.0, turn), Seat(0, PILE, SeatFrame(0, 0, turn))
    x, y = frame.place(right, away)
    assert hypot(x - 30, y + 40) == pytest.approx(hypot(right, away), abs=1e-9)
    up_x, up_y = frame.place(0, 1)
    assert (up_x - 30, up_y + 40) == pytest.approx(seat.up, abs=1e-9)
    right_x, right_y = frame.place(1, 0)
    # Clockwise in a picture whose y goes down: a quarter turn to the right of up is right.
    assert (right_x - 30, right_y + 40) == pytest.approx((-seat.up[1], seat.up[0]), abs=1e-9)
    assert across(turn) == pytest.approx((right_x - 30, right_y + 40), abs=1e-9)


@given(turns, st.floats(-89, 89), st.integers(-2, 2))
def test_turned_is_more_than_a_quarter(turn: float, askew: float, rounds: int) -> None:
    seat = Seat(0, PILE, SeatFrame(0, 0, turn))
    assert not turned(seat, turn + askew + 360 * rounds)
    assert turned(seat, turn + askew + 180 + 360 * rounds)


@given(st.integers(3, 9), st.floats(20, 300), turns, lengths, lengths)
def test_a_point_is_as_far_from_a_zone_as_from_its_nearest_side(
    corners: int, radius: float, turn: float, x: float, y: float
) -> None:
    zone = Zone("zone", tuple(SeatFrame(0, 0, turn + 360 * n / corners).place(0, radius) for n in range(corners)))
    assert not zone.crossed
    assert zone.centre_mm == pytest.approx((0, 0), abs=1e-6)
    away = zone.away_mm(x, y)
    if zone.holds(x, y):
        assert hypot(x, y) <= radius + 1e-6
        assert away <= radius
    else:
        assert away >= hypot(x, y) - radius - 1e-6


def test_crossed_sides_are_noticed() -> None:
    bow = Zone("bow", ((0, 0), (100, 100), (100, 0), (0, 100)))
    assert bow.crossed
    assert not LEFT.crossed
    assert LEFT.area_mm2 == 40000
