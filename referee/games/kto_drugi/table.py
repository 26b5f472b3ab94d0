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
FROM_HAND: tuple[str, ...] = ()
SHOWN_BY_OWNER: tuple[str, ...] = ()
TAKEN_BY_ACTOR: tuple[str, ...] = ()
HANDLED_UNSEEN: tuple[str, ...] = ()


def layout(deck: Deck, state: State) -> Layout:
    """What lies where; seat by seat the colours of the deck are given out."""
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
    """The card of that code, or every card of a value that was written alone."""
    exact = tuple(Face(card.code) for card in deck.cards if card.code == word)
    return exact or tuple(Face(card.code) for card in deck.of("race") if f"{card.number('value'):+d}" == word)


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """What the cards in front of everybody and the figures may come from."""
    return proposals(deck, state, seen)


def follows(state: State) -> Move | None:
    """Nothing happens unseen: dealing belongs to clearing the table, and everything else lies there."""
    return None


def unseen(state: State) -> Iterator[tuple[Move, float]]:
    """Nothing: whoever acts leaves a trace."""
    yield from ()


def public(deck: Deck, move: Move) -> str:
    """Nobody knows who laid a card face down, nor which copy of a value lies there."""
    if move.verb == "lay":
        return f"lay @ {move.target}"
    values = {card.code: f"{card.number('value'):+d}" for card in deck.of("race")}
    known = sorted(values.get(word, word) for word in move.cards)
    return str(Move(move.seat if move.verb == "turn" else None, move.verb, tuple(known), move.target, move.counts))
