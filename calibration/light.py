"""Light: whether it is bright, white and even enough to distinguish the colours of the cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from calibration.colour import DARK, White, kelvin_of, linear, read_white
from calibration.frames import Image
from calibration.markers import find_markers

Floats = NDArray[np.float64]

LEAST_WHITE = 100.0
"""Smallest value of white paper, of 255, in its brightest channel: below it print is lost in noise."""
MOST_WEAK = 6.0
"""Largest ratio of green to blue or red; a 2700 K lamp has a fourth of blue."""
MOST_STRONG = 3.0
"""Largest ratio of blue or red to green; a 2700 K lamp has 2.5 of red."""
MOST_UNEVEN = 1.5
"""Largest ratio of blue to red between two sides of the table."""
MOST_CLIPPED = 0.25
"""Largest saturated share of white paper."""
MOST_BURNT = 0.02
"""Largest share of the picture that is saturated in all channels: reflected lamps."""
BURNT = 252
APART = 0.25
"""Distance from which two places are on different sides, as a share of the picture's diagonal."""
AROUND_MARKER = 1.2
"""Extent of a marker's paper around it, in marker sides."""


class LightFault(StrEnum):
    """Kinds of bad light."""

    DIM = "dim"
    RED = "red"
    BLUE = "blue"
    GREEN = "green"
    PINK = "pink"
    MIXED = "mixed"
    CLIPPED = "clipped"


@dataclass(frozen=True, slots=True)
class LightProblem:
    """One problem of the light: the measured value, the limit, and a sentence with advice."""

    fault: LightFault
    found: float
    wanted: float
    says: str


def find_whites(image: Image) -> tuple[White, ...]:
    """The white paper of all small markers in the picture, those of the table and of the strip."""
    whites = []
    for marker in find_markers(image):
        corners = np.array(marker.corners_px)
        middle = corners.mean(0)
        whites.append(read_white(image, middle + AROUND_MARKER * (corners - middle)))
    return tuple(white for white in whites if white is not None)


def judge_light(image: Image, whites: Sequence[White] = ()) -> tuple[LightProblem, ...]:
    """The problems of a picture's light; `whites` are those of the markers (`find_whites`) and of cards."""
    findings = [_dim(image, whites), _clipped(image, whites)]
    clear = [white for white in whites if max(white.clipped) < 0.5 and max(white.bgr) > DARK]
    if clear:
        light = np.array([linear(np.maximum(white.bgr, 1.0)) for white in clear])
        findings += [_tinted(np.median(light, axis=0)), _mixed(image, clear, light)]
    return tuple(finding for finding in findings if finding is not None)


def _dim(image: Image, whites: Sequence[White]) -> LightProblem | None:
    if whites:
        found, what = float(np.median([max(white.bgr) for white in whites])), "white paper"
    else:
        found, what = float(np.percentile(image[::4, ::4].max(2), 99.5)), "the brightest thing"
    if found >= LEAST_WHITE:
        return None
    return LightProblem(
        LightFault.DIM,
        found,
        LEAST_WHITE,
        f"the light is too dim: {what} reads {found:.0f} of 255, wanted at least {LEAST_WHITE:.0f}; "
        "add a lamp, bring it nearer, or lengthen the exposure",
    )


def _clipped(image: Image, whites: Sequence[White]) -> LightProblem | None:
    shares = np.array([white.clipped for white in whites]).reshape(-1, 3)
    if len(shares) and shares.mean(0).max() > MOST_CLIPPED:
        found, channel = float(shares.mean(0).max()), ("blue", "green", "red")[int(shares.mean(0).argmax())]
        return LightProblem(
            LightFault.CLIPPED,
            found,
            MOST_CLIPPED,
            f"{found:.0%} of the white paper is too bright for the camera in {channel}, wanted at most "
            f"{MOST_CLIPPED:.0%}; shorten the exposure or dim the lamp",
        )
    found = float((image[::2, ::2].min(2) >= BURNT).mean())
    if found <= MOST_BURNT:
        return None
    return LightProblem(
        LightFault.CLIPPED,
        found,
        MOST_BURNT,
        f"{found:.1%} of the picture is burnt out, wanted at most {MOST_BURNT:.0%}; move the lamp to where the table "
        "does not mirror it, or shorten the exposure",
    )


def _tinted(light: Floats) -> LightProblem | None:
    """The problem of a channel that is too weak or too strong for any correction."""
    blue, _, red = light / light[1]
    kelvin = kelvin_of(1 / light)
    ways = (
        (LightFault.RED, 1 / blue, MOST_WEAK, "of blue there is only 1/{found:.1f} of what there is of green"),
        (LightFault.RED, red, MOST_STRONG, "of red there is {found:.1f} times what there is of green"),
        (LightFault.BLUE, 1 / red, MOST_WEAK, "of red there is only 1/{found:.1f} of what there is of green"),
        (LightFault.BLUE, blue, MOST_STRONG, "of blue there is {found:.1f} times what there is of green"),
    )
    fault, found, wanted, words = max(ways, key=lambda way: way[1] / way[2])
    if found <= wanted:
        return None
    if min(blue, red) > MOST_STRONG**0.5:
        fault = LightFault.PINK
    elif max(blue, red) < MOST_STRONG**-0.5:
        fault = LightFault.GREEN
    return LightProblem(
        fault,
        float(found),
        wanted,
        f"the light is too {fault}: {words.format(found=found)} (about {kelvin:.0f} K), wanted no more than "
        f"{wanted:g} times; take a white lamp of 2700 to 6500 K",
    )


def _mixed(image: Image, whites: Sequence[White], light: Floats) -> LightProblem | None:
    """The problem of two distant places lit by lamps of different colours."""
    height, width = image.shape[:2]
    places = np.array([(white.x_px, white.y_px) for white in whites])
    ratio = np.log(light[:, 0] / light[:, 2])
    far = np.hypot(*(places[:, None] - places[None, :]).transpose(2, 0, 1)) >= APART * np.hypot(width, height)
    apart = np.where(far, ratio[:, None] - ratio[None, :], 0.0)
    bluest, reddest = np.unravel_index(int(apart.argmax()), apart.shape)
    found = float(np.exp(apart[bluest, reddest]))
    if found <= MOST_UNEVEN:
        return None
    cold, warm = (_side(places[place], (width, height)) for place in (bluest, reddest))
    kelvins = [kelvin_of(1 / light[place]) for place in (bluest, reddest)]
    return LightProblem(
        LightFault.MIXED,
        found,
        MOST_UNEVEN,
        f"the light is mixed: about {kelvins[0]:.0f} K {cold} and {kelvins[1]:.0f} K {warm}, blue against red differs "
        f"{found:.2f} times, wanted at most {MOST_UNEVEN:g}; use one kind of lamp, or shut out the daylight",
    )


def _side(place: Floats, size: tuple[int, int]) -> str:
    """A position in the picture, in words."""
    x, y = place / size - 0.5
    across = "left" if x < -0.15 else "right" if x > 0.15 else ""
    down = "upper" if y < -0.15 else "lower" if y > 0.15 else ""
    if across and down:
        return f"in the {down} {across} corner"
    return f"on the {across or down or 'middle'} side" if across or down else "in the middle"
