"""Finding the board: exactness, hidden corners, blur, other boards."""

import re
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.boards import OWN_BOARD, BoardView, Charuco, Chessboard, Geometry, find_board
from calibration.frames import CalibrationError, Image
from calibration.layouts import agreed_board, recognise_board, see_board, see_markers, seen_instead
from calibration.lens import Lens
from models.art.rig import CharucoBoard
from tests.calibration.films import BARREL, FISHEYE, STANDARD, Pose, careful_poses, photograph, pose_at, rays_of


def seen(pose: Pose, lens: Lens = STANDARD, board: CharucoBoard | None = None, noise: float = 4.0) -> BoardView:
    view = find_board(photograph(pose, lens, 5, board, noise), OWN_BOARD)
    assert view is not None
    return view


def off_px(view: BoardView, pose: Pose, lens: Lens = STANDARD) -> np.ndarray:
    return np.asarray(view.pixels - pose.corners(lens, CharucoBoard())[view.ids])


def test_our_own_board_is_the_one_that_is_printed() -> None:
    board = CharucoBoard()
    printed = Charuco(board.columns, board.rows, board.square_mm, board.marker_mm, board.dictionary)
    assert printed == OWN_BOARD


@pytest.mark.parametrize("lens", [STANDARD, BARREL, FISHEYE], ids=["standard", "barrel", "fisheye"])
def test_the_films_are_exact(lens: Lens) -> None:
    """Rays go back to their pixels through OpenCV, and corners are found where OpenCV projects them."""
    height, width = 1232, 1640
    rows, columns = np.arange(0, height, 41), np.arange(0, width, 41)
    rays = rays_of(lens)[np.ix_(rows, columns)].reshape(-1, 2)
    solid = np.column_stack([rays, np.ones(len(rays))]).reshape(-1, 1, 3)
    project = cv2.fisheye.projectPoints if lens.fisheye else cv2.projectPoints
    back, _ = project(solid, np.zeros(3), np.zeros(3), lens.matrix, np.array(lens.distortion))
    x, y = np.meshgrid(columns, rows)
    assert np.abs(np.asarray(back).reshape(-1, 2) - np.stack([x.ravel(), y.ravel()], 1)).max() < 1e-3
    off = np.concatenate([off_px(seen(pose, lens, noise=0.5), pose, lens) for pose in careful_poses(lens)[:6]])
    assert np.abs(off.mean(0)).max() < 0.05
    assert np.sqrt((off**2).sum(1).mean()) < 0.1


def test_corners_are_found_also_where_the_board_leaves_the_picture() -> None:
    pose = pose_at(STANDARD, (0.1, 0.14), 0.5, (15.0, -20.0), 20.0)
    inside = (
        (pose.corners(STANDARD, CharucoBoard()) > 12) & (pose.corners(STANDARD, CharucoBoard()) < (1627, 1219))
    ).all(1)
    view = seen(pose)
    assert 6 <= inside.sum() < 24
    assert len(view.ids) >= 0.8 * inside.sum()
    assert np.linalg.norm(off_px(view, pose), axis=1).max() < 0.3


def test_a_hand_on_the_board_hides_corners_and_invents_none() -> None:
    pose = replace(pose_at(STANDARD, (0.5, 0.5), 0.5, (10.0, 20.0)), hidden=(80.0, 40.0, 80.0, 70.0))
    view = seen(pose)
    x, y = view.points_mm.T + OWN_BOARD.square_mm
    assert not ((x > 82) & (x < 158) & (y > 42) & (y < 108)).any()
    assert len(view.ids) >= 15
    assert np.linalg.norm(off_px(view, pose), axis=1).max() < 0.3


def test_blur_is_measured_in_pixels() -> None:
    pose = pose_at(STANDARD, (0.5, 0.5), 0.45, (15.0, 10.0))
    blurs = [seen(replace(pose, blur_px=blur)).blur_px for blur in (0.7, 1.2, 2.0, 3.0)]
    assert blurs == pytest.approx([0.7, 1.2, 2.0, 3.0], rel=0.35)
    assert blurs == sorted(blurs)


def test_shaking_blurs_also_if_only_in_one_direction() -> None:
    pose = replace(pose_at(STANDARD, (0.5, 0.5), 0.45, (0.0, 0.0)), blur_px=0.7)
    assert seen(replace(pose, motion_px=(10.0, 0.0))).blur_px > 2 * seen(pose).blur_px


def test_no_board_is_none() -> None:
    assert find_board(photograph(None, STANDARD, 1), OWN_BOARD) is None
    assert find_board(photograph(None, STANDARD, 1), Chessboard()) is None
    assert see_board(photograph(None, STANDARD, 1)) is None


OTHERS = [
    CharucoBoard(9, 6, 26.0, 20.0, "DICT_6X6_250"),
    CharucoBoard(9, 6, 26.0, 20.0, "DICT_5X5_100"),
    CharucoBoard(11, 8, 20.0, 15.0, "DICT_4X4_50"),
    CharucoBoard(6, 8, 20.0, 14.0, "DICT_7X7_50"),
]


@pytest.mark.parametrize("board", OTHERS, ids=lambda board: f"{board.columns}x{board.rows}-{board.dictionary}")
def test_another_board_is_recognised_and_never_taken_for_ours(board: CharucoBoard) -> None:
    pose = pose_at(STANDARD, (0.5, 0.5), 0.6, (20.0, 15.0), 10.0, board)
    picture = photograph(pose, STANDARD, 3, board)
    assert find_board(picture, OWN_BOARD) is None
    found = see_board(picture)
    assert isinstance(found, Charuco)
    assert (found.columns, found.rows, found.white_first) == (board.columns, board.rows, False)
    assert found.dictionary.rpartition("_")[0] == board.dictionary.rpartition("_")[0]
    assert found.marker_mm / found.square_mm == pytest.approx(board.marker_mm / board.square_mm, abs=0.04)
    view = find_board(picture, found)
    assert view is not None
    off = np.linalg.norm(view.pixels - pose.corners(STANDARD, board)[view.ids], axis=1)
    assert off.max() < 0.6
    assert np.sqrt((off**2).mean()) < 0.15
    message = seen_instead(picture, OWN_BOARD)
    assert message is not None
    assert re.match(r"found \d\d markers (of|laid out as) .*, wanted ChArUco 7 x 5 DICT_5X5_100$", message)
    assert board.dictionary.rpartition("_")[0] in message


def test_the_right_board_is_nothing_else() -> None:
    assert seen_instead(photograph(careful_poses(STANDARD)[0], STANDARD, 2), OWN_BOARD) is None
    # Seen in part, it might be a board with a white first square; that is no reason to refuse it.
    assert seen_instead(photograph(careful_poses(STANDARD)[4], STANDARD, 2), OWN_BOARD) is None


def charuco_picture(columns: int, rows: int, legacy: bool) -> Image:
    book = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    board = cv2.aruco.CharucoBoard((columns, rows), 30.0, 22.0, book)
    board.setLegacyPattern(legacy)
    flat = board.generateImage((columns * 90, rows * 90))
    return np.asarray(cv2.copyMakeBorder(flat, 80, 80, 80, 80, cv2.BORDER_CONSTANT, value=(255.0,)), np.uint8)


@pytest.mark.parametrize(("columns", "rows"), [(8, 6), (7, 6), (5, 8)])
def test_the_legacy_pattern_is_told_apart(columns: int, rows: int) -> None:
    legacy, usual = (charuco_picture(columns, rows, flag) for flag in (True, False))
    assert see_board(legacy) == Charuco(columns, rows, 35.0, see_marker_mm(legacy), "DICT_4X4_50", white_first=True)
    wanted = Charuco(columns, rows, 30.0, 22.0, "DICT_4X4_50")
    assert find_board(legacy, wanted) is None
    assert find_board(usual, wanted) is not None
    view = find_board(legacy, replace(wanted, white_first=True))
    assert view is not None
    assert len(view.ids) == (columns - 1) * (rows - 1)


def see_marker_mm(picture: Image) -> float:
    sighted = see_markers(picture)
    assert sighted is not None
    assert sighted.board is not None
    return sighted.board.marker_mm


def chess_picture(columns: int, rows: int) -> tuple[Image, np.ndarray]:
    """A chessboard of inner corners seen askew, and its corners."""
    squares = np.indices((rows + 1, columns + 1)).sum(0) % 2 * 200 + 25
    flat = cv2.copyMakeBorder(
        np.kron(squares, np.ones((80, 80))).astype(np.uint8), 90, 90, 90, 90, cv2.BORDER_CONSTANT, value=(230.0,)
    )
    askew = np.array([[0.62, 0.08, 120.0], [-0.1, 0.66, 180.0], [-4e-5, 9e-5, 1.0]])
    picture = cv2.warpPerspective(flat, askew, (1000, 800), flags=cv2.INTER_AREA, borderValue=(120.0,))
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    corners = np.stack([x.ravel(), y.ravel()], 1) * 80.0 + 80 + 90 - 0.5
    truth = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), askew).reshape(-1, 2)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.uint8), np.asarray(truth)


@pytest.mark.parametrize(("columns", "rows"), [(9, 6), (8, 5)])
def test_chessboards_are_found_and_recognised(columns: int, rows: int) -> None:
    picture, truth = chess_picture(columns, rows)
    view = find_board(picture, Chessboard(columns, rows))
    assert view is not None
    nearest = np.linalg.norm(view.pixels[:, None] - truth[None], axis=2).min(1)
    assert len(view.ids) == columns * rows
    assert nearest.max() < 0.3
    assert see_board(picture) == Chessboard(columns, rows)
    assert seen_instead(picture, OWN_BOARD) == (
        f"found a chessboard with {columns} x {rows} inner corners, wanted ChArUco 7 x 5 DICT_5X5_100"
    )


def test_sightings_agree_on_the_whole_board() -> None:
    parts: list[Geometry] = [Charuco(9, rows, dictionary="DICT_6X6_50") for rows in (4, 6, 5)]
    assert agreed_board([*parts, Chessboard(4, 4)], 4) == Charuco(9, 6, dictionary="DICT_6X6_50")
    assert agreed_board([Chessboard(9, 6), Chessboard(5, 4), Chessboard(9, 6)], 3) == Chessboard(9, 6)


def test_nothing_recognised_is_refused_with_advice() -> None:
    with pytest.raises(CalibrationError, match=r"no calibration board in the 2 pictures.*krupier print charuco"):
        recognise_board([photograph(None, STANDARD, seed) for seed in (1, 2)])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dictionary": "DICT_9X9_50"}, "no marker dictionary 'DICT_9X9_50'"),
        ({"marker_mm": 40.0}, "markers smaller than squares"),
        ({"columns": 2}, "3 squares or more"),
        ({"rows": 5, "white_first": True}, "even number of rows"),
        ({"columns": 20, "rows": 20}, "not enough markers"),
    ],
)
def test_impossible_geometries_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(CalibrationError, match=message):
        replace(OWN_BOARD, **wrong)  # type: ignore[arg-type]
