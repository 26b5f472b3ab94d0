"""Lessons: what was learnt from a picture, what was refused, and what to ask."""

from dataclasses import dataclass
from pathlib import Path

from models.taught import View


@dataclass(frozen=True, slots=True)
class RefusedView:
    """A card or a whole picture that was refused, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


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


@dataclass(frozen=True, slots=True)
class TeachingQuestion:
    """Unnamed views that show the same face."""

    views: tuple[str, ...]
    picture: Path
    guesses: tuple[str, ...]
    """Candidate codes, likeliest first."""
