"""The album of an evaluation: pages of missed, invented and misread cards, and a reliability diagram."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import Image
from device.files import OutputError
from device.lab.evaluation.report import mistakes_of
from device.lab.evaluation.score import Judged, Scored, reliability
from device.lab.evaluation.truth import Case
from models.art.lettering import letter_words
from models.cards import own_deck
from models.crops import cut
from models.synth.sprites import FaceSprites
from vision.sightings import Sighting
from vision.table import FOREIGN, Quad

Floats = NDArray[np.float64]
Ink = tuple[int, int, int]
MAX_TILES = 60
"""Maximum number of tiles on a page."""
TILE_PX = (128, 176)
CAPTION_PX = 26
COLUMNS = 4
TRUE_INK, SEEN_INK = (240, 190, 70), (20, 165, 245)
PAPER, TEXT, GREY = (252, 252, 252), (60, 45, 40), (200, 200, 200)
UNKNOWN = "unknown"


class Album:
    """Collects tiles of mistakes, and writes one page of each kind."""

    def __init__(self) -> None:
        self._tiles: dict[str, list[Image]] = {}
        self._sprites: dict[str, FaceSprites] = {}

    def add(self, case: Case, scored: Scored) -> None:
        """Add the mistakes of one picture."""
        for card in scored.cards:
            if not card.counts:
                continue
            reads = case.deck is not None or case.faces is not None
            for what, wrong in mistakes_of(card, reads):
                if wrong and len(self._tiles.setdefault(what, [])) < MAX_TILES:
                    self._tiles[what].append(self._tile(what, case, card))
        for seen in scored.invented:
            tiles = self._tiles.setdefault("invented", [])
            if len(tiles) < MAX_TILES:
                around = context(case.frame.image, ((seen.corners_px, SEEN_INK),))
                tiles.append(captioned(around, f"{case.truth.name}: {_reading(seen)}"))

    def write(self, folder: Path, scored: Sequence[Scored], reads: bool) -> int:
        """Write the pages, and return their number."""
        pages = {what.replace(" ", "-"): page(tiles) for what, tiles in self._tiles.items() if tiles}
        if reads:
            pages["reliability"] = reliability_diagram(card for picture in scored for card in picture.cards)
        for name, picture in pages.items():
            if not cv2.imwrite(str(folder / f"{name}.png"), picture):
                raise OutputError(f"{folder / name}.png: cannot be written")
        return len(pages)

    def _tile(self, what: str, case: Case, card: Judged) -> Image:
        truth, seen = card.truth, card.seen
        true_quad = truth.corners_px or _box_corners(truth.box_px)
        if what != "misread" or seen is None:
            quads = [(true_quad, TRUE_INK)] + ([] if seen is None else [(seen.corners_px, SEEN_INK)])
            return captioned(context(case.frame.image, quads), f"{case.truth.name}: {truth.code or 'back'}")
        crops = [cut(case.frame.image, np.array(seen.corners_px, float), TILE_PX)]
        crops += [self._face(case, code) for code in (truth.code, seen.code)]
        return captioned(np.hstack(crops), f"{case.truth.name}: {truth.code} as {_reading(seen)}")

    def _face(self, case: Case, code: str) -> Image:
        """The correct face of a card; grey if it is not known."""
        blank = np.full((TILE_PX[1], TILE_PX[0], 3), 128, np.uint8)
        if case.faces is not None:
            picture = dict(case.faces.pictures).get(code)
        elif case.deck is not None and code in {card.code for card in own_deck(case.deck).cards}:
            sprites = self._sprites.setdefault(case.deck, FaceSprites(own_deck(case.deck), 2.0))
            picture = np.ascontiguousarray(sprites.face(code).pixels[:, :, :3])
        else:
            picture = None
        return (
            blank
            if picture is None
            else np.asarray(cv2.resize(picture, TILE_PX, interpolation=cv2.INTER_AREA), np.uint8)
        )


def context(image: Image, quads: Sequence[tuple[Quad | Floats, Ink]], room: float = 0.6) -> Image:
    """The part of a picture around some cards, with their outlines; a tick marks the top edge."""
    points = np.concatenate([np.array(quad, float) for quad, _ in quads])
    reach = (points.max(0) - points.min(0)).max() * (0.5 + room)
    middle = (points.max(0) + points.min(0)) / 2
    height = TILE_PX[1]
    width = 3 * TILE_PX[0]
    scale = height / (2 * max(reach, 4.0))
    place = np.array([[scale, 0, width / 2 - scale * middle[0]], [0, scale, height / 2 - scale * middle[1]]])
    tile = np.asarray(cv2.warpAffine(image, place, (width, height), flags=cv2.INTER_AREA), np.uint8)
    for quad, ink in quads:
        flat = np.array(quad, float) @ place[:, :2].T + place[:, 2]
        cv2.polylines(tile, [np.round(flat * 16).astype(np.int32)], True, ink, 1, cv2.LINE_AA, 4)
        top = np.array([flat[0] + (flat[1] - flat[0]) * share for share in (0.4, 0.6)])
        cv2.polylines(tile, [np.round(top * 16).astype(np.int32)], False, ink, 3, cv2.LINE_AA, 4)
    return tile


def captioned(tile: Image, words: str) -> Image:
    """A tile with a caption below it."""
    caption = np.full((CAPTION_PX, tile.shape[1], 3), PAPER, np.uint8)
    _letter(caption, words, 4, 3, 16)
    return np.vstack([tile, caption])


def page(tiles: Sequence[Image]) -> Image:
    """Tiles in rows, with some space between them."""
    height, width = (max(tile.shape[axis] for tile in tiles) + 8 for axis in (0, 1))
    columns = min(COLUMNS, len(tiles))
    rows = -(-len(tiles) // columns)
    sheet: Image = np.full((rows * height + 8, columns * width + 8, 3), PAPER, np.uint8)
    for number, tile in enumerate(tiles):
        top, left = 8 + number // columns * height, 8 + number % columns * width
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    return sheet


def reliability_diagram(cards: Iterable[Judged]) -> Image:
    """Reliability diagram: accuracy of the best guess against its probability; calibrated bars end on the line."""
    rows = reliability(cards)
    total = sum(count for count, _, _ in rows)
    side, left, top = 480, 70, 50
    sheet: Image = np.full((side + 170, side + 110, 3), PAPER, np.uint8)
    error = sum(count * abs(sure - right) for count, sure, right in rows) / max(1, total)
    _letter(sheet, f"{total} readings, ECE {error:.4f}", left, 12, 22)
    step = side / len(rows)
    most = max(1, max(count for count, _, _ in rows))
    for number, (count, _, right) in enumerate(rows):
        x1, x2 = round(left + number * step) + 2, round(left + (number + 1) * step) - 2
        if count:
            cv2.rectangle(sheet, (x1, top + side - round(side * right)), (x2, top + side), TRUE_INK, -1)
            # Counts differ by factors of thousands: a logarithmic scale keeps small ones visible.
            tall = round(46 * np.log1p(count) / np.log1p(most))
            cv2.rectangle(sheet, (x1, top + side + 84 - tall), (x2, top + side + 84), GREY, -1)
    for count, sure, right in rows:
        if count:
            spot = (round(left + side * sure), round(top + side - side * right))
            cv2.circle(sheet, spot, 5, TEXT, -1, cv2.LINE_AA)
    cv2.line(sheet, (left, top + side), (left + side, top), SEEN_INK, 2, cv2.LINE_AA)
    cv2.rectangle(sheet, (left, top), (left + side, top + side), GREY, 1)
    for part in (0.0, 0.5, 1.0):
        _letter(sheet, f"{part:g}", round(left + part * side) - 8, top + side + 6, 16)
        _letter(sheet, f"{part:g}", 34, round(top + side - part * side) - 10, 16)
    _letter(sheet, "how sure; below: how many, logarithmic", left, top + side + 90, 16)
    _letter(sheet, "right", 12, top - 34, 16)
    return sheet


def _letter(sheet: Image, words: str, left: int, top: int, size_px: int) -> None:
    ink = letter_words(words, size_px)
    area = sheet[top : top + ink.shape[0], left : left + ink.shape[1]]
    part = ink[: area.shape[0], : area.shape[1], None].astype(np.float32) / 255
    area[:] = (area * (1 - part) + np.array(TEXT, np.float32) * part + 0.5).astype(np.uint8)


def _reading(seen: Sighting) -> str:
    if not seen.guesses:
        return "face up, not read" if seen.face_up else "back"
    best = seen.guesses[0]
    return f"{best.code if best.code != FOREIGN else UNKNOWN} ({best.probability:.3f})"


def _box_corners(box: tuple[float, float, float, float] | None) -> Floats:
    x1, y1, x2, y2 = box or (0.0, 0.0, 1.0, 1.0)
    return np.array([(x1, y1), (x2, y1), (x2, y2), (x1, y2)], float)
