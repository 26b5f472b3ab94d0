"""The colour strip: ten printed patches between two markers, found anywhere in a picture, at any rotation."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.colour import CLIPPED, Colour, solve_colour
from calibration.frames import CalibrationError, Image
from calibration.lens import Lens
from calibration.markers import find_markers

Floats = NDArray[np.float64]

PATCHES = (
    "#ffffff", "#c8c8c8", "#7f7f7f", "#3f3f3f", "#1f66c9", "#e0428f", "#1d9a56", "#f5b100", "#d93a2b", "#22304f",
)  # fmt: skip
"""The printed colours from marker 40 to marker 41."""
PATCH_MM = (20.0, 15.0)
STRIP_MM = (28.0, 194.0)
MARKER_IDS = (40, 41)
MARKER_MM = 16.0
MARKERS_AT_MM = ((6.0, 3.0), (6.0, 175.0))
"""The upper left corners of the markers; the strip runs downwards from its own upper left corner."""
PATCHES_AT_MM = (4.0, 22.0)
"""The upper left corner of the first patch."""

INNER = 0.6
"""Share of a patch that is read in each direction: lens distortion shifts the strip by a few mm."""
PX_PER_MM = 4.0
ROUGH = 14.0
"""Largest mean deviation of the pixels of a plain patch from their median."""
LEAST_GREYS, LEAST_COLOURS = 1, 3
MOST_OFF_MM = 2.5
"""Largest disagreement of the markers about the position of the strip."""


@dataclass(frozen=True, slots=True)
class Strip:
    """The position of the strip."""

    homography: tuple[float, ...]
    """The homography from mm of the strip to pixels: nine numbers, row by row."""
    off_mm: float = 0.0
    """The residual of the corners of both markers."""

    def to_px(self, points_mm: Floats) -> Floats:
        """Points of the strip in the picture; n x 2."""
        points = np.asarray(points_mm, float).reshape(-1, 1, 2)
        return np.asarray(cv2.perspectiveTransform(points, self._matrix()), float).reshape(-1, 2)

    def _matrix(self) -> Floats:
        return np.array(self.homography, float).reshape(3, 3)


@dataclass(frozen=True, slots=True)
class StripPatch:
    """One patch: its printed colour, the colour in the picture, and its roughness."""

    wanted_bgr: tuple[float, float, float]
    seen_bgr: tuple[float, float, float]
    rough: float
    """The mean deviation of its pixels: high if something lies on it, or if its light is uneven."""

    @property
    def grey(self) -> bool:
        """Whether it is a grey."""
        return max(self.wanted_bgr) - min(self.wanted_bgr) < 1

    @property
    def plain(self) -> bool:
        """Whether nothing seems to lie on it."""
        return self.rough <= ROUGH

    @property
    def clipped(self) -> bool:
        """Whether a channel is saturated."""
        return max(self.seen_bgr) >= CLIPPED


def find_strip(image: Image, lens: Lens | None = None) -> Strip:
    """The strip in a picture of the table, rectified or not; a lens makes the latter more exact."""
    found = {marker.id: np.array(marker.corners_px) for marker in find_markers(image, lens, MARKER_IDS)}
    if not set(MARKER_IDS) <= set(found):
        seen = ", ".join(str(number) for number in MARKER_IDS if number in found) or "neither of them"
        raise CalibrationError(
            f"no colour strip: wanted its markers {MARKER_IDS[0]} and {MARKER_IDS[1]}, saw {seen}; "
            "lay the printed strip flat in sight of the camera, with both ends uncovered and sharp"
        )
    strip = _fitted(*(found[number] for number in MARKER_IDS))
    if strip.off_mm > MOST_OFF_MM:
        raise CalibrationError(
            f"the markers of the colour strip disagree by {strip.off_mm:.1f} mm; wanted at most {MOST_OFF_MM:g} mm: "
            "lay the strip flat, and only one strip"
        )
    height, width = image.shape[:2]
    corners = strip.to_px(np.array([corner for box in _patch_boxes() for corner in (box[:2], box[2:])]))
    if corners.min() < 0 or (corners > (width - 1, height - 1)).any():
        raise CalibrationError("a part of the colour strip is outside the picture; wanted all ten patches in sight")
    return strip


def read_patches(image: Image, strip: Strip) -> tuple[StripPatch, ...]:
    """The colours of all patches, in the printed order."""
    size = (round(STRIP_MM[0] * PX_PER_MM), round(STRIP_MM[1] * PX_PER_MM))
    to_px = np.array(strip.homography, float).reshape(3, 3) @ np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1.0])
    straight = cv2.warpPerspective(image, to_px, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    patches = []
    for ink, box in zip(PATCHES, _patch_boxes(), strict=True):
        left, top, right, bottom = (round(side * PX_PER_MM) for side in box)
        pixels = np.asarray(straight[top:bottom, left:right], float).reshape(-1, 3)
        middle = np.median(pixels, axis=0)
        blue, green, red = (float(value) for value in middle)
        rough = float(np.abs(pixels - middle).mean(0).max())
        patches.append(StripPatch(bgr_of(ink), (blue, green, red), rough))
    return tuple(patches)


def colour_from_strip(image: Image, lens: Lens | None = None) -> Colour:
    """The colour correction from a picture of the strip."""
    return colour_from_patches(read_patches(image, find_strip(image, lens)))


def colour_from_patches(patches: tuple[StripPatch, ...]) -> Colour:
    """The correction from patches that were read; covered ones are left out."""
    plain = [patch for patch in patches if patch.plain]
    greys, colours = sum(patch.grey for patch in plain), sum(not patch.grey for patch in plain)
    if greys < LEAST_GREYS or colours < LEAST_COLOURS:
        raise CalibrationError(
            f"only {greys} greys and {colours} colours of the strip are plain; wanted at least {LEAST_GREYS} and "
            f"{LEAST_COLOURS}: take away what lies on it, and its shadow"
        )
    return solve_colour(np.array([patch.seen_bgr for patch in plain]), np.array([patch.wanted_bgr for patch in plain]))


def bgr_of(ink: str) -> tuple[float, float, float]:
    """A colour written #rrggbb."""
    red, green, blue = (float(int(ink[start : start + 2], 16)) for start in (1, 3, 5))
    return blue, green, red


def _fitted(first: Floats, last: Floats) -> Strip:
    """The strip that best fits the corners of both markers."""
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * MARKER_MM
    points_mm = np.vstack([square + place for place in MARKERS_AT_MM])
    points_px = np.vstack([first, last])
    matrix, _ = cv2.findHomography(points_mm, points_px, 0)
    if matrix is None or abs(np.linalg.det(matrix)) < 1e-9:
        return Strip((0.0,) * 9, float("inf"))
    back = cv2.perspectiveTransform(points_px.reshape(-1, 1, 2), np.linalg.inv(matrix)).reshape(-1, 2)
    off_mm = float(np.sqrt(((back - points_mm) ** 2).sum(1).mean()))
    return Strip(tuple(float(part) for part in np.ravel(matrix)), off_mm if np.isfinite(off_mm) else float("inf"))


def _patch_boxes() -> Iterator[tuple[float, float, float, float]]:
    """Left, top, right and bottom of the part of every patch that is read, in mm of the strip."""
    width, height = PATCH_MM
    for number in range(len(PATCHES)):
        x, y = PATCHES_AT_MM[0] + width / 2, PATCHES_AT_MM[1] + (number + 0.5) * height
        yield x - INNER * width / 2, y - INNER * height / 2, x + INNER * width / 2, y + INNER * height / 2
