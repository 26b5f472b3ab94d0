"""The solution: the lens from a set of views, whether it can be trusted, and how to improve it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.boards import FEWEST_CORNERS, BoardView
from calibration.fits import Fit, LensModel, fit_lens, held_out_errors, sigmas
from calibration.frames import CalibrationError
from calibration.lens import Lens

Floats = NDArray[np.float64]

FEWEST_VIEWS = 6
"""Minimum number of views."""
ENOUGH_VIEWS = 10
MOST_RMS_PX = 0.6
MOST_FOCAL_SHARE = 0.0015
"""Largest standard deviation of the focal length, relative to it."""
MOST_CENTRE_SHARE = 0.0012
"""Largest standard deviation of the centre, relative to the picture's width: 2 px of 1640."""
LEAST_COVER = 0.75
GRID = (6, 4)
_HOPELESS_RMS_PX = 3.0
_ROUNDS = 6
_GAIN = 0.03
"""Relative improvement that a richer model must bring."""


@dataclass(frozen=True, slots=True)
class LensResult:
    """A lens with everything that is known about its quality."""

    lens: Lens
    model: LensModel
    per_view_errors_px: tuple[tuple[str, float], ...]
    """The name and RMS of every view that was used."""
    coverage: tuple[tuple[int, ...], ...]
    """The number of corners in every cell of the frame, row by row."""
    dropped: tuple[str, ...]
    """Views that do not agree with the others, and their errors."""
    dropped_points: int
    sigma_focal_px: float
    sigma_centre_px: float
    held_out_px: tuple[tuple[LensModel, float], ...]
    """The error of each candidate model on held-out views."""
    advice: tuple[str, ...]
    """Advice, most important first; also for a lens that can be trusted."""
    trusted: bool

    @property
    def cover_share(self) -> float:
        """The share of the frame in which the board was seen."""
        return float((np.array(self.coverage) > 0).mean())


def solve_lens(views: Sequence[BoardView], size_px: tuple[int, int]) -> LensResult:
    """The lens of these views; views that contradict the others are dropped."""
    _refuse_unusable(views, size_px)
    kept, _, _ = _without_outliers(views, size_px, LensModel.RATIONAL)
    model, held_out = _choose_model(kept, size_px)
    # An outlier under the richest model may fit the chosen one, and vice versa.
    kept, dropped, dropped_points = _without_outliers(views, size_px, model)
    fit = fit_lens(model, kept, size_px)
    if fit is None or fit.lens.rms_px > _HOPELESS_RMS_PX:
        raise _disagreement(fit, kept)
    focal_x, focal_y, centre_x, centre_y = sigmas(fit, kept)
    result = LensResult(
        fit.lens,
        model,
        tuple((view.name, float(error)) for view, error in zip(kept, fit.view_errors_px, strict=True)),
        _coverage(kept, size_px),
        dropped,
        dropped_points,
        max(focal_x, focal_y),
        max(centre_x, centre_y),
        held_out,
        (),
        trusted=False,
    )
    faults = _faults(result)
    return replace(result, advice=(*faults, *_hints(result)), trusted=not faults)


def _refuse_unusable(views: Sequence[BoardView], size_px: tuple[int, int]) -> None:
    odd = next((view for view in views if view.size_px != size_px), None)
    if odd is not None:
        raise CalibrationError(
            f"picture {odd.name} has {odd.size_px[0]} x {odd.size_px[1]} px, the others {size_px[0]} x {size_px[1]}: "
            f"calibrate with pictures of one size, the one that will be played with"
        )
    if len(views) < FEWEST_VIEWS:
        raise CalibrationError(
            f"{len(views)} usable views of the board, wanted {FEWEST_VIEWS} at the very least and better 20: hold the "
            f"board still for a second in many places, near and far, tilted to all sides"
        )


def _disagreement(fit: Fit | None, views: Sequence[BoardView]) -> CalibrationError:
    off = f"the {len(views)} views are {fit.lens.rms_px:.1f} px off" if fit else f"{len(views)} views give no lens"
    return CalibrationError(
        f"{off}, wanted less than {MOST_RMS_PX} px: the board must be flat and stiff and its geometry as given, the "
        f"camera must not zoom or refocus, and the views must differ in tilt and place"
    )


def _without_outliers(
    views: Sequence[BoardView], size_px: tuple[int, int], model: LensModel
) -> tuple[list[BoardView], tuple[str, ...], int]:
    """The views and corners that agree with each other under a model."""
    kept, dropped, points = list(views), [], 0
    for _ in range(_ROUNDS):
        fit = fit_lens(model, kept, size_px)
        if fit is None:
            raise _disagreement(None, kept)
        errors = fit.view_errors_px
        usual = float(np.median(errors))
        limit = max(3 * usual, 0.5)
        # The worst ones distort the lens and make others look bad, so they are dropped first.
        bad = [int(number) for number in np.argsort(-errors)[:3] if errors[number] > limit]
        if bad:
            if len(kept) - len(bad) < max(FEWEST_VIEWS, 0.6 * len(views)):
                raise _disagreement(fit, kept)
            dropped += [f"{kept[number].name}: {errors[number]:.1f} px off, the others {usual:.2f}" for number in bad]
            kept = [view for number, view in enumerate(kept) if number not in bad]
            continue
        cleaner = _without_far_points(kept, fit)
        lost = sum(len(view.ids) for view in kept) - sum(len(view.ids) for view in cleaner)
        if not lost:
            break
        kept, points = cleaner, points + lost
    return kept, tuple(dropped), points


def _without_far_points(views: Sequence[BoardView], fit: Fit) -> list[BoardView]:
    # The distances of corners with errors of sigma in x and y have their median at 1.18 sigma.
    sigma = float(np.median(fit.distances_px)) / 1.1774
    limit = max(4 * sigma, 0.3)
    cleaner = []
    for view, off in zip(views, fit.residuals_px, strict=True):
        near = np.linalg.norm(off, axis=1) <= limit
        if near.all() or near.sum() < FEWEST_CORNERS:
            cleaner.append(view)
        else:
            cleaner.append(replace(view, ids=view.ids[near], points_mm=view.points_mm[near], pixels=view.pixels[near]))
    return cleaner


def _choose_model(
    views: Sequence[BoardView], size_px: tuple[int, int]
) -> tuple[LensModel, tuple[tuple[LensModel, float], ...]]:
    """The standard model, unless another one clearly predicts held-out views better or this one folds in the frame."""
    fits = {model: fit for model in LensModel if (fit := fit_lens(model, views, size_px)) is not None}
    plain = fits.get(LensModel.STANDARD)
    errors: dict[LensModel, Floats] = {}
    for model, fit in fits.items():
        # A model that is no better on its own views will be no better on others.
        hopeless = plain is not None and not plain.lens.folds and fit.lens.rms_px > (1 - _GAIN) * plain.lens.rms_px
        held_out = None if hopeless and fit is not plain else held_out_errors(model, views, size_px)
        if held_out is not None:
            errors[model] = held_out
    if not errors:
        raise _disagreement(None, views)
    ranked = [model for model in (LensModel.STANDARD, LensModel.FISHEYE, LensModel.RATIONAL) if model in errors]
    candidates = [model for model in ranked if not fits[model].lens.folds] or ranked
    best = candidates[0]
    for model in candidates[1:]:
        if _clearly_better(errors[model], errors[best]):
            best = model
    return best, tuple((model, float(np.sqrt((held**2).mean()))) for model, held in errors.items())


def _clearly_better(errors: Floats, than: Floats) -> bool:
    """Whether a model is better by 3 % and by more than chance, view by view; one outlier does not decide."""
    gain = np.log(np.maximum(than, 1e-6) / np.maximum(errors, 1e-6))
    chance = float(gain.std()) / np.sqrt(len(gain))
    return bool(gain.mean() > max(_GAIN, 2.5 * chance))


def _coverage(views: Sequence[BoardView], size_px: tuple[int, int]) -> tuple[tuple[int, ...], ...]:
    pixels = np.concatenate([view.pixels for view in views])
    columns, rows = GRID
    counts, _, _ = np.histogram2d(
        pixels[:, 1], pixels[:, 0], bins=(rows, columns), range=((0, size_px[1]), (0, size_px[0]))
    )
    return tuple(tuple(int(count) for count in row) for row in counts)


def _faults(result: LensResult) -> list[str]:
    """Why this lens cannot be trusted."""
    lens, faults = result.lens, []
    if lens.rms_px > MOST_RMS_PX:
        faults.append(
            f"the views are {lens.rms_px:.2f} px off, wanted {MOST_RMS_PX}: keep the board flat and hold it still"
        )
    if lens.views < ENOUGH_VIEWS:
        faults.append(f"{lens.views} views, wanted {ENOUGH_VIEWS} or more: hold the board in more places")
    share = result.sigma_focal_px / min(lens.focal_px)
    if share > MOST_FOCAL_SHARE:
        faults.append(
            f"the focal length is known to {share:.2%}, wanted {MOST_FOCAL_SHARE:.2%}: tilt the board by 20 to 40 "
            f"degrees, to all four sides, and hold it nearer"
        )
    if result.sigma_centre_px > MOST_CENTRE_SHARE * lens.size_px[0]:
        faults.append(
            f"the centre is known to {result.sigma_centre_px:.1f} px, wanted "
            f"{MOST_CENTRE_SHARE * lens.size_px[0]:.1f} px: more tilted views, also turned by a quarter"
        )
    if result.cover_share < LEAST_COVER:
        faults.append(
            f"the board was seen in {result.cover_share:.0%} of the frame, wanted {LEAST_COVER:.0%}: hold it "
            f"everywhere, also at the edges"
        )
    if lens.folds:
        faults.append("the corners of the picture are guessed: no model holds there; hold the board into the corners")
    return faults


def _hints(result: LensResult) -> list[str]:
    """How to get a better lens."""
    hints = [f"no view {place}: hold the board there too" for place in _gaps(result.coverage)]
    used = len(result.per_view_errors_px)
    if len(result.dropped) > 0.15 * (used + len(result.dropped)):
        hints.append(f"{len(result.dropped)} of {used + len(result.dropped)} views were dropped: hold the board still")
    return hints


def _gaps(coverage: tuple[tuple[int, ...], ...]) -> list[str]:
    """The names of the parts of the frame where the board was not seen."""
    seen = np.array(coverage) > 0
    inner = slice(1, -1)
    parts = {
        "in the upper left corner": seen[:1, :1],
        "in the upper right corner": seen[:1, -1:],
        "in the lower right corner": seen[-1:, -1:],
        "in the lower left corner": seen[-1:, :1],
        "at the upper edge": seen[:1, inner],
        "at the lower edge": seen[-1:, inner],
        "at the left edge": seen[inner, :1],
        "at the right edge": seen[inner, -1:],
        "in the middle": seen[inner, inner],
    }
    return [place for place, cells in parts.items() if cells.mean() <= 0.5]
