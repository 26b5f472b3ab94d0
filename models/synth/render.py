"""The renderer: turns a scene into the picture a camera would take, with the ground truth of every card."""

from dataclasses import dataclass
from math import cos, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.camera import SynthCamera
from models.synth.light import illumination, mirrored
from models.synth.scene import CardSeen, Image, Light, Optics, Scene, Thing

Quad = NDArray[np.float64]
COVER = 255
"""Label of objects that hide cards, such as cups."""
HAND = 254
"""Label of hands."""
MAX_CARDS = 253
"""Maximum number of cards in a scene; labels are bytes."""
_TILE = (97, 131)
"""Rows and columns of a tile of grain; primes, so that no pattern falls in step with it."""


@dataclass(frozen=True, slots=True)
class CardTruth:
    """Ground truth of a card in the picture."""

    card: CardSeen
    corners_px: tuple[tuple[float, float], ...]
    """Upper left, upper right, lower right, lower left, as printed on the side that is up."""
    visible: float
    """Fraction of the card that is uncovered and inside the picture."""


@dataclass(frozen=True, slots=True)
class RenderedPicture:
    """A rendered picture with its ground truth."""

    image: Image
    cards: tuple[CardTruth, ...]


@dataclass(slots=True)
class Canvas:
    """An undistorted picture with margin, and the label of every pixel."""

    pixels: Image
    labels: Image
    gloss: Image


def render(scene: Scene, rng: np.random.Generator) -> RenderedPicture:
    """Render the whole scene."""
    canvas = lay_all(scene)
    return RenderedPicture(expose(canvas, scene, rng), truths(canvas, scene))


def lay_all(scene: Scene) -> Canvas:
    """Draw everything on the table, bottom to top."""
    canvas = lay_ground(scene)
    lay_cards(canvas, scene, scene.cards, first=0)
    for thing in scene.clutter:
        lay_thing(canvas, scene.camera, scene.light, thing, COVER)
    for thing in scene.hands:
        lay_thing(canvas, scene.camera, scene.light, thing, HAND)
    return canvas


def lay_ground(scene: Scene) -> Canvas:
    """Draw the empty table."""
    camera, margin = scene.camera, scene.camera.margin_px
    height, width = scene.ground.shape[:2]
    to_table = np.array(
        [
            [scene.ground_mm[0] / width, 0, -scene.ground_mm[0] / 2],
            [0, scene.ground_mm[1] / height, -scene.ground_mm[1] / 2],
            [0, 0, 1],
        ]
    )
    whole = shifted(margin, margin) @ camera.homography @ to_table
    size = (camera.width_px + 2 * margin, camera.height_px + 2 * margin)
    pixels = cv2.warpPerspective(scene.ground, whole, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    canvas = Canvas(
        np.asarray(pixels, np.uint8),
        np.zeros(size[::-1], np.uint8),
        np.full(size[::-1], int(255 * scene.ground_gloss), np.uint8),
    )
    for thing in scene.under:
        lay_thing(canvas, camera, scene.light, thing, 0)
    return canvas


def lay_cards(canvas: Canvas, scene: Scene, cards: tuple[CardSeen, ...], first: int) -> None:
    """Draw cards, bottom to top; `first` is the index of the first one in the scene."""
    if first + len(cards) > MAX_CARDS:
        raise ValueError(f"{first + len(cards)} cards in one scene; wanted at most {MAX_CARDS}")
    for number, card in enumerate(cards, first + 1):
        lay_thing(canvas, scene.camera, scene.light, card.thing, number)


def lay_thing(canvas: Canvas, camera: SynthCamera, light: Light, thing: Thing, label: int) -> None:
    """Draw one thing with its shadow."""
    corners = camera.project_straight(corners_mm(thing)) + camera.margin_px
    if thing.sprite.thickness_mm > 0:
        _lay_shadow(canvas, camera, light, thing)
    box = _box(corners, canvas.pixels.shape, 1)
    if box is None:
        return
    left, top, right, bottom = box
    height, width = thing.sprite.pixels.shape[:2]
    # Pixel centres are at whole numbers, so a sprite's edge is half a pixel outside its first and last centre.
    source = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    mapping = cv2.getPerspectiveTransform(source.astype(np.float32), (corners - (left, top)).astype(np.float32))
    size = (right - left, bottom - top)
    patch = np.asarray(cv2.warpPerspective(thing.sprite.pixels, mapping, size, flags=cv2.INTER_LINEAR), np.uint8)
    alpha = patch[:, :, 3]
    area = canvas.pixels[top:bottom, left:right]
    keep = cv2.merge([255 - alpha] * 3)
    area[:] = cv2.add(cv2.multiply(area, keep, scale=1 / 255), _shaded(patch[:, :, :3], thing, light))
    solid = alpha > 127
    canvas.labels[top:bottom, left:right][solid] = label
    canvas.gloss[top:bottom, left:right][solid] = int(255 * thing.sprite.gloss)


def _shaded(patch: Image, thing: Thing, light: Light) -> Image:
    """Shade a bent or leaning card: it reflects differently from one side to the other."""
    if not thing.curl_mm and not thing.lean_deg:
        return patch
    toward = np.cos(np.deg2rad(light.angle_deg - thing.turn_deg))
    slope = 0.02 * thing.curl_mm * light.slant * toward - 0.25 * abs(np.sin(np.deg2rad(thing.lean_deg)))
    ramp = np.linspace(1 + slope, 1 - slope if thing.curl_mm else 1 + slope, patch.shape[1])
    return np.asarray(np.clip(patch * ramp[None, :, None], 0, 255), np.uint8)


def _lay_shadow(canvas: Canvas, camera: SynthCamera, light: Light, thing: Thing) -> None:
    """Draw the shadow on the side away from the lamp; higher things throw longer shadows."""
    height = thing.height_mm + thing.sprite.thickness_mm
    reach = light.slant * min(height, 90.0) + 0.25
    angle = np.deg2rad(light.angle_deg)
    offset = np.array([np.sin(angle), np.cos(angle)]) * reach
    flat = corners_mm(thing)[:, :2] + offset
    corners = camera.project_straight(flat) + camera.margin_px
    blur = max(0.6, light.softness * reach * camera.px_per_mm())
    box = _box(corners, canvas.pixels.shape, int(2 * blur) + 2)
    if box is None:
        return
    left, top, right, bottom = box
    # A soft shadow has no detail, so it is drawn small and enlarged; blurring it large would dominate the cost.
    coarse = max(1, int(blur / 2))
    mask: Image = np.zeros((-(-(bottom - top) // coarse), -(-(right - left) // coarse)), np.uint8)
    depth = int(255 * (0.25 + 0.35 * (1 - light.softness)))
    outline = (corners - (left, top) + 0.5) / coarse - 0.5
    if not thing.sprite.boxy:
        _stamp(mask, thing, outline, depth)
    else:
        cv2.fillConvexPoly(mask, np.round(outline * 16).astype(np.int32), depth, cv2.LINE_AA, 4)
    mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), blur / coarse), np.uint8)
    if coarse > 1:
        full = (mask.shape[1] * coarse, mask.shape[0] * coarse)
        large = cv2.resize(mask, full, interpolation=cv2.INTER_LINEAR)
        mask = np.asarray(large[: bottom - top, : right - left], np.uint8)
    area = canvas.pixels[top:bottom, left:right]
    area[:] = cv2.multiply(area, cv2.merge([255 - mask] * 3), scale=1 / 255)


def _stamp(mask: Image, thing: Thing, corners: Quad, depth: int) -> None:
    """Draw the outline of a thing that is not a rectangle, such as a hand or a cup."""
    height, width = thing.sprite.pixels.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    mapping = cv2.getPerspectiveTransform(source, corners.astype(np.float32))
    alpha = cv2.warpPerspective(thing.sprite.pixels[:, :, 3], mapping, (mask.shape[1], mask.shape[0]))
    mask[:] = cv2.multiply(alpha, np.full_like(alpha, depth), scale=1 / 255)


def expose(canvas: Canvas, scene: Scene, rng: np.random.Generator) -> Image:
    """Apply light, lens and sensor."""
    camera, light, optics = scene.camera, scene.light, scene.optics
    size = (canvas.pixels.shape[1], canvas.pixels.shape[0])
    lit = cv2.multiply(canvas.pixels, illumination(light, size), scale=1 / 128)
    if light.glare:
        shine = mirrored(light, size)
        lit = cv2.add(lit, cv2.merge([cv2.multiply(shine, canvas.gloss, scale=1 / 255)] * 3))
    return develop(camera.bend(np.asarray(lit, np.uint8)), optics, rng)


def develop(image: Image, optics: Optics, rng: np.random.Generator) -> Image:
    """Apply lens blur, sensor and encoder."""
    if optics.defocus_px > 0.2:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), optics.defocus_px), np.uint8)
    if max(map(abs, optics.motion_px)) > 0.7:
        image = smeared(image, *optics.motion_px)
    if optics.vignette:
        image = np.asarray(cv2.multiply(image, _vignette(image.shape, optics.vignette), scale=1 / 255), np.uint8)
    if optics.gamma != 1.0:
        curve = np.clip(255 * (np.arange(256) / 255) ** optics.gamma, 0, 255).astype(np.uint8)
        image = np.asarray(cv2.LUT(image, curve), np.uint8)
    if optics.noise:
        image = np.asarray(cv2.add(image, _noise(image.shape, optics.noise, rng), dtype=cv2.CV_8U), np.uint8)
    if optics.jpeg:
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, optics.jpeg])
        image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return image


def smeared(image: Image, right_px: float, down_px: float) -> Image:
    """Motion blur of a picture that moves that far while the shutter is open."""
    reach = int(np.ceil(max(abs(right_px), abs(down_px)) / 2))
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    start = (round(16 * (reach - right_px / 2)), round(16 * (reach - down_px / 2)))
    end = (round(16 * (reach + right_px / 2)), round(16 * (reach + down_px / 2)))
    cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(cv2.filter2D(image, -1, kernel / max(float(kernel.sum()), 1e-6)), np.uint8)


def truths(canvas: Canvas, scene: Scene) -> tuple[CardTruth, ...]:
    """Corners and visible fraction of every card."""
    camera = scene.camera
    inside = canvas.labels[camera.margin_px : -camera.margin_px, camera.margin_px : -camera.margin_px]
    counts = np.bincount(inside.ravel(), minlength=256)
    if not scene.cards:
        return ()
    corners = np.vstack([corners_mm(card.thing) for card in scene.cards])
    straight = camera.project_straight(corners).reshape(-1, 4, 2).astype(np.float32)
    bent = camera.project(corners).reshape(-1, 4, 2)
    found = []
    for number, (card, flat, quad) in enumerate(zip(scene.cards, straight, bent, strict=True), 1):
        whole = max(1.0, float(cv2.contourArea(flat)) * _filled(card.thing))
        points = tuple((float(x), float(y)) for x, y in quad)
        found.append(CardTruth(card, points, min(1.0, float(counts[number]) / whole)))
    return tuple(found)


def _filled(thing: Thing) -> float:
    """Fraction of its rectangle that a sprite fills; rounded corners are cut off."""
    return float(np.count_nonzero(thing.sprite.pixels[:, :, 3] > 127)) / thing.sprite.pixels[:, :, 3].size


def corners_mm(thing: Thing) -> Quad:
    """The corners of a thing with their heights, upper left first, clockwise as seen from above."""
    half_width, half_height = thing.sprite.size_mm[0] / 2, thing.sprite.size_mm[1] / 2
    lean, angle = radians(thing.lean_deg), radians(thing.turn_deg)
    across_x, across_y = half_width * cos(lean) * cos(angle), half_width * cos(lean) * sin(angle)
    along_x, along_y = -half_height * sin(angle), half_height * cos(angle)
    rise = half_width * sin(lean)
    base = thing.height_mm + thing.sprite.thickness_mm + abs(rise)
    x, y = thing.x_mm, thing.y_mm
    return np.array(
        [
            (x - across_x - along_x, y - across_y - along_y, base - rise),
            (x + across_x - along_x, y + across_y - along_y, base + rise),
            (x + across_x + along_x, y + across_y + along_y, base + rise),
            (x - across_x + along_x, y - across_y + along_y, base - rise),
        ]
    )


def shifted(x: float, y: float) -> NDArray[np.float64]:
    """A translation as a homography."""
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], float)


def _box(corners: Quad, shape: tuple[int, ...], room: int) -> tuple[int, int, int, int] | None:
    left, top = np.floor(corners.min(0)).astype(int) - room
    right, bottom = np.ceil(corners.max(0)).astype(int) + room + 1
    left, top = max(0, int(left)), max(0, int(top))
    right, bottom = min(shape[1], int(right)), min(shape[0], int(bottom))
    return (left, top, right, bottom) if right > left and bottom > top else None


def _vignette(shape: tuple[int, ...], strength: float) -> Image:
    y, x = np.linspace(-1, 1, 24)[:, None], np.linspace(-1, 1, 32)[None, :]
    small = np.clip(255 * (1 - strength * (x**2 + y**2) / 2), 0, 255).astype(np.uint8)
    return np.asarray(
        cv2.merge([cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)] * 3), np.uint8
    )


def _noise(shape: tuple[int, ...], strength: float, rng: np.random.Generator) -> NDArray[np.int16]:
    """Grain: a small tile repeated from a random offset, since fresh noise for every pixel would cost too much."""
    tile = rng.normal(0, strength, (_TILE[0], _TILE[1], 3)).astype(np.int16)
    rows, columns = -(-shape[0] // _TILE[0]) + 1, -(-shape[1] // _TILE[1]) + 1
    y, x = rng.integers(_TILE[0]), rng.integers(_TILE[1])
    return np.asarray(np.tile(tile, (rows, columns, 1))[y : y + shape[0], x : x + shape[1]], np.int16)
