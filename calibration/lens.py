"""The lens: its distortion, and how to undo it."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.frames import CalibrationError

Floats = NDArray[np.float64]

_WIDEST_DEG = 80.0
"""Largest angle from the axis that is considered: wider rays would need an endless flat picture."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A calibrated lens; pixels are those of a picture of `size_px`."""

    size_px: tuple[int, int]
    focal_px: tuple[float, float]
    centre_px: tuple[float, float]
    distortion: tuple[float, ...]
    """As OpenCV writes them: k1 k2 p1 p2 k3 (and k4 k5 k6) for the standard model, k1 k2 k3 k4 for the fisheye."""
    fisheye: bool = False
    rms_px: float = 0.0
    """The RMS residual of the views."""
    views: int = 0

    @property
    def matrix(self) -> Floats:
        """The pinhole matrix."""
        return np.array(
            [[self.focal_px[0], 0, self.centre_px[0]], [0, self.focal_px[1], self.centre_px[1]], [0, 0, 1]], float
        )

    def undistort(self, pixels: Floats) -> Floats:
        """Undistorted positions of points of the picture, with the same pinhole matrix; n x 2."""
        wanted = (np.asarray(pixels, float).reshape(-1, 2) - self.centre_px) / self.focal_px
        straight, bent = _radii(self.distortion, self.fisheye)
        length = np.linalg.norm(wanted, axis=1)
        inside = np.minimum(length, bent[-1])
        rays = wanted * _ratio(np.interp(inside, bent, straight), inside) * _ratio(length, inside)
        # Newton's method also removes the tangential part, even where OpenCV's iteration diverges.
        for _ in range(0 if self.fisheye else 4):
            rays = rays - self._newton_step(rays, wanted)
        return np.asarray(rays * self.focal_px + self.centre_px, float)

    def distort(self, pixels: Floats) -> Floats:
        """The inverse of `undistort`."""
        rays = (np.asarray(pixels, float).reshape(-1, 2) - self.centre_px) / self.focal_px
        return np.asarray(self._bend_rays(rays) * self.focal_px + self.centre_px, float)

    def scaled(self, size_px: tuple[int, int]) -> "Lens":
        """The same lens for pictures of another resolution with the same field of view."""
        across, down = size_px[0] / self.size_px[0], size_px[1] / self.size_px[1]
        if size_px[0] <= 0 or abs(across / down - 1) > 0.005:
            raise CalibrationError(
                f"the lens was calibrated with pictures of {self.size_px[0]} x {self.size_px[1]}, this one has "
                f"{size_px[0]} x {size_px[1]}: another shape shows another part of the sensor; calibrate the lens "
                f"again with pictures of this size"
            )
        # The centre of the first pixel is half a pixel from the edge at every resolution.
        return replace(
            self,
            size_px=size_px,
            focal_px=(self.focal_px[0] * across, self.focal_px[1] * down),
            centre_px=((self.centre_px[0] + 0.5) * across - 0.5, (self.centre_px[1] + 0.5) * down - 0.5),
            rms_px=self.rms_px * across,
        )

    @property
    def width_deg(self) -> float:
        """The horizontal field of view."""
        row = self.centre_px[1]
        ends = (self.undistort(np.array([[0.0, row], [self.size_px[0] - 1.0, row]])) - self.centre_px) / self.focal_px
        return float(np.rad2deg(np.arctan(ends[1, 0]) - np.arctan(ends[0, 0])))

    @property
    def folds(self) -> bool:
        """Whether the distortion folds the picture over inside its frame, where it has no inverse."""
        width, height = self.size_px
        corners = np.array([(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)])
        furthest = np.linalg.norm((corners - self.centre_px) / self.focal_px, axis=1).max()
        return bool(furthest > _radii(self.distortion, self.fisheye)[1][-1])

    def _bend_rays(self, rays: Floats) -> Floats:
        straight, _ = _radii(self.distortion, self.fisheye)
        length = np.linalg.norm(rays, axis=1)
        # A model means nothing behind its fold and would bring far points back into the picture: there it goes on
        # in proportion.
        inside = np.minimum(length, straight[-1])
        near = rays * _ratio(inside, length)
        bent = near * _ratio(_bent_radius(inside, self.distortion, self.fisheye), inside)
        if not self.fisheye:
            p1, p2 = self.distortion[2:4]
            x, y, square = near[:, 0], near[:, 1], inside**2
            bent = bent + np.stack(
                [2 * p1 * x * y + p2 * (square + 2 * x * x), p1 * (square + 2 * y * y) + 2 * p2 * x * y], 1
            )
        return np.asarray(bent * _ratio(length, inside), float)

    def _newton_step(self, rays: Floats, wanted: Floats) -> Floats:
        x, y = np.eye(2) * 1e-4
        right = (self._bend_rays(rays + x) - self._bend_rays(rays - x)) / 2e-4
        down = (self._bend_rays(rays + y) - self._bend_rays(rays - y)) / 2e-4
        off = self._bend_rays(rays) - wanted
        area = right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]
        # Close to a fold a full step would leave the picture.
        area = np.maximum(area, 1e-3)
        step_x = (off[:, 0] * down[:, 1] - off[:, 1] * down[:, 0]) / area
        step_y = (right[:, 0] * off[:, 1] - right[:, 1] * off[:, 0]) / area
        return np.clip(np.stack([step_x, step_y], 1), -0.05, 0.05)


@lru_cache(maxsize=16)
def _radii(distortion: tuple[float, ...], fisheye: bool) -> tuple[Floats, Floats]:
    """Undistorted and distorted radii, from 0 to where the model folds over."""
    straight = np.tan(np.linspace(0, np.deg2rad(_WIDEST_DEG), 8192))
    bent = _bent_radius(straight, distortion, fisheye)
    falling = np.flatnonzero(np.diff(bent) <= 0)
    end = max(int(falling[0]), 1) + 1 if len(falling) else len(bent)
    return straight[:end], bent[:end]


def _bent_radius(straight: Floats, distortion: tuple[float, ...], fisheye: bool) -> Floats:
    if fisheye:
        angle = np.arctan(straight)
        k1, k2, k3, k4 = distortion
        return np.asarray(angle * (1 + k1 * angle**2 + k2 * angle**4 + k3 * angle**6 + k4 * angle**8), float)
    k1, k2, _, _, k3, k4, k5, k6 = (*distortion, *(0.0,) * 8)[:8]
    square = straight**2
    above = 1 + square * (k1 + square * (k2 + square * k3))
    below = 1 + square * (k4 + square * (k5 + square * k6))
    return np.asarray(straight * above / below, float)


def _ratio(above: Floats, below: Floats) -> Floats:
    """The quotient as a column; 1 at the very centre."""
    return np.asarray(np.where(below > 1e-12, above / np.maximum(below, 1e-12), 1.0)[:, None], float)
