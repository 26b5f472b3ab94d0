"""dnp on the table: everybody's sets, fanned, and the discard pile."""

from models.cards import Deck
from referee.layout import Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, seat_name
from referee.states.dnp import State, flipped


def layout(deck: Deck, state: State) -> Layout:
    """What lies where; with two players each has two areas."""
    places = [Place("discard", "discard", (HIDDEN,) * len(state.discarded), Spread.PILE)]
    for seat, player in enumerate(state.players):
        for number, cards in enumerate(player.areas):
            spot = f"set{number + 1}" if len(player.areas) > 1 else "set"
            places.append(Place(seat_name(seat), spot, cards, Spread.FAN))
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """Every card with these two values; it lies turned if its second value is the active one."""
    found = []
    for card in deck.of("card"):
        pair = f"{card.number('a')}/{card.number('b')}"
        if pair in (word, flipped(word)):
            found.append(Face(card.code, pair != word))
    return tuple(found)
