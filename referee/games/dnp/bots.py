"""Bots that play dnp with real hands, each card the right way up or not."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from referee.games.dnp.rules import GameRules
from referee.games.dnp.state import (
    CardSet,
    Phase,
    State,
    flipped,
    is_duel,
    place_name,
    printed,
    redeal_due,
    rival,
    sets,
    value,
)
from referee.moves import Move
from referee.selfplay import Ploy

STALLING = 0.03
"""Probability that nobody plays a card for a whole round, so that it is dealt anew."""
SHEDDING = 0.7
"""Probability that a bot plays its largest set."""


@dataclass(slots=True, eq=False)
class Held:
    """A real card in a real hand."""

    card: str
    seen: bool = False
    """Whether the card has been on the table since the deal."""


VARIANTS: tuple[tuple[int, Mapping[str, str]], ...] = tuple((players, {}) for players in (2, 3, 4, 5))
"""The measured variants: the number of players, and the options that differ from the defaults."""


class Bots:
    """All players and their hidden hands."""

    def __init__(self, rules: GameRules, players: int, options: Mapping[str, str], rng: Random) -> None:
        self._rng = rng
        self._printed = [printed(f"{card.number('a')}/{card.number('b')}") for card in rules.deck.cards]
        self._star = next(pair for pair, card in zip(self._printed, rules.deck.cards, strict=True) if card.has("star"))
        self._hands: list[list[Held]] = [[] for _ in range(players)]
        self._copies: Counter[str] = Counter()
        self._dealt = False
        self._stalling = False
        self._false_star: int | None = None
        """The line of a false claim of the star card."""
        self._unturned: tuple[int, Held, int] | None = None
        """A card that went back to hand without being flipped: its seat, the card and the line."""

    def honest(self, state: State) -> Ploy:
        self._deal(state)
        seat = state.turn
        if state.phase is Phase.STAR:
            return Ploy(Move(self._holder(), "star"))
        if redeal_due(state) and (self._stalling or self._rng.random() < 0.5):
            return Ploy(Move(None, "redeal"))
        if state.players[seat].areas[state.area]:
            return Ploy(Move(seat, "discard"))
        return self._given_away(state, self._wanted(state, seat))

    def happened(self, state: State, ploy: Ploy, line: int) -> None:
        move, seat = ploy.move, ploy.move.seat
        if move.verb == "star":
            self._dealt = False
            self._false_star = line if ploy.breaks else None
        if seat is None or move.verb in ("star", "discard"):
            return
        hand = self._hands[seat]
        if move.verb == "flip":
            for held in hand:
                held.card = flipped(held.card)
        for held in self._chosen(seat, move.cards):
            hand.remove(held)
        if ploy.exposes is not None:
            self._false_star = None
        back = self._goes_back(state, move)
        if back is not None:
            self._pick_up(*back, line if ploy.breaks else None)

    def _deal(self, state: State) -> None:
        """Shuffle and deal real cards when a round begins."""
        if state.phase is not Phase.STAR or self._dealt:
            return
        pack = [Held(self._rng.choice((pair, flipped(pair)))) for pair in state.unseen]
        self._rng.shuffle(pack)
        self._hands = [[pack.pop() for _ in range(player.hand)] for player in state.players]
        self._copies = Counter(state.unseen)
        self._dealt, self._stalling = True, self._rng.random() < STALLING
        self._false_star = self._unturned = None

    def _holder(self) -> int:
        return next(
            seat for seat, hand in enumerate(self._hands) if any(printed(held.card) == self._star for held in hand)
        )

    def _chosen(self, seat: int, cards: CardSet) -> list[Held]:
        """The real cards for these words; of equal cards, publicly known ones first."""
        left = sorted(self._hands[seat], key=lambda held: not held.seen)
        chosen = []
        for card in cards:
            held = next(held for held in left if held.card == card)
            left.remove(held)
            chosen.append(held)
        return chosen

    def _goes_back(self, state: State, move: Move) -> tuple[int, CardSet] | None:
        """The seat that takes a set from the table by this move, and the cards as they were on the table."""
        if move.verb == "take":
            return next(
                (move.seat or 0, lying)
                for owner, area, lying in sets(state)
                if place_name(state, owner, area) == move.target
            )
        size = len(move.cards)
        if move.verb == "add":
            size += next(len(c) for owner, area, c in sets(state) if place_name(state, owner, area) == move.target)
        beaten = rival(state, size) if size else None
        return None if beaten is None or state.players[beaten[0]].out else beaten

    def _pick_up(self, seat: int, lying: CardSet, guilty: int | None) -> None:
        for card in lying:
            held = Held(flipped(card), seen=True)
            if guilty is not None and self._unturned is None and self._copies[printed(card)] == 1:
                held.card = card
                self._unturned = (seat, held, guilty)
            self._hands[seat].append(held)

    # Honest moves

    def _wanted(self, state: State, seat: int) -> Move:
        plays = [move for move, fair in self._plays(state, seat) if fair]
        adds = [move for move, fair in self._adds(state, seat) if fair]
        takes = self._takes(state, seat)
        chance = self._rng.random()
        if self._stalling:
            return self._rng.choice(takes) if takes and chance < 0.3 else Move(seat, "flip")
        if plays and chance < SHEDDING:
            most = max(len(move.cards) for move in plays)
            return self._rng.choice([move for move in plays if len(move.cards) == most])
        if plays and chance < 0.8:
            return self._rng.choice(plays)
        if adds and chance < 0.9:
            return self._rng.choice(adds)
        return self._rng.choice(takes) if takes and chance < 0.95 else Move(seat, "flip")

    def _plays(self, state: State, seat: int) -> Iterator[tuple[Move, bool]]:
        """A set of every value and size in the hand, and whether it may be played now."""
        table = {len(lying): value(lying[0]) for _, _, lying in sets(state)}
        for active in range(1, 11):
            cards = [held.card for held in self._hands[seat] if value(held.card) == active]
            for size in range(1, len(cards) + 1):
                yield self._play(state, seat, self._rng.sample(cards, size)), active > table.get(size, 0)

    def _play(self, state: State, seat: int, cards: list[str], area: int | None = None) -> Move:
        area = state.area if area is None else area
        target = place_name(state, seat, area) if is_duel(state) else None
        return Move(seat, "play", tuple(sorted(cards, key=_order)), target)

    def _adds(self, state: State, seat: int) -> Iterator[tuple[Move, bool]]:
        """Every matching card for every set of the others, and whether the larger set is allowed."""
        table = {len(lying): value(lying[0]) for _, _, lying in sets(state)}
        for owner, area, lying in sets(state):
            active = value(lying[0])
            for card in {held.card: None for held in self._hands[seat] if value(held.card) == active}:
                if owner != seat:
                    fair = active > table.get(len(lying) + 1, 0)
                    yield Move(seat, "add", (card,), place_name(state, owner, area)), fair

    def _takes(self, state: State, seat: int) -> list[Move]:
        return [
            Move(seat, "take", (), place_name(state, owner, area)) for owner, area, _ in sets(state) if owner != seat
        ]

    def _given_away(self, state: State, move: Move) -> Ploy:
        """The move with the cheat it exposes: a card that was not flipped, or a false star card."""
        seat = state.turn
        if self._unturned is not None:
            guilty, held, line = self._unturned
            if guilty == seat and held.card in move.cards:
                held.card = flipped(held.card)
                self._unturned = None
                return Ploy(move, exposes=line, applies=False)
        if self._false_star is None or state.claim is None or not move.cards:
            return Ploy(move)
        if seat != state.claim.seat:
            shown = self._star in map(printed, move.cards)
            return Ploy(move, exposes=self._false_star, stands=True) if shown else Ploy(move)
        chosen = self._chosen(seat, move.cards)
        fresh = [held.card for held in chosen if not held.seen]
        if not fresh or any(not held.seen for held in self._hands[seat] if held not in chosen):
            return Ploy(move)
        # The bot waits if a publicly known card, seen the other way up, could be the fault as well.
        if any(held.seen and flipped(held.card) in fresh for held in self._hands[seat]):
            return Ploy(Move(seat, "flip"))
        return Ploy(move, exposes=self._false_star, stands=True)

    # Cheating

    def cheat(self, state: State) -> Ploy | None:
        self._deal(state)
        chances = list(self._chances(state))
        return self._rng.choice(chances) if chances else None

    def _chances(self, state: State) -> Iterator[Ploy]:
        players = range(len(state.players))
        if not redeal_due(state):
            yield _stopped(Move(None, "redeal"), "DN-R")
        if state.phase is Phase.STAR:
            others = [seat for seat in players if seat != self._holder()]
            yield Ploy(Move(self._rng.choice(others), "star"), breaks="DN-2")
            yield _stopped(Move(self._rng.choice(players), "flip"), "DN-2")
            return
        yield _stopped(Move(self._rng.choice(players), "star"), "DN-2")
        for seat in players:
            if seat != state.turn:
                rule = "DN-6" if state.players[seat].out else "DN-4" if seat == state.last else "DN-2"
                yield _stopped(self._any_action(state, seat), rule)
        seat = state.turn
        if state.players[seat].areas[state.area]:
            yield _stopped(self._any_action(state, seat), "DN-3")
            return
        yield _stopped(Move(seat, "discard"), "DN-3")
        yield from self._false_sets(state, seat)
        yield from self._false_adds(state, seat)
        yield from self._false_takes(state, seat)
        yield from self._impossible(state, seat)
        yield from self._not_flipped(state, seat)

    def _any_action(self, state: State, seat: int) -> Move:
        plays = [move for move, _ in self._plays(state, seat)]
        return self._rng.choice([Move(seat, "flip"), *self._takes(state, seat), *plays[:3]])

    def _false_sets(self, state: State, seat: int) -> Iterator[Ploy]:
        low = [move for move, fair in self._plays(state, seat) if not fair]
        for move in self._rng.sample(low, min(2, len(low))):
            beaten = rival(state, len(move.cards))
            yield _stopped(move, "DN-X3" if beaten is not None and beaten[0] == seat else "DN-A")
        cards = [held.card for held in self._hands[seat]]
        pair = self._rng.sample(cards, 2) if len(cards) > 1 else []
        if len({value(card) for card in pair}) == 2:
            yield _stopped(self._play(state, seat, pair), "DN-A")
        if is_duel(state):
            yield _stopped(self._play(state, seat, cards[:1], 1 - state.area), "DN-X2")

    def _false_adds(self, state: State, seat: int) -> Iterator[Ploy]:
        low = [move for move, fair in self._adds(state, seat) if not fair]
        yield from (_stopped(move, "DN-B") for move in low[:2])
        cards = sorted({held.card for held in self._hands[seat]}, key=_order)
        for owner, area, lying in sets(state):
            where = place_name(state, owner, area)
            wrong = [card for card in cards if value(card) != value(lying[0])]
            if owner == seat:
                yield _stopped(Move(seat, "add", tuple(cards[:1]), where), "DN-B")
                continue
            if wrong:
                yield _stopped(Move(seat, "add", (self._rng.choice(wrong),), where), "DN-B")
            if len(cards) > 1:
                yield _stopped(Move(seat, "add", tuple(cards[:2]), where), "DN-B")
        yield _stopped(Move(seat, "add", tuple(cards[:1]), place_name(state, seat, state.area)), "DN-B")

    def _false_takes(self, state: State, seat: int) -> Iterator[Ploy]:
        empty = [
            place_name(state, owner, area)
            for owner, player in enumerate(state.players)
            for area, lying in enumerate(player.areas)
            if owner == seat or not lying
        ]
        yield _stopped(Move(seat, "take", (), self._rng.choice(empty)), "DN-C")

    def _impossible(self, state: State, seat: int) -> Iterator[Ploy]:
        """A single card that is elsewhere, discarded, or put back into the box."""
        elsewhere = Counter(printed(card) for _, _, lying in sets(state) for card in lying)
        elsewhere.update(printed(card) for card in state.discarded)
        for other, player in enumerate(state.players):
            if other != seat:
                elsewhere.update(printed(held.card) for held in player.known)
        single = rival(state, 1)
        for pair in self._rng.sample(self._printed, len(self._printed)):
            card = flipped(pair)
            high = single is None or value(card) > value(single[1][0])
            if high and elsewhere[pair] == self._copies[pair]:
                yield _stopped(self._play(state, seat, [card]), "DN-K")
                return

    def _not_flipped(self, state: State, seat: int) -> Iterator[Ploy]:
        """A card goes back to hand without being flipped; only a unique pair of values, so that it must show later."""
        if self._unturned is not None or self._false_star is not None:
            return
        fair = [move for move, fair in (*self._plays(state, seat), *self._adds(state, seat)) if fair]
        for move in (*self._takes(state, seat), *fair):
            back = self._goes_back(state, move)
            if back is not None and any(self._copies[printed(card)] == 1 for card in back[1]):
                yield Ploy(move, breaks="DN-5")


def _stopped(move: Move, rule: str) -> Ploy:
    return Ploy(move, breaks=rule, applies=False)


def _order(card: str) -> tuple[int, int]:
    return value(card), value(flipped(card))
