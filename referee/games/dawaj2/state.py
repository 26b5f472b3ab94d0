"""The public state of a game of Dawaj 2, and queries on it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from referee.verdicts import Outcome, because

DEALT = 9
KEPT_NUMBERS = 5

Run = tuple[str, int]
"""The colour group on top of a pile: its colour and its length, 1 to 3."""


class Phase(StrEnum):
    """The three phases of a round, and the end."""

    PASS = "pass"
    CREATE = "create"
    DRAW = "draw"
    OVER = "over"


class Progress(StrEnum):
    """The progress of a player within the phase."""

    NOTHING = "nothing"
    PASSED = "passed"
    LAID = "laid"
    TURNED = "turned"


@dataclass(frozen=True, slots=True)
class Exit:
    """When a player dropped out, and with what."""

    round: int
    phase: Phase
    hand: int
    number: int


@dataclass(frozen=True, slots=True)
class Player:
    """The public information about a player."""

    hand: int = DEALT
    tens: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    tens_run: Run = ("", 0)
    units_run: Run = ("", 0)
    tray: int = 0
    step: Progress = Progress.NOTHING
    spare: int = 0
    """Cards that were laid face down with the pair and should not have been."""
    awards: tuple[str, ...] = ()
    """The earnings of this round's number: highest, stars, double, pink-tens, green-units …"""
    owed: int = 0
    shown: tuple[str, ...] = ()
    exit: Exit | None = None


@dataclass(frozen=True, slots=True)
class State:
    """The public state of a game of Dawaj 2."""

    ply: int
    round: int
    phase: Phase
    pile: int
    players: tuple[Player, ...]
    seen: tuple[int, ...]
    """Number of face-up copies of each card, in deck order."""
    strict: bool


def left_of(state: State, seat: int) -> int:
    """The nearest player to the left (clockwise) who is still in."""
    players = len(state.players)
    for step in range(1, players):
        if state.players[(seat + step) % players].exit is None:
            return (seat + step) % players
    return seat


def held(player: Player) -> int:
    """Number of cards of a player, including those face down in front of him."""
    return player.hand + player.spare + (2 if player.step is Progress.LAID else 0)


def swaps(player: Player, cards: tuple[str, ...]) -> bool:
    """Whether these are the last tens and units of a player in reverse order; two equal cards are not."""
    if player.step is Progress.LAID or not player.tens:
        return False
    return cards == (player.units[-1], player.tens[-1]) and cards[0] != cards[1]


def unready(state: State) -> tuple[int, ...]:
    """The seats that have not laid a pair yet."""
    return tuple(s for s, p in enumerate(state.players) if p.exit is None and p.step is Progress.NOTHING)


def all_ready(state: State) -> bool:
    """Whether everybody has laid a pair, so that all may turn."""
    return not unready(state)


def extend_run(run: Run, colour: str) -> tuple[Run, bool]:
    """The colour group after one more card, and whether that card closes a group of three."""
    if run[0] != colour or run[1] == 3:
        return (colour, 1), False
    return (colour, run[1] + 1), run[1] == 2


def collectable(players: tuple[Player, ...]) -> int:
    """Number of cards that a reshuffle would return to the pile."""
    out = sum(p.hand + len(p.tens) + len(p.units) for p in players if p.exit is not None)
    return out + sum(2 * max(0, len(p.tens) - KEPT_NUMBERS) for p in players if p.exit is None)


def reshuffle_due(state: State) -> bool:
    """Somebody must draw and the pile is empty."""
    return state.phase is Phase.DRAW and not state.pile and any(player.owed for player in state.players)


def allot(state: State, players: tuple[Player, ...]) -> tuple[Player, ...]:
    """Cut the draws to the cards there are: one a lap, from the left of whoever made the highest number."""
    cards = state.pile + collectable(players)
    if sum(player.owed for player in players) <= cards:
        return players
    highest = next(seat for seat, player in enumerate(players) if "highest" in player.awards)
    given = [0] * len(players)
    lap = [(highest + step) % len(players) for step in range(1, len(players) + 1)]
    while cards and any(given[seat] < players[seat].owed for seat in lap):
        for seat in lap:
            if cards and given[seat] < players[seat].owed:
                given[seat] += 1
                cards -= 1
    return tuple(replace(player, owed=count) for player, count in zip(players, given, strict=True))


def rank(players: tuple[Player, ...]) -> Outcome:
    """Winner and places: last in first; of those who left together, most cards, then lowest last number."""
    phases = tuple(Phase)

    def key(seat: int) -> tuple[int, int, int, int]:
        gone = players[seat].exit
        return (-gone.round, -phases.index(gone.phase), -gone.hand, gone.number) if gone else (-(10**6), 0, 0, 0)

    order = sorted(range(len(players)), key=key)
    places: list[tuple[int, ...]] = []
    for seat in order:
        if places and key(places[-1][0]) == key(seat):
            places[-1] += (seat,)
        else:
            places.append((seat,))
    winners = places[0]
    gone = players[winners[0]].exit
    if gone is None:
        return Outcome(winners, because("won-last", seat=winners[0]), tuple(places))
    rivals = [seat for seat in order if key(seat)[:2] == key(winners[0])[:2] and seat not in winners]
    if len(winners) > 1:
        why = because("won-shared", seats=winners, cards=gone.hand, number=gone.number)
    elif any(key(seat)[2] == key(winners[0])[2] for seat in rivals):
        why = because("won-number", seat=winners[0], cards=gone.hand, number=gone.number)
    else:
        why = because("won-cards", seat=winners[0], cards=gone.hand)
    return Outcome(winners, why, tuple(places))


def hands_unable(digits: tuple[int, ...], left: tuple[int, ...], cards: int, before: int) -> Iterator[tuple[int, ...]]:
    """Every hand of `cards` cards (as rising card indices) whose best number is at most `before`.

    `digits[i]` is printed on card i, of which `left[i]` copies may still be in a hand.
    """

    def grow(first: int, hand: tuple[int, ...], high: int, second: int) -> Iterator[tuple[int, ...]]:
        if len(hand) == cards:
            yield hand
            return
        for card in range(first, len(digits)):
            if hand.count(card) >= left[card]:
                continue
            top, next_top = sorted((high, second, digits[card]), reverse=True)[:2]
            # One digit alone makes no number, so the second highest must be there before it counts.
            if next_top and 10 * top + next_top > before:
                continue
            yield from grow(card, (*hand, card), top, next_top)

    yield from grow(0, (), 0, 0)
