"""dnp on the table: the players' sets, fanned, and the discard pile."""

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
SHOWN_BY_OWNER: tuple[str, ...] = ()
TAKEN_BY_ACTOR: tuple[str, ...] = ("take",)
HANDLED_UNSEEN: tuple[str, ...] = ()
STAR_COST, REDEAL_COST = 1.1, 1.5
"""A player names the star card; the players agree to deal anew. All costs here are negative log probabilities."""
FLIP_COST = (2.4, 1.8, 1.3, 0.4)
"""A player flips the hand, by the number of turns before without a card played or added; flips come in series."""
UNSEEN_PLAY_COST = (2.7, 3.0, 4.2, 5.9)
"""A set of 1, 2, 3 or 4 cards was played and gone again before a table was observed."""
UNSEEN = "unseen"
"""The word for a card of such a set: it matches no card and no back."""


def layout(deck: Deck, state: State) -> Layout:
    """The layout of a state; with two players each has two areas."""
    left = sum(len(dead.cards) for dead in state.dead if dead.fate is Fate.LEFT)
    pile = Place("discard", "discard", (HIDDEN,) * (len(state.discarded) - left), Spread.PILE)
    if not pile.cards and (left or state.phase is Phase.STAR):
        # Leftover sets are discarded soon; the pile of the previous round may stay until all cards are gathered.
        pile = Place("discard", "discard", (), instead=((HIDDEN,), (HIDDEN, HIDDEN)))
    places = [pile]
    for seat, player in enumerate(state.players):
        for area, cards in enumerate(player.areas):
            places.append(_area(state, seat, area, cards))
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """Every card with these two values; it is turned if its second value is the active one."""
    found = []
    for card in deck.of("card"):
        pair = f"{card.number('a')}/{card.number('b')}"
        if pair in (word, flipped(word)):
            found.append(Face(card.code, pair != word))
    return tuple(found)


def _area(state: State, seat: int, area: int, cards: CardSet) -> Place:
    """One area with its set, and with the cards that no longer count or may still be there."""
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
    """Naming the star card, flipping a hand, an unseen play, and a new deal by agreement."""
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
    """The move with its area, which is visible whether it was named or not."""
    return str(replace(move, target=None) if move.verb == "play" else move)
