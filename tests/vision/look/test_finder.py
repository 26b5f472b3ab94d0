"""Detections from votes: the finder without its network."""

from math import cos, pi, radians, sin

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from models.crops import CARD_PX, STRIDE_PX
from vision.look.finder import (
    BACK,
    CARD_HEIGHT_PX,
    FACE,
    HAND,
    OFFSET_UNIT_PX,
    TABLE,
    Detections,
    _assign_votes,
    _vote_grid,
    detections_from_votes,
)
from vision.look.tuning import ASSIGNMENT_RADIUS_PX

Floats = NDArray[np.float64]
ROWS, COLUMNS = 80, 120


def quad(x: float, y: float, turn_deg: float) -> Floats:
    """A card in the view, in card order."""
    turn = radians(turn_deg)
    across = np.array([cos(turn), sin(turn)]) * CARD_PX / 2
    down = np.array([-sin(turn), cos(turn)]) * CARD_HEIGHT_PX / 2
    middle = np.array([x, y])
    return np.array([middle - across - down, middle + across - down, middle + across + down, middle - across + down])


def detected(
    quads: list[Floats],
    backs: tuple[int, ...] = (),
    hand: Floats | None = None,
    off_px: float = 0.0,
    stripe: Floats | None = None,
    known_px: tuple[float, float] | None = None,
) -> Detections:
    """The detections of a network that sees these cards, bottom to top, with a standard deviation of its votes.

    With a stripe, only that part of the first card is visible: the rest of its outline shows the table.
    """
    labels = np.zeros((ROWS, COLUMNS), np.uint8)
    for number, corners in enumerate(quads, 1):
        cells = (corners + 0.5) / STRIDE_PX - 0.5
        cv2.fillConvexPoly(labels, np.round(cells * 16).astype(np.int32), number, shift=4)
    if stripe is not None:
        there = np.zeros_like(labels)
        cv2.fillConvexPoly(there, np.round(stripe / STRIDE_PX).astype(np.int32), 1)
        labels[(labels == 1) & (there == 0)] = 0
    if hand is not None:
        cv2.fillConvexPoly(labels, np.round(hand / STRIDE_PX).astype(np.int32), 255)
    rng = np.random.default_rng(1)
    probabilities = np.zeros((4, ROWS, COLUMNS), np.float32)
    votes = np.zeros((7, ROWS, COLUMNS), np.float32)
    probabilities[TABLE] = labels == 0
    probabilities[HAND] = labels == 255
    rows, columns = np.indices(labels.shape)
    for number, corners in enumerate(quads, 1):
        mine = labels == number
        probabilities[BACK if number - 1 in backs else FACE][mine] = 1
        x, y = corners.mean(0)
        down = corners[3] - corners[0]
        turn = 2 * np.arctan2(down[1], down[0])
        votes[0][mine] = (x - (columns[mine] + 0.5) * STRIDE_PX + 0.5) / OFFSET_UNIT_PX
        votes[1][mine] = (y - (rows[mine] + 0.5) * STRIDE_PX + 0.5) / OFFSET_UNIT_PX
        votes[2][mine], votes[3][mine], votes[6][mine] = np.cos(turn), np.sin(turn), 0.9
        votes[4][mine] = np.log(np.linalg.norm(corners[1] - corners[0]) / CARD_PX)
        votes[5][mine] = np.log(np.linalg.norm(down) / CARD_HEIGHT_PX)
    votes[:2] += rng.normal(0, off_px / OFFSET_UNIT_PX, votes[:2].shape).astype(np.float32)
    return detections_from_votes(probabilities, votes, known_px)


def apart_px(one: Floats, other: Floats) -> float:
    """How far the corners are off, whichever way up."""
    return float(min(np.abs(one - other).max(), np.abs(one - np.roll(other, 2, 0)).max()))


@pytest.mark.parametrize("turn_deg", range(0, 360, 15))
def test_a_card_at_any_angle(turn_deg: int) -> None:
    wanted = quad(200, 150, turn_deg)
    detections = detected([wanted], off_px=1.5)
    assert len(detections.cards) == 1
    card = detections.cards[0]
    assert apart_px(card.quad_px, wanted) < 1.0
    assert card.visible > 0.93
    assert card.face_up
    assert not card.under_hand


@pytest.mark.parametrize("turn_deg", [0, 33, 90, 217])
def test_a_stack_of_fifteen_strips(turn_deg: int) -> None:
    """Strips of 15 mm, as many px here: every card of the stack is found where it lies."""
    way = np.array([sin(radians(turn_deg)), -cos(radians(turn_deg))])
    middle = np.array([240.0, 160.0])
    places = [middle + way * 15.0 * (number - 7) for number in range(15)]
    quads = [quad(float(place[0]), float(place[1]), turn_deg) for place in places]
    quads = [corners for corners in quads if (corners > 4).all() and (corners < (476, 316)).all()]
    detections = detected(quads, off_px=1.5)
    assert len(detections.cards) == len(quads)
    for wanted in quads:
        assert min(apart_px(card.quad_px, wanted) for card in detections.cards) < 2.0
    seen = sorted(card.visible for card in detections.cards)
    assert seen[-1] > 0.9
    assert all(0.1 < part < 0.25 for part in seen[:-1])


def test_crossed_cards_with_one_middle() -> None:
    """Two cards whose middles coincide differ only in how they are turned."""
    quads = [quad(200, 150, 0), quad(200, 150, 90)]
    detections = detected(quads, off_px=1.0)
    assert len(detections.cards) == 2
    assert all(min(apart_px(card.quad_px, wanted) for card in detections.cards) < 1.5 for wanted in quads)


def test_faces_and_backs_are_told_apart() -> None:
    detections = detected([quad(100, 100, 10), quad(250, 100, 50)], backs=(1,))
    assert {(round(card.quad_px.mean(0)[0]), card.face_up) for card in detections.cards} == {(100, True), (250, False)}


def test_an_outline_that_shows_no_card_is_empty() -> None:
    """A stripe that votes for a whole card; a card of which as little is seen under another is full."""
    whole, under, over = quad(100, 150, 0), quad(300, 150, 0), quad(300, 170, 0)
    stripe = np.array([[68.0, 106.0], [132.0, 106.0], [132.0, 126.0], [68.0, 126.0]])
    detections = detected([whole, under, over], stripe=stripe)
    empty = {round(card.quad_px.mean(0)[0]): card.empty for card in detections.cards if card.visible < 0.5}
    assert empty[100] > 0.6
    assert empty[300] < 0.1


def test_a_hand_on_a_card_is_reported() -> None:
    hand = np.array([[185.0, 140.0], [215.0, 140.0], [215.0, 319.0], [185.0, 319.0]])
    detections = detected([quad(200, 150, 0), quad(320, 150, 0)], hand=hand)
    assert [card.under_hand for card in sorted(detections.cards, key=lambda card: card.quad_px[0, 0])] == [True, False]
    assert 0.01 < detections.hand_share < 0.1


def test_an_empty_table_is_empty() -> None:
    detections = detected([])
    assert detections.cards == ()
    assert detections.hand_share == 0
    assert (detections.owners == -1).all()


def test_a_known_size_wins_over_the_one_that_is_seen() -> None:
    probabilities = np.zeros((4, ROWS, COLUMNS), np.float32)
    probabilities[TABLE] = 1
    votes = np.zeros((7, ROWS, COLUMNS), np.float32)
    probabilities[FACE, 30:40, 30:40], probabilities[TABLE, 30:40, 30:40] = 1, 0
    rows, columns = np.indices((ROWS, COLUMNS))
    votes[0] = (140 - (columns + 0.5) * STRIDE_PX + 0.5) / OFFSET_UNIT_PX
    votes[1] = (140 - (rows + 0.5) * STRIDE_PX + 0.5) / OFFSET_UNIT_PX
    votes[2], votes[3], votes[4], votes[6] = cos(pi), sin(pi), 0.2, 0.9
    seen, given = detections_from_votes(probabilities, votes), detections_from_votes(probabilities, votes, (40.0, 60.0))
    assert np.linalg.norm(seen.cards[0].quad_px[1] - seen.cards[0].quad_px[0]) == pytest.approx(
        CARD_PX * np.exp(0.2), 0.01
    )
    assert np.linalg.norm(given.cards[0].quad_px[1] - given.cards[0].quad_px[0]) == pytest.approx(40.0, 0.01)
    assert given.cards[0].size_px == pytest.approx(seen.cards[0].size_px)


def test_every_vote_belongs_to_the_nearest_card_if_one_is_near() -> None:
    """A search in the bins around a pose gives the same as a search among all votes."""
    rng = np.random.default_rng(3)
    points = rng.uniform((-20, -20, -16, -16), (300, 200, 16, 16), (3000, 4)).astype(np.float32)
    grid, order = _vote_grid(points)
    assert np.array_equal(grid.points, points[order])
    poses = grid.points[::75]
    distances = np.linalg.norm(grid.points[:, None] - poses[None], axis=2)
    wanted = np.where(distances.min(1) < ASSIGNMENT_RADIUS_PX, distances.argmin(1), -1)
    assert (_assign_votes(grid, poses) == wanted).all()


def halves(x: float, y: float, turn_deg: float) -> list[Floats]:
    """The halves of a card, each as a card of its own that lies across."""
    whole = quad(x, y, turn_deg)
    left, right = (whole[0] + whole[3]) / 2, (whole[1] + whole[2]) / 2
    return [np.array([whole[1], right, left, whole[0]]), np.array([right, whole[2], whole[3], left])]


@pytest.mark.parametrize("turn_deg", [0, 25, 90, 160])
def test_the_halves_of_a_card_in_two_colours_are_one_card_if_its_size_is_known(turn_deg: int) -> None:
    cards = [*halves(150, 160, turn_deg), quad(330, 160, 0)]
    apart = detected(cards)
    assert len(apart.cards) == 3, "nothing tells how large cards are"
    joined = detected(cards, known_px=(CARD_PX, CARD_HEIGHT_PX))
    assert len(joined.cards) == 2
    whole = min(joined.cards, key=lambda card: float(card.quad_px.mean(0)[0]))
    assert apart_px(whole.quad_px, quad(150, 160, turn_deg)) < 3
    assert whole.visible > 0.9


def test_small_cards_beside_each_other_stay_two_if_they_are_that_small() -> None:
    cards = halves(150, 160, 0)
    assert len(detected(cards, known_px=(CARD_HEIGHT_PX / 2, CARD_PX)).cards) == 2
