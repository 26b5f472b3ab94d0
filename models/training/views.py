"""PhotoConditions views of single cards, made without rendering a table: light, lens, sensor, covers and a bad crop."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CROP_PX, SEEN_PX, Floats, Image
from models.synth.light import colour_of
from models.synth.materials import MAKERS as MATERIALS
from models.synth.materials import make_ground
from models.synth.sprites import premultiplied, rounded
from models.synth.stills import HELD_OUT_KELVIN, HELD_OUT_MATERIALS
from models.synth.wild import wild_ground
from models.training.visibility import imperfect_map

Light = NDArray[np.float32]

PLACE_MM, CORNER_MM, TURN, GROWTH = 0.5, 0.25, 0.006, 0.006
"""Standard deviations of a crop's place, of each of its corners, of its rotation in radians and of its log size."""
COVERED_FACTOR = 1.5
"""How much larger these errors are for a card that is hidden completely; in between in proportion."""
RESOLUTION_PX_PER_MM = (0.8, 4.0)
MAX_SCALE = 1.25
"""Largest size of a simulated picture relative to the crop; sharper pictures would look the same in the crop."""
KELVIN = (2700.0, 6500.0)
JPEG_QUALITY = (40, 96)
GROUNDS_PER_KIND = 3
GREY = (0.114, 0.587, 0.299)
"""Shares of blue, green and red in the brightness of a colour."""
NOISE_PX = 512
"""Side of the stored noise from which every picture takes a piece."""


@dataclass(frozen=True, slots=True)
class PhotoConditions:
    """The light and camera that all cards of one photograph share; lengths in millimetres on the card."""

    px_per_mm: float
    gains: tuple[float, float, float]
    """Exposure and colour cast of blue, green and red."""
    gamma: float
    contrast: float
    saturation: float
    defocus_mm: float
    motion_mm: tuple[float, float]
    noise_levels: float
    jpeg: int
    """JPEG quality; 0 for none."""
    sharpened: float
    hardness: float
    """From 0 to 1: how often shadows, glare and the like fall on a card."""


@dataclass(frozen=True, slots=True)
class PrintedCard:
    """A card as premultiplied BGRA at decreasing sizes, each half of the one before."""

    levels: tuple[Image, ...]
    width_mm: float


@dataclass(frozen=True, slots=True)
class CardView:
    """A crop with the visibility map that a finder gives, and the fraction that is really visible."""

    pixels: Image
    seen: Image
    visible: float


def printed_card(pixels: Image, alpha: Image, width_mm: float) -> PrintedCard:
    """Prepare a face for views; the alpha channel of all cards of a deck is the same."""
    full = premultiplied(pixels, alpha)
    half = np.asarray(cv2.resize(full, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    quarter = np.asarray(cv2.resize(half, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    return PrintedCard((full, half, quarter), width_mm)


def mixed_card(one: PrintedCard, other: PrintedCard, swapped: Image) -> PrintedCard:
    """A card that shows another one of the same deck where a mask at the size of a crop is set."""
    full, added = one.levels[0], other.levels[0]
    mask = cv2.resize(swapped, full.shape[1::-1], interpolation=cv2.INTER_NEAREST)
    mixed = np.where(mask[:, :, None] > 0, added, full)
    return printed_card(np.ascontiguousarray(mixed[:, :, :3]), np.ascontiguousarray(mixed[:, :, 3]), one.width_mm)


def outline_of(size_px: tuple[int, int], corner_px: float) -> Image:
    """The alpha channel of a card with rounded corners."""
    return np.ascontiguousarray(rounded(np.zeros((size_px[1], size_px[0], 3), np.uint8), corner_px)[:, :, 3])


def random_camera_view(rng: np.random.Generator, hardness: float) -> PhotoConditions:
    """A camera in some light, from good (0) to the worst that can still be read (1)."""
    low, high = RESOLUTION_PX_PER_MM
    # Hard pictures are often taken from far away.
    finest = float(np.exp(rng.uniform(np.log(low + (1 - hardness) * 1.2), np.log(high))))
    exposure = float(np.exp(rng.normal(0, 0.12 + 0.25 * hardness)))
    if rng.random() < 0.3 * hardness:
        exposure = float(np.exp(rng.uniform(-1.3, -0.4) if rng.random() < 0.4 else rng.uniform(0.25, 0.9)))
    kelvin = float(rng.uniform(*KELVIN))
    if HELD_OUT_KELVIN[0] < kelvin < HELD_OUT_KELVIN[1]:
        kelvin += HELD_OUT_KELVIN[1] - HELD_OUT_KELVIN[0]
    balanced = float(np.clip(rng.normal(1 - 0.3 * hardness, 0.2), 0, 1.2))
    cast = np.array(colour_of(kelvin)) ** (1 - balanced) * np.exp(rng.normal(0, 0.02 + 0.04 * hardness, 3))
    blue, green, red = (float(part) for part in exposure * cast)
    shaken = rng.random() < 0.25 * hardness
    angle, length = float(rng.uniform(0, np.pi)), float(rng.uniform(0.3, 1.6)) * shaken
    return PhotoConditions(
        px_per_mm=finest,
        gains=(blue, green, red),
        gamma=float(np.exp(rng.normal(0, 0.08 + 0.15 * hardness))),
        contrast=float(rng.normal(0, 0.25 * hardness)),
        saturation=float(np.exp(rng.normal(0, 0.08 + 0.15 * hardness))),
        defocus_mm=float(rng.uniform(0, 0.2 + 0.4 * hardness)) if rng.random() < 0.6 else 0.0,
        motion_mm=(length * float(np.cos(angle)), length * float(np.sin(angle))),
        noise_levels=float(rng.uniform(0.5, 2 + 8 * hardness)),
        jpeg=int(rng.integers(*JPEG_QUALITY)) if rng.random() < 0.6 else 0,
        sharpened=float(rng.uniform(0.3, 1)) if rng.random() < 0.2 else 0.0,
        hardness=hardness,
    )


class CardViews:
    """Takes views of cards; keeps grounds and noise that every view takes pieces of."""

    def __init__(self, rng: np.random.Generator) -> None:
        kinds = [name for name in MATERIALS if name not in HELD_OUT_MATERIALS]
        self._grounds = [make_ground(name, rng).pixels for name in kinds for _ in range(GROUNDS_PER_KIND)]
        self._grounds += [wild_ground(rng).pixels for _ in range(2 * GROUNDS_PER_KIND)]
        self._noise: Light = rng.standard_normal((NOISE_PX, NOISE_PX, 3), np.float32)

    def take(
        self,
        rng: np.random.Generator,
        card: PrintedCard,
        camera: PhotoConditions,
        turned: bool = False,
        covers: tuple[PrintedCard, ...] = (),
        touched: bool = False,
        error: float = 1.0,
    ) -> CardView:
        """A view of a card, perhaps upside down, under other cards or touched by a hand; `error` scales the crop's."""
        scale = min(MAX_SCALE, camera.px_per_mm * card.width_mm / CROP_PX[0])
        size = (max(16, round(CROP_PX[0] * scale)), max(22, round(CROP_PX[1] * scale)))
        per_mm = size[0] / card.width_mm
        places = [_cover_place(rng, size) for _ in covers]
        hidden = _hidden(size, places)
        off = error * (1 + COVERED_FACTOR * hidden)
        jitter = _jitter(rng, size, per_mm, off)
        picture = self._ground(rng, size)
        own = np.zeros(CROP_PX[::-1], np.uint8)
        corners = _box(size)
        _lay(picture, card, jitter @ _onto(card, corners, turned))
        to_map = np.diag([CROP_PX[0] / size[0], CROP_PX[1] / size[1], 1.0])
        _fill(own, corners, to_map @ jitter, 255)
        for cover, place in zip(covers, places, strict=True):
            if rng.random() < 0.7:
                _shadow(picture, place, jitter, rng, per_mm)
            _lay(picture, cover, jitter @ _onto(cover, place, False))
            _fill(own, place, to_map @ jitter, 0)
        if touched:
            _touch(picture, own, rng, marked=bool(rng.random() < 0.6))
        visible = float(np.mean(own > 127))
        crop = self._exposed(_lit(picture, rng, camera), rng, camera, per_mm)
        seen = own[2::4, 2::4]
        assert seen.shape == SEEN_PX[::-1]
        return CardView(crop, imperfect_map(np.ascontiguousarray(seen), rng), visible)

    def _ground(self, rng: np.random.Generator, size: tuple[int, int]) -> Image:
        ground = self._grounds[int(rng.integers(len(self._grounds)))]
        left, top = int(rng.integers(ground.shape[1] - size[0])), int(rng.integers(ground.shape[0] - size[1]))
        return ground[top : top + size[1], left : left + size[0]].copy()

    def _exposed(self, lit: Light, rng: np.random.Generator, camera: PhotoConditions, per_mm: float) -> Image:
        """Blur, noise, clipping, tone curve and compression; then the crop at its final size."""
        blur = camera.defocus_mm * per_mm
        if blur > 0.35:
            lit = np.asarray(cv2.GaussianBlur(lit, (0, 0), blur), np.float32)
        if max(map(abs, camera.motion_mm)) * per_mm > 1:
            lit = _moved(lit, (camera.motion_mm[0] * per_mm, camera.motion_mm[1] * per_mm))
        if camera.sharpened:
            soft = cv2.GaussianBlur(lit, (0, 0), 1.2)
            lit = np.asarray(cv2.addWeighted(lit, 1 + camera.sharpened, soft, -camera.sharpened, 0), np.float32)
        high, wide = lit.shape[:2]
        left, top = int(rng.integers(NOISE_PX - wide)), int(rng.integers(NOISE_PX - high))
        grain = self._noise[top : top + high, left : left + wide]
        image = np.asarray(cv2.addWeighted(lit, 1, grain, camera.noise_levels, 0, dtype=cv2.CV_8U), np.uint8)
        image = np.asarray(cv2.LUT(image, _tones(camera)), np.uint8)
        if camera.jpeg:
            data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, camera.jpeg])[1]
            image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        if rng.random() < 0.15:
            return _curled(image, rng)
        way = cv2.INTER_AREA if wide > CROP_PX[0] else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(image, CROP_PX, interpolation=way), np.uint8)


def _box(size: tuple[int, int]) -> Floats:
    return np.array([(0, 0), (size[0], 0), size, (0, size[1])], float)


def _onto(card: PrintedCard, corners: Floats, turned: bool) -> Floats:
    """Transform from the pixels of the full-size print to its place in the picture."""
    high, wide = card.levels[0].shape[:2]
    target = np.roll(corners, 2, axis=0) if turned else corners
    return np.asarray(cv2.getPerspectiveTransform(_box((wide, high)).astype(np.float32), target.astype(np.float32)))


def _jitter(rng: np.random.Generator, size: tuple[int, int], per_mm: float, off: float) -> Floats:
    """The error of a crop, as a transform of the picture."""
    corners = _box(size)
    middle = corners.mean(0)
    turn, grow = rng.normal(0, TURN * off), np.exp(rng.normal(0, GROWTH * off))
    spin = np.array([[1, -turn], [turn, 1]]) * grow
    moved = (corners - middle) @ spin.T + middle + rng.normal(0, PLACE_MM * off, 2) * per_mm
    moved += rng.normal(0, CORNER_MM * off, (4, 2)) * per_mm
    return np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32)))


def _cover_place(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    """Corners of a card of the same size that hides a part, most often nearly parallel as in a fan or row."""
    corners, middle = _box(size), np.array(size) / 2
    chance = rng.random()
    angle = float(rng.normal(0, 0.12) if chance < 0.5 else rng.normal(0, 0.5) if chance < 0.8 else rng.uniform(0, 7))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    way = float(rng.uniform(0, 2 * np.pi)) if rng.random() < 0.4 else float(rng.integers(4)) * np.pi / 2
    reach = np.array([np.cos(way) * size[0], np.sin(way) * size[1]]) * float(rng.uniform(0.2, 1.0))
    return np.asarray((corners - middle) @ turn.T + middle + reach, float)


def _hidden(size: tuple[int, int], places: list[Floats]) -> float:
    if not places:
        return 0.0
    small = np.zeros(SEEN_PX[::-1], np.uint8)
    for place in places:
        _fill(small, place, np.diag([SEEN_PX[0] / size[0], SEEN_PX[1] / size[1], 1.0]), 255)
    return float(np.mean(small > 0))


def _fill(mask: Image, corners: Floats, transform: Floats, value: int) -> None:
    points = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), transform)
    cv2.fillConvexPoly(mask, np.round(16 * points - 8).astype(np.int32), value, cv2.LINE_8, 4)


def _lay(picture: Image, card: PrintedCard, transform: Floats) -> None:
    """Put a card into a picture, from the print whose size is nearest to that in the picture."""
    size = picture.shape[1::-1]
    shrink = card.levels[0].shape[1] / size[0]
    level = 0 if shrink < 3 else 1 if shrink < 6 else 2
    finer = np.diag([2.0**level, 2.0**level, 1.0])
    laid = cv2.warpPerspective(card.levels[level], transform @ finer, size, flags=cv2.INTER_LINEAR)
    blue, green, red, alpha = cv2.split(laid)
    rest = cv2.merge([cv2.bitwise_not(alpha)] * 3)
    cv2.add(cv2.multiply(picture, rest, scale=1 / 255), cv2.merge([blue, green, red]), dst=picture)


def _shadow(picture: Image, place: Floats, jitter: Floats, rng: np.random.Generator, per_mm: float) -> None:
    shade = np.full(picture.shape[:2], 255, np.uint8)
    _fill(shade, place + rng.normal(0, 0.8, 2) * per_mm, jitter, int(rng.integers(90, 210)))
    soft = cv2.GaussianBlur(shade, (0, 0), float(rng.uniform(0.3, 1.5)) * per_mm)
    cv2.multiply(picture, cv2.merge([soft] * 3), dst=picture, scale=1 / 255)


def _touch(picture: Image, own: Image, rng: np.random.Generator, marked: bool) -> None:
    """Fingers, a sleeve or a thing over a part of the card; the finder may not notice them."""
    high, wide = picture.shape[:2]
    tone = np.array([130, 160, 215]) * rng.uniform(0.35, 1.1) if rng.random() < 0.7 else rng.uniform(10, 240, 3)
    scale = CROP_PX[0] / wide
    edge = float(rng.uniform(0, 2 * np.pi))
    way = np.array([np.cos(edge), np.sin(edge)])
    for finger in range(int(rng.integers(1, 4))):
        thick = float(rng.uniform(0.12, 0.24)) * wide
        side = np.array([-way[1], way[0]]) * (finger - 1) * 1.1 * thick
        tip = np.array([wide, high]) / 2 + side + way * float(rng.uniform(0.15, 0.5)) * high
        ends = [tip, tip + way * high]
        shade = tuple(float(part) for part in np.clip(tone * rng.uniform(0.85, 1.1), 0, 255))
        points = [(round(16 * float(x)), round(16 * float(y))) for x, y in ends]
        cv2.line(
            picture, points[0], points[1], tuple(0.7 * part for part in shade), round(1.15 * thick), cv2.LINE_AA, 4
        )
        cv2.line(picture, points[0], points[1], shade, round(thick), cv2.LINE_AA, 4)
        if marked:
            mapped = [(round(x * scale), round(y * scale)) for x, y in points]
            cv2.line(own, mapped[0], mapped[1], 0, round(1.1 * thick * scale), cv2.LINE_8, 4)


def _lit(picture: Image, rng: np.random.Generator, camera: PhotoConditions) -> Light:
    """The picture in the camera's light, with shadows and reflections where this card is."""
    high, wide = picture.shape[:2]
    hard = camera.hardness
    slope = rng.normal(0, 0.04 + 0.12 * hard, 4)
    gain: Light = np.asarray(1 + np.array([[slope[0], slope[1]], [slope[2], slope[3]]]), np.float32)
    gain = np.asarray(cv2.resize(gain, (wide, high), interpolation=cv2.INTER_LINEAR), np.float32)
    if rng.random() < 0.35 * hard:
        gain *= _shade(rng, (wide, high))
    # Saturation mixes each channel with grey; then the channels get their gains.
    mixing = camera.saturation * np.eye(3) + (1 - camera.saturation) * np.array(GREY)
    toned = cv2.transform(picture.astype(np.float32), np.array(camera.gains)[:, None] * mixing)
    lit: Light = np.asarray(cv2.multiply(toned, cv2.merge([gain] * 3)), np.float32)
    if rng.random() < 0.35 * hard:
        lit = np.asarray(cv2.add(lit, cv2.merge([_glare(rng, (wide, high))] * 3)), np.float32)
    if rng.random() < 0.2 * hard:
        lit += np.float32(rng.uniform(5, 45))
    return lit


def _shade(rng: np.random.Generator, size: tuple[int, int]) -> Light:
    """A shadow with a straight edge, hard or soft; or a bright patch of sun."""
    wide, high = size
    shade = np.ones((high // 2, wide // 2), np.float32)
    level = float(rng.uniform(0.3, 0.8) if rng.random() < 0.7 else rng.uniform(1.2, 1.8))
    angle, middle = float(rng.uniform(0, 2 * np.pi)), rng.uniform(0.1, 0.9, 2) * (wide / 2, high / 2)
    across, along = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    depth = high * (1.0 if rng.random() < 0.6 else float(rng.uniform(0.05, 0.3)))
    corners = [middle - along * high, middle + along * high, middle + along * high + across * depth]
    corners.append(middle - along * high + across * depth)
    cv2.fillConvexPoly(shade, np.round(corners).astype(np.int32), level)
    soft = cv2.GaussianBlur(shade, (0, 0), float(rng.uniform(0.4, 10)))
    return np.asarray(cv2.resize(soft, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _glare(rng: np.random.Generator, size: tuple[int, int]) -> Light:
    """The reflection of a lamp or window: a spot or a streak, weak or washed out completely."""
    wide, high = size[0] // 4, size[1] // 4
    spot = np.zeros((high, wide), np.float32)
    middle = (int(rng.integers(wide)), int(rng.integers(high)))
    streak = rng.random() < 0.4
    axes = (max(1, round(rng.uniform(0.1, 0.5) * wide)), max(1, round(rng.uniform(0.03, 0.1) * wide)))
    if not streak:
        axes = (axes[0], max(1, round(axes[0] * rng.uniform(0.4, 1))))
    strength = float(np.exp(rng.uniform(np.log(25), np.log(350))))
    cv2.ellipse(
        spot, middle, (axes[0] * (2 if streak else 1), axes[1]), float(rng.uniform(0, 180)), 0, 360, strength, -1
    )
    soft = cv2.GaussianBlur(spot, (0, 0), float(rng.uniform(0.6, 5)))
    return np.asarray(cv2.resize(soft, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _moved(lit: Light, by_px: tuple[float, float]) -> Light:
    side = 2 * int(np.ceil(max(map(abs, by_px)) / 2)) + 1
    kernel = np.zeros((side, side), np.float32)
    middle, half = 8 * (side - 1), (8 * by_px[0], 8 * by_px[1])
    ends = [(round(middle + sign * half[0]), round(middle + sign * half[1])) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_8, 4)
    return np.asarray(cv2.filter2D(lit, -1, kernel / max(float(kernel.sum()), 1.0)), np.float32)


def _tones(camera: PhotoConditions) -> Image:
    """The camera's tone curve as a table."""
    level = np.linspace(0, 1, 256) ** camera.gamma
    level = level + camera.contrast * (level - 0.5) * level * (1 - level) * 4
    return np.clip(np.rint(255 * level), 0, 255).astype(np.uint8)


def _curled(image: Image, rng: np.random.Generator) -> Image:
    """The crop of a bent card: the middle of its sides is displaced."""
    wide, high = CROP_PX
    x, y = np.meshgrid(np.linspace(0, 1, wide, dtype=np.float32), np.linspace(0, 1, high, dtype=np.float32))
    bow = rng.normal(0, 0.012, 4)
    over, down = 4 * x * (1 - x), 4 * y * (1 - y)
    new_x = (x + bow[0] * down + bow[1] * (x - 0.5) * down) * (image.shape[1] - 1)
    new_y = (y + bow[2] * over + bow[3] * (y - 0.5) * over) * (image.shape[0] - 1)
    warped = cv2.remap(image, new_x.astype(np.float32), new_y.astype(np.float32), cv2.INTER_LINEAR, borderMode=1)
    return np.asarray(warped, np.uint8)
