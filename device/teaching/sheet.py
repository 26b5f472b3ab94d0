"""Pictures for the person who teaches: a contact sheet of all views, and two views side by side."""

from pathlib import Path

import cv2
import numpy as np

from device.teaching.folder import read_view
from models.crops import CROP_PX, Image
from models.taught import TaughtDeck, View
from vision.unknown.teaching import difference_levels
from vision.unknown.tuning import MIN_DIFFERENCE_LEVELS, RIM

TILE_PX, CAPTION_PX, COLUMNS = (126, 176), 34, 10
PAIR_SCALE, PAIR_GAP_PX, MIN_BOX_PX = 3, 12, 3
"""Enlargement of the crops that are shown side by side, the gap between them, and the smallest difference marked."""
_INK, _DOUBT, _PAPER, _MARK = (30, 30, 30), (30, 30, 200), 250, (200, 0, 220)


def contact_sheet(home: Path, taught: TaughtDeck) -> Image:
    """All views: unnamed ones first, then card by card, backs last."""
    order = [*taught.waiting, *(view for code in taught.codes for view in taught.of(code)), *taught.of("back")]
    tiles = [_tile(read_view(home, view), view) for view in order]
    columns = max(1, min(COLUMNS, len(tiles)))
    blank = np.full((TILE_PX[1] + CAPTION_PX, TILE_PX[0] + 8, 3), _PAPER, np.uint8)
    tiles += [blank] * (-len(tiles) % columns or (columns if not tiles else 0))
    rows = [np.hstack(tiles[start : start + columns]) for start in range(0, len(tiles), columns)]
    return np.asarray(np.vstack(rows), np.uint8)


def _tile(image: Image, view: View) -> Image:
    tile = np.full((TILE_PX[1] + CAPTION_PX, TILE_PX[0] + 8, 3), _PAPER, np.uint8)
    tile[: TILE_PX[1], 4 : TILE_PX[0] + 4] = cv2.resize(image, TILE_PX, interpolation=cv2.INTER_AREA)
    # OpenCV's fonts have ASCII letters only; others would become question marks.
    code = (view.code or "?").encode("ascii", "replace").decode()
    face, ink = cv2.FONT_HERSHEY_SIMPLEX, _INK if view.code else _DOUBT
    cv2.putText(tile, code[:14], (4, TILE_PX[1] + 15), face, 0.48, ink, 1, cv2.LINE_AA)
    flaws = " ".join(kind for kind, _ in view.flaws)
    cv2.putText(tile, view.name, (4, TILE_PX[1] + 29), face, 0.36, (130, 130, 130), 1, cv2.LINE_AA)
    if view.is_poor:
        cv2.putText(tile, flaws[:14], (40, TILE_PX[1] + 29), face, 0.36, _DOUBT, 1, cv2.LINE_AA)
        cv2.rectangle(tile, (4, 0), (TILE_PX[0] + 3, TILE_PX[1] - 1), _DOUBT, 2)
    return tile


def side_by_side(one: Image, other: Image, captions: tuple[str, str]) -> Image:
    """Two views with the same orientation, and boxes around the places where they differ."""
    size_px = (CROP_PX[0] * PAIR_SCALE, CROP_PX[1] * PAIR_SCALE)
    both = [np.asarray(cv2.resize(view, size_px, interpolation=cv2.INTER_AREA), np.uint8) for view in (one, other)]
    for box in _differing_boxes(one, other):
        x, y, width, height = (PAIR_SCALE * side for side in box)
        for view in both:
            cv2.rectangle(view, (x - 4, y - 4), (x + width + 4, y + height + 4), _MARK, 2, cv2.LINE_AA)
    sheet = np.full((size_px[1] + CAPTION_PX, 2 * size_px[0] + PAIR_GAP_PX, 3), _PAPER, np.uint8)
    for view, caption, x in zip(both, captions, (0, size_px[0] + PAIR_GAP_PX), strict=True):
        sheet[: size_px[1], x : x + size_px[0]] = view
        text = caption.encode("ascii", "replace").decode()
        cv2.putText(sheet, text, (x + 4, size_px[1] + 24), cv2.FONT_HERSHEY_SIMPLEX, 0.7, _INK, 1, cv2.LINE_AA)
    return sheet


def _differing_boxes(one: Image, other: Image) -> list[tuple[int, int, int, int]]:
    """Boxes around the places where two views differ, in pixels of a crop: left, top, width, height."""
    levels = difference_levels(one, other)
    rows, columns = (round(RIM * side) for side in levels.shape)
    inner = np.zeros(levels.shape, np.uint8)
    inner[rows:-rows, columns:-columns] = levels[rows:-rows, columns:-columns] > MIN_DIFFERENCE_LEVELS / 2
    joined = cv2.morphologyEx(inner, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    boxes = cv2.connectedComponentsWithStats(joined)[2][1:, :4].tolist()
    return [(x, y, width, height) for x, y, width, height in boxes if max(width, height) >= MIN_BOX_PX]
