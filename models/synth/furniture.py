"""Game parts other than cards: markers, tokens, figures and the track."""

from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from models.art.pen import Pen, Size
from models.art.picture import Drawing, draw_pixels
from models.art.rig import MARKER_MM, draw_marker
from models.decks.kto_drugi import art as kto_drugi
from models.decks.lucky_box import art as lucky_box
from models.synth.scene import Sprite
from models.synth.sprites import card_sprite, rounded


def marker_sprite(number: int, px_per_mm: float = 3.0) -> Sprite:
    """A marker on its white square."""
    size = Size(MARKER_MM + 12, MARKER_MM + 12, 0)

    def draw(pen: Pen) -> None:
        pen.rectangle(0, 0, size.width_mm, size.height_mm, "#ffffff")
        draw_marker(pen, cv2.aruco.DICT_4X4_50, number, 6, 6, MARKER_MM)

    sprite = card_sprite(draw_pixels(draw, size, px_per_mm), size, px_per_mm, gloss=0.05)
    return replace(sprite, thickness_mm=0.1)


def track_sprite(px_per_mm: float) -> Sprite:
    """The joined board of Kto drugi, flat on the table."""
    halves = [draw_pixels(partial(kto_drugi.draw_track_half, half=half), kto_drugi.HALF, px_per_mm) for half in (0, 1)]
    return Sprite(rounded(np.hstack(halves), 0), px_per_mm, thickness_mm=0.0, gloss=0.1)


def figure_sprite(colour: str, px_per_mm: float) -> Sprite:
    """A runner of Kto drugi."""
    return disc_sprite(partial(kto_drugi.draw_figure, colour=colour), kto_drugi.FIGURE, 4.0, px_per_mm)


def token_sprite(kind: str, px_per_mm: float) -> Sprite:
    """A lightning or moon token of Lucky Box."""
    return disc_sprite(partial(lucky_box.draw_token, kind=kind), lucky_box.TOKEN, 1.5, px_per_mm)


def disc_sprite(drawing: Drawing, size: Size, thickness_mm: float, px_per_mm: float) -> Sprite:
    """A round piece that stands on the table."""
    sprite = card_sprite(draw_pixels(drawing, size, px_per_mm), size, px_per_mm)
    return replace(sprite, thickness_mm=thickness_mm, boxy=False)


def all_pieces(px_per_mm: float) -> list[Sprite]:
    """One of every figure and token."""
    figures = [figure_sprite(colour, px_per_mm) for colour in kto_drugi.FIGURES]
    return figures + [token_sprite(kind, px_per_mm) for kind in lucky_box.TOKENS]
