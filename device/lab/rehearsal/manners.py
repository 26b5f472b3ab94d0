"""Manners: the ways of playing and observing that rates are fitted to, all weighted equally."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from device.lab.rehearsal.rehearsal import Rehearsal
from device.lab.rehearsal.variants import NAMES
from device.lab.rehearsal.variants import variants as measured
from referee.rules import Opening

TRAINING = range(700_000, 800_000)
"""Seeds reserved for fitting; nothing may be evaluated on them."""

_ANY = Rehearsal(Opening("", NAMES[:2], ()), TRAINING.start)
MANNERS = {
    "honest": _ANY,
    "cheat 0.1": replace(_ANY, cheat=0.1),
    "faults 1": replace(_ANY, faults=1.0),
    "faults 3": replace(_ANY, faults=3.0),
    "steady": replace(_ANY, faults=1.0, steady=True),
    "haste 0.1": replace(_ANY, haste=0.1),
    "haste 0.2": replace(_ANY, haste=0.2),
    "one look": replace(_ANY, faults=1.0, looks=1),
    "two looks": replace(_ANY, faults=1.0, looks=2),
    "regrets 0.1": replace(_ANY, regrets=0.1),
    "mess 0.2": replace(_ANY, mess=0.2),
}
"""By name; opening and seed are placeholders."""
HEARD = {
    "declared": replace(_ANY, declared=True),
    "declared, eager 0.2": replace(_ANY, declared=True, eager=0.2),
    "declared, cheat 0.1": replace(_ANY, declared=True, cheat=0.1),
}
"""Manners with declarations; only declared moves are counted there."""


def rehearsals(
    manners: Iterable[Rehearsal], games: int, game: str | None = None, variants: int | None = None
) -> Iterator[Rehearsal]:
    """`games` games of each manner and variant, or of a game's first variants, all with training seeds."""
    openings = measured(game)[:variants]
    for manner, opening, seed in product(manners, openings, TRAINING[:games]):
        yield replace(manner, opening=opening, seed=seed)
