"""Courses: the order in which the tables of a game are observed, and which of them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

from vision.table import Arm, Piece, PlacedCard, Table

Course = Callable[[Iterator[Table]], Iterator[Table]]
"""Transforms the tables of a game before they are observed."""
_Thing = PlacedCard | Piece
_Key = tuple[str, str, int]


def regretted(tables: Iterator[Table], rng: Random, often: float) -> Iterator[Table]:
    """Take some plays back: a table is followed by the previous one and then by itself again."""
    before = None
    for table in tables:
        yield table
        # Gathered cards are not laid out again.
        if before is not None and before.cards != table.cards and table.cards and rng.random() < often:
            # The same arm takes its own play back.
            yield replace(before, at_s=table.at_s, frame=table.frame, arms=table.arms)
            yield table
        before = table


def hasty(tables: Iterator[Table], rng: Random, share: float) -> Iterator[Table]:
    """Drop a share of the tables, except the first and the last; their arms are added to the next table."""
    first, missed = True, tuple[Arm, ...]()
    for table, after in with_next(tables):
        if not first and after is not None and rng.random() < share:
            missed += table.arms
            continue
        yield replace(table, arms=(*missed, *table.arms)) if missed else table
        first, missed = False, ()


def glimpsed(tables: Iterator[Table], rng: Random, often: float) -> Iterator[Table]:
    """Insert unfinished tables before each table, as its play is made card by card.

    `often` is the probability of such a glimpse after each card, mark or piece except the last of its play.
    """
    before: Table | None = None
    for table in tables:
        for half_made in _half_made(before, table, rng) if before is not None and often else ():
            if rng.random() < often:
                yield half_made
        yield table
        before = table


def _half_made(before: Table, after: Table, rng: Random) -> Iterator[Table]:
    """All tables between two others: cards and pieces change in random order, marks are drawn one by one."""
    here, there = _things(before), _things(after)
    changes: dict[_Key, list[_Thing | None]] = {}
    for key in [*here, *(key for key in there if key not in here)]:
        old, new = here.get(key), there.get(key)
        drawn = _drawn(old, new)
        if old != new:
            changes[key] = [*drawn, new] if drawn else [new]
    order = [key for key, versions in changes.items() for _ in versions]
    rng.shuffle(order)
    for key in order[:-1]:
        thing = changes[key].pop(0)
        # Moved cards are on top of the others.
        here.pop(key, None)
        if thing is not None:
            here[key] = thing
        cards = tuple(thing for thing in here.values() if isinstance(thing, PlacedCard))
        pieces = tuple(thing for thing in here.values() if isinstance(thing, Piece))
        yield replace(after, cards=cards, pieces=pieces, hasty=True)


def _things(table: Table) -> dict[_Key, _Thing]:
    """Cards and pieces by an identity that movement does not change; equal tokens in a zone are numbered."""
    things: dict[_Key, _Thing] = {("", "", card.track): card for card in table.cards}
    for piece in table.pieces:
        owner = piece.colour or piece.zone
        number = sum((kind, one) == (piece.kind, owner) for kind, one, _ in things)
        things[piece.kind, owner, number] = piece
    return things


def _drawn(old: _Thing | None, new: _Thing | None) -> list[_Thing | None]:
    """A card with some, but not yet all of its new marks."""
    if not (isinstance(old, PlacedCard) and isinstance(new, PlacedCard)) or replace(old, marks=new.marks) != new:
        return []
    more = [mark for mark in new.marks if mark not in old.marks]
    return [replace(old, marks=(*old.marks, *more[:count])) for count in range(1, len(more))]


def with_next(tables: Iterator[Table]) -> Iterator[tuple[Table, Table | None]]:
    """Every table with its successor; the last one with None."""

    def ended() -> Iterator[Table | None]:
        yield from tables
        yield None

    for table, after in pairwise(ended()):
        if table is not None:
            yield table, after
