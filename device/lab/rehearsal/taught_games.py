"""Taught games: a deck in a style of its own is taught from pictures, then a film of it is refereed or read."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np

from calibration.frames import Frame
from device.eyes import Eye, EyeFactory
from device.lab.evaluation.score import overlap
from device.lab.rehearsal.result import Result
from device.lab.rehearsal.screening import Reel, screen
from device.lab.simulator.film import Film, Shot
from device.lab.simulator.game import SimulatedGame
from device.lab.simulator.lesson import LessonPicture, back_picture, lesson_pictures
from device.lab.simulator.rig import film_rig
from device.session.observer import build_observer
from device.session.sure_cards import ExpectedCodes, SureCards
from device.teaching.folder import TeachingError
from device.teaching.guide import guide_lines
from device.teaching.lessons import Lesson
from device.teaching.played import PlayedCrop
from device.teaching.school import School, taught_school
from device.teaching.words import ENGLISH, shortfall_lines
from models.cards import Deck
from models.faces import Faces
from models.taught import View, shortfall
from referee.rules import load_rules
from vision.look.networks import Networks

LESSONS = 3
"""Number of times that cards which are still missing are laid out."""
MIN_SAME_OVERLAP = 0.5
"""Minimum overlap of a view and a true card."""
SURE_PROBABILITY, MIN_PROBABILITY = 0.9, 1e-4
"""Probability from which a wrong reading counts as sure, and the smallest one that a log loss uses."""


@dataclass(frozen=True, slots=True)
class TaughtFilm:
    """The result of teaching the deck of a film."""

    cards: int
    """Number of different cards of the deck."""
    missing: tuple[tuple[str, ...], ...]
    """Cards that had no view after each lesson."""
    refused: tuple[str, ...]
    """Every refusal, with its reason."""
    said: tuple[str, ...]
    """What `krupier teach` says about the deck at the end: that it is complete, or what is missing."""
    full: bool
    """Whether as many cards of every kind were counted as our list has."""

    @property
    def complete(self) -> bool:
        """Whether every card has a view, and the number of cards is right."""
        return self.full and not self.missing[-1]


def teach_film(data: Path, name: str, film: Film, sight: Networks, difficulty: float, seed: int) -> TaughtFilm:
    """Teach the deck of a film from one view of each card; cards that were not taken are laid out again."""
    deck: Deck = film.faces.deck
    codes = [card.code for card in deck.cards]
    one_of_each_kind = [next(card.code for card in deck.cards if card.kind == kind) for kind in _kinds(deck)]
    missing, refused = [], list[str]()
    with taught_school(data, name, sight, film_rig(film), deck.game) as school:
        left = codes
        for number in range(LESSONS):
            for picture in lesson_pictures(film, left, difficulty, LESSONS * seed + number):
                refused += _taught(school, picture)
            left = [code for code in codes if code not in school.deck.codes]
            missing.append(tuple(left))
            if not left:
                break
        backs = back_picture(film, one_of_each_kind, difficulty, seed)
        refused += [str(one) for one in school.show(backs.name, backs.frame, back=True).refused]
        said = (*shortfall_lines(shortfall(school.deck), ENGLISH), *guide_lines(school.deck, "en", ENGLISH))
        return TaughtFilm(len(codes), tuple(missing), tuple(refused), tuple(said), shortfall(school.deck).complete)


def referee_film(
    game: SimulatedGame, eye_factory: EyeFactory, faces: Faces, settled_only: bool = False
) -> tuple[Result, list[PlayedCrop]]:
    """Film a game and referee it with a taught deck; also the crops to learn from.

    With `settled_only` the frames in which hands move are left out, which takes a third of the time.
    """
    film = game.film()
    rig = film_rig(film)
    assert rig.lens is not None, "a simulated camera has a lens"
    assert rig.table is not None, "a simulated camera sees a table"
    lens, table, opened = rig.lens, rig.table, list[SureCards]()

    def listen(expected: ExpectedCodes) -> SureCards:
        opened.append(SureCards(game.game, lens, table, faces.card_mm, expected))
        return opened[0]

    observer = build_observer(eye_factory.open_eye(rig, game.game, faces), rig, game.game)
    rules, script = load_rules(game.game), tuple(game.film().seen_from())
    reel = Reel(Path(), game.record(), rules, film.faces.deck, rig, (), script)
    frames = (_frame(shot) for shot in film.shots(settled_only))
    _, result = screen(reel, observer, declared=True, listen=listen, frames=frames)
    return result, opened[0].crops


def _frame(shot: Shot) -> Frame:
    shot.image.flags.writeable = False
    return Frame(shot.index, shot.at_s, shot.image)


@dataclass(frozen=True, slots=True)
class ReadingFigures:
    """How well the cards of some tables are read, one look at each table."""

    cards: int
    """Face-up cards of which enough is visible."""
    found: int
    exact: int
    """Cards whose best guess is right."""
    sure_wrong: int
    """Cards whose best guess is wrong at 90 % or more."""
    log_loss: float
    """Mean negative log of the probability of the true card, over the cards found."""

    def __str__(self) -> str:
        return (
            f"{self.exact} of {self.cards} exact ({100 * self.exact / max(1, self.cards):.2f} %), {self.found} found, "
            f"{self.sure_wrong} wrong and sure, log loss {self.log_loss:.4f}"
        )


def read_stills(film: Film, eye: Eye, min_visible: float) -> ReadingFigures:
    """Read the table at the end of every scene of a film, each by one look."""
    cards = found = exact = sure_wrong = 0
    loss = 0.0
    for shot in film.stills():
        seen = eye.look(_frame(shot)).cards
        for truth in shot.cards:
            if not truth.card.face_up or truth.visible < min_visible:
                continue
            cards += 1
            a, b, c, d = ((float(x), float(y)) for x, y in truth.corners_px)
            near = [(overlap((a, b, c, d), np.array(card.corners_px)), card) for card in seen if card.face_up]
            share, best = max(near, key=lambda pair: pair[0], default=(0.0, None))
            if best is None or share < MIN_SAME_OVERLAP:
                continue
            found += 1
            chances = {guess.code: guess.probability for guess in best.guesses}
            exact += best.code == truth.card.code
            sure_wrong += best.code != truth.card.code and chances.get(best.code, 0.0) >= SURE_PROBABILITY
            loss -= log(max(chances.get(truth.card.code, 0.0), MIN_PROBABILITY))
    return ReadingFigures(cards, found, exact, sure_wrong, loss / max(1, found))


def _taught(school: School, picture: LessonPicture) -> list[str]:
    """Show a picture and name every view as a person would; returns the refusals."""
    lesson: Lesson = school.show(picture.name, picture.frame)
    refused = [str(one) for one in lesson.refused]
    for view in (*lesson.waiting, *lesson.named):
        code = _code_of(view, picture)
        if not code:
            school.forget(view.name)
        elif view.code != code:
            try:
                school.label(view.name, code)
            except TeachingError as error:
                refused.append(f"{code}: {error}")
                school.forget(view.name)
    return refused


def _code_of(view: View, picture: LessonPicture) -> str:
    """The true card of a view; empty if the view shows none."""
    corners = np.array(view.corners_px)
    found = (card.code for card in picture.cards if overlap(card.corners_px, corners) > MIN_SAME_OVERLAP)
    return next(found, "")


def _kinds(deck: Deck) -> Iterable[str]:
    return dict.fromkeys(card.kind for card in deck.cards)
