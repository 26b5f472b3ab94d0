"""Trio on the table: the centre with its fixed places, revealed cards in front of their owners, and won trios."""

from models.cards import Deck
from referee.layout import Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, seat_name
from referee.states.trio import State, slot_name


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
        places.append(Place(zone, "shown", shown))
        places.append(Place(zone, "trios", tuple(str(number) for number in trios for _ in range(3)), Spread.FAN))
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """A word is the code of its card."""
    return (Face(word),)
