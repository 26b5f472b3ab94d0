"""Arms: whose they are and where they reach, in drawn cells and in a simulated film."""

from dataclasses import replace
from math import dist

import cv2
import numpy as np
import pytest

from calibration.frames import Frame
from calibration.seats import Zone, rectangle, zone_of
from device.eyes import EyeFactory
from device.lab.simulator.film import Film, Studio
from device.lab.simulator.rig import film_rig
from device.lab.simulator.tables import resting_tables
from device.session.observer import table_outline
from models.cards import own_deck
from tests.referee.games_played import bot_game
from vision.follow.arms import ArmTracker
from vision.follow.gate import Gate
from vision.sightings import CellGrid, Cells, Look
from vision.table import Arm, Piece, Point
from vision.watcher import Watcher

GRID = CellGrid(-430.0, -280.0, 4.0, (-430.0, -280.0, 430.0, 280.0))
"""A view that shows 30 mm beside the table."""
ZONES: tuple[Zone, ...] = (
    rectangle("P1", 0.0, 50.0, 380.0, 240.0),
    rectangle("P2", -380.0, 50.0, 0.0, 240.0),
    rectangle("P3", -380.0, -240.0, 0.0, -50.0, 180.0),
    rectangle("P4", 0.0, -240.0, 380.0, -50.0, 180.0),
    rectangle("pile", -40.0, -50.0, 40.0, 50.0),
)


def arm(*ways: tuple[Point, Point], wide_mm: float = 60.0) -> Cells:
    """Cells that show arms, each from somewhere to its finger tips."""
    cells = np.zeros((140, 215), np.uint8)
    for ends in ways:
        (ax, ay), (bx, by) = (
            (round((x - GRID.left_mm) / GRID.cell_mm), round((y - GRID.top_mm) / GRID.cell_mm)) for x, y in ends
        )
        cv2.line(cells, (ax, ay), (bx, by), 1, round(wide_mm / GRID.cell_mm))
    return np.asarray(cells > 0)


def followed(*looks: Cells, step_s: float = 0.5) -> tuple[Arm, ...]:
    arms = ArmTracker(ZONES)
    for number, cells in enumerate(looks):
        arms.update(Look(number, number * step_s, (), float(cells.mean()), cells, GRID))
    return arms.take()


@pytest.mark.parametrize(
    ("begins", "seat"), [((200, 300), "P1"), ((-210, 300), "P2"), ((-190, -300), "P3"), ((180, -300), "P4")]
)
def test_an_arm_is_of_the_seat_whose_edge_it_comes_over(begins: Point, seat: str) -> None:
    (found,) = followed(arm((begins, (begins[0] * 0.8, 0.0))))
    assert found.seats[0][0] == seat
    assert found.seats[0][1] > 0.9
    assert dist(found.points_mm[0], (begins[0] * 0.8, 0.0)) < 45


def test_two_seats_that_are_as_near_share_an_arm() -> None:
    (found,) = followed(arm(((0, 300), (0, 100))))
    assert {name: pytest.approx(share, abs=0.05) for name, share in found.seats} == {"P1": 0.5, "P2": 0.5}


def test_an_arm_that_comes_in_askew_is_of_whoever_sits_in_its_line() -> None:
    (found,) = followed(arm(((150, 300), (-120, 60))))
    assert found.seats[0][0] == "P1"


def test_an_arm_that_reaches_into_the_next_zone_is_of_whose_shoulder_it_comes_from() -> None:
    """It comes over the edge in front of the neighbour."""
    (found,) = followed(arm(((190, 540), (-260, 110))))
    assert found.seats[0][0] == "P1"
    assert found.seats[0][1] > 0.9


def test_an_arm_that_reaches_across_the_table_is_of_the_side_where_it_is_wide() -> None:
    cells = arm(((200, 300), (200, -150))) | arm(((200, -100), (200, -275)), wide_mm=20.0)
    (found,) = followed(cells)
    assert found.seats[0][0] == "P1"
    assert found.points_mm[0][1] < -180


def test_looks_at_one_arm_are_one_arm_and_two_seats_are_two() -> None:
    one = [arm(((200, 300), (180, y))) for y in (200, 60, 120)]
    other = arm(((-200, -300), (-180, -100)))
    first, second = followed(one[0], one[1] | other, one[2])
    assert (first.seats[0][0], second.seats[0][0]) == ("P1", "P3")
    assert (first.from_s, first.to_s, second.from_s, second.to_s) == (0.0, 1.0, 0.5, 0.5)
    assert [y for _, y in first.points_mm] == pytest.approx([200, 60, 120], abs=25)


def test_an_arm_that_comes_back_later_is_another() -> None:
    cells = arm(((200, 300), (180, 100)))
    assert len(followed(cells, np.zeros_like(cells), cells, step_s=1.0)) == 2


def test_a_hand_that_is_cut_off_from_its_arm_belongs_to_it_and_alone_is_nobodys() -> None:
    whole, hand = arm(((200, 300), (180, 100))), arm(((180, 60), (180, 20)))
    (found,) = followed(whole, hand)
    assert len(found.points_mm) == 2
    assert followed(hand) == ()
    assert followed(arm(((200, 300), (200, 250)), wide_mm=8.0)) == (), "too small"


def test_finger_tips_at_the_other_side_may_be_of_the_arm_that_just_came_in() -> None:
    """Of a long arm only the hand is seen: it could be of either side, and the looks before tell more."""
    (found,) = followed(arm(((200, 300), (190, 200))), arm(((180, -60), (170, -300))), arm(((200, 300), (190, 150))))
    assert found.seats[0][0] == "P1"
    assert 0.6 < found.seats[0][1] < 0.95
    assert found.points_mm[1][1] < -200


def test_what_was_taken_is_not_given_again() -> None:
    arms = ArmTracker(ZONES)
    cells = arm(((200, 300), (180, 100)))
    arms.update(Look(0, 0.0, (), 0.1, cells, GRID))
    assert len(arms.take()) == 1
    assert arms.take() == ()
    arms.update(Look(1, 0.5, (), 0.1))
    assert arms.take() == (), "nobody knows where the hands are"


def test_in_a_film_arms_are_of_those_who_play() -> None:
    """The first moves of a game, seen by the networks."""
    record, deck, studio = bot_game("dawaj2", 2, 0.0).record, own_deck("dawaj2"), Studio(seed=3)
    truth = dict(resting_tables(Film(record, deck, studio), studio.fps))
    film = Film(record, deck, studio)
    rig = film_rig(film)
    watcher = Watcher(EyeFactory(threads=2).open_eye(rig, "dawaj2"), rig.zones, gate=Gate(table_outline(rig)))
    compared = 0
    for shot in film.shots():
        table = watcher.observe(Frame(shot.index, shot.at_s, shot.image))
        if table is not None and table.arms:
            wanted = {arm.seats[0][0] for arm in truth[shot.line].arms}
            assert {one.seats[0][0] for one in table.arms if one.seats[0][1] > 0.6} <= wanted
            assert all(any(name in wanted for name, _ in one.seats) for one in table.arms)
            reached = [point for one in truth[shot.line].arms for point in one.points_mm]
            seen = [point for one in table.arms for point in one.points_mm]
            assert {zone_of(rig.zones, point) for point in reached} <= {zone_of(rig.zones, point) for point in seen}
            compared += 1
        if shot.index > 110:
            break
    assert compared >= 3


def test_arms_come_with_the_table_after_them() -> None:
    class OneArm:
        def look(self, frame: Frame) -> Look:
            cells = arm(((200, 300), (180, 100))) if frame.index < 12 else np.zeros((140, 215), bool)
            return Look(frame.index, frame.at_s, (), float(cells.mean()), cells, GRID)

    rng, watcher = np.random.default_rng(1), Watcher(OneArm(), ZONES)
    still = rng.integers(0, 255, (108, 192, 3), np.uint8)
    moving = [rng.integers(0, 255, (108, 192, 3), np.uint8) for _ in range(12)]
    frames = [Frame(number, number / 10, image) for number, image in enumerate([*moving, *[still] * 10])]
    given = [table for frame in frames if (table := watcher.observe(frame))]
    assert [[one.seats[0][0] for one in table.arms] for table in given] == [["P1"]]
    assert replace(given[0].arms[0], points_mm=()).to_s < given[0].at_s


@pytest.mark.parametrize("there", [10, 11, 12])
def test_a_quick_hand_is_seen_by_a_slow_camera(there: int) -> None:
    """Three frames a second, three of them with something moving, one of those with the arm over the table."""

    class OneArm:
        def look(self, frame: Frame) -> Look:
            cells = arm(((200, 300), (180, 100))) if frame.index == there else np.zeros((140, 215), bool)
            return Look(frame.index, frame.at_s, (), float(cells.mean()), cells, GRID)

    rng, watcher = np.random.default_rng(1), Watcher(OneArm(), ZONES, pieces=OnePiece(10))
    before, *moving, after = (rng.integers(0, 255, (108, 192, 3), np.uint8) for _ in range(5))
    images = [*[before] * 10, *moving, *[after] * 5]
    frames = [Frame(number, number / 3, image) for number, image in enumerate(images)]
    given = [table for frame in frames if (table := watcher.observe(frame))]
    assert [[one.seats[0][0] for one in table.arms] for table in given] == [[], ["P1"]]


def test_a_hand_that_comes_right_after_a_look_is_seen() -> None:
    """Ten frames a second: a hand lays something, is away for three frames, and then over the table in the next two."""

    class TwoArms:
        def look(self, frame: Frame) -> Look:
            seen = frame.index in (8, 9, 10, 14, 15)
            cells = arm(((200, 300), (180, 100))) if seen else np.zeros((140, 215), bool)
            return Look(frame.index, frame.at_s, (), float(cells.mean()), cells, GRID)

    rng, watcher = np.random.default_rng(1), Watcher(TwoArms(), ZONES, pieces=OnePiece(11, 17))
    images = [rng.integers(0, 255, (108, 192, 3), np.uint8) for _ in range(18)]
    images[:8], images[11:14] = [images[0]] * 8, [images[11]] * 3
    frames = [Frame(number, number / 10, image) for number, image in enumerate([*images, *[images[-1]] * 8])]
    given = [table for frame in frames if (table := watcher.observe(frame))]
    assert [[one.seats[0][0] for one in table.arms] for table in given] == [[], ["P1"], ["P1"]]


class OnePiece:
    """A piece that is moved in some frames: another table is given after each."""

    def __init__(self, *moved: int) -> None:
        self._moved = moved

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        space = sum(frame.index >= number for number in self._moved)
        return (Piece("figure", "P1", 0.0, 0.0, "pile", str(space)),)
