"""War on the table: a stack, turned cards and won cards in front of everybody, and what is set aside."""

from collections.abc import Iterator

from models.cards import Deck
from referee.layout import Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedTable

from .state import State

WAY_MATTERS = False
DECLARED: tuple[str, ...] = ()
SHOWN_BY_OWNER: tuple[str, ...] = ()
TAKEN_BY_ACTOR: tuple[str, ...] = ("take",)
HANDLED_UNSEEN: tuple[str, ...] = ()


def layout(deck: Deck, state: State) -> Layout:
    """The layout of a state."""
    places = [Place("aside", "aside", (HIDDEN,) * state.aside, Spread.PILE)]
    for seat, up in enumerate(state.up):
        zone = seat_name(seat)
        places += [
            Place(zone, "stack", (HIDDEN,) * state.stacks[seat], Spread.PILE),
            Place(zone, "shown", up, Spread.STACK),
            Place(zone, "pile", (HIDDEN,) * state.won[seat], Spread.PILE),
        ]
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """A word is the code of its card."""
    return (Face(word),)


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """A turn for every new card in front of a player, and a take if turned cards are gone."""
    gone = False
    for seat, up in enumerate(state.up):
        shown = seen.get((seat_name(seat), "shown"), ())
        if len(shown) > len(up):
            yield from (Move(seat, "turn", (code,)) for code in shown[len(up)].likely() or (HIDDEN,))
        gone = gone or len(shown) < len(up) or (bool(up) and bool(shown) and up[0] not in shown[0].likely())
    if gone:
        yield from (Move(seat, "take") for seat in range(len(state.up)))
        yield Move(None, "clear")


def follows(state: State) -> Move | None:
    """No forced moves."""
    return None


def unseen(state: State) -> Iterator[tuple[Move, float]]:
    """No moves: every act is visible."""
    yield from ()


def public(deck: Deck, move: Move) -> str:
    """The whole move: everything about it is visible."""
    return str(move)
