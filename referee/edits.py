"""Edits: all changes of the log of a match, as values; their text form is in record.py."""

from dataclasses import dataclass

from referee.moves import Move


@dataclass(frozen=True, slots=True)
class Play:
    """Add a move at the end."""

    move: Move
    human: bool = False
    """Whether a human entered the move; then the camera cannot change it."""
    probability: float = 1.0
    """Probability that this move was played, according to the inference."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Drop the last move."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Bring back the move that was dropped last."""


@dataclass(frozen=True, slots=True)
class Correct:
    """Replace the move in a line of the record, by the camera."""

    line: int
    move: Move
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Amend:
    """Replace the move in a line of the record, by a human."""

    line: int
    move: Move


@dataclass(frozen=True, slots=True)
class Stand:
    """Let a move stand, whatever its ruling; by default the last one."""

    line: int | None = None


Edit = Play | Undo | Redo | Correct | Amend | Stand
