"""Taught games: a deck in a style of its own is taught from pictures, then a film of it is refereed."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from device.lab.evaluation.score import overlap
from device.lab.simulator.film import Film
from device.lab.simulator.lesson import LessonPicture, back_picture, lesson_pictures
from device.lab.simulator.rig import film_rig
from device.teaching.folder import TeachingError
from device.teaching.lessons import Lesson
from device.teaching.school import School, taught_school
from models.cards import Deck
from models.taught import View
from vision.look.networks import Networks

LESSONS = 3
"""Number of times that cards which are still missing are laid out."""
MIN_SAME_OVERLAP = 0.5
"""Minimum overlap of a view and a true card."""


@dataclass(frozen=True, slots=True)
class TaughtFilm:
    """The result of teaching the deck of a film."""

    cards: int
    """Number of different cards of the deck."""
    missing: tuple[tuple[str, ...], ...]
    """Cards that had no view after each lesson."""
    refused: tuple[str, ...]
    """Every refusal, with its reason."""

    @property
    def complete(self) -> bool:
        """Whether every card has a view."""
        return not self.missing[-1]


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
    return TaughtFilm(len(codes), tuple(missing), tuple(refused))


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
