"""The public state of a game of Kto drugi, ten lepszy, and queries on it.

A game is five stages, a stage five rounds. A round goes through four phases: everybody lays a card face down (LAY),
every heap is turned over (TURN), the figures go where the cards send them (MOVE), the cards are put aside (CLEAR).
A chair is a player, or Leon, who sits on the last chair when two play: he holds a stack of four cards, and the top one
goes to the cards in front of him as they are turned.

Hands are only counted. Turned cards of a stage are counted twice, by code and by value, because in the basic game a
card may be written by its value alone, which stands for any copy of that value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from referee.verdicts import Outcome, because

FIRST, LAST = -12, 16
START = 0
STAGES = 5
ROUNDS = 5
DEALT = 5
LEONS = 4
"""Cards on Leon's stack when a stage begins; in round 5 he plays none."""


class Phase(StrEnum):
    """The phases of a round, and the end of the game."""

    LAY = "lay"
    TURN = "turn"
    MOVE = "move"
    CLEAR = "clear"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Chair:
    """The public information about a player, or about Leon."""

    hand: int
    position: int = START
    laid: bool = False
    """Whether a card was played in this round; for Leon, whether his top card was turned."""
    before: int = 0
    """Number of face-down cards in front of this chair."""
    up: tuple[str, ...] = ()
    """Cards that were turned in front of this chair in this round."""
    goal: int | None = None
    """Basic game: where the figure must still be moved to."""
    points: tuple[int, ...] = ()
    """The score sheet, a number a stage."""


@dataclass(frozen=True, slots=True)
class Due:
    """Tactical game: a turned card that must still move a figure, and whose it is."""

    seat: int
    card: str


@dataclass(frozen=True, slots=True)
class State:
    """The public state of a game."""

    ply: int
    players: int
    """Those who play themselves; a chair behind them is Leon."""
    tactical: bool
    stage: int
    round: int
    phase: Phase
    chairs: tuple[Chair, ...]
    stock: int
    """Cards that were not dealt in this stage."""
    aside: int
    """Cards played in the earlier rounds of this stage."""
    codes: tuple[int, ...]
    """How often each card of the deck was turned in this stage, in deck order; not those read by value alone."""
    values: tuple[int, ...]
    """How often each value was turned in this stage, values rising."""
    queue: tuple[Due, ...] = ()
    """Tactical game: who moves next, in order."""


def clamp(space: int) -> int:
    """The space where a figure stops: nobody leaves the track."""
    return max(FIRST, min(LAST, space))


def is_leon(state: State, seat: int) -> bool:
    """Whether Leon sits there."""
    return seat >= state.players


def missing(state: State) -> tuple[int, ...]:
    """Players who have not laid a card in this round."""
    seats = range(state.players)
    return tuple(seat for seat in seats if not state.chairs[seat].laid and state.chairs[seat].hand)


def leon_plays(state: State, seat: int) -> bool:
    """Whether Leon sits there and his top card waits to be turned."""
    chair = state.chairs[seat]
    return seat >= state.players and state.round < ROUNDS and chair.hand > 0 and not chair.laid


def to_turn(state: State, seat: int) -> int:
    """Number of cards to be turned in front of a chair, including Leon's top card."""
    return state.chairs[seat].before + leon_plays(state, seat)


def own_only(state: State) -> bool:
    """Whether a card may be laid in front of oneself only."""
    return state.tactical or state.round == ROUNDS


def move_order(cards: Sequence[tuple[Due, int, int]], chairs: int) -> Iterator[Due]:
    """Tactical order of turned cards, each with its value and white number: the highest white number first.

    Equal white numbers: larger value regardless of sign, then clockwise from whoever moved last (at first from P1).
    """
    left, last = list(cards), -1

    def rank(item: tuple[Due, int, int]) -> tuple[int, int, int]:
        due, value, white = item
        return (-white, -abs(value), (due.seat - last - 1) % chairs)

    while left:
        item = min(left, key=rank)
        left.remove(item)
        last = item[0].seat
        yield item[0]


def heaps(kinds: Sequence[tuple[str, int, int]], values_left: Sequence[int], cards: int) -> Iterator[tuple[str, ...]]:
    """Every heap of `cards` cards, each in one order.

    A kind is a word for a card, the index of its value, and the remaining number of readings of that word;
    `values_left` limits the copies of each value, whatever their words.
    """
    words_left, left = [most for _, _, most in kinds], list(values_left)

    def grow(first: int, wanted: int) -> Iterator[tuple[str, ...]]:
        if not wanted:
            yield ()
            return
        for index in range(first, len(kinds)):
            word, value, _ = kinds[index]
            if words_left[index] > 0 and left[value] > 0:
                words_left[index] -= 1
                left[value] -= 1
                for rest in grow(index, wanted - 1):
                    yield (word, *rest)
                words_left[index] += 1
                left[value] += 1

    return grow(0, cards)


def score(positions: Sequence[int]) -> tuple[int, ...]:
    """Points of a stage: all on the second farthest occupied space get its number; without one nobody scores."""
    occupied = sorted(set(positions), reverse=True)
    if len(occupied) < 2:
        return (0,) * len(positions)
    return tuple(space if space == occupied[1] else 0 for space in positions)


def totals(state: State) -> tuple[int, ...]:
    """Everybody's points so far."""
    return tuple(sum(chair.points) for chair in state.chairs)


def rank(points: Sequence[int], players: int) -> Outcome:
    """The second highest different total wins (the only one, if all are equal).

    Places: the winners, then the others from the highest total down; equal totals share a place.
    """
    different = sorted(set(points), reverse=True)
    best = different[1] if len(different) > 1 else different[0]
    order = [best, *(total for total in different if total != best)]
    places = tuple(tuple(seat for seat, total in enumerate(points) if total == wanted) for wanted in order)
    winners = places[0]
    seated = tuple(seat for seat in winners if seat < players)
    if len(different) == 1:
        why = because("won-all", points=best)
    elif not seated:
        why = because("won-leon", points=best, highest=different[0])
    elif len(winners) == 1:
        why = because("won", seat=winners[0], points=best, highest=different[0])
    else:
        key = "won-shared" if seated == winners else "won-shared-leon"
        why = because(key, seats=seated, points=best, highest=different[0])
    return Outcome(winners, why, places)
