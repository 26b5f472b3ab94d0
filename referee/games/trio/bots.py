"""Bots that play Trio with real hands and remember what they see."""

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random

from referee.games.trio.hands import COPIES, LOWEST, End
from referee.games.trio.rules import GameRules
from referee.games.trio.state import Phase, State, Swap, deal, held, members, partner_of, slot_name
from referee.moves import HIDDEN, Move, seat_index, seat_name
from referee.selfplay import Ploy

ATTENTION = 0.7
"""Probability that a bot uses its memory instead of asking at random."""
SWAPPING = 0.4
HEARD = 0.6
"""Probability that the end is named although a hand has only one card."""
LYING = 0.4
"""Probability that a cheat is a lie about a card and not a plain fault."""
EXPOSURE = 0.15
"""Probability that a bot asks in the place of a lie."""


@dataclass(slots=True)
class World:
    """Where all hidden cards are: the hands, each rising, and the centre."""

    hands: list[list[int]]
    centre: list[int | None]

    def shown(self, target: str) -> int:
        """The card that an honest player shows there."""
        if target[0] == "c":
            return self.centre[int(target[1:]) - 1] or 0
        hand = self.hands[seat_index(_home(target))]
        return hand[-1] if target.endswith(End.HIGH) else hand[0]

    def take(self, home: str, value: int) -> None:
        """A card is laid face up."""
        if home[0] == "c":
            self.centre[int(home[1:]) - 1] = None
        else:
            self.hands[seat_index(home)].remove(value)

    def put(self, home: str, value: int) -> None:
        """A card goes back."""
        if home[0] == "c":
            self.centre[int(home[1:]) - 1] = value
        else:
            hand = self.hands[seat_index(home)]
            hand.append(value)
            hand.sort()

    def exchange(self, seat: int, value: int, slot: int) -> None:
        """A card of a hand and one of the centre change places."""
        other = self.centre[slot] or 0
        self.take(seat_name(seat), value)
        self.put(seat_name(seat), other)
        self.centre[slot] = value


@dataclass(slots=True)
class Lie:
    """A wrong card shown as if it were right, and a world in which it is right.

    What looks the same in that world cannot give the lie away, so the bots need no referee to know.
    """

    move: Move
    value: int
    rule: str
    world: World
    trick: tuple[int, int] | None = None
    """Two centre cards, the second shown in place of the first and both put back where they belong."""
    line: int = 0

    def given_away_by(self, target: str, value: int) -> bool:
        """Whether a card there cannot be if the lie was true."""
        claimed = self.move.target or ""
        if _home(target) != _home(claimed) or value == self.world.shown(target):
            return False
        if self.trick:
            return value != self.value
        return value < self.value if claimed.endswith(End.LOW) else value > self.value


VARIANTS: tuple[tuple[int, Mapping[str, str]], ...] = (
    *((players, {}) for players in (3, 5, 6)),
    (3, {"goal": "spicy"}),
    *((players, {"format": "team"}) for players in (4, 6)),
)
"""The measured variants: the number of players, and the options that differ from the defaults."""


class Bots:
    """All players, their hidden hands and the hidden centre."""

    def __init__(self, rules: GameRules, players: int, options: Mapping[str, str], rng: Random) -> None:
        self._rng = rng
        self._code = {card.number("number"): card.code for card in rules.deck.cards}
        self._value = {code: value for value, code in self._code.items()}
        pack = [card.number("number") for card in rules.deck.cards for _ in range(card.count)]
        rng.shuffle(pack)
        each, _ = deal(players, options["format"] == "team")
        hands = [sorted(pack.pop() for _ in range(each)) for _ in range(players)]
        self._real = World(hands, list(pack))
        self._seen: set[tuple[str, int]] = set()
        self._plan: Lie | None = None
        self._lie: Lie | None = None

    def honest(self, state: State) -> Ploy:
        swap = self._wanted_swap(state)
        if swap is not None:
            return Ploy(swap)
        if state.phase is Phase.RETURN:
            card = self._rng.choice(state.up)
            return Ploy(Move(state.turn, "return", (self._code[card.value],), card.home))
        if state.phase is Phase.CLAIM:
            return Ploy(Move(state.turn, "claim", (self._code[state.up[0].value],) * COPIES))
        return self._wanted_reveal(state)

    def _wanted_swap(self, state: State) -> Move | None:
        teams = [members(state, side) for side, swap in enumerate(state.swaps) if swap is Swap.OPEN]
        able = [seats for seats in teams if all(self._real.hands[seat] for seat in seats)]
        if not able or self._rng.random() > SWAPPING:
            return None
        one, other = self._rng.sample(self._rng.choice(able), 2)
        return Move(one, "swap", (HIDDEN,), seat_name(other))

    def _wanted_reveal(self, state: State) -> Ploy:
        targets, lie = list(self._targets()), self._lie
        if lie is not None:
            # A card from elsewhere may or may not contradict the lie, so no bot asks there before the lie is exposed.
            exposing = [target for target in targets if lie.given_away_by(target, self._real.shown(target))]
            targets = [target for target in targets if self._real.shown(target) == lie.world.shown(target)]
            if exposing and (not targets or self._rng.random() < EXPOSURE):
                return Ploy(self._reveal(state.turn, self._rng.choice(exposing)), exposes=lie.line, stands=True)
        return Ploy(self._reveal(state.turn, self._choose(state, targets)))

    def _targets(self) -> Iterator[str]:
        """Every place that can be asked."""
        yield from (slot_name(slot) for slot, value in enumerate(self._real.centre) if value is not None)
        for seat, hand in enumerate(self._real.hands):
            if hand:
                yield from (f"{seat_name(seat)}.{end}" for end in End)

    def _choose(self, state: State, targets: list[str]) -> str:
        own, known = seat_name(state.turn), {}
        for target in targets:
            home, value = _home(target), self._real.shown(target)
            if home == own or (home, value) in self._seen:
                known[target] = value
        if self._rng.random() < ATTENTION:
            wanted = state.up[0].value if state.up else self._promising(known)
            right = [target for target, value in known.items() if value == wanted]
            if right:
                return self._rng.choice(right)
        return self._rng.choice([target for target in targets if target not in known] or targets)

    def _promising(self, known: Mapping[str, int]) -> int | None:
        """A value that is known to be in at least two places."""
        counts = Counter(known.values())
        often = sorted((value for value in counts if counts[value] > 1), key=lambda value: -counts[value])
        return self._rng.choice(often[:2]) if often else None

    def _reveal(self, seat: int, target: str) -> Move:
        value, home = self._real.shown(target), _home(target)
        if home[0] == "P" and len(self._real.hands[seat_index(home)]) == 1 and self._rng.random() > HEARD:
            target = home
        return Move(seat, "reveal", (self._code[value],), target)

    def happened(self, state: State, ploy: Ploy, line: int) -> None:
        move = ploy.move
        if ploy.exposes is not None:
            self._lie = None
        if ploy.breaks is not None and self._plan is not None:
            self._lie, self._plan.line = self._plan, line
            if self._lie.trick:
                self._trick(self._lie.trick)
        worlds = (self._real,) if self._lie is None else (self._real, self._lie.world)
        home = _home(move.target or "")
        if move.verb == "reveal":
            value = self._value[move.cards[0]]
            self._seen.add((home, value))
            for world in worlds:
                world.take(home, value)
            if self._lie and self._lie.trick and home == slot_name(self._lie.trick[1]):
                self._lie = None  # Now everybody knows the other card too, and both go back as they were shown.
        elif move.verb == "return":
            for world in worlds:
                world.put(home, self._value[move.cards[0]])
            self._end_trick(home)
        elif move.verb == "claim":
            if self._lie and self._lie.trick and any(card.home == self._lie.move.target for card in state.up):
                self._lie = None
        elif move.verb == "swap":
            self._cross(move.seat or 0, seat_index(move.target or ""))

    def _cross(self, one: int, other: int) -> None:
        given, taken = self._rng.choice(self._real.hands[one]), self._rng.choice(self._real.hands[other])
        for seat, less, more in ((one, given, taken), (other, taken, given)):
            self._real.take(seat_name(seat), less)
            self._real.put(seat_name(seat), more)

    def _trick(self, slots: tuple[int, int]) -> None:
        one, other = slots
        centre = self._real.centre
        centre[one], centre[other] = centre[other], centre[one]

    def _end_trick(self, home: str) -> None:
        lie = self._lie
        if lie is not None and lie.trick is not None and home == lie.move.target:
            self._trick(lie.trick)

    # Cheating

    def cheat(self, state: State) -> Ploy | None:
        self._plan = self._lie_now(state) if self._rng.random() < LYING else None
        if self._plan is not None:
            return Ploy(self._plan.move, breaks=self._plan.rule)
        chances = list(self._chances(state))
        if not chances:
            return None
        rule = self._rng.choice(sorted({rule for _, rule in chances}))
        return Ploy(self._rng.choice([move for move, broken in chances if broken == rule]), rule, applies=False)

    def _lie_now(self, state: State) -> Lie | None:
        """A lie for which a world can be made in which it is true; there is one at a time."""
        if state.phase is not Phase.REVEAL or self._lie is not None or partner_of(state, 0) is not None:
            return None
        lies = [*self._slot_lies(state), *self._hand_lies(state)]
        return self._rng.choice(lies) if lies else None

    def _slot_lies(self, state: State) -> Iterator[Lie]:
        """Two centre cards that nobody has seen are shown one for the other."""
        unseen = [slot for slot, seen in enumerate(state.slots) if seen.lies and seen.value is None]
        if len(unseen) < 2 or sum(map(len, self._real.hands)) < COPIES:
            return
        one, other = self._rng.sample(unseen, 2)
        value = self._real.centre[other] or 0
        if value != self._real.centre[one]:
            world = deepcopy(self._real)
            world.centre[one], world.centre[other] = value, world.centre[one]
            move = Move(state.turn, "reveal", (self._code[value],), slot_name(one))
            yield Lie(move, value, "TR-M", world, (one, other))

    def _hand_lies(self, state: State) -> Iterator[Lie]:
        """A middle card is shown as the lowest or highest, and nobody can know of those beyond it."""
        unseen = [slot for slot, seen in enumerate(state.slots) if seen.lies and seen.value is None]
        for seat, hand in enumerate(self._real.hands):
            public = state.sides[seat][0][0]
            if not public.unseen:
                continue
            for end in End:
                for value in sorted(set(hand)):
                    beyond = [card for card in hand if (card < value if end is End.LOW else card > value)]
                    public_cards = [card for card in public.known if card in beyond]
                    low, high = (value, public.unseen[0].high) if end is End.LOW else (public.unseen[0].low, value)
                    fitting = [slot for slot in unseen if low <= (self._real.centre[slot] or 0) <= high]
                    if beyond and not public_cards and len(fitting) >= len(beyond):
                        world = deepcopy(self._real)
                        for card, slot in zip(beyond, fitting, strict=False):
                            world.exchange(seat, card, slot)
                        move = Move(state.turn, "reveal", (self._code[value],), f"{seat_name(seat)}.{end}")
                        yield Lie(move, value, "TR-3", world)

    def _chances(self, state: State) -> Iterator[tuple[Move, str]]:
        """Plain faults that are seen at once."""
        seat, players = state.turn, len(state.trios)
        late = self._rng.choice([other for other in range(players) if other != seat])
        targets = list(self._targets())
        yield from self._false_swaps(state)
        if state.phase is not Phase.RETURN:
            # Who ends a turn only says so: nothing moves. With cards to put back, to let it stand would put them back.
            yield Move(late, "end"), "TR-8"
        if state.phase is Phase.REVEAL:
            yield self._reveal(late, self._rng.choice(targets)), "TR-8"
            yield Move(seat, "end"), "TR-5"
            yield (
                Move(seat, "claim", tuple(self._code[card.value] for card in state.up) or (self._code[LOWEST],)),
                "TR-6",
            )
            yield from ((Move(seat, "return", (self._code[c.value],), c.home), "TR-5") for c in state.up)
            yield from self._false_reveals(state)
        elif state.phase is Phase.RETURN:
            yield from ((self._reveal(seat, target), "TR-4") for target in targets)
            claimed = sorted(card.value for card in state.up)
            yield Move(seat, "claim", tuple(self._code[value] for value in claimed)), "TR-6"
            yield from self._false_returns(state)
        else:
            yield from ((self._reveal(seat, target), "TR-5") for target in targets)
            yield Move(seat, "end"), "TR-6"
            card = state.up[0]
            yield Move(seat, "claim", (self._code[card.value],) * 2), "TR-6"
            yield Move(late, "claim", (self._code[card.value],) * COPIES), "TR-8"
            yield Move(seat, "return", (self._code[card.value],), card.home), "TR-6"

    def _false_reveals(self, state: State) -> Iterator[tuple[Move, str]]:
        sides = len(state.sides)
        for slot, seen in enumerate(state.slots):
            if not seen.lies:
                yield Move(state.turn, "reveal", (self._code[LOWEST],), slot_name(slot)), "TR-1"
        for seat, hand in enumerate(self._real.hands):
            name, guesses = seat_name(seat), state.sides[seat % sides]
            if not held(state, seat):
                yield Move(state.turn, "reveal", (self._code[LOWEST],), f"{name}.{End.LOW}"), "TR-9"
            public = guesses[0][seat // sides]
            if len(guesses) > 1 or not public.known:
                continue
            for value in hand:
                # A card that fits all that is known, only not as this end of the hand.
                if value in public.known or any(group.low <= value <= group.high for group in public.unseen):
                    move = Move(state.turn, "reveal", (self._code[value],))
                    if value > public.known[0]:
                        yield Move(move.seat, move.verb, move.cards, f"{name}.{End.LOW}"), "TR-3"
                    if value < public.known[-1]:
                        yield Move(move.seat, move.verb, move.cards, f"{name}.{End.HIGH}"), "TR-3"

    def _false_returns(self, state: State) -> Iterator[tuple[Move, str]]:
        # A card is never laid on another one by mistake.
        full = {card.home for card in state.up} | {slot_name(n) for n, slot in enumerate(state.slots) if slot.lies}
        everywhere = [place for place in map(slot_name, range(len(state.slots))) if place not in full]
        everywhere += [seat_name(seat) for seat in range(len(state.trios))]
        for card in state.up:
            right = {other.home for other in state.up if other.value == card.value}
            for home in everywhere:
                if home not in right:
                    yield Move(state.turn, "return", (self._code[card.value],), home), "TR-7"

    def _false_swaps(self, state: State) -> Iterator[tuple[Move, str]]:
        rule = "TR-11" if any(state.trios) else "TR-S5"
        for seat in range(len(state.trios)):
            other = partner_of(state, seat)
            left = seat_name((seat + 1) % len(state.trios))
            if other is None:
                yield Move(seat, "swap", (HIDDEN,), left), "TR-S5"
                continue
            yield Move(seat, "swap", (HIDDEN,), left), rule
            swap = state.swaps[seat % len(state.sides)]
            if swap is Swap.OPEN:
                yield Move(seat, "swap", (HIDDEN, HIDDEN), seat_name(other)), rule
            else:
                closed = "TR-11" if swap is Swap.CLOSED else rule
                yield Move(seat, "swap", (HIDDEN,), seat_name(other)), closed


def _home(target: str) -> str:
    """The hand or centre place of a target: P2 of P2.low."""
    return target.partition(".")[0]
