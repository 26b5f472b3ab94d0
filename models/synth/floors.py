"""Floors: parquet, tiles, rugs and printed pages, whose parts have the shape of cards."""

from collections.abc import Callable

import cv2
import numpy as np

from models.synth.materials import Ground, clouds
from models.synth.scene import Image

SIZE_PX = (1100, 800)
"""Size of a texture: one pixel per millimetre."""
Ink = tuple[float, float, float]
"""Blue, green and red."""
Colour = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
WOODS: tuple[Ink, ...] = ((90, 135, 185), (60, 95, 150), (40, 60, 95), (120, 165, 205), (75, 105, 120), (140, 160, 170))
"""Mean colours of boards: oak, cherry, walnut, maple, grey and bleached wood."""


def floor_ground(rng: np.random.Generator) -> Ground:
    """A random floor, at any rotation and scale."""
    pixels = MAKERS[int(rng.integers(len(MAKERS)))](rng)
    middle = (SIZE_PX[0] / 2, SIZE_PX[1] / 2)
    turn = cv2.getRotationMatrix2D(middle, float(rng.uniform(0, 360)), float(rng.uniform(0.6, 1.8)))
    pixels = np.asarray(cv2.warpAffine(pixels, turn, SIZE_PX, borderMode=cv2.BORDER_REFLECT), np.uint8)
    grain = rng.normal(0, rng.uniform(1, 8), pixels.shape)
    return Ground("floor", np.clip(pixels + grain, 0, 255).astype(np.uint8), float(rng.uniform(0, 0.5)))


def _board(rng: np.random.Generator, size_px: tuple[int, int], wood: Ink, contrast: float) -> Colour:
    """One board, its grain along its longer side."""
    wide, high = size_px
    cells = (2, max(2, high // 3)) if wide >= high else (max(2, wide // 3), 2)
    fibre = clouds(rng, cells, size_px) - 0.5
    broad = clouds(rng, (2, 2), size_px) - 0.5
    shade = 1 + contrast * (0.7 * fibre + 0.6 * broad) + float(rng.normal(0, 0.12))
    tone = np.array(wood) * rng.uniform(0.9, 1.1, 3)
    return np.asarray(np.clip(shade, 0.2, 2)[:, :, None] * tone, np.float32)


def _joined(boards: Colour, joint: float, rng: np.random.Generator, lines: list[tuple[int, int, int, int]]) -> Image:
    """Boards with dark or bright joints."""
    floor = np.clip(boards, 0, 255).astype(np.uint8)
    tone = (joint, joint, joint)
    width = int(rng.integers(1, 3))
    for left, top, right, low in lines:
        cv2.rectangle(floor, (left, top), (right, low), tone, width)
    return floor


def _parquet(rng: np.random.Generator) -> Image:
    """Short boards in rows, in squares of alternate direction, or as a herringbone."""
    wood, contrast = WOODS[int(rng.integers(len(WOODS)))], float(rng.uniform(0.1, 0.7))
    kind = int(rng.integers(3))
    width = int(rng.integers(28, 95))
    length = int(width * rng.uniform(1.3, 7)) if kind == 0 else width * int(rng.integers(2, 6))
    kinds = {
        "flat": [_board(rng, (length, width), wood, contrast) for _ in range(6)],
        "tall": [_board(rng, (width, length), wood, contrast) for _ in range(6)],
    }
    floor = np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.float32)
    lines = []
    for left, top, way in _places(kind, width, length):
        board = kinds[way][int(rng.integers(6))] * float(rng.uniform(0.85, 1.15))
        _lay(floor, board, left, top)
        lines.append((left, top, left + board.shape[1], top + board.shape[0]))
    return _joined(floor, float(rng.uniform(0, 70)), rng, lines)


def _lay(floor: Colour, piece: Colour, left: int, top: int) -> None:
    """Put a piece of floor where it belongs; what is outside is cut off."""
    x, y = max(left, 0), max(top, 0)
    right, low = min(left + piece.shape[1], floor.shape[1]), min(top + piece.shape[0], floor.shape[0])
    if x < right and y < low:
        floor[y:low, x:right] = piece[y - top : low - top, x - left : right - left]


def _places(kind: int, width: int, length: int) -> list[tuple[int, int, str]]:
    """Left, top and direction of every board: in rows, in squares or as a herringbone."""
    across, down = SIZE_PX
    if kind == 0:
        # Each row is shifted by a little more than a third of a board.
        return [
            (left - row * 37 * length // 100 % length, top, "flat")
            for row, top in enumerate(range(0, down, width))
            for left in range(0, across + length, length)
        ]
    if kind == 1:
        return [
            (left, top + part, "flat") if (row + column) % 2 else (left + part, top, "tall")
            for row, top in enumerate(range(0, down, length))
            for column, left in enumerate(range(0, across, length))
            for part in range(0, length, width)
        ]
    steps = [
        (row * width + column * 2 * length, row * width)
        for row in range(-length // width, (down + length) // width + 1)
        for column in range(-2 - row * width // (2 * length), across // (2 * length) + 1)
    ]
    return [(x, y, "flat") for x, y in steps] + [(x + length, y - length + width, "tall") for x, y in steps]


def _tiles(rng: np.random.Generator) -> Image:
    """Plain or mottled tiles with grout, some of another colour."""
    wide, high = int(rng.integers(40, 320)), int(rng.integers(40, 320))
    high = wide if rng.random() < 0.5 else high
    inks = rng.uniform(40, 245, (3, 1)) * rng.uniform(0.7, 1.1, (3, 3))
    tiles = [
        np.clip((0.85 + 0.3 * clouds(rng, (6, 6), (wide, high)))[:, :, None] * inks[int(rng.integers(3))], 0, 255)
        for _ in range(4)
    ]
    mostly = float(rng.uniform(0.5, 1))
    floor = np.empty((SIZE_PX[1], SIZE_PX[0], 3), np.float32)
    lines = []
    for row, top in enumerate(range(0, SIZE_PX[1], high)):
        for left in range(-(row % 2) * int(rng.integers(2)) * (wide // 2), SIZE_PX[0], wide):
            tile = tiles[0 if rng.random() < mostly else int(rng.integers(4))] * float(rng.uniform(0.95, 1.05))
            _lay(floor, tile.astype(np.float32), left, top)
            lines.append((left, top, left + wide, top + high))
    return _joined(floor, float(rng.uniform(20, 240)), rng, lines)


def _rug(rng: np.random.Generator) -> Image:
    """Nested borders and rows of small ornaments in a few colours, with the grain of wool."""
    inks = [tuple(int(part) for part in rng.integers(10, 245, 3)) for _ in range(5)]
    rug = np.full((SIZE_PX[1], SIZE_PX[0], 3), inks[0], np.uint8)
    inset = 0
    for _ in range(int(rng.integers(1, 7))):
        inset += int(rng.integers(10, 70))
        if 2 * inset >= SIZE_PX[1]:
            break
        ink = inks[int(rng.integers(5))]
        cv2.rectangle(rug, (inset, inset), (SIZE_PX[0] - inset, SIZE_PX[1] - inset), ink, int(rng.choice((-1, 2, 8))))
    step, kind = int(rng.integers(25, 130)), int(rng.integers(3))
    for y in range(step // 2, SIZE_PX[1], step):
        for x in range(step // 2, SIZE_PX[0], step):
            ink, half = inks[(x + y) // step % 5], int(step * float(rng.uniform(0.15, 0.4)))
            if kind == 0:
                cv2.rectangle(rug, (x - half, y - half), (x + half, y + int(1.3 * half)), ink, -1)
            elif kind == 1:
                diamond = np.array([[x - half, y], [x, y - half], [x + half, y], [x, y + half]])
                cv2.fillConvexPoly(rug, diamond, ink, cv2.LINE_AA)
            else:
                cv2.circle(rug, (x, y), half, ink, int(rng.choice((-1, 3))), cv2.LINE_AA)
    wool = rng.normal(0, rng.uniform(4, 22), (SIZE_PX[1], SIZE_PX[0], 1))
    return np.asarray(np.clip(rug + cv2.GaussianBlur(wool, (0, 0), 0.8)[:, :, None], 0, 255), np.uint8)


def _pages(rng: np.random.Generator) -> Image:
    """Sheets with columns of print, headlines and pictures, on top of each other."""
    desk = rng.integers(20, 230, 3)
    sheet = np.full((SIZE_PX[1], SIZE_PX[0], 3), desk, np.uint8)
    for _ in range(int(rng.integers(1, 6))):
        wide, high = int(rng.integers(180, 420)), int(rng.integers(240, 560))
        page = _page(rng, (wide, high))
        middle = rng.uniform((0, 0), SIZE_PX)
        turn = cv2.getRotationMatrix2D((wide / 2, high / 2), float(rng.normal(0, 25)), 1.0)
        shift = np.column_stack([np.zeros((2, 2)), middle - (wide / 2, high / 2)])
        cv2.warpAffine(page, turn + shift, SIZE_PX, dst=sheet, borderMode=cv2.BORDER_TRANSPARENT)
    return sheet


def _page(rng: np.random.Generator, size_px: tuple[int, int]) -> Image:
    """One page of print."""
    wide, high = size_px
    paper, ink = int(rng.integers(190, 255)), int(rng.integers(0, 90))
    page = np.full((high, wide, 3), (paper, paper, paper), np.uint8)
    columns = int(rng.integers(1, 4))
    line, margin = int(rng.integers(4, 12)), int(rng.integers(8, 30))
    for column in range(columns):
        left = margin + column * (wide - margin) // columns
        right = left + (wide - margin) // columns - margin
        y = margin
        while y < high - margin and right > left + 20:
            if rng.random() < 0.05:
                tall = int(rng.integers(30, 110))
                picture = tuple(int(part) for part in rng.integers(0, 255, 3))
                cv2.rectangle(page, (left, y), (right, min(y + tall, high - margin)), picture, -1)
                y += tall + line
                continue
            x = left
            while x < right:
                word = int(rng.integers(4, 30))
                cv2.line(page, (x, y), (min(x + word, right), y), (ink, ink, ink), max(1, line // 3))
                x += word + 3
            y += line + (line if rng.random() < 0.08 else 0)
    return page


MAKERS: tuple[Callable[[np.random.Generator], Image], ...] = (_parquet, _parquet, _tiles, _rug, _pages)
"""All kinds of floor; parquet counts twice."""
