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
SHOWN_BY_OWNER: tuple[str, ...] = ("reveal",)
TAKEN_BY_ACTOR: tuple[str, ...] = ("claim",)
HANDLED_UNSEEN: tuple[str, ...] = ("pass",)
PASS_COST, PASS_TURN_COST, SWAP_COST, AGAIN_COST = 3.5, 7.0, 3.5, 1.0
"""An unseen card, an unseen turn, an unseen exchange, and a card shown again at once: negative log probabilities."""
UNSEEN: tuple[str, ...] = ("end",)
"""Verbs of illegal plays that are only spoken and move nothing; other plays are visible if they change the layout."""


def layout(deck: Deck, state: State) -> Layout:
    """The layout of a state; a revealed centre card stays in its place, face up."""
    up = {card.home: str(card.value) for card in state.up}
    places = []
    for number, slot in enumerate(state.slots):
        home = slot_name(number)
        cards = (up[home],) if home in up else (HIDDEN,) if slot.lies else ()
        places.append(Place("centre", home, cards))
    for seat, trios in enumerate(state.trios):
        zone = seat_name(seat)
        shown = tuple(str(card.value) for card in state.up if card.home == zone)
        # Exchanged cards stay face down in front of the partners until the next card is revealed.
        swapped = (HIDDEN,) if state.swaps[side_of(state, seat)] is Swap.DONE else ()
        places.append(Place(zone, "shown", shown + swapped))
        places.append(Place(zone, "trios", tuple(str(number) for number in trios for _ in range(3)), Spread.FAN))
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """The card with this number."""
    return tuple(Face(card.code) for card in deck.cards if str(card.number("number")) == word)


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Moves that may explain the faces, backs and gaps in the centre, the shown cards and new trios."""
    return TableReader(deck, state, seen).moves()


def follows(state: State) -> Move | None:
    """No forced moves."""
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
                # The reverse of a visible exchange, which costs less.
                yield Move(other, "swap", (HIDDEN,), seat_name(one)), SWAP_COST
    elif state.phase is Phase.RETURN and len(state.up) == 1:
        last = state.up[0]
        yield Move(state.turn, "return", (str(last.value),), last.home), AGAIN_COST


def public(deck: Deck, move: Move) -> str:
    """The move without the end of a hand, the hand that takes a card back, and the partner who began a swap."""
    if move.verb == "swap" and move.seat is not None and move.target:
        one, other = sorted((seat_name(move.seat), move.target))
        return f"{one} swap @ {other}"
    target = (move.target or "").removesuffix(".low").removesuffix(".high")
    hand = move.verb == "return" and target.startswith("P")
    return str(replace(move, target="P" if hand else target or None))
