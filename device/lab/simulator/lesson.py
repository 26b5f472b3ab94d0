"""Lessons: the cards of a film laid out in rows under the film's camera, to teach the deck from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.frames import Frame
from device.lab.simulator.film import Film
from models.synth.render import Canvas, expose, lay_cards, lay_ground, truths
from models.synth.scene import CardSeen, Scene, Thing
from models.synth.stills import random_light
from vision.table import Quad

ROOM_MM = 40.0
"""Width of the edges of the table that stay free, both sides together."""
SPACING = (1.3, 1.2)
"""Distance of two cards across and along, in card widths and heights."""
ASKEW_DEG, SHIFT_MM = 4.0, 2.0
"""Standard deviations of the rotation and the position of a card."""


@dataclass(frozen=True, slots=True)
class LessonCard:
    """One card of a lesson."""

    code: str
    corners_px: Quad


@dataclass(frozen=True, slots=True)
class LessonPicture:
    """One picture of a lesson, and the cards in it."""

    name: str
    frame: Frame
    cards: tuple[LessonCard, ...]
    backs: bool
    """Whether all cards are face down."""


def lesson_pictures(film: Film, codes: Sequence[str], difficulty: float, seed: int) -> Iterator[LessonPicture]:
    """All given cards face up, as many a picture as fit on the table; the lamp is another one than in the film."""
    rng = np.random.default_rng((seed, 7))
    scene = replace(film.bare_scene, light=random_light(difficulty, rng, held_out=True))
    bare = lay_ground(scene)
    count = _columns(film) * _rows(film)
    for number, start in enumerate(range(0, len(codes), count)):
        yield _picture(film, scene, bare, codes[start : start + count], f"lesson-{seed}-{number + 1}", rng, False)


def back_picture(film: Film, codes: Sequence[str], difficulty: float, seed: int) -> LessonPicture:
    """One card of each kind face down, given by the code of a card of that kind."""
    rng = np.random.default_rng((seed, 8))
    scene = replace(film.bare_scene, light=random_light(difficulty, rng, held_out=True))
    return _picture(film, scene, lay_ground(scene), codes, f"backs-{seed}", rng, True)


def _picture(
    film: Film, scene: Scene, bare: Canvas, codes: Sequence[str], name: str, rng: np.random.Generator, backs: bool
) -> LessonPicture:
    columns, rows = _columns(film), _rows(film)
    width_mm, height_mm = film.faces.face(codes[0]).size_mm
    # A card that could not be taught is laid elsewhere next time.
    places = rng.permutation(columns * rows)[: len(codes)].tolist()
    laid = tuple(
        CardSeen(
            number,
            code,
            not backs,
            Thing(
                film.faces.side(code, not backs),
                (place % columns - (columns - 1) / 2) * SPACING[0] * width_mm + float(rng.normal(0, SHIFT_MM)),
                (place // columns - (rows - 1) / 2) * SPACING[1] * height_mm + float(rng.normal(0, SHIFT_MM)),
                float(rng.normal(0, ASKEW_DEG)),
            ),
        )
        for number, (place, code) in enumerate(zip(places, codes, strict=True))
    )
    scene = replace(scene, cards=laid)
    canvas = Canvas(bare.pixels.copy(), bare.labels.copy(), bare.gloss.copy())
    lay_cards(canvas, scene, laid, first=0)
    cards = []
    for truth in truths(canvas, scene):
        a, b, c, d = ((float(x), float(y)) for x, y in truth.corners_px)
        cards.append(LessonCard(truth.card.code, (a, b, c, d)))
    image = expose(canvas, scene, rng)
    image.flags.writeable = False
    return LessonPicture(name, Frame(0, 0.0, image), tuple(cards), backs)


def _columns(film: Film) -> int:
    return int((film.seating.table_mm[0] - ROOM_MM) // (SPACING[0] * _card_mm(film)[0]))


def _rows(film: Film) -> int:
    return int((film.seating.table_mm[1] - ROOM_MM) // (SPACING[1] * _card_mm(film)[1]))


def _card_mm(film: Film) -> tuple[float, float]:
    return film.faces.face(film.faces.deck.cards[0].code).size_mm
