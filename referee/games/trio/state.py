"""The public state of a game of Trio, and queries on it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from referee.games.trio.hands import (
    COPIES,
    HIGHEST,
    NEVER,
    End,
    Guesses,
    bound_plies,
    dealt_hand,
    each_hand,
    forced_by,
    forget,
    least_known,
    possible,
    pruned,
    shown_by,
    swapped,
    take_back,
    unbound,
)
from referee.moves import seat_name

CARDS = COPIES * HIGHEST
SEVEN = 7
MILD_TRIOS = 3
SOLO_DEAL: Mapping[int, tuple[int, int]] = {3: (9, 9), 4: (7, 8), 5: (6, 6), 6: (5, 6)}
"""Cards in each hand and in the centre, by the number of players."""

T = TypeVar("T")


class Phase(StrEnum):
    """The next task of the active player, and the end of the game."""

    REVEAL = "reveal"
    RETURN = "return"
    CLAIM = "claim"
    OVER = "over"


class Swap(StrEnum):
    """Whether a team may swap now, and why not."""

    OPEN = "open"
    DONE = "done"
    SCORED = "scored"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """The place where a card is asked for: a slot of the centre, or a hand and its end (None: not heard)."""

    seat: int | None = None
    slot: int | None = None
    end: End | None = None


@dataclass(frozen=True, slots=True)
class Up:
    """A face-up card, the place it came from (P2, c3) and the ply when it was turned."""

    value: int
    home: str
    ply: int


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot of the centre: whether it has a face-down card, and the value it last showed, with the ply."""

    lies: bool = True
    value: int | None = None
    ply: int = NEVER


@dataclass(frozen=True, slots=True)
class State:
    """The public state of a game of Trio. A side is a player alone or a team; partners sit half the table apart."""

    ply: int
    phase: Phase
    turn: int
    spicy: bool
    up: tuple[Up, ...]
    trios: tuple[tuple[int, ...], ...]
    """The numbers of the trios in front of each player."""
    slots: tuple[Slot, ...]
    sides: tuple[Guesses, ...]
    """Public knowledge about the hidden hands, by side."""
    swaps: tuple[Swap, ...]
    """A side each."""


def deal(players: int, team: bool) -> tuple[int, int]:
    """Cards in each hand and in the centre."""
    return (CARDS // players, 0) if team else SOLO_DEAL[players]


def named_places() -> dict[str, AskedPlace]:
    """Every place of the largest table by its name: P2, P2.low, P2.high, c3."""
    named = {slot_name(slot): AskedPlace(slot=slot) for slot in range(max(centre for _, centre in SOLO_DEAL.values()))}
    for seat in range(max(SOLO_DEAL)):
        named[seat_name(seat)] = AskedPlace(seat)
        named |= {f"{seat_name(seat)}.{end}": AskedPlace(seat, end=end) for end in End}
    return named


def opening_state(players: int, team: bool, spicy: bool, first: int) -> State:
    """The table after dealing."""
    hand, centre = deal(players, team)
    sides = players // 2 if team else players
    guess = (dealt_hand(hand),) * (players // sides)
    swap = Swap.OPEN if team else Swap.CLOSED
    slots, trios = (Slot(),) * centre, ((),) * players
    return State(0, Phase.REVEAL, first, spicy, (), trios, slots, ((guess,),) * sides, (swap,) * sides)


def side_of(state: State, seat: int) -> int:
    """Which side a seat plays for."""
    return seat % len(state.sides)


def partner_of(state: State, seat: int) -> int | None:
    """The partner in a team."""
    players, sides = len(state.trios), len(state.sides)
    return None if players == sides else (seat + sides) % players


def members(state: State, side: int) -> tuple[int, ...]:
    """The seats of a side."""
    return tuple(range(side, len(state.trios), len(state.sides)))


def held(state: State, seat: int) -> int:
    """Number of cards in a hand, without face-up ones."""
    sides = len(state.sides)
    return state.sides[seat % sides][0][seat // sides].cards


def lies(state: State, slot: int) -> bool:
    """Whether a place of the centre has a face-down card."""
    return slot < len(state.slots) and state.slots[slot].lies


def all_cards(state: State) -> int:
    """Number of all cards, wherever they are."""
    hands = sum(held(state, seat) for seat in range(len(state.trios)))
    return hands + len(state.up) + sum(slot.lies for slot in state.slots) + COPIES * sum(map(len, state.trios))


def next_turn(state: State) -> State:
    """The table when the next player begins."""
    return replace(state, phase=Phase.REVEAL, turn=(state.turn + 1) % len(state.trios))


def places(state: State, winner: int) -> tuple[tuple[int, ...], ...]:
    """The seats of the winning side, then the others by their trios; equal ones share a place."""
    others = [side for side in range(len(state.sides)) if side != winner]
    ranks: dict[int, tuple[int, ...]] = {}
    for side in sorted(others, key=lambda side: -len(side_trios(state, side))):
        count = len(side_trios(state, side))
        ranks[count] = tuple(sorted((*ranks.get(count, ()), *members(state, side))))
    return (members(state, winner), *ranks.values())


def side_trios(state: State, side: int) -> tuple[int, ...]:
    """The numbers of all trios of a side, rising."""
    return tuple(sorted(value for seat in members(state, side) for value in state.trios[seat]))


def winning(trios: tuple[int, ...], spicy: bool, links: Mapping[int, tuple[int, ...]]) -> str | None:
    """The winning condition that these trios meet: seven, three, linked, or none."""
    if SEVEN in trios:
        return "seven"
    if not spicy:
        return "three" if len(trios) >= MILD_TRIOS else None
    return "linked" if any(other in links[value] for value in trios for other in trios) else None


def loose(state: State) -> list[int]:
    """Number of hidden copies of every value: not won, not face up, not in a known place of the centre."""
    left = [0, *(COPIES,) * HIGHEST]
    for trios in state.trios:
        for value in trios:
            left[value] -= COPIES
    for card in state.up:
        left[card.value] -= 1
    for slot in state.slots:
        if slot.lies and slot.value is not None:
            left[slot.value] -= 1
    return left


def unseen_centre(state: State) -> int:
    """Number of centre cards that have never been face up."""
    return sum(slot.lies and slot.value is None for slot in state.slots)


def can_be(state: State) -> bool:
    """Whether some hidden hands fit all observations."""
    return possible(loose(state), unseen_centre(state), state.sides)


def copies_seen(state: State, value: int) -> int:
    """Number of copies of a value that are accounted for, hidden or not."""
    return COPIES - loose(state)[value] + sum(least_known(guesses, value) for guesses in state.sides)


def guilty_claim(state: State, latest: int) -> int | None:
    """The latest claim before ply `latest` without which the table could be as it is."""
    for ply in bound_plies(state.sides):
        if ply < latest and can_be(replace(state, sides=unbound(state.sides, ply))):
            return ply
    return None


# Showing a card


def turned_slot(state: State, slot: int, value: int) -> State:
    """The table with the card of a centre place face up."""
    slots = _put(state.slots, slot, Slot(False, value, state.ply))
    return replace(state, slots=slots, up=(*state.up, Up(value, slot_name(slot), state.ply)))


def shown_hand(state: State, seat: int, end: End | None, value: int) -> State | None:
    """The table after a hand showed a card; None if no guess about this hand allows it."""
    side, member = seat % len(state.sides), seat // len(state.sides)
    guesses = tuple(dict.fromkeys(shown_by(state.sides[side], member, value, end, state.ply)))
    return _shown(state, seat, value, guesses) if guesses else None


def can_show(state: State, seat: int, end: End, value: int) -> bool:
    """Whether a hand may show this card as its lowest or highest, for some hidden hands that fit all observations."""
    side, member = seat % len(state.sides), seat // len(state.sides)
    found = shown_by(state.sides[side], member, value, end, state.ply)
    first = next(found, None)
    if first is None:
        return False
    # One guess that fits is enough; only if the first does not are the others looked at.
    return can_be(_shown(state, seat, value, (first,))) or can_be(_shown(state, seat, value, (first, *found)))


def can_turn(state: State, slot: int, value: int) -> bool:
    """Whether a centre place may show this card."""
    return state.slots[slot].value in (None, value) and can_be(turned_slot(state, slot, value))


def ends_of(state: State, place: AskedPlace, value: int) -> tuple[End, ...]:
    """The possible ends of a hand for a card; both are tried if the end was not heard."""
    asked = (place.end,) if place.end is not None else tuple(End)
    return tuple(end for end in asked if can_show(state, place.seat or 0, end, value))


def seen_anyway(state: State, place: AskedPlace, value: int) -> State:
    """The table after a card was shown, possible or not; observations win over claims."""
    if place.slot is not None:
        after = turned_slot(state, place.slot, value)
    else:
        seat, end = place.seat or 0, place.end
        if end is None:
            ends = ends_of(state, place, value)
            end = ends[0] if len(ends) == 1 or (ends and held(state, seat) == 1) else None
        side, member = seat % len(state.sides), seat // len(state.sides)
        shown = shown_hand(state, seat, end, value)
        after = shown or _shown(state, seat, value, forced_by(state.sides[side], member, value, end, state.ply))
        known = pruned(after.sides[side], loose(after))
        if known is not after.sides[side]:
            after = replace(after, sides=_put(after.sides, side, known))
    if can_be(after):
        return after
    return next((repair for repair in _repairs(after, value) if can_be(repair)), state)


def _repairs(state: State, value: int) -> Iterator[State]:
    """The state with ever fewer earlier claims, until the shown card is possible."""
    guilty = guilty_claim(state, state.ply)
    yield replace(state, sides=unbound(state.sides, state.ply if guilty is None else guilty))
    sides = each_hand(state.sides, lambda hand: forget(hand, value))
    slots = tuple(Slot() if slot.lies and slot.value == value else slot for slot in state.slots)
    yield replace(state, sides=sides, slots=slots)
    yield replace(state, sides=unbound(sides), slots=slots)


def _shown(state: State, seat: int, value: int, guesses: Guesses) -> State:
    up = (*state.up, Up(value, seat_name(seat), state.ply))
    return replace(state, up=up, sides=_put(state.sides, seat % len(state.sides), guesses))


# Putting cards down


def put_back(state: State, card: Up, place: AskedPlace) -> State | None:
    """The table after a face-up card went face down to a place; None if another card is there."""
    at = state.up.index(card)
    up = state.up[:at] + state.up[at + 1 :]
    if place.slot is not None:
        if place.slot >= len(state.slots) or state.slots[place.slot].lies:
            return None
        taken = slot_name(place.slot)
        if taken != card.home:
            # The card whose place is taken can only go to the place that stays free.
            up = tuple(replace(other, home=card.home) if other.home == taken else other for other in up)
        return replace(state, up=up, slots=_put(state.slots, place.slot, Slot(True, card.value, card.ply)))
    seat = place.seat or 0
    side, member = seat % len(state.sides), seat // len(state.sides)
    guesses = tuple(
        (*guess[:member], take_back(guess[member], card.value), *guess[member + 1 :]) for guess in state.sides[side]
    )
    return replace(state, up=up, sides=_put(state.sides, side, guesses))


def crossed(state: State, one: int, other: int, cards: int) -> State:
    """The table after two players exchanged cards face down; for others than partners all knowledge is lost."""
    if partner_of(state, one) == other:
        side = side_of(state, one)
        guesses = state.sides[side]
        for _ in range(cards):
            guesses = swapped(guesses)
        return replace(state, sides=_put(state.sides, side, guesses), swaps=_put(state.swaps, side, Swap.DONE))
    sides = state.sides
    for seat in (one, other):
        side, member = seat % len(sides), seat // len(sides)
        blank = dealt_hand(held(state, seat))
        sides = _put(sides, side, tuple(dict.fromkeys((*g[:member], blank, *g[member + 1 :]) for g in sides[side])))
    return replace(state, sides=sides)


def slot_name(slot: int) -> str:
    """How a place of the centre is written: places count from 0 and print from c1."""
    return f"c{slot + 1}"


def _put(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    return (*items[:at], item, *items[at + 1 :])


def due(up: tuple[Up, ...]) -> Phase:
    """The phase that the face-up cards lead to."""
    if any(card.value != up[0].value for card in up[:COPIES]):
        return Phase.RETURN
    return Phase.CLAIM if len(up) >= COPIES else Phase.REVEAL


def homes(up: Iterable[Up]) -> tuple[str, ...]:
    """The places where some cards belong, each once."""
    return tuple(dict.fromkeys(card.home for card in up))


def consequence(state: State, value: int) -> tuple[str, str]:
    """The rule that says what follows a revealed card, and the sentence for it."""
    if not state.up:
        return "TR-1", "~then-second"
    if value != state.up[0].value:
        return "TR-4", "~then-back"
    return ("TR-4", "~then-third") if len(state.up) == 1 else ("TR-5", "~then-trio")
