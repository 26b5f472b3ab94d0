"""Sorting: spots and orders of cards that lie askew, pushed together, nudged, and of whatever hands were over."""

from collections.abc import Sequence
from dataclasses import replace
from math import cos, radians, sin
from random import Random

import pytest

from calibration.plan import Seating, seat_players
from calibration.seats import zone_of
from device.lab.simulator.film import Film, Studio
from device.lab.simulator.tables import resting_tables
from device.plans import plan_of
from models.cards import own_deck
from referee.rules import games
from tests.referee.games_played import bot_game
from vision.follow.spots import sort_table
from vision.table import Arm, Guess, PlacedCard, Point, Quad, Table

DAWAJ2, TRIO, DNP = (seat_players(plan_of(game), 3) for game in ("dawaj2", "trio", "dnp"))


def laid(number: int, seating: Seating, point_mm: Point, turned_deg: float = 0.0) -> PlacedCard:
    """A card that lies there, a little askew; numbers are from the bottom."""
    zone = zone_of(seating.zones, point_mm)
    turn = radians(next(one.turn_deg for one in seating.zones if one.name == zone) + turned_deg)
    x, y = point_mm
    a, b, c, d = (
        (x + across * cos(turn) - down * sin(turn), y + across * sin(turn) + down * cos(turn))
        for across, down in ((-31.5, -44.0), (31.5, -44.0), (31.5, 44.0), (-31.5, 44.0))
    )
    quad: Quad = (a, b, c, d)
    return PlacedCard(number, f"c{number}", (Guess(f"c{number}", 1.0),), True, quad, zone, turned_deg, 1.0)


def stack(seating: Seating, zone: str, spot: str, along_mm: Sequence[float], turned_deg: float = 0.0) -> Table:
    """Cards of one spot, each on the one before, so far along it."""
    frame, planned = seating.frame_of(zone), seating.spot_of(zone, spot)
    length = (planned.step_mm[0] ** 2 + planned.step_mm[1] ** 2) ** 0.5
    way = (planned.step_mm[0] / length, planned.step_mm[1] / length)
    cards = [
        laid(number, seating, frame.place(planned.right_mm + mm * way[0], planned.away_mm + mm * way[1]), turned_deg)
        for number, mm in enumerate(along_mm)
    ]
    return Table(0.0, 0, tuple(cards))


def orders(table: Table, seating: Seating) -> list[tuple[str, int]]:
    return [(card.spot, card.order) for card in sort_table(table, seating).cards]


@pytest.mark.parametrize(
    "along_mm",
    [(0.0, 22.0, 44.0, 66.0), (0.0, 0.0, 0.0, 0.0), (30.0, 20.0, 10.0, 0.0), (0.0, 25.0, 15.0, 40.0)],
    ids=["as planned", "squared up", "reversed", "pushed crookedly"],
)
@pytest.mark.parametrize("zone", ["P1", "P3"])
@pytest.mark.parametrize(("seating", "spot"), [(DAWAJ2, "tens"), (DAWAJ2, "units"), (DNP, "set")])
def test_a_stack_is_ordered_by_which_card_lies_on_which(
    seating: Seating, spot: str, zone: str, along_mm: tuple[float, ...]
) -> None:
    wanted = [(spot, number) for number in range(4)]
    assert orders(stack(seating, zone, spot, along_mm), seating) == wanted
    assert orders(stack(seating, zone, spot, along_mm, 9.0), seating) == wanted


def test_cards_of_a_stack_that_do_not_touch_each_other_are_ordered_by_where_they_lie() -> None:
    """The second one from the bottom of the table lies farther away than the third."""
    table = stack(DAWAJ2, "P1", "tens", (0.0, 200.0, 95.0))
    assert orders(table, DAWAJ2) == [("tens", 0), ("tens", 2), ("tens", 1)]


def test_a_row_is_ordered_by_where_its_cards_lie_though_one_is_pushed_over_another() -> None:
    table = stack(TRIO, "P1", "shown", (66.0, 132.0, 35.0))
    assert orders(table, TRIO) == [("shown", 1), ("shown", 2), ("shown", 0)]


def test_a_stack_that_is_shifted_within_its_zone_stays_one() -> None:
    table = stack(DAWAJ2, "P2", "units", (25.0, 40.0, 60.0, 75.0, 95.0))
    assert orders(table, DAWAJ2) == [("units", number) for number in range(5)]


def test_a_spot_with_few_cards_does_not_reach_into_the_next() -> None:
    """A fan of sixteen would run over the stack beside it; with one card it ends long before."""
    seating = seat_players(plan_of("kto_drugi"), 3)
    frame, hand = seating.frame_of("P1"), seating.spot_of("P1", "stack")
    table = stack(seating, "P1", "laid", (0.0, 30.0))
    beside = laid(2, seating, frame.place(hand.right_mm + 14.0, hand.away_mm))
    assert orders(replace(table, cards=(*table.cards, beside)), seating) == [("laid", 0), ("laid", 1), ("stack", 0)]


@pytest.mark.parametrize("game", games())
def test_nudged_cards_keep_spot_and_order(game: str) -> None:
    """Every card is pushed 25 mm anywhere and turned a little."""
    rng = Random(4)
    film = Film(bot_game(game, 1, 0.0).record, own_deck(game), Studio(seed=1))
    compared = 0
    for number, (_, table) in enumerate(resting_tables(film, 10.0)):
        if number % 5 == 0:
            cards = tuple(_nudged(card, 25.0, rng) for card in table.cards)
            assert orders(replace(table, cards=cards), film.seating) == orders(table, film.seating)
            compared += len(cards)
    assert compared > 50


def _nudged(card: PlacedCard, by_mm: float, rng: Random) -> PlacedCard:
    way, turn, (x, y) = radians(rng.uniform(0, 360)), radians(rng.uniform(-8, 8)), card.centre_mm
    right, down = x + by_mm * cos(way), y + by_mm * sin(way)
    a, b, c, d = (
        (right + (px - x) * cos(turn) - (py - y) * sin(turn), down + (px - x) * sin(turn) + (py - y) * cos(turn))
        for px, py in card.corners_mm
    )
    return replace(card, corners_mm=(a, b, c, d))


def test_an_arm_is_over_the_spots_below_its_points() -> None:
    tens, units = (
        DAWAJ2.frame_of("P2").place(spot.right_mm, spot.away_mm)
        for spot in (DAWAJ2.spot_of("P2", "tens"), DAWAJ2.spot_of("P2", "units"))
    )
    beside = (tens[0] + 3.0, tens[1] - 5.0)
    arm = Arm((("P2", 1.0),), ((5000.0, 0.0), tens, beside, units, tens), 1.0, 2.0)
    (sorted_arm,) = sort_table(Table(2.0, 20, (), arms=(arm,)), DAWAJ2).arms
    assert sorted_arm == replace(arm, over=(("P2", "tens"), ("P2", "units"), ("P2", "tens")))
