"""The likelihood of the observed figures and tokens, given a layout."""

from collections import Counter as Tally
from collections.abc import Iterator

from referee.inference import rates
from referee.layout import Counter
from referee.observed import Pieces, Spot

Owned = tuple[str, str]
"""The kind and the owner of a piece."""


def pieces_log_likelihood(counters: tuple[Counter, ...], pieces: Pieces) -> float:
    """Log likelihood of the observed pieces."""
    if not pieces:
        # Pieces are not detected here, or none was: no evidence.
        return 0.0
    total = 0.0
    for _, missing, extra in _unmatched(counters, pieces):
        gone, more = missing.total(), extra.total()
        misplaced = min(gone, more)
        total += misplaced * rates.PIECE_MISPLACED_LOG_PROBABILITY
        total += (gone - misplaced) * rates.PIECE_MISSED_LOG_PROBABILITY + (
            more - misplaced
        ) * rates.PIECE_FALSE_POSITIVE_LOG_PROBABILITY
    return total


def piece_differences(counters: tuple[Counter, ...], pieces: Pieces) -> Iterator[tuple[Spot, str, bool]]:
    """Differences: the spot, the piece (figure P1), and whether it is extra rather than missing."""
    for owned, missing, extra in _unmatched(counters, pieces):
        for places, there in ((missing, False), (extra, True)):
            yield from ((place, " ".join(owned), there) for place in sorted(places.elements()))


def _unmatched(counters: tuple[Counter, ...], pieces: Pieces) -> Iterator[tuple[Owned, Tally[Spot], Tally[Spot]]]:
    """Missing and extra pieces by spot, for every kind and owner that differs."""
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
