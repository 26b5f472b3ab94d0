"""Kto drugi on the table: owners' colour cards, the cards of the round, the piles, the figures on the track."""

from collections.abc import Iterator

from models.cards import Deck
from referee.games.kto_drugi.proposals import proposals
from referee.games.kto_drugi.state import ROUNDS, START, Phase, State, is_leon
from referee.layout import Counter, Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedTable

WAY_MATTERS = False
DECLARED: tuple[str, ...] = ()
SHOWN_BY_OWNER: tuple[str, ...] = ()
TAKEN_BY_ACTOR: tuple[str, ...] = ()
HANDLED_UNSEEN: tuple[str, ...] = ()


def layout(deck: Deck, state: State) -> Layout:
    """The layout of a state; the colours of the deck are assigned in the order of the seats."""
    colours = deck.of("colour")
    places = [
        Place("pile", "stock", (HIDDEN,) * state.stock, Spread.PILE, "race"),
        Place("discard", "aside", (HIDDEN,) * state.aside, Spread.PILE, "race"),
    ]
    counters = []
    for seat, chair in enumerate(state.chairs):
        zone = seat_name(seat)
        places.append(Place(zone, "colour", (colours[seat].code,)))
        places.append(Place(zone, "laid", (*chair.up, *(HIDDEN,) * chair.before), Spread.FAN, "race"))
        if is_leon(state, seat):
            places.append(Place(zone, "stack", (HIDDEN,) * chair.hand, Spread.PILE, "race"))
        # After the last round figures go back to the start, often before anybody clears the cards away.
        back = str(START) if state.phase is Phase.CLEAR and state.round == ROUNDS else ""
        counters.append(Counter("figure", zone, "track", str(chair.position), instead=back))
    return laid_out(places, counters)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """The card of a code, or all cards of a value that is written alone."""
    exact = tuple(Face(card.code) for card in deck.cards if card.code == word)
    return exact or tuple(Face(card.code) for card in deck.of("race") if f"{card.number('value'):+d}" == word)


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Moves that may explain the cards in front of the players and the figures."""
    return proposals(deck, state, seen)


def follows(state: State) -> Move | None:
    """No moves: dealing is part of clearing the table, and everything else is visible."""
    return None


def unseen(state: State) -> Iterator[tuple[Move, float]]:
    """No moves: every act is visible."""
    yield from ()


def public(deck: Deck, move: Move) -> str:
    """The move without the player of a face-down card and without the copy of a value."""
    if move.verb == "lay":
        return f"lay @ {move.target}"
    values = {card.code: f"{card.number('value'):+d}" for card in deck.of("race")}
    known = sorted(values.get(word, word) for word in move.cards)
    return str(Move(move.seat if move.verb == "turn" else None, move.verb, tuple(known), move.target, move.counts))
