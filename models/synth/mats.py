"""Mats and screens: flat objects with frames and tiles, so that training does not mistake them for cards."""

import cv2
import numpy as np

from models.synth.materials import clouds
from models.synth.scene import Image, Sprite
from models.synth.sprites import premultiplied, rounded

Ink = tuple[int, int, int]
MAT_PX_PER_MM, SCREEN_PX_PER_MM = 1.6, 2.0
LETTERS = "ABCDEFGHKMNPRSTUWXYZ0123456789?!"


def make_mat(rng: np.random.Generator) -> Sprite:
    """A playmat with printed card places, or only their outlines, as if drawn on the table itself."""
    width, height = (int(side * MAT_PX_PER_MM) for side in (rng.uniform(380, 640), rng.uniform(260, 450)))
    # Pale mats are rare, and a pale place with a frame and a letter looks like many cards.
    ground, ink = _ink(rng, most=150), _ink(rng)
    pixels = np.full((height, width, 3), ground, np.uint8)
    alpha = np.zeros((height, width), np.uint8)
    bare = rng.random() < 0.4
    if not bare:
        alpha[:] = 255
        shade = clouds(rng, (int(rng.integers(2, 9)), int(rng.integers(2, 9))), (width, height))[:, :, None]
        other = np.array(_ink(rng, ground), np.float32)
        pixels = np.clip(pixels * (1 - shade) + other * shade, 0, 255).astype(np.uint8)
    if rng.random() < 0.35:
        # A barely visible tone, close to the mat's own.
        ink = _ink(rng, ground, 14)
    _print_places(pixels, alpha, rng, ink, bare)
    return Sprite(premultiplied(pixels, alpha), MAT_PX_PER_MM, 0.0, float(rng.uniform(0, 0.3)))


def make_screen(rng: np.random.Generator) -> Sprite:
    """A phone or tablet that is on: rows of icons, a list, a picture."""
    large = rng.random() < 0.3
    width_mm, height_mm = (rng.uniform(100, 170), rng.uniform(150, 240)) if large else (72, 150)
    height, width = round(height_mm * SCREEN_PX_PER_MM), round(width_mm * SCREEN_PX_PER_MM)
    pixels = np.full((height, width, 3), _ink(rng) if rng.random() < 0.4 else (25, 25, 28), np.uint8)
    rim, head = int(rng.integers(3, 12)), int(rng.integers(3, 30))
    screen = pixels[head : height - head, rim : width - rim]
    glow = clouds(rng, (2, 3), (screen.shape[1], screen.shape[0]))[:, :, None]
    screen[:] = np.clip(np.array(_ink(rng)) * glow + np.array(_ink(rng)) * (1 - glow), 0, 255)
    _fill_screen(screen, rng)
    return Sprite(rounded(pixels, int(rng.integers(4, 24))), SCREEN_PX_PER_MM, 8.0, 0.8)


def _fill_screen(screen: Image, rng: np.random.Generator) -> None:
    height, width = screen.shape[:2]
    if rng.random() < 0.6:
        columns = int(rng.integers(3, 6))
        step = width / columns
        rows = int(height / step)
        for row in range(rows):
            for column in range(columns):
                if rng.random() < 0.85:
                    left, top = (int((place + 0.2) * step) for place in (column, row))
                    side = int(0.6 * step)
                    rounded_rectangle(screen, (left, top, left + side, top + side), side // 5, _ink(rng), -1)
    else:
        for row in range(10, height - 20, int(rng.integers(18, 50))):
            end = int(rng.uniform(0.4, 0.95) * width)
            cv2.rectangle(screen, (8, row), (end, row + int(rng.integers(4, 16))), _ink(rng), -1)


def _print_places(pixels: Image, alpha: Image, rng: np.random.Generator, ink: Ink, bare: bool) -> None:
    """Rows of frames about the size of a card; on a bare mat only the frames are opaque."""
    height, width = alpha.shape
    across, along = (side * MAT_PX_PER_MM * float(rng.uniform(0.9, 1.25)) for side in (63, 88))
    if rng.random() < 0.25:
        across, along = along, across
    gap_x, gap_y = (float(rng.uniform(2, 40)) * MAT_PX_PER_MM for _ in range(2))
    columns = max(1, min(int(rng.integers(1, 9)), int((width - 20) / (across + gap_x))))
    rows = max(1, min(int(rng.integers(1, 4)), int((height - 20) / (along + gap_y))))
    left = float(rng.uniform(5, max(6, width - columns * (across + gap_x))))
    top = float(rng.uniform(5, max(6, height - rows * (along + gap_y))))
    thick, corner = max(1, round(float(rng.uniform(0.6, 3)) * MAT_PX_PER_MM)), int(rng.choice((0, 0, 5, 10)))
    filled = not bare and rng.random() < 0.2
    lettered, font = not bare and rng.random() < 0.7, int(rng.integers(8))
    inside = _ink(rng, tuple(int(part) for part in pixels[0, 0]), 18)
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * (across + gap_x), top + row * (along + gap_y)
            box = (int(x), int(y), int(x + across), int(y + along))
            if filled:
                rounded_rectangle(pixels, box, corner, inside, -1)
            rounded_rectangle(pixels, box, corner, ink, thick)
            if bare:
                rounded_rectangle(alpha, box, corner, (255,), thick)
            if lettered:
                word = "".join(rng.choice(list(LETTERS)) for _ in range(int(rng.choice((1, 1, 2, 4)))))
                place, size = (int(x + 0.3 * across), int(y + 0.6 * along)), float(rng.uniform(0.8, 2.2))
                cv2.putText(pixels, word, place, font, size, ink, max(1, thick), cv2.LINE_AA)


def rounded_rectangle(
    sheet: Image, box: tuple[int, int, int, int], radius: int, ink: tuple[int, ...], thick: int
) -> None:
    """A rectangle with round corners: its outline, or filled if `thick` is negative."""
    left, top, right, bottom = box
    radius = max(0, min(radius, (right - left) // 2, (bottom - top) // 2))
    corners = ((left, top, 180), (right, top, 270), (right, bottom, 0), (left, bottom, 90))
    points = [
        (
            x + (radius if x == left else -radius) + radius * np.cos(np.deg2rad(start + turn)),
            y + (radius if y == top else -radius) + radius * np.sin(np.deg2rad(start + turn)),
        )
        for x, y, start in corners
        for turn in (0, 30, 60, 90)
    ]
    outline = [np.round(np.array(points)).astype(np.int32)]
    if thick < 0:
        cv2.fillPoly(sheet, outline, ink, cv2.LINE_AA)
    else:
        cv2.polylines(sheet, outline, True, ink, thick, cv2.LINE_AA)


def _ink(rng: np.random.Generator, near: tuple[int, ...] | None = None, by: float = 40, most: int = 255) -> Ink:
    """A random colour up to a brightness of `most`, or one similar to `near`."""
    if near is None:
        blue, green, red = rng.integers(most + 1, size=3)
    else:
        blue, green, red = (int(np.clip(part + rng.normal(0, by), 0, 255)) for part in near)
    return int(blue), int(green), int(red)
