"""What the interpreter tells of a table, and what it keeps in mind about it."""

from dataclasses import dataclass
from typing import Any

from referee.explain import Story
from referee.fit import Difference
from referee.hindsight import Retold
from referee.moves import Move


@dataclass(frozen=True, slots=True)
class Question:
    """Stories that are about equally likely: a human chooses, or a later table does."""

    choices: tuple[tuple[str, ...], ...]
    """Each as the lines that would be written."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one table says."""

    lines: tuple[str, ...] = ()
    """Lines of the record, in order."""
    question: Question | None = None
    left: tuple[Difference, ...] = ()
    """What nothing explains."""
    again: bool = False
    """Whether the table should be looked at once more before anything is told."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Moves that were told, or asked about, though one wrong play would explain the same table."""

    index: int
    """How many moves were written before them."""
    moves: int
    """And with them."""
    state: Any
    wrong: Story
    kept: tuple[Move, ...] = ()
    """What was told before, and taken back to tell them."""
    rest: Any = None
    """The state before the wrong play, if that is another one for what was kept."""


@dataclass(frozen=True, slots=True)
class Untold:
    """Another story of the last moves that was asked about: by it nobody did wrong."""

    moves: int
    """How many were written when it was asked."""
    state: Any
    """In which it was asked."""
    story: Retold
