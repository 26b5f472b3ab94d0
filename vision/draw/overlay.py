"""The overlay: draws every card of a look into its picture, with an outline, a tick at the top edge and a label."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.art.lettering import letter_words
from vision.draw.labels import MASK_SCALE, LabelPosition, Size, place_labels
from vision.sightings import Look, Sighting
from vision.table import FOREIGN

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Blue, green and red."""
Dashes = tuple[float, ...]
"""Lengths drawn and left out in turn, in card widths; empty for a solid line."""

HIDE_PROBABILITY_FROM = 0.99
"""From this probability on, a label shows no probability."""
SURE_FROM = 0.9
"""Below this probability, a reading is drawn as unsure."""
# Sky blue, orange, white and vermilion can be told apart with red-green blindness; the dashes differ as well.
FACE_COLOUR: Colour = (240, 190, 70)
UNSURE_COLOUR: Colour = (20, 165, 245)
BACK_COLOUR: Colour = (245, 245, 245)
HAND_COLOUR: Colour = (70, 85, 240)
PLATE_COLOUR: Colour = (38, 28, 22)
"""Colour of the plate behind the text of a label."""
TEXT_COLOUR: Colour = (255, 255, 255)
_PLATE_OPACITY = 0.86
_SHADOW_OPACITY = 0.62
"""Opacity of the dark rim around outlines."""
_CARD_MM = (63.0, 88.0)
"""Size of the card on which outline and tick are designed."""
_CORNER_RADIUS = 3.4 / 63
"""Radius of a card's round corners, in card widths."""
_LINE_WIDTH, _FONT_SIZE = 0.013, 0.15
"""Width of an outline and size of the letters, in card widths."""
_MIN_FONT_PX, _MAX_FONT_PX = 13, 48
_SUBPIXEL_BITS = 4
"""OpenCV draws at sixteenths of a pixel."""
_SUPERSAMPLING = 4
"""Plates are drawn larger by this factor and scaled down, for smooth edges."""


@dataclass(frozen=True, slots=True)
class LabelWords:
    """The words for cards that have no reading."""

    back: str = "back"
    under_hand: str = "under a hand"
    foreign: str = "unknown"
    unread: str = "card"


ENGLISH = LabelWords()
POLISH = LabelWords("zakryta", "pod ręką", "nieznana", "karta")


@dataclass(frozen=True, slots=True)
class OutlineStyle:
    """Colour and dashes of a card's outline."""

    colour: Colour
    dashes: Dashes = ()


FACE, UNSURE = OutlineStyle(FACE_COLOUR), OutlineStyle(UNSURE_COLOUR, (0.11, 0.05))
BACK, UNDER_HAND = OutlineStyle(BACK_COLOUR, (0.012, 0.05)), OutlineStyle(HAND_COLOUR, (0.14, 0.05, 0.012, 0.05))


def draw_look(image: Image, look: Look, words: LabelWords = ENGLISH) -> Image:
    """A copy of the picture with every card of a look drawn in."""
    picture = np.array(image if image.ndim == 3 else cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    quads = [np.array(card.corners_px, float) for card in look.cards]
    if not quads:
        return picture
    card_width = float(np.median([_width(quad) for quad in quads]))
    _draw_outlines(picture, look.cards, quads, card_width)
    font_px = int(np.clip(round(_FONT_SIZE * card_width), _MIN_FONT_PX, _MAX_FONT_PX))
    texts = [letter_words(label_of(card, words), font_px) for card in look.cards]
    sizes = [(text.shape[1] + round(1.25 * font_px), text.shape[0] + round(0.1 * font_px)) for text in texts]
    visible = _visible_masks(picture.shape, quads)
    positions = place_labels((picture.shape[1], picture.shape[0]), quads, visible, sizes)
    thickness = max(1, round(0.5 * _LINE_WIDTH * card_width))
    for card, position, size in zip(look.cards, positions, sizes, strict=True):
        if position.outside:
            _draw_leader(picture, position, size, style_of(card).colour, thickness)
    for card, text, position, size in zip(look.cards, texts, positions, sizes, strict=True):
        _draw_label(picture, text, position, size, style_of(card).colour, font_px)
    return picture


def style_of(card: Sighting) -> OutlineStyle:
    """The style of a card: read, unsure, face down or under a hand."""
    if card.under_hand:
        return UNDER_HAND
    if not card.face_up and card.side_known:
        return BACK
    unsure = bool(card.guesses) and (card.code == FOREIGN or card.guesses[0].probability < SURE_FROM)
    return UNSURE if unsure else FACE


def label_of(card: Sighting, words: LabelWords = ENGLISH) -> str:
    """The text of a card's label."""
    if not card.face_up and card.side_known:
        return f"{words.back}, {words.under_hand}" if card.under_hand else words.back
    if card.under_hand and not card.guesses:
        return words.under_hand
    if not card.guesses:
        return words.unread
    best = card.guesses[0]
    text = best.code if best.code != FOREIGN else words.foreign
    if card.marks:
        text += " · " + " ".join(card.marks)
    return text if best.probability >= HIDE_PROBABILITY_FROM else f"{text}\u2002{100 * best.probability:.0f} %"


def _draw_outlines(picture: Image, cards: Sequence[Sighting], quads: Sequence[Floats], card_width: float) -> None:
    """Outlines and ticks, bottom to top: a card hides the outlines of the cards below it."""
    thickness = max(1, round(_LINE_WIDTH * card_width))
    margin = 4 * thickness + round(0.1 * card_width)
    # To save time, only the part of the picture with cards is blended, and each card is drawn in its own box.
    left, top, right, bottom = _bounding_box(np.concatenate(quads), picture.shape, margin)
    if left >= right or top >= bottom:
        return
    part = picture[top:bottom, left:right]
    colours: Image = np.zeros_like(part)
    alpha: Image = np.zeros(part.shape[:2], np.uint8)
    for card, quad in zip(cards, quads, strict=True):
        style, in_part = style_of(card), quad - (left, top)
        path = _outline(in_part)
        cv2.fillPoly(alpha, [_fixed_point(path)], 0, cv2.LINE_8, _SUBPIXEL_BITS)
        x1, y1, x2, y2 = _bounding_box(in_part, part.shape, margin)
        if x1 >= x2 or y1 >= y2:
            continue
        own: Image = np.zeros((y2 - y1, x2 - x1), np.uint8)
        for dash in _dashed(path - (x1, y1), style.dashes, card_width):
            cv2.polylines(own, [_fixed_point(dash)], False, 255, thickness, cv2.LINE_AA, _SUBPIXEL_BITS)
        if card.face_up and not card.under_hand and card.code != FOREIGN:
            cv2.fillPoly(own, [_fixed_point(_tick(in_part) - (x1, y1))], 255, cv2.LINE_AA, _SUBPIXEL_BITS)
        colours[y1:y2, x1:x2][own > 0] = style.colour
        np.maximum(alpha[y1:y2, x1:x2], own, out=alpha[y1:y2, x1:x2])
    # A soft dark rim keeps a bright line visible on a bright table.
    rim = cv2.GaussianBlur(cv2.dilate(alpha, np.ones((3, 3), np.uint8)), (0, 0), max(1.0, 0.8 * thickness))
    shade = np.asarray(255 - _SHADOW_OPACITY * rim, np.uint8)
    shaded = cv2.multiply(part, cv2.merge([shade] * 3), scale=1 / 255)
    background = cv2.multiply(shaded, cv2.merge([255 - alpha] * 3), scale=1 / 255)
    part[:] = cv2.add(background, cv2.multiply(colours, cv2.merge([alpha] * 3), scale=1 / 255))


def _bounding_box(points: Floats, shape: tuple[int, ...], margin: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom around some points with a margin, clipped to the picture."""
    low, high = np.floor(points.min(0)).astype(int) - margin, np.ceil(points.max(0)).astype(int) + margin + 1
    return max(0, int(low[0])), max(0, int(low[1])), min(shape[1], int(high[0])), min(shape[0], int(high[1]))


def _outline(quad: Floats) -> Floats:
    """The edge of a card with round corners, as a closed path."""
    width, height = _CARD_MM
    radius = _CORNER_RADIUS * width
    centres = ((radius, radius), (width - radius, radius), (width - radius, height - radius), (radius, height - radius))
    points = []
    for corner, (x, y) in enumerate(centres):
        for step in range(7):
            angle = np.pi * (1 + corner / 2 + step / 12)
            points.append((x + radius * np.cos(angle), y + radius * np.sin(angle)))
    points.append(points[0])
    return _in_picture(quad, np.array(points))


def _tick(quad: Floats) -> Floats:
    """A small triangle at the centre of the top edge that points up."""
    width = _CARD_MM[0]
    return _in_picture(quad, np.array([(width / 2 - 4.4, 0.4), (width / 2 + 4.4, 0.4), (width / 2, -4.6)]))


def _in_picture(quad: Floats, points_mm: Floats) -> Floats:
    """Points of a card, in the picture where the card has these corners."""
    width, height = _CARD_MM
    card = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    homography = cv2.getPerspectiveTransform(card, quad.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(points_mm.reshape(-1, 1, 2), homography), float).reshape(-1, 2)


def _dashed(path: Floats, dashes: Dashes, card_width: float) -> list[Floats]:
    """A closed path cut into dashes that divide it evenly."""
    if not dashes:
        return [path]
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    repeats = max(1, round(along[-1] / (sum(dashes) * card_width)))
    stretch = along[-1] / (repeats * sum(dashes))
    drawn, start = [], 0.0
    for index, length in enumerate(dashes * repeats):
        end = start + length * stretch
        if index % 2 == 0:
            stops = np.concatenate([[start], along[(along > start) & (along < end)], [end]])
            drawn.append(np.stack([np.interp(stops, along, path[:, axis]) for axis in (0, 1)], 1))
        start = end
    return drawn


def _visible_masks(shape: tuple[int, ...], quads: Sequence[Floats]) -> list[Image]:
    """Small masks of the part of each card that the cards above it leave visible."""
    size = (-(-shape[0] // MASK_SCALE) + 1, -(-shape[1] // MASK_SCALE) + 1)
    masks = []
    covered: Image = np.zeros(size, np.uint8)
    for quad in reversed(quads):
        own: Image = np.zeros(size, np.uint8)
        cv2.fillConvexPoly(own, _fixed_point(quad / MASK_SCALE), 255, cv2.LINE_8, _SUBPIXEL_BITS)
        masks.append(np.asarray(own & ~covered, np.uint8))
        covered |= own
    return masks[::-1]


def _draw_leader(picture: Image, position: LabelPosition, size: Size, colour: Colour, thickness: int) -> None:
    """A line from a label to its card."""
    inset = size[1] / 2
    start = (
        float(np.clip(position.anchor[0], position.left + inset, position.left + size[0] - inset)),
        float(np.clip(position.anchor[1], position.top + inset, position.top + size[1] - inset)),
    )
    line = _fixed_point(np.array([start, position.anchor]))
    cv2.polylines(picture, [line], False, PLATE_COLOUR, thickness + 2, cv2.LINE_AA, _SUBPIXEL_BITS)
    cv2.polylines(picture, [line], False, colour, thickness, cv2.LINE_AA, _SUBPIXEL_BITS)


def _draw_label(picture: Image, text: Image, position: LabelPosition, size: Size, colour: Colour, font_px: int) -> None:
    """A rounded plate with a dot in the card's colour and the text."""
    width, height = size
    plate: Image = np.zeros((_SUPERSAMPLING * height, _SUPERSAMPLING * width), np.uint8)
    radius = _SUPERSAMPLING * height // 2
    last = _SUPERSAMPLING * width - radius - 1
    cv2.circle(plate, (radius, radius), radius - 1, 255, -1)
    cv2.circle(plate, (last, radius), radius - 1, 255, -1)
    cv2.rectangle(plate, (radius, 0), (last, _SUPERSAMPLING * height), 255, -1)
    dot: Image = np.zeros_like(plate)
    cv2.circle(dot, (round(2.2 * font_px), radius), round(0.9 * font_px), 255, -1)
    words: Image = np.zeros((height, width), np.uint8)
    top, left = (height - text.shape[0]) // 2, round(0.9 * font_px)
    words[top : top + text.shape[0], left : left + text.shape[1]] = text
    layers = (
        (_scaled_down(plate), PLATE_COLOUR, _PLATE_OPACITY),
        (_scaled_down(dot), colour, 1.0),
        (words, TEXT_COLOUR, 1.0),
    )
    # A label may reach over the border of the picture.
    x1, y1 = max(0, position.left), max(0, position.top)
    x2, y2 = min(picture.shape[1], position.left + width), min(picture.shape[0], position.top + height)
    if x1 >= x2 or y1 >= y2:
        return
    area = picture[y1:y2, x1:x2].astype(np.float32)
    rows, columns = slice(y1 - position.top, y2 - position.top), slice(x1 - position.left, x2 - position.left)
    for mask, tint, opacity in layers:
        alpha = mask[rows, columns, None].astype(np.float32) / 255
        area += (np.array(tint, np.float32) - area) * (alpha * opacity)
    picture[y1:y2, x1:x2] = np.clip(area + 0.5, 0, 255).astype(np.uint8)


def _scaled_down(mask: Image) -> Image:
    """A supersampled mask at its final size."""
    size = (mask.shape[1] // _SUPERSAMPLING, mask.shape[0] // _SUPERSAMPLING)
    return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.uint8)


def _fixed_point(points: Floats) -> NDArray[np.int32]:
    """Points in the fixed-point coordinates of OpenCV's drawing functions."""
    return np.round(np.clip(points, -1e5, 1e5) * (1 << _SUBPIXEL_BITS)).astype(np.int32)


def _width(quad: Floats) -> float:
    """The shortest side of a card, but no less than 4 px."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return max(4.0, float(sides.min()))
