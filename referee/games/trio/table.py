"""Trio on the table: the centre with its fixed places, revealed cards in front of their owners, and won trios."""

from collections.abc import Iterator
from dataclasses import replace

from models.cards import Deck
from referee.games.trio.proposals import TableReader
from referee.games.trio.state import Phase, State, Swap, held, members, side_of, slot_name
from referee.layout import Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedTable

WAY_MATTERS = False
DECLARED: tuple[str, ...] = ()
FROM_HAND: tuple[str, ...] = ()
SHOWN_BY_OWNER: tuple[str, ...] = ("reveal",)
TAKEN_BY_ACTOR: tuple[str, ...] = ("claim",)
HANDLED_UNSEEN: tuple[str, ...] = ("pass",)
PASS_COST, PASS_TURN_COST, SWAP_COST, AGAIN_COST = 3.5, 7.0, 3.5, 1.0
"""What it costs a history that a card, a whole turn or an exchange was not seen, or that a card is shown again at
once: -log of how often that happens."""
UNSEEN: tuple[str, ...] = ("end",)
"""The verbs of wrong plays that are only said and move nothing; of all others the layout tells whether they show."""


def layout(deck: Deck, state: State) -> Layout:
    """What lies where; a revealed centre card stays in its place, face up."""
    up = {card.home: str(card.value) for card in state.up}
    places = []
    for number, slot in enumerate(state.slots):
        home = slot_name(number)
        cards = (up[home],) if home in up else (HIDDEN,) if slot.lies else ()
        places.append(Place("centre", home, cards))
    for seat, trios in enumerate(state.trios):
        zone = seat_name(seat)
        shown = tuple(str(card.value) for card in state.up if card.home == zone)
        # What partners exchange lies face down in front of them until the next card is revealed.
        swapped = (HIDDEN,) if state.swaps[side_of(state, seat)] is Swap.DONE else ()
        places.append(Place(zone, "shown", shown + swapped))
        places.append(Place(zone, "trios", tuple(str(number) for number in trios for _ in range(3)), Spread.FAN))
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """The card with this number."""
    return tuple(Face(card.code) for card in deck.cards if str(card.number("number")) == word)


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """What faces, backs and gaps in the centre, shown cards and new trios may come from."""
    return TableReader(deck, state, seen).moves()


def follows(state: State) -> Move | None:
    """Nothing happens by itself."""
    return None


def unseen(state: State) -> Iterator[tuple[Move, float]]:
    """A card that did not match and went back before anybody looked, a whole turn of that kind, an exchange between
    two tables, or a last card that went back and was shown again at once.
    """
    if state.phase is Phase.REVEAL:
        yield Move(state.turn, "pass"), PASS_COST if state.up else PASS_TURN_COST
        for side, swap in enumerate(state.swaps):
            one, other = members(state, side)[0], members(state, side)[-1]
            if swap is Swap.OPEN and held(state, one) and held(state, other):
                # The other way round than one that is seen, which costs less.
                yield Move(other, "swap", (HIDDEN,), seat_name(one)), SWAP_COST
    elif state.phase is Phase.RETURN and len(state.up) == 1:
        last = state.up[0]
        yield Move(state.turn, "return", (str(last.value),), last.home), AGAIN_COST


def public(deck: Deck, move: Move) -> str:
    """Nobody knows which end of a hand was meant, whose hand takes a card back, or which partner began a swap."""
    if move.verb == "swap" and move.seat is not None and move.target:
        one, other = sorted((seat_name(move.seat), move.target))
        return f"{one} swap @ {other}"
    target = (move.target or "").removesuffix(".low").removesuffix(".high")
    hand = move.verb == "return" and target.startswith("P")
    return str(replace(move, target="P" if hand else target or None))
