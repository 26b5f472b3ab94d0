"""Coverage: the parts of the picture and the slants in which the calibration board has been seen."""

from threading import Lock

import cv2
import numpy as np

from calibration.solution import ENOUGH_VIEWS, GRID
from calibration.views import Glance
from device.recording.lines import JSON

WANTED_VIEWS = 20
PLENTY = 12
"""Board corners that fully cover a part of the picture."""
LEANING = 0.17
"""The sine of 10 degrees: a board that leans by less is flat."""
SLANTS = ("flat", "left", "right", "up", "down")
_SEEN_AT_ONCE = 3


class Coverage:
    """Adds up the views of the board; any thread may read."""

    def __init__(self) -> None:
        self._lock = Lock()
        columns, rows = GRID
        self._grid = np.zeros((rows, columns), np.int64)
        self._slants = dict.fromkeys(SLANTS, 0)
        self._frames = self._with_board = self._blurred = self._different = 0
        self._now: JSON = None

    def note(self, glance: Glance) -> None:
        """One more frame."""
        view = glance.view
        with self._lock:
            self._frames += 1
            self._now = None
            if view is None:
                return
            self._with_board += 1
            width, height = view.size_px
            hull = cv2.convexHull(view.pixels.astype(np.float32)).reshape(-1, 2) / (width, height)
            outline: list[JSON] = [[round(float(x), 4), round(float(y), 4)] for x, y in hull]
            self._now = {"outline": outline, "sharp": glance.tilt is not None}
            if glance.tilt is None:
                self._blurred += 1
                return
            if glance.different > self._different:
                # Only new views count: a board that lies still covers nothing more.
                self._different = glance.different
                columns, rows = GRID
                counts, _, _ = np.histogram2d(
                    view.pixels[:, 1], view.pixels[:, 0], bins=(rows, columns), range=((0, height), (0, width))
                )
                self._grid += counts.astype(np.int64)
                self._slants[slant_of(*glance.tilt)] += 1

    def as_json(self) -> dict[str, JSON]:
        """For the page; shares are 0 to 1, the outline is in parts of the picture."""
        with self._lock:
            grid: list[JSON] = [[min(1.0, round(int(n) / PLENTY, 2)) for n in row] for row in self._grid]
            slants: dict[str, JSON] = {name: min(1.0, n / _SEEN_AT_ONCE) for name, n in self._slants.items()}
            return {
                "frames": self._frames,
                "with_board": self._with_board,
                "blurred": self._blurred,
                "views": self._different,
                "enough": ENOUGH_VIEWS,
                "wanted": WANTED_VIEWS,
                "grid": grid,
                "slants": slants,
                "now": self._now,
            }


def slant_of(right: float, down: float) -> str:
    """The side that a board leans to, by the sines of its slant."""
    if max(abs(right), abs(down)) < LEANING:
        return "flat"
    if abs(right) >= abs(down):
        return "right" if right > 0 else "left"
    return "down" if down > 0 else "up"
