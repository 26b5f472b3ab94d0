"""Lessons: what a picture taught, what was refused, and what must be asked."""

from dataclasses import dataclass
from pathlib import Path

from models.taught import View


@dataclass(frozen=True, slots=True)
class RefusedView:
    """A card of a picture, or a whole picture, that was not taken, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a picture taught."""

    picture: str
    named: tuple[View, ...] = ()
    """New views whose card is known."""
    waiting: tuple[View, ...] = ()
    """New views that somebody must name."""
    again: tuple[str, ...] = ()
    """Codes of cards that were known and seen again, and taught nothing new."""
    refused: tuple[RefusedView, ...] = ()


@dataclass(frozen=True, slots=True)
class TeachingQuestion:
    """Views that show the same face, which nobody has named."""

    views: tuple[str, ...]
    picture: Path
    guesses: tuple[str, ...]
    """What it may be, the likeliest first."""
