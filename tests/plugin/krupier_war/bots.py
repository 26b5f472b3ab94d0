"""Bots that play War with real stacks."""

from collections.abc import Iterator, Mapping
from random import Random

from referee.moves import Move
from referee.selfplay import Ploy

from .rules import GameRules
from .state import State

VARIANTS: tuple[tuple[int, Mapping[str, str]], ...] = ((2, {"length": "short"}), (3, {}))
"""The measured variants: the number of players, and the options that differ from the defaults."""


class Bots:
    """All players and the face-down cards."""

    def __init__(self, rules: GameRules, players: int, options: Mapping[str, str], rng: Random) -> None:
        self._rules, self._rng = rules, rng
        cards = list(rules.rank)
        rng.shuffle(cards)
        each = rules.start(players, options).stacks[0]
        self._stacks = [cards[seat * each : (seat + 1) * each] for seat in range(players)]

    def honest(self, state: State) -> Ploy:
        battle = self._rules.battle(state)
        if battle.due:
            seat = self._rng.choice(battle.due)
            return Ploy(Move(seat, "turn", (self._stacks[seat][-1],)))
        return Ploy(Move(None, "clear") if battle.winner is None else Move(battle.winner, "take"))

    def cheat(self, state: State) -> Ploy | None:
        chances = list(self._chances(state))
        if not chances:
            return None
        move, rule = self._rng.choice(chances)
        return Ploy(move, breaks=rule, applies=False)

    def happened(self, state: State, ploy: Ploy, line: int) -> None:
        if ploy.move.verb == "turn" and ploy.move.seat is not None:
            self._stacks[ploy.move.seat].pop()

    def _chances(self, state: State) -> Iterator[tuple[Move, str]]:
        battle, seats = self._rules.battle(state), range(len(self._stacks))
        for seat in seats:
            if self._stacks[seat] and seat not in battle.due:
                # Another card out of turn, or after the battle is decided.
                yield Move(seat, "turn", (self._stacks[seat][-1],)), "WR-2" if battle.due else "WR-3"
            if battle.winner is not None and seat != battle.winner:
                yield Move(seat, "take"), "WR-3"
            if battle.due and any(state.up):
                yield Move(seat, "take"), "WR-3"
        if battle.due and state.seen:
            # A card that has been played already comes from a sleeve.
            yield Move(battle.due[0], "turn", (self._rng.choice(state.seen),)), "WR-K"
        if not battle.drawn and any(state.up):
            yield Move(None, "clear"), "WR-4"
