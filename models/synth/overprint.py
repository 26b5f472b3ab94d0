"""Overprints: text, plates and symbols added to the face of a card, in millimetres from its upper left corner."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from models.art.pen import Point
from models.synth.scene import Image
from models.synth.styles import Ink, glyphs

_SUBPIXEL_BITS = 4


@dataclass(frozen=True, slots=True)
class Overprint:
    """Prints on one face; every call changes its pixels."""

    face: Image
    px_per_mm: float
    font: str

    def text(self, words: str, centre_mm: Point, tall_mm: float, ink: Ink, most_wide_mm: float = 30.0) -> None:
        """Print a word around a point, narrowed if it is too wide."""
        mask = glyphs(self.font, words)
        wide_mm = min(tall_mm * mask.shape[1] / mask.shape[0], most_wide_mm)
        size = (max(1, round(wide_mm * self.px_per_mm)), max(1, round(tall_mm * self.px_per_mm)))
        left = round((centre_mm[0] - wide_mm / 2) * self.px_per_mm)
        top = round((centre_mm[1] - tall_mm / 2) * self.px_per_mm)
        area = self.face[max(0, top) : max(0, top + size[1]), max(0, left) : max(0, left + size[0])]
        small = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)[max(0, -top) :, max(0, -left) :]
        share = small[: area.shape[0], : area.shape[1], None] / np.float32(255)
        area[:] = np.round(area * (1 - share) + np.array(ink, np.float32) * share)

    def shape(self, points_mm: Sequence[Point], ink: Ink) -> None:
        """Print a filled polygon."""
        points = np.round(np.array(points_mm) * self.px_per_mm * (1 << _SUBPIXEL_BITS)).astype(np.int32)
        cv2.fillPoly(self.face, [points], ink, cv2.LINE_AA, _SUBPIXEL_BITS)

    def plate(self, centre_mm: Point, size_mm: Point, ink: Ink, edge: Ink | None = None) -> None:
        """Print a filled rectangle, with a thin edge if it has its own ink."""
        x, y = size_mm[0] / 2, size_mm[1] / 2
        corners = [(centre_mm[0] + a * x, centre_mm[1] + b * y) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        self.shape(corners, ink)
        if edge is not None:
            points = np.round(np.array(corners) * self.px_per_mm).astype(np.int32)
            cv2.polylines(self.face, [points], True, edge, max(1, round(0.4 * self.px_per_mm)), cv2.LINE_AA)

    def disc(self, centre_mm: Point, radius_mm: float, ink: Ink) -> None:
        """Print a filled circle."""
        scale = self.px_per_mm * (1 << _SUBPIXEL_BITS)
        centre = round(centre_mm[0] * scale), round(centre_mm[1] * scale)
        cv2.circle(self.face, centre, round(radius_mm * scale), ink, -1, cv2.LINE_AA, _SUBPIXEL_BITS)


def half_turned(face: Image) -> Image:
    """The face turned by 180 degrees."""
    return np.ascontiguousarray(face[::-1, ::-1])
