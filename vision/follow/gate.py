"""The gate: a cheap look at every frame, so that the networks rest while nothing changes."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame, Image
from vision.table import Point

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

WIDTH_PX = 256
"""How wide the small picture is: 3 mm on a table of a metre are still three quarters of a pixel."""
WINDOW_PX = 9
"""Brightness is what is even over such a window, structure what is not."""
APART_S = 0.09
"""What moves is compared with how it was so long ago; from one frame to the next slow hands would stand still."""
CHECK_S = 0.25
"""Only what creeps escapes that comparison: the one with the last look is made so often while nothing moves."""
_DARK = 16.0
"""Added to the brightness, so that the noise of black is no structure."""
_GAINS = (0.55, 1.8)
"""Another light or exposure changes the contrast of what stays by so much at most."""
_LEAST = 0.025
"""Structure that differs by less than such a part of the brightness is not seen."""
_NOISY = 7.0
"""What differs must stand out from the noise so many times, in power."""
_NOISIEST = 3.0
"""More grey levels than this, after averaging, are no noise."""
_OTHER = 0.14
"""The part of the structure in a window that must be another."""
_PATCH = 0.0015
"""The part of the view that must be different."""
_BRIGHTER = 0.08
"""From such a part on brightness is said to have changed."""
_EVERY = 5
"""Noise and light are measured at every so-many-th point each way."""


@dataclass(frozen=True, slots=True)
class Motion:
    """What one frame says without being looked at closely."""

    moving: bool
    """Something is not where it was a moment ago."""
    changed: bool
    """Something is not where it was when the table was last looked at."""
    lit: bool
    """The light is not what it was a moment ago."""


@dataclass(frozen=True, slots=True)
class _Glance:
    """The structure of a small grey picture: how much each point differs from around it, as a part of brightness."""

    at_s: float
    light: Floats
    contrast: Floats
    energy: Floats


class Gate:
    """Compares every frame with a moment ago and with the last close look; blind to light, as far as that goes."""

    def __init__(self, outline_px: tuple[Point, ...] = ()) -> None:
        """Only what is inside the outline, in pixels of the frame, counts: people around a table always move."""
        self._outline_px = outline_px
        self._inside: Mask | None = None
        self._recent: _Glance | None = None
        self._looked: _Glance | None = None
        self._now: _Glance | None = None
        self._changed = True
        self._checked_s = 0.0

    def see(self, frame: Frame) -> Motion:
        """What is different; the first frame is all new."""
        now, recent, looked = _glance(frame), self._recent, self._looked
        same_size = self._now is not None and self._now.contrast.shape == now.contrast.shape
        self._now = now
        if recent is None or not same_size:
            self._recent, self._looked, self._inside = now, None, self._seen_part(frame.image, now)
            self._changed = True
            return Motion(True, True, False)
        moving, lit = self._differ(now, recent), self._brighter(now, recent)
        if looked is not None and (moving or not CHECK_S > now.at_s - self._checked_s >= 0):
            self._changed, self._checked_s = self._differ(now, looked), now.at_s
            if not moving and not self._changed and self._brighter(now, looked):
                # The same table in another light: from here on it is compared in this one.
                self._looked = now
        if not APART_S > now.at_s - recent.at_s >= 0:
            self._recent = now
        return Motion(moving, self._changed, lit)

    def looked(self) -> None:
        """The last frame is what the table is compared with from now on."""
        if self._now is not None:
            self._looked, self._changed, self._checked_s = self._now, False, self._now.at_s

    def _seen_part(self, image: Image, now: _Glance) -> Mask:
        inside: Image = np.zeros(now.contrast.shape, np.uint8)
        if not self._outline_px:
            return np.asarray(inside == 0)
        scale = now.contrast.shape[1] / image.shape[1]
        corners = (np.array(self._outline_px) + 0.5) * scale - 0.5
        cv2.fillPoly(inside, [np.round(corners).astype(np.int32)], 1)
        return np.asarray(inside > 0)

    def _differ(self, now: _Glance, then: _Glance) -> bool:
        """Whether a patch of the view has another structure."""
        both = _windowed(cv2.multiply(now.contrast, then.contrast))
        gain = np.clip(both / (then.energy + 1e-9), *_GAINS)
        rest = now.energy - 2 * gain * both + gain * gain * then.energy
        # Most of a table does not move: what differs at most points is noise, as many grey levels in light as in dark.
        power = cv2.multiply(now.light, now.light)
        noise = float(np.median((rest * power)[::_EVERY, ::_EVERY]))
        least = np.maximum(_LEAST**2, min(_NOISIEST**2, noise) * _NOISY / power)
        other = (rest > least) & (rest > _OTHER * cv2.max(now.energy, then.energy))
        assert self._inside is not None, "a gate that compares has seen a frame"
        return bool(np.count_nonzero(other & self._inside) > _PATCH * rest.size)

    def _brighter(self, now: _Glance, then: _Glance) -> bool:
        assert self._inside is not None, "a gate that compares has seen a frame"
        few = np.s_[::_EVERY, ::_EVERY]
        ratio = np.abs(np.log(now.light[few] / then.light[few]))[self._inside[few]]
        return bool(ratio.size and np.median(ratio) > _BRIGHTER)


def _glance(frame: Frame) -> _Glance:
    height, width = frame.image.shape[:2]
    size = (WIDTH_PX, max(1, round(WIDTH_PX * height / width)))
    # Sixteen points for each small pixel: averaging all of them costs ten times as much and shows no more.
    twice = cv2.resize(frame.image, (2 * size[0], 2 * size[1]), interpolation=cv2.INTER_LINEAR)
    grey = cv2.cvtColor(twice, cv2.COLOR_BGR2GRAY) if twice.ndim == 3 else twice
    small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.float32)
    light = _windowed(small) + np.float32(_DARK)
    contrast = np.asarray((small + np.float32(_DARK)) / light - 1, np.float32)
    return _Glance(frame.at_s, light, contrast, _windowed(cv2.multiply(contrast, contrast)))


def _windowed(values: cv2.typing.MatLike) -> Floats:
    """The mean over the window around every point."""
    return np.asarray(cv2.blur(values, (WINDOW_PX, WINDOW_PX)), np.float32)
