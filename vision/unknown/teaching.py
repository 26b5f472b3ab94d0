"""Teaching: how sharp a view of a card is, whether two views show the same face, and which labels contradict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from models.agreement import Features
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import shrunk
from vision.look.reader import KnownFaces, Reader
from vision.table import FOREIGN, Guess
from vision.unknown.tuning import (
    ALIGN_ITERATIONS,
    ALIGN_PRECISION,
    BRIGHTNESS_RANGE,
    MAX_SAME_MM2,
    MIN_DIFFERENCE_LEVELS,
    MIN_OTHER_MM2,
    MIN_PROBABILITY,
    OTHER_TINT,
    RELIGHT_KEPT_PERCENT,
    RELIGHT_MIN_LEVELS,
    RELIGHT_ROUNDS,
    RIM,
    SAME_TINT,
    SURE_PROBABILITY,
)

Floats = NDArray[np.float32]
NOMINAL_CARD_MM = (63.0, 88.0)
"""The usual size of a playing card."""
_MM_PER_PX = NOMINAL_CARD_MM[0] / CROP_PX[0]


class Similarity(Enum):
    """Whether two views show the same face."""

    SAME = "same"
    UNCLEAR = "unclear"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ViewMatch:
    """The reading of a view by comparison with the known views."""

    guesses: tuple[Guess, ...]
    """Best first; FOREIGN for a face that is not known."""
    turned: bool
    """Whether it is upside down relative to the best one."""
    same: bool
    """Whether the best one certainly shows the same face."""

    @property
    def code(self) -> str:
        """The best guess; FOREIGN if there is none."""
        return self.guesses[0].code if self.guesses else FOREIGN

    def probability(self, code: str) -> float:
        """The probability of a card."""
        return sum(guess.probability for guess in self.guesses if guess.code == code)


def blur_mm(view: Image) -> float:
    """The blur of the sharpest edges, as a standard deviation; it hardly depends on how much is printed."""
    grey = cv2.cvtColor(shrunk(view, CROP_PX), cv2.COLOR_BGR2GRAY).astype(np.float32)
    rows, columns = (round(RIM * side) for side in grey.shape)
    grey = grey[rows:-rows, columns:-columns]
    low, high = np.percentile(grey, (0.5, 99.5))
    # A slight blur removes the steep but small edges of grain.
    soft = cv2.GaussianBlur(grey, (0, 0), 0.7)
    steep = np.hypot(cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)) / 8
    steepest = float(np.percentile(steep, 99.7))
    # The steepest slope of a blurred edge is its height over sqrt(2 pi) standard deviations.
    return float(high - low) / max(2.507 * steepest, 1e-6) * _MM_PER_PX


def compare_views(one: Image, other: Image) -> Similarity:
    """Whether two views with the same orientation show the same face."""
    if differing_mm2(one, other, SAME_TINT) < MAX_SAME_MM2:
        return Similarity.SAME
    return Similarity.OTHER if differing_mm2(one, other) > MIN_OTHER_MM2 else Similarity.UNCLEAR


def differing_mm2(one: Image, other: Image, tint: float = OTHER_TINT) -> float:
    """The area in which two views differ after alignment and in the same light.

    `tint` is the largest ratio of two channels' gains that is attributed to the light.
    """
    first = cv2.GaussianBlur(shrunk(one, CROP_PX), (0, 0), 1.0).astype(np.float32)
    second = cv2.GaussianBlur(shrunk(other, CROP_PX), (0, 0), 1.0).astype(np.float32)
    second = _relit(_aligned(second, first), first, tint)
    rows, columns = (round(RIM * side) for side in first.shape[:2])
    off = np.maximum(_beyond(first, second), _beyond(second, first)).max(2)[rows:-rows, columns:-columns]
    return float(np.count_nonzero(off > MIN_DIFFERENCE_LEVELS)) * _MM_PER_PX**2


def _aligned(moving: Floats, fixed: Floats) -> Floats:
    """One view, aligned with the other."""
    fixed_grey, moving_grey = (cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) for image in (fixed, moving))
    matrix = np.eye(2, 3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, ALIGN_ITERATIONS, ALIGN_PRECISION)
    try:
        found = cv2.findTransformECC(fixed_grey, moving_grey, matrix, cv2.MOTION_AFFINE, criteria)[1]
    except cv2.error:
        # OpenCV raises where two faces have nothing in common.
        return moving
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(moving, found, CROP_PX, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _relit(image: Floats, like: Floats, tint: float) -> Floats:
    """One view in the light of another: a robust gain for each channel, which ignores pixels that differ otherwise."""
    gains = []
    for channel in range(3):
        x, y = image[:, :, channel].ravel(), like[:, :, channel].ravel()
        kept = np.ones(len(x), bool)
        gain = 1.0
        for _ in range(RELIGHT_ROUNDS):
            gain = float(np.dot(x[kept], y[kept]) / max(float(np.dot(x[kept], x[kept])), 1e-6))
            off = np.abs(gain * x - y)
            kept = off <= max(RELIGHT_MIN_LEVELS, float(np.percentile(off, RELIGHT_KEPT_PERCENT)))
        gains.append(gain)
    # Lamps tint a picture, but within limits: a red card does not become blue.
    middle = float(np.median(gains))
    tints = [np.clip(gain / middle, 1 / tint, tint) for gain in gains]
    return np.asarray(image * (np.clip(middle, *BRIGHTNESS_RANGE) * np.array(tints)), np.float32)


def _beyond(image: Floats, other: Floats) -> Floats:
    """How far each pixel is outside the range of the other's neighbourhood: edges may be off by half a millimetre."""
    square = np.ones((3, 3), np.uint8)
    high, low = cv2.dilate(other, square), cv2.erode(other, square)
    return np.asarray(np.maximum(np.maximum(image - high, low - image), 0), np.float32)


@dataclass(frozen=True, slots=True)
class KnownView:
    """A labelled view: its code, its crop, and the reader's features of the crop in both orientations."""

    code: str
    crop: Image
    features: Features


def known_view(reader: Reader, code: str, view: Image) -> KnownView:
    """A view, prepared for comparison with others."""
    crop = shrunk(view, CROP_PX)
    return KnownView(code, crop, reader.features([crop]))


def deck_of_views(views: Sequence[KnownView]) -> KnownFaces:
    """The views as a deck for the reader."""
    codes = tuple(dict.fromkeys(view.code for view in views))
    features = np.concatenate([view.features for view in views])
    return KnownFaces("", NOMINAL_CARD_MM, codes, features, {}, 1, tuple(codes.index(view.code) for view in views))


def match_view(view: Image, known: Sequence[KnownView], reader: Reader) -> ViewMatch:
    """The reading of a view by comparison with the known views."""
    if not known:
        return ViewMatch((), False, False)
    crop = shrunk(view, CROP_PX)
    all_visible = np.full((1, SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
    reading = reader.read(crop[None], all_visible, deck_of_views(known))[0]
    best = next((guess for guess in reading.guesses if guess.code != FOREIGN), None)
    if best is None or best.probability < MIN_PROBABILITY:
        return ViewMatch(reading.guesses, reading.turned, False)
    # With few known cards the reader picks the nearest one, so the pictures themselves must agree as well.
    upright = crop[::-1, ::-1] if reading.turned else crop
    same = any(compare_views(other.crop, upright) is Similarity.SAME for other in known if other.code == best.code)
    sure = best is reading.guesses[0] and best.probability >= SURE_PROBABILITY
    return ViewMatch(reading.guesses, reading.turned, same and sure)


def contradiction(view: Image, code: str, known: Sequence[KnownView], reader: Reader) -> str:
    """Why a view cannot show the card that somebody named; empty if it can."""
    match = match_view(view, known, reader)
    if match.same and match.code != code:
        return f"is the face that is called {match.code!r} already, and would be {code!r}, too; wanted one code a face"
    own = [other.crop for other in known if other.code == code]
    if not own:
        return ""
    crop = shrunk(view, CROP_PX)
    least = min(differing_mm2(other, way) for other in own for way in (crop, crop[::-1, ::-1]))
    # In between, the reader decides: it is less sensitive to light and wear.
    if least > MIN_OTHER_MM2 or (least > MAX_SAME_MM2 and match.probability(code) < MIN_PROBABILITY):
        return (
            f"differs from what is called {code!r} already in {least:.0f} mm²; wanted the same face: another code, or "
            "forget the other view"
        )
    return ""


def group_views(views: Mapping[str, KnownView], reader: Reader) -> tuple[tuple[str, ...], ...]:
    """The names of the views, grouped by the face that they show."""
    found: dict[str, list[str]] = {}
    firsts: list[KnownView] = []
    for name, view in views.items():
        match = match_view(view.crop, firsts, reader)
        if match.same:
            found[match.code].append(name)
        else:
            found[name] = [name]
            firsts.append(KnownView(name, view.crop, view.features))
    return tuple(tuple(names) for names in found.values())
