"""Edits: everything that can be done to the log of a match. Text stands only in the record and on the wire."""

from dataclasses import dataclass

from referee.moves import Move


@dataclass(frozen=True, slots=True)
class Play:
    """A move is added at the end."""

    move: Move
    human: bool = False
    """Whether a human says so: then no camera changes it."""
    probability: float = 1.0
    """How likely it is that this was played, as far as the camera can tell."""


@dataclass(frozen=True, slots=True)
class Undo:
    """The last move is dropped."""


@dataclass(frozen=True, slots=True)
class Redo:
    """The move that was dropped last comes back."""


@dataclass(frozen=True, slots=True)
class Correct:
    """The camera replaces the move written in a line of the record."""

    line: int
    move: Move
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Amend:
    """A human replaces the move written in a line of the record."""

    line: int
    move: Move


@dataclass(frozen=True, slots=True)
class Stand:
    """A move stands, whatever the referee said of it; without a line the last one does."""

    line: int | None = None


Edit = Play | Undo | Redo | Correct | Amend | Stand
