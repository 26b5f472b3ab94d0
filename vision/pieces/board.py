"""The printed board of a game: where it lies, and how its colours look in the present light."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.seats import SeatFrame
from models.art.pieces import Board
from models.crops import Floats, Image
from vision.look.table_view import TableView
from vision.pieces.templates import Pixels, TablePatch
from vision.pieces.tuning import (
    BOARD_BLUR_PX,
    BOARD_COARSE_SCALE,
    BOARD_SHIFT_MM,
    BOARD_TURNS_DEG,
    FIT_ITERATIONS,
    FIT_PRECISION,
    HALF_TURN_MARGIN,
    LIGHT_BLOCKS,
    LIGHT_RANGE,
    MIN_BOARD_SIMILARITY,
    PX_PER_MM,
)


@dataclass(frozen=True, slots=True)
class BoardPose:
    """The board found in a frame: its rectified picture in white light, and its position."""

    picture: Pixels
    to_patch: Floats
    """From pixels of the picture to pixels of the patch: an affine matrix, two rows of three."""
    patch: TablePatch

    def to_mm(self, points_px: Floats) -> Floats:
        """Points of the picture in table millimetres."""
        return self.patch.to_mm(np.asarray(points_px, float) @ self.to_patch[:, :2].T + self.to_patch[:, 2])


class TrackBoard:
    """Finds the board on one table."""

    def __init__(self, view: TableView, middle: SeatFrame, board: Board) -> None:
        whole, (width_mm, height_mm) = board.pixels(4 * PX_PER_MM), board.size_mm
        size = (round(width_mm * PX_PER_MM), round(height_mm * PX_PER_MM))
        self.drawn: Pixels = np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), np.float32)
        self._grey = _blurred_grey(self.drawn)
        scale = BOARD_COARSE_SCALE
        coarse = np.asarray(cv2.resize(self._grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.float32)
        self._coarse = {
            turn_deg + half_deg: _rotated(coarse, turn_deg + half_deg)
            for half_deg in (0.0, 180.0)
            for turn_deg in BOARD_TURNS_DEG
        }
        """The drawing at every rotation that is tried."""
        right, away = width_mm / 2 + BOARD_SHIFT_MM, height_mm / 2 + BOARD_SHIFT_MM
        self._patch = TablePatch(view, middle, (-right, right), (-away, away))

    def find(self, detail: Image) -> BoardPose | None:
        """The board in a frame; None if it is not there."""
        patch = self._patch.cut(detail)
        best, found = MIN_BOARD_SIMILARITY, None
        for matrix in self._candidates(_blurred_grey(patch)):
            picture = _rectified(patch, matrix, self.drawn)
            similarity = _similarity(_blurred_grey(picture), self._grey)
            if similarity > best:
                best, found = similarity, BoardPose(picture / self._light(picture), matrix, self._patch)
        return found

    def _candidates(self, grey: Pixels) -> Iterator[Floats]:
        """Possible matrices from the board to the patch: the better orientation, and the other if it is close."""
        scale = BOARD_COARSE_SCALE
        coarse = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        found: dict[bool, tuple[float, Floats]] = {}
        for turn_deg, drawn in self._coarse.items():
            _, score, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(coarse, drawn, cv2.TM_CCOEFF_NORMED))
            half_turn = turn_deg > 90.0
            if half_turn not in found or score > found[half_turn][0]:
                centre = (x + drawn.shape[1] / 2) / scale - 0.5, (y + drawn.shape[0] / 2) / scale - 0.5
                found[half_turn] = score, _placement(self._grey, turn_deg, centre)
        best = max(score for score, _ in found.values())
        for half_turn, (score, matrix) in found.items():
            if score > best - HALF_TURN_MARGIN:
                # The fit handles small rotations only, so the patch is turned before it and the result after it.
                view = grey[::-1, ::-1] if half_turn else grey
                fitted = self._fitted(np.ascontiguousarray(view), _half_turned(matrix, grey) if half_turn else matrix)
                yield _half_turned(fitted, grey) if half_turn else fitted

    def _fitted(self, grey: Pixels, guess: Floats) -> Floats:
        """A matrix refined by maximising the correlation (ECC)."""
        criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, FIT_ITERATIONS, FIT_PRECISION)
        mask = np.full(grey.shape, 255, np.uint8)
        matrix = np.asarray(guess, np.float32)
        try:
            _, fitted = cv2.findTransformECC(self._grey, grey, matrix, cv2.MOTION_EUCLIDEAN, criteria, mask, 3)
        except cv2.error:
            # OpenCV raises where the picture has nothing in common with the board.
            return guess
        return np.asarray(fitted, float)

    def _light(self, picture: Pixels) -> Pixels:
        """The light on every pixel, by channel, relative to white paper in full light."""
        across, down = LIGHT_BLOCKS
        ratio = (picture + 1.0) / (self.drawn + 1.0)
        blocks = np.array(
            [
                [np.median(block, axis=(0, 1)) for block in np.array_split(row, across, axis=1)]
                for row in np.array_split(ratio, down, axis=0)
            ]
        )
        smooth = cv2.blur(np.clip(blocks, *LIGHT_RANGE), (3, 3), borderType=cv2.BORDER_REPLICATE)
        size = (picture.shape[1], picture.shape[0])
        return np.asarray(cv2.resize(smooth, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _blurred_grey(picture: Pixels) -> Pixels:
    return np.asarray(cv2.GaussianBlur(picture.mean(2), (0, 0), BOARD_BLUR_PX), np.float32)


def _placement(grey: Pixels, turn_deg: float, centre_px: tuple[float, float]) -> Floats:
    """The matrix that puts a drawing into a patch with this rotation and centre."""
    height, width = grey.shape
    own_centre = ((width - 1) / 2, (height - 1) / 2)
    matrix = cv2.getRotationMatrix2D(own_centre, -turn_deg, 1.0)
    matrix[:, 2] += np.subtract(centre_px, own_centre)
    return np.asarray(matrix, float)


def _half_turned(matrix: Floats, grey: Pixels) -> Floats:
    """The same placement in a patch that is turned by 180 degrees."""
    other = -matrix
    other[:, 2] += (grey.shape[1] - 1, grey.shape[0] - 1)
    return other


def _rotated(grey: Pixels, turn_deg: float) -> Pixels:
    """A picture rotated clockwise within its own size; missing corners repeat the edge."""
    height, width = grey.shape
    matrix = _placement(grey, turn_deg, ((width - 1) / 2, (height - 1) / 2))
    return np.asarray(cv2.warpAffine(grey, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.float32)


def _rectified(patch: Pixels, matrix: Floats, drawn: Pixels) -> Pixels:
    """The part of a patch that a placement says is the board, as the board is drawn."""
    size = (drawn.shape[1], drawn.shape[0])
    return np.asarray(cv2.warpAffine(patch, matrix, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP), np.float32)


def _similarity(one: Pixels, other: Pixels) -> float:
    return float(cv2.matchTemplate(one, other, cv2.TM_CCOEFF_NORMED)[0, 0])
