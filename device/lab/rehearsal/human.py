"""A human at the table, simulated: knows what was played, and answers what is asked with a tap."""

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
    """Taps the choice that tells best what happened; never more often than `most` times."""

    def __init__(self, deck: Deck, script: Iterable[tuple[Line, int]], most: int) -> None:
        """The script has every line of the game and the first frame in which it lies on the table."""
        self._deck, self._most = deck, most
        self._script = tuple((line.meaning.move, frame) for line, frame in script if isinstance(line.meaning, Play))
        self.taps = 0

    def answer(self, choices: Iterable[tuple[Edit, ...]], match: AnyMatch, frame: int) -> tuple[Edit, ...]:
        """The edits of the choice that is tapped, as a human does them; nothing if no choice is better than none."""
        if self.taps >= self._most:
            return ()
        happened = Counter(seen_by_all(self._deck, move) for move, shown in self._script if shown <= frame)
        wrong, best = self._wrong(match, happened), tuple[Edit, ...]()
        for choice in choices:
            after = chosen(match, choice)
            # Nobody taps what did not happen.
            if after is not None and self._wrong(after, happened) < wrong:
                wrong, best = self._wrong(after, happened), choice
        self.taps += bool(best)
        return tuple(replace(edit, human=True) if isinstance(edit, Play) else edit for edit in best)

    def _wrong(self, match: AnyMatch, happened: Counter[str]) -> int:
        """How many moves of a match are missing or too much."""
        told = Counter(seen_by_all(self._deck, entry.move) for entry in match.log)
        return (told - happened).total() + (happened - told).total()


def chosen(match: AnyMatch, choice: Iterable[Edit]) -> AnyMatch | None:
    """The match after a human has made a choice; None if an edit of it cannot be done."""
    try:
        return edited(match, choice, human=True)
    except LogError:
        return None
