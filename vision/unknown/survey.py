"""Survey: finds, measures and cuts out the cards in a picture, whatever their deck."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame
from calibration.lens import Lens
from calibration.table import TablePose
from models.crops import SEEN_PX, Floats, Image, cut, to_crop
from vision.look.blank import is_blank
from vision.look.eye import CardEye
from vision.look.networks import Networks
from vision.look.reader import KnownFaces
from vision.look.table_view import TableView, downscaled
from vision.sightings import Look, Sighting
from vision.table import FOREIGN, Quad
from vision.unknown.alike import groups_of_equal_cards
from vision.unknown.evidence import OutlinedCard, measured_size_mm, outlined_cards
from vision.unknown.outline import Outline, find_outline, fitted_corners
from vision.unknown.scale import table_view_from_cards, table_view_from_markers, table_view_without_rig
from vision.unknown.screening import Thumbnails, similar_decks
from vision.unknown.teaching import NOMINAL_CARD_MM
from vision.unknown.tuning import (
    MAX_EDGE_LEVELS,
    MAX_INSIDE,
    MAX_MEASURING_ROUNDS,
    MAX_OUTSIDE,
    MAX_REPEATED_OVERLAP,
    MAX_SIDE_ERROR,
    MEASURED_BETWEEN,
    MEASURED_CARD_PX,
    MEASURED_MARGIN_PX,
    MIN_EDGE_PEAK,
    MIN_OUTLINED_VISIBLE,
    MIN_PROBABILITY_UNKNOWN,
    MIN_TAUGHT_VISIBLE,
    MIN_WHOLE_EDGE,
    RIM,
    SAME_SIZE,
    SAME_VIEW_SIZE,
    SCALE_ERROR_RANGE,
    VIEW_PX_PER_MM,
)

Learn = Callable[[str], KnownFaces]
"""Learns one of Krupier's own decks, by its game."""


@dataclass(frozen=True, slots=True)
class SurveyedCard:
    """A card that was cut out of a picture."""

    image: Image
    """Its upper edge is the one nearer to the top of the picture."""
    corners_px: Quad
    size_mm: tuple[float, float]
    face_up: bool
    """A guess, if the deck is unknown."""
    fault: str
    """Why the card cannot be taught from this picture; empty if it can."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The cards found in a picture."""

    cards: tuple[SurveyedCard, ...]
    table_view: TableView | None
    """The table view for cards of the measured size; None if there are none to measure."""


class RiglessEye:
    """Reads pictures without a rig: cards of one deck."""

    def __init__(self, networks: Networks, deck: KnownFaces) -> None:
        self._networks, self._deck = networks, deck

    def look(self, frame: Frame) -> Look:
        """All cards and hands in the frame."""
        view = table_view_without_rig(frame.image, self._networks.finder, self._deck.card_mm)
        return CardEye(view, self._networks, (self._deck,)).look(frame)


class UnknownDeckEye:
    """Reads pictures without a rig when no deck is named: cards of Krupier's own decks, or of an unknown deck."""

    def __init__(self, networks: Networks, thumbnails: Mapping[str, Thumbnails], learn: Learn) -> None:
        self._networks, self._thumbnails, self._learn = networks, thumbnails, learn

    def look(self, frame: Frame) -> Look:
        """All cards and hands in the frame."""
        view = table_view_without_rig(frame.image, self._networks.finder, NOMINAL_CARD_MM)
        look = look_without_deck(frame, self._networks, view)
        quads = [np.array(card.corners_px) for card in look.cards]
        # Learning a deck takes a second, so only decks are learnt whose cards the picture may show.
        games = similar_decks(frame.image, quads, self._thumbnails)
        if not games:
            return look
        decks = [self._learn(game) for game in games]
        view = TableView(view.lens, view.table, NOMINAL_CARD_MM)
        known = CardEye(view, self._networks, decks, known_size=False).look(frame)
        return known if _is_known_deck(known) else look


def look_without_deck(frame: Frame, networks: Networks, view: TableView) -> Look:
    """The cards of an unknown deck in a frame: likely ones, without readings; their sides are not known."""
    cards = candidates_without_deck(frame, networks, view)
    likely = [card for card in cards if card.probability >= MIN_PROBABILITY_UNKNOWN]
    repeated = _repeated(likely)
    sightings = [_unread(view, card) for number, card in enumerate(likely) if number not in repeated]
    groups = iter(
        groups_of_equal_cards(frame.image, [np.array(card.corners_px) for card in sightings if _is_seen(card)])
    )
    return Look(
        frame.index,
        frame.at_s,
        tuple(replace(card, alike=next(groups)) if _is_seen(card) else card for card in sightings),
    )


def _is_seen(card: Sighting) -> bool:
    """Whether enough of a card is visible to compare its print."""
    return card.visible >= MIN_TAUGHT_VISIBLE and not card.under_hand


def candidates_without_deck(frame: Frame, networks: Networks, view: TableView) -> list[OutlinedCard]:
    """All candidates for cards of an unknown deck, looked for at the size that their outlines have."""
    cards = outlined_cards(frame, networks, view, known_size=False)
    size_mm = measured_size_mm(view, cards)
    if size_mm is None:
        return cards
    cards = outlined_cards(frame, networks, TableView(view.lens, view.table, size_mm), known_size=True)
    # An outline may be that of the print inside a pale border; the outermost edge is that of the card.
    likely = [card.sighting for card in cards if card.probability >= MIN_PROBABILITY_UNKNOWN]
    whole = _whole(frame.image, likely)
    outer_mm = _measured_size(frame.image, whole) if whole else size_mm
    if _relative_change(size_mm, outer_mm) < SAME_VIEW_SIZE:
        return cards
    cards = outlined_cards(frame, networks, TableView(view.lens, view.table, outer_mm), known_size=True)
    return [replace(card, outline=_outer(card.outline, np.array(card.sighting.corners_px))) for card in cards]


def _outer(outline: Outline, quad_px: Floats) -> Outline:
    """The outline at the corners of the card, if it is that of the print inside."""
    areas = [float(cv2.contourArea(quad.astype(np.float32))) for quad in (outline.quad_px, quad_px)]
    return replace(outline, quad_px=quad_px) if areas[0] < areas[1] else outline


def _repeated(cards: Sequence[OutlinedCard]) -> set[int]:
    """The indices of cards that repeat a likelier one, or are a part of it."""
    repeated: set[int] = set()
    order = sorted(range(len(cards)), key=lambda number: -cards[number].probability)
    for place, number in enumerate(order):
        likelier = [cards[other] for other in order[:place] if other not in repeated]
        if any(_is_same(cards[number], other) for other in likelier):
            repeated.add(number)
    return repeated


def _is_same(card: OutlinedCard, likelier: OutlinedCard) -> bool:
    """Whether a card shows the same card as a likelier one."""
    one, other = card.quad_px.astype(np.float32), likelier.quad_px.astype(np.float32)
    shared = float(cv2.intersectConvexConvex(one, other)[0])
    own, union = float(cv2.contourArea(one)), float(cv2.contourArea(one)) + float(cv2.contourArea(other)) - shared
    if shared > MAX_REPEATED_OVERLAP * union:
        return True
    return likelier.outline.is_closed and not card.outline.is_closed and shared > MAX_INSIDE * own


def _unread(view: TableView, card: OutlinedCard) -> Sighting:
    """The sighting of a card of an unknown deck."""
    quad_mm = view.view_to_mm(view.frame_to_view(card.quad_px))
    visible = 1.0 if card.outline.is_closed else card.sighting.visible
    return replace(
        card.sighting,
        corners_mm=_quad(quad_mm),
        corners_px=_quad(card.quad_px),
        confidence=card.probability,
        visible=visible,
        side_known=False,
    )


def _quad(corners: Floats) -> Quad:
    (a, b), (c, d), (e, f), (g, h) = corners.tolist()
    return (a, b), (c, d), (e, f), (g, h)


class RiglessDeckEye:
    """Reads pictures without a rig: cards of one deck, whatever their shape."""

    def __init__(self, networks: Networks, deck: KnownFaces) -> None:
        self._networks, self._deck = networks, deck

    def look(self, frame: Frame) -> Look:
        """All cards and hands in the frame."""
        card_mm = self._deck.card_mm
        view = table_view_from_markers(frame.image, card_mm)
        if view is None:
            view = table_view_from_cards(frame.image, self._networks.finder, card_mm)
            # The scale from the finder assumes the usual shape of a card; the edges of the cards correct it.
            width, height = self._size_mm(frame, view)
            ratio = float(np.clip(np.sqrt(width * height / (card_mm[0] * card_mm[1])), *SCALE_ERROR_RANGE))
            view = TableView(view.lens, view.table, (card_mm[0] * ratio, card_mm[1] * ratio))
        return CardEye(view, self._networks, [self._deck]).look(frame)

    def _size_mm(self, frame: Frame, view: TableView) -> tuple[float, float]:
        """The size of the cards in a table view of approximate scale."""
        found = CardEye(view, self._networks, ()).look(frame).cards
        whole = _whole(frame.image, found)
        return _measured_size(frame.image, whole) if whole else view.card_mm


def survey(
    frame: Frame,
    networks: Networks,
    place: tuple[Lens, TablePose] | None,
    card_mm: tuple[float, float] | None,
    last: TableView | None = None,
) -> Survey:
    """Find the cards of a picture; `place` is the calibrated camera and `card_mm` the size of cards, if known.

    Without calibration, `last` is the table view of the previous picture: if the cards fit it, it is used again.
    """
    if place is None and last is not None:
        again = _surveyed_as_before(frame, networks, last)
        if again is not None:
            return again
    first_mm = card_mm or NOMINAL_CARD_MM
    view = (
        table_view_without_rig(frame.image, networks.finder, first_mm) if place is None else TableView(*place, first_mm)
    )
    look = CardEye(view, networks, (), known_size=card_mm is not None).look(frame)
    if card_mm is not None:
        return _survey_of(frame, look, view, card_mm)
    view, size_mm = _with_measured_size(frame, networks, view, look)
    if size_mm is not None:
        look = CardEye(view, networks, ()).look(frame)
    return _survey_of(frame, look, view, size_mm)


def _is_known_deck(look: Look) -> bool:
    """Whether at least half of the face-up cards belong to a known deck."""
    faces = [card for card in look.cards if card.guesses]
    return bool(faces) and 2 * sum(card.guesses[0].code != FOREIGN for card in faces) >= len(faces)


def _with_measured_size(
    frame: Frame, networks: Networks, view: TableView, look: Look
) -> tuple[TableView, tuple[float, float] | None]:
    """The table view for cards of the measured size, and that size; None if no whole card is visible."""
    size_mm: tuple[float, float] | None = None
    for _ in range(MAX_MEASURING_ROUNDS):
        whole = _whole(frame.image, look.cards)
        if not whole:
            break
        before, size_mm = size_mm, _measured_size(frame.image, whole)
        view = TableView(view.lens, view.table, size_mm)
        if before is not None and _relative_change(before, size_mm) < SAME_SIZE:
            break
        look = CardEye(view, networks, ()).look(frame)
    return view, size_mm


def _relative_change(before: tuple[float, float], after: tuple[float, float]) -> float:
    """The larger relative change of two sides."""
    return max(abs(now / was - 1) for now, was in zip(after, before, strict=True))


def _surveyed_as_before(frame: Frame, networks: Networks, last: TableView) -> Survey | None:
    """The survey with the table view of the previous picture; None if the cards do not fit it."""
    if last.lens.size_px != (frame.image.shape[1], frame.image.shape[0]):
        return None
    look = CardEye(last, networks, ()).look(frame)
    whole = _whole(frame.image, look.cards, known_size=True)
    if not whole or len(whole) < len(look.cards):
        return None
    if _relative_change(last.card_mm, _measured_size(frame.image, whole)) > SAME_VIEW_SIZE:
        return None
    return _survey_of(frame, look, last, last.card_mm)


def _survey_of(frame: Frame, look: Look, view: TableView, size_mm: tuple[float, float] | None) -> Survey:
    known = size_mm is not None
    found = [_fitted(frame.image, card, look.cards) for card in look.cards] if known else list(look.cards)
    cards = tuple(_cut_out(frame.image, card, found, size_mm or view.card_mm, known) for card in found)
    return Survey(cards, view if cards and size_mm is not None else None)


def _fitted(image: Image, card: Sighting, every: Sequence[Sighting]) -> Sighting:
    """A whole card at its edges: on a table with a strong pattern the networks may place it beside them."""
    if _fault(image, card, every, known_size=True):
        return card
    return replace(card, corners_px=_quad(fitted_corners(image, _corners(card))))


def _corners(card: Sighting) -> Floats:
    return np.array(card.corners_px)


def whole_picture(image: Image, card_mm: tuple[float, float] | None = None) -> SurveyedCard:
    """A picture that shows nothing but a card, of a known size or of the usual width."""
    height, width = image.shape[:2]
    upright = np.ascontiguousarray(image if height >= width else np.rot90(image, -1))
    tall, wide = upright.shape[:2]
    size_mm = card_mm or (NOMINAL_CARD_MM[0], NOMINAL_CARD_MM[0] * tall / wide)
    size_px = (round(size_mm[0] * VIEW_PX_PER_MM), round(size_mm[1] * VIEW_PX_PER_MM))
    small = np.asarray(cv2.resize(upright, size_px, interpolation=cv2.INTER_AREA), np.uint8)
    right, low = width - 0.5, height - 0.5
    corners = ((-0.5, -0.5), (right, -0.5), (right, low), (-0.5, low))
    return SurveyedCard(small, corners, size_mm, True, _blank_fault(small))


def _cut_out(
    image: Image, card: Sighting, every: Sequence[Sighting], size_mm: tuple[float, float], known_size: bool
) -> SurveyedCard:
    corners = _corners(card)
    # The orientation is not known yet: the upper edge is taken to be the one nearer to the top of the picture.
    if corners[:2, 1].mean() > corners[2:, 1].mean():
        corners = np.roll(corners, 2, axis=0)
    size_px = (round(size_mm[0] * VIEW_PX_PER_MM), round(size_mm[1] * VIEW_PX_PER_MM))
    factor = max(1, int(float(np.linalg.norm(corners[1] - corners[0])) / size_px[0] / 1.05))
    fine = downscaled(image, factor)
    scale = np.array([fine.shape[1] / image.shape[1], fine.shape[0] / image.shape[0]])
    view = cut(fine, (corners + 0.5) * scale - 0.5, size_px)
    (a, b), (c, d), (e, f), (g, h) = corners.round(2).tolist()
    fault = _fault(image, card, every, known_size) or _blank_fault(view)
    return SurveyedCard(view, ((a, b), (c, d), (e, f), (g, h)), size_mm, card.face_up, fault)


def _whole(image: Image, cards: Sequence[Sighting], known_size: bool = False) -> list[Sighting]:
    """The cards that could be taught."""
    return [card for card in cards if not _fault(image, card, cards, known_size)]


def _fault(image: Image, card: Sighting, every: Sequence[Sighting], known_size: bool = False) -> str:
    """Why a card cannot be taught; empty if it can.

    `every` are all cards of the picture. With `known_size` the corners are those of a card of that size.
    """
    corners = _corners(card)
    reach = MAX_OUTSIDE * float(np.linalg.norm(corners[1] - corners[0]))
    height, width = image.shape[:2]
    over = max(-corners.min(), *(corners.max(0) - (width - 1, height - 1)))
    if over > reach:
        return f"it reaches {over:.0f} px over the edge of the picture; wanted a card that is wholly inside"
    if card.under_hand:
        return "a hand lies on it; wanted a card that nothing covers"
    if card.visible < MIN_TAUGHT_VISIBLE and not _is_dark_but_whole(image, card, every, known_size):
        return f"only {100 * card.visible:.0f} % of it is seen; wanted a card that nothing covers"
    return ""


def _is_dark_but_whole(image: Image, card: Sighting, every: Sequence[Sighting], known_size: bool) -> bool:
    """Whether no other card covers a card, and it has edges all around: the finder takes dark print for the table."""
    if card.visible < MIN_OUTLINED_VISIBLE:
        return False
    if find_outline(image, _corners(card), known_size=known_size).weakest < MIN_WHOLE_EDGE:
        return False
    own = np.array(card.corners_px, np.float32)
    above = [np.array(other.corners_px, np.float32) for other in every if other.visible > card.visible]
    covered = max((float(cv2.intersectConvexConvex(own, other)[0]) for other in above), default=0.0)
    return covered <= (1 - MIN_TAUGHT_VISIBLE) * float(cv2.contourArea(own))


def _blank_fault(view: Image) -> str:
    all_visible = np.full((SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
    # Some cards have small print near their corners only.
    return "nothing is printed on it; wanted a card" if is_blank(view, all_visible, RIM) else ""


def _measured_size(image: Image, cards: Sequence[Sighting]) -> tuple[float, float]:
    """The size of cards in mm: the size found by the networks, corrected by the edges in the picture."""
    quads_mm = np.array([card.corners_mm for card in cards])
    width, height = (float(np.median(np.linalg.norm(quads_mm[:, end] - quads_mm[:, 0], axis=1))) for end in (1, 3))
    across, down = size_corrections(image, np.array([card.corners_px for card in cards]))
    return width * across, height * down


def size_corrections(image: Image, quads_px: Floats) -> tuple[float, float]:
    """The ratio of true to found width and height of cards, from the lines at their edges."""
    sides: list[list[NDArray[np.float64]]] = [[], []]
    for quad in quads_px:
        near = _with_margin(image, quad)
        for axis in (0, 1):
            steps = np.abs(np.diff(near, axis=1 - axis)).max(2)
            length = near.shape[axis]
            start, end = (int(share * length) for share in MEASURED_BETWEEN)
            line = np.minimum(np.take(steps, range(start, end), axis), MAX_EDGE_LEVELS).mean(axis)
            both = (line + line[::-1]) / 2
            sides[axis].append(both / max(float(both.max()), 1e-6))
    found = [_edge_ratio(np.median(side, axis=0), full) for side, full in zip(sides, MEASURED_CARD_PX, strict=True)]
    return found[0], found[1]


def _with_margin(image: Image, quad_px: Floats) -> NDArray[np.float64]:
    """A card with its surroundings, rectified and blurred."""
    (width, height), margin = MEASURED_CARD_PX, MEASURED_MARGIN_PX
    shift = np.array([[1, 0, margin], [0, 1, margin], [0, 0, 1]], float)
    size = (width + 2 * margin, height + 2 * margin)
    matrix = shift @ to_crop(quad_px, MEASURED_CARD_PX)
    near = cv2.warpPerspective(image, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(near, (0, 0), 1.0), float)


def _edge_ratio(line: NDArray[np.float64], full_px: int) -> float:
    """The distance of the outermost strong line from the centre, relative to that of the assumed edge."""
    centre = len(line) / 2 - 0.5
    reach = MAX_SIDE_ERROR * full_px / 2
    first, last = int(np.ceil(centre + full_px / 2 - reach)), int(centre + full_px / 2 + reach)
    piece = line[first : last + 1]
    peaks = [
        place
        for place in range(1, len(piece) - 1)
        if piece[place] >= max(piece[place - 1], piece[place + 1]) and piece[place] >= MIN_EDGE_PEAK * piece.max()
    ]
    if not peaks:
        return 1.0
    return (first + peaks[-1] - centre) / (full_px / 2)
