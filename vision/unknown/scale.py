"""Scale estimation without a rig: a table view for any picture, from the markers in it or from the cards themselves."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import CalibrationError
from calibration.lens import Lens
from calibration.markers import find_markers
from calibration.table import CORNERS, TablePose, table_from_markers
from models.crops import CARD_PX, SEEN_PX, Floats, Image, cut
from vision.look.blank import is_blank
from vision.look.finder import CARD_HEIGHT_PX, Detection, Finder
from vision.look.table_view import MARGIN_MM, TableView
from vision.unknown.outline import find_outline
from vision.unknown.tuning import (
    CONFIDENCE_POWER,
    DEFAULT_CARDS_ACROSS,
    DEFAULT_FOCAL_LENGTH,
    FOCAL_LENGTHS,
    LENS_DISTORTIONS,
    MAX_CARDS_ACROSS,
    MAX_OUTLINED_CARDS,
    MAX_TILT_LOG_RATIO,
    MAX_TILT_RESIDUAL,
    MIN_CARD_PX,
    MIN_CARDS_ACROSS,
    MIN_RELATIVE_CONFIDENCE,
    MIN_TILT_CARDS,
    MIN_WHOLE_VISIBLE,
    SCALE_PRIOR_POWER,
    SCALE_ROUNDS,
    SCALE_STEP,
    SCALES_REFINED,
    SIZE_ERROR_RATE,
    TILT_PRIOR,
    TILT_ROUNDS,
    UNSEEN_SIDE_SUPPORT,
)


def table_view_without_rig(image: Image, finder: Finder, card_mm: tuple[float, float]) -> TableView:
    """The best table view for a picture without calibration."""
    return table_view_from_markers(image, card_mm) or table_view_from_cards(image, finder, card_mm)


def table_view_from_markers(image: Image, card_mm: tuple[float, float]) -> TableView | None:
    """The table view from the corner markers, with the typical lens that makes them most nearly square."""
    found = find_markers(image, plain_lens(image), range(len(CORNERS)))
    fits: list[tuple[float, Lens, TablePose]] = []
    for focal_length in FOCAL_LENGTHS if len(found) > 2 else ():
        for distortion in LENS_DISTORTIONS:
            lens = plain_lens(image, focal_length, distortion)
            try:
                table = table_from_markers(found, lens)
            except CalibrationError:
                continue
            fits.append((table.error_mm, lens, table))
    if not fits:
        return None
    _, lens, table = min(fits, key=lambda fit: fit[0])
    return TableView(lens, table, card_mm)


def plain_lens(image: Image, focal_length: float = DEFAULT_FOCAL_LENGTH, distortion: float = 0.0) -> Lens:
    """An assumed lens: its focal length in picture widths, and its radial distortion."""
    height, width = image.shape[:2]
    focal_px = focal_length * max(width, height)
    centre = ((width - 1) / 2, (height - 1) / 2)
    return Lens((width, height), (focal_px, focal_px), centre, (distortion, 0.0, 0.0, 0.0, 0.0))


def table_view_from_cards(image: Image, finder: Finder, card_mm: tuple[float, float]) -> TableView:
    """The table view at the scale that gives cards the right size, with the tilt that makes them equally large."""
    height, width = image.shape[:2]
    card_px = card_width_px(image, finder)
    tilt = np.zeros(2)
    for number in range(TILT_ROUNDS):
        view = _tilted_view(image, card_px, tilt, card_mm)
        cards = finder.find(view.rectify(image)).cards
        card_px *= _size_ratio(cards)
        further = _further_tilt(view, _reliable(cards), (width, height))
        tilt = tilt + further
        if number >= SCALE_ROUNDS - 1 and not further.any():
            break
    return _tilted_view(image, card_px, tilt, card_mm)


def _further_tilt(view: TableView, cards: list[Detection], size_px: tuple[int, int]) -> Floats:
    """The tilt that the sizes of cards in a table view still tell; none if there are too few."""
    if len(cards) < MIN_TILT_CARDS:
        return np.zeros(2)
    log_sizes = np.array([_log_size(card) for card in cards])
    centres = view.mm_to_frame(view.view_to_mm(np.array([card.quad_px.mean(0) for card in cards])))
    return _tilt(centres - (np.array(size_px) - 1) / 2, log_sizes, max(size_px))


def card_width_px(image: Image, finder: Finder) -> float:
    """The width of a card in the picture: the best of several guesses, each refined by the cards found with it."""
    count = int(np.log(MAX_CARDS_ACROSS / MIN_CARDS_ACROSS) / np.log(SCALE_STEP)) + 1
    widths = [image.shape[1] / (MIN_CARDS_ACROSS * SCALE_STEP**number) for number in range(count)]
    widths = [width for width in widths if width > MIN_CARD_PX] or widths[:1]
    scales = sorted((_scale_at(image, finder, width) for width in widths), key=lambda scale: -scale.bound)
    scored: list[tuple[float, float]] = []
    for scale in scales:
        # The edges of a scale's cards are examined only if it may still be one of the best.
        if len(scored) < SCALES_REFINED or scale.bound > scored[SCALES_REFINED - 1][0]:
            scored = sorted([*scored, (scale.score(image), scale.refined_px)], reverse=True)
    refined = [_scale_at(image, finder, width) for _, width in scored[:SCALES_REFINED]]
    best, width = max((scale.score(image), scale.refined_px) for scale in refined)
    return width if best > 0 else image.shape[1] / DEFAULT_CARDS_ACROSS


@dataclass(frozen=True, slots=True)
class _Scale:
    """A hypothesis about the width of cards in a picture, and the cards that it explains.

    Many cards of one size win over a table that looks like one large card. Print on a card may look like small cards,
    but has few straight edges around it; larger widths are favoured a little for its sake.
    """

    card_px: float
    cards: tuple[Detection, ...]

    @property
    def bound(self) -> float:
        """The highest score that it can have: that of cards with edges all around."""
        return scale_score(self.cards) * float(self.card_px**SCALE_PRIOR_POWER)

    @property
    def refined_px(self) -> float:
        """The width of the cards that were found with it."""
        return self.card_px * _size_ratio(self.cards)

    def score(self, image: Image) -> float:
        """The score of its cards, by their votes, their size and the edges around them."""
        surest = sorted(self.cards, key=_agreement, reverse=True)[:MAX_OUTLINED_CARDS]
        zoom = self.card_px / CARD_PX
        edges = [_edge_evidence(image, (card.quad_px + 0.5) * zoom - 0.5) for card in surest]
        supported = sum(_agreement(card) * edge for card, edge in zip(surest, edges, strict=True))
        return supported * float(self.card_px**SCALE_PRIOR_POWER)


def _scale_at(image: Image, finder: Finder, card_px: float) -> _Scale:
    return _Scale(card_px, _found_at_width(image, finder, card_px))


def _edge_evidence(image: Image, quad_px: Floats) -> float:
    """The support of the three weakest sides of a card, as a product; sides outside the picture count as doubtful."""
    sides = np.sort(np.nan_to_num(find_outline(image, quad_px).sides, nan=UNSEEN_SIDE_SUPPORT))
    return float(sides[0] * sides[1] * sides[2])


def _reliable(cards: tuple[Detection, ...]) -> list[Detection]:
    """The cards whose size is reliable."""
    surest = max((card.vote_confidence for card in cards), default=0.0)
    return [
        card
        for card in cards
        if card.visible > MIN_WHOLE_VISIBLE and card.vote_confidence > MIN_RELATIVE_CONFIDENCE * surest
    ]


def _size_ratio(cards: tuple[Detection, ...]) -> float:
    """The ratio of found to expected card width: the median, weighted by confidence and visible share."""
    if not cards:
        return 1.0
    logs, weights = np.array([(_log_size(card), _weight(card)) for card in sorted(cards, key=_log_size)]).T
    reached = np.cumsum(weights)
    return float(np.exp(logs[reached.searchsorted(reached[-1] / 2)]))


def _weight(card: Detection) -> float:
    """The weight of a card in the estimate of the scale."""
    return float(card.visible * card.vote_confidence**CONFIDENCE_POWER)


def _found_at_width(image: Image, finder: Finder, card_px: float) -> tuple[Detection, ...]:
    """The cards in the picture if a card is this wide; blank rectangles of a board or a cloth are left out."""
    scale = CARD_PX / card_px
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    view = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=interpolation), np.uint8)
    all_visible = np.full(SEEN_PX[::-1], 255, np.uint8)
    return tuple(card for card in finder.find(view).cards if not is_blank(cut(view, card.quad_px), all_visible))


def scale_score(cards: tuple[Detection, ...]) -> float:
    """The score of a scale: the number of certain cards that have the expected size."""
    return float(sum(_agreement(card) for card in cards))


def _agreement(card: Detection) -> float:
    """The weight of a card, less if its size is not the expected one."""
    return _weight(card) * float(np.exp(-SIZE_ERROR_RATE * abs(_log_size(card))))


def _log_size(card: Detection) -> float:
    """The logarithm of a card's size relative to the expected one, averaged over both sides."""
    return float(np.log(card.size_px[0] / CARD_PX) + np.log(card.size_px[1] / CARD_HEIGHT_PX)) / 2


def _tilt(centres: Floats, log_sizes: NDArray[np.float64], side_px: float) -> Floats:
    """The last row of a homography, from the change of card sizes over the picture."""
    known = np.column_stack([centres, np.ones(len(centres))])
    prior = np.diag([TILT_PRIOR * side_px**2, TILT_PRIOR * side_px**2, 1e-6])
    fit = np.linalg.solve(known.T @ known + prior, known.T @ log_sizes)
    across, down, _ = fit
    # Cards of one size agree once the tilt is known; things that are no cards do not.
    if float(np.std(log_sizes - known @ fit)) > MAX_TILT_RESIDUAL:
        return np.zeros(2)
    steepest = max(abs(across), abs(down)) * side_px
    limit = min(1.0, MAX_TILT_LOG_RATIO / max(steepest, 1e-9))
    # A card's mean side grows with the power 1.5 of the inverse depth: 1 for distance, 0.5 for foreshortening.
    return np.asarray(np.array([across, down]) * limit / 1.5, float)


def _levelling(tilt: Floats, focal_px: float) -> Floats:
    """The homography that shows a tilted table from straight above; `tilt` is its last row, in pixels of the picture.

    The last row is the horizon, which tells the direction of the table's normal. Turning the camera that way undoes the
    foreshortening, too.
    """
    normal = np.array([focal_px * tilt[0], focal_px * tilt[1], 1.0])
    normal /= np.linalg.norm(normal)
    axis = np.cross(normal, (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.eye(3)
    rotation = cv2.Rodrigues(axis / length * float(np.arcsin(min(1.0, length))))[0]
    camera = np.diag([focal_px, focal_px, 1.0])
    levelling = camera @ rotation @ np.linalg.inv(camera)
    return np.asarray(levelling / levelling[2, 2], float)


def _tilted_view(image: Image, card_px: float, tilt: Floats, card_mm: tuple[float, float]) -> TableView:
    """A table view of the whole picture for a card that is this wide in its centre."""
    height, width = image.shape[:2]
    mm = card_mm[0] / card_px
    centring = np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, 1]])
    whole = np.diag([mm, mm, 1.0]) @ _levelling(tilt, plain_lens(image).focal_px[0]) @ centring
    corners = np.array([[[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]], float)
    reach = np.abs(cv2.perspectiveTransform(corners, whole)[0]).max(0)
    size = (2 * float(reach[0]) - 2 * MARGIN_MM, 2 * float(reach[1]) - 2 * MARGIN_MM)
    homography = tuple(float(value) for value in (whole / whole[2, 2]).ravel())
    return TableView(plain_lens(image), TablePose((max(size[0], 10.0), max(size[1], 10.0)), homography), card_mm)
