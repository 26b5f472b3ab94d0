"""Tallies: how often something happened of how many times it could have, and the probability that this suggests."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log

PRIOR = 0.5
"""Added to what happened and to what did not (Jeffreys' prior), so that nothing is impossible or certain."""
LEAST = 0.0005
"""No probability is put lower than this: what never happens in simulated games may happen at a table."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Events of so many trials."""

    events: int = 0
    trials: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.events + other.events, self.trials + other.trials)

    @property
    def probability(self) -> float:
        """How likely an event is in one trial."""
        return max(LEAST, (self.events + PRIOR) / (self.trials + 2 * PRIOR))

    @property
    def cost(self) -> float:
        """The same as -log of that probability."""
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
    """All tallies added up."""
    return sum(some, Tallies())
