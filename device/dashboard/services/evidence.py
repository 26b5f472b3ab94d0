"""Evidence: pictures of the table before and after each ruling."""

from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import cv2
import numpy as np

from calibration.frames import Frame, Image
from calibration.rig import Rig
from calibration.table import mm_to_pixels
from device.dashboard.services.pictures import jpeg

MOST_LINES = 120
"""Rulings whose pictures are kept: a few more than are shown."""
MOST_TABLES = 6
"""Tables without a ruling whose pictures are kept."""
MOST_WAITING = 4
"""Pictures that may wait to be packed; beyond that a table gets no picture."""
QUALITY = 85
AROUND_MM = 35.0
"""Margin around the cards that changed, in mm."""
LEAST_PX = 160
_MOVED_MM = 8.0

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class RulingPictures:
    """The evidence of a ruling: the frames of two tables, and the box where they differ."""

    before: int | None
    after: int
    box_mm: Box | None


@dataclass(frozen=True, slots=True)
class _StillTable:
    """A still table: its frame and its cards."""

    frame: int
    cards: tuple[dict[str, Any], ...]


class EvidenceStore:
    """Keeps pictures of tables, packed as JPEG in a thread of its own."""

    def __init__(self, rig: Rig | None) -> None:
        self._rig = rig
        self._packer = ThreadPoolExecutor(1, "evidence")
        self._lock = Lock()
        self._packed: OrderedDict[int, Future[bytes]] = OrderedDict()
        self._lines: OrderedDict[int, RulingPictures] = OrderedDict()
        self._ruled: _StillTable | None = None
        """The table of the last ruling."""
        self._last: _StillTable | None = None
        self._before: _StillTable | None = None
        """The table before the last one."""

    def table(self, frame: Frame, data: dict[str, Any]) -> None:
        """Keep the picture of a still table. Returns at once; if packing does not keep up, the picture is left out."""
        cards = tuple(card for card in data.get("cards") or () if isinstance(card, dict))
        with self._lock:
            same = self._last is not None and self._last.frame == frame.index
            if not same:
                self._before = self._last
            self._last = _StillTable(frame.index, cards)
            waiting = sum(not packed.done() for packed in self._packed.values())
            if not same and waiting < MOST_WAITING:
                self._packed[frame.index] = self._packer.submit(jpeg, frame.image, None, QUALITY)
            self._forget()

    def ruling(self, line: int) -> bool:
        """Link a ruling to the newest table; returns whether there is a picture."""
        with self._lock:
            after = self._last
            if after is None or after.frame not in self._packed:
                return False
            ruled_before = self._ruled is not None and self._ruled.frame != after.frame
            before = self._ruled if ruled_before else self._before
            if before is not None and before.frame not in self._packed:
                before = None
            box_mm = None if before is None else _around(changed(before.cards, after.cards))
            self._lines[line] = RulingPictures(None if before is None else before.frame, after.frame, box_mm)
            while len(self._lines) > MOST_LINES:
                self._lines.popitem(last=False)
            self._ruled = after
            return True

    def picture(self, line: int, after: bool, whole: bool) -> bytes | None:
        """The picture before or after a ruling, cropped to the change or whole; None if there is none."""
        with self._lock:
            shown = self._lines.get(line)
            frame = None if shown is None else shown.after if after else shown.before
            packed = None if frame is None else self._packed.get(frame)
        if shown is None or packed is None:
            return None
        data = packed.result()
        box_px = None if whole or shown.box_mm is None else self._pixels(shown.box_mm)
        if box_px is None:
            return data
        image: Image = np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
        return jpeg(_cut(image, box_px), None, QUALITY)

    def close(self) -> None:
        """Stop packing."""
        self._packer.shutdown(wait=False, cancel_futures=True)

    def _forget(self) -> None:
        wanted = {frame for shown in self._lines.values() for frame in (shown.before, shown.after)}
        wanted |= {table.frame for table in (self._ruled, self._last, self._before) if table is not None}
        spare = [frame for frame in self._packed if frame not in wanted]
        for frame in spare[: max(0, len(spare) - MOST_TABLES)]:
            self._packed.pop(frame).cancel()

    def _pixels(self, box_mm: Box) -> Box | None:
        if self._rig is None or self._rig.lens is None or self._rig.table is None:
            return None
        left, top, right, bottom = box_mm
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
        points = mm_to_pixels(corners, self._rig.lens, self._rig.table)
        (x1, y1), (x2, y2) = points.min(0), points.max(0)
        return float(x1), float(y1), float(x2), float(y2)


def changed(before: Iterable[dict[str, Any]], after: Iterable[dict[str, Any]]) -> list[Any]:
    """The corners of cards that came, went, moved or changed."""
    old, new = ({card["track"]: card for card in cards} for cards in (before, after))
    spots = []
    for track in old.keys() | new.keys():
        one, other = old.get(track), new.get(track)
        if one is None or other is None or _differ(one, other):
            spots += [card["corners_mm"] for card in (one, other) if card is not None]
    return spots


def _differ(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if (one["code"], one["face_up"], one["zone"]) != (other["code"], other["face_up"], other["zone"]):
        return True
    pairs = zip(one["corners_mm"], other["corners_mm"], strict=True)
    return any(abs(a[0] - b[0]) + abs(a[1] - b[1]) > _MOVED_MM for a, b in pairs)


def _around(spots: list[Any]) -> Box | None:
    points = [point for corners in spots for point in corners]
    if not points:
        return None
    across, down = [point[0] for point in points], [point[1] for point in points]
    return min(across) - AROUND_MM, min(down) - AROUND_MM, max(across) + AROUND_MM, max(down) + AROUND_MM


def _cut(image: Image, box_px: Box) -> Image:
    """A crop that stays inside the picture and is never tiny."""
    height, width = image.shape[:2]
    (left, right), (top, bottom) = _span(box_px[0], box_px[2], width), _span(box_px[1], box_px[3], height)
    return np.ascontiguousarray(image[top:bottom, left:right])


def _span(low: float, high: float, size: int) -> tuple[int, int]:
    missing = max(0.0, LEAST_PX - (high - low)) / 2
    start = int(max(0, min(low - missing, size - LEAST_PX)))
    return start, int(min(size, max(high + missing, start + min(size, LEAST_PX))))
