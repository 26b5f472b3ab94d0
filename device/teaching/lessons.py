"""Lessons: what was learnt from a picture, what was refused, and what to ask."""

from dataclasses import dataclass
from pathlib import Path

from device.teaching.folder import TeachingError
from models.taught import View
from vision.unknown.teaching import NameDoubt


@dataclass(frozen=True, slots=True)
class RefusedView:
    """A card or a whole picture that was refused, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class DoubtfulName:
    """A name that a person gave to a view although the pictures suggest another one."""

    view: str
    code: str
    doubt: NameDoubt
    picture: Path
    """Both views side by side, with the places where they differ."""


class DoubtfulNameError(TeachingError):
    """A name that contradicts the pictures; nothing was changed, and the person may insist."""

    def __init__(self, doubtful: DoubtfulName, text: str) -> None:
        super().__init__(text)
        self.doubtful = doubtful


@dataclass(frozen=True, slots=True)
class NamedView:
    """A view that was named, and the doubt about it on which the person's word was taken."""

    view: View
    warning: DoubtfulName | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was learnt from a picture."""

    picture: str
    named: tuple[View, ...] = ()
    """New views whose card is known."""
    waiting: tuple[View, ...] = ()
    """New views that a person must name."""
    again: tuple[str, ...] = ()
    """Codes of known cards that were seen again and taught nothing new."""
    refused: tuple[RefusedView, ...] = ()
    warnings: tuple[DoubtfulName, ...] = ()
    """Names that were taken on a person's word."""
    replaced: tuple[View, ...] = ()
    """Poor views that were dropped because a better one came."""


@dataclass(frozen=True, slots=True)
class TeachingQuestion:
    """Unnamed views that show the same face."""

    views: tuple[str, ...]
    picture: Path
    guesses: tuple[str, ...]
    """Candidate codes, likeliest first."""
