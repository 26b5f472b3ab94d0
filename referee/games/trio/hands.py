"""Public knowledge about the hidden hands of Trio, and whether all of it can be true at once.

A hand is its known cards (shown once and taken back) and its unseen cards, each with the bounds that earlier
lowest or highest cards have set. Alone, a player has exactly one such hand. Partners exchange cards face down, so
a side has a list of guesses (both hands in each), at least one of which is true. Nothing here judges anybody.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

LOWEST, HIGHEST = 1, 12
COPIES = 3
NEVER = -1
"""The ply of a bound that no card has set."""
MOST_GUESSES = 500
"""Number of guesses about a side above which they are merged into one; this costs precision, but accuses nobody."""
MOST_TRIES = 2_000
"""Number of combinations of guesses that are tried before the players get the benefit of the doubt."""


class End(StrEnum):
    """The end of a sorted hand that is asked for."""

    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Unseen:
    """Cards of a hand that nobody has seen, all from `low` to `high`, and the plies that set these bounds."""

    cards: int
    low: int = LOWEST
    high: int = HIGHEST
    low_ply: int = NEVER
    high_ply: int = NEVER


@dataclass(frozen=True, slots=True)
class Hand:
    """Public knowledge about one hand, without its face-up cards."""

    known: tuple[int, ...]
    """Rising."""
    unseen: tuple[Unseen, ...]
    """Groups with different bounds, rising; an empty one is left out."""

    @property
    def cards(self) -> int:
        """Number of cards in the hand."""
        return len(self.known) + sum(group.cards for group in self.unseen)


Guess = tuple[Hand, ...]
"""The possible hands of one side: one hand each for a single player, two for a team."""
Guesses = tuple[Guess, ...]


@dataclass(frozen=True, slots=True)
class EndFault:
    """Why a card cannot be the lowest (or highest) of a hand: a reason, the card against it, and a ply."""

    key: str
    against: int = 0
    ply: int = NEVER


def dealt_hand(cards: int) -> Hand:
    """An unknown hand."""
    return Hand((), (Unseen(cards),) if cards else ())


# One hand


def show(hand: Hand, value: int, end: End | None, ply: int) -> tuple[Hand, ...]:
    """The hand after showing `value` as its lowest or highest card; several if it may come from several groups.

    Without an end nothing is learnt about the others. Empty if the hand cannot show this card.
    """
    known = hand.known
    if known and end is not None and (value > known[0] if end is End.LOW else value < known[-1]):
        return ()
    if value in known:
        # Showing an unseen copy instead would leave the same possible hands.
        unseen = _bound(hand.unseen, value, end, ply)
        return () if unseen is None else (Hand(_without(known, value), unseen),)
    hands = []
    for group in hand.unseen:
        if group.low <= value <= group.high:
            unseen = _bound(_less(hand.unseen, group), value, end, ply)
            if unseen is not None:
                hands.append(Hand(known, unseen))
    return tuple(hands)


def take_back(hand: Hand, value: int) -> Hand:
    """The hand after a face-up card went into it."""
    return Hand(tuple(sorted((*hand.known, value))), hand.unseen)


def why_not(hand: Hand, value: int, end: End) -> EndFault:
    """Why `show` finds no hand. An observed card outranks an earlier claim about unseen ones."""
    if value not in hand.known:
        if not hand.unseen:
            return EndFault("all-known")
        if all(value < group.low for group in hand.unseen):
            return EndFault("below", hand.unseen[0].low, _common(group.low_ply for group in hand.unseen))
        if all(value > group.high for group in hand.unseen):
            return EndFault("above", hand.unseen[-1].high, _common(group.high_ply for group in hand.unseen))
        if not any(group.low <= value <= group.high for group in hand.unseen):
            return EndFault("no-guess")
    if end is End.LOW:
        if hand.known and value > hand.known[0]:
            return EndFault("lower-known", hand.known[0])
        return EndFault("lower-there", min(group.high for group in hand.unseen))
    if hand.known and value < hand.known[-1]:
        return EndFault("higher-known", hand.known[-1])
    return EndFault("higher-there", max(group.low for group in hand.unseen))


def force(hand: Hand, value: int, end: End | None, ply: int) -> Hand:
    """The hand after it showed an impossible card: the card is real, so an earlier claim was false."""
    shown = show(hand, value, end, ply) or show(hand, value, None, ply)
    if not shown and hand.unseen:
        wide = (_widen(group, value) for group in hand.unseen)
        hand = Hand(hand.known, _merged(wide))
        shown = show(hand, value, end, ply) or show(hand, value, None, ply)
    return shown[0] if shown else dealt_hand(hand.cards - 1)


def forget(hand: Hand, value: int) -> Hand:
    """The hand if `value` was never known to be in it."""
    lost = hand.known.count(value)
    if not lost:
        return hand
    known = tuple(card for card in hand.known if card != value)
    return Hand(known, _merged((*hand.unseen, Unseen(lost))))


def _bound(unseen: tuple[Unseen, ...], value: int, end: End | None, ply: int) -> tuple[Unseen, ...] | None:
    """The groups when no card is below (above) `value`; None if a group has no card left that it could be."""
    if end is None:
        return unseen
    if end is End.LOW:
        if all(group.low >= value for group in unseen):
            return unseen
        if any(group.high < value for group in unseen):
            return None
        tight = [group if group.low >= value else replace(group, low=value, low_ply=ply) for group in unseen]
    else:
        if all(group.high <= value for group in unseen):
            return unseen
        if any(group.low > value for group in unseen):
            return None
        tight = [group if group.high <= value else replace(group, high=value, high_ply=ply) for group in unseen]
    return tuple(tight) if len(tight) == 1 else _merged(tight)


def _less(unseen: tuple[Unseen, ...], group: Unseen) -> tuple[Unseen, ...]:
    left = Unseen(group.cards - 1, group.low, group.high, group.low_ply, group.high_ply)
    return tuple(left if each is group else each for each in unseen if each is not group or left.cards)


def _merged(unseen: Sequence[Unseen] | Iterator[Unseen]) -> tuple[Unseen, ...]:
    groups: dict[tuple[int, int], Unseen] = {}
    for group in unseen:
        twin = groups.get((group.low, group.high))
        if twin is not None:
            low_ply, high_ply = max(group.low_ply, twin.low_ply), max(group.high_ply, twin.high_ply)
            group = Unseen(group.cards + twin.cards, group.low, group.high, low_ply, high_ply)
        groups[group.low, group.high] = group
    return tuple(groups[bounds] for bounds in sorted(groups))


def _widen(group: Unseen, value: int) -> Unseen:
    if value < group.low:
        return replace(group, low=LOWEST, low_ply=NEVER)
    return replace(group, high=HIGHEST, high_ply=NEVER) if value > group.high else group


def _without(known: tuple[int, ...], value: int) -> tuple[int, ...]:
    at = known.index(value)
    return known[:at] + known[at + 1 :]


def _common(plies: Iterator[int]) -> int:
    found = set(plies)
    return found.pop() if len(found) == 1 else NEVER


# One side


def shown_by(guesses: Guesses, member: int, value: int, end: End | None, ply: int) -> Iterator[Guess]:
    """Every guess about a side after one of its hands showed a card; empty if no guess allows it."""
    for guess in guesses:
        for hand in show(guess[member], value, end, ply):
            yield (*guess[:member], hand, *guess[member + 1 :])


def forced_by(guesses: Guesses, member: int, value: int, end: End | None, ply: int) -> Guesses:
    """The guesses after a card that none of them allows."""
    forced = ((*g[:member], force(g[member], value, end, ply), *g[member + 1 :]) for g in guesses)
    return tuple(dict.fromkeys(forced))


def side_fault(guesses: Guesses, member: int, value: int, end: End) -> EndFault:
    """Why no guess about a side allows a card: their common fault, or a general one."""
    faults = {why_not(guess[member], value, end) for guess in guesses}
    return faults.pop() if len(faults) == 1 else EndFault("no-guess")


def swapped(guesses: Guesses) -> Guesses:
    """The guesses after the two hands of a side exchanged one card each, face down."""
    found = _exchanges(guesses)
    return found if len(found) <= MOST_GUESSES else _exchanges((_hull(guesses),))


def _exchanges(guesses: Guesses) -> Guesses:
    found: dict[Guess, None] = {}
    for one, other in guesses:
        givable = tuple(_giving(other))
        for (one_less, given), (other_less, taken) in product(_giving(one), givable):
            found[(_plus(one_less, taken), _plus(other_less, given))] = None
            if len(found) > MOST_GUESSES:
                return tuple(found)
    return tuple(found)


def _giving(hand: Hand) -> Iterator[tuple[Hand, int | Unseen]]:
    """Every card that may leave a hand: a known one, or one unseen of a group."""
    for value in dict.fromkeys(hand.known):
        yield Hand(_without(hand.known, value), hand.unseen), value
    for group in hand.unseen:
        yield Hand(hand.known, _less(hand.unseen, group)), replace(group, cards=1)


def _plus(hand: Hand, card: int | Unseen) -> Hand:
    if isinstance(card, Unseen):
        return Hand(hand.known, _merged((*hand.unseen, card)))
    return take_back(hand, card)


def _hull(guesses: Guesses) -> Guess:
    """One guess that allows everything that any of the given ones allows."""
    return tuple(_hull_hand([guess[member] for guess in guesses]) for member in range(len(guesses[0])))


def _hull_hand(hands: list[Hand]) -> Hand:
    known = Counter(hands[0].known)
    for hand in hands:
        known &= Counter(hand.known)
    low, high = HIGHEST, LOWEST
    for hand in hands:
        values = [*(Counter(hand.known) - known), *(end for group in hand.unseen for end in (group.low, group.high))]
        low, high = min((low, *values)), max((high, *values))
    unseen = hands[0].cards - known.total()
    return Hand(tuple(sorted(known.elements())), (Unseen(unseen, low, high),) if unseen else ())


def pruned(guesses: Guesses, loose: Sequence[int]) -> Guesses:
    """The guesses about one side that can be true, whatever is hidden elsewhere."""
    if len(guesses) == 1:
        return guesses
    elsewhere = sum(loose) - sum(hand.cards for hand in guesses[0])
    return tuple(guess for guess in guesses if _fit(loose, elsewhere, (_shape(guess),))) or guesses


# The whole table


def possible(loose: Sequence[int], centre: int, sides: Sequence[Guesses]) -> bool:
    """Whether some guess of every side is true at once.

    `loose[v]` copies of v are hidden in hands or in one of `centre` unseen places of the centre.
    """
    if _fit(loose, centre, tuple(_shape(guesses[0]) for guesses in sides)):
        return True
    if all(len(guesses) == 1 for guesses in sides):
        return False
    shapes = [tuple({_shape(guess): None for guess in guesses}) for guesses in sides]
    return any(tried >= MOST_TRIES or _fit(loose, centre, each) for tried, each in enumerate(product(*shapes)))


Shape = tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]
"""A side reduced to what the whole table needs: its known cards, and its unseen ones as (low, high, cards)."""


def _shape(guess: Guess) -> Shape:
    if len(guess) == 1:
        return guess[0].known, tuple((group.low, group.high, group.cards) for group in guess[0].unseen)
    known = sorted(value for hand in guess for value in hand.known)
    unseen: Counter[tuple[int, int]] = Counter()
    for hand in guess:
        for group in hand.unseen:
            unseen[group.low, group.high] += group.cards
    return tuple(known), tuple((low, high, cards) for (low, high), cards in sorted(unseen.items()))


def _fit(loose: Sequence[int], centre: int, shapes: Sequence[Shape]) -> bool:
    left = list(loose)
    places = [(LOWEST, HIGHEST, centre)] if centre else []
    for known, unseen in shapes:
        for value in known:
            left[value] -= 1
        places += unseen
    return fits(left, places)


def fits(cards: Sequence[int], places: list[tuple[int, int, int]]) -> bool:
    """Whether `cards[v]` copies of every value v fill all places (low, high, how many) and none is left over.

    Rising through the values, each card goes to the open place that closes first; that is best for intervals.
    """
    waiting = sorted(places, reverse=True)
    opened = [0] * (HIGHEST + 1)
    for value in range(LOWEST, HIGHEST + 1):
        while waiting and waiting[-1][0] <= value:
            _, high, count = waiting.pop()
            opened[high] += count
        left = cards[value]
        if left < 0:
            return False
        for high in range(value, HIGHEST + 1):
            if left <= opened[high]:
                opened[high] -= left
                left = 0
                break
            left -= opened[high]
            opened[high] = 0
        if left or opened[value]:
            return False
    return True


def least_known(guesses: Guesses, value: int) -> int:
    """Number of copies of a card that a side certainly holds."""
    return min(sum(hand.known.count(value) for hand in guess) for guess in guesses)


def bound_plies(sides: Sequence[Guesses]) -> list[int]:
    """The plies of all claims that still bind unseen cards, the latest first."""
    groups = (group for guesses in sides for guess in guesses for hand in guess for group in hand.unseen)
    return sorted({ply for group in groups for ply in (group.low_ply, group.high_ply)} - {NEVER}, reverse=True)


def unbound(sides: Sequence[Guesses], ply: int | None = None) -> tuple[Guesses, ...]:
    """The guesses without the bounds that were claimed at one ply, or without any."""

    def freed(group: Unseen) -> Unseen:
        if ply is None:
            return Unseen(group.cards)
        low, low_ply = (LOWEST, NEVER) if group.low_ply == ply else (group.low, group.low_ply)
        high, high_ply = (HIGHEST, NEVER) if group.high_ply == ply else (group.high, group.high_ply)
        return Unseen(group.cards, low, high, low_ply, high_ply)

    def freed_hand(hand: Hand) -> Hand:
        return Hand(hand.known, _merged(freed(group) for group in hand.unseen))

    return each_hand(sides, freed_hand)


def each_hand(sides: Sequence[Guesses], change: Callable[[Hand], Hand]) -> tuple[Guesses, ...]:
    """The guesses with every hand changed, equal ones once."""
    return tuple(tuple(dict.fromkeys(tuple(map(change, guess)) for guess in guesses)) for guesses in sides)
