"""A contact sheet: every view of a taught deck with its number and its code."""

from pathlib import Path

import cv2
import numpy as np

from device.teaching.folder import read_view
from models.crops import Image
from models.taught import TaughtDeck, View

TILE_PX, CAPTION_PX, COLUMNS = (126, 176), 34, 10
_INK, _DOUBT, _PAPER = (30, 30, 30), (30, 30, 200), 250


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
    cv2.putText(tile, view.name, (4, TILE_PX[1] + 29), face, 0.36, (130, 130, 130), 1, cv2.LINE_AA)
    return tile
