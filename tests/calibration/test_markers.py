"""Markers are found in poor light, and their corners far finer than a pixel."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.markers import Marker, find_markers
from models.synth.scene import Light, Optics
from models.synth.stills import Recipe, Tables
from tests.calibration.tables import MARKER_MM, SIDES, Laid, lay_table, some_cards

SIZES_PX = ((1640, 1232), (1280, 720))
HARD = {
    "dim": (Light(kelvin=2700, level=0.2), Optics(noise=4.0)),
    "out of focus": (Light(), Optics(defocus_px=2.0, noise=2.0)),
    "shaken": (Light(), Optics(motion_px=(4.0, 2.0), noise=2.0)),
    "mirrored lamp": (Light(glare=0.9, softness=1.0), Optics(noise=2.0)),
    "hard shadow": (Light(shade=0.7, softness=0.0), Optics(noise=2.0)),
    "too bright": (Light(level=1.6, kelvin=3000), Optics(gamma=0.8)),
    "a poor encoder": (Light(level=0.6), Optics(jpeg=40, noise=3.0)),
}


def true_corners(laid: Laid, number: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Where the corners of a marker really are."""
    thing = laid.scene.under[number]
    angle = np.deg2rad(thing.turn_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    flat = MARKER_MM / 2 * np.array(SIDES) @ turn.T + (thing.x_mm, thing.y_mm)
    return laid.scene.camera.project(np.column_stack([flat, np.full(4, thing.sprite.thickness_mm)]))


def errors_px(laid: Laid, markers: tuple[Marker, ...]) -> list[float]:
    return [float(np.abs(np.array(m.corners_px) - true_corners(laid, m.id)).max()) for m in markers]


@pytest.mark.parametrize("size_px", SIZES_PX)
def test_corners_are_finer_than_a_pixel(size_px: tuple[int, int]) -> None:
    errors, sizes = [], []
    for seed in range(10):
        laid = lay_table(seed, size_px, loose=True)
        markers = find_markers(laid.picture(cards=some_cards(laid, 8, seed)), laid.lens, range(4))
        errors += errors_px(laid, markers)
        for marker in markers:
            true, found = true_corners(laid, marker.id), np.array(marker.corners_px)
            sides = [np.linalg.norm(quad - np.roll(quad, 1, 0), axis=1).mean() for quad in (true, found)]
            sizes.append(sides[1] / sides[0] - 1)
    assert len(errors) >= 38, "at most two lie outside the picture"
    assert np.sqrt(np.mean(np.square(errors))) < 0.15
    # The scale of a table with loose markers hangs on this: no systematic error, whatever the light.
    assert abs(np.mean(sizes)) < 0.0004


@pytest.mark.parametrize("name", HARD)
def test_hard_pictures(name: str) -> None:
    light, optics = HARD[name]
    for seed, size_px in enumerate(SIZES_PX, 50):
        laid = lay_table(seed, size_px, material="cloth")
        markers = find_markers(laid.picture(light=light, optics=optics), laid.lens, range(4))
        assert [marker.id for marker in markers] == [0, 1, 2, 3]
        assert max(errors_px(laid, markers)) < 0.5


def test_a_bent_picture_needs_the_lens() -> None:
    laid = lay_table(60)
    camera = replace(laid.scene.camera, distortion=(-0.25, 0.05, 0.0, 0.0, 0.0))
    laid = replace(laid, scene=replace(laid.scene, camera=camera))
    picture = laid.picture()
    assert max(errors_px(laid, find_markers(picture, laid.lens))) < 0.3
    assert max(errors_px(laid, find_markers(picture))) < 1.5


def test_cards_and_clutter_are_no_markers() -> None:
    tables = Tables(Recipe(size_px=(960, 672), difficulty=1.0, printed=False), seed=5)
    for number in range(8):
        assert not find_markers(tables.make(number).image), number


def test_grey_pictures_and_plain_ones() -> None:
    laid = lay_table(61, (1280, 720))
    grey = laid.picture().mean(2).astype(np.uint8)
    assert [marker.id for marker in find_markers(grey, laid.lens)] == [0, 1, 2, 3]
    assert find_markers(np.full((480, 640, 3), 90, np.uint8)) == ()
