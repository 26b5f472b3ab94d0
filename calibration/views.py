"""Views: the few frames of a film that show the board sharp, still, and in different poses."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import OWN_BOARD, BoardView, Geometry, find_board
from calibration.frames import CalibrationError, Frame
from calibration.layouts import ENOUGH_SIGHTINGS, agreed_board, see_board, seen_instead
from calibration.solution import FEWEST_VIEWS

Floats = NDArray[np.float64]

MOST_VIEWS = 40
_HELD_FRAMES = 24
"""Frames that are kept in memory until the board is recognised."""
_FAR_APART_S = 0.5
_READOUT_S = 0.03
"""Time in which a camera reads a picture row by row; motion in that time skews it."""
_STEP = np.array([0.06, 0.06, 0.18, 0.11, 0.11, 0.3, 0.3])
"""Smallest difference of two views: position in the frame, size in octaves, tilt and rotation."""
_SOFTEST_PX = 1.2
"""Blur below which a view is always sharp enough."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The views chosen from a film, and the counts of the rest."""

    views: tuple[BoardView, ...]
    geometry: Geometry
    size_px: tuple[int, int]
    frames: int
    with_board: int
    blurred: int
    """Frames in which the board was blurred or moving."""

    @property
    def summary(self) -> str:
        """A summary in one line."""
        return (
            f"{self.frames} frames, the board in {self.with_board}, blurred or moving in {self.blurred}, "
            f"{len(self.views)} different views"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """The result of one more frame, for a live display while the board is waved."""

    frame: Frame
    view: BoardView | None
    """The board in the frame, if it was found."""
    tilt: tuple[float, float] | None
    """The tilt of the board to the right and down, as sines; None if it is blurred or not found."""
    different: int
    """The number of different views so far."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    view: BoardView
    order: int
    place: Floats
    """Its position, size and tilt, in units of the smallest difference."""
    fault_px: float
    """Its blur, plus the motion of the board while the picture was read."""


def choose_views(
    frames: Iterable[Frame],
    geometry: Geometry | None = None,
    most: int = MOST_VIEWS,
    watch: Callable[[Glance], None] = lambda glance: None,
) -> Choice:
    """Sharp and different views from a film or from single pictures, in one pass with few of them in memory.

    Frames less than half a second apart belong to one motion; single pictures must be a second apart.
    `watch` is called for every frame once the board is recognised.
    """
    if geometry is None:
        geometry, frames = _recognised(frames)
    pool: list[_Candidate] = []
    count = found = blurred = 0
    size_px = (0, 0)
    before: tuple[float, BoardView | None] = (0.0, None)
    instead: str | None = None
    looks = 0
    for frame in frames:
        size_px = _same_size(frame, size_px)
        view = find_board(frame.image, geometry, name=str(frame.index))
        if view is None and instead is None and found == 0 and looks < 12 and count % (looks + 1) == 0:
            looks += 1
            instead = seen_instead(frame.image, geometry)
        tilt = None
        if view is not None:
            found += 1
            fault_px = view.blur_px + _skew_px(view, frame.at_s, *before)
            if _is_useless(view, geometry):
                blurred += 1
            else:
                place = _place(view)
                tilt = (float(place[3] * _STEP[3]), float(place[4] * _STEP[4]))
                _add(pool, _Candidate(view, count, place, fault_px), 2 * most)
        watch(Glance(frame, view, tilt, len(pool)))
        before = (frame.at_s, view)
        count += 1
    kept = _sharp(pool)
    blurred += len(pool) - len(kept)
    if len(kept) < FEWEST_VIEWS:
        raise _refusal(geometry, count, found, blurred, len(kept), instead)
    while len(kept) > most:
        _drop_most_alike(kept)
    views = tuple(candidate.view for candidate in sorted(kept, key=lambda candidate: candidate.order))
    return Choice(views, geometry, size_px, count, found, blurred)


def _recognised(frames: Iterable[Frame]) -> tuple[Geometry, Iterator[Frame]]:
    """The board that a film shows, and the film again from shortly before it was recognised."""
    rest = iter(frames)
    held: deque[Frame] = deque(maxlen=_HELD_FRAMES)
    sighted: list[Geometry] = []
    tried, look_at = 0, 0
    for number, frame in enumerate(rest):
        held.append(frame)
        if find_board(frame.image, OWN_BOARD) is not None:
            return OWN_BOARD, chain(held, rest)
        if number == look_at:
            # Searching for any board costs as much as thirty frames, so an empty table is searched ever less often.
            tried += 1
            seen = see_board(frame.image)
            sighted += [seen] if seen is not None else []
            look_at += 2 if sighted else 1 + number // 2
        if len(sighted) == ENOUGH_SIGHTINGS:
            break
    return agreed_board(sighted, tried), chain(held, rest)


def _same_size(frame: Frame, size_px: tuple[int, int]) -> tuple[int, int]:
    height, width = frame.image.shape[:2]
    if size_px not in ((0, 0), (width, height)):
        raise CalibrationError(
            f"picture {frame.index} has {width} x {height} px, those before {size_px[0]} x {size_px[1]}: calibrate "
            f"with pictures of one size, the one that will be played with"
        )
    return width, height


def _is_useless(view: BoardView, geometry: Geometry) -> bool:
    """Whether its edges are so blurred that they merge; then even the blur cannot be measured."""
    return view.blur_px > max(_SOFTEST_PX, 0.2 * geometry.clear_share * view.square_px)


def _skew_px(view: BoardView, at_s: float, before_s: float, before: BoardView | None) -> float:
    """The motion of the board while the rows were read; 0 if unknown."""
    passed_s = at_s - before_s
    if before is None or not 0 < passed_s < _FAR_APART_S:
        return 0.0
    _, mine, theirs = np.intersect1d(view.ids, before.ids, return_indices=True)
    if not len(mine):
        return 0.0
    moved = np.linalg.norm(view.pixels[mine] - before.pixels[theirs], axis=1)
    return float(np.median(moved)) * min(_READOUT_S / passed_s, 1.0)


def _place(view: BoardView) -> Floats:
    width, height = view.size_px
    # The lens is not known yet; a typical one is enough to distinguish views.
    focal_px = 0.8 * width
    matrix = np.array([[focal_px, 0, width / 2], [0, focal_px, height / 2], [0, 0, 1]])
    solid = np.column_stack([view.points_mm, np.zeros(len(view.ids))])
    known, turn, _ = cv2.solvePnP(solid, view.pixels, matrix, np.zeros(4), flags=cv2.SOLVEPNP_IPPE)
    pose = cv2.Rodrigues(turn)[0] if known else np.eye(3)
    middle = view.pixels.mean(0) / width
    return np.asarray(np.array([*middle, np.log2(view.square_px / width), *pose[:2, 2], *pose[:2, 0]]) / _STEP, float)


def _add(pool: list[_Candidate], new: _Candidate, most: int) -> None:
    """Add a candidate; of two similar ones the better one stays."""
    if pool:
        apart = [float(np.linalg.norm(new.place - old.place)) for old in pool]
        nearest = int(np.argmin(apart))
        if apart[nearest] < 1:
            if _goodness(new) > _goodness(pool[nearest]):
                pool[nearest] = new
            return
    pool.append(new)
    if len(pool) > most:
        _drop_most_alike(pool)


def _goodness(candidate: _Candidate) -> float:
    return float(np.sqrt(len(candidate.view.ids))) / max(candidate.fault_px, 0.3)


def _drop_most_alike(pool: list[_Candidate]) -> None:
    places = np.array([candidate.place for candidate in pool])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.diag(np.full(len(pool), np.inf))
    one, other = np.unravel_index(int(np.argmin(apart)), apart.shape)
    pool.pop(int(one) if _goodness(pool[one]) < _goodness(pool[other]) else int(other))


def _sharp(pool: list[_Candidate]) -> list[_Candidate]:
    """The candidates that are not much worse than the best quarter of the film."""
    if not pool:
        return []
    limit_px = max(2 * float(np.percentile([candidate.fault_px for candidate in pool], 25)), 1.5)
    return [candidate for candidate in pool if candidate.fault_px <= limit_px]


def _refusal(
    geometry: Geometry, count: int, found: int, blurred: int, kept: int, instead: str | None
) -> CalibrationError:
    if instead is not None and found == 0:
        return CalibrationError(f"{instead}: hold the right board into the picture, or give the geometry of this one")
    if blurred > found / 2:
        return CalibrationError(
            f"the board is blurred or moving in {blurred} of the {found} pictures that show it, and {kept} good views "
            f"are left, wanted {FEWEST_VIEWS} and better 20: hold it still for a second in every place, with more light"
        )
    if found < FEWEST_VIEWS:
        return CalibrationError(
            f"{geometry.label} found in {found} of {count} pictures, wanted it in {FEWEST_VIEWS} and better 20: "
            f"hold it so that it fills a third of the picture, in good light and without glare"
        )
    return CalibrationError(
        f"{kept} different views of the board in {found} pictures, wanted {FEWEST_VIEWS} and better 20: hold it in "
        f"more places, near and far, tilted to all sides"
    )
