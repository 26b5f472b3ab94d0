"""Views from play: cards that were read for certain during a game become further views of a taught deck.

A wrong view would mislead every later game. So a crop is taken only if the reader, which knows the views that people
taught, reads the same card from it once more and the pictures agree. People can take all of these views back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from device.teaching.features import keep_features
from device.teaching.folder import find_deck, held, load_index, load_taught, next_name, read_view, save, write_view
from device.teaching.lessons import RefusedView
from device.teaching.school import MAX_VIEWS_PER_CARD
from models.codes import BACK
from models.crops import CROP_PX, Image
from models.faces import shrunk
from models.taught import TaughtDeck, View
from vision.look.networks import Networks
from vision.unknown.teaching import KnownView, blur_mm, differing_mm2, known_view, match_view
from vision.unknown.tuning import MAX_BLUR_MM, MIN_OTHER_MM2

BY_PLAY = "play"
"""The source of views from play, as their list tells it."""
MAX_PLAYED_VIEWS_PER_CARD = 3
"""Maximum number of views from play per card; the views that people taught are never replaced."""
MIN_AGAIN_PROBABILITY = 0.97
"""Minimum probability of the card when the reader reads its crop once more."""
NEW_LEVELS = 4.0
"""Mean difference from every view of the card, in grey levels, below which a crop teaches nothing new."""


@dataclass(frozen=True, slots=True)
class PlayedCrop:
    """A crop of a card that was read for certain during a game."""

    code: str
    origin: str
    """The session, the frame and the track."""
    image: Image
    """The whole card, upright, at the scale of views."""


@dataclass(frozen=True, slots=True)
class PlayedLesson:
    """What was learnt from a game."""

    views: tuple[View, ...] = ()
    refused: tuple[RefusedView, ...] = ()


def learn_played(data: Path, name: str, crops: Sequence[PlayedCrop], sight: Networks) -> PlayedLesson:
    """Add crops of one game to a taught deck, as one change that can be undone."""
    home = find_deck(data, name)
    with held(home):
        taught = load_index(home)
        known = [
            known_view(sight.reader, view.code, read_view(home, view))
            for view in taught.views
            if view.code not in ("", BACK)
        ]
        added: list[View] = []
        refused: list[RefusedView] = []
        for crop in crops:
            if not _has_room(taught, crop.code):
                continue
            why, image = _checked(crop, known, sight)
            if why:
                refused.append(RefusedView(crop.origin, why))
                continue
            if _is_old(shrunk(image, CROP_PX), [one.crop for one in known if one.code == crop.code]):
                continue
            view = _view(next_name(home, taught), crop, taught)
            write_view(home, view, image)
            taught = taught.with_view(view)
            known.append(known_view(sight.reader, crop.code, image))
            added.append(view)
        if added:
            save(home, taught)
            _, faces = load_taught(data, name)
            keep_features(home, sight.reader.key(faces), sight.reader.sha256, sight.reader.learn(faces).features)
    return PlayedLesson(tuple(added), tuple(refused))


def forget_played(data: Path, name: str) -> tuple[View, ...]:
    """Delete all views from play, and return them."""
    home = find_deck(data, name)
    with held(home):
        taught = load_index(home)
        gone = tuple(view for view in taught.views if view.by == BY_PLAY)
        if gone:
            save(home, taught.without(frozenset(view.name for view in gone)))
    return gone


def _has_room(taught: TaughtDeck, code: str) -> bool:
    """Whether a card may get one more view from play; a card without views is for people to teach."""
    views = taught.of(code)
    played = sum(view.by == BY_PLAY for view in views)
    return 0 < len(views) < MAX_VIEWS_PER_CARD and played < MAX_PLAYED_VIEWS_PER_CARD


def _checked(crop: PlayedCrop, known: Sequence[KnownView], sight: Networks) -> tuple[str, Image]:
    """Why a crop is not taken, empty if it is; and its image, turned like the other views of its card."""
    smear_mm = blur_mm(crop.image)
    if smear_mm > MAX_BLUR_MM:
        return f"it is blurred: edges are smeared by {smear_mm:.1f} mm; wanted {MAX_BLUR_MM:g} at most", crop.image
    match = match_view(crop.image, known, sight.reader)
    if match.code != crop.code or match.probability(crop.code) < MIN_AGAIN_PROBABILITY:
        found = f"{match.code!r} with {match.probability(match.code):.2f}"
        return f"read once more it is {found}; wanted {crop.code!r} with {MIN_AGAIN_PROBABILITY:g}", crop.image
    image = np.ascontiguousarray(crop.image[::-1, ::-1]) if match.turned else crop.image
    differing = min(differing_mm2(one.crop, image) for one in known if one.code == crop.code)
    if differing > MIN_OTHER_MM2:
        return f"it differs from every view of its card in {differing:.0f} mm²; wanted {MIN_OTHER_MM2:g} at most", image
    return "", image


def _is_old(crop: Image, own: Sequence[Image]) -> bool:
    """Whether a crop shows its card as one of its views does."""
    apart = (float(np.abs(crop.astype(np.int16) - other.astype(np.int16)).mean()) for other in own)
    return any(levels < NEW_LEVELS for levels in apart)


def _view(name: str, crop: PlayedCrop, taught: TaughtDeck) -> View:
    height, width = crop.image.shape[:2]
    right, low = width - 0.5, height - 0.5
    corners = ((-0.5, -0.5), (right, -0.5), (right, low), (-0.5, low))
    size_mm = taught.card_mm or taught.of(crop.code)[0].size_mm
    # The crop was cut by the known size, so it measures nothing.
    return View(name, crop.code, crop.origin, corners, size_mm, False, round(blur_mm(crop.image), 2), BY_PLAY)
