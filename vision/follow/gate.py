"""The motion gate: a cheap comparison of every frame, so that the networks rest while nothing changes."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame, Image
from vision.follow.tuning import (
    CONTRAST_GAIN_RANGE,
    CREEP_CHECK_INTERVAL_S,
    DARK_OFFSET,
    GATE_WIDTH_PX,
    GATE_WINDOW_PX,
    MAX_NOISE_LEVELS,
    MIN_CHANGED_SHARE,
    MIN_LIGHT_CHANGE,
    MIN_NOISE_POWER_RATIO,
    MIN_STRUCTURE_CHANGE,
    MIN_STRUCTURE_DIFFERENCE,
    MOTION_BASELINE_S,
    NOISE_SAMPLING_STEP,
)
from vision.table import Point

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Motion:
    """The difference of one frame from earlier ones."""

    moving: bool
    """Something differs from a moment ago."""
    changed: bool
    """Something differs from the last close look."""
    lit: bool
    """The light differs from a moment ago."""


@dataclass(frozen=True, slots=True)
class _Structure:
    """The structure of a small grey picture: the deviation of each point from its surroundings, relative to them."""

    at_s: float
    light: Floats
    contrast: Floats
    energy: Floats


class Gate:
    """Compares every frame with a moment ago and with the last close look, and ignores changes of light."""

    def __init__(self, outline_px: tuple[Point, ...] = ()) -> None:
        """Only the inside of the outline, in pixels of the frame, counts: people around a table always move."""
        self._outline_px = outline_px
        self._inside: Mask | None = None
        self._recent: _Structure | None = None
        self._looked_at: _Structure | None = None
        self._now: _Structure | None = None
        self._changed = True
        self._checked_s = 0.0

    def compare(self, frame: Frame) -> Motion:
        """The difference of a frame from earlier ones; everything in the first frame is new."""
        now, recent, looked_at = _structure(frame), self._recent, self._looked_at
        same_size = self._now is not None and self._now.contrast.shape == now.contrast.shape
        self._now = now
        if recent is None or not same_size:
            self._recent, self._looked_at, self._inside = now, None, self._inside_mask(frame.image, now)
            self._changed = True
            return Motion(True, True, False)
        moving, lit = self._differs(now, recent), self._is_relit(now, recent)
        if looked_at is not None and (moving or not CREEP_CHECK_INTERVAL_S > now.at_s - self._checked_s >= 0):
            self._changed, self._checked_s = self._differs(now, looked_at), now.at_s
            if not moving and not self._changed and self._is_relit(now, looked_at):
                # The same table in another light: from here on frames are compared with this light.
                self._looked_at = now
        if not MOTION_BASELINE_S > now.at_s - recent.at_s >= 0:
            self._recent = now
        return Motion(moving, self._changed, lit)

    def mark_looked(self) -> None:
        """Compare with the last frame from now on: it was looked at closely."""
        if self._now is not None:
            self._looked_at, self._changed, self._checked_s = self._now, False, self._now.at_s

    def _inside_mask(self, image: Image, now: _Structure) -> Mask:
        inside: Image = np.zeros(now.contrast.shape, np.uint8)
        if not self._outline_px:
            return np.asarray(inside == 0)
        scale = now.contrast.shape[1] / image.shape[1]
        corners = (np.array(self._outline_px) + 0.5) * scale - 0.5
        cv2.fillPoly(inside, [np.round(corners).astype(np.int32)], 1)
        return np.asarray(inside > 0)

    def _differs(self, now: _Structure, then: _Structure) -> bool:
        """Whether enough of the view has another structure."""
        both = _window_mean(cv2.multiply(now.contrast, then.contrast))
        gain = np.clip(both / (then.energy + 1e-9), *CONTRAST_GAIN_RANGE)
        rest = now.energy - 2 * gain * both + gain * gain * then.energy
        # Most of a table does not move, so the median difference is noise; in grey levels noise is alike everywhere.
        power = cv2.multiply(now.light, now.light)
        noise = float(np.median((rest * power)[::NOISE_SAMPLING_STEP, ::NOISE_SAMPLING_STEP]))
        least = np.maximum(MIN_STRUCTURE_DIFFERENCE**2, min(MAX_NOISE_LEVELS**2, noise) * MIN_NOISE_POWER_RATIO / power)
        other = (rest > least) & (rest > MIN_STRUCTURE_CHANGE * cv2.max(now.energy, then.energy))
        assert self._inside is not None, "the first frame sets the mask"
        return bool(np.count_nonzero(other & self._inside) > MIN_CHANGED_SHARE * rest.size)

    def _is_relit(self, now: _Structure, then: _Structure) -> bool:
        """Whether the light has changed."""
        assert self._inside is not None, "the first frame sets the mask"
        few = np.s_[::NOISE_SAMPLING_STEP, ::NOISE_SAMPLING_STEP]
        ratio = np.abs(np.log(now.light[few] / then.light[few]))[self._inside[few]]
        return bool(ratio.size and np.median(ratio) > MIN_LIGHT_CHANGE)


def _structure(frame: Frame) -> _Structure:
    height, width = frame.image.shape[:2]
    size = (GATE_WIDTH_PX, max(1, round(GATE_WIDTH_PX * height / width)))
    # Sixteen points for each small pixel: averaging all of them costs ten times as much and shows no more.
    twice = cv2.resize(frame.image, (2 * size[0], 2 * size[1]), interpolation=cv2.INTER_LINEAR)
    grey = cv2.cvtColor(twice, cv2.COLOR_BGR2GRAY) if twice.ndim == 3 else twice
    small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.float32)
    light = _window_mean(small) + np.float32(DARK_OFFSET)
    contrast = np.asarray((small + np.float32(DARK_OFFSET)) / light - 1, np.float32)
    return _Structure(frame.at_s, light, contrast, _window_mean(cv2.multiply(contrast, contrast)))


def _window_mean(values: cv2.typing.MatLike) -> Floats:
    """The mean over the window around every point."""
    return np.asarray(cv2.blur(values, (GATE_WINDOW_PX, GATE_WINDOW_PX)), np.float32)
