"""Scrubbing: the stored frame of a recording that is nearest to a time."""

from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Semaphore
from typing import Any

from device.dashboard.refusals import Refusal
from device.dashboard.services.pictures import jpeg
from device.recording.appended import MOST_LINES
from device.recording.described import placed_from
from device.recording.film import FRAMES
from device.recording.folder import Stored
from device.recording.lines import JSON, picked_lines
from device.recording.playback import SessionFrames

WIDTHS = (64, 1920)
GAP_S = 1.5
"""Frames further apart than this, in seconds, have a gap between them."""
MOST_STRETCHES = 2000
_KEPT = 4
_AT_ONCE = 2
"""Pictures that are decoded at the same time; further requests wait."""


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """One frame of a recording as JPEG."""

    jpeg: bytes
    index: int
    at_s: float


@dataclass(frozen=True, slots=True)
class _FrameTimes:
    """The times and indexes of a film's frames, in order."""

    at_s: tuple[float, ...]
    indexes: tuple[int, ...]


class Scrubber:
    """Finds frames; keeps the frame times of the last few films."""

    def __init__(self) -> None:
        self._times: OrderedDict[tuple[Path, int], _FrameTimes] = OrderedDict()
        self._lock = Lock()
        self._turn = Semaphore(_AT_ONCE)

    def shot(self, stored: Stored, at_s: float, width_px: int) -> RecordedFrame:
        """The frame nearest to a time; Refusal 404 if none is stored or it is damaged."""
        times = self.times(stored)
        if not times.at_s:
            raise Refusal(404, "no frame was stored", stored.path.name, "a recording with a video")
        place = bisect_left(times.at_s, at_s)
        near = [number for number in (place - 1, place) if 0 <= number < len(times.at_s)]
        best = min(near, key=lambda number: abs(times.at_s[number] - at_s))
        return self.frame(stored, times.indexes[best], width_px)

    def frame(self, stored: Stored, index: int, width_px: int) -> RecordedFrame:
        """One frame by its index."""
        with self._turn:
            frame = SessionFrames(stored).picture(index)
        if frame is None:
            raise Refusal(404, "that frame is damaged or was not stored", index, "another moment")
        return RecordedFrame(jpeg(frame.image, width_px), frame.index, frame.at_s)

    def times(self, stored: Stored) -> _FrameTimes:
        """The times of a recording's frames."""
        part = stored.part(FRAMES)
        if part is None:
            return _FrameTimes((), ())
        key = (stored.path, part.size)
        with self._lock:
            found = self._times.get(key)
            if found is None:
                placed = [one for one in picked_lines(part.read(MOST_LINES), FRAMES, _moment).values if one]
                placed.sort()
                found = _FrameTimes(tuple(at_s for at_s, _ in placed), tuple(index for _, index in placed))
                self._times[key] = found
                while len(self._times) > _KEPT:
                    self._times.popitem(last=False)
            else:
                self._times.move_to_end(key)
        return found

    def stretches(self, stored: Stored) -> list[JSON]:
        """Stretches of time that are stored without a gap."""
        runs: list[list[float]] = []
        for at_s in self.times(stored).at_s:
            if runs and at_s - runs[-1][1] <= GAP_S:
                runs[-1][1] = round(at_s, 3)
            elif len(runs) < MOST_STRETCHES:
                runs.append([round(at_s, 3)] * 2)
        return [list[JSON](run) for run in runs]


def _moment(line: dict[str, Any]) -> tuple[float, int] | None:
    placed = placed_from(line)
    return None if placed is None else (placed.about.at_s, placed.about.index)
