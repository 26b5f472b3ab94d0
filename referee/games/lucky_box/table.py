"""Lucky Box on the table: box cards with their crosses, tokens, number cards in a row, the decks and discards."""

from collections.abc import Iterator

from models.cards import Deck
from referee.games.lucky_box.proposals import follows, propose
from referee.games.lucky_box.state import Phase, State, face_code, hidden
from referee.layout import Counter, Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, Move, seat_name

__all__ = ["WAY_MATTERS", "crosses", "faces", "follows", "layout", "propose"]

WAY_MATTERS = False
DECLARED: tuple[str, ...] = ()
SHOWN_BY_OWNER: tuple[str, ...] = ()
TAKEN_BY_ACTOR: tuple[str, ...] = ()
HANDLED_UNSEEN: tuple[str, ...] = ()
NUMBER_CARDS = 9
"""Number cards of a round; the same number is aside, unseen."""


def layout(deck: Deck, state: State) -> Layout:
    """The layout of a state, including marker crosses. Number cards are gathered when the ninth turn is over."""
    dealt = state.phase is Phase.PLAY
    waiting = NUMBER_CARDS - len(state.numbers) if dealt else 0
    places = [
        Place("pile", "boxes", (HIDDEN,) * state.deck, Spread.PILE, "box"),
        # Cards that were discarded unread are there too, but their faces are unknown.
        Place("discard", "discard", tuple(name for name in state.discard if name != HIDDEN), Spread.PAIR, "box"),
        Place("aside", "numbers", (HIDDEN,) * (NUMBER_CARDS if dealt else 2 * NUMBER_CARDS), Spread.PILE, "number"),
        Place("centre", "waiting", (HIDDEN,) * waiting, Spread.PILE, "number"),
        Place("centre", "numbers", state.numbers if dealt else ()),
    ]
    counters = []
    for seat, player in enumerate(state.players):
        zone = seat_name(seat)
        names = tuple(face_code(box.name) for box in player.boxes)
        marks = tuple(crosses(box.crossed) for box in player.boxes)
        # The owner orders box cards freely: a new one may fill the gap of a wiped one.
        places.append(Place(zone, "boxes", names, Spread.FAN, marks=marks))
        drawn = (HIDDEN,) * hidden(player)
        # A player who looks at drawn cards has them in the hand.
        places.append(Place(zone, "drawn", drawn, Spread.FAN, "box", instead=((),) if drawn else ()))
        counters.append(Counter("lightning", zone, zone, "tokens", player.lightning))
        counters.append(Counter("moon", zone, zone, "tokens", player.moons))
    return laid_out(places, [counter for counter in counters if counter.count])


def crosses(crossed: int) -> tuple[str, ...]:
    """The crossed cells of a card, as r1c2."""
    return tuple(f"r{cell // 3 + 1}c{cell % 3 + 1}" for cell in range(9) if crossed >> cell & 1)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """A word is the code of its card; a second copy looks like the first."""
    return (Face(face_code(word)),)


def unseen(state: State) -> Iterator[tuple[Move, float]]:
    """No moves: every act is visible."""
    yield from ()


def public(deck: Deck, move: Move) -> str:
    """The whole move: everything about it is visible."""
    return str(move)
