"""Films of the printed board through known lenses: every pixel's ray is met with the plane of the board."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import OWN_BOARD, BoardView, corners_mm
from calibration.frames import Frame, Image
from calibration.lens import Lens
from calibration.views import Choice, choose_views
from models.art.paper import PAPERS_MM, Paper
from models.art.picture import rasterise
from models.art.rig import CharucoBoard, print_board

Floats = NDArray[np.float64]

SIZE_PX = (1640, 1232)
STANDARD = Lens(SIZE_PX, (1262.0, 1259.5), (813.5, 604.2), (-0.07, 0.035, 0.0004, -0.0003, -0.012))
"""66 degrees across."""
BARREL = Lens(SIZE_PX, (715.0, 713.8), (825.3, 609.1), (-0.06, 0.008, -0.0003, 0.0002, -0.0005))
"""102 degrees across, nearly a pinhole."""
FISHEYE = Lens(SIZE_PX, (911.0, 909.2), (809.6, 622.4), (0.012, -0.006, 0.002, -0.0006), fisheye=True)
"""102 degrees across, bent like a fisheye."""

TEXTURE_PX_PER_MM = 6.0
_FINER = 4
TABLE = 96


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the board is held, from the board (its upper left corner, mm) to the camera, and how the film suffers."""

    rotation: Floats
    translation_mm: Floats
    blur_px: float = 0.7
    motion_px: tuple[float, float] = (0.0, 0.0)
    hidden: tuple[float, float, float, float] | None = None
    """A hand on the board: x, y, width and height in mm."""

    def corners(self, lens: Lens, board: CharucoBoard) -> Floats:
        """Where the inner corners fall on the picture, by OpenCV's own projection."""
        x, y = np.meshgrid(np.arange(1, board.columns), np.arange(1, board.rows))
        solid = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], 1).astype(float) * board.square_mm
        vector, _ = cv2.Rodrigues(self.rotation)
        project = cv2.fisheye.projectPoints if lens.fisheye else cv2.projectPoints
        found, _ = project(solid.reshape(-1, 1, 3), vector, self.translation_mm, lens.matrix, np.array(lens.distortion))
        return np.asarray(found, float).reshape(-1, 2)


@lru_cache(maxsize=4)
def rays_of(lens: Lens) -> Floats:
    """For every pixel the ray it looks along, with z = 1."""
    width, height = lens.size_px
    x, y = np.meshgrid(np.arange(width, dtype=float), np.arange(height, dtype=float))
    pixels = np.stack([x.ravel(), y.ravel()], 1).reshape(-1, 1, 2)
    bend = np.array(lens.distortion)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 80, 1e-7)
    undistort = cv2.fisheye.undistortPoints if lens.fisheye else cv2.undistortPoints
    flat = undistort(pixels, lens.matrix, bend, criteria=criteria)
    return np.asarray(flat, float).reshape(height, width, 2)


@lru_cache(maxsize=4)
def _page(board: CharucoBoard) -> tuple[Image, float, float]:
    """The printed page, and where the board's upper left corner lies on it in mm."""
    # The rasteriser pulls edges to whole pixels, up to one of them: four times finer, that is 0.04 mm at most.
    pdf = print_board(Paper.A4, board)
    fine = cv2.cvtColor(rasterise(pdf, _FINER * TEXTURE_PX_PER_MM), cv2.COLOR_BGR2GRAY)
    page = cv2.resize(fine, None, fx=1 / _FINER, fy=1 / _FINER, interpolation=cv2.INTER_AREA)
    height, width = PAPERS_MM[Paper.A4]
    left = (width - board.columns * board.square_mm) / 2
    top = (height - board.rows * board.square_mm) / 2 - 4
    return np.asarray(page, np.uint8), left, top


def photograph(
    pose: Pose | None, lens: Lens, seed: int, board: CharucoBoard | None = None, noise: float = 4.0
) -> Image:
    """What the camera sees: the page in front of a dull table, with blur, shake and noise."""
    return grainy(clean_picture(pose, lens, board), seed, noise)


def clean_picture(pose: Pose | None, lens: Lens, board: CharucoBoard | None = None) -> Image:
    """The same without noise, grey."""
    width, height = lens.size_px
    picture = np.full((height, width), TABLE, np.uint8)
    if pose is not None:
        _paste(picture, pose, lens, board or CharucoBoard())
        shaken = _shake(pose.motion_px)
        if shaken is not None:
            picture = np.asarray(cv2.filter2D(picture, -1, shaken), np.uint8)
    return picture


def grainy(picture: Image, seed: int, noise: float = 4.0) -> Image:
    """A clean picture as a noisy sensor has it, BGR."""
    grain = np.empty(picture.shape, np.int8)
    cv2.setRNGSeed(seed + 1)
    cv2.randn(grain, np.zeros(1), np.full(1, noise))
    return np.asarray(cv2.cvtColor(cv2.add(picture, grain, dtype=cv2.CV_8U), cv2.COLOR_GRAY2BGR), np.uint8)


def _paste(picture: Image, pose: Pose, lens: Lens, board: CharucoBoard) -> None:
    page, left, top = _page(board)
    if pose.hidden:
        page = page.copy()
        x, y, across, down = (int(value * TEXTURE_PX_PER_MM) for value in pose.hidden)
        x, y = x + int(left * TEXTURE_PX_PER_MM), y + int(top * TEXTURE_PX_PER_MM)
        page[y : y + down, x : x + across] = 150
    middle = np.array([board.columns, board.rows, 0]) * board.square_mm / 2
    distance_mm = float((pose.rotation @ middle + pose.translation_mm)[2])
    # The page is blurred before it is sampled: at the scale of the picture that is the lens's blur, and no aliasing.
    sigma = pose.blur_px * TEXTURE_PX_PER_MM * distance_mm / lens.focal_px[0]
    page = np.asarray(cv2.GaussianBlur(page, (0, 0), sigma), np.uint8)
    # Ink is not black and paper not white in a photograph.
    page = np.asarray(cv2.convertScaleAbs(page, alpha=0.78, beta=20), np.uint8)
    # A ray meets the board at one point: a homography from rays to the page. A texel's middle is half a texel in.
    plane = np.column_stack([pose.rotation[:, 0], pose.rotation[:, 1], pose.translation_mm])
    s = TEXTURE_PX_PER_MM
    to_page = np.array([[s, 0, left * s - 0.5], [0, s, top * s - 0.5], [0, 0, 1]]) @ np.linalg.inv(plane)
    rows, columns = _box(pose, lens, board, (left, top))
    rays = np.ascontiguousarray(rays_of(lens)[rows, columns])
    texels = cv2.perspectiveTransform(rays, to_page).astype(np.float32)
    column, row = np.ascontiguousarray(texels[:, :, 0]), np.ascontiguousarray(texels[:, :, 1])
    picture[rows, columns] = cv2.remap(page, column, row, cv2.INTER_LINEAR, borderValue=TABLE)


def _box(pose: Pose, lens: Lens, board: CharucoBoard, margin_mm: tuple[float, float]) -> tuple[slice, slice]:
    """The part of the picture in which the page can be; pages near the edge of a wide lens take the whole picture."""
    width, height = lens.size_px
    x, y = margin_mm
    outer = np.array(
        [(a, b, 0) for a in np.linspace(-x, board.columns * board.square_mm + x, 5)
         for b in np.linspace(-y, board.rows * board.square_mm + y + 8, 5)]
    )  # fmt: skip
    ahead = outer @ pose.rotation.T + pose.translation_mm
    if ahead[:, 2].min() < 0.3 * np.linalg.norm(ahead[:, :2], axis=1).max():
        return slice(0, height), slice(0, width)
    vector, _ = cv2.Rodrigues(pose.rotation)
    project = cv2.fisheye.projectPoints if lens.fisheye else cv2.projectPoints
    found, _ = project(outer.reshape(-1, 1, 3), vector, pose.translation_mm, lens.matrix, np.array(lens.distortion))
    low, high = found.reshape(-1, 2).min(0) - 40, found.reshape(-1, 2).max(0) + 40
    left, upper = int(np.clip(low[0], 0, width - 2)), int(np.clip(low[1], 0, height - 2))
    right, lower = int(np.clip(high[0], left + 1, width)), int(np.clip(high[1], upper + 1, height))
    return slice(upper, lower), slice(left, right)


def _shake(motion_px: tuple[float, float]) -> NDArray[np.float32] | None:
    """A straight shake as a kernel that does not shift the picture."""
    reach = int(np.ceil(max(abs(motion_px[0]), abs(motion_px[1])) / 2))
    if reach == 0:
        return None
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    for part in np.linspace(-0.5, 0.5, 8 * reach + 1):
        kernel[round(reach + part * motion_px[1]), round(reach + part * motion_px[0])] += 1
    return np.asarray(kernel / kernel.sum(), np.float32)


def pose_at(
    lens: Lens,
    at: tuple[float, float],
    width_share: float,
    tilt_deg: tuple[float, float],
    roll_deg: float = 0.0,
    board: CharucoBoard | None = None,
) -> Pose:
    """A board whose middle falls on that part of the frame (0 to 1 each way), tilted from facing the camera."""
    board = board or CharucoBoard()
    width, height = lens.size_px
    column, row = round(at[0] * (width - 1)), round(at[1] * (height - 1))
    ray = np.array([*rays_of(lens)[row, column], 1.0])
    ray /= np.linalg.norm(ray)
    span_mm = board.columns * board.square_mm
    distance_mm = lens.focal_px[0] * span_mm / (width_share * width)
    facing = _turn(np.cross([0, 0, 1], ray), 0.8 * float(np.arccos(ray[2])))
    tilt = _turn(np.array([1.0, 0, 0]), np.deg2rad(tilt_deg[0])) @ _turn(np.array([0, 1.0, 0]), np.deg2rad(tilt_deg[1]))
    rotation = facing @ tilt @ _turn(np.array([0, 0, 1.0]), np.deg2rad(roll_deg))
    middle = np.array([board.columns, board.rows, 0]) * board.square_mm / 2
    return Pose(rotation, ray * distance_mm - rotation @ middle)


def _turn(axis: Floats, angle: float) -> Floats:
    length = float(np.linalg.norm(axis))
    vector = np.zeros(3) if length < 1e-9 else axis / length * angle
    return np.asarray(cv2.Rodrigues(vector)[0], float)


PLACES = (
    (0.5, 0.5), (0.2, 0.22), (0.8, 0.22), (0.8, 0.78), (0.2, 0.78), (0.5, 0.2), (0.5, 0.8), (0.18, 0.5), (0.82, 0.5),
    (0.36, 0.36), (0.64, 0.36), (0.64, 0.64), (0.36, 0.64), (0.5, 0.5), (0.1, 0.14), (0.9, 0.14), (0.9, 0.86),
    (0.1, 0.86), (0.3, 0.2), (0.7, 0.8), (0.28, 0.72), (0.72, 0.28),
)  # fmt: skip
"""Where a careful person holds the board; some views leave the frame."""


def careful_poses(lens: Lens, board: CharucoBoard | None = None) -> list[Pose]:
    """Twenty-two poses all over the frame, near and far, tilted all ways."""
    rng = np.random.default_rng(20)
    poses = []
    for number, place in enumerate(PLACES):
        around = rng.uniform(0, 2 * np.pi) if number % 4 == 0 else number * 2.4
        steep = rng.uniform(14, 36)
        tilt = (steep * np.cos(around), steep * np.sin(around))
        poses.append(pose_at(lens, place, rng.uniform(0.34, 0.6), tilt, rng.uniform(-40, 40), board))
    return poses


def film(lens: Lens, board: CharucoBoard | None = None, only: int | None = None) -> Iterator[Frame]:
    """A film as people make it: an empty table, then every pose held for a frame or two, some after a shaken one.

    Between two poses a second is cut out.
    """
    yield Frame(0, 0.0, grainy(clean_picture(None, lens), 0))
    index = 1
    for number, pose in enumerate(careful_poses(lens, board)[:only]):
        hidden = (60.0, 20.0, 70.0, 60.0) if number % 7 == 5 else None
        held = replace(pose, blur_px=0.6 + 0.1 * (number % 5), hidden=hidden)
        pictures = [clean_picture(held, lens, board)] * (1 + number % 2)
        if number % 4 == 1:
            shift = np.array([6.0, -4.0, 3.0])
            shaken = replace(held, translation_mm=held.translation_mm + shift, motion_px=(9.0, 6.0))
            pictures.insert(0, clean_picture(shaken, lens, board))
        for later, picture in enumerate(pictures):
            yield Frame(index, number + 1 + later / 10, grainy(picture, index))
            index += 1


@lru_cache(maxsize=4)
def filmed(lens: Lens) -> Choice:
    """The views chosen from the whole film of a lens, without being told which board it is; kept for all tests."""
    return choose_views(film(lens))


def imagined_views(
    lens: Lens, count: int, noise_px: float, seed: int, tilt_deg: float = 36.0, spread: float = 1.0
) -> list[BoardView]:
    """Views as a perfect finder with a little noise would give them, without pictures."""
    rng = np.random.default_rng(seed)
    views: list[BoardView] = []
    last = np.array(lens.size_px) - 1
    while len(views) < count:
        at = (0.5 + spread * rng.uniform(-0.42, 0.42), 0.5 + spread * rng.uniform(-0.42, 0.42))
        steep, around = rng.uniform(0, tilt_deg), rng.uniform(0, 2 * np.pi)
        tilt = (steep * np.cos(around), steep * np.sin(around))
        pixels = pose_at(lens, at, rng.uniform(0.3, 0.6), tilt, rng.uniform(-90, 90)).corners(lens, CharucoBoard())
        ids = np.flatnonzero(((pixels > 5) & (pixels < last - 5)).all(1))
        if len(ids) < 8 or len(set(ids % 6)) < 2 or len(set(ids // 6)) < 2:
            continue
        seen = pixels[ids] + rng.normal(0, noise_px, (len(ids), 2))
        views.append(BoardView(str(len(views)), lens.size_px, ids, corners_mm(OWN_BOARD, ids), seen, 1.0, 80.0))
    return views
