"""A family of decks for evaluation only: dark photographic art, told apart by tiny symbols.

Training must never draw from it. It shares no art, symbol, font or layout with the training families.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.art.pen import Size
from models.synth.foreign.canvas import Ink, lettering, stamp
from models.synth.scene import Image, Sprite
from models.synth.sprites import card_sprite
from models.synth.styles import fonts

Field = NDArray[np.float32]

FACE_PX_PER_MM = 4.0
SIZES_MM = ((63, 88), (57, 87), (61, 112), (50, 75), (68, 90))
"""Widths and heights of the cards."""
SUBJECTS, VARIANTS = (4, 8), (2, 4)
"""Ranges of the number of pictures in a deck and of the cards that share one; upper ends excluded."""
SYMBOL_MM = (4.5, 7.5)
"""Range of the height of the symbols that tell cards apart."""
_SYMBOL_PX = 64


@dataclass(frozen=True, slots=True)
class PhotoStyle:
    """The layout of one deck."""

    size: Size
    font: str
    layout: str
    """Where the symbols are: edge, strip, rosette, tab or diagonal."""
    differs: str
    """How cards with the same picture differ: emblem, numeral or hue."""
    symbol_mm: float
    ink: Ink
    hues: tuple[Ink, ...]
    emblems: tuple[str, ...]
    rim_mm: float
    rim_ink: Ink
    dim: float
    """Mean brightness of the art, from 0 to 1."""


class PhotoCards:
    """A deck of this family for simulated tables."""

    def __init__(self, rng: np.random.Generator, px_per_mm: float, size: Size | None = None) -> None:
        self.style = _random_style(rng, size)
        width, height = (round(part * FACE_PX_PER_MM) for part in (self.style.size.width_mm, self.style.size.height_mm))
        shared = [_photo(rng, (width, height), self.style.dim) for _ in range(int(rng.integers(*SUBJECTS)))]
        self._cards = []
        for subject, art in enumerate(shared):
            for variant in range(int(rng.integers(*VARIANTS))):
                face = _face(self.style, art, variant)
                self._cards.append((f"{subject + 1}-{variant + 1}", self._sprite(face, px_per_mm)))
        back = _photo(rng, (width, height), 0.35)
        back[height // 2 :] = back[: height - height // 2][::-1, ::-1]
        self._back = self._sprite(back, px_per_mm)

    def faces(self) -> dict[str, Sprite]:
        """Every card by its code."""
        return dict(self._cards)

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        """Draw a card: its code, its face and its back."""
        code, face = self._cards[rng.integers(len(self._cards))]
        return code, face, self._back

    def _sprite(self, pixels: Image, px_per_mm: float) -> Sprite:
        size = self.style.size
        to_px = (round(size.width_mm * px_per_mm), round(size.height_mm * px_per_mm))
        return card_sprite(
            np.asarray(cv2.resize(pixels, to_px, interpolation=cv2.INTER_AREA), np.uint8), size, px_per_mm
        )


def _random_style(rng: np.random.Generator, size: Size | None) -> PhotoStyle:
    width, height = SIZES_MM[int(rng.integers(len(SIZES_MM)))]
    hues = [_lab_ink(190, angle) for angle in rng.uniform(0, 2 * np.pi) + np.arange(4) * np.pi / 2]
    return PhotoStyle(
        size=size or Size(width, height, float(rng.uniform(1.5, 5))),
        font=str(rng.choice(fonts(held_out=True))),
        layout=str(rng.choice(("edge", "strip", "rosette", "tab", "diagonal"))),
        differs=str(rng.choice(("emblem", "numeral", "hue"), p=(0.45, 0.35, 0.2))),
        symbol_mm=float(rng.uniform(*SYMBOL_MM)),
        ink=_lab_ink(float(rng.uniform(190, 245)), float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0, 25))),
        hues=tuple(hues),
        emblems=tuple(str(name) for name in rng.permutation(list(EMBLEMS))),
        rim_mm=float(rng.choice((0, 0, 1.5, 3))),
        rim_ink=(18, 16, 16) if rng.random() < 0.5 else (205, 210, 214),
        dim=float(rng.uniform(0.12, 0.4)),
    )


def _face(style: PhotoStyle, art: Image, variant: int) -> Image:
    face = art.copy()
    rim = round(style.rim_mm * FACE_PX_PER_MM)
    if rim:
        cv2.rectangle(face, (0, 0), (face.shape[1] - 1, face.shape[0] - 1), style.rim_ink, 2 * rim)
    ink = style.hues[variant] if style.differs == "hue" else style.ink
    emblem = emblem_mask(style.emblems[variant if style.differs == "emblem" else 0])
    numeral = lettering(style.font, str((3, 5, 8, 6)[variant] if style.differs == "numeral" else 7))
    tall = style.symbol_mm * FACE_PX_PER_MM
    for symbol, x, y, turn_deg in _spots(style, tall / face.shape[0]):
        mask = numeral if symbol == "numeral" else emblem
        cv2.circle(
            face,
            (round(x * face.shape[1]), round(y * face.shape[0])),
            round(0.75 * tall),
            (20, 18, 18),
            -1,
            cv2.LINE_AA,
        )
        stamp(face, mask, (x, y), (0.85 if symbol == "numeral" else 1) * tall, ink, turn_deg)
    return face


def _spots(style: PhotoStyle, tall: float) -> list[tuple[str, float, float, float]]:
    """What is printed where: kind of symbol, place, rotation."""
    main = "numeral" if style.differs == "numeral" else "emblem"
    other = "emblem" if main == "numeral" else "numeral"
    if style.layout == "edge":
        return [(main, 0.12, 0.5, -90), (main, 0.88, 0.5, 90)]
    if style.layout == "strip":
        return [(main, 0.3, 0.93, 0), (other, 0.5, 0.93, 0), (main, 0.7, 0.93, 0)]
    if style.layout == "rosette":
        return [(main, 0.5, 0.5 - 0.9 * tall, 0), (main, 0.5, 0.5 + 0.9 * tall, 180)]
    if style.layout == "tab":
        return [(main, 0.5, 0.07, 0), (main, 0.5, 0.93, 180)]
    return [(main, 0.86, 0.1, 45), (other, 0.5, 0.5, 45), (main, 0.14, 0.9, 225)]


def _photo(rng: np.random.Generator, size_px: tuple[int, int], dim: float) -> Image:
    """Dark art of a random kind, with the tones of a film and a vignette."""
    kinds = tuple(ART)
    light = ART[kinds[int(rng.integers(len(kinds)))]](rng, size_px)
    light = np.clip(light / max(float(np.percentile(light, 97)), 1e-3), 0, 1)
    tone = _toned(rng, np.asarray(light, np.float32))
    x, y = np.linspace(-1, 1, size_px[0])[None, :], np.linspace(-1, 1, size_px[1])[:, None]
    vignette = 1 - float(rng.uniform(0.2, 0.7)) * np.clip((x**2 + y**2) / 2, 0, 1)
    shot = tone * vignette[:, :, None].astype(np.float32)
    shot *= dim / max(float(shot.mean()), 1e-3)
    shot += rng.normal(0, 0.012, (*shot.shape[:2], 1)).astype(np.float32)
    return np.clip(255 * shot, 0, 255).astype(np.uint8)


def _toned(rng: np.random.Generator, light: Field) -> Field:
    """Colours of a film: two hues, one for shadows and one for lights, that wander over the picture."""
    first, second = rng.uniform(0, 2 * np.pi, 2)
    strength = float(rng.uniform(8, 45))
    wander = _spectral(rng, (light.shape[1], light.shape[0]), 3.0) * 1.5
    angle = first + (second - first) * light + wander
    lab = np.dstack([90 * light + 5, strength * np.cos(angle), strength * np.sin(angle)]).astype(np.float32)
    return np.asarray(np.clip(cv2.cvtColor(lab, cv2.COLOR_Lab2BGR), 0, 1), np.float32)


def _lab_ink(level: float, angle: float, strength: float = 55) -> Ink:
    lab = np.array([[[level / 2.55, strength * np.cos(angle), strength * np.sin(angle)]]], np.float32)
    blue, green, red = (int(255 * np.clip(part, 0, 1)) for part in cv2.cvtColor(lab, cv2.COLOR_Lab2BGR)[0, 0])
    return blue, green, red


def _spectral(rng: np.random.Generator, size_px: tuple[int, int], fall: float) -> Field:
    """Noise whose spectrum falls with a power of the frequency, with mean 0 and deviation 1."""
    width, height = size_px
    across, down = np.fft.rfftfreq(width)[None, :], np.fft.fftfreq(height)[:, None]
    power = np.maximum(np.hypot(across, down), 1 / max(size_px)) ** (-fall / 2)
    spectrum = power * np.exp(2j * np.pi * rng.random(power.shape))
    spectrum[0, 0] = 0
    noise = np.fft.irfft2(spectrum, s=(height, width))
    return np.asarray(noise / noise.std(), np.float32)


def _warped(field: Field, by: Field, reach_px: float) -> Field:
    rows, columns = np.indices(field.shape, np.float32)
    there = np.roll(by, by.shape[0] // 3, axis=0)
    return np.asarray(
        cv2.remap(field, columns + reach_px * by, rows + reach_px * there, cv2.INTER_LINEAR, borderMode=2), np.float32
    )


def _lake(rng: np.random.Generator, size_px: tuple[int, int]) -> Field:
    """A range of mountains with snow, mirrored in a lake."""
    width, height = size_px
    shore = int(rng.uniform(0.45, 0.7) * height)
    crest = shore * (0.5 + 0.14 * _spectral(rng, (width, 8), 2.6)[0])
    rows = np.arange(shore, dtype=np.float32)[:, None]
    depth = np.clip((rows - crest) / shore, 0, 1)
    rock = 0.35 + 0.18 * _warped(_spectral(rng, (width, shore), 2.2), _spectral(rng, (width, shore), 3.0), 9)
    snow = np.clip(0.9 - 4 * depth + 0.4 * rock, 0, 1)
    sky = 0.25 + 0.5 * rows / shore + 0.06 * _spectral(rng, (width, shore), 3.2)
    upper = np.where(rows < crest, sky, np.clip(0.6 * rock + 0.7 * snow, 0, 1)).astype(np.float32)
    lower = cv2.resize(upper[::-1], (width, height - shore), interpolation=cv2.INTER_AREA)
    lower = 0.7 * _warped(np.asarray(lower, np.float32), _spectral(rng, (width, height - shore), 1.6), 3)
    return np.asarray(np.vstack([upper, lower]), np.float32)


def _drops(rng: np.random.Generator, size_px: tuple[int, int]) -> Field:
    """Merging drops lit from the side: the normals of a sum of bumps."""
    width, height = size_px
    rows, columns = np.indices((height, width), np.float32)
    bumps = np.zeros((height, width), np.float32)
    for _ in range(int(rng.integers(6, 26))):
        x, y, reach = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.05, 0.2) * width
        bumps += np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * reach**2))
    dome = np.sqrt(np.clip(bumps - 0.4, 0, 1.5)).astype(np.float32)
    down, across = np.gradient(40 * dome)
    lamp = rng.normal((0, 0, 1.5), 1)
    lamp /= np.linalg.norm(lamp)
    shade = (lamp[2] - lamp[0] * across - lamp[1] * down) / np.sqrt(1 + across**2 + down**2)
    shine = np.clip(shade, 0, 1) ** 12
    return np.asarray(np.where(dome > 0, 0.15 + 0.6 * np.clip(shade, 0, 1) + shine, 0.1), np.float32)


def _fur(rng: np.random.Generator, size_px: tuple[int, int]) -> Field:
    """Fibres along a direction that changes slowly."""
    noise = rng.random((size_px[1], size_px[0]), np.float32)
    length = int(rng.integers(11, 31))
    kernel = np.zeros((length, length), np.float32)
    angle, middle = float(rng.uniform(0, np.pi)), length // 2
    ends = [(round(middle + s * middle * np.cos(angle)), round(middle + s * middle * np.sin(angle))) for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    fibres = np.asarray(cv2.filter2D(noise, -1, kernel / kernel.sum()), np.float32)
    bent = _warped(fibres, _spectral(rng, size_px, 3.4), float(rng.uniform(8, 30)))
    bent = (bent - float(bent.min())) / float(np.ptp(bent))
    return np.asarray(bent**2 * (0.6 + 0.25 * np.clip(_spectral(rng, size_px, 3.5), -2, 2)), np.float32)


def _lights(rng: np.random.Generator, size_px: tuple[int, int]) -> Field:
    """Lights of a city out of focus."""
    night = np.full((size_px[1], size_px[0]), 0.05, np.float32)
    for _ in range(int(rng.integers(15, 60))):
        disc = np.zeros_like(night)
        middle = (int(rng.integers(size_px[0])), int(rng.normal(0.55, 0.2) * size_px[1]))
        radius = int(rng.uniform(0.02, 0.1) * size_px[0]) + 1
        cv2.circle(disc, middle, radius, float(rng.uniform(0.1, 0.6)), -1, cv2.LINE_AA)
        night += disc
    return np.asarray(cv2.GaussianBlur(night, (0, 0), float(rng.uniform(0.8, 2))), np.float32)


def _julia(rng: np.random.Generator, size_px: tuple[int, int]) -> Field:
    """A Julia set, as feathers or lightning."""
    aspect = size_px[1] / size_px[0]
    x, y = np.meshgrid(np.linspace(-1.2, 1.2, size_px[0]), np.linspace(-1.2 * aspect, 1.2 * aspect, size_px[1]))
    point = (x + 1j * y) * np.exp(1j * rng.uniform(0, 2 * np.pi))
    turn = rng.uniform(0, 2 * np.pi)
    constant = 0.7885 * np.exp(1j * turn)
    least = np.full(point.shape, 9.0)
    for _ in range(24):
        point = np.where(np.abs(point) < 3, point**2 + constant, point)
        least = np.minimum(least, np.abs(point - 0.3))
    return np.asarray(np.exp(-2.5 * least), np.float32)


def _fog(rng: np.random.Generator, size_px: tuple[int, int]) -> Field:
    """Smoke: noise that is displaced by noise."""
    smoke = _warped(_spectral(rng, size_px, 2.8), _spectral(rng, size_px, 3.2), float(rng.uniform(10, 40)))
    return np.asarray(np.clip(0.4 + 0.3 * smoke, 0, None) ** 1.5, np.float32)


ART: dict[str, Callable[[np.random.Generator, tuple[int, int]], Field]] = {
    "lake": _lake,
    "drops": _drops,
    "fur": _fur,
    "lights": _lights,
    "julia": _julia,
    "fog": _fog,
}

EMBLEMS: dict[str, Callable[[Field, Field], NDArray[np.bool_]]] = {
    "gear": lambda x, y: _between(np.hypot(x, y), 0.35, 0.75 + 0.2 * np.sign(np.cos(8 * np.arctan2(y, x)))),
    "spiral": lambda x, y: (
        (np.abs((np.arctan2(y, x) / (2 * np.pi) + 2.1 * np.hypot(x, y)) % 1 - 0.5) < 0.23) & (np.hypot(x, y) < 0.98)
    ),
    "hourglass": lambda x, y: np.abs(x) < 0.8 * np.abs(y) + 0.06,
    "trident": lambda x, y: (
        (np.abs(x) < 0.13)
        | (_between(np.abs(x), 0.6, 0.86) & (y < 0.1))
        | ((np.abs(y - 0.1) < 0.14) & (np.abs(x) < 0.86))
    ),
    "butterfly": lambda x, y: (np.abs(np.abs(y) - 0.45 * np.abs(x)) < 0.42 * np.abs(x)) & (np.abs(x) < 0.9),
    "infinity": lambda x, y: (x**2 + 1.5 * y**2) ** 2 < 0.9 * (x**2 - 1.2 * y**2) + 0.04,
    "chevrons": lambda x, y: (np.abs((y + 0.8 * np.abs(x)) % 0.7 - 0.35) < 0.17) & (np.abs(x) < 0.9),
    "checker": lambda x, y: (np.floor(2 * x) + np.floor(2 * y)) % 2 == 0,
    "waves": lambda x, y: np.abs((y - 0.18 * np.sin(6 * x)) % 0.6 - 0.3) < 0.15,
    "yin": lambda x, y: (
        (np.hypot(x, y) < 0.95) & (((x > 0) | (np.hypot(x, y + 0.47) < 0.47)) & (np.hypot(x, y - 0.47) > 0.47))
    ),
    "target": lambda x, y: (np.hypot(x, y) * 2.6 % 1 < 0.55) & (np.hypot(x, y) < 0.98),
    "bracket": lambda x, y: (np.maximum(np.abs(x), np.abs(y)) > 0.62) & ~((np.abs(x) < 0.3) & (y < 0)),
}
"""Symbols as conditions on x and y from -1 to 1."""


def emblem_mask(name: str) -> Image:
    """A symbol as a mask."""
    fine = np.linspace(-1, 1, 4 * _SYMBOL_PX, dtype=np.float32)
    x, y = np.meshgrid(fine, fine)
    inside = EMBLEMS[name](x, y).astype(np.uint8) * 255
    return np.asarray(cv2.resize(inside, (_SYMBOL_PX, _SYMBOL_PX), interpolation=cv2.INTER_AREA), np.uint8)


def _between(value: Field, low: float, high: float | Field) -> NDArray[np.bool_]:
    return np.asarray((value > low) & (value < high), bool)
