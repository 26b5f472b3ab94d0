"""Choosing views from a film: different, sharp, still, few in memory; films that are refused."""

import weakref
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from calibration.boards import OWN_BOARD, Charuco, Chessboard
from calibration.frames import CalibrationError, Frame, Image
from calibration.views import choose_views
from models.art.rig import CharucoBoard
from tests.calibration.films import (
    STANDARD,
    careful_poses,
    clean_picture,
    film,
    filmed,
    grainy,
    photograph,
    pose_at,
)


def test_a_film_gives_its_different_views_and_says_what_became_of_the_rest() -> None:
    choice = filmed(STANDARD)
    assert choice.geometry == OWN_BOARD
    assert choice.size_px == (1640, 1232)
    assert choice.frames == 40
    assert choice.with_board >= 33
    assert 18 <= len(choice.views) <= 24
    assert choice.summary.startswith("40 frames, the board in ")


def test_the_sharp_frame_of_a_pose_is_taken_and_never_the_shaken_one() -> None:
    names = [int(view.name) for view in filmed(STANDARD).views]
    shaken = {index for index, frame in enumerate(_kinds()) if frame == "moving"}
    assert names == sorted(names)
    assert not shaken & set(names)
    assert all(view.blur_px < 1.6 for view in filmed(STANDARD).views)


def _kinds() -> Iterator[str]:
    yield "empty"
    for number in range(22):
        if number % 4 == 1:
            yield "moving"
        yield from ("held",) * (1 + number % 2)


def test_of_a_moving_board_the_frame_is_taken_where_it_came_to_rest() -> None:
    """Rows are read one after the other, so a board that moves is skewed even if it is not blurred."""

    def moving() -> Iterator[Frame]:
        index = 0
        for pose in careful_poses(STANDARD)[:8]:
            for shift_mm in (30.0, 20.0, 10.0, 0.0, 0.0):
                held = replace(pose, translation_mm=pose.translation_mm + np.array([shift_mm, 0.0, 0.0]))
                yield Frame(index, index / 30, photograph(held, STANDARD, index))
                index += 1

    names = [int(view.name) for view in choose_views(moving(), OWN_BOARD).views]
    assert len(names) >= 7
    # Only the last frame of every five was at rest since the one before.
    assert sum(name % 5 == 4 for name in names) >= 7


def test_few_frames_are_in_memory_at_a_time() -> None:
    given: list[weakref.ref[Image]] = []
    most = 0

    def watched() -> Iterator[Frame]:
        nonlocal most
        for frame in film(STANDARD, only=8):
            given.append(weakref.ref(frame.image))
            most = max(most, sum(image() is not None for image in given))
            yield frame

    choose_views(watched(), OWN_BOARD)
    assert len(given) >= 12
    assert most <= 3


def test_at_most_so_many_views_and_spread_over_the_frame() -> None:
    choice = choose_views(film(STANDARD, only=14), OWN_BOARD, most=9)
    middles = np.array([view.pixels.mean(0) / view.size_px for view in choice.views])
    assert len(choice.views) == 9
    assert np.ptp(middles, axis=0).min() > 0.5


def test_another_charuco_board_is_used_if_none_is_asked_for() -> None:
    board = CharucoBoard(9, 6, 26.0, 20.0, "DICT_6X6_250")
    choice = choose_views(film(STANDARD, board, only=8))
    assert isinstance(choice.geometry, Charuco)
    assert (choice.geometry.columns, choice.geometry.rows) == (9, 6)
    assert len(choice.views) >= 6


def test_the_wrong_board_is_refused_and_named() -> None:
    board = CharucoBoard(9, 6, 26.0, 20.0, "DICT_6X6_250")
    with pytest.raises(CalibrationError, match=r"found \d+ markers of DICT_6X6_50, wanted ChArUco 7 x 5 DICT_5X5_100"):
        choose_views(film(STANDARD, board, only=3), OWN_BOARD)


def test_an_empty_table_is_refused() -> None:
    empty = clean_picture(None, STANDARD)
    frames = [Frame(index, index / 10, grainy(empty, index)) for index in range(2)]
    with pytest.raises(CalibrationError, match=r"no calibration board in the \d pictures looked at.*krupier print"):
        choose_views(iter(frames))
    with pytest.raises(CalibrationError, match="ChArUco 7 x 5 DICT_5X5_100 found in 0 of 2 pictures"):
        choose_views(iter(frames), OWN_BOARD)
    with pytest.raises(CalibrationError, match="9 x 6 inner corners found in 0 of 1 pictures"):
        choose_views(frames[:1], Chessboard())
    with pytest.raises(CalibrationError, match="0 of 0 pictures"):
        choose_views(iter(()), OWN_BOARD)


def test_a_blurred_film_is_refused() -> None:
    def blurred() -> Iterator[Frame]:
        for index, pose in enumerate(careful_poses(STANDARD)[:12]):
            yield Frame(index, index * 1.0, photograph(replace(pose, blur_px=7.0), STANDARD, index))

    with pytest.raises(CalibrationError, match=r"blurred or moving in \d+ of the \d+ pictures.*more light"):
        choose_views(blurred(), OWN_BOARD)


def test_a_board_that_never_moves_is_refused() -> None:
    picture = clean_picture(pose_at(STANDARD, (0.5, 0.5), 0.5, (20.0, 10.0)), STANDARD)
    frames = (Frame(index, index / 10, grainy(picture, index)) for index in range(12))
    with pytest.raises(CalibrationError, match=r"1 different views of the board in 12 pictures.*more places"):
        choose_views(frames, OWN_BOARD)


def test_pictures_of_different_sizes_are_refused() -> None:
    picture = photograph(careful_poses(STANDARD)[0], STANDARD, 1)
    frames = [Frame(0, 0.0, picture), Frame(1, 1.0, picture[:600, :800])]
    with pytest.raises(CalibrationError, match=r"picture 1 has 800 x 600 px, those before 1640 x 1232"):
        choose_views(frames, OWN_BOARD)
