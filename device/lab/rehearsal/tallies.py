"""Tallies: events out of trials, and the estimated probability."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log

PRIOR = 0.5
"""Pseudo-count for both outcomes (Jeffreys' prior), so that nothing is impossible or certain."""
MIN_PROBABILITY = 0.0005
"""Minimum probability: what never happens in simulated games may happen at a real table."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Events out of trials."""

    events: int = 0
    trials: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.events + other.events, self.trials + other.trials)

    @property
    def probability(self) -> float:
        """Estimated probability of an event in one trial."""
        return max(MIN_PROBABILITY, (self.events + PRIOR) / (self.trials + 2 * PRIOR))

    @property
    def cost(self) -> float:
        """-log of that probability."""
        return -log(self.probability)


class Tallies(Mapping[str, Tally]):
    """Tallies by name; a name that was never counted has no trials."""

    def __init__(self, counted: Mapping[str, Tally] | None = None) -> None:
        self._counted = dict(counted or {})

    def __getitem__(self, name: str) -> Tally:
        return self._counted.get(name, Tally())

    def __contains__(self, name: object) -> bool:
        return name in self._counted

    def __iter__(self) -> Iterator[str]:
        return iter(self._counted)

    def __len__(self) -> int:
        return len(self._counted)

    def __add__(self, other: "Tallies") -> "Tallies":
        return Tallies({name: self[name] + other[name] for name in (*self, *other)})

    def count(self, name: str, events: int, trials: int = 1) -> None:
        """Add events and trials to a name."""
        self._counted[name] = self[name] + Tally(events, trials)


def together(some: Iterable[Tallies]) -> Tallies:
    """The sum of all tallies."""
    return sum(some, Tallies())
