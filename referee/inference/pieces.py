"""Pieces: how well the figures and tokens that are seen agree with those that should be there."""

from collections import Counter as Tally
from collections.abc import Iterator

from referee.inference import rates
from referee.layout import Counter
from referee.observed import Pieces, Spot

Owned = tuple[str, str]
"""The kind of a piece and whose it is."""


def agreement(counters: tuple[Counter, ...], pieces: Pieces) -> float:
    """How well pieces agree with what is expected, as a logarithm of a chance."""
    if not pieces:
        # Nobody looks for pieces here, or none can be told from the table: then they say nothing.
        return 0.0
    total = 0.0
    for _, missing, extra in _unlike(counters, pieces):
        gone, more = missing.total(), extra.total()
        astray = min(gone, more)
        total += astray * rates.PIECE_MISPLACED_LOG_PROBABILITY
        total += (gone - astray) * rates.PIECE_MISSED_LOG_PROBABILITY + (
            more - astray
        ) * rates.PIECE_FALSE_POSITIVE_LOG_PROBABILITY
    return total


def unlike(counters: tuple[Counter, ...], pieces: Pieces) -> Iterator[tuple[Spot, str, bool]]:
    """What does not agree: where, which piece (figure P1), and whether it is there instead of being missed."""
    for owned, missing, extra in _unlike(counters, pieces):
        for places, there in ((missing, False), (extra, True)):
            yield from ((place, " ".join(owned), there) for place in sorted(places.elements()))


def _unlike(counters: tuple[Counter, ...], pieces: Pieces) -> Iterator[tuple[Owned, Tally[Spot], Tally[Spot]]]:
    """Of every kind and owner what is missed where, and what is too much where."""
    wanted: dict[Owned, Tally[Spot]] = {}
    for counter in counters:
        owned = (counter.kind, counter.owner)
        gone = bool(counter.instead) and (counter.zone, counter.instead) in pieces.get(owned, {})
        spot = counter.instead if gone else counter.spot
        wanted.setdefault(owned, Tally())[counter.zone, spot] += counter.count
    for owned in sorted(wanted.keys() | pieces.keys()):
        here, there = wanted.get(owned, Tally()), Tally(pieces.get(owned, {}))
        if here != there:
            yield owned, here - there, there - here
