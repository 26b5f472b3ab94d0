"""Bearings: a window for a picture without a rig, from the markers in it or from the cards themselves."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import CalibrationError
from calibration.lens import Lens
from calibration.markers import find_markers
from calibration.table import CORNERS, TablePose, table_from_markers
from models.crops import CARD_PX, SEEN_PX, Floats, Image, cut
from vision.look.blank import is_bare
from vision.look.finder import HEIGHT_PX, Finder, Found
from vision.look.table_view import MARGIN_MM, Window

FOCALS = (0.65, 0.78, 0.95, 1.2)
"""Focal lengths of unknown cameras in widths of the picture: from wide Pi cameras to telephones."""
BENDS = (0.0, -0.06, -0.12, -0.2, -0.3)
"""How much their lenses bend."""
_WIDEST, _NARROWEST, _STEP = 1.25, 36.0, 1.4
"""How many cards may fit side by side across the picture, at least and at most, and how finely that is tried."""
_TRIED = 3
_LEAST_PX = 21.0
"""A card needs so many pixels across to be found at all."""
_STEEP = 8
"""One card that is sure says more about the scale than dozens of doubtful ones: grain looks like cards at any scale."""
_USUAL = 8.0
"""How many cards are taken to fit side by side where none is found."""
_FULL, _AS_SURE = 0.8, 0.85
"""To tell how the camera leans a card must be seen nearly whole, and be nearly as sure as the surest."""
_LEAST_CARDS = 5
"""So many whole cards must be seen to tell from their sizes how the camera leans."""
_MOST_SLANT = 0.45
"""How much larger at most, as a logarithm, a card may look at one edge of the picture than at the other."""


def window_without_rig(image: Image, finder: Finder, card_mm: tuple[float, float]) -> Window:
    """The best window for a picture that nobody calibrated."""
    return window_by_markers(image, card_mm) or window_by_cards(image, finder, card_mm)


def window_by_markers(image: Image, card_mm: tuple[float, float]) -> Window | None:
    """The window by the corner markers, and the usual lens through which they look most like squares."""
    found = find_markers(image, plain_lens(image), range(len(CORNERS)))
    fits: list[tuple[float, Lens, TablePose]] = []
    for focal in FOCALS if len(found) > 2 else ():
        for bend in BENDS:
            lens = plain_lens(image, focal, bend)
            try:
                table = table_from_markers(found, lens)
            except CalibrationError:
                continue
            fits.append((table.error_mm, lens, table))
    if not fits:
        return None
    _, lens, table = min(fits, key=lambda fit: fit[0])
    return Window(lens, table, card_mm)


def plain_lens(image: Image, focal: float = FOCALS[1], bend: float = 0.0) -> Lens:
    """A lens nobody has measured: its focal length in widths of the picture, and how much it bends."""
    height, width = image.shape[:2]
    focal_px = focal * max(width, height)
    centre = ((width - 1) / 2, (height - 1) / 2)
    return Lens((width, height), (focal_px, focal_px), centre, (bend, 0.0, 0.0, 0.0, 0.0))


def window_by_cards(image: Image, finder: Finder, card_mm: tuple[float, float]) -> Window:
    """The scale at which the finder finds cards of the right size, and the slant that makes them equally large."""
    height, width = image.shape[:2]
    card_px = card_width_px(image, finder)
    slant = np.zeros(2)
    for _ in range(2):
        window = _window(image, card_px, slant, card_mm)
        cards = finder.find(window.straight(image)).cards
        card_px *= _growth(cards)
        whole = _telling(cards)
        if len(whole) >= _LEAST_CARDS:
            logs = np.array([_log_size(card) for card in whole])
            middles = window.to_frame(window.to_mm(np.array([card.quad_px.mean(0) for card in whole])))
            slant = slant + _slant(middles - ((width - 1) / 2, (height - 1) / 2), logs, max(width, height))
    return _window(image, card_px, slant, card_mm)


def card_width_px(image: Image, finder: Finder) -> float:
    """How wide a card is in the picture: the best of several guesses, each made better by what is found with it."""
    count = int(np.log(_NARROWEST / _WIDEST) / np.log(_STEP)) + 1
    widths = [image.shape[1] / (_WIDEST * _STEP**number) for number in range(count)]
    widths = [width for width in widths if width > _LEAST_PX] or widths[:1]
    first = sorted(((_worth_at(image, finder, width), width) for width in widths), reverse=True)[:_TRIED]
    better: list[tuple[float, float]] = []
    for _, width in first:
        for _ in range(2):
            width *= _growth(_found(image, finder, width))
        better.append((_worth_at(image, finder, width), width))
    best, width = max(better)
    return width if best > 0 else image.shape[1] / _USUAL


def _worth_at(image: Image, finder: Finder, card_px: float) -> float:
    """How well a width fits. What is on a card may look like small cards, but seldom the other way round."""
    return worth(_found(image, finder, card_px)) * card_px


def _telling(cards: tuple[Found, ...]) -> list[Found]:
    """The cards whose size can be relied on."""
    surest = max((card.sure for card in cards), default=0.0)
    return [card for card in cards if card.visible > _FULL and card.sure > _AS_SURE * surest]


def _growth(cards: tuple[Found, ...]) -> float:
    """How many times wider cards are than was thought: what those say that are sure and much of which is seen."""
    if not cards:
        return 1.0
    logs, shares = np.array([(_log_size(card), _share(card)) for card in sorted(cards, key=_log_size)]).T
    reached = np.cumsum(shares)
    return float(np.exp(logs[reached.searchsorted(reached[-1] / 2)]))


def _share(card: Found) -> float:
    """How much a card says about the scale."""
    return float(card.visible * card.sure**_STEEP)


def _found(image: Image, finder: Finder, card_px: float) -> tuple[Found, ...]:
    """Cards in the picture if they are so wide in it; squares of a track or a cloth are none."""
    scale = CARD_PX / card_px
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    view = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=way), np.uint8)
    everything = np.full(SEEN_PX[::-1], 255, np.uint8)
    return tuple(card for card in finder.find(view).cards if not is_bare(cut(view, card.quad_px), everything))


def worth(cards: tuple[Found, ...]) -> float:
    """How well a scale fits: how many cards are seen that are sure and of the size they should be."""
    return float(sum(_share(card) * np.exp(-6 * abs(_log_size(card))) for card in cards))


def _log_size(card: Found) -> float:
    """How much larger than expected a card looks, as a logarithm; both sides count."""
    return float(np.log(card.size_px[0] / CARD_PX) + np.log(card.size_px[1] / HEIGHT_PX)) / 2


def _slant(places: Floats, logs: NDArray[np.float64], side_px: float) -> Floats:
    """The last row of a homography, from how the cards' sizes change over the picture."""
    known = np.column_stack([places, np.ones(len(places))])
    # A plain fit with a pull towards no slant: few cards in one corner say little about the others.
    pull = np.diag([0.02 * side_px**2, 0.02 * side_px**2, 1e-6])
    across, down, _ = np.linalg.solve(known.T @ known + pull, known.T @ logs)
    steepest = max(abs(across), abs(down)) * side_px
    soften = min(1.0, _MOST_SLANT / max(steepest, 1e-9))
    # A card's side grows with the power 1.5 of the depth's inverse: once for each way, half for the foreshortening.
    return np.asarray(np.array([across, down]) * soften / 1.5, float)


def _window(image: Image, card_px: float, slant: Floats, card_mm: tuple[float, float]) -> Window:
    """A window over the whole picture, for a card so wide in its middle."""
    height, width = image.shape[:2]
    mm = card_mm[0] / card_px
    centre = np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, 1]])
    lean = np.array([[mm, 0, 0], [0, mm, 0], [slant[0], slant[1], 1]])
    whole = lean @ centre
    corners = np.array([[[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]], float)
    reach = np.abs(cv2.perspectiveTransform(corners, whole)[0]).max(0)
    size = (2 * float(reach[0]) - 2 * MARGIN_MM, 2 * float(reach[1]) - 2 * MARGIN_MM)
    homography = tuple(float(value) for value in (whole / whole[2, 2]).ravel())
    return Window(plain_lens(image), TablePose((max(size[0], 10.0), max(size[1], 10.0)), homography), card_mm)
