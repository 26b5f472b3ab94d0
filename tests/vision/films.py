"""Films of whole games, and an eye that knows the truth about them but sees it badly."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame
from calibration.plan import Seating
from device.lab.simulator.film import Film, Shot, Studio
from device.lab.simulator.motion import SETTLED_S
from models.cards import own_deck
from models.synth.camera import SynthCamera
from models.synth.render import CardTruth, corners_mm
from tests.referee.games_played import bot_game
from vision.quads import hidden_share
from vision.sightings import Look, Sighting
from vision.table import Guess, Quad

SMALL_PX = (192, 108)


@dataclass(frozen=True)
class Reel:
    """The first shots of a game."""

    game: str
    shots: tuple[Shot, ...]
    seating: Seating
    camera: SynthCamera
    hands: frozenset[int]
    """The shots with a hand over the table."""

    def frames(self, step: int = 1) -> Iterator[Frame]:
        """What the camera gives; every `step`-th only."""
        for shot in self.shots[::step]:
            yield Frame(shot.index, shot.at_s, shot.image)


@dataclass(frozen=True)
class Sight:
    """How badly an eye sees."""

    off_mm: float = 0.0
    misread: float = 0.0
    missed: float = 0.0
    invented: float = 0.0
    least_visible: float = 0.05
    seed: int = 1


CLEAR = Sight()
POOR = Sight(off_mm=0.8, misread=0.02, missed=0.02, invented=0.02)


@cache
def reel(game: str, shots: int = 400, seed: int = 5, fps: float = 10.0, cheat_rate: float = 0.0) -> Reel:
    """A game on a small picture: rendered for the gate, the eye uses the truth."""
    played = min((bot_game(game, number, cheat_rate) for number in range(1, 6)), key=lambda one: len(one.moves))
    film = Film(played.record, own_deck(game), Studio(SMALL_PX, fps, 0.4, seed))
    taken = [shot for _, shot in zip(range(shots), film.shots(), strict=False)]
    if len(taken) == shots:
        # A rest that the cut shortens is none.
        while taken[-1].settled:
            taken.pop()
    rests = [shot.at_s for shot in taken if shot.settled]
    # Between the last hand and the first settled frame nothing but time passes; a hand ends outside the picture.
    away_s = SETTLED_S + 1.5 / fps
    hands = {shot.index for shot in taken if not any(-1e-6 <= rest - shot.at_s < away_s for rest in rests)}
    return Reel(game, tuple(taken), film.seating, film.camera, frozenset(hands))


class TruthEye:
    """Sees what is true in a film, as well as it is told to."""

    def __init__(self, film: Reel, sight: Sight = CLEAR) -> None:
        self._film, self._sight = film, sight
        self._shots = {shot.index: shot for shot in film.shots}
        self._codes = sorted(card.code for card in own_deck(film.game).cards)
        self.looks = 0

    def look(self, frame: Frame) -> Look:
        """The cards of a frame."""
        self.looks += 1
        shot, rng = self._shots[frame.index], np.random.default_rng((self._sight.seed, frame.index))
        hand = frame.index in self._film.hands
        quads = [apparent_mm(truth, self._film.camera) for truth in shot.cards]
        marks = {body.id: body.marks for body in shot.bodies}
        found = []
        for number, truth in enumerate(shot.cards):
            if truth.visible < self._sight.least_visible or rng.random() < self._sight.missed:
                continue
            under = hand and truth.visible < 0.93 - hidden_share(quads[number], quads[number + 1 :])
            found.append(self._sighted(truth, quads[number], under, marks[truth.card.id], rng))
        if rng.random() < self._sight.invented:
            x, y = rng.uniform(-150, 150, 2)
            nothing = ((x, y), (x + 63, y), (x + 63, y + 88), (x, y + 88))
            found.append(_sighting(nothing, True, 0.6, self._codes[0], 0.6))
        return Look(frame.index, frame.at_s, tuple(found), 0.05 if hand else 0.0)

    def _sighted(
        self, truth: CardTruth, quad: Quad, under_hand: bool, marks: tuple[str, ...], rng: np.random.Generator
    ) -> Sighting:
        moved = np.array(quad) + rng.normal(0, self._sight.off_mm + 1e-9, (4, 2))
        if not truth.card.face_up and rng.random() < 0.5:
            moved = np.roll(moved, 2, 0)
        wrong = under_hand or rng.random() < self._sight.misread
        code = str(rng.choice(self._codes)) if wrong else truth.card.code
        sure = float(rng.uniform(0.5, 0.9) if wrong else rng.uniform(0.93, 0.999))
        shown = as_quad(moved)
        if not truth.card.face_up:
            return _sighting(shown, False, truth.visible, "", 0.0, under_hand)
        return _sighting(shown, True, truth.visible, code, sure, under_hand, marks)


def apparent_mm(truth: CardTruth, camera: SynthCamera) -> Quad:
    """Where a card seems to lie: one that is held up hides what is behind it, seen from the camera."""
    corners = corners_mm(truth.card.thing)
    eye = np.array(camera.position_mm)
    share = eye[2] / (eye[2] - corners[:, 2:])
    return as_quad(eye[:2] + (corners[:, :2] - eye[:2]) * share)


def as_quad(points: NDArray[np.float64]) -> Quad:
    """Four rows as corners."""
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return a, b, c, d


def _sighting(
    quad: Quad,
    face_up: bool,
    visible: float,
    code: str,
    sure: float,
    under_hand: bool = False,
    marks: tuple[str, ...] = (),
) -> Sighting:
    guesses = (Guess(code, sure),) if face_up else ()
    return Sighting(quad, quad, face_up, 0.98, visible, under_hand, guesses, marks if face_up else ())
