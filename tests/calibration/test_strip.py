"""The colour strip is found wherever it lies, read, and refused when it cannot be."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration import strip as strips
from calibration.colour import correct, lab
from calibration.frames import CalibrationError
from calibration.strip import (
    PATCHES,
    StripPatch,
    bgr_of,
    colour_from_patches,
    colour_from_strip,
    find_strip,
    read_patches,
)
from models.art import rig as prints
from models.synth.scene import Sprite, Thing
from tests.calibration.lamps import LAMPS, Shot, strip_page, strip_sprite

PLACES = [
    (x, y, turn)
    for turn, (x, y) in zip(
        range(0, 360, 30), ((0, 0), (-150, 60), (140, -70), (0, 90), (-80, -80), (160, 60)) * 2, strict=True
    )
]


def left_over(patches: tuple[StripPatch, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """How far every patch is from its print, in CIE Lab."""
    seen, wanted = (np.array([getattr(patch, name) for patch in patches]) for name in ("seen_bgr", "wanted_bgr"))
    return np.asarray(np.linalg.norm(lab(seen) - lab(wanted), axis=1), float)


def test_it_is_the_strip_that_is_printed() -> None:
    assert prints.PATCHES == strips.PATCHES
    assert strips.PATCH_MM[1] == prints.PATCH_MM
    assert prints.STRIP_IDS == strips.MARKER_IDS
    assert prints.STRIP_MARKER_MM == strips.MARKER_MM
    assert len(prints.PATCHES) * prints.PATCH_MM + 2 * (prints.STRIP_MARKER_MM + 6) == strips.STRIP_MM[1]


def test_the_printed_page_is_read_exactly() -> None:
    page = strip_page(6.0)
    strip = find_strip(page)
    assert strip.off_mm < 0.2
    for patch in read_patches(page, strip):
        assert patch.seen_bgr == patch.wanted_bgr
        assert patch.rough == 0
    # The whole of every patch is where it is thought to be, not only its middle.
    corners = [(x, strips.PATCHES_AT_MM[1] + 15 * n + y) for n in range(10) for x in (5, 23) for y in (1, 14)]
    pixels = np.round(strip.to_px(np.array(corners, float))).astype(int)
    for number, (x, y) in enumerate(pixels):
        assert tuple(page[y, x]) == bgr_of(PATCHES[number // 4])


@pytest.mark.parametrize("place", PLACES)
def test_found_anywhere_at_any_rotation(place: tuple[float, float, float]) -> None:
    shot = Shot(4000, 0.75, strip_at=place, bend=1.0, tilt_deg=8, size_px=(1000, 750))
    image = shot.take().image
    colour = colour_from_strip(image)
    after = left_over(read_patches(correct(image, colour), find_strip(image)))
    assert after.mean() < 4
    assert after.max() < 9


@pytest.mark.parametrize("kelvin", LAMPS)
def test_a_strip_in_too_bright_red_still_serves(kelvin: float) -> None:
    """White and yellow are burnt out in red under a warm lamp; the dark greys are not."""
    shot = Shot(kelvin, 1.0, falloff=0.1, vignette=0.0)
    image = shot.take().image
    patches = read_patches(image, find_strip(image))
    assert any(patch.clipped for patch in patches) == (kelvin < 6000)
    colour, darker = colour_from_patches(patches), colour_from_strip(replace(shot, level=0.7).take().image)
    assert colour.error < 3
    assert colour.gains[0] / colour.gains[2] == pytest.approx(darker.gains[0] / darker.gains[2], rel=0.1)


def test_a_straightened_view_is_as_good() -> None:
    image = Shot(3000, 0.7, bend=0.0, tilt_deg=12).take().image
    seen = colour_from_strip(image)
    turned = colour_from_strip(np.ascontiguousarray(np.rot90(image)))
    assert turned.gains == pytest.approx(seen.gains, rel=0.02)


def card_on(x: float, y: float) -> Thing:
    chequers = np.kron(np.indices((8, 6)).sum(0) % 2, np.ones((8, 8))).astype(np.uint8)[:, :, None] * 255
    return Thing(Sprite(np.dstack([chequers] * 3 + [np.full_like(chequers, 255)]), 2.0), x, y)


def test_a_card_on_two_patches_is_left_out() -> None:
    shot = Shot(4500, 0.8, strip_at=(0.0, 0.0, 90.0))
    clean = colour_from_strip(shot.take().image)
    # The strip lies with its marker 40 at the right; patches 7 and 8 are left of the middle.
    image = replace(shot, cover=(card_on(-38.0, 0.0),)).take().image
    patches = read_patches(image, find_strip(image))
    assert 1 <= sum(not patch.plain for patch in patches) <= 3
    colour = colour_from_patches(patches)
    assert colour.gains == pytest.approx(clean.gains, rel=0.03)
    assert colour.error < 4


def test_covered_strips_are_refused() -> None:
    shot = Shot(4500, 0.8, strip_at=(0.0, 0.0, 90.0))
    covered = replace(shot, cover=tuple(card_on(x, 0.0) for x in (-38.0, -10.0, 10.0, 40.0))).take().image
    with pytest.raises(CalibrationError, match=r"greys and \d colours of the strip are plain; wanted at least 1 and 3"):
        colour_from_strip(covered)
    half = replace(shot, cover=(card_on(85.0, 0.0),)).take().image
    with pytest.raises(CalibrationError, match="wanted its markers 40 and 41, saw 41; lay the printed strip flat"):
        colour_from_strip(half)


def test_a_table_without_a_strip_is_refused() -> None:
    image = Shot(strip_at=None, markers=True).take().image
    with pytest.raises(CalibrationError, match="saw neither of them"):
        find_strip(image)


def test_two_halves_of_two_strips_are_refused() -> None:
    """A marker 41 that lies somewhere else is no end of this strip."""
    image = Shot(6500, 1.0, bend=0.0, tilt_deg=0.0, noise=0.0).take().image
    strip = find_strip(image)
    left, top = np.floor(strip.to_px(np.array([(28.0, 0.0), (0.0, 194.0)])).min(0)).astype(int)
    (x1, y1), (x2, y2) = strip.to_px(np.array([(1.0, 172.5), (27.0, 193.0)]))
    cut = image[int(min(y1, y2)) : int(max(y1, y2)), int(min(x1, x2)) : int(max(x1, x2))].copy()
    image[int(min(y1, y2)) : int(max(y1, y2)), int(min(x1, x2)) : int(max(x1, x2))] = 90
    image[top + 200 : top + 200 + len(cut), left + 50 : left + 50 + cut.shape[1]] = np.rot90(cut, 2)
    with pytest.raises(CalibrationError, match=r"disagree by .* mm; wanted at most 2.5 mm"):
        find_strip(image)


def test_a_bent_picture_needs_no_lens() -> None:
    """The strip is short: even a wide lens hardly bends it."""
    image = Shot(5000, 0.8, strip_at=(-190.0, -130.0, 70.0), bend=1.6).take().image
    assert colour_from_strip(image).error < 3
    small = np.asarray(cv2.resize(image, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA), np.uint8)
    assert colour_from_strip(small).error < 3


def test_the_sprite_is_the_whole_strip() -> None:
    assert strip_sprite().size_mm == strips.STRIP_MM
