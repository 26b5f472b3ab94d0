"""dnp: what the referee thinks possible, against all hands there can be, one by one."""

from collections.abc import Iterator
from itertools import combinations, product
from random import Random

import pytest

from models.cards import Card, Deck
from referee.games.dnp.rules import GameRules
from referee.games.dnp.state import Phase, State, flipped, is_duel, place_name, printed, sets, value
from referee.moves import Move
from referee.verdicts import Ruling

Hand = tuple[str, ...]
World = tuple[Hand, ...]
"""All real hands, each card as it is held."""


def small_deck(*pairs: str) -> Deck:
    """A deck of so few cards that all deals can be tried."""
    cards = []
    for pair in dict.fromkeys(pairs):
        a, b = map(int, pair.split("/"))
        traits = (("a", a), ("b", b), ("group", "base"), ("star", pair == "1/5"))
        cards.append(Card(pair, pairs.count(pair), "card", traits))
    return Deck("dnp", "small", tuple(cards))


def deals(cards: Hand, sizes: list[int]) -> Iterator[World]:
    """Every way to deal the cards, each either way up."""
    if not sizes:
        yield ()
        return
    for chosen in set(combinations(cards, sizes[0])):
        rest = list(cards)
        for card in chosen:
            rest.remove(card)
        ways = {tuple(sorted(hand)) for hand in product(*((card, flipped(card)) for card in chosen))}
        for later in deals(tuple(rest), sizes[1:]):
            yield from ((hand, *later) for hand in ways)


def moves_of(state: State, hand: Hand) -> Iterator[Move]:
    """What may be done with this very hand, straight from the rulebook."""
    seat = state.turn
    if state.players[seat].areas[state.area]:
        yield Move(seat, "discard")
        return
    yield Move(seat, "flip")
    own = place_name(state, seat, state.area) if is_duel(state) else None
    for size in range(1, len(hand) + 1):
        for cards in combinations(hand, size):
            rivals = [value(lying[0]) for _, _, lying in sets(state) if len(lying) == size]
            if len({value(card) for card in cards}) == 1 and all(value(cards[0]) > other for other in rivals):
                yield Move(seat, "play", tuple(sorted(cards, key=lambda card: value(flipped(card)))), own)
    for owner, area, lying in sets(state):
        if owner != seat:
            yield Move(seat, "take", (), place_name(state, owner, area))
            rivals = [value(other[0]) for _, _, other in sets(state) if len(other) == len(lying) + 1]
            for card in hand:
                if value(card) == value(lying[0]) and all(value(card) > other for other in rivals):
                    yield Move(seat, "add", (card,), place_name(state, owner, area))


def follow(state: State, world: World, move: Move) -> World | None:
    """The hands after a move; None if these hands could not make it."""
    hands = [list(hand) for hand in world]
    seat = move.seat or 0
    if move.verb == "flip":
        hands[seat] = [flipped(card) for card in hands[seat]]
    for card in move.cards:
        if card not in hands[seat]:
            return None
        hands[seat].remove(card)
    aim = next((lying for owner, area, lying in sets(state) if place_name(state, owner, area) == move.target), ())
    if move.verb == "take":
        hands[seat] += [flipped(card) for card in aim]
    size = len(move.cards) + (len(aim) if move.verb == "add" else 0)
    for owner, _, lying in sets(state):
        if len(lying) == size and not state.players[owner].out:
            hands[owner] += [flipped(card) for card in lying]
    return tuple(tuple(sorted(hand)) for hand in hands)


def guesses(state: State, words: tuple[str, ...], rng: Random) -> Iterator[Move]:
    """Plays and additions of the player on turn, mostly impossible ones."""
    own = place_name(state, state.turn, state.area) if is_duel(state) else None
    for size in (1, 2, 3):
        for cards in combinations(words + words, size):
            if rng.random() < (0.1 if size == 3 else 1) and len({value(card) for card in cards}) == 1:
                yield Move(state.turn, "play", tuple(sorted(cards, key=lambda card: value(flipped(card)))), own)
    for card in words:
        for owner, area, _ in sets(state):
            yield Move(state.turn, "add", (card,), place_name(state, owner, area))


def choose(legal: set[Move], rng: Random) -> Move:
    """Any legal move; such as bring cards to the table and back more often, for they teach the most."""
    moves = sorted(legal, key=str)
    return rng.choice([move for move in moves if move.verb != "flip" and len(move.cards) < 3] or moves)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_judge_and_legal_moves_allow_exactly_what_some_hands_allow(players: int, seed: int) -> None:
    rng = Random(seed)
    pairs = ("1/5", "1/6", "1/6", "5/6", "1/2", "2/6", "2/6")[: 6 if players == 2 else 7]
    rules = GameRules(small_deck(*pairs))
    words = tuple(sorted({word for pair in pairs for word in (pair, flipped(pair))}))
    state = rules.start(players, {})
    worlds: set[World] = set()
    for _ in range(60):
        if state.phase is not Phase.TURNS:
            state = rules.start(players, {})
            starter = rng.randrange(players)
            worlds = set(deals(state.unseen, [player.hand for player in state.players]))
            worlds = {world for world in worlds if "1/5" in map(printed, world[starter])}
            state = rules.apply(state, Move(starter, "star"))
        real = {move for hand in {world[state.turn] for world in worlds} for move in moves_of(state, hand)}
        thought = set(rules.legal_moves(state)) - {Move(None, "redeal")}
        assert thought == real
        for move in guesses(state, words, rng):
            assert (rules.judge(state, move).ruling is Ruling.LEGAL) is (move in real), str(move)
        move = choose(real, rng)
        followed = {follow(state, world, move) for world in worlds}
        worlds = {world for world in followed if world is not None}
        state = rules.apply(state, move)
        for world in worlds if state.phase is Phase.TURNS else ():
            assert [len(hand) for hand in world] == [player.hand for player in state.players]
            break
