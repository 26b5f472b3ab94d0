"""The fit of rates: the values in rates.py and the layouts, compared with counts."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import getsource
from math import exp, isnan, log

from device.lab.rehearsal.play_counts import COST, layout_costs
from device.lab.rehearsal.tallies import Tallies, Tally
from referee.inference import rates
from referee.verdicts import Ruling

MAX_LOG_DIFFERENCE = 0.5
"""Values differ if their logarithms differ by more than this."""
MAX_LOG_LIKELIHOOD_LOSS = 1.92
"""A value is ruled out if its log-likelihood is this much below the maximum (95 %)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rate: its current and its counted value."""

    name: str
    meaning: str
    value: float
    """A probability or a cost."""
    tally: Tally

    @property
    def is_cost(self) -> bool:
        """Whether the value is -log of a probability."""
        return COST in self.name

    @property
    def found(self) -> float:
        """The counted value, in the same form."""
        return self.tally.cost if self.is_cost else self.tally.probability

    @property
    def probability(self) -> float:
        """The value as a probability."""
        return exp(-self.value) if self.is_cost else self.value

    @property
    def mark(self) -> str:
        """Whether the values differ, and whether there were enough trials to say so."""
        if isnan(self.value):
            return "no one name"
        if not self.tally.trials:
            return "not counted"
        if abs(log(self.probability) - log(self.tally.probability)) <= MAX_LOG_DIFFERENCE:
            return ""
        return "differs" if rules_out(self.tally, self.probability) else "too few trials"


def rules_out(tally: Tally, probability: float) -> bool:
    """Whether the counts rule out a probability, assuming independent trials."""
    if not tally.trials:
        return False
    best = tally.events / tally.trials
    return _likelihood(tally, best) - _likelihood(tally, probability) > MAX_LOG_LIKELIHOOD_LOSS


def _likelihood(tally: Tally, probability: float) -> float:
    """Log-likelihood of the counts."""
    parts = ((tally.events, probability), (tally.trials - tally.events, 1 - probability))
    return sum(times * log(max(share, 1e-12)) for times, share in parts if times > 0)


def meanings(source: str) -> dict[str, str]:
    """The docstring of every constant of a module; consecutive constants share one."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign):
            targets = [one for target in node.targets for one in (getattr(target, "elts", None) or [target])]
            waiting += [target.id for target in targets if isinstance(target, ast.Name)]
            continue
        said = node.value if isinstance(node, ast.Expr) else None
        if isinstance(said, ast.Constant):
            found |= dict.fromkeys(waiting, " ".join(str(said.value).split()))
        waiting = []
    return found


def rows(tallies: Tallies) -> Iterator[Row]:
    """Everything that was counted, with its current value."""
    said = meanings(getsource(rates))
    for name in tallies:
        game, _, cost = name.rpartition(": ")
        if game:
            first = cost.split(" ", maxsplit=1)[0]
            meaning = meanings(getsource(import_module(f"referee.games.{game}.table"))).get(first, "")
            yield Row(name, meaning, value_in(layout_costs(game), cost), tallies[name])
        else:
            yield Row(name, said.get(name.split(" ")[0], ""), value_of(name), tallies[name])


def uncounted(tallies: Tallies) -> list[str]:
    """Countable rates, according to rates.py, that had no trial."""
    tried = {name.split(" ")[0] for name, tally in tallies.items() if tally.trials}
    return [name for name, said in meanings(getsource(rates)).items() if "ounted per" in said and name not in tried]


def value_of(name: str) -> float:
    """A rate by its name, as MOVE_COST LEGAL or RUSH_COST 1: a probability or a cost."""
    first, _, rest = name.partition(" ")
    value = getattr(rates, first)
    if rest:
        value = value[int(rest)] if rest.isdecimal() else value[Ruling[rest]]
    return exp(value) if value < 0 else float(value)


def value_in(costs: Mapping[str, float], name: str) -> float:
    """A cost of a layout by its name or sum of names; NaN for an unnamed one."""
    base, _, more = name.partition(" + ")
    if base not in costs:
        return float("nan")
    count, _, each = more.partition(" x ")
    return costs[base] + (int(count) * costs[each] if each else 0.0)
