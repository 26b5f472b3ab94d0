"""Template matching for round pieces: how similar a place in a picture is to a drawn figure or token."""

from dataclasses import dataclass
from math import exp

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.seats import SeatFrame, across
from models.art.pen import Size
from models.art.picture import Drawing, draw_pixels
from models.crops import Floats, Image
from vision.look.table_view import TableView
from vision.pieces.tuning import (
    BLUR_MM,
    COARSE_FACTOR,
    COLOUR_WEIGHT,
    HIDDEN_PENALTY,
    MIN_COLOUR_SIMILARITY,
    MIN_COLOUR_SIMILARITY_COARSE,
    MIN_DEVIATION_LEVELS,
    MIN_VISIBLE,
    PX_PER_MM,
    REFINE_PX,
    RIM_MM,
    ROTATIONS,
    SUPERSAMPLING,
)

Pixels = NDArray[np.float32]
Positions = NDArray[np.int64]
"""Pixel positions by column and row."""


class TablePatch:
    """A rectangle in the coordinates of a seat, rectified from frames at a scale of PX_PER_MM."""

    def __init__(
        self, view: TableView, frame: SeatFrame, right_mm: tuple[float, float], away_mm: tuple[float, float]
    ) -> None:
        self._corner_mm = np.array(frame.place(right_mm[0], away_mm[1]))
        self._across, self._down = np.array(across(frame.turn_deg)), np.array(across(frame.turn_deg + 90.0))
        width = max(1, round((right_mm[1] - right_mm[0]) * PX_PER_MM))
        height = max(1, round((away_mm[1] - away_mm[0]) * PX_PER_MM))
        grid = np.stack(np.meshgrid(np.arange(width, dtype=float), np.arange(height, dtype=float)), 2)
        columns, rows = view.lens.size_px
        _, scale = view.crop_source(np.zeros((rows, columns), np.uint8))
        source = (view.mm_to_frame(self.to_mm(grid)) + 0.5) * scale - 0.5
        self._x, self._y = (np.ascontiguousarray(source[:, :, axis], np.float32) for axis in (0, 1))

    def cut(self, detail: Image) -> Pixels:
        """The patch of a frame at the scale of the table view's details; black outside the frame."""
        return np.asarray(cv2.remap(detail, self._x, self._y, cv2.INTER_LINEAR), np.float32)

    def to_mm(self, points_px: Floats) -> Floats:
        """Points of the patch in table millimetres."""
        offsets = (np.asarray(points_px, float) + 0.5) / PX_PER_MM
        return np.asarray(self._corner_mm + offsets[..., :1] * self._across + offsets[..., 1:] * self._down, float)


@dataclass(frozen=True, slots=True)
class RoundTemplate:
    """The appearance of a round piece from above."""

    kind: str
    colour: str
    offsets: Positions
    """The pixels that the piece covers, relative to its centre."""
    rotated: Pixels
    """Their colours in every rotation: rotations x pixels x channels."""
    squares: Pixels
    """The sum of squares of each pixel in every rotation."""
    blend: Pixels
    """The mean of all rotations, as a coarse picture."""
    inside: Pixels
    """1 where the coarse picture shows the piece, 0 around it."""
    radius_px: int
    min_contrast: float
    """Contrast relative to the drawing below which similarity falls: pale shapes are print on paper, not a piece."""


@dataclass(frozen=True, slots=True)
class TemplateMatch:
    """A possible position of a piece."""

    x_px: int
    y_px: int
    similarity: float
    probability: float


def round_template(kind: str, colour: str, drawing: Drawing, size: Size, min_contrast: float = 0.0) -> RoundTemplate:
    """The template of a drawing."""
    scale = SUPERSAMPLING * PX_PER_MM
    drawn = draw_pixels(drawing, size, scale).astype(np.float32)
    blurred = np.asarray(cv2.GaussianBlur(drawn, (0, 0), BLUR_MM * scale), np.float32)
    radius = int(np.ceil(size.width_mm / 2 * PX_PER_MM))
    turns_deg = [360.0 * number / ROTATIONS for number in range(ROTATIONS)]
    pictures = [_reduced(blurred, turn_deg, 1 / SUPERSAMPLING, radius) for turn_deg in turns_deg]
    inner_px = (size.width_mm / 2 - RIM_MM) * PX_PER_MM
    rows, columns = np.nonzero(_disc(radius, inner_px))
    rotated = np.stack([picture[rows, columns] for picture in pictures])
    coarse_radius = -(-radius // COARSE_FACTOR)
    coarse = [_reduced(blurred, turn_deg, 1 / SUPERSAMPLING / COARSE_FACTOR, coarse_radius) for turn_deg in turns_deg]
    inside = _disc(coarse_radius, inner_px / COARSE_FACTOR)
    blend = np.mean(coarse, axis=0, dtype=np.float32) * inside[:, :, None]
    offsets = np.stack([columns - radius, rows - radius], 1)
    squares = np.square(rotated).sum(2)
    blend = np.asarray(blend, np.float32)
    return RoundTemplate(kind, colour, offsets, rotated, squares, blend, inside, radius, min_contrast)


def reduced(picture: Pixels) -> Pixels:
    """The coarse picture in which candidates are searched."""
    size = (max(1, picture.shape[1] // COARSE_FACTOR), max(1, picture.shape[0] // COARSE_FACTOR))
    whole = picture[: size[1] * COARSE_FACTOR, : size[0] * COARSE_FACTOR]
    return np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), np.float32)


def full_position(column: int, row: int, left: int = 0, top: int = 0) -> tuple[int, int]:
    """The full-size pixel in the middle of a coarse one; `left` and `top` are the origin of the coarse picture."""
    return left + COARSE_FACTOR * column + COARSE_FACTOR // 2, top + COARSE_FACTOR * row + COARSE_FACTOR // 2


def coarse_similarity(coarse: Pixels, visible: Pixels, template: RoundTemplate) -> tuple[Pixels, Pixels]:
    """For every pixel of a coarse picture the similarity to a template in any rotation, from -1 to 1.

    `visible` is 1 where the picture counts. The second result is the visible share of the piece.
    """
    inside = template.inside
    count = _correlated(visible, inside) + 1e-6
    planes = [coarse[:, :, channel] * visible for channel in range(3)]
    drawn = [np.ascontiguousarray(template.blend[:, :, channel]) for channel in range(3)]
    similarity = _similarity(
        count,
        np.stack([_correlated(plane, inside) for plane in planes]),
        np.stack([_correlated(visible, plane) for plane in drawn]),
        np.sum([_correlated(plane, other) for plane, other in zip(planes, drawn, strict=True)], axis=0),
        _correlated(np.square(coarse).sum(2) * visible, inside),
        _correlated(visible, np.square(template.blend).sum(2)),
        template.min_contrast,
        MIN_COLOUR_SIMILARITY_COARSE,
    )
    return similarity, np.asarray(count / inside.sum(), np.float32)


def best_similarity(
    picture: Pixels, visible: Pixels, template: RoundTemplate, centres: Positions
) -> tuple[Pixels, Pixels]:
    """The same for some centres in the full picture, with the best rotation of the template."""
    columns = np.clip(centres[:, :1] + template.offsets[:, 0], 0, picture.shape[1] - 1)
    rows = np.clip(centres[:, 1:] + template.offsets[:, 1], 0, picture.shape[0] - 1)
    masks = visible[rows, columns]
    windows = picture[rows, columns] * masks[:, :, None]
    count = masks.sum(1) + 1e-6
    similarity = _similarity(
        count[:, None],
        np.einsum("ijk->ki", windows)[:, :, None],
        np.stack([masks @ template.rotated[:, :, channel].T for channel in range(3)]),
        windows.reshape(len(centres), -1) @ template.rotated.reshape(len(template.rotated), -1).T,
        np.einsum("ijk,ijk->i", windows, windows)[:, None],
        masks @ template.squares.T,
        template.min_contrast,
        MIN_COLOUR_SIMILARITY,
    )
    return np.asarray(similarity.max(1), np.float32), np.asarray(count / len(template.offsets), np.float32)


def refined_match(
    picture: Pixels, visible: Pixels, template: RoundTemplate, x_px: int, y_px: int, logistic: tuple[float, float]
) -> TemplateMatch:
    """The best position near a candidate; `logistic` turns its similarity into a probability."""
    steps = np.arange(-REFINE_PX, REFINE_PX + 1)
    x, y = np.meshgrid(np.clip(steps + x_px, 0, picture.shape[1] - 1), np.clip(steps + y_px, 0, picture.shape[0] - 1))
    centres = np.stack([x.ravel(), y.ravel()], 1)
    similarity, share = best_similarity(picture, visible, template, centres)
    similarity = np.where(share < MIN_VISIBLE, -1.0, similarity)
    best = int(similarity.argmax())
    score = float(similarity[best]) - HIDDEN_PENALTY * (1.0 - float(share[best]))
    column, row = centres[best].tolist()
    slope, midpoint = logistic
    return TemplateMatch(column, row, score, 1 / (1 + exp(-slope * (score - midpoint))))


def mask_out(visible: Pixels, template: RoundTemplate, match: TemplateMatch) -> None:
    """Clear the mask where a piece was found."""
    cv2.circle(visible, (match.x_px, match.y_px), template.radius_px, 0.0, -1)


def _similarity(
    count: Pixels,
    picture_sums: Pixels,
    template_sums: Pixels,
    products: Pixels,
    picture_squares: Pixels,
    template_squares: Pixels,
    min_contrast: float,
    min_colour: float,
) -> Pixels:
    """The normalised correlation of picture and template from sums over their pixels; the first two are per channel.

    Brightness and haze cancel out. Most of the weight is on the pattern within the piece, because a plain colour is not
    a piece; but the colours must be right.
    """
    pattern = _correlation(
        products - (picture_sums * template_sums).sum(0) / count,
        picture_squares - np.square(picture_sums).sum(0) / count,
        template_squares - np.square(template_sums).sum(0) / count,
        count,
        min_contrast,
    )
    picture_sum, template_sum = picture_sums.sum(0), template_sums.sum(0)
    colours = _correlation(
        products - picture_sum * template_sum / (3 * count),
        picture_squares - np.square(picture_sum) / (3 * count),
        template_squares - np.square(template_sum) / (3 * count),
        count,
        0.0,
    )
    mixed = (1 - COLOUR_WEIGHT) * pattern + COLOUR_WEIGHT * colours
    return np.asarray(np.where(colours < min_colour, -1.0, mixed), np.float32)


def _correlation(covariance: Pixels, variance: Pixels, drawn: Pixels, count: Pixels, min_contrast: float) -> Pixels:
    """Covariance over deviations; `drawn` is the variance of the template. All are sums, not means."""
    least = 3.0 * count * MIN_DEVIATION_LEVELS**2
    drawn = np.maximum(drawn, least)
    variance = np.maximum(np.maximum(variance, least), min_contrast**2 * drawn)
    return np.asarray(covariance / np.sqrt(variance * drawn), np.float32)


def _disc(radius_px: int, inner_px: float) -> Pixels:
    """1 inside a circle around the centre of a square picture, 0 outside."""
    rows, columns = np.mgrid[-radius_px : radius_px + 1, -radius_px : radius_px + 1]
    return np.asarray(np.hypot(rows, columns) <= inner_px, np.float32)


def _reduced(drawn: Pixels, turn_deg: float, scale: float, radius_px: int) -> Pixels:
    """A drawing rotated and scaled, centred in a picture with `radius_px` pixels on each side of its centre."""
    middle, side = (drawn.shape[1] - 1) / 2, 2 * radius_px + 1
    matrix = cv2.getRotationMatrix2D((middle, middle), turn_deg, scale)
    matrix[:, 2] += radius_px - middle
    return np.asarray(cv2.warpAffine(drawn, matrix, (side, side), flags=cv2.INTER_LINEAR), np.float32)


def _correlated(plane: Pixels, kernel: Pixels) -> Pixels:
    return np.asarray(cv2.filter2D(plane, cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT), np.float32)
