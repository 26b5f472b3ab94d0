"""Bots that play Lucky Box with real decks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from models.cards import Card
from referee.games.lucky_box.rules import TWO_COPIES_FROM, GameRules
from referee.games.lucky_box.state import (
    FIRST_KEEP,
    LATER_KEEP,
    MOST_STARS,
    TURNS,
    WORTH,
    Phase,
    Player,
    PlayerStep,
    State,
    completed,
)
from referee.moves import HIDDEN, Move
from referee.selfplay import Ploy

EAGER = 0.5
"""Probability that a bot considers spending lightning."""
WASTEFUL = 0.05
PRICE = 1.5
"""Value that a mark must bring for each lightning token."""

Cell = tuple[str, int]
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8))


@dataclass
class PlayedTurn:
    """A turn as it was played out with the pen: the cells crossed, and the lines they completed."""

    cells: list[Cell]
    won: list[str]
    spend: int = 0

    @property
    def worth(self) -> float:
        return len(self.cells) + len(self.won) - PRICE * self.spend


VARIANTS: tuple[tuple[int, Mapping[str, str]], ...] = tuple((players, {}) for players in (1, 2, 3))
"""The measured variants: the number of players, and the options that differ from the defaults."""


class Bots:
    """All players, the hidden decks, and the cards drawn but not yet shown."""

    def __init__(self, rules: GameRules, players: int, options: Mapping[str, str], rng: Random) -> None:
        self._rng = rng
        boxes, numbers = rules.deck.of("box"), rules.deck.of("number")
        self._place = {card.code: place for place, card in enumerate(boxes)}
        self._face = {card.code: _face(card) for card in boxes}
        self._deck = [card.code for card in boxes] * (2 if players >= TWO_COPIES_FROM else 1)
        rng.shuffle(self._deck)
        self._hands: list[list[str]] = [[] for _ in range(players)]
        self._number = {card.code: card.number("number") for card in numbers}
        self._all_numbers = [card.code for card in numbers for _ in range(card.count)]
        self._numbers: list[str] = []

    def honest(self, state: State) -> Ploy:
        return Ploy(next(self._wanted(state)))

    def _wanted(self, state: State) -> Iterator[Move]:
        """The next honest moves of the players, in random order."""
        if state.phase is Phase.PLAY and all(player.step is PlayerStep.READY for player in state.players):
            if not state.numbers:
                self._numbers = self._rng.sample(self._all_numbers, TURNS)
            yield Move(None, "number", (self._numbers[len(state.numbers)],))
            return
        seats = list(range(len(state.players)))
        self._rng.shuffle(seats)
        dry = not state.deck and bool(state.discard) and any(player.owed for player in state.players)
        if dry and self._rng.random() < 0.5:
            yield Move(None, "reshuffle")
        for seat in seats:
            player, hand = state.players[seat], self._hands[seat]
            if player.step is PlayerStep.MARK:
                yield self._turn(state, seat)
            elif player.step is PlayerStep.SCORE:
                yield Move(seat, "score", (str(len(completed(player)) * WORTH[state.round - 1]),))
            elif player.step is PlayerStep.WIPE:
                yield Move(seat, "wipe", self._sorted(completed(player)))
            elif player.step is PlayerStep.DRAW and state.deck:
                most = min(player.owed, state.deck)
                cards = most if self._rng.random() < 0.8 else self._rng.randint(1, most)
                yield Move(seat, "draw", (HIDDEN,) * cards)
            elif player.step is PlayerStep.KEEP:
                yield Move(seat, "keep", self._sorted(self._rng.sample(hand, min(len(hand), _due(state)))))
            elif player.step is PlayerStep.DISCARD:
                yield Move(seat, "discard", self._sorted(hand))
        if dry:
            yield Move(None, "reshuffle")

    def happened(self, state: State, ploy: Ploy, line: int) -> None:
        move, seat = ploy.move, ploy.move.seat
        if move.verb == "reshuffle":
            self._deck += state.discard
            self._rng.shuffle(self._deck)
        elif seat is not None and move.verb == "draw":
            self._hands[seat] += [self._deck.pop() for _ in move.cards]
        elif seat is not None and move.verb in ("keep", "discard"):
            for code in move.cards:
                self._hands[seat].remove(code)

    def _sorted(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(names, key=lambda name: (self._place[name.rstrip("'")], len(name))))

    # A turn, played with the pen

    def _turn(self, state: State, seat: int) -> Move:
        player, number = state.players[seat], self._number[state.numbers[-1]]
        turns = [self._pen(player, cell) for cell in self._open(_crossed(player), number)]
        if self._rng.random() < EAGER:
            for target, spend in _bought(number, player.lightning):
                turns += [self._pen(player, cell, spend) for cell in self._open(_crossed(player), target)]
        if not turns:
            return Move(seat, "skip")
        best = max(turns, key=lambda turn: turn.worth + self._rng.random())
        if best.spend and best.spend + 2 <= player.lightning and self._rng.random() < WASTEFUL:
            best.spend += 2
        return self._written(state, seat, best)

    def _pen(self, player: Player, first: Cell, spend: int = 0) -> PlayedTurn:
        """Cross a cell and use every bonus, greedily."""
        crossed, turn, waiting = _crossed(player), PlayedTurn([], [], spend), [first]
        bonuses: list[str] = []
        while waiting or bonuses:
            if waiting:
                name, cell = waiting.pop()
                turn.cells.append((name, cell))
                for line in self._completes(crossed, (name, cell)):
                    turn.won.append(line)
                    bonuses += [line] if line in "123456789?" else []
                crossed[name].add(cell)
                continue
            bonus = bonuses.pop(self._rng.randrange(len(bonuses)))
            cells = self._open(crossed, None if bonus == "?" else int(bonus))
            if cells:
                waiting.append(
                    max(cells, key=lambda cell: len(self._completes(crossed, cell)) + self._rng.random() / 2)
                )
        return turn

    def _open(self, crossed: dict[str, set[int]], number: int | None) -> list[Cell]:
        return [
            (name, cell)
            for name, done in crossed.items()
            for cell, printed in enumerate(self._face[name.rstrip("'")][0])
            if cell not in done and number in (None, printed)
        ]

    def _completes(self, crossed: dict[str, set[int]], cell: Cell) -> list[str]:
        """The bonuses of the lines that a cell would complete."""
        name, place = cell
        bonuses = self._face[name.rstrip("'")][1]
        after = crossed[name] | {place}
        return [bonus for line, bonus in zip(_LINES, bonuses, strict=True) if place in line and after.issuperset(line)]

    def _written(self, state: State, seat: int, turn: PlayedTurn, **more: int) -> Move:
        """The line for a turn; `more` is added to what it brings (a cheat)."""
        won = Counter(turn.won)
        free = MOST_STARS - state.players[seat].stars[state.round - 1]
        counts = Counter(spend=turn.spend, light=won["L"] + 2 * won["D"], moon=won["M"])
        counts[f"star{state.round}"] = min(won["S"], free)
        counts.update(more)
        order = sorted(turn.cells, key=lambda cell: (self._place[cell[0].rstrip("'")], len(cell[0]), cell[1]))
        words = tuple(f"{name}:r{cell // 3 + 1}c{cell % 3 + 1}" for name, cell in order)
        stated = tuple((name, number) for name, number in sorted(counts.items()) if number)
        return Move(seat, "mark", words, None, stated)

    # Cheating

    def cheat(self, state: State) -> Ploy | None:
        chances: dict[tuple[str, str], list[Move]] = {}
        for kind, rule, move in self._chances(state):
            chances.setdefault((kind, rule), []).append(move)
        if not chances:
            return None
        kind, rule = self._rng.choice(sorted(chances))
        return Ploy(self._rng.choice(chances[kind, rule]), breaks=rule, applies=False)

    def _chances(self, state: State) -> Iterator[tuple[str, str, Move]]:
        """Cheats by kind, with the rule they break."""
        if state.phase is Phase.PLAY:
            yield from self._number_cheats(state)
            yield "draw in play", "LB-T", Move(self._rng.randrange(len(state.players)), "draw", (HIDDEN,))
        else:
            steps = {player.step for player in state.players}
            rule = "LB-R1" if PlayerStep.SCORE in steps else "LB-R2" if PlayerStep.WIPE in steps else _drawing(state)
            yield "number early", rule, Move(None, "number", (self._rng.choice(self._all_numbers),))
            if state.deck or not state.discard:
                yield "reshuffle", "LB-R4", Move(None, "reshuffle")
        for seat, player in enumerate(state.players):
            if player.step is PlayerStep.MARK:
                yield from self._turn_cheats(state, seat)
            elif state.phase is Phase.PLAY and state.numbers and player.boxes:
                cells = self._open(_crossed(player), None)
                yield from (("twice", "LB-2", self._written(state, seat, PlayedTurn([c], []))) for c in cells[:1])
            elif state.phase is Phase.CARDS:
                yield from self._card_cheats(state, seat)

    def _number_cheats(self, state: State) -> Iterator[tuple[str, str, Move]]:
        some = self._rng.choice(self._all_numbers)
        if len(state.numbers) == TURNS:
            yield "tenth number", "LB-S1", Move(None, "number", (some,))
        elif any(player.step is PlayerStep.MARK for player in state.players):
            yield "next number", "LB-9", Move(None, "number", (some,))
        else:
            for code, turned in Counter(state.numbers).items():
                if turned == self._all_numbers.count(code):
                    yield "third copy", "LB-S1", Move(None, "number", (code,))

    def _card_cheats(self, state: State, seat: int) -> Iterator[tuple[str, str, Move]]:
        player, rule = state.players[seat], _drawing(state)
        if player.step in (PlayerStep.SCORE, PlayerStep.WIPE):
            first = "LB-R1" if player.step is PlayerStep.SCORE else "LB-R2"
            yield "draw unwiped", first, Move(seat, "draw", (HIDDEN,))
        if player.step is PlayerStep.SCORE:
            points = len(completed(player)) * WORTH[state.round - 1]
            yield "score", "LB-R1", Move(seat, "score", (str(points + self._rng.choice((-2, 3, 15))),))
            yield "no score", "LB-R1", Move(seat, "wipe", self._sorted(completed(player)))
        elif player.step is PlayerStep.WIPE:
            rest = [box.name for box in player.boxes if box.name not in completed(player)]
            yield from (("wipe", "LB-R2", Move(seat, "wipe", (name,))) for name in rest)
        elif player.step is PlayerStep.DRAW:
            yield "draw too many", rule, Move(seat, "draw", (HIDDEN,) * (player.owed + 1))
            if state.deck < player.owed:
                yield "deck short", "LB-R4", Move(seat, "draw", (HIDDEN,) * player.owed)
            if self._hands[seat]:
                yield "keep early", rule, Move(seat, "keep", self._sorted(self._hands[seat][:1]))
        elif player.step is PlayerStep.KEEP:
            yield from self._keep_cheats(state, seat)
        elif player.step is PlayerStep.DISCARD:
            yield "keep one more", rule, Move(seat, "keep", self._sorted(self._hands[seat][:1]))
            for code in self._face_up(state)[:1]:
                cards = self._sorted([*self._hands[seat][1:], code])
                yield "discard another's", "LB-K", Move(seat, "discard", cards)

    def _keep_cheats(self, state: State, seat: int) -> Iterator[tuple[str, str, Move]]:
        hand, due = self._hands[seat], _due(state)
        yield from (
            ("keep count", _drawing(state), Move(seat, "keep", self._sorted(hand[:cards])))
            for cards in (due - 1, due + 1)
            if 0 < cards <= len(hand) and due <= len(hand)
        )
        if due <= len(hand):
            yield from (
                ("keep another's", "LB-K", Move(seat, "keep", self._sorted([*hand[: due - 1], code])))
                for code in self._face_up(state)[:3]
            )
            one_copy = len(state.players) < TWO_COPIES_FROM
            if one_copy and len(state.pools) > 1 and not state.players[seat].splits[0][-1]:
                for code in self._deck[:3]:
                    cards = self._sorted([*hand[: due - 1], code])
                    yield "keep from the new deck", "LB-K", Move(seat, "keep", cards)

    def _face_up(self, state: State) -> list[str]:
        """Cards of which every copy is face up, so that nobody can hold one."""
        names = [*state.discard, *(box.name.rstrip("'") for player in state.players for box in player.boxes)]
        copies = 2 if len(state.players) >= TWO_COPIES_FROM else 1
        found = [code for code, count in sorted(Counter(names).items()) if count == copies]
        self._rng.shuffle(found)
        return found

    def _turn_cheats(self, state: State, seat: int) -> Iterator[tuple[str, str, Move]]:
        player, number = state.players[seat], self._number[state.numbers[-1]]
        crossed = _crossed(player)
        cells, all_cells = self._open(crossed, number), self._open(crossed, None)
        for cell in cells:
            turn = self._pen(player, cell)
            yield "skip", "LB-2", Move(seat, "skip")
            for name in ("light", "moon", f"star{state.round}"):
                yield "extra", "LB-5", self._written(state, seat, turn, **{name: 1})
            if set(turn.won) & {"L", "D", "M"}:
                yield "unclaimed", "LB-5", self._plain(self._written(state, seat, turn))
            other = f"star{state.round % 4 + 1}"
            yield "star row", "LB-5", self._written(state, seat, turn, **{other: 1})
            quiet = [c for c in all_cells if c != cell and self._quiet(crossed, (cell, c))]
            yield from (("two", "LB-2", self._written(state, seat, PlayedTurn([cell, c], []))) for c in quiet[:2])
            if len(turn.cells) == 1 and player.lightning > 1:
                yield "for nothing", "LB-3", self._written(state, seat, turn, spend=2)
            yield from self._bonus_cheats(state, seat, cell)
            after = self._after(crossed, turn.cells)
            if 1 < len(turn.cells) == 1 + sum(bonus in "123456789?" for bonus in turn.won) < 6:
                quiet = [c for c in self._open(after, None) if not self._completes(after, c)]
                for extra in quiet[:1]:
                    longer = PlayedTurn([*turn.cells, extra], turn.won)
                    yield "chain too long", "LB-6", self._written(state, seat, longer)
        for cell in self._rng.sample(all_cells, min(4, len(all_cells))):
            printed = self._face[cell[0].rstrip("'")][0][cell[1]]
            turn, least = self._pen(player, cell), min((printed - number) % 9, (number - printed) % 9)
            yield "too many tokens", "LB-3", self._written(state, seat, turn, spend=player.lightning + 1)
            if least and all(self._face[name.rstrip("'")][0][place] != number for name, place in turn.cells):
                yield "wrong number", "LB-2", self._written(state, seat, turn)
            if least == 2 and player.lightning and len(turn.cells) == 1:
                yield "miscount", "LB-3", self._written(state, seat, turn, spend=1)
        for name, done in crossed.items():
            yield from (
                ("crossed", "LB-2", self._written(state, seat, PlayedTurn([(name, c)], []))) for c in sorted(done)
            )

    def _bonus_cheats(self, state: State, seat: int, cell: Cell) -> Iterator[tuple[str, str, Move]]:
        """One digit or ? was won: it is not used, or used for another number."""
        crossed, number = _crossed(state.players[seat]), self._number[state.numbers[-1]]
        won = self._completes(crossed, cell)
        bonuses = [bonus for bonus in won if bonus in "123456789?"]
        after = self._after(crossed, [cell])
        if len(bonuses) != 1 or not self._open(after, None if bonuses[0] == "?" else int(bonuses[0])):
            return
        yield "bonus unused", "LB-5", self._written(state, seat, PlayedTurn([cell], won))
        if bonuses[0] != "?":
            for other in self._open(after, None):
                printed = self._face[other[0].rstrip("'")][0][other[1]]
                if printed not in (number, int(bonuses[0])) and not self._completes(after, other):
                    yield "bonus changed", "LB-5", self._written(state, seat, PlayedTurn([cell, other], won))

    def _after(self, crossed: dict[str, set[int]], cells: Iterable[Cell]) -> dict[str, set[int]]:
        after = {name: set(done) for name, done in crossed.items()}
        for name, cell in cells:
            after[name].add(cell)
        return after

    def _quiet(self, crossed: dict[str, set[int]], cells: tuple[Cell, Cell]) -> bool:
        """Whether two marks complete nothing."""
        after = self._after(crossed, cells)
        return not any(self._completes(after, cell) for cell in cells)

    def _plain(self, move: Move) -> Move:
        """The same marks, and nothing taken for them."""
        return Move(move.seat, move.verb, move.cards)


def _face(card: Card) -> tuple[tuple[int, ...], tuple[str, ...]]:
    return tuple(int(cell) for cell in card.row("grid")), (*card.row("rows"), *card.row("cols"))


def _crossed(player: Player) -> dict[str, set[int]]:
    return {box.name: {cell for cell in range(9) if box.crossed >> cell & 1} for box in player.boxes}


def _bought(number: int, tokens: int) -> Iterator[tuple[int, int]]:
    """The numbers that lightning can turn a number into, with the fewest tokens."""
    for spend in range(1, min(tokens, 4) + 1):
        yield (number - 1 + spend) % 9 + 1, spend
        yield (number - 1 - spend) % 9 + 1, spend


def _due(state: State) -> int:
    return LATER_KEEP if state.round else FIRST_KEEP


def _drawing(state: State) -> str:
    return "LB-R3" if state.round else "LB-S3"
