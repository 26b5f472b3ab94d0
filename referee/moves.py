"""Moves: a seat, a verb, cards and a place, with a text form that round-trips."""

import re
from dataclasses import dataclass

HIDDEN = "?"
TABLE = "table"

_SEAT = re.compile(r"P([1-9][0-9]?)\Z")
_VERB = re.compile(r"[a-z]{1,20}\Z")
_COUNT = re.compile(r"([a-z]{1,12}[0-9]?)=([0-9]{1,4})\Z")
_SHAPE = "SEAT VERB [CARDS …] [@ PLACE] [NAME=NUMBER …]"


class NotationError(ValueError):
    """Text that is not a move or not a record; the message quotes what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class Move:
    """One act at the table. Seat None is the table itself: a reshuffle, a number card turned."""

    seat: int | None
    verb: str
    cards: tuple[str, ...] = ()
    """Card codes as printed; `?` is a card whose face is unknown."""
    target: str | None = None
    counts: tuple[tuple[str, int], ...] = ()
    """Tokens spent and won, as `spend=2`."""

    def __str__(self) -> str:
        words = [TABLE if self.seat is None else seat_name(self.seat), self.verb, *self.cards]
        if self.target is not None:
            words += ["@", self.target]
        words += [f"{name}={number}" for name, number in self.counts]
        return " ".join(words)

    @classmethod
    def parse(cls, text: str) -> "Move":
        """Read one move.

        >>> Move.parse("P1 pass ? @ P2")
        Move(seat=0, verb='pass', cards=('?',), target='P2', counts=())
        """
        words = text.split()
        if len(words) < 2:
            raise NotationError(f"{text.strip()!r} is not a move; wanted {_SHAPE}")
        seat = None if words[0] == TABLE else seat_index(words[0])
        if not _VERB.match(words[1]):
            raise NotationError(f"{words[1]!r} is not a verb; wanted {_SHAPE}")
        rest, counts = words[2:], []
        while rest and "=" in rest[-1]:
            counted = _COUNT.match(rest.pop())
            if not counted:
                raise NotationError(f"{text.strip()!r}: wanted NAME=NUMBER at the end, as spend=2")
            counts.append((counted[1], int(counted[2])))
        target = None
        if "@" in rest:
            at = rest.index("@")
            if at != len(rest) - 2:
                raise NotationError(f"{text.strip()!r}: wanted one place after @")
            target, rest = rest[-1], rest[:at]
        if any("@" in word or "=" in word for word in (*rest, target or "")):
            raise NotationError(f"{text.strip()!r}: wanted {_SHAPE}")
        return cls(seat, words[1], tuple(rest), target, tuple(reversed(counts)))


def seat_name(seat: int) -> str:
    """The text of a seat: seats count from 0 and print from P1."""
    return f"P{seat + 1}"


def seat_index(word: str) -> int:
    """Read a seat."""
    found = _SEAT.match(word)
    if not found:
        raise NotationError(f"{word!r} is not a seat; wanted P1, P2 … or {TABLE}")
    return int(found[1]) - 1
