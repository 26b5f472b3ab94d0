"""Verdicts: the ruling on a move, with the rule, the reason and its numbers."""

from dataclasses import dataclass
from enum import StrEnum

from referee.moves import Move

Arg = int | str | tuple[int, ...] | tuple[str, ...]


class Ruling(StrEnum):
    """The three possible rulings."""

    LEGAL = "LEGAL"
    ILLEGAL = "ILLEGAL"
    UNCLEAR = "UNCLEAR"


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of the message catalogues and its arguments.

    Arguments named seat, …_seat or seats are seat indices; the texts turn them into names.
    """

    key: str
    args: tuple[tuple[str, Arg], ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ruling on one move.

    `about` points at an earlier, guilty move when the fault shows only later. Rules count it in plies (moves
    applied so far); a Match turns that into an index of its log.
    """

    move: Move
    ruling: Ruling
    rule: str
    reason: Reason
    about: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of one seat: cards in hand, points, and a sentence."""

    seat: int
    hand: int
    points: int
    story: Reason


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winners, why, and all places (each a group of seats that share it)."""

    winners: tuple[int, ...]
    why: Reason
    places: tuple[tuple[int, ...], ...]


def because(key: str, **args: Arg) -> Reason:
    """A reason from its catalogue key and the numbers in it."""
    return Reason(key, tuple(args.items()))


def legal(move: Move, rule: str, key: str, **args: Arg) -> Verdict:
    """The move is allowed by `rule`."""
    return Verdict(move, Ruling.LEGAL, rule, Reason(key, tuple(args.items())))


def illegal(move: Move, rule: str, key: str, **args: Arg) -> Verdict:
    """The move breaks `rule`."""
    return Verdict(move, Ruling.ILLEGAL, rule, Reason(key, tuple(args.items())))


def unclear(move: Move, rule: str, key: str, **args: Arg) -> Verdict:
    """Nobody can say yet; a human is asked."""
    return Verdict(move, Ruling.UNCLEAR, rule, Reason(key, tuple(args.items())))
