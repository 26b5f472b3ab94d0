"""Stillness: by time alone, at every frame rate."""

import pytest

from vision.follow.gate import Motion
from vision.follow.stillness import StillnessDetector, TableState

MOVES, RESTS = Motion(True, True, False), Motion(False, False, False)


def settled_at_s(times_s: list[float], moving_until_s: float) -> float:
    """When a table that moves until then is still."""
    stillness = StillnessDetector()
    for at_s in times_s:
        state = stillness.update(at_s, MOVES if at_s <= moving_until_s else RESTS)
        if state is TableState.STILL:
            return at_s
    raise AssertionError("it never settled")


@pytest.mark.parametrize("fps", [5, 10, 30, 60])
def test_every_frame_rate_settles_alike(fps: int) -> None:
    times_s = [number / fps for number in range(3 * fps)]
    assert 1.4 - 1e-9 - 1 / fps <= settled_at_s(times_s, 1.0) <= 1.4 + 1 / fps + 1e-9


def test_uneven_and_lost_frames_settle_alike() -> None:
    assert settled_at_s([0.0, 0.1, 0.13, 0.5, 0.9, 1.0, 1.02, 1.2, 1.31, 1.46, 1.5, 2.0], 1.0) == 1.46
    assert settled_at_s([0.0, 1.0, 4.0, 5.0], 1.0) == 4.0


def test_a_new_table_must_rest_first() -> None:
    stillness = StillnessDetector()
    assert stillness.state is TableState.CHANGING
    assert stillness.update(100.0, RESTS) is TableState.CHANGING
    assert stillness.update(100.3, RESTS) is TableState.CHANGING
    assert stillness.update(100.41, RESTS) is TableState.STILL


def test_a_light_is_no_move() -> None:
    stillness = StillnessDetector()
    stillness.update(0.0, RESTS)
    assert stillness.update(1.0, Motion(False, False, True)) is TableState.STILL


def test_a_hand_that_rests_is_not_still() -> None:
    stillness = StillnessDetector()
    stillness.update(0.0, MOVES)
    for number in range(1, 40):
        stillness.update(number / 10, RESTS)
        assert stillness.update_hand(True) is TableState.HAND
    assert stillness.update(4.0, MOVES) is TableState.HAND
    assert stillness.update(4.1, RESTS) is TableState.HAND
    assert stillness.update_hand(False) is TableState.CHANGING
    assert stillness.update(4.39, RESTS) is TableState.CHANGING
    assert stillness.update(4.41, RESTS) is TableState.STILL


def test_a_hand_that_was_overlooked_for_a_moment_is_not_gone() -> None:
    stillness = StillnessDetector()
    stillness.update(0.0, MOVES)
    stillness.update(2.0, RESTS)
    assert stillness.update_hand(True) is TableState.HAND
    stillness.update(2.1, RESTS)
    assert stillness.update_hand(False) is TableState.CHANGING


def test_a_clock_that_jumps_back_starts_anew() -> None:
    stillness = StillnessDetector()
    stillness.update(50.0, RESTS)
    assert stillness.update(51.0, RESTS) is TableState.STILL
    assert stillness.update(3.0, RESTS) is TableState.CHANGING
    assert stillness.quiet_s == 0.0
    assert stillness.update(3.5, RESTS) is TableState.STILL
