"""Bots that play Dawaj 2 with real hands."""

from collections.abc import Iterator, Mapping
from itertools import permutations
from random import Random

from referee.games.dawaj2.rules import GameRules
from referee.games.dawaj2.state import DEALT, KEPT_NUMBERS, Phase, Progress, State, all_ready, left_of, reshuffle_due
from referee.moves import HIDDEN, Move, seat_index, seat_name
from referee.selfplay import Ploy

CAUTION = 0.6
"""Probability that a bot creates the smallest possible number, so that games are long enough for reshuffles."""

VARIANTS: tuple[tuple[int, Mapping[str, str]], ...] = (
    *((players, {}) for players in (2, 3, 5)),
    (4, {"strict": "yes"}),
)
"""The measured variants: the number of players, and the options that differ from the defaults."""


class Bots:
    """All players, their hidden hands and the hidden draw pile."""

    def __init__(self, rules: GameRules, players: int, options: Mapping[str, str], rng: Random) -> None:
        self._rng = rng
        self._strict = options["strict"] == "yes"
        self._pile = [card.code for card in rules.deck.cards for _ in range(card.count)]
        rng.shuffle(self._pile)
        self._digit = {card.code: card.number("digit") for card in rules.deck.cards}
        self._hands = [[self._pile.pop() for _ in range(DEALT)] for _ in range(players)]
        self._trays: list[list[str]] = [[] for _ in range(players)]
        self._laid: list[tuple[str, str] | None] = [None] * players

    def honest(self, state: State) -> Ploy:
        if reshuffle_due(state):
            return Ploy(Move(None, "reshuffle"))
        return Ploy(self._rng.choice(list(self._wanted(state))))

    def _wanted(self, state: State) -> Iterator[Move]:
        for seat, player in enumerate(state.players):
            if player.exit is not None:
                continue
            if state.phase is Phase.PASS and player.step is Progress.NOTHING:
                yield Move(seat, "pass", (HIDDEN,), seat_name(left_of(state, seat)))
            elif state.phase is Phase.PASS and player.tray:
                yield Move(seat, "take")
            elif state.phase is Phase.CREATE and player.step is Progress.NOTHING:
                pairs = self._pairs(state, seat)
                yield Move(seat, "lay", (HIDDEN, HIDDEN)) if pairs else self._show(seat, self._hands[seat])
            elif state.phase is Phase.CREATE and player.step is Progress.LAID and all_ready(state):
                yield Move(seat, "turn", self._laid[seat] or ())
            elif state.phase is Phase.DRAW and player.owed:
                yield Move(seat, "draw", (HIDDEN,) * min(player.owed, state.pile))

    def happened(self, state: State, ploy: Ploy, line: int) -> None:
        move, seat = ploy.move, ploy.move.seat
        if seat is None:
            self._reshuffle(state)
            return
        hand = self._hands[seat]
        if move.verb == "pass":
            card = hand.pop(self._rng.randrange(len(hand)))
            self._trays[seat_index(move.target or "")].append(card)
        elif move.verb == "take":
            hand += self._trays[seat]
            self._trays[seat] = []
        elif move.verb == "lay":
            tens, units = self._choose(self._pairs(state, seat))
            hand.remove(tens)
            hand.remove(units)
            self._laid[seat] = (tens, units)
        elif move.verb == "turn":
            self._laid[seat] = None
        elif move.verb == "draw":
            hand += [self._pile.pop() for _ in move.cards]

    def _reshuffle(self, state: State) -> None:
        for seat, player in enumerate(state.players):
            old = len(player.tens) if player.exit else max(0, len(player.tens) - KEPT_NUMBERS)
            self._pile += [*player.tens[:old], *player.units[:old]]
            if player.exit:
                self._pile += self._hands[seat]
                self._hands[seat] = []
        self._rng.shuffle(self._pile)

    def _pairs(self, state: State, seat: int, below: bool = False) -> list[tuple[str, str]]:
        """Pairs of the hand that make a greater number (or, with `below`, that do not)."""
        player = state.players[seat]
        before = self._value(player.tens[-1], player.units[-1]) if player.tens else 0
        pairs = permutations(sorted(self._hands[seat] + list(self._laid[seat] or ())), 2)
        return [pair for pair in pairs if (self._value(*pair) <= before) is below]

    def _choose(self, pairs: list[tuple[str, str]]) -> tuple[str, str]:
        if self._rng.random() < CAUTION:
            return min(pairs, key=lambda pair: self._value(*pair))
        return self._rng.choice(pairs)

    def _value(self, tens: str, units: str) -> int:
        return 10 * self._digit[tens] + self._digit[units]

    def _show(self, seat: int, hand: list[str]) -> Move:
        return Move(seat, "out", tuple(sorted(hand, key=list(self._digit).index)))

    # Cheating

    def cheat(self, state: State) -> Ploy | None:
        chances = list(self._chances(state))
        if not chances:
            return None
        move, rule = self._rng.choice(chances)
        return Ploy(move, breaks=rule, applies=False)

    def _chances(self, state: State) -> Iterator[tuple[Move, str]]:
        active = [seat for seat, player in enumerate(state.players) if player.exit is None]
        if not reshuffle_due(state):
            yield Move(None, "reshuffle"), "D2-R1"
        for seat in active:
            player = state.players[seat]
            if state.phase is not Phase.DRAW:
                yield Move(seat, "draw", (HIDDEN,)), "D2-T1"
            else:
                yield Move(seat, "draw", (HIDDEN,) * (player.owed + 1)), "D2-D0"
            if state.phase is Phase.PASS and player.step is Progress.NOTHING:
                left = left_of(state, seat)
                yield Move(seat, "pass", (HIDDEN, HIDDEN), seat_name(left)), "D2-P4"
                yield from (
                    (Move(seat, "pass", (HIDDEN,), seat_name(other)), "D2-P4") for other in active if other != left
                )
                yield Move(seat, "take"), "D2-P5"
            if state.phase is Phase.CREATE:
                yield from self._false_numbers(state, seat)

    def _false_numbers(self, state: State, seat: int) -> Iterator[tuple[Move, str]]:
        player = state.players[seat]
        if player.step is Progress.NOTHING:
            yield Move(seat, "lay", (HIDDEN,) * 3), "D2-C1"
        if player.step is Progress.LAID and not all_ready(state):
            yield Move(seat, "turn", self._laid[seat] or ()), "D2-C2"
        if player.step is Progress.LAID and all_ready(state) and not self._strict:
            yield from ((Move(seat, "turn", pair), "D2-C3") for pair in self._pairs(state, seat, below=True)[:3])
        if player.step is Progress.TURNED and player.tens[-1] != player.units[-1]:
            yield Move(seat, "turn", (player.units[-1], player.tens[-1])), "D2-C2"
        if player.step is Progress.NOTHING and player.tens and self._pairs(state, seat):
            yield self._show(seat, self._hands[seat]), "D2-C7"
