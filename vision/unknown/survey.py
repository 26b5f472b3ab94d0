"""A survey: the whole cards in a picture, whatever deck they are of; found, measured and cut out."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame
from calibration.lens import Lens
from calibration.table import TablePose
from models.crops import SEEN_PX, Floats, Image, cut, to_crop
from vision.look.blank import is_bare
from vision.look.crops import Sight
from vision.look.eye import Eye
from vision.look.reader import KnownFaces
from vision.look.table_view import Window, averaged
from vision.sightings import Look, Sighting
from vision.table import FOREIGN, Quad
from vision.unknown.scale import window_by_cards, window_by_markers, window_without_rig
from vision.unknown.teaching import NOMINAL_MM

VIEW_PX_PER_MM = 4.0
LEAST_SEEN = 0.8
"""So much of a card must be seen to teach it; what finders count of a card that lies free varies by a few percent."""
_INSIDE = 0.02
"""A corner may be outside the picture by this part of the card's width."""
_CARD_PX, _MARGIN_PX = (120, 168), 24
"""The size at which the edges of cards are looked for, and how far around."""
_PEAK = 0.5
"""The outermost line around a card that is so strong, of the strongest, is its edge."""
_ROUNDS, _SAME = 4, 0.01
"""How often cards are measured anew with the size that was found, at most, and when that is no longer worth it."""
_FITS = 0.04
"""By how much cards may seem larger or smaller than in the picture before it."""
_GROWTH = (0.85, 1.2)
"""By how much the scale of a picture without markers may be off."""
_MOST_OFF = 0.16
"""By how much a side may be longer or shorter than it was thought."""


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A card that was cut out of a picture."""

    image: Image
    """With its top where it is nearer to the top of the picture."""
    corners_px: Quad
    size_mm: tuple[float, float]
    face_up: bool
    """As far as it can be told of a deck that nobody knows."""
    fault: str
    """Why it cannot be taught from; empty if it can."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything that was found in a picture."""

    cards: tuple[Surveyed, ...]
    window: Window | None
    """Through which it was seen, for cards of their size; None if there are none to measure."""


class BareEye:
    """Looks at pictures that nobody calibrated, for cards of one of several decks or of any other."""

    def __init__(self, sight: Sight, decks: Sequence[KnownFaces]) -> None:
        self._sight, self._decks = sight, tuple(decks)

    def look(self, frame: Frame) -> Look:
        """Everything that lies on the table in this frame."""
        window = window_without_rig(frame.image, self._sight.finder, self._decks[0].card_mm)
        # Somebody who does not say which deck it is may have one whose cards are of another size.
        named = len(self._decks) == 1
        look = Eye(window, self._sight, self._decks, sized=named).look(frame)
        if named or _is_known(look):
            return look
        window, size_mm = _sized(frame, self._sight, window, look)
        return look if size_mm is None else Eye(window, self._sight, self._decks).look(frame)


class ShownEye:
    """Looks at pictures that nobody calibrated for the cards of one deck, whatever their shape."""

    def __init__(self, sight: Sight, deck: KnownFaces) -> None:
        self._sight, self._deck = sight, deck

    def look(self, frame: Frame) -> Look:
        """Everything that lies on the table in this frame."""
        card_mm = self._deck.card_mm
        window = window_by_markers(frame.image, card_mm)
        if window is None:
            window = window_by_cards(frame.image, self._sight.finder, card_mm)
            # The finder takes the scale from cards as if they had the usual shape: their edges say it better.
            width, height = self._size(frame, window)
            grow = float(np.clip(np.sqrt(width * height / (card_mm[0] * card_mm[1])), *_GROWTH))
            window = Window(window.lens, window.table, (card_mm[0] * grow, card_mm[1] * grow))
        return Eye(window, self._sight, [self._deck]).look(frame)

    def _size(self, frame: Frame, window: Window) -> tuple[float, float]:
        """How large cards are in a window whose scale is rough."""
        found = Eye(window, self._sight, ()).look(frame).cards
        whole = [card for card in found if not _fault(frame.image, card)]
        return _measured(frame.image, whole) if whole else window.card_mm


def survey(
    frame: Frame,
    sight: Sight,
    place: tuple[Lens, TablePose] | None,
    card_mm: tuple[float, float] | None,
    last: Window | None = None,
) -> Survey:
    """Find the cards of a picture; `place` is where the camera hangs, if it is known, `card_mm` their size.

    Without a place `last` may be the window of the picture before: if cards fit into it, it is the same view.
    """
    if place is None and last is not None:
        again = _as_before(frame, sight, last)
        if again is not None:
            return again
    first_mm = card_mm or NOMINAL_MM
    window = window_without_rig(frame.image, sight.finder, first_mm) if place is None else Window(*place, first_mm)
    look = Eye(window, sight, (), sized=card_mm is not None).look(frame)
    if card_mm is not None:
        return _surveys(frame, look, window, card_mm)
    window, size_mm = _sized(frame, sight, window, look)
    if size_mm is not None:
        look = Eye(window, sight, ()).look(frame)
    return _surveys(frame, look, window, size_mm)


def _is_known(look: Look) -> bool:
    """Whether at least half of the cards that show their faces are of a deck that is known."""
    faces = [card for card in look.cards if card.guesses]
    return 2 * sum(card.guesses[0].code != FOREIGN for card in faces) >= max(1, len(faces))


def _sized(frame: Frame, sight: Sight, window: Window, look: Look) -> tuple[Window, tuple[float, float] | None]:
    """The window for cards of the size that they turn out to have, and that size; None if no card is seen whole."""
    size_mm: tuple[float, float] | None = None
    for _ in range(_ROUNDS):
        whole = [card for card in look.cards if not _fault(frame.image, card)]
        if not whole:
            break
        before, size_mm = size_mm, _measured(frame.image, whole)
        window = Window(window.lens, window.table, size_mm)
        if before is not None and max(abs(now / was - 1) for now, was in zip(size_mm, before, strict=True)) < _SAME:
            break
        look = Eye(window, sight, ()).look(frame)
    return window, size_mm


def _as_before(frame: Frame, sight: Sight, last: Window) -> Survey | None:
    """The survey through the window of the picture before; None if the cards do not fit."""
    if last.lens.size_px != (frame.image.shape[1], frame.image.shape[0]):
        return None
    look = Eye(last, sight, ()).look(frame)
    whole = [card for card in look.cards if not _fault(frame.image, card)]
    if not whole or len(whole) < len(look.cards):
        return None
    size_mm = _measured(frame.image, whole)
    if max(abs(now / was - 1) for now, was in zip(size_mm, last.card_mm, strict=True)) > _FITS:
        return None
    return _surveys(frame, look, last, last.card_mm)


def _surveys(frame: Frame, look: Look, window: Window, size_mm: tuple[float, float] | None) -> Survey:
    cards = tuple(_surveyed(frame.image, card, size_mm or window.card_mm) for card in look.cards)
    return Survey(cards, window if cards and size_mm is not None else None)


def whole_picture(image: Image, card_mm: tuple[float, float] | None = None) -> Surveyed:
    """A picture that is nothing but a card, of a known size or of the usual width."""
    height, width = image.shape[:2]
    upright = np.ascontiguousarray(image if height >= width else np.rot90(image, -1))
    tall, wide = upright.shape[:2]
    size_mm = card_mm or (NOMINAL_MM[0], NOMINAL_MM[0] * tall / wide)
    size_px = (round(size_mm[0] * VIEW_PX_PER_MM), round(size_mm[1] * VIEW_PX_PER_MM))
    small = np.asarray(cv2.resize(upright, size_px, interpolation=cv2.INTER_AREA), np.uint8)
    right, low = width - 0.5, height - 0.5
    return Surveyed(small, ((-0.5, -0.5), (right, -0.5), (right, low), (-0.5, low)), size_mm, True, _bare(small))


def _surveyed(image: Image, card: Sighting, size_mm: tuple[float, float]) -> Surveyed:
    corners = np.array(card.corners_px)
    # Nobody knows yet which way up it lies: its top is taken to be where the picture's is.
    if corners[:2, 1].mean() > corners[2:, 1].mean():
        corners = np.roll(corners, 2, axis=0)
    size_px = (round(size_mm[0] * VIEW_PX_PER_MM), round(size_mm[1] * VIEW_PX_PER_MM))
    factor = max(1, int(float(np.linalg.norm(corners[1] - corners[0])) / size_px[0] / 1.05))
    fine = averaged(image, factor)
    scale = np.array([fine.shape[1] / image.shape[1], fine.shape[0] / image.shape[0]])
    view = cut(fine, (corners + 0.5) * scale - 0.5, size_px)
    (a, b), (c, d), (e, f), (g, h) = corners.round(2).tolist()
    fault = _fault(image, card) or _bare(view)
    return Surveyed(view, ((a, b), (c, d), (e, f), (g, h)), size_mm, card.face_up, fault)


def _fault(image: Image, card: Sighting) -> str:
    """Why a card cannot be taught from."""
    corners = np.array(card.corners_px)
    reach = _INSIDE * float(np.linalg.norm(corners[1] - corners[0]))
    height, width = image.shape[:2]
    over = max(-corners.min(), *(corners.max(0) - (width - 1, height - 1)))
    if over > reach:
        return f"it reaches {over:.0f} px over the edge of the picture; wanted a card that is wholly inside"
    if card.under_hand:
        return "a hand lies on it; wanted a card that nothing covers"
    if card.visible < LEAST_SEEN:
        return f"only {100 * card.visible:.0f} % of it is seen; wanted a card that nothing covers"
    return ""


def _bare(view: Image) -> str:
    everything = np.full((SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
    return "nothing is printed on it; wanted a card" if is_bare(view, everything) else ""


def _measured(image: Image, cards: Sequence[Sighting]) -> tuple[float, float]:
    """The size of cards that were found roughly, by where their edges are."""
    quads_mm = np.array([card.corners_mm for card in cards])
    width, height = (float(np.median(np.linalg.norm(quads_mm[:, end] - quads_mm[:, 0], axis=1))) for end in (1, 3))
    across, down = edges(image, np.array([card.corners_px for card in cards]))
    return width * across, height * down


def edges(image: Image, quads_px: Floats) -> tuple[float, float]:
    """By how much wider and taller cards are than their corners say: where the lines around them are."""
    sides: list[list[NDArray[np.float64]]] = [[], []]
    for quad in quads_px:
        near = _around(image, quad)
        for axis in (0, 1):
            steps = np.abs(np.diff(near, axis=1 - axis)).max(2)
            length = near.shape[axis]
            # The corners are round and say nothing.
            middle = np.take(steps, range(int(0.27 * length), int(0.73 * length)), axis)
            line = np.minimum(middle, 60).mean(axis)
            both = (line + line[::-1]) / 2
            sides[axis].append(both / max(float(both.max()), 1e-6))
    found = [_edge(np.median(side, axis=0), full) for side, full in zip(sides, _CARD_PX, strict=True)]
    return found[0], found[1]


def _around(image: Image, quad_px: Floats) -> NDArray[np.float64]:
    """A card with what is around it, straight and softened."""
    shift = np.array([[1, 0, _MARGIN_PX], [0, 1, _MARGIN_PX], [0, 0, 1]], float)
    size = (_CARD_PX[0] + 2 * _MARGIN_PX, _CARD_PX[1] + 2 * _MARGIN_PX)
    way = shift @ to_crop(quad_px, _CARD_PX)
    near = cv2.warpPerspective(image, way, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(near, (0, 0), 1.0), float)


def _edge(line: NDArray[np.float64], full_px: int) -> float:
    """Where the outermost strong line is, as a part of the way from the middle to where the edge was thought."""
    centre = len(line) / 2 - 0.5
    reach = _MOST_OFF * full_px / 2
    first, last = int(np.ceil(centre + full_px / 2 - reach)), int(centre + full_px / 2 + reach)
    piece = line[first : last + 1]
    peaks = [
        place
        for place in range(1, len(piece) - 1)
        if piece[place] >= max(piece[place - 1], piece[place + 1]) and piece[place] >= _PEAK * piece.max()
    ]
    if not peaks:
        return 1.0
    return (first + peaks[-1] - centre) / (full_px / 2)
