"""Printing on a card: masks, lettering, frames and inks that all families of foreign decks share."""

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from models.synth.scene import Image
from models.synth.styles import font_path

Ink = tuple[int, int, int]
"""Blue, green and red."""
Place = tuple[float, float]
"""A position on a card, as fractions of its width and height."""

_IN_FONTS = frozenset("0123456789+-?")
"""The characters that the fonts contain."""
_STROKED = tuple(
    (face, thick)
    for face in (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX)
    for thick in (4, 7, 11)
)
"""Stroke fonts and line widths for words."""
LETTER_PX = 96
"""Font size at which lettering is drawn before it is scaled to the card."""
BLACK: Ink = (24, 22, 22)
WHITE: Ink = (250, 252, 253)


def ink_from(hue: float, saturation: float, value: float) -> Ink:
    """A colour from OpenCV's hue (0 to 179), saturation and value (0 to 255)."""
    tone = np.array([[[round(hue) % 180, np.clip(saturation, 0, 255), np.clip(value, 0, 255)]]], np.uint8)
    blue, green, red = (int(part) for part in cv2.cvtColor(tone, cv2.COLOR_HSV2BGR)[0, 0])
    return blue, green, red


def mixed_ink(first: Ink, second: Ink, share: float) -> Ink:
    """A colour between two; share 1 is the second."""
    blue, green, red = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return blue, green, red


def blank(size_px: tuple[int, int], ink: Ink) -> Image:
    """A card in one colour."""
    face = np.empty((size_px[1], size_px[0], 3), np.uint8)
    cv2.rectangle(face, (0, 0), size_px, ink, -1)
    return face


@lru_cache(maxsize=2048)
def lettering(font: str, words: str) -> Image:
    """Text as a mask, cropped to its ink; the fonts have digits only, so words are written in plain strokes."""
    if not set(words) <= _IN_FONTS:
        return _stroked(words, *_STROKED[sum(font.encode()) % len(_STROKED)])
    letters = ImageFont.truetype(str(font_path(font)), LETTER_PX)
    left, top, right, bottom = letters.getbbox(words)
    sheet = Pillow.new("L", (max(1, int(right - left)), max(1, int(bottom - top))))
    ImageDraw.Draw(sheet).text((-left, -top), words, 255, font=letters)
    return np.asarray(sheet, np.uint8)


def _stroked(words: str, face: int, thick: int) -> Image:
    scale, margin = 3.0, 16
    (wide, high), below = cv2.getTextSize(words, face, scale, thick)
    sheet = np.zeros((high + below + 2 * margin, wide + 2 * margin), np.uint8)
    cv2.putText(sheet, words, (margin, high + margin), face, scale, 255, thick, cv2.LINE_AA)
    left, top, wide, high = cv2.boundingRect(sheet)
    return np.ascontiguousarray(sheet[top : top + high, left : left + wide])


def stamp(
    face: Image, mask: Image, at: Place, tall_px: float, ink: Ink, turn_deg: float = 0, widest: float = 1
) -> None:
    """Print a mask centred at a place; it is squeezed where it would be wider than `widest` of the card."""
    width = min(tall_px * mask.shape[1] / mask.shape[0], widest * face.shape[1])
    small = cv2.resize(mask, (max(2, round(width)), max(2, round(tall_px))), interpolation=cv2.INTER_AREA)
    if turn_deg == 180:
        small = small[::-1, ::-1]
    elif turn_deg:
        small = _turned(np.asarray(small, np.uint8), turn_deg)
    press(face, np.asarray(small, np.uint8), at, ink)


def press(face: Image, cover: Image, at: Place, ink: Ink) -> None:
    """Print a mask at its own size, centred at a place; parts outside the card are cut off."""
    high, wide = cover.shape
    left, top = round(at[0] * face.shape[1] - wide / 2), round(at[1] * face.shape[0] - high / 2)
    area = face[max(0, top) : max(0, top + high), max(0, left) : max(0, left + wide)]
    if not area.size:
        return
    cover = cover[max(0, -top) :, max(0, -left) :][: area.shape[0], : area.shape[1]]
    share = cover[:, :, None].astype(np.int32)
    area[:] = (area * (255 - share) + np.array(ink, np.int32) * share + 127) // 255


def stamp_outlined(
    face: Image, mask: Image, at: Place, tall_px: float, inks: Sequence[Ink], turn_deg: float = 0, widest: float = 1
) -> None:
    """Print a mask in the first ink with an outline in the second, and a shadow in the third if there is one."""
    rim = max(2, round(0.035 * tall_px))
    edge = max(1, round(rim * mask.shape[0] / max(tall_px, 1)))
    padded = cv2.copyMakeBorder(mask, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=0)
    wide = np.asarray(cv2.dilate(padded, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * edge + 1,) * 2)), np.uint8)
    grown = tall_px * wide.shape[0] / mask.shape[0]
    widest_grown = widest * wide.shape[1] / mask.shape[1]
    for shadow in inks[2:]:
        off = (at[0] + 1.6 * rim / face.shape[1], at[1] + 1.6 * rim / face.shape[0])
        stamp(face, wide, off, grown, shadow, turn_deg, widest_grown)
    stamp(face, wide, at, grown, inks[1], turn_deg, widest_grown)
    stamp(face, mask, at, tall_px, inks[0], turn_deg, widest)


def slab(
    face: Image, box: tuple[float, float, float, float], ink: Ink, corner_px: float = 0, line_px: int = -1
) -> None:
    """Draw a rectangle with rounded corners, given by fractions of the card; filled, or a line of some width."""
    height, width = face.shape[:2]
    left, top, right, bottom = box[0] * width, box[1] * height, box[2] * width - 1, box[3] * height - 1
    radius = min(corner_px, (right - left) / 2, (bottom - top) / 2)
    if radius < 1:
        cv2.rectangle(face, (round(left), round(top)), (round(right), round(bottom)), ink, line_px, cv2.LINE_AA)
        return
    turns = np.linspace(0, np.pi / 2, 6)
    arc = np.stack([np.sin(turns), 1 - np.cos(turns)], 1) * radius
    above, below = np.array((right - radius, top)), np.array((right - radius, bottom))
    upper = np.concatenate([arc + above, arc[::-1] * (1, -1) + below])
    lower = np.stack([left + right - upper[::-1, 0], upper[::-1, 1]], 1)
    points = np.round(16 * np.concatenate([upper, lower])).astype(np.int32)
    if line_px < 0:
        cv2.fillConvexPoly(face, points, ink, cv2.LINE_AA, 4)
    else:
        cv2.polylines(face, [points], True, ink, line_px, cv2.LINE_AA, 4)


def oval(face: Image, at: Place, axes: Place, turn_deg: float, ink: Ink, line_px: int = -1) -> None:
    """Draw an ellipse; the axes are fractions of the width and height."""
    height, width = face.shape[:2]
    middle = (round(at[0] * width), round(at[1] * height))
    radii = (max(1, round(axes[0] * width)), max(1, round(axes[1] * height)))
    cv2.ellipse(face, middle, radii, turn_deg, 0, 360, ink, line_px, cv2.LINE_AA)


def polygon(face: Image, points: Sequence[Place] | NDArray[np.float64], ink: Ink) -> None:
    """Fill a polygon given by fractions of the width and height."""
    scaled = np.asarray(points, float) * (16 * face.shape[1], 16 * face.shape[0])
    cv2.fillPoly(face, [np.round(scaled).astype(np.int32)], ink, cv2.LINE_AA, 4)


def hatch(face: Image, ink: Ink, step_px: int, slope: float) -> None:
    """Cross the card with parallel lines."""
    height, width = face.shape[:2]
    for start in range(-int(abs(slope) * height), width + int(abs(slope) * height), max(3, step_px)):
        cv2.line(face, (start, 0), (round(start + slope * height), height), ink, max(1, step_px // 4), cv2.LINE_AA)


def _turned(mask: Image, turn_deg: float) -> Image:
    side = int(np.hypot(*mask.shape)) + 2
    turn = np.asarray(cv2.getRotationMatrix2D((mask.shape[1] / 2, mask.shape[0] / 2), -turn_deg, 1), float)
    turn[:, 2] += side / 2 - np.array(mask.shape[::-1]) / 2
    return np.asarray(cv2.warpAffine(mask, turn, (side, side), flags=cv2.INTER_LINEAR), np.uint8)
