"""Drawing what was seen into the picture: an outline, a tick at the top edge and a label for every card."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.art.lettering import letter_words
from vision.draw.labels import SMALL, Spot, place_labels
from vision.sightings import Look, Sighting
from vision.table import FOREIGN

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Ink = tuple[int, int, int]

CERTAIN, SURE = 0.99, 0.9
"""From the first on no probability is written; below the second a reading is drawn as unsure."""
# Sky blue, orange, white and vermilion: people who see red and green alike tell these apart, and the line does too.
FACE_INK: Ink = (240, 190, 70)
UNSURE_INK: Ink = (20, 165, 245)
BACK_INK: Ink = (245, 245, 245)
HAND_INK: Ink = (70, 85, 240)
PLATE: Ink = (38, 28, 22)
_PLATE_ALPHA = 0.86
_HALO = 0.62
_CORNER = 3.4 / 63
"""Radius of a card's corners, as a part of its width."""
_CARD = (63.0, 88.0)
_LINE, _LETTERS = 0.013, 0.15
"""Width of a line and size of letters, as parts of a card's width."""
_LEAST_LETTERS, _MOST_LETTERS = 13, 48
_SHIFT = 4
"""OpenCV draws at sixteenths of a pixel."""
Dashes = tuple[float, ...]
"""Lengths drawn and left out in turn, as parts of a card's width; none for a whole line."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is written about cards that are not read."""

    back: str = "back"
    under_hand: str = "under a hand"
    foreign: str = "unknown"
    unread: str = "card"


ENGLISH = Words()
POLISH = Words("zakryta", "pod ręką", "nieznana", "karta")


@dataclass(frozen=True, slots=True)
class Style:
    """How a card is drawn."""

    ink: Ink
    dashes: Dashes = ()


FACE, UNSURE = Style(FACE_INK), Style(UNSURE_INK, (0.11, 0.05))
BACK, UNDER_HAND = Style(BACK_INK, (0.012, 0.05)), Style(HAND_INK, (0.14, 0.05, 0.012, 0.05))


def draw_look(image: Image, look: Look, words: Words = ENGLISH) -> Image:
    """A copy of the picture with everything that was found in it."""
    picture = np.array(image if image.ndim == 3 else cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    cards = [np.array(card.corners_px, float) for card in look.cards]
    if not cards:
        return picture
    wide = float(np.median([_width(card) for card in cards]))
    _draw_lines(picture, look.cards, cards, wide)
    size = int(np.clip(round(_LETTERS * wide), _LEAST_LETTERS, _MOST_LETTERS))
    inks = [letter_words(label_of(card, words), size) for card in look.cards]
    room = [(ink.shape[1] + round(1.25 * size), ink.shape[0] + round(0.1 * size)) for ink in inks]
    spots = place_labels((picture.shape[1], picture.shape[0]), cards, _seen(picture.shape, cards), room)
    thin = max(1, round(0.5 * _LINE * wide))
    for card, spot, label in zip(look.cards, spots, room, strict=True):
        if spot.outside:
            _lead(picture, spot, label, style_of(card).ink, thin)
    for card, ink, spot, label in zip(look.cards, inks, spots, room, strict=True):
        _write(picture, ink, spot, label, style_of(card).ink, size)
    return picture


def style_of(card: Sighting) -> Style:
    """How a card is drawn: read, unsure, face down or under a hand."""
    if card.under_hand:
        return UNDER_HAND
    if not card.face_up:
        return BACK
    unsure = bool(card.guesses) and (card.code == FOREIGN or card.guesses[0].probability < SURE)
    return UNSURE if unsure else FACE


def label_of(card: Sighting, words: Words = ENGLISH) -> str:
    """What is written on a card's label."""
    if not card.face_up:
        return f"{words.back}, {words.under_hand}" if card.under_hand else words.back
    if card.under_hand and not card.guesses:
        return words.under_hand
    if not card.guesses:
        return words.unread
    best = card.guesses[0]
    text = best.code if best.code != FOREIGN else words.foreign
    if card.marks:
        text += " · " + " ".join(card.marks)
    return text if best.probability >= CERTAIN else f"{text}\u2002{100 * best.probability:.0f} %"


def _draw_lines(picture: Image, cards: Sequence[Sighting], corners: Sequence[Floats], wide: float) -> None:
    """Outlines and ticks, bottom to top: a card hides the lines of those below it."""
    thick = max(1, round(_LINE * wide))
    room = 4 * thick + round(0.1 * wide)
    # Only the part of the picture where cards lie is worked on, and of it only what one card needs at a time.
    left, top, right, bottom = _box(np.concatenate(corners), picture.shape, room)
    if left >= right or top >= bottom:
        return
    part = picture[top:bottom, left:right]
    ink: Image = np.zeros_like(part)
    alpha: Image = np.zeros(part.shape[:2], np.uint8)
    for card, quad in zip(cards, corners, strict=True):
        style, placed = style_of(card), quad - (left, top)
        path = _outline(placed)
        cv2.fillPoly(alpha, [_fixed(path)], 0, cv2.LINE_8, _SHIFT)
        x1, y1, x2, y2 = _box(placed, part.shape, room)
        if x1 >= x2 or y1 >= y2:
            continue
        own: Image = np.zeros((y2 - y1, x2 - x1), np.uint8)
        for piece in _dashed(path - (x1, y1), style.dashes, wide):
            cv2.polylines(own, [_fixed(piece)], False, 255, thick, cv2.LINE_AA, _SHIFT)
        if card.face_up and not card.under_hand and card.code != FOREIGN:
            cv2.fillPoly(own, [_fixed(_tick(placed) - (x1, y1))], 255, cv2.LINE_AA, _SHIFT)
        ink[y1:y2, x1:x2][own > 0] = style.ink
        np.maximum(alpha[y1:y2, x1:x2], own, out=alpha[y1:y2, x1:x2])
    # A soft dark rim lets a bright line be seen on a bright table.
    rim = cv2.GaussianBlur(cv2.dilate(alpha, np.ones((3, 3), np.uint8)), (0, 0), max(1.0, 0.8 * thick))
    shade = np.asarray(255 - _HALO * rim, np.uint8)
    dark = cv2.multiply(part, cv2.merge([shade] * 3), scale=1 / 255)
    keep = cv2.multiply(dark, cv2.merge([255 - alpha] * 3), scale=1 / 255)
    part[:] = cv2.add(keep, cv2.multiply(ink, cv2.merge([alpha] * 3), scale=1 / 255))


def _box(points: Floats, shape: tuple[int, ...], room: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what some points need, as far as it is in the picture."""
    low, high = np.floor(points.min(0)).astype(int) - room, np.ceil(points.max(0)).astype(int) + room + 1
    return max(0, int(low[0])), max(0, int(low[1])), min(shape[1], int(high[0])), min(shape[0], int(high[1]))


def _outline(quad: Floats) -> Floats:
    """The edge of a card with its round corners, closed."""
    width, height = _CARD
    radius = _CORNER * width
    middles = ((radius, radius), (width - radius, radius), (width - radius, height - radius), (radius, height - radius))
    points = []
    for number, (x, y) in enumerate(middles):
        for step in range(7):
            angle = np.pi * (1 + number / 2 + step / 12)
            points.append((x + radius * np.cos(angle), y + radius * np.sin(angle)))
    points.append(points[0])
    return _mapped(quad, np.array(points))


def _tick(quad: Floats) -> Floats:
    """A small triangle on the middle of the top edge that points up."""
    width = _CARD[0]
    return _mapped(quad, np.array([(width / 2 - 4.4, 0.4), (width / 2 + 4.4, 0.4), (width / 2, -4.6)]))


def _mapped(quad: Floats, points_mm: Floats) -> Floats:
    width, height = _CARD
    card = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    mapping = cv2.getPerspectiveTransform(card, quad.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(points_mm.reshape(-1, 1, 2), mapping), float).reshape(-1, 2)


def _dashed(path: Floats, dashes: Dashes, wide: float) -> list[Floats]:
    """A path cut into dashes that go round it evenly."""
    if not dashes:
        return [path]
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    rounds = max(1, round(along[-1] / (sum(dashes) * wide)))
    stretch = along[-1] / (rounds * sum(dashes))
    pieces, at = [], 0.0
    for number, dash in enumerate(dashes * rounds):
        end = at + dash * stretch
        if number % 2 == 0:
            places = np.concatenate([[at], along[(along > at) & (along < end)], [end]])
            pieces.append(np.stack([np.interp(places, along, path[:, axis]) for axis in (0, 1)], 1))
        at = end
    return pieces


def _seen(shape: tuple[int, ...], cards: Sequence[Floats]) -> list[Image]:
    """Small masks of what is seen of each card under those above it."""
    size = (-(-shape[0] // SMALL) + 1, -(-shape[1] // SMALL) + 1)
    masks = []
    covered: Image = np.zeros(size, np.uint8)
    for card in reversed(cards):
        own: Image = np.zeros(size, np.uint8)
        cv2.fillConvexPoly(own, _fixed(card / SMALL), 255, cv2.LINE_8, _SHIFT)
        masks.append(np.asarray(own & ~covered, np.uint8))
        covered |= own
    return masks[::-1]


def _lead(picture: Image, spot: Spot, label: tuple[int, int], ink: Ink, thin: int) -> None:
    """A line from a label to its card."""
    inset = label[1] / 2
    start = (
        float(np.clip(spot.about[0], spot.left + inset, spot.left + label[0] - inset)),
        float(np.clip(spot.about[1], spot.top + inset, spot.top + label[1] - inset)),
    )
    line = _fixed(np.array([start, spot.about]))
    cv2.polylines(picture, [line], False, PLATE, thin + 2, cv2.LINE_AA, _SHIFT)
    cv2.polylines(picture, [line], False, ink, thin, cv2.LINE_AA, _SHIFT)


def _write(picture: Image, ink: Image, spot: Spot, label: tuple[int, int], colour: Ink, size: int) -> None:
    """A rounded plate with a dot in the card's colour and the words."""
    width, height = label
    plate: Image = np.zeros((4 * height, 4 * width), np.uint8)
    radius = 4 * height // 2
    cv2.circle(plate, (radius, radius), radius - 1, 255, -1)
    cv2.circle(plate, (4 * width - radius - 1, radius), radius - 1, 255, -1)
    cv2.rectangle(plate, (radius, 0), (4 * width - radius - 1, 4 * height), 255, -1)
    dot: Image = np.zeros_like(plate)
    cv2.circle(dot, (round(2.2 * size), radius), round(0.9 * size), 255, -1)
    words: Image = np.zeros((height, width), np.uint8)
    top, left = (height - ink.shape[0]) // 2, round(0.9 * size)
    words[top : top + ink.shape[0], left : left + ink.shape[1]] = ink
    layers = ((_quarter(plate), PLATE, _PLATE_ALPHA), (_quarter(dot), colour, 1.0), (words, (255, 255, 255), 1.0))
    # What stands out of the picture is cut off.
    x1, y1 = max(0, spot.left), max(0, spot.top)
    x2, y2 = min(picture.shape[1], spot.left + width), min(picture.shape[0], spot.top + height)
    if x1 >= x2 or y1 >= y2:
        return
    area = picture[y1:y2, x1:x2].astype(np.float32)
    for mask, tint, strength in layers:
        part = mask[y1 - spot.top : y2 - spot.top, x1 - spot.left : x2 - spot.left, None].astype(np.float32) / 255
        area += (np.array(tint, np.float32) - area) * (part * strength)
    picture[y1:y2, x1:x2] = np.clip(area + 0.5, 0, 255).astype(np.uint8)


def _quarter(mask: Image) -> Image:
    size = (mask.shape[1] // 4, mask.shape[0] // 4)
    return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.uint8)


def _fixed(points: Floats) -> NDArray[np.int32]:
    return np.round(np.clip(points, -1e5, 1e5) * (1 << _SHIFT)).astype(np.int32)


def _width(card: Floats) -> float:
    sides = np.linalg.norm(np.roll(card, -1, axis=0) - card, axis=1)
    return max(4.0, float(sides.min()))
