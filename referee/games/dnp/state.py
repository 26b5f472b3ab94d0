"""The public state of a game of dnp, and queries on it.

A card is a word "8/1": its active value first, its dormant value behind. Everything that was ever on the table was
seen by all, so a card is in one of four places: unseen (in some hand since the deal, either way up), known (it went
back from the table into a certain hand, and which way up it is there), in an area in front of somebody, or on the
discard pile. A player has one area, in a duel two. Hands have exact counts; a hand has as many unseen cards as its
count exceeds its known ones. The player who names the star card at the start is believed (a Claim) until it is seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from referee.moves import HIDDEN, seat_name
from referee.verdicts import Outcome, because

FIRST_OUT, SECOND_OUT = 2, 1
"""Points for the first and the second empty hand of a round."""
GOAL, DUEL_GOAL = 4, 2
QUIET_LAPS = 3
"""Number of laps without a card played or added after which the players may agree to deal anew."""

CardSet = tuple[str, ...]
"""The cards of one set; empty if there is no set."""


class Phase(StrEnum):
    """Waiting for the holder of the star card, taking turns, and the end."""

    STAR = "star"
    TURNS = "turns"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Known:
    """A card that is publicly known to be in a hand, the way up it must be held, and the ply that brought it."""

    card: str
    ply: int


@dataclass(frozen=True, slots=True)
class Claim:
    """The seat that claimed the star card, and the ply; dropped once the card has been seen."""

    seat: int
    card: str
    ply: int


@dataclass(frozen=True, slots=True)
class Player:
    """The public information about a player."""

    hand: int
    areas: tuple[CardSet, ...]
    known: tuple[Known, ...] = ()
    out: bool = False
    """Whether this was the first empty hand of the round."""
    points: int = 0
    """Points; in a duel, rounds won."""


class Fate(StrEnum):
    """Why cards that may still be on the table no longer count."""

    LEAVING = "leaving"
    """They were beaten and will be taken away."""
    LEFT = "left"
    """They are still there: a set that is discarded or should have been, and the sets of the previous round."""
    STRAY = "stray"
    """They were laid, but make no set, or none with the set they were added to."""


@dataclass(frozen=True, slots=True)
class Dead:
    """Cards in an area that no longer count; forgotten at the next act."""

    seat: int
    area: int
    cards: CardSet
    fate: Fate


@dataclass(frozen=True, slots=True)
class State:
    """The public state of a game of dnp."""

    ply: int
    round: int
    phase: Phase
    players: tuple[Player, ...]
    unseen: tuple[str, ...]
    """Cards not seen since the deal, the lower value first."""
    discarded: tuple[str, ...] = ()
    turn: int = 0
    area: int = 0
    """The area of the turn: 0, in a duel 0 or 1."""
    claim: Claim | None = None
    last: int | None = None
    """The seat that acted last."""
    quiet: int = 0
    """Turns in a row without a card played or added."""
    dead: tuple[Dead, ...] = ()
    """Cards that the last act left on the table, legally or not; no rule depends on them."""


def value(card: str) -> int:
    """The active value of a card.

    >>> value("10/3")
    10
    """
    return int(card[: card.index("/")])


def set_value(cards: CardSet) -> int:
    """The active value of a set; 0 if none of its cards was seen.

    >>> set_value(("?", "4/6")), set_value(("?",))
    (4, 0)
    """
    return next((value(card) for card in cards if card != HIDDEN), 0)


def flipped(card: str) -> str:
    """The card the other way up.

    >>> flipped("8/1")
    '1/8'
    """
    active, _, dormant = card.partition("/")
    return f"{dormant}/{active}"


def printed(card: str) -> str:
    """The card without its orientation: the lower value first.

    >>> printed("8/1"), printed("1/8")
    ('1/8', '1/8')
    """
    if card == HIDDEN:
        return card
    active, _, dormant = card.partition("/")
    return card if int(active) < int(dormant) else f"{dormant}/{active}"


def one_value(cards: CardSet) -> bool:
    """Whether all cards that were seen show the same active value."""
    return len({value(card) for card in cards if card != HIDDEN}) <= 1


def called(cards: CardSet) -> str:
    """A set as people call it: value × size.

    >>> called(("6/1", "6/4", "6/7"))
    '6×3'
    """
    return f"{set_value(cards) or HIDDEN}×{len(cards)}"


def is_duel(state: State) -> bool:
    """Whether there are two players, with two areas each."""
    return len(state.players) == 2


def places(players: int) -> dict[str, tuple[int, int]]:
    """The areas by name: the seat and the index of the area."""
    if players > 2:
        return {seat_name(seat): (seat, 0) for seat in range(players)}
    return {f"{seat_name(seat)}.{area + 1}": (seat, area) for seat in range(2) for area in range(2)}


def place_name(state: State, seat: int, area: int) -> str:
    """The name of an area: P1, in a duel P1.1 or P1.2."""
    return f"{seat_name(seat)}.{area + 1}" if is_duel(state) else seat_name(seat)


def sets(state: State) -> Iterator[tuple[int, int, CardSet]]:
    """All sets on the table: the seat, the area and the cards."""
    for seat, player in enumerate(state.players):
        for area, lying in enumerate(player.areas):
            if lying:
                yield seat, area, lying


def rival(state: State, size: int, but: tuple[int, int] | None = None) -> tuple[int, CardSet] | None:
    """The set of a size on the table (there is at most one) and its owner; `but` is an area to ignore."""
    for seat, area, lying in sets(state):
        if len(lying) == size and (seat, area) != but:
            return seat, lying
    return None


def quiet_laps(state: State) -> int:
    """Full laps since the last card was played or added."""
    turns = sum(len(player.areas) for player in state.players if not player.out)
    return state.quiet // turns


def redeal_due(state: State) -> bool:
    """Whether the table may agree to deal this round anew."""
    return state.phase is Phase.TURNS and quiet_laps(state) >= QUIET_LAPS


def goal(state: State) -> int:
    """Points that win the game."""
    return DUEL_GOAL if is_duel(state) else GOAL


# Changes of sets and turns


def place(state: State, seat: int, area: int, cards: CardSet) -> State:
    """The state with these cards in an area, instead of its old ones."""
    player = state.players[seat]
    areas = (*player.areas[:area], cards, *player.areas[area + 1 :])
    return with_player(state, seat, replace(player, areas=areas))


def discard(state: State, seat: int, area: int) -> State:
    """The state after the set of an area went to the discard pile."""
    lying = state.players[seat].areas[area]
    return replace(place(state, seat, area, ()), discarded=state.discarded + lying) if lying else state


def pick_up(state: State, owner: int, area: int, seat: int) -> State:
    """The state after a set of `owner` went into the hand of `seat`, flipped; only seen cards are known."""
    lying = state.players[owner].areas[area]
    state = place(state, owner, area, ())
    player = state.players[seat]
    known = player.known + tuple(Known(flipped(card), state.ply) for card in lying if card != HIDDEN)
    return with_player(state, seat, replace(player, hand=player.hand + len(lying), known=known))


def beat(state: State, seat: int, area: int) -> State:
    """The state after every other set of the same size went back to its owner, or to the pile if he is out."""
    size = len(state.players[seat].areas[area])
    for owner, where, lying in tuple(sets(state)):
        if len(lying) == size and (owner, where) != (seat, area):
            gone = state.players[owner].out
            state = discard(state, owner, where) if gone else pick_up(state, owner, where, owner)
            state = with_dead(state, owner, where, lying, Fate.LEAVING)
    return state


def turn_hand(player: Player) -> Player:
    """The player after flipping the whole hand."""
    return replace(player, known=tuple(Known(flipped(held.card), held.ply) for held in player.known))


def end_turn(state: State, seat: int, quiet: int) -> State:
    """The state with the next turn after one of `seat`; the sets of players who are out are discarded in their turn."""
    turn, area = state.turn, state.area
    if seat == turn or seat != state.last:
        # An act out of turn that stands counts as the next turn of that player; those between are skipped.
        area = area + 1 if seat == turn else 1
        turn = seat
        if area == len(state.players[seat].areas):
            turn, area = (seat + 1) % len(state.players), 0
            while state.players[turn].out:
                state = with_dead(state, turn, 0, state.players[turn].areas[0], Fate.LEFT)
                state = discard(state, turn, 0)
                turn = (turn + 1) % len(state.players)
    return replace(state, ply=state.ply + 1, turn=turn, area=area, last=seat, quiet=quiet)


def with_player(state: State, seat: int, player: Player) -> State:
    """The state with one player changed."""
    return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))


def with_dead(state: State, seat: int, area: int, cards: CardSet, fate: Fate) -> State:
    """The state with cards that no longer count."""
    return replace(state, dead=(*state.dead, Dead(seat, area, cards, fate))) if cards else state


def rank(state: State) -> Outcome:
    """Winner and places by points."""
    order = sorted(range(len(state.players)), key=lambda seat: -state.players[seat].points)
    places: list[tuple[int, ...]] = []
    for seat in order:
        if places and state.players[places[-1][0]].points == state.players[seat].points:
            places[-1] += (seat,)
        else:
            places.append((seat,))
    key = "won-rounds" if is_duel(state) else "won-points"
    return Outcome(places[0], because(key, seat=order[0], points=state.players[order[0]].points), tuple(places))
