"""Scoring: matches sightings with true cards and compares them. Pure functions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from device.lab.evaluation.truth import Box, TrueCard, TruePicture
from vision.follow.assignment import FORBIDDEN_COST, assign
from vision.sightings import Look, Sighting
from vision.table import Quad

Floats = NDArray[np.float64]
Reading = tuple[float, bool]
"""The probability of a reading, and whether it was right."""

MIN_VISIBLE, MIN_LITTLE_VISIBLE = 0.2, 0.1
"""Minimum visible fraction of a card that must be found and read; the second one is reported separately."""
SAME_CARD = 0.5
"""Minimum overlap of a sighting with a true card."""
_HIDDEN = 0.15
"""Penalty for hardly visible cards: of two cards in nearly the same place, the visible one was found."""
_INSIDE = 0.6
"""Minimum fraction of a box that must be inside a card."""
BINS = 15
VISIBLE_BUCKETS = ((0.02, 0.1), (0.1, 0.2), (0.2, 0.4), (0.4, 0.7), (0.7, 1.01))
HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Judged:
    """One true card and its sighting."""

    truth: TrueCard
    seen: Sighting | None
    errors_px: tuple[float, ...] = ()
    """Error of each corner, whichever way up the card was reported."""
    errors_mm: tuple[float, ...] = ()
    turned: int = 0
    """Number of corners by which the card order is off."""

    @property
    def counts(self) -> bool:
        """Whether the card is visible enough that it must be found."""
        return self.truth.visible is None or self.truth.visible >= MIN_VISIBLE

    @property
    def found(self) -> bool:
        """Whether there is a sighting of the card."""
        return self.seen is not None

    @property
    def face_wrong(self) -> bool:
        """Whether it was reported with the wrong side up; an unknown side is neither right nor wrong."""
        return self.seen is not None and self.seen.side_known and self.seen.face_up is not self.truth.face_up

    @property
    def excused(self) -> bool:
        """Whether it need not be read: it is under a hand, or possibly so and reported so."""
        if self.truth.under_hand is None:
            return self.seen is not None and self.seen.under_hand
        return self.truth.under_hand

    @property
    def to_read(self) -> bool:
        """Whether it can be read, however little of it is visible."""
        return self.truth.face_up and self.truth.readable and not self.excused

    @property
    def exact(self) -> bool:
        """Whether it was read correctly."""
        return self.truth.face_up and self.seen is not None and self.seen.face_up and self.seen.code == self.truth.code

    @property
    def has_way(self) -> bool:
        """Whether it was found face up and its way up is known."""
        return self.truth.face_up and self.truth.ways == 1 and self.seen is not None and self.seen.face_up

    @property
    def way_wrong(self) -> bool:
        """Whether it was reported the wrong way up."""
        return self.has_way and self.turned != 0 and not self.excused

    @property
    def has_marks(self) -> bool:
        """Whether its marks are known and it was read."""
        return self.truth.marks is not None and self.to_read and self.exact

    @property
    def marks_wrong(self) -> bool:
        """Whether its marks were reported wrongly."""
        return self.has_marks and self.seen is not None and set(self.seen.marks) != set(self.truth.marks or ())


@dataclass(frozen=True, slots=True)
class Scored:
    """One picture, card by card."""

    truth: TruePicture
    cards: tuple[Judged, ...]
    invented: tuple[Sighting, ...] = ()

    def perfect(self, reading: bool = True) -> bool:
        """Whether every card that must be found was found and reported correctly, and nothing was invented."""
        if self.invented:
            return False
        must = [card for card in self.cards if card.counts]
        if any(not card.found or card.face_wrong or card.way_wrong for card in must):
            return False
        return not reading or all(card.exact for card in must if card.to_read)


@dataclass(frozen=True, slots=True)
class ErrorSpread:
    """Mean, median, 95th percentile and maximum of some errors."""

    mean: float
    p50: float
    p95: float
    most: float


@dataclass(frozen=True, slots=True)
class VisionFigures:
    """Counts over some pictures, or over a part of their cards."""

    tables: int
    perfect: int
    invented: int
    cards: int
    """Cards with at least a fifth visible, or all cards of a bucket."""
    found: int
    little: int
    """Cards with at least a tenth visible, including those above."""
    little_found: int
    readable: int
    readable_found: int
    exact: int
    little_readable: int
    little_exact: int
    ways: int
    ways_wrong: int
    faces_wrong: int
    marks: int
    """Correctly read cards whose marks are known."""
    marks_wrong: int
    hands_missed: int
    """Cards under a hand that were not reported so."""
    hands_invented: int
    """Uncovered cards that were reported under a hand."""
    corners_px: ErrorSpread | None
    corners_mm: ErrorSpread | None
    ece: float | None


def score(look: Look, truth: TruePicture) -> Scored:
    """Match the sightings of a look with the true cards."""
    pairs = match(look.cards, truth.cards)
    cards = tuple(
        judge(card, look.cards[pairs[number]] if number in pairs else None) for number, card in enumerate(truth.cards)
    )
    used = set(pairs.values())
    left = tuple(card for number, card in enumerate(look.cards) if number not in used)
    return Scored(truth, cards, left if truth.complete else ())


def match(seen: Sequence[Sighting], cards: Sequence[TrueCard]) -> dict[int, int]:
    """Map true cards to their sightings, both by index: the assignment with the highest total overlap.

    An index in a corner may be inside two cards, so the best pair first could leave a card without its sighting.
    """
    likeness = np.zeros((len(cards), len(seen)))
    for number, card in enumerate(cards):
        hidden = _HIDDEN if card.visible is not None and card.visible < MIN_VISIBLE else 0.0
        for other, sighting in enumerate(seen):
            same = _likeness(card, sighting.corners_px)
            if same >= SAME_CARD:
                likeness[number, other] = same - hidden
    return dict(_assigned(likeness))


def _assigned(likeness: Floats) -> list[tuple[int, int]]:
    """The pairs with the highest sum; pairs without any likeness are forbidden."""
    costs = np.where(likeness > 0, -likeness, FORBIDDEN_COST)
    return assign(costs, np.zeros(len(likeness)), np.zeros(likeness.shape[1]))


def judge(truth: TrueCard, seen: Sighting | None) -> Judged:
    """Compare one true card with its sighting."""
    if seen is None or truth.corners_px is None:
        return Judged(truth, seen)
    right, found = np.array(truth.corners_px, float), np.array(seen.corners_px, float)
    ways = [np.roll(found, way, axis=0) for way in range(4)]
    best = min(range(4), key=lambda way: float(np.linalg.norm(ways[way] - right, axis=1).sum()))
    off_px = np.linalg.norm(ways[best] - right, axis=1)
    width, height = truth.size_mm
    card_mm = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    across, down = float(np.linalg.norm(right[1] - right[0])), float(np.linalg.norm(right[3] - right[0]))
    # Unordered corners may begin on the long side.
    first = right if truth.ways < 4 or (across <= down) == (width <= height) else np.roll(right, 1, axis=0)
    to_mm = cv2.getPerspectiveTransform(first.astype(np.float32), card_mm)
    flat = [cv2.perspectiveTransform(quad.reshape(-1, 1, 2), to_mm).reshape(-1, 2) for quad in (ways[best], right)]
    off_mm = np.linalg.norm(flat[0] - flat[1], axis=1)
    turned = 0 if truth.ways == 4 else best % 2 if truth.ways == 2 else best
    return Judged(truth, seen, tuple(map(float, off_px)), tuple(map(float, off_mm)), turned)


def figures(scored: Iterable[Scored], bucket: str | None = None, reads: bool = True) -> VisionFigures:
    """Count all cards, or those of one bucket; `reads` says whether the deck could be read at all."""
    pictures = tuple(scored)
    every = [card for picture in pictures for card in picture.cards if bucket in (None, bucket_of(card))]
    little = [card for card in every if card.truth.visible is None or card.truth.visible >= MIN_LITTLE_VISIBLE]
    # In a bucket all cards count, also those that need not be found.
    must = every if bucket is not None else [card for card in every if card.counts]
    to_read = [card for card in must if card.to_read] if reads else []
    little_read = [card for card in little if card.to_read] if reads else []
    with_way = [card for card in must if card.has_way and not card.excused]
    measured = [card for card in must if card.errors_px]
    return VisionFigures(
        tables=len(pictures),
        perfect=sum(picture.perfect(reads) for picture in pictures),
        invented=sum(len(picture.invented) for picture in pictures),
        cards=len(must),
        found=sum(card.found for card in must),
        little=len(little),
        little_found=sum(card.found for card in little),
        readable=len(to_read),
        readable_found=sum(card.found for card in to_read),
        exact=sum(card.exact for card in to_read),
        little_readable=len(little_read),
        little_exact=sum(card.exact for card in little_read),
        ways=len(with_way),
        ways_wrong=sum(card.way_wrong for card in with_way),
        faces_wrong=sum(card.face_wrong for card in must),
        marks=sum(card.has_marks for card in must),
        marks_wrong=sum(card.marks_wrong for card in must),
        hands_missed=sum(
            card.truth.under_hand is True and card.seen is not None and not card.seen.under_hand for card in must
        ),
        hands_invented=sum(
            card.truth.under_hand is False and card.seen is not None and card.seen.under_hand for card in must
        ),
        corners_px=_spread([error for card in measured for error in card.errors_px]),
        corners_mm=_spread([error for card in measured for error in card.errors_mm]),
        ece=calibration_error(every) if reads else None,
    )


def bucket_of(card: Judged) -> str:
    """Name of the bucket of a card's visible fraction."""
    visible = card.truth.visible
    if visible is None:
        return "not known"
    low, high = next(pair for pair in VISIBLE_BUCKETS if visible < pair[1])
    if visible < low:
        return HIDDEN
    return f"{100 * low:.0f}–{100 * min(1.0, high):.0f} %"


def reliability(cards: Iterable[Judged], bins: int = BINS) -> tuple[tuple[int, float, float], ...]:
    """For each bin of the best guess's probability: count, mean probability, accuracy."""
    return reliability_of(
        [
            (card.seen.guesses[0].probability, card.exact)
            for card in cards
            if card.seen is not None and card.seen.guesses
        ],
        bins,
    )


def reliability_of(readings: Sequence[Reading], bins: int = BINS) -> tuple[tuple[int, float, float], ...]:
    """For each bin of the probability of some readings: count, mean probability, accuracy."""
    rows = []
    for number in range(bins):
        inside = [pair for pair in readings if min(bins - 1, int(pair[0] * bins)) == number]
        count = len(inside)
        mean = sum(sure for sure, _ in inside) / count if count else 0.0
        rows.append((count, mean, sum(right for _, right in inside) / count if count else 0.0))
    return tuple(rows)


def calibration_error(cards: Iterable[Judged], bins: int = BINS) -> float | None:
    """The expected calibration error of the readings."""
    return _calibration_error(reliability(cards, bins))


def calibration_error_of(readings: Sequence[Reading], bins: int = BINS) -> float | None:
    """The expected calibration error of probabilities of which each was right or wrong."""
    return _calibration_error(reliability_of(readings, bins))


def _calibration_error(rows: tuple[tuple[int, float, float], ...]) -> float | None:
    total = sum(count for count, _, _ in rows)
    return sum(count * abs(sure - right) for count, sure, right in rows) / total if total else None


def overlap(one: Quad | Floats, other: Quad | Floats) -> float:
    """Intersection over union of two cards."""
    a, b = _hull(one), _hull(other)
    if (a.max(0) < b.min(0)).any() or (b.max(0) < a.min(0)).any():
        return 0.0
    shared = float(cv2.intersectConvexConvex(a, b)[0])
    whole = float(cv2.contourArea(a)) + float(cv2.contourArea(b)) - shared
    return shared / whole if whole > 0 else 0.0


def _likeness(card: TrueCard, corners_px: Quad) -> float:
    if card.corners_px is not None:
        return overlap(card.corners_px, corners_px)
    return 0.0 if card.box_px is None else _box_likeness(card.box_px, corners_px)


def _box_likeness(box: Box, corners_px: Quad) -> float:
    """A box may enclose the whole card, or one index in a corner of it."""
    corners = np.array(corners_px, float)
    low, high = corners.min(0), corners.max(0)
    around = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    drawn = np.array([(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3])], float)
    whole = overlap(around, drawn)
    own = (box[2] - box[0]) * (box[3] - box[1])
    shared = float(cv2.intersectConvexConvex(_hull(corners), drawn.astype(np.float32))[0])
    if whole >= SAME_CARD or shared / own < _INSIDE:
        return whole
    # Of two cards that contain the box, the one with a corner there is meant.
    middle, diagonal = drawn.mean(0), float(np.linalg.norm(corners[2] - corners[0]))
    return SAME_CARD + 0.5 * max(0.0, 1 - float(np.linalg.norm(corners - middle, axis=1).min()) / max(diagonal, 1e-6))


def _hull(corners: Quad | Floats) -> NDArray[np.float32]:
    return np.asarray(cv2.convexHull(np.array(corners, np.float32)), np.float32).reshape(-1, 2)


def _spread(errors: list[float]) -> ErrorSpread | None:
    if not errors:
        return None
    p50, p95 = np.percentile(errors, (50, 95))
    return ErrorSpread(float(np.mean(errors)), float(p50), float(p95), max(errors))
