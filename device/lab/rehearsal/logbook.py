"""A logbook: a match under edit, with the camera's probability of each of its entries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from referee.edits import Amend, Correct, Edit, Play
from referee.match import AnyMatch
from referee.moves import Move


@dataclass(frozen=True, slots=True)
class Logbook:
    """A match and the probabilities of the camera's entries; every change makes a new value."""

    match: AnyMatch
    probabilities: Mapping[int, float] = field(default_factory=dict)
    """By the line of the entry; lines that are no longer in the log do not count."""

    def after(self, edits: Iterable[Edit], declared: Move | None = None) -> "Logbook":
        """Apply edits; a `declared` move is not the camera's. LogError if an edit is not possible."""
        match, known = self.match, dict(self.probabilities)
        for edit in edits:
            match = edited(match, (edit,))
            if isinstance(edit, Play):
                line = match.log[-1].line
                known.pop(line, None)
                if not edit.human and edit.move != declared:
                    known[line] = edit.probability
            elif isinstance(edit, Correct):
                known[edit.line] = edit.probability
            elif isinstance(edit, Amend):
                known.pop(edit.line, None)
        return Logbook(match, known)


def edited(match: AnyMatch, edits: Iterable[Edit], human: bool = False) -> AnyMatch:
    """The match after some edits; LogError if one is not possible. Moves by a human are pinned."""
    for edit in edits:
        done = replace(edit, human=True) if human and isinstance(edit, Play) else edit
        match = match.edit(done, max((entry.line for entry in match.log), default=0) + 1)
    return match
