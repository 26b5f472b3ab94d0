"""What the tests of every game share: all variants, whole bot games, and moves nobody should make."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random

from referee.edits import Play
from referee.moves import Move, NotationError
from referee.record import Record, read_record
from referee.rules import AnyRules, Opening, load_rules, opened
from referee.selfplay import WrittenGame, self_play
from referee.vocabulary import spell

NAMES = ("Ala", "Bartek", "Celina", "Darek", "Ewa", "Franek", "Gosia", "Hubert", "Iga", "Jan", "Kasia", "Leszek")


@cache
def rules_of(game: str) -> AnyRules:
    """The rules with Krupier's own deck, made once."""
    return load_rules(game)


@cache
def variants(game: str) -> tuple[Opening, ...]:
    """Every number of players with every combination of options."""
    rules = rules_of(game)
    return tuple(
        Opening(game, NAMES[:players], tuple(zip(rules.choices(players), values, strict=True)))
        for players in rules.seats
        for values in product(*rules.choices(players).values())
    )


@dataclass(frozen=True)
class BotGame:
    """One bot game with its truth and its record."""

    rules: AnyRules
    written: WrittenGame
    record: Record

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves of the record, in order."""
        return tuple(line.meaning.move for line in self.record.lines if isinstance(line.meaning, Play))


def bot_game(game: str, seed: int, cheat_rate: float = 0.0) -> BotGame:
    """The bot game number `seed`: the variants take turns, so that a few dozen seeds meet them all."""
    openings = variants(game)
    rules = rules_of(game)
    written = self_play(rules, openings[seed % len(openings)], seed, cheat_rate)
    return BotGame(rules, written, read_record(str(written), rules))


def states_of(game: BotGame) -> Iterator[tuple[object, Move]]:
    """Every state of an honest game and the move made in it."""
    opening = game.record.opening
    state = game.rules.start(len(opening.names), opened(game.rules, opening))
    for move in game.moves:
        yield state, move
        state = game.rules.apply(state, move)
    yield state, game.moves[-1]


def strange_moves(game: BotGame, rng: Random, count: int) -> Iterator[Move]:
    """Moves in the game's language that mostly make no sense: words of the record thrown together."""
    players = len(game.record.opening.names)
    verbs, chairs = game.rules.verbs(players), players + len(game.rules.guests(players))
    made = 0
    for _ in range(count * 50):
        if made == count:
            return
        pattern, other = rng.choice(game.moves), rng.choice(game.moves)
        seat = None if pattern.seat is None else rng.randrange(chairs)
        verb = rng.choice(list(verbs)) if rng.random() < 0.2 else pattern.verb
        seat = seat if verbs[verb].seated else None
        move = Move(seat, verb, pattern.cards, pattern.target, pattern.counts)
        if rng.random() < 0.5:
            move = replace(move, target=rng.choice(sorted(verbs[verb].targets) or [None]))
        if rng.random() < 0.5 and (pattern.cards or other.cards):
            cards = list(pattern.cards + other.cards)
            rng.shuffle(cards)
            move = replace(move, cards=tuple(cards[: rng.randint(0, len(cards))]))
        if rng.random() < 0.3:
            move = replace(move, counts=tuple((name, number + rng.randint(-1, 1)) for name, number in pattern.counts))
        try:
            yield spell(Move.parse(str(move)), verbs, chairs)
            made += 1
        except NotationError:
            continue
