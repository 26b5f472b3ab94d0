"""Courses: in which order, and how often, the tables of a game are seen."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

from vision.table import Arm, Table

Course = Callable[[Iterator[Table]], Iterator[Table]]
"""What becomes of the tables of a game before anybody looks at them."""


def regretted(tables: Iterator[Table], rng: Random, often: float) -> Iterator[Table]:
    """Tables of which some are followed by the one before and by themselves again."""
    before = None
    for table in tables:
        yield table
        # Who has gathered all cards does not lay them out again.
        if before is not None and before.cards != table.cards and table.cards and rng.random() < often:
            # The same arm takes back what it did.
            yield replace(before, at_s=table.at_s, frame=table.frame, arms=table.arms)
            yield table
        before = table


def hasty(tables: Iterator[Table], rng: Random, share: float) -> Iterator[Table]:
    """Tables of which that share is never seen, but for the first and the last; their arms come with the next one."""
    first, missed = True, tuple[Arm, ...]()
    for table, after in with_next(tables):
        if not first and after is not None and rng.random() < share:
            missed += table.arms
            continue
        yield replace(table, arms=(*missed, *table.arms)) if missed else table
        first, missed = False, ()


def with_next(tables: Iterator[Table]) -> Iterator[tuple[Table, Table | None]]:
    """Every table with the one after it; the last one with None."""

    def ended() -> Iterator[Table | None]:
        yield from tables
        yield None

    for table, after in pairwise(ended()):
        if table is not None:
            yield table, after
