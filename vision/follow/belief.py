"""Belief: what a card is thought to be, fused over all looks at it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, log

from vision.table import Guess

_LEAST = 2e-4
"""No single look is surer than this against a card: one wrong reading must not outweigh all others."""
_UNNAMED = 8
"""How many cards share what the guesses of a look leave over."""
_MOST_LOOKS = 4.0
"""Looks at the same view are averaged, not multiplied, and the last ones count as much as so many."""
_KEPT = 0.5
"""How much an earlier view counts beside a later one; older ones count half as much again."""
_MOST_GUESSES = 5


@dataclass(frozen=True, slots=True)
class _Logs:
    """Logarithms of probabilities: by name, and what every other card has."""

    named: tuple[tuple[str, float], ...] = ()
    other: float = 0.0

    def mixed(self, share: float, added: "_Logs", added_share: float) -> "_Logs":
        """The weighted sum of both."""
        mine, yours = dict(self.named), dict(added.named)
        codes = sorted({*mine, *yours})
        named = tuple(
            (code, share * mine.get(code, self.other) + added_share * yours.get(code, added.other)) for code in codes
        )
        return _Logs(named, share * self.other + added_share * added.other)


@dataclass(frozen=True)  # without slots: what is asked again and again is kept
class Belief:
    """The readings of one card. Views multiply, looks at the same view are averaged."""

    past: _Logs = _Logs()
    """What earlier views left."""
    view: _Logs = _Logs()
    """The mean of the looks at the present view."""
    weight: float = 0.0
    """Of these looks together."""
    marks: tuple[tuple[str, float], ...] = ()
    """How often each mark was seen, and what is on no card: all looks for marks, under the empty name."""

    def looked(self, guesses: Iterable[Guess], weight: float, marks: Iterable[str] = ()) -> "Belief":
        """After one more look at the same view."""
        read = tuple(guesses)
        if not read or weight <= 0:
            return self
        kept = min(self.weight, max(0.0, _MOST_LOOKS - 1) * weight)
        share = weight / (kept + weight)
        counts = dict(self.marks)
        for mark in ("", *set(marks)):
            counts[mark] = counts.get(mark, 0.0) + weight
        return Belief(
            self.past, self.view.mixed(1 - share, _logs(read), share), kept + weight, tuple(sorted(counts.items()))
        )

    def moved(self) -> "Belief":
        """Before the first look at another view."""
        if not self.weight:
            return self
        return replace(self, past=self.past.mixed(_KEPT, self.view, 1.0), view=_Logs(), weight=0.0)

    def unmarked(self) -> "Belief":
        """Before looks that may show other marks."""
        return replace(self, marks=())

    @cached_property
    def guesses(self) -> tuple[Guess, ...]:
        """Best first, as probabilities that add up to at most 1."""
        whole = self.past.mixed(_KEPT if self.weight else 1.0, self.view, 1.0)
        if not whole.named:
            return ()
        top = max(value for _, value in whole.named)
        likely = [(exp(value - top), code) for code, value in whole.named]
        total = sum(value for value, _ in likely) + _UNNAMED * exp(whole.other - top)
        likely.sort(key=lambda one: (-one[0], one[1]))
        return tuple(Guess(code, value / total) for value, code in likely[:_MOST_GUESSES])

    @property
    def seen_marks(self) -> tuple[str, ...]:
        """The marks that most looks show."""
        counts = dict(self.marks)
        return tuple(mark for mark, count in self.marks if mark and 2 * count > counts[""])


def _logs(guesses: tuple[Guess, ...]) -> _Logs:
    left = max(0.0, 1.0 - sum(guess.probability for guess in guesses)) / _UNNAMED
    other = max(_LEAST, min(left, *(guess.probability for guess in guesses)))
    return _Logs(tuple((guess.code, log(max(_LEAST, guess.probability))) for guess in guesses), log(other))
