"""The public state of a game of Lucky Box, and queries on it.

The game goes to and fro between two phases. In CARDS everybody, at their own pace, writes down and wipes what was
completed, draws box cards unseen, keeps some face up and discards the rest face up. In PLAY nine number cards are
turned, and after each one everybody marks or skips. Hidden are only the deck and the cards drawn but not yet shown.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from operator import add

from referee.verdicts import Outcome, Reason, because

ROUNDS = 4
TURNS = 9
FIRST_DRAW, FIRST_KEEP = 5, 3
LATER_DRAW, LATER_KEEP = 3, 1
SECOND = "'"
"""Marks the second copy of a card in front of the same player."""
FULL = 0b111_111_111
"""All nine cells crossed; cell 0 is the top left one, reading order."""
WORTH = (15, 12, 10, 8)
"""What a completed card is worth in rounds 1 to 4."""
STAR_POINTS = (0, 1, 4, 9)
MOST_STARS = 3
MOON_POINTS = 6
SOLO_MOONS = (-6, -2, 0, 1, 3, 6, 10)
SOLO_LEVELS = (45, 50, 55, 60, 65, 70)
"""The totals at which the second to the seventh level begin."""

Split = tuple[int, ...]
"""How many of a player's hidden cards come from each deck of this drawing, the oldest deck first."""


class Phase(StrEnum):
    """Getting ready, the nine turns, and the end."""

    CARDS = "cards"
    PLAY = "play"
    OVER = "over"


class PlayerStep(StrEnum):
    """The next step of a player."""

    SCORE = "score"
    WIPE = "wipe"
    DRAW = "draw"
    KEEP = "keep"
    DISCARD = "discard"
    MARK = "mark"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Box:
    """A box card in front of a player, with its crossed cells as bits."""

    name: str
    """Its number; a second copy in front of the same player is called 49'."""
    crossed: int = 0


@dataclass(frozen=True, slots=True)
class Player:
    """The public information about a player."""

    boxes: tuple[Box, ...] = ()
    lightning: int = 4
    moons: int = 0
    stars: tuple[int, ...] = (0, 0, 0, 0)
    points: tuple[int, ...] = (0, 0, 0, 0)
    """Points written down for completed cards, by round."""
    step: PlayerStep = PlayerStep.DRAW
    owed: int = FIRST_DRAW
    """Cards still to draw."""
    splits: tuple[Split, ...] = ((0,),)
    """Every way the hidden cards can be split over the decks; only two copies of a card leave a doubt."""


@dataclass(frozen=True, slots=True)
class State:
    """The public state of a game of Lucky Box."""

    ply: int
    round: int
    """0 before the first round; in CARDS the round that was just played."""
    phase: Phase
    deck: int
    discard: tuple[str, ...]
    numbers: tuple[str, ...]
    """The number cards turned this round."""
    players: tuple[Player, ...]
    unseen: tuple[int, ...]
    """Number of hidden copies of each box card, in the deck or in hands, in deck order."""
    pools: tuple[tuple[int, ...], ...]
    """For each deck of this drawing, the oldest first: how many unseen copies of each card can be from it."""


def hidden(player: Player) -> int:
    """Cards a player has drawn and not yet shown."""
    return sum(player.splits[0])


def completed(player: Player) -> tuple[str, ...]:
    """The cards a player has crossed off wholly."""
    return tuple(box.name for box in player.boxes if box.crossed == FULL)


def seats_at(state: State, *steps: PlayerStep) -> tuple[int, ...]:
    """The seats at one of these steps."""
    return tuple(seat for seat, player in enumerate(state.players) if player.step in steps)


def to_keep(state: State, player: Player) -> int:
    """Number of drawn cards that a player keeps."""
    return min(hidden(player), LATER_KEEP if state.round else FIRST_KEEP)


def reshuffle_due(state: State) -> bool:
    """Somebody must draw, the deck is empty, and there are discards to make a new one of."""
    return (
        state.phase is Phase.CARDS
        and not state.deck
        and bool(state.discard)
        and any(player.owed for player in state.players)
    )


def _dried_up(state: State) -> bool:
    """Somebody must draw, and neither the deck nor anybody's coming discards can give a card."""
    return (
        not state.deck
        and not state.discard
        and any(player.step is PlayerStep.DRAW for player in state.players)
        and all(player.step in (PlayerStep.DRAW, PlayerStep.READY) for player in state.players)
    )


def face_code(name: str) -> str:
    """The printed number of a card that is called by `name` in front of a player."""
    return name.removesuffix(SECOND)


def free_name(boxes: tuple[Box, ...], code: str) -> str:
    """The name of a card that a player adds to these."""
    return code + SECOND if any(box.name == code for box in boxes) else code


# Changes of the state


def set_player(state: State, seat: int, player: Player) -> State:
    """The table after a player did something."""
    s, players = state, (*state.players[:seat], player, *state.players[seat + 1 :])
    # This is the hot path: naming the fields is several times quicker than replace.
    after = State(s.ply + 1, s.round, s.phase, s.deck, s.discard, s.numbers, players, s.unseen, s.pools)
    return _advance(after)


def draw(state: State, seat: int, wanted: int) -> State:
    """Draw cards, as many as there are; nothing for who has shown some already, or in the last round."""
    player = state.players[seat]
    cards = min(wanted, state.deck)
    if not cards or state.round == ROUNDS or player.step in (PlayerStep.DISCARD, PlayerStep.READY):
        return state
    splits = tuple((*split[:-1], split[-1] + cards) for split in player.splits)
    drawn = replace(player, owed=max(0, player.owed - cards), splits=splits)
    if player.step is PlayerStep.DRAW:
        drawn = replace(drawn, step=_after_wiping(drawn))
    return set_player(replace(state, deck=state.deck - cards), seat, drawn)


def wipe(state: State, seat: int, names: tuple[str, ...]) -> State:
    """Wipe a player's cards and put them face up on the discard pile."""
    player = state.players[seat]
    gone = tuple(face_code(box.name) for box in player.boxes if box.name in names)
    if not gone:
        return state
    left = replace(player, boxes=tuple(box for box in player.boxes if box.name not in names))
    step = PlayerStep.WIPE if completed(left) else _after_wiping(left)
    return set_player(replace(state, discard=state.discard + gone), seat, replace(left, step=step))


def reshuffle(state: State, codes: tuple[str, ...]) -> State:
    """The discards become the deck (of these cards). What is left of the old one, if anything, is shuffled in."""
    if state.phase is not Phase.CARDS or not state.discard:
        return state
    up = Counter(state.discard)
    fresh = tuple(up[code] for code in codes)
    # Cards that were discarded unread may be any hidden cards.
    old = state.unseen if up.total() > sum(fresh) else state.pools[-1] if state.deck else (0,) * len(fresh)
    return replace(
        state,
        ply=state.ply + 1,
        deck=state.deck + len(state.discard),
        discard=(),
        players=tuple(replace(p, splits=tuple((*split, 0) for split in p.splits)) for p in state.players),
        unseen=tuple(map(add, state.unseen, fresh)),
        pools=(*state.pools, tuple(map(add, old, fresh))),
    )


def _after_wiping(player: Player) -> PlayerStep:
    if player.owed:
        return PlayerStep.DRAW
    return PlayerStep.KEEP if hidden(player) else PlayerStep.READY


def _advance(state: State) -> State:
    """Go on when everybody is done: to the end of the round, to the next one, or to the end of the game."""
    if state.phase is Phase.PLAY:
        done = len(state.numbers) == TURNS and not seats_at(state, PlayerStep.MARK)
        return _end_round(state) if done else state
    if _dried_up(state):
        dry = (replace(player, owed=0) for player in state.players)
        state = replace(state, players=tuple(replace(player, step=_after_wiping(player)) for player in dry))
    if any(player.step is not PlayerStep.READY for player in state.players):
        return state
    if state.round == ROUNDS:
        return replace(state, phase=Phase.OVER)
    # All hidden cards are in the one deck again.
    players = tuple(replace(player, splits=((0,),)) for player in state.players)
    round_ = state.round + 1
    return replace(state, round=round_, phase=Phase.PLAY, numbers=(), players=players, pools=(state.unseen,))


def _end_round(state: State) -> State:
    owed = LATER_DRAW if state.round < ROUNDS else 0
    waiting = (replace(player, owed=owed) for player in state.players)
    players = (replace(p, step=PlayerStep.SCORE if completed(p) else _after_wiping(p)) for p in waiting)
    return _advance(replace(state, phase=Phase.CARDS, players=tuple(players)))


# Hidden cards


def remaining(
    splits: tuple[Split, ...], pools: tuple[tuple[int, ...], ...], unseen: tuple[int, ...], shown: tuple[int, ...]
) -> tuple[Split, ...]:
    """How the rest of a hand can be split when the cards `shown` leave it; empty if they cannot be in it.

    With one copy of every card this is exact: every unseen card is of one deck, and each deck has as many unseen
    cards as places for them. With two copies a pool is the most that can be there, so nobody is accused falsely.
    """
    left = set(splits)
    for card, copies in Counter(shown).items():
        if copies > unseen[card]:
            return ()
        left = {
            tuple(cards - taken for cards, taken in zip(split, takes, strict=True))
            for split in left
            for takes in product(*(range(min(cards, pool[card]) + 1) for cards, pool in zip(split, pools, strict=True)))
            if sum(takes) == copies
        }
    return tuple(sorted(left))


def handfuls(
    splits: tuple[Split, ...], pools: tuple[tuple[int, ...], ...], unseen: tuple[int, ...], cards: int
) -> Iterator[tuple[int, ...]]:
    """Every `cards` cards (rising, as places in the deck list) that can be in a hand."""
    given = set()
    for split in splits:
        for takes in product(*(range(most + 1) for most in split)):
            if sum(takes) != cards:
                continue
            for drawn in _drawn(pools, takes):
                handful = tuple(sorted(drawn))
                if handful not in given and all(handful.count(card) <= unseen[card] for card in handful):
                    given.add(handful)
                    yield handful


def _drawn(pools: tuple[tuple[int, ...], ...], takes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to take `takes[i]` cards from deck i."""
    if not takes:
        yield ()
        return
    for others in _drawn(pools[1:], takes[1:]):
        for own in _choose(pools[0], takes[0], 0, ()):
            yield own + others


def _choose(pool: tuple[int, ...], cards: int, first: int, hand: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not cards:
        yield hand
        return
    for card in range(first, len(pool)):
        if hand.count(card) < pool[card]:
            yield from _choose(pool, cards - 1, card, (*hand, card))


# The sum


def star_points(stars: tuple[int, ...]) -> int:
    """Only the highest value of each round counts."""
    return sum(STAR_POINTS[count] for count in stars)


def cell_points(boxes: tuple[Box, ...]) -> int:
    """A point for every two crossed cells on unfinished cards, all taken together."""
    return sum(box.crossed.bit_count() for box in boxes if box.crossed != FULL) // 2


def moon_points(moons: tuple[int, ...]) -> tuple[int, ...]:
    """What the moons bring each player; alone, two and more players count differently."""
    if len(moons) == 1:
        return (SOLO_MOONS[min(moons[0], len(SOLO_MOONS) - 1)],)
    penalty = MOON_POINTS if len(moons) > 2 else 0
    most, fewest = max(moons), min(moons)
    return tuple(MOON_POINTS * (count == most) - penalty * (count == fewest) for count in moons)


def written(player: Player) -> int:
    """The points so far: completed cards and stars."""
    return sum(player.points) + star_points(player.stars)


def totals(players: tuple[Player, ...]) -> tuple[int, ...]:
    """Everybody's total at the end."""
    moons = moon_points(tuple(player.moons for player in players))
    return tuple(written(p) + cell_points(p.boxes) + extra for p, extra in zip(players, moons, strict=True))


def story(seat: int, player: Player) -> Reason:
    """A player's cards and tokens in a sentence."""
    cells = sum(box.crossed.bit_count() for box in player.boxes)
    cards, held = len(player.boxes), player.lightning
    return because("story", seat=seat, cards=cards, cells=cells, moons=player.moons, held=held)


def solo_level(total: int) -> int:
    """The level, 1 to 7, that a total of the solo game reaches."""
    return 1 + sum(total >= least for least in SOLO_LEVELS)


def rank(points: tuple[int, ...], moons: tuple[int, ...]) -> Outcome:
    """Winner and places: highest total, then more moons, then shared."""
    keys = sorted({(points[seat], moons[seat]) for seat in range(len(points))}, reverse=True)
    places = tuple(tuple(s for s in range(len(points)) if (points[s], moons[s]) == key) for key in keys)
    return Outcome(places[0], _why(points, moons, places), places)


def _why(points: tuple[int, ...], moons: tuple[int, ...], places: tuple[tuple[int, ...], ...]) -> Reason:
    first = places[0][0]
    if len(points) == 1:
        return because(f"solo-{solo_level(points[0])}", seat=first, points=points[0], moons=moons[0])
    if len(places[0]) > 1:
        return because("won-shared", seats=places[0], points=points[first], moons=moons[first])
    second = places[1][0]
    if points[second] == points[first]:
        return because("won-moons", seat=first, points=points[first], moons=moons[first], other=moons[second])
    return because("won-points", seat=first, points=points[first], other=points[second], moons=moons[first])
