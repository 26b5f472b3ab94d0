"""Teaching: how sharp a view of a card is, whether two views show the same face, and what contradicts what."""

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

Floats = NDArray[np.float32]
SURE = 0.9
"""A view is taken for a card that is known already if the reader is so sure of it."""
STRANGE = 0.2
"""Below this the reader does not believe that two views show the same card."""
MOST_BLUR_MM = 1.15
"""So wide may an edge be smeared, as the deviation of a bell; small prints are lost above it."""
SAME_MM2, OTHER_MM2 = 10.0, 60.0
"""Two views show the same face if they differ in less than the first, other faces from the second on."""
_LEVELS = 45.0
"""So many levels, of 255, must two points differ to count, when both views are in the same light."""
NOMINAL_MM = (63.0, 88.0)
_MM_PER_PX = NOMINAL_MM[0] / CROP_PX[0]
SAME_TINT, OTHER_TINT = 1.2, 1.6
"""What is taken for the light when two views are to be the same, and when they are to be different: a pink card under
one lamp may be a red one under another, and then somebody must say so."""
_RIM = 0.05
"""What is left out around a card: its edge may not have been cut exactly."""
_ALIGNED = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 25, 1e-4)


class Likeness(Enum):
    """What can be said of two views."""

    SAME = "same"
    UNCLEAR = "unclear"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Match:
    """What a view shows by the views that are known."""

    guesses: tuple[Guess, ...]
    """Best first; FOREIGN for none of them."""
    turned: bool
    """Whether it lies upside down against the best one."""
    same: bool
    """Whether the best one is surely the same face."""

    @property
    def code(self) -> str:
        """The best guess; FOREIGN for none."""
        return self.guesses[0].code if self.guesses else FOREIGN

    def chance(self, code: str) -> float:
        """How likely it is this card."""
        return sum(guess.probability for guess in self.guesses if guess.code == code)


def blur_mm(view: Image) -> float:
    """How wide the sharpest edges of a card are smeared; a plain one has edges as sharp as one full of print."""
    grey = cv2.cvtColor(shrunk(view, CROP_PX), cv2.COLOR_BGR2GRAY).astype(np.float32)
    rows, columns = (round(_RIM * side) for side in grey.shape)
    grey = grey[rows:-rows, columns:-columns]
    low, high = np.percentile(grey, (0.5, 99.5))
    # Grain has steep edges of its own, but small ones.
    soft = cv2.GaussianBlur(grey, (0, 0), 0.7)
    steep = np.hypot(cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)) / 8
    steepest = float(np.percentile(steep, 99.7))
    # The steepest place of a smeared edge: its height over 2.5 deviations.
    return float(high - low) / max(2.507 * steepest, 1e-6) * _MM_PER_PX


def likeness(one: Image, other: Image) -> Likeness:
    """Whether two views, the same way up, show the same face."""
    if apart_mm2(one, other, SAME_TINT) < SAME_MM2:
        return Likeness.SAME
    return Likeness.OTHER if apart_mm2(one, other) > OTHER_MM2 else Likeness.UNCLEAR


def apart_mm2(one: Image, other: Image, tint: float = OTHER_TINT) -> float:
    """The area in which two views differ, in the same light and laid upon each other as well as they go.

    `tint` is how much more of one colour than of another the lamp of one may have given than that of the other.
    """
    first = cv2.GaussianBlur(shrunk(one, CROP_PX), (0, 0), 1.0).astype(np.float32)
    second = cv2.GaussianBlur(shrunk(other, CROP_PX), (0, 0), 1.0).astype(np.float32)
    second = _relit(_laid(second, first), first, tint)
    rows, columns = (round(_RIM * side) for side in first.shape[:2])
    off = np.maximum(_beyond(first, second), _beyond(second, first)).max(2)[rows:-rows, columns:-columns]
    return float(np.count_nonzero(off > _LEVELS)) * _MM_PER_PX**2


def _laid(moving: Floats, still: Floats) -> Floats:
    """One view moved so that it lies on the other."""
    still_grey, moving_grey = (cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) for image in (still, moving))
    matrix = np.eye(2, 3, dtype=np.float32)
    try:
        found = cv2.findTransformECC(still_grey, moving_grey, matrix, cv2.MOTION_AFFINE, _ALIGNED)[1]
    except cv2.error:
        # Two faces that have nothing in common cannot be laid upon each other.
        return moving
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(moving, found, CROP_PX, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _relit(image: Floats, like: Floats, tint: float) -> Floats:
    """One view in the light of another: each colour made brighter or darker; what differs otherwise is left out."""
    gains = []
    for channel in range(3):
        x, y = image[:, :, channel].ravel(), like[:, :, channel].ravel()
        kept = np.ones(len(x), bool)
        gain = 1.0
        for _ in range(4):
            gain = float(np.dot(x[kept], y[kept]) / max(float(np.dot(x[kept], x[kept])), 1e-6))
            off = np.abs(gain * x - y)
            kept = off <= max(12.0, float(np.percentile(off, 70)))
        gains.append(gain)
    # Lamps tint, but a red card does not become a blue one.
    middle = float(np.median(gains))
    tints = [np.clip(gain / middle, 1 / tint, tint) for gain in gains]
    return np.asarray(image * (np.clip(middle, 0.4, 2.5) * np.array(tints)), np.float32)


def _beyond(image: Floats, other: Floats) -> Floats:
    """By how much an image leaves the range of another around each point: edges may be half a millimetre beside."""
    square = np.ones((3, 3), np.uint8)
    high, low = cv2.dilate(other, square), cv2.erode(other, square)
    return np.asarray(np.maximum(np.maximum(image - high, low - image), 0), np.float32)


@dataclass(frozen=True, slots=True)
class Taught:
    """A view that is known: what it shows, at the size of a crop, and what the reader makes of it both ways up."""

    code: str
    crop: Image
    features: Features


def taught(reader: Reader, code: str, view: Image) -> Taught:
    """A view as it is compared with others."""
    crop = shrunk(view, CROP_PX)
    return Taught(code, crop, reader.features([crop]))


def known_views(views: Sequence[Taught]) -> KnownFaces:
    """Views as a deck that the reader can compare with."""
    codes = tuple(dict.fromkeys(view.code for view in views))
    features = np.concatenate([view.features for view in views])
    return KnownFaces("", NOMINAL_MM, codes, features, {}, 1, tuple(codes.index(view.code) for view in views))


def matched(view: Image, known: Sequence[Taught], reader: Reader) -> Match:
    """What a view shows by the views that are known."""
    if not known:
        return Match((), False, False)
    crop = shrunk(view, CROP_PX)
    everything = np.full((1, SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
    reading = reader.read(crop[None], everything, known_views(known))[0]
    best = next((guess for guess in reading.guesses if guess.code != FOREIGN), None)
    if best is None or best.probability < STRANGE:
        return Match(reading.guesses, reading.turned, False)
    # A deck of which few cards are known has nothing better to offer: only the same picture is the same card.
    upright = crop[::-1, ::-1] if reading.turned else crop
    same = any(likeness(other.crop, upright) is Likeness.SAME for other in known if other.code == best.code)
    return Match(reading.guesses, reading.turned, same and best is reading.guesses[0] and best.probability >= SURE)


def contradiction(view: Image, code: str, known: Sequence[Taught], reader: Reader) -> str:
    """Why a view cannot be what somebody says it is; empty if it can."""
    match = matched(view, known, reader)
    if match.same and match.code != code:
        return f"is the face that is called {match.code!r} already, and would be {code!r}, too; wanted one code a face"
    own = [other.crop for other in known if other.code == code]
    if not own:
        return ""
    crop = shrunk(view, CROP_PX)
    least = min(apart_mm2(other, way) for other in own for way in (crop, crop[::-1, ::-1]))
    # In between the reader decides, which sees through light and wear.
    if least > OTHER_MM2 or (least > SAME_MM2 and match.chance(code) < STRANGE):
        return (
            f"differs from what is called {code!r} already in {least:.0f} mm²; wanted the same face: another code, or "
            "forget the other view"
        )
    return ""


def groups(views: Mapping[str, Taught], reader: Reader) -> tuple[tuple[str, ...], ...]:
    """Names of views that show the same face, whatever it is."""
    found: dict[str, list[str]] = {}
    firsts: list[Taught] = []
    for name, view in views.items():
        match = matched(view.crop, firsts, reader)
        if match.same:
            found[match.code].append(name)
        else:
            found[name] = [name]
            firsts.append(Taught(name, view.crop, view.features))
    return tuple(tuple(names) for names in found.values())
