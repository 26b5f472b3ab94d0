"""dnp on the table: everybody's sets, fanned, and the discard pile."""

from collections.abc import Iterator
from dataclasses import replace

from models.cards import Deck
from referee.games.dnp.proposals import follows, propose, spot_name
from referee.games.dnp.state import CardSet, Fate, Phase, State, flipped, is_duel, place_name, redeal_due
from referee.layout import Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, Move, seat_name

__all__ = ["WAY_MATTERS", "faces", "follows", "layout", "propose"]

WAY_MATTERS = True
DECLARED: tuple[str, ...] = ("star", "flip", "redeal")
FROM_HAND: tuple[str, ...] = ("play",)
SHOWN_BY_OWNER: tuple[str, ...] = ()
TAKEN_BY_ACTOR: tuple[str, ...] = ("take",)
HANDLED_UNSEEN: tuple[str, ...] = ()
STAR_COST, REDEAL_COST = 1.1, 1.5
FLIP_COST = (2.4, 1.8, 1.3, 0.4)
"""After so many turns in which nobody played or added a card: who cannot play mostly sits beside others who cannot."""
UNSEEN_PLAY_COST = (2.7, 3.0, 4.2, 5.9)
"""A set of 1, 2, 3 or 4 cards that went away again before anybody looked. Each is -log of how often people do so."""
UNSEEN = "unseen"
"""A card of such a set, face up: it is like no card and no back."""


def layout(deck: Deck, state: State) -> Layout:
    """What lies where; with two players each has two areas."""
    left = sum(len(dead.cards) for dead in state.dead if dead.fate is Fate.LEFT)
    pile = Place("discard", "discard", (HIDDEN,) * (len(state.discarded) - left), Spread.PILE)
    if not pile.cards and (left or state.phase is Phase.STAR):
        # What is left is discarded soon; and of the round before the pile may lie there until all is gathered.
        pile = Place("discard", "discard", (), instead=((HIDDEN,), (HIDDEN, HIDDEN)))
    places = [pile]
    for seat, player in enumerate(state.players):
        for area, cards in enumerate(player.areas):
            places.append(_area(state, seat, area, cards))
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """Every card with these two values; it lies turned if its second value is the active one."""
    found = []
    for card in deck.of("card"):
        pair = f"{card.number('a')}/{card.number('b')}"
        if pair in (word, flipped(word)):
            found.append(Face(card.code, pair != word))
    return tuple(found)


def _area(state: State, seat: int, area: int, cards: CardSet) -> Place:
    """One area with its set, and with what lies there and counts for nothing, or may lie there."""
    dead: dict[Fate, CardSet] = {}
    for one in state.dead:
        if (one.seat, one.area) == (seat, area):
            dead[one.fate] = dead.get(one.fate, ()) + one.cards
    there = dead.get(Fate.LEFT, ()) + cards + dead.get(Fate.STRAY, ())
    instead = [cards] if there != cards else []
    if Fate.LEAVING in dead:
        instead.append(dead[Fate.LEAVING] + cards)
    ways = [tuple(UNSEEN if card == HIDDEN else card for card in way) for way in (there, *instead)]
    return Place(seat_name(seat), spot_name(state, area), ways[0], Spread.FAN, instead=tuple(ways[1:]))


def unseen(state: State) -> Iterator[tuple[Move, float]]:
    """Who names the star card, who flips a hand, a play that nobody saw, and a new deal that all agree to."""
    if state.phase is Phase.STAR:
        yield from ((Move(seat, "star"), STAR_COST) for seat in range(len(state.players)))
    elif state.phase is Phase.TURNS:
        if not state.players[state.turn].areas[state.area]:
            yield Move(state.turn, "flip"), FLIP_COST[min(state.quiet, len(FLIP_COST) - 1)]
            place = place_name(state, state.turn, state.area) if is_duel(state) else None
            for size, cost in enumerate(UNSEEN_PLAY_COST[: state.players[state.turn].hand], 1):
                yield Move(state.turn, "play", (HIDDEN,) * size, place), cost
        if redeal_due(state):
            yield Move(None, "redeal"), REDEAL_COST


def public(deck: Deck, move: Move) -> str:
    """The area of a set is seen whether it was named or not."""
    return str(replace(move, target=None) if move.verb == "play" else move)
