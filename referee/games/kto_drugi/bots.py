"""Bots that play Kto drugi, ten lepszy with real hands."""

from collections.abc import Iterator, Mapping
from random import Random

from referee.games.kto_drugi.rules import GameRules
from referee.games.kto_drugi.state import (
    DEALT,
    FIRST,
    LAST,
    LEONS,
    ROUNDS,
    Phase,
    State,
    clamp,
    is_leon,
    leon_plays,
    missing,
    own_only,
    score,
    to_turn,
)
from referee.moves import HIDDEN, Move, seat_index, seat_name
from referee.selfplay import Ploy

CUNNING = 0.6
"""Probability that a bot plays the move that scores best right now; otherwise it plays at random."""

VARIANTS: tuple[tuple[int, Mapping[str, str]], ...] = (
    *((players, {}) for players in (2, 3, 5, 6)),
    *((players, {"tactical": "yes"}) for players in (2, 4)),
)
"""The measured variants: the number of players, and the options that differ from the defaults."""


class Bots:
    """All players, their hidden hands, Leon's stack and the face-down cards."""

    def __init__(self, rules: GameRules, players: int, options: Mapping[str, str], rng: Random) -> None:
        self._rng = rng
        self._players = players
        self._chairs = players + len(rules.guests(players))
        self._tactical = options["tactical"] == "yes"
        self._race = [card.code for card in rules.deck.of("race") for _ in range(card.count)]
        self._value = {card.code: card.number("value") for card in rules.deck.of("race")}
        self._order = rules.verbs(players)["turn"].order
        self._plan: dict[int, str] = {}
        self._deal()

    def _deal(self) -> None:
        self._rng.shuffle(self._race)
        # In the basic game a stage may be written by values alone, without the copies of the cards.
        self._bare = not self._tactical and self._rng.random() < 0.5
        pile = iter(self._race)
        counts = [DEALT if seat < self._players else LEONS for seat in range(self._chairs)]
        self._hands = [[next(pile) for _ in range(count)] for count in counts]
        self._zones: list[list[str]] = [[] for _ in counts]

    def honest(self, state: State) -> Ploy:
        if state.phase is Phase.LAY:
            return Ploy(self._lay(state, self._rng.choice(missing(state))))
        if state.phase is Phase.TURN:
            seat = self._rng.choice([seat for seat in range(self._chairs) if to_turn(state, seat)])
            return Ploy(self._turn(seat, self._heap(state, seat)))
        if state.phase is Phase.CLEAR:
            return Ploy(Move(None, "clear"))
        if state.queue:
            return Ploy(self._push(state, state.queue[0].seat))
        seat = self._rng.choice([seat for seat, chair in enumerate(state.chairs) if chair.goal is not None])
        total = sum(self._value[card] for card in self._zones[seat])
        return Ploy(_step(seat, seat, clamp(state.chairs[seat].position + total)))

    def happened(self, state: State, ploy: Ploy, line: int) -> None:
        move, seat = ploy.move, ploy.move.seat
        if seat is None:
            self._zones = [[] for _ in self._zones]
            if state.round == ROUNDS:
                self._deal()
        elif move.verb == "lay":
            card = self._plan.pop(seat)
            self._hands[seat].remove(card)
            self._zones[seat_index(move.target or "")].append(card)
        elif move.verb == "turn" and leon_plays(state, seat):
            self._zones[seat].append(self._hands[seat].pop())

    def _lay(self, state: State, seat: int) -> Move:
        targets = [seat] if own_only(state) else list(range(self._chairs))
        plays = [(card, target) for card in self._hands[seat] for target in targets]
        card, target = self._best(state, seat, plays)
        self._plan[seat] = card
        return Move(seat, "lay", (HIDDEN,), seat_name(target))

    def _push(self, state: State, seat: int) -> Move:
        card = self._zones[seat][0]
        figures = [seat] if is_leon(state, seat) else list(range(self._chairs))
        _, figure = self._best(state, seat, [(card, figure) for figure in figures])
        return _step(seat, figure, clamp(state.chairs[figure].position + self._value[card]))

    def _best(self, state: State, seat: int, plays: list[tuple[str, int]]) -> tuple[str, int]:
        """A card and a figure for it; a cunning bot maximises its score as if the stage ended then."""
        self._rng.shuffle(plays)
        if self._rng.random() > CUNNING:
            return plays[0]
        positions = [chair.position for chair in state.chairs]

        def gain(play: tuple[str, int]) -> int:
            moved = list(positions)
            moved[play[1]] = clamp(moved[play[1]] + self._value[play[0]])
            return score(moved)[seat]

        return max(plays, key=gain)

    def _heap(self, state: State, seat: int) -> list[str]:
        """The real cards that are turned in front of a chair, with Leon's top card."""
        top = self._hands[seat][-1:] if leon_plays(state, seat) else []
        return self._zones[seat] + top

    def _turn(self, seat: int, cards: list[str]) -> Move:
        """The cards as they are written down: by code, or in some stages of the basic game by value alone."""
        words = [f"{self._value[card]:+d}" if self._bare else card for card in cards]
        return Move(seat, "turn", self._sorted(words))

    # Cheating

    def cheat(self, state: State) -> Ploy | None:
        chances = list(self._chances(state))
        move, rule = self._rng.choice(chances)
        return Ploy(move, breaks=rule, applies=False)

    def _chances(self, state: State) -> Iterator[tuple[Move, str]]:
        seat, other = self._rng.sample(range(self._players), 2)
        if state.phase is not Phase.CLEAR:
            yield Move(None, "clear"), "KD-8"
        if state.phase is not Phase.MOVE:
            yield _step(seat, seat, self._rng.randint(FIRST, LAST)), "KD-T3" if self._tactical else "KD-7"
        if self._chairs > self._players:
            yield from self._leons_chances(state, self._players)
        if state.phase is Phase.LAY:
            yield from self._lay_chances(state, seat, other)
        elif state.phase is Phase.TURN:
            yield Move(seat, "lay", (HIDDEN,), seat_name(seat)), "KD-5"
            yield from self._turn_chances(state)
        elif state.phase is Phase.MOVE:
            yield self._turn(seat, self._zones[seat] or self._race[:1]), "KD-7"
            yield from self._push_chances(state) if self._tactical else self._step_chances(state)
        else:
            yield Move(seat, "lay", (HIDDEN,), seat_name(seat)), "KD-8"
            yield self._turn(seat, self._zones[seat] or self._race[:1]), "KD-7"

    def _leons_chances(self, state: State, leon: int) -> Iterator[tuple[Move, str]]:
        yield Move(leon, "lay", (HIDDEN,), seat_name(leon)), "KD-L2"
        if state.round == ROUNDS:
            yield self._turn(leon, [self._rng.choice(self._race)]), "KD-L3"
        if state.phase is Phase.TURN and leon_plays(state, leon) and self._zones[leon]:
            yield self._turn(leon, self._zones[leon]), "KD-L2"
        if state.queue and state.queue[0].seat == leon:
            space = clamp(state.chairs[0].position + self._value[self._zones[leon][0]])
            yield _step(leon, 0, space), "KD-L2"

    def _lay_chances(self, state: State, seat: int, other: int) -> Iterator[tuple[Move, str]]:
        if state.chairs[seat].laid:
            yield Move(seat, "lay", (HIDDEN,), seat_name(other)), "KD-5"
        else:
            yield Move(seat, "lay", (HIDDEN, HIDDEN), seat_name(seat)), "KD-5"
            if own_only(state):
                yield Move(seat, "lay", (HIDDEN,), seat_name(other)), "KD-T1" if self._tactical else "KD-9"
        yield from ((self._turn(early, zone), "KD-5") for early, zone in enumerate(self._zones) if zone)

    def _turn_chances(self, state: State) -> Iterator[tuple[Move, str]]:
        for seat in range(self._chairs):
            heap = self._heap(state, seat) if to_turn(state, seat) else []
            rule = "KD-L2" if leon_plays(state, seat) else "KD-7"
            spare = self._rng.choice(self._race)
            if heap:
                yield self._turn(seat, [*heap, spare]), rule
                yield from self._doubled(state, seat, heap)
            elif not is_leon(state, seat) or state.round < ROUNDS:
                yield self._turn(seat, [spare]), "KD-7"
            if len(heap) > 1:
                yield self._turn(seat, heap[1:]), rule

    def _doubled(self, state: State, seat: int, heap: list[str]) -> Iterator[tuple[Move, str]]:
        """The heap with more copies of a card or value than the deck has."""
        spent = [code for code, seen in zip(self._value, state.codes, strict=True) if seen >= self._race.count(code)]
        if spent:
            yield Move(seat, "turn", self._sorted([self._rng.choice(spent), *heap[1:]])), "KD-K"
        if self._tactical:
            return
        values = sorted(self._value[card] for card in self._race)
        for value, seen in zip(sorted(set(values)), state.values, strict=True):
            many = values.count(value) - seen + 1
            if many <= len(heap):
                words = [f"{value:+d}"] * many + heap[many:]
                yield Move(seat, "turn", self._sorted(words)), "KD-K"

    def _sorted(self, words: list[str]) -> tuple[str, ...]:
        return tuple(sorted(words, key=self._order))

    def _step_chances(self, state: State) -> Iterator[tuple[Move, str]]:
        for seat, chair in enumerate(state.chairs):
            if chair.goal is None:
                yield _step(seat, seat, self._rng.randint(FIRST, LAST)), "KD-7"
            else:
                yield _step(seat, seat, self._missed(chair.goal)), "KD-7"
                yield _step((seat + 1) % self._chairs, seat, chair.goal), "KD-7"

    def _push_chances(self, state: State) -> Iterator[tuple[Move, str]]:
        mover = state.queue[0].seat
        figure = mover if is_leon(state, mover) else self._rng.randrange(self._chairs)
        space = clamp(state.chairs[figure].position + self._value[self._zones[mover][0]])
        yield _step(mover, figure, self._missed(space)), "KD-T3"
        yield Move(mover, "move", (seat_name(0), seat_name(1)), str(space)), "KD-T3"
        yield from ((_step(seat, figure, space), "KD-T2") for seat in range(self._chairs) if seat != mover)

    def _missed(self, space: int) -> int:
        """Any other space than the right one."""
        return self._rng.choice([other for other in range(FIRST, LAST + 1) if other != space])


def _step(seat: int, figure: int, space: int) -> Move:
    return Move(seat, "move", (seat_name(figure),), str(space))
