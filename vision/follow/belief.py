"""Belief about one card: the readings of all looks at it, fused."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, log

from vision.follow.tuning import (
    EARLIER_VIEW_WEIGHT,
    MAX_EFFECTIVE_LOOKS,
    MAX_GUESSES,
    MIN_READING_PROBABILITY,
    UNNAMED_CARDS,
)
from vision.table import Guess

ALL_LOOKS = ""
"""The key under which all looks for marks are counted; no mark has this name."""


@dataclass(frozen=True, slots=True)
class _LogProbabilities:
    """Logarithms of probabilities: of the named cards, and of every other card."""

    named: tuple[tuple[str, float], ...] = ()
    other: float = 0.0

    def mixed(self, weight: float, added: "_LogProbabilities", added_weight: float) -> "_LogProbabilities":
        """The weighted sum of both."""
        own, theirs = dict(self.named), dict(added.named)
        codes = sorted({*own, *theirs})
        named = tuple(
            (code, weight * own.get(code, self.other) + added_weight * theirs.get(code, added.other)) for code in codes
        )
        return _LogProbabilities(named, weight * self.other + added_weight * added.other)


@dataclass(frozen=True)  # without slots: `guesses` is cached
class CardBelief:
    """The fused readings of one card: different views multiply, looks at the same view are averaged."""

    past: _LogProbabilities = _LogProbabilities()
    """The evidence of earlier views."""
    view: _LogProbabilities = _LogProbabilities()
    """The mean of the looks at the present view."""
    weight: float = 0.0
    """The total weight of these looks."""
    marks: tuple[tuple[str, float], ...] = ()
    """The total weight of the looks that showed each mark, and of all looks under ALL_LOOKS."""

    def with_look(self, guesses: Iterable[Guess], weight: float, marks: Iterable[str] = ()) -> "CardBelief":
        """The belief after one more look at the same view."""
        read = tuple(guesses)
        if not read or weight <= 0:
            return self
        kept = min(self.weight, max(0.0, MAX_EFFECTIVE_LOOKS - 1) * weight)
        share = weight / (kept + weight)
        counts = dict(self.marks)
        for mark in (ALL_LOOKS, *set(marks)):
            counts[mark] = counts.get(mark, 0.0) + weight
        view = self.view.mixed(1 - share, _log_probabilities(read), share)
        return CardBelief(self.past, view, kept + weight, tuple(sorted(counts.items())))

    def with_new_view(self) -> "CardBelief":
        """The belief before the first look at another view."""
        if not self.weight:
            return self
        past = self.past.mixed(EARLIER_VIEW_WEIGHT, self.view, 1.0)
        return replace(self, past=past, view=_LogProbabilities(), weight=0.0)

    def without_marks(self) -> "CardBelief":
        """The belief before looks that may show other marks."""
        return replace(self, marks=())

    @cached_property
    def guesses(self) -> tuple[Guess, ...]:
        """Best first, as probabilities that add up to at most 1."""
        whole = self.past.mixed(EARLIER_VIEW_WEIGHT if self.weight else 1.0, self.view, 1.0)
        if not whole.named:
            return ()
        top = max(value for _, value in whole.named)
        likely = [(exp(value - top), code) for code, value in whole.named]
        total = sum(value for value, _ in likely) + UNNAMED_CARDS * exp(whole.other - top)
        likely.sort(key=lambda one: (-one[0], one[1]))
        return tuple(Guess(code, value / total) for value, code in likely[:MAX_GUESSES])

    @property
    def seen_marks(self) -> tuple[str, ...]:
        """The marks that most looks show."""
        counts = dict(self.marks)
        return tuple(mark for mark, count in self.marks if mark and 2 * count > counts[ALL_LOOKS])


def _log_probabilities(guesses: tuple[Guess, ...]) -> _LogProbabilities:
    left_over = max(0.0, 1.0 - sum(guess.probability for guess in guesses)) / UNNAMED_CARDS
    other = max(MIN_READING_PROBABILITY, min(left_over, *(guess.probability for guess in guesses)))
    named = tuple((guess.code, log(max(MIN_READING_PROBABILITY, guess.probability))) for guess in guesses)
    return _LogProbabilities(named, log(other))


def same_card_probability(some: Iterable[Guess], others: Iterable[Guess]) -> float:
    """The probability that two readings show the same card."""
    known = {guess.code: guess.probability for guess in some}
    return sum(guess.probability * known.get(guess.code, 0.0) for guess in others)
