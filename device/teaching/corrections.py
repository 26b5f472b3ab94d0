"""Corrections: cards that people named during games become views of their deck."""

import json
import re
from pathlib import Path

from device.sources import read_picture
from device.teaching.folder import TeachingError
from device.teaching.lessons import Lesson, RefusedView
from device.teaching.school import School
from models.cards import DeckError

LABELS, LIST = "labels", "labels.jsonl"
MIN_VISIBLE = 0.97
"""Minimum visible fraction of a corrected card to learn from it."""
_PLAIN = re.compile(r"[^A-Za-z0-9_-]")
_FILE = re.compile(r"[A-Za-z0-9_+-]{1,200}\.png")


def has_corrections(data: Path, deck: str) -> bool:
    """Whether somebody corrected a card of this deck while playing."""
    return (_folder(data, deck) / LIST).is_file()


def learn_corrections(school: School, data: Path) -> tuple[Lesson, ...]:
    """Learn from every corrected card that was fully visible; corrections already learnt are skipped."""
    folder = _folder(data, school.deck.name)
    path = folder / LIST
    try:
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    except FileNotFoundError as error:
        raise TeachingError(
            f"{folder}: no corrections of {school.deck.name} yet; they are made while playing"
        ) from error
    except OSError as error:
        raise TeachingError(f"{path}: cannot be read: {error.strerror}") from error
    known = {view.origin for view in school.deck.views}
    lessons = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            file, code, visible = str(row["file"]), str(row["code"]), float(row["visible"])
        except (ValueError, KeyError, TypeError):
            # The last line may be truncated.
            lessons.append(Lesson(str(path), refused=(RefusedView(f"{path}, line {number}", "is no correction"),)))
            continue
        origin = f"{LABELS}/{file}"
        if visible < MIN_VISIBLE or origin in known or not _FILE.fullmatch(file):
            continue
        known.add(origin)
        try:
            lessons.append(school.correct(origin, read_picture(folder / file).image, code))
        except (DeckError, ValueError) as error:
            lessons.append(Lesson(origin, refused=(RefusedView(origin, str(error)),)))
    return tuple(lessons)


def _folder(data: Path, deck: str) -> Path:
    return data / LABELS / _PLAIN.sub("_", deck)
