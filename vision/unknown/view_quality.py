"""View quality: whether a view of a card is good enough to be taught, why not, and how to show the card better."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CROP_PX, Image
from models.faces import shrunk
from vision.unknown.teaching import NOMINAL_CARD_MM, blur_mm
from vision.unknown.tuning import (
    GLARE_LEVEL,
    GLARE_SHARES,
    LIT_PERCENT,
    MAX_BLUR_MM,
    MAX_GLARE_SLOPE,
    MAX_GOOD_BLUR_MM,
    MIN_CONTRAST_LEVELS,
    MIN_GLARE_MM2,
    MIN_GLARE_RISE,
    MIN_MOVE,
    MIN_PRINT_SHARE,
    MIN_SHADOW_FIT,
    MIN_SHADOW_SHARE,
    MIN_SOFT_SHARE,
    RIM,
    SHADOW_CHROMA_STEP,
    SHADOW_INK_MM,
    SHADOW_RATIOS,
    SLANTS_DEG,
)

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Corners = Sequence[tuple[float, float]]
_PX_PER_MM = CROP_PX[0] / NOMINAL_CARD_MM[0]


class QualityLevel(Enum):
    """How good a view is."""

    GOOD = "good"
    POOR = "poor"
    """Taken until a better one comes."""
    UNUSABLE = "unusable"


class FlawKind(Enum):
    """What is wrong with a view; the number of a flaw is in the unit given here."""

    GLARE = "glare"
    """Share of the card that a reflection washes out."""
    FADED = "faded"
    """Grey levels between the darkest and the brightest print."""
    SHADOW = "shadow"
    """Ratio of the light on both sides of the edge of a shadow."""
    BLUR = "blur"
    """Standard deviation of an edge, in mm."""
    SLANT = "slant"
    """Angle between the camera and the perpendicular to the card, in degrees."""
    HIDDEN = "hidden"
    """The card is covered or cut off; the number is 0."""


class Advice(Enum):
    """How to show a card once more."""

    NONE = ""
    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    ELSEWHERE = "elsewhere"
    """Away from a reflection in the middle of the card."""
    SOFTER = "softer"
    """In softer or weaker light."""
    UNSHADED = "unshaded"
    """Where no shadow falls on it."""
    STILL = "still"
    """Lying still, in focus."""
    BELOW = "below"
    """Nearer to the point below the camera."""
    WHOLE = "whole"
    """Whole, with nothing on it."""


@dataclass(frozen=True, slots=True)
class ViewFlaw:
    """One thing that is wrong with a view."""

    kind: FlawKind
    level: QualityLevel
    number: float


@dataclass(frozen=True, slots=True)
class ViewVerdict:
    """The quality of a view: its level, what is wrong with it, and how to show the card better."""

    level: QualityLevel
    flaws: tuple[ViewFlaw, ...] = ()
    """Worst first."""
    advice: Advice = Advice.NONE


def judge_view(view: Image, corners_px: Corners, size_mm: tuple[float, float], hidden: bool = False) -> ViewVerdict:
    """Judge a view; `corners_px` are its corners in the picture, `hidden` that the card is covered or cut off there."""
    crop = shrunk(view, CROP_PX)
    glare = _glare(crop)
    glare_share = float(glare.mean())
    found = [
        _flaw(FlawKind.GLARE, glare_share, *GLARE_SHARES),
        _flaw(FlawKind.BLUR, blur_mm(view), MAX_GOOD_BLUR_MM, MAX_BLUR_MM),
        _flaw(FlawKind.SLANT, slant_deg(corners_px, size_mm), *SLANTS_DEG),
        _flaw(FlawKind.SHADOW, _shadow_ratio(crop, glare), SHADOW_RATIOS[0], np.inf),
    ]
    contrast = _contrast_levels(crop)
    if contrast < MIN_CONTRAST_LEVELS:
        found.append(ViewFlaw(FlawKind.FADED, QualityLevel.POOR, contrast))
    if hidden:
        found.append(ViewFlaw(FlawKind.HIDDEN, QualityLevel.UNUSABLE, 0.0))
    flaws = sorted((flaw for flaw in found if flaw is not None), key=lambda flaw: flaw.level is QualityLevel.POOR)
    if not flaws:
        return ViewVerdict(QualityLevel.GOOD)
    return ViewVerdict(flaws[0].level, tuple(flaws), _advice(flaws[0].kind, glare, corners_px))


def slant_deg(corners_px: Corners, size_mm: tuple[float, float]) -> float:
    """The angle at which the camera sees a card, from its shape in the picture; 0 from straight above."""
    top_left, top_right, low_right, low_left = np.array(corners_px, float)
    across = (top_right - top_left + low_right - low_left) / (2 * size_mm[0])
    down = (low_left - top_left + low_right - top_right) / (2 * size_mm[1])
    long, short = np.linalg.svd(np.column_stack([across, down]), compute_uv=False)
    return float(np.degrees(np.arccos(np.clip(short / max(long, 1e-9), 0, 1))))


def _flaw(kind: FlawKind, number: float, poor: float, unusable: float) -> ViewFlaw | None:
    if number <= poor:
        return None
    return ViewFlaw(kind, QualityLevel.UNUSABLE if number > unusable else QualityLevel.POOR, number)


def _glare(crop: Image) -> Mask:
    """The pixels that a reflection washes out: nearly white patches that end softly, unlike white print."""
    # The two darker channels: a reflection on yellow print lifts the blue one last.
    white = np.sort(cv2.GaussianBlur(crop, (0, 0), 1.0), axis=2)[:, :, :2].mean(2).astype(np.float32)
    slope = np.hypot(cv2.Sobel(white, cv2.CV_32F, 1, 0), cv2.Sobel(white, cv2.CV_32F, 0, 1)) / 8
    bright = np.asarray(white >= GLARE_LEVEL, np.uint8)
    # Surfaces without sharp edges: a reflection fades away within one, while white paper or print fills it evenly.
    surfaces = cv2.connectedComponents(np.asarray((slope < MAX_GLARE_SLOPE) | (bright > 0), np.uint8))[1]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(bright)
    found = np.zeros(bright.shape, bool)
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] < MIN_GLARE_MM2 * _PX_PER_MM**2:
            continue
        patch = labels == label
        ring = cv2.dilate(patch.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool) & ~patch
        # A reflection across white print has sharp edges, too, but never only sharp ones.
        soft = ring.any() and float((slope[ring] < MAX_GLARE_SLOPE).mean()) > MIN_SOFT_SHARE
        surface = surfaces == surfaces[patch][0]
        if soft and GLARE_LEVEL - float(np.percentile(white[surface], 5)) > MIN_GLARE_RISE:
            found |= patch
    return found


def _contrast_levels(crop: Image) -> float:
    """The grey levels between the darkest and the brightest print; colours count by their strongest channel."""
    inner = _inner(cv2.GaussianBlur(crop, (0, 0), 1.0))
    low, high = np.percentile(inner.reshape(-1, 3), (1, 99), axis=0)
    return float((high - low).max())


def _shadow_ratio(crop: Image, glare: Mask) -> float:
    """The ratio of the light on both sides of the straight edge of a shadow; 1 if there is none."""
    size_px = round(SHADOW_INK_MM * _PX_PER_MM)
    # Thin print disappears, so that the ground of the card is left.
    ground = _inner(cv2.morphologyEx(crop, cv2.MORPH_CLOSE, np.ones((size_px, size_px), np.uint8)))
    dimmed = _dimmed(ground, ~_inner(glare))
    shown = np.asarray(np.clip(cv2.GaussianBlur(dimmed, (0, 0), 2.0) * 100, 0, 255), np.uint8)
    split, _ = cv2.threshold(shown, 0, 255, cv2.THRESH_OTSU)
    dark = shown > split
    if min(dark.mean(), 1 - dark.mean()) < MIN_SHADOW_SHARE or _half_plane_fit(dark) < MIN_SHADOW_FIT:
        return 1.0
    ratio = float(np.exp(np.median(dimmed[dark]) - np.median(dimmed[~dark])))
    return ratio if ratio < SHADOW_RATIOS[1] else 1.0


def _dimmed(ground: Image, usable: Mask) -> Floats:
    """For every pixel, the logarithm of how much darker it is than the brightest print of its colour."""
    colour = cv2.GaussianBlur(ground, (0, 0), 1.0).astype(np.float32) + 1
    total = colour.sum(2)
    bins = (colour[:, :, :2] / total[:, :, None] / SHADOW_CHROMA_STEP).astype(int)
    prints = bins[:, :, 0] * 1000 + bins[:, :, 1]
    level = np.log(total)
    dimmed = np.zeros(level.shape, np.float32)
    for print_ in np.unique(prints[usable]):
        same = (prints == print_) & usable
        if same.mean() > MIN_PRINT_SHARE:
            dimmed[same] = np.maximum(np.percentile(level[same], LIT_PERCENT) - level[same], 0)
    return dimmed


def _half_plane_fit(dark: Mask) -> float:
    """The share of pixels that a straight line through the card assigns to the right side of a shadow."""
    rows, columns = np.indices(dark.shape)
    known = np.column_stack([rows.ravel(), columns.ravel(), np.ones(dark.size)]).astype(float)
    fitted = known @ np.linalg.lstsq(known, np.where(dark, 1.0, -1.0).ravel(), rcond=None)[0]
    return float(((fitted > 0) == dark.ravel()).mean())


def _inner(image: NDArray[Any]) -> NDArray[Any]:
    """A crop without its rim, which may show the table."""
    rows, columns = (round(RIM * side) for side in image.shape[:2])
    return image[rows:-rows, columns:-columns]


def _advice(kind: FlawKind, glare: Mask, corners_px: Corners) -> Advice:
    """How to show the card once more, given the worst flaw of its view."""
    if kind is FlawKind.GLARE:
        return _away_from(glare, corners_px)
    return {
        FlawKind.FADED: Advice.SOFTER,
        FlawKind.SHADOW: Advice.UNSHADED,
        FlawKind.BLUR: Advice.STILL,
        FlawKind.SLANT: Advice.BELOW,
        FlawKind.HIDDEN: Advice.WHOLE,
    }[kind]


def _away_from(glare: Mask, corners_px: Corners) -> Advice:
    """The direction in the picture that leads a card out of a reflection."""
    rows, columns = np.nonzero(glare)
    height, width = glare.shape
    right, low = float(columns.mean()) / width - 0.5, float(rows.mean()) / height - 0.5
    if max(abs(right), abs(low)) < MIN_MOVE:
        return Advice.ELSEWHERE
    top_left, top_right, low_right, low_left = np.array(corners_px, float)
    x, y = right * (top_right - top_left + low_right - low_left) + low * (low_left - top_left + low_right - top_right)
    if abs(x) > abs(y):
        return Advice.LEFT if x > 0 else Advice.RIGHT
    return Advice.UP if y > 0 else Advice.DOWN
