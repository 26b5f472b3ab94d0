"""Teaching: how sharp a view of a card is, whether two views show the same face, and which names are doubtful."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from models.agreement import Features
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import shrunk
from vision.look.reader import FaceReading, KnownFaces, Reader
from vision.table import FOREIGN, Guess
from vision.unknown.tuning import (
    ALIGN_ITERATIONS,
    ALIGN_PRECISION,
    BRIGHTNESS_RANGE,
    LOCAL_WINDOW_MM,
    MAX_SAME_LOCAL_LEVELS,
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


@dataclass(frozen=True, slots=True)
class ViewDifference:
    """How two views differ after alignment and in the same light."""

    mm2: float
    """The area in which they differ clearly."""
    local_levels: float
    """The strongest mean difference in a small window, in grey levels: a small symbol shows here, not in the area."""

    @property
    def is_same(self) -> bool:
        """Whether the views show the same face."""
        return self.mm2 < MAX_SAME_MM2 and self.local_levels < MAX_SAME_LOCAL_LEVELS


def compare_views(one: Image, other: Image) -> Similarity:
    """Whether two views with the same orientation show the same face."""
    if difference(one, other, SAME_TINT).is_same:
        return Similarity.SAME
    return Similarity.OTHER if differing_mm2(one, other) > MIN_OTHER_MM2 else Similarity.UNCLEAR


def difference(one: Image, other: Image, tint: float = OTHER_TINT) -> ViewDifference:
    """How two views differ; `tint` is the largest ratio of two channels' gains that is attributed to the light."""
    off = difference_levels(one, other, tint)
    rows, columns = (round(RIM * side) for side in off.shape)
    inner = off[rows:-rows, columns:-columns]
    window_px = round(LOCAL_WINDOW_MM / _MM_PER_PX)
    area = float(np.count_nonzero(inner > MIN_DIFFERENCE_LEVELS)) * _MM_PER_PX**2
    return ViewDifference(area, float(cv2.blur(inner, (window_px, window_px)).max()))


def differing_mm2(one: Image, other: Image, tint: float = OTHER_TINT) -> float:
    """The area in which two views differ clearly after alignment and in the same light."""
    return difference(one, other, tint).mm2


def difference_levels(one: Image, other: Image, tint: float = OTHER_TINT) -> Floats:
    """For every pixel of a crop, the grey levels by which two views differ after alignment and in the same light."""
    first = cv2.GaussianBlur(shrunk(one, CROP_PX), (0, 0), 1.0).astype(np.float32)
    second = cv2.GaussianBlur(shrunk(other, CROP_PX), (0, 0), 1.0).astype(np.float32)
    second = _relit(_aligned(second, first), first, tint)
    return np.asarray(np.maximum(_beyond(first, second), _beyond(second, first)).max(2), np.float32)


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
    """A labelled view: its code, its crop, the reader's features of the crop in both orientations, and its number."""

    code: str
    crop: Image
    features: Features
    name: str = ""


def known_view(reader: Reader, code: str, view: Image, name: str = "") -> KnownView:
    """A view, prepared for comparison with others."""
    crop = shrunk(view, CROP_PX)
    return KnownView(code, crop, reader.features([crop]), name)


def deck_of_views(views: Sequence[KnownView]) -> KnownFaces:
    """The views as a deck for the reader."""
    codes = tuple(dict.fromkeys(view.code for view in views))
    features = np.concatenate([view.features for view in views])
    return KnownFaces("", NOMINAL_CARD_MM, codes, features, {}, 1, tuple(codes.index(view.code) for view in views))


def match_view(
    view: Image, known: Sequence[KnownView], reader: Reader, apart: Collection[frozenset[str]] = ()
) -> ViewMatch:
    """The reading of a view by comparison with the known views.

    `apart` are pairs of codes that look alike and that a person told apart: which of the two a view shows is never
    certain.
    """
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
    certain = same and sure and not any(best.code in pair for pair in apart)
    return ViewMatch(reading.guesses, reading.turned, certain and not _has_rival(crop, best.code, reading, known))


def _has_rival(crop: Image, code: str, reading: FaceReading, known: Sequence[KnownView]) -> bool:
    """Whether a view is also the same as a known view of another card: then only a person can name it."""
    rivals = {guess.code for guess in reading.guesses} - {code, FOREIGN}
    return any(_nearest_way(crop, other)[0].is_same for other in known if other.code in rivals)


class DoubtKind(Enum):
    """Why the name that somebody gave to a view is doubtful."""

    LOOKS_LIKE = "looks-like"
    """The face is known under another code."""
    DIFFERS = "differs"
    """The face that is known under this code is another one."""


@dataclass(frozen=True, slots=True)
class NameDoubt:
    """A doubt about the name of a view: the known view that contradicts it, and how both differ."""

    kind: DoubtKind
    code: str
    """The code of the known view."""
    view: str
    """The number of the known view."""
    difference: ViewDifference
    turned: bool
    """Whether the views were compared with one of them upside down."""

    @property
    def is_turned_twin(self) -> bool:
        """Whether both cards have the same print, one of them upside down."""
        return self.kind is DoubtKind.LOOKS_LIKE and self.turned and self.difference.is_same


def find_doubt(
    view: Image, code: str, known: Sequence[KnownView], reader: Reader, apart: Collection[frozenset[str]] = ()
) -> NameDoubt | None:
    """Why a view may not show the card that somebody named; None if there is no reason to doubt it.

    `apart` are pairs of codes that a person told apart already.
    """
    partners = {other for pair in apart if code in pair for other in pair} - {code}
    crop = shrunk(view, CROP_PX)
    match = match_view(crop, known, reader)
    # A known look-alike splits the reader's probability, so the pictures decide for each of its guesses.
    rivals = {guess.code for guess in match.guesses if guess.code not in (code, FOREIGN)} - partners
    rival = _nearest_of(crop, [other for other in known if other.code in rivals])
    own = _nearest_of(crop, [other for other in known if other.code == code])
    if rival is not None and _is_alike(rival[1]) and (own is None or not own[1].is_same):
        other, found, turned = rival
        return NameDoubt(DoubtKind.LOOKS_LIKE, other.code, other.name, found, turned)
    if own is None:
        return None
    other, _, turned = own
    least = difference(other.crop, _turned(crop) if turned else crop)
    believed = match.probability(code) + sum(match.probability(partner) for partner in partners)
    # In between, the reader decides: it is less sensitive to light and wear.
    if least.mm2 > MIN_OTHER_MM2 or (least.mm2 > MAX_SAME_MM2 and believed < MIN_PROBABILITY):
        return NameDoubt(DoubtKind.DIFFERS, code, other.name, least, turned)
    return None


def _is_alike(found: ViewDifference) -> bool:
    """Whether two faces are so much alike that a person should confirm that they are two cards."""
    return found.mm2 < MAX_SAME_MM2


def _nearest_of(crop: Image, known: Sequence[KnownView]) -> tuple[KnownView, ViewDifference, bool] | None:
    """The known view that differs least from a crop, the difference, and whether it was turned for that."""
    found = [(*_nearest_way(crop, other), other) for other in known]
    if not found:
        return None
    least, turned, other = min(found, key=lambda each: (each[0].mm2, each[0].local_levels))
    return other, least, turned


def _nearest_way(crop: Image, other: KnownView) -> tuple[ViewDifference, bool]:
    """The difference between a crop and a known view, and whether it is smaller with the crop upside down."""
    ways = ((difference(other.crop, way, SAME_TINT), turned) for turned, way in ((False, crop), (True, _turned(crop))))
    return min(ways, key=lambda each: (each[0].mm2, each[0].local_levels))


def _turned(crop: Image) -> Image:
    return np.ascontiguousarray(crop[::-1, ::-1])


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
