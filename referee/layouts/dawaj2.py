"""Dawaj 2 on the table: the draw pile, and in front of everybody the two growing stacks and what is in transit."""

from models.cards import Deck
from referee.layout import Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, seat_name
from referee.states.dawaj2 import State, Step


def layout(deck: Deck, state: State) -> Layout:
    """What lies where."""
    places = [Place("pile", "draw", (HIDDEN,) * state.pile, Spread.PILE)]
    for seat, player in enumerate(state.players):
        zone = seat_name(seat)
        # A pair that is laid lies face down on the stacks, where it will be turned.
        laid = (HIDDEN,) if player.step is Step.LAID else ()
        places += [
            Place(zone, "tens", player.tens + laid, Spread.STACK),
            Place(zone, "units", player.units + laid, Spread.STACK),
            Place(zone, "tray", (HIDDEN,) * player.tray, Spread.STACK),
            Place(zone, "shown", player.shown, Spread.STACK),
        ]
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """A word is the code of its card."""
    return (Face(word),)
