"""A simulated human who knows what was played and answers questions with a tap."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from device.lab.rehearsal.logbook import edited
from device.lab.rehearsal.public import seen_by_all
from models.cards import Deck
from referee.edits import Edit, Play
from referee.match import AnyMatch, LogError
from referee.record import Line


class Human:
    """Taps the choice that describes the game best, at most `most` times."""

    def __init__(self, deck: Deck, script: Iterable[tuple[Line, int]], most: int) -> None:
        """`script` has every line of the game and the first frame in which it is on the table."""
        self._deck, self._most = deck, most
        self._script = tuple((line.meaning.move, frame) for line, frame in script if isinstance(line.meaning, Play))
        self.taps = 0

    def answer(self, choices: Iterable[tuple[Edit, ...]], match: AnyMatch, frame: int) -> tuple[Edit, ...]:
        """The edits of the tapped choice; empty if no choice improves the match."""
        if self.taps >= self._most:
            return ()
        happened = Counter(seen_by_all(self._deck, move) for move, shown in self._script if shown <= frame)
        wrong, best = self._wrong(match, happened), tuple[Edit, ...]()
        for choice in choices:
            after = chosen(match, choice)
            # A human does not tap a choice that did not happen.
            if after is not None and self._wrong(after, happened) < wrong:
                wrong, best = self._wrong(after, happened), choice
        self.taps += bool(best)
        return tuple(replace(edit, human=True) if isinstance(edit, Play) else edit for edit in best)

    def _wrong(self, match: AnyMatch, happened: Counter[str]) -> int:
        """Number of missing and extra moves in a match."""
        told = Counter(seen_by_all(self._deck, entry.move) for entry in match.log)
        return (told - happened).total() + (happened - told).total()


def chosen(match: AnyMatch, choice: Iterable[Edit]) -> AnyMatch | None:
    """The match after a human's choice; None if one of its edits is not possible."""
    try:
        return edited(match, choice, human=True)
    except LogError:
        return None
