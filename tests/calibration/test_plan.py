"""Seatings: every card of every game lies in the zone it belongs to, at every table."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest

from calibration.frames import CalibrationError
from calibration.plan import (
    PlanError,
    Seating,
    SeatLayout,
    needed_mm,
    read_plan,
    seat_players,
    seat_table,
)
from calibration.seats import is_turned, turned, zone_of
from device.plans import plan_of
from models.cards import own_deck
from referee.layout import Spread, layouts_of
from referee.record import read_record
from referee.rules import Opening, games, load_rules
from referee.selfplay import self_play
from referee.transcript import judge_record

MOST = {
    "dawaj2": {"tens": 9, "units": 9, "tray": 6, "shown": 10},
    "dnp": {"set": 8, "set1": 7, "set2": 7},
    "kto_drugi": {"colour": 1, "laid": 5, "stack": 1},
    "lucky_box": {"boxes": 8, "drawn": 6, "lightning": 20, "moon": 8},
    "trio": {"trios": 9, "shown": 3},
}
"""As many cards as lie on a spot of a seat in long games."""
MIDDLE = {
    "dawaj2": {"pile": ("pile", 1)},
    "dnp": {"discard": ("discard", 1)},
    "kto_drugi": {"pile": ("pile", 1), "discard": ("discard", 1), "track": ("track", 1)},
    "lucky_box": {
        "pile": ("pile", 1),
        "discard": ("discard", 2),
        "waiting": ("centre", 1),
        "numbers": ("centre", 9),
        "aside": ("aside", 1),
    },
    "trio": {f"c{number}": ("centre", 1) for number in range(1, 10)},
}
"""The zone of every spot that belongs to nobody, as the referee names it, and how many cards lie there."""


def chairs_of(game: str) -> list[int]:
    """Every number of chairs that a game may need, guests too, and one alone."""
    rules = load_rules(game)
    return sorted({players + len(rules.guests(players)) for players in rules.seats} | {1})


def seatings(game: str) -> Iterator[Seating]:
    """The game at every number of chairs: on the smallest table, on large ones, turned, and round."""
    for chairs in chairs_of(game):
        yield seat_players(plan_of(game), chairs)
        width, depth = needed_mm(plan_of(game), chairs)
        yield seat_table(plan_of(game), chairs, (width, depth))
        yield seat_table(plan_of(game), chairs, (depth, width))
        yield seat_table(plan_of(game), chairs, (width * 1.3 + 20, depth * 1.1), quarter=False)
        yield seat_table(plan_of(game), chairs, (depth * 1.2, width * 1.4), quarter=True)
        across, _ = needed_mm(plan_of(game), chairs, SeatLayout.ROUND)
        yield seat_table(plan_of(game), chairs, (across, across), SeatLayout.ROUND)
        yield seat_table(plan_of(game), chairs, (across * 1.5, across * 1.25), "round")


@pytest.mark.parametrize("game", games())
def test_a_card_for_a_seat_reads_as_that_seats(game: str) -> None:
    """At every spot, a little beside and askew as hands lay cards, upright and turned."""
    rng, plan = Random(4), plan_of(game)
    assert set(plan.seat) == set(MOST[game])
    for seating in seatings(game):
        for seat in seating.seats:
            for spot, most in MOST[game].items():
                if plan.seat[spot].chairs and len(seating.seats) not in plan.seat[spot].chairs:
                    continue
                for number in range(most):
                    right, away = seating.spot_of(seat.zone.name, spot).at(number)
                    point = seat.frame.place(right + rng.uniform(-4, 4), away + rng.uniform(-4, 4))
                    assert zone_of(seating.zones, point) == seat.zone.name, (seat, spot, number)
                    turn = seat.frame.turn_deg + rng.uniform(-40, 40)
                    assert not turned(seat, turn)
                    assert turned(seat, turn + 180)


@pytest.mark.parametrize("game", games())
def test_a_card_for_nobody_reads_as_nobodys(game: str) -> None:
    assert set(plan_of(game).middle) == set(MIDDLE[game])
    rng = Random(5)
    for seating in seatings(game):
        upright = {zone.name: zone.turn_deg for zone in seating.zones}
        for spot, (zone, most) in MIDDLE[game].items():
            frame = seating.frame_of(zone)
            for number in range(most):
                right, away = seating.spot_of(zone, spot).at(number)
                point = frame.place(right + rng.uniform(-4, 4), away + rng.uniform(-4, 4))
                assert zone_of(seating.zones, point) == zone, (spot, number)
            assert not is_turned(upright[zone], frame.turn_deg + rng.uniform(-40, 40))


@pytest.mark.parametrize("game", games())
def test_seats_stand_clockwise_and_look_to_the_middle(game: str) -> None:
    for seating in seatings(game):
        assert [seat.index for seat in seating.seats] == list(range(len(seating.seats)))
        assert [seat.zone.name for seat in seating.seats] == [f"P{n + 1}" for n in range(len(seating.seats))]
        around = []
        for seat in seating.seats:
            x, y = seat.zone.centre_mm
            frame_x, frame_y = seat.frame.x_mm, seat.frame.y_mm
            # Up leads from the edge in front of the player into the zone.
            assert (x - frame_x) * seat.up[0] + (y - frame_y) * seat.up[1] > 0
            assert seat.zone.turn_deg == seat.frame.turn_deg
            middle_x, middle_y = seating.middle.place(0, 0)
            around.append((x - middle_x, y - middle_y))
        # Clockwise in the picture: the cross product of neighbours is positive, y going down.
        for (x1, y1), (x2, y2) in pairwise(around):
            assert x1 * y2 - x2 * y1 >= -1e-6


@pytest.mark.parametrize("game", games())
def test_zones_stay_on_the_table_and_apart(game: str) -> None:
    for seating in seatings(game):
        half_x, half_y = seating.table_mm[0] / 2, seating.table_mm[1] / 2
        for zone in seating.zones:
            assert all(abs(x) <= half_x and abs(y) <= half_y for x, y in zone.polygon_mm)
            assert not zone.crossed
        names = [zone.name for zone in seating.zones]
        assert len(set(names)) == len(names)
        for zone in seating.zones:
            # Points just inside every corner belong to this zone and to no other.
            centre_x, centre_y = zone.centre_mm
            for x, y in (*zone.polygon_mm, (centre_x, centre_y)):
                point = (centre_x + (x - centre_x) * 0.98, centre_y + (y - centre_y) * 0.98)
                assert [other.name for other in seating.zones if other.holds(*point)] == [zone.name]


def test_room_that_is_left_over_goes_between_the_seats() -> None:
    small, large = seat_players(plan_of("dawaj2"), 6), seat_table(plan_of("dawaj2"), 6, (1000, 1100))
    assert large.table_mm == (1000, 1100)
    assert {seat.frame.turn_deg for seat in large.seats} == {0, 180}
    for one, other in zip(small.seats, large.seats, strict=True):
        assert abs(other.frame.x_mm) >= abs(one.frame.x_mm)
        assert abs(other.frame.y_mm) > abs(one.frame.y_mm)
        assert abs(other.frame.y_mm) == 1100 / 2 - 12


def test_a_table_that_is_long_the_other_way_is_laid_the_other_way() -> None:
    seating = seat_table(plan_of("dawaj2"), 2, (1000, 600))
    assert [(seat.frame.turn_deg, seat.up) for seat in seating.seats] == [(90, (1, 0)), (270, (-1, 0))]
    assert seating.middle.turn_deg == 90
    assert [seat.frame.turn_deg for seat in seat_table(plan_of("dawaj2"), 6, (852, 796)).seats] == [90] * 3 + [270] * 3


def test_round_tables_turn_everybody_to_the_middle() -> None:
    seating = seat_table(plan_of("dnp"), 5, (900, 900), "round")
    assert [seat.frame.turn_deg for seat in seating.seats] == [0, 72, 144, 216, 288]
    first = seating.seats[0].frame
    assert (first.x_mm, first.y_mm > 0) == (0, True)
    assert seating.seats[1].frame.x_mm < 0, "clockwise from the lower edge is left"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            ("dawaj2", 6, (600, 400)),
            "this table is 600 x 400 mm; dawaj2 with 6 needs 796 x 852 mm or 852 x 796 mm; wanted",
        ),
        (("dawaj2", 6, (852, 796), "sides", False), "dawaj2 with 6 needs 796 x 852 mm; wanted"),
        (("dawaj2", 6, (796, 852), "sides", True), "dawaj2 with 6 needs 852 x 796 mm; wanted"),
        (("dawaj2", 6, (2000, 980), "round"), "dawaj2 with 6 in the round needs 1152 mm across; wanted"),
        (("dawaj2", 13, (2000, 2000)), "13 seats; wanted 1 to 12"),
        (("dawaj2", 0, (2000, 2000)), "0 seats; wanted 1 to 12"),
        (("dnp", 2, (2000, 2000), "oval"), "layout 'oval'; wanted one of sides, round"),
    ],
)
def test_refusals_say_what_was_wanted(given: tuple[object, ...], words: str) -> None:
    with pytest.raises(PlanError) as caught:
        seat_table(plan_of(str(given[0])), *given[1:])  # type: ignore[arg-type]
    assert words in str(caught.value)
    assert isinstance(caught.value, CalibrationError)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seat_mm = ", "not TOML"),
        ("middle_mm = [1, 2]", "no plan: KeyError: 'seat_mm'; wanted seat_mm and middle_mm as [width, depth]"),
        ("seat_mm = [1]\nmiddle_mm = [1, 2]\n[seat]\n[middle]", "no plan: ValueError"),
        ("seat_mm = [1, 2]\nmiddle_mm = [1, 2]\n[seat]\na = 3\n[middle]", "no plan: TypeError"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, words: str) -> None:
    with pytest.raises(PlanError) as caught:
        read_plan("war", text)
    assert words in str(caught.value)


def test_a_game_that_is_not_there_has_no_plan() -> None:
    with pytest.raises(PlanError, match="no game 'poker'; there are dawaj2, dnp, kto_drugi, lucky_box, trio"):
        plan_of("poker")


def test_every_game_has_a_plan_and_fits_a_dozen() -> None:
    for game in games():
        for chairs in range(1, 13):
            for layout in SeatLayout:
                assert (
                    len(seat_table(plan_of(game), chairs, needed_mm(plan_of(game), chairs, layout), layout).seats)
                    == chairs
                )


@pytest.mark.parametrize("game", games())
def test_whole_games_lie_in_their_zones(game: str) -> None:
    """Everything that the referee expects on the table during a game lies where the referee says it belongs."""
    rules, layouts = load_rules(game), layouts_of(game)
    players = rules.seats[-1] if game != "lucky_box" else 3
    names = tuple(f"N{number}" for number in range(players))
    record = read_record(str(self_play(rules, Opening(game, names), 3, 0.0)), rules)
    across, _ = needed_mm(plan_of(game), players, "round")
    tables = (
        seat_players(plan_of(game), players),
        seat_table(plan_of(game), players, (across * 1.1, across * 1.1), "round"),
    )
    for ruled in judge_record(record, rules):
        for place in layouts.layout(own_deck(game), ruled.match.state).places:
            for seating in tables:
                spot = seating.spot_of(place.zone, place.spot)
                cards = {Spread.PILE: 1, Spread.PAIR: 2}.get(place.spread, len(place.cards))
                for number in range(cards):
                    point = seating.frame_of(place.zone).place(*spot.at(number))
                    assert zone_of(seating.zones, point) == place.zone, (place, number)


def test_alone_the_pile_is_in_its_zone() -> None:
    """With nobody opposite the middle is not in the middle of the table."""
    seating = seat_players(plan_of("lucky_box"), 1)
    assert zone_of(seating.zones, seating.frame_of("pile").place(*seating.spot_of("pile", "pile").at(0))) == "pile"
