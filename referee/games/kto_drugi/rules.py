"""Kto drugi, ten lepszy: race cards push the figures; second on the track scores, second in points wins."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from models.cards import Deck, DeckError
from referee.games.kto_drugi.state import (
    DEALT,
    FIRST,
    LAST,
    LEONS,
    ROUNDS,
    STAGES,
    START,
    Chair,
    Due,
    Phase,
    State,
    clamp,
    heaps,
    is_leon,
    leon_plays,
    missing,
    move_order,
    own_only,
    rank,
    score,
    to_turn,
    totals,
)
from referee.moves import HIDDEN, Move, seat_index, seat_name
from referee.verdicts import Arg, Outcome, Reason, Standing, Verdict, because, illegal, legal, unclear
from referee.vocabulary import Verb, hidden_only

SPACES = frozenset(str(space) for space in range(FIRST, LAST + 1))

_BARE = re.compile(r"[+-]?[0-9]+\Z")


class GameRules:
    """The rules of Kto drugi, ten lepszy for one deck."""

    game = "kto_drugi"
    seats = range(2, 7)
    state_type = State

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        race = deck.of("race")
        for card in race:
            if not FIRST <= card.number("value") <= LAST or not card.number("value"):
                raise DeckError(f"card {card.code!r}: value = {card.number('value')}, wanted {FIRST} to {LAST}, not 0")
            if card.number("white") < 0:
                raise DeckError(f"card {card.code!r}: white = {card.number('white')}, wanted 0 or more")
            if _BARE.match(card.code):
                raise DeckError(f"card {card.code!r}: a code must say more than the value, as +2/17")
        self._total = deck.total("race")
        if self._total < DEALT * self.seats[-1]:
            raise DeckError(f"{self._total} race cards; Kto drugi wants at least {DEALT * self.seats[-1]}")
        self._codes = {card.code: index for index, card in enumerate(race)}
        self._copies = tuple(card.count for card in race)
        self._white = {card.code: card.number("white") for card in race}
        values = sorted({card.number("value") for card in race})
        self._bare = tuple(f"{value:+d}" for value in values)
        self._value_copies = tuple(sum(card.count for card in race if card.number("value") == v) for v in values)
        # In the basic game a card may be written by its value alone, so words are bare values and codes.
        self._value = dict(zip(self._bare, values, strict=True)) | {card.code: card.number("value") for card in race}
        self._value_index = {word: values.index(value) for word, value in self._value.items()}
        self._order = {word: index for index, word in enumerate((*self._value, HIDDEN))}
        self._judges: dict[str, Callable[[State, int, Move], Verdict]] = {
            "lay": self._judge_lay,
            "turn": self._judge_turn,
            "move": self._judge_move,
        }

    def choices(self, players: int) -> Mapping[str, tuple[str, ...]]:
        return {"tactical": ("no", "yes")}

    def guests(self, players: int) -> tuple[str, ...]:
        return ("Leon",) if players == 2 else ()

    def verbs(self, players: int) -> Mapping[str, Verb]:
        chairs = players + len(self.guests(players))
        seats = frozenset(seat_name(seat) for seat in range(chairs))
        return {
            "lay": Verb("P1 lay ? @ P2", hidden_only, 1, DEALT, seats),
            "turn": Verb("P2 turn +2 -1", self._spell, 1, chairs + 2, order=self._order.__getitem__),
            "move": Verb("P2 move P2 @ 5", lambda word: word if word in seats else None, 1, chairs, SPACES),
            "clear": Verb("table clear", seated=False),
        }

    def start(self, players: int, options: Mapping[str, str]) -> State:
        chairs = tuple(Chair(DEALT) for _ in range(players))
        chairs += tuple(Chair(LEONS) for _ in self.guests(players))
        return self._deal(State(0, players, options["tactical"] == "yes", 1, 1, Phase.LAY, chairs, 0, 0, (), ()))

    # Judging moves

    def legal_moves(self, state: State) -> Iterator[Move]:
        if state.phase is Phase.LAY:
            for seat in missing(state):
                targets = (seat,) if own_only(state) else range(len(state.chairs))
                yield from (Move(seat, "lay", (HIDDEN,), seat_name(target)) for target in targets)
        elif state.phase is Phase.TURN:
            for seat in range(len(state.chairs)):
                cards = to_turn(state, seat)
                if cards:
                    left = [copies - seen for copies, seen in zip(self._value_copies, state.values, strict=True)]
                    yield from (Move(seat, "turn", heap) for heap in heaps(self._kinds(state), left, cards))
        elif state.phase is Phase.MOVE:
            yield from self._legal_steps(state)
        elif state.phase is Phase.CLEAR:
            yield Move(None, "clear")

    def _legal_steps(self, state: State) -> Iterator[Move]:
        for seat, chair in enumerate(state.chairs):
            if chair.goal is not None:
                yield Move(seat, "move", (seat_name(seat),), str(chair.goal))
        for due in state.queue[:1]:
            for figure in (due.seat,) if is_leon(state, due.seat) else range(len(state.chairs)):
                space = clamp(state.chairs[figure].position + self._value[due.card])
                yield Move(due.seat, "move", (seat_name(figure),), str(space))

    def _kinds(self, state: State) -> tuple[tuple[str, int, int], ...]:
        """The possible words for a card now, each with its value and its remaining number of copies."""
        bare = () if state.tactical else ((word, self._value_index[word], self._total) for word in self._bare)
        coded = (
            (code, self._value_index[code], self._copies[index] - state.codes[index])
            for code, index in self._codes.items()
        )
        return (*bare, *coded)

    def judge(self, state: State, move: Move) -> Verdict:
        if state.phase is Phase.OVER:
            return illegal(move, "KD-11", "over")
        if move.seat is not None:
            return self._judges[move.verb](state, move.seat, move)
        if state.phase is not Phase.CLEAR:
            return illegal(move, "KD-8", "clear-early", phase=f"~phase-{state.phase}")
        cards = _on_table(state)
        if state.round == ROUNDS:
            return legal(move, "KD-8", "clears-stage", cards=cards, stage=state.stage)
        return legal(move, "KD-8", "clears", cards=cards, round=state.round)

    def _judge_lay(self, state: State, seat: int, move: Move) -> Verdict:
        chair, target = state.chairs[seat], seat_index(move.target or "")
        if is_leon(state, seat):
            return illegal(move, "KD-L2", "lay-leon")
        if state.phase is Phase.CLEAR:
            return illegal(move, "KD-8", "lay-uncleared", seat=seat, cards=_on_table(state), round=state.round)
        if chair.laid:
            return illegal(move, "KD-5", "laid-already", seat=seat, round=state.round)
        if not chair.hand:
            return illegal(move, "KD-5", "lay-none", seat=seat)
        if len(move.cards) != 1:
            return illegal(move, "KD-5", "lay-count", seat=seat, cards=len(move.cards))
        if own_only(state):
            rule, key = ("KD-T1", "tactical") if state.tactical else ("KD-9", "last")
            if target != seat:
                return illegal(move, rule, f"not-own-{key}", seat=seat, round=state.round)
            return legal(move, rule, f"lays-{key}", seat=seat, round=state.round)
        if target == seat:
            return legal(move, "KD-5", "lays-own", seat=seat)
        return legal(move, "KD-5", _of("lays", state, target), seat=seat, target_seat=target)

    def _judge_turn(self, state: State, seat: int, move: Move) -> Verdict:
        cards, wanted = move.cards, to_turn(state, seat)
        if is_leon(state, seat) and not wanted and state.round == ROUNDS:
            return illegal(move, "KD-L3", "turn-leon-last")
        if state.phase is Phase.LAY:
            late = missing(state)
            return illegal(move, "KD-5", "turn-early", cards=len(late), seats=late)
        if state.phase is not Phase.TURN:
            return illegal(move, "KD-7", "turned-all", round=state.round)
        if not wanted and not state.chairs[seat].up:
            return illegal(move, "KD-7", "turn-nothing", seat=seat)
        if not wanted:
            return illegal(move, "KD-7", _of("turned-already", state, seat), seat=seat)
        rule = "KD-L2" if leon_plays(state, seat) else "KD-7"
        if len(cards) != wanted:
            return illegal(move, rule, _of("turn-count", state, seat), seat=seat, shown=len(cards), cards=wanted)
        if HIDDEN in cards:
            return unclear(move, rule, _of("unread", state, seat), seat=seat)
        if state.tactical and any(card not in self._codes for card in cards):
            bare = next(card for card in cards if card not in self._codes)
            return unclear(move, "KD-T2", "white-unread", card=bare)
        doubled = self._too_many(state, cards)
        if doubled is not None:
            return illegal(move, "KD-K", "too-many", card=doubled[0], copies=doubled[1])
        if state.tactical:
            white = self._white[cards[0]]
            return legal(move, "KD-T1", _of("turns-white", state, seat), seat=seat, cards=cards, white=white)
        total = sum(self._value[card] for card in cards)
        return legal(move, rule, _of("turns", state, seat), seat=seat, cards=cards, sum=_signed(total))

    def _judge_move(self, state: State, seat: int, move: Move) -> Verdict:
        rule = "KD-T3" if state.tactical else "KD-7"
        if state.phase is Phase.LAY or state.phase is Phase.TURN:
            return illegal(move, rule, "move-early", phase=f"~phase-{state.phase}")
        if state.phase is Phase.CLEAR:
            return illegal(move, rule, "move-late", round=state.round)
        if len(move.cards) != 1:
            return illegal(move, rule, "move-several", figures=len(move.cards))
        figure = seat_index(move.cards[0])
        return (self._judge_push if state.tactical else self._judge_step)(state, seat, figure, move)

    def _judge_step(self, state: State, seat: int, figure: int, move: Move) -> Verdict:
        chair = state.chairs[figure]
        if figure != seat:
            return illegal(move, "KD-7", "wrong-figure")
        here, goal = _space(chair.position), chair.goal
        if goal is None:
            return illegal(move, "KD-7", _of("stays", state, seat), seat=seat, here=here)
        numbers: dict[str, Arg] = {"here": here, "sum": self._sum(chair), "space": _space(goal)}
        if move.target != str(goal):
            found = _space(int(move.target or ""))
            return illegal(move, "KD-7", _of("wrong-space", state, seat), seat=seat, found=found, **numbers)
        return legal(move, "KD-7", _of("moves", state, seat), seat=seat, **numbers)

    def _judge_push(self, state: State, seat: int, figure: int, move: Move) -> Verdict:
        due = state.queue[0]
        value, white = self._value[due.card], self._white[due.card]
        if seat != due.seat:
            return illegal(move, "KD-T2", _of("wrong-order", state, due.seat), next_seat=due.seat, white=white)
        if is_leon(state, seat) and figure != seat:
            return illegal(move, "KD-L2", "leon-only")
        here, space = state.chairs[figure].position, clamp(state.chairs[figure].position + value)
        numbers: dict[str, Arg] = {"here": _space(here), "sum": _signed(value), "space": _space(space)}
        if move.target != str(space):
            return illegal(move, "KD-T3", "wrong-push", found=_space(int(move.target or "")), **numbers)
        if figure == seat:
            return legal(move, "KD-T3", _of("moves", state, seat), seat=seat, **numbers)
        return legal(move, "KD-T3", _of("pushes", state, figure), seat=seat, figure_seat=figure, **numbers)

    # Applying moves

    def apply(self, state: State, move: Move) -> State:
        seat, phase = move.seat, state.phase
        if seat is None:
            return self._clear(state) if phase is Phase.CLEAR else self._sweep(state)
        if move.verb == "move":
            return self._move(state, seat, move) if phase is Phase.MOVE else self._push(state, move)
        if phase is not Phase.LAY and phase is not Phase.TURN:
            return state
        return self._lay(state, seat, move) if move.verb == "lay" else self._turn(state, seat, move.cards)

    def _lay(self, state: State, seat: int, move: Move) -> State:
        chairs, target = list(state.chairs), seat_index(move.target or "")
        cards = min(len(move.cards), chairs[seat].hand)
        if is_leon(state, seat) or not cards:
            return state
        chairs[seat] = replace(chairs[seat], hand=chairs[seat].hand - cards, laid=True)
        chairs[target] = replace(chairs[target], before=chairs[target].before + cards)
        return self._advance(replace(state, ply=state.ply + 1, chairs=tuple(chairs)))

    def _turn(self, state: State, seat: int, cards: tuple[str, ...]) -> State:
        readable = self._codes if state.tactical else self._value
        if len(cards) > to_turn(state, seat) or any(card not in readable for card in cards):
            return state
        chair, codes, values = state.chairs[seat], list(state.codes), list(state.values)
        for card in cards:
            values[self._value_index[card]] += 1
            if card in self._codes:
                codes[self._codes[card]] += 1
        top = len(cards) > chair.before
        turned = replace(
            chair,
            hand=chair.hand - top,
            laid=chair.laid or top,
            before=max(0, chair.before - len(cards)),
            up=chair.up + cards,
        )
        chairs = (*state.chairs[:seat], turned, *state.chairs[seat + 1 :])
        after = replace(state, ply=state.ply + 1, chairs=chairs, codes=tuple(codes), values=tuple(values))
        return self._advance(after)

    def _move(self, state: State, seat: int, move: Move) -> State:
        if len(move.cards) != 1:
            return state
        figure, space = seat_index(move.cards[0]), int(move.target or "")
        chair, queue = state.chairs[figure], state.queue
        used = next((due for due in queue if due.seat == seat), None)
        if used is None if state.tactical else (chair.goal is None and chair.position == space):
            return state
        chairs = (*state.chairs[:figure], replace(chair, position=space, goal=None), *state.chairs[figure + 1 :])
        queue = tuple(due for due in queue if due is not used)
        return self._advance(replace(state, ply=state.ply + 1, chairs=chairs, queue=queue))

    def _push(self, state: State, move: Move) -> State:
        """A figure moved while none is due."""
        if len(move.cards) != 1 or state.phase is Phase.OVER:
            return state
        figure, space = seat_index(move.cards[0]), int(move.target or "")
        if state.chairs[figure].position == space:
            return state
        pushed = replace(state.chairs[figure], position=space)
        return replace(state, ply=state.ply + 1, chairs=(*state.chairs[:figure], pushed, *state.chairs[figure + 1 :]))

    def _sweep(self, state: State) -> State:
        """A table cleared too early: the figures stay where they are, and the round is over."""
        if state.phase is Phase.OVER or not _on_table(state):
            return state
        chairs = tuple(replace(chair, goal=None) for chair in state.chairs)
        stopped = replace(state, chairs=chairs, queue=())
        scored = self._score(stopped) if state.round == ROUNDS else stopped
        return replace(scored, ply=state.ply + 1) if scored.phase is Phase.OVER else self._clear(scored)

    def _clear(self, state: State) -> State:
        aside = state.aside + _on_table(state)
        state = replace(state, ply=state.ply + 1, phase=Phase.LAY, aside=aside)
        if state.round == ROUNDS:
            return self._deal(replace(state, stage=state.stage + 1, round=1))
        chairs = tuple(replace(chair, laid=False, before=0, up=()) for chair in state.chairs)
        return self._advance(replace(state, round=state.round + 1, chairs=chairs))

    def _deal(self, state: State) -> State:
        """A stage begins: figures to START, everybody gets cards from the whole deck."""
        chairs = tuple(
            Chair(LEONS if is_leon(state, seat) else DEALT, points=chair.points)
            for seat, chair in enumerate(state.chairs)
        )
        stock = self._total - sum(chair.hand for chair in chairs)
        codes, values = (0,) * len(self._copies), (0,) * len(self._value_copies)
        return replace(state, chairs=chairs, stock=stock, aside=0, codes=codes, values=values)

    def _advance(self, state: State) -> State:
        """Go on to the next phase when everybody is done with this one."""
        if state.phase is Phase.LAY and not missing(state):
            state = replace(state, phase=Phase.TURN)
        if state.phase is Phase.TURN and not any(to_turn(state, seat) for seat in range(len(state.chairs))):
            state = replace(self._send(state), phase=Phase.MOVE)
        if state.phase is Phase.MOVE and not state.queue and all(chair.goal is None for chair in state.chairs):
            state = self._score(state) if state.round == ROUNDS else replace(state, phase=Phase.CLEAR)
        return state

    def _send(self, state: State) -> State:
        """The consequences of the turned cards: a goal for every figure that moves, or the order of the movers."""
        if state.tactical:
            up = [Due(seat, card) for seat, chair in enumerate(state.chairs) for card in chair.up]
            cards = [(due, self._value[due.card], self._white[due.card]) for due in up]
            return replace(state, queue=tuple(move_order(cards, len(state.chairs))))
        chairs = []
        for chair in state.chairs:
            goal = clamp(chair.position + sum(self._value[card] for card in chair.up))
            chairs.append(chair if goal == chair.position else replace(chair, goal=goal))
        return replace(state, chairs=tuple(chairs))

    def _score(self, state: State) -> State:
        points = score(tuple(chair.position for chair in state.chairs))
        chairs = (replace(c, points=(*c.points, won)) for c, won in zip(state.chairs, points, strict=True))
        return replace(state, phase=Phase.OVER if state.stage == STAGES else Phase.CLEAR, chairs=tuple(chairs))

    # Standings, outcome and status

    def todo(self, state: State) -> tuple[Reason, ...]:
        chairs = range(len(state.chairs))
        if state.phase is Phase.LAY:
            key = "todo-lay-own" if own_only(state) else "todo-lay"
            return tuple(because(key, seat=seat, stage=state.stage, round=state.round) for seat in missing(state))
        if state.phase is Phase.TURN:
            heap = [(seat, to_turn(state, seat)) for seat in chairs]
            return tuple(because(_of("todo-turn", state, s), seat=s, cards=cards) for s, cards in heap if cards)
        if state.phase is Phase.MOVE and state.tactical:
            due = state.queue[0]
            value, white = _signed(self._value[due.card]), self._white[due.card]
            return (because(_of("todo-push", state, due.seat), seat=due.seat, sum=value, white=white),)
        if state.phase is Phase.MOVE:
            return tuple(
                because(_of("todo-move", state, seat), seat=seat, sum=self._sum(chair), space=_space(chair.goal))
                for seat, chair in enumerate(state.chairs)
                if chair.goal is not None
            )
        if state.phase is Phase.CLEAR and state.round == ROUNDS:
            key = "todo-stage-leon" if len(state.chairs) > state.players else "todo-stage"
            return (because(key, stage=state.stage, next=state.stage + 1, dealt=DEALT, leons=LEONS),)
        if state.phase is Phase.CLEAR:
            return (because("todo-clear", cards=_on_table(state), round=state.round),)
        return ()

    def standings(self, state: State) -> tuple[Standing, ...]:
        return tuple(
            Standing(seat, chair.hand, points, _story(state, seat, chair))
            for seat, (chair, points) in enumerate(zip(state.chairs, totals(state), strict=True))
        )

    def outcome(self, state: State) -> Outcome | None:
        return rank(totals(state), state.players) if state.phase is Phase.OVER else None

    def status(self, state: State) -> tuple[Reason, ...]:
        cards = state.stock + state.aside + _on_table(state) + sum(chair.hand for chair in state.chairs)
        faults = [because("status-lost", cards=cards, total=self._total)] if cards != self._total else []
        up = sum(len(chair.up) for chair in state.chairs)
        # Cards that were put aside too early may never have been turned.
        if sum(state.values) > state.aside + up or sum(state.codes) > sum(state.values):
            faults.append(because("status-seen", cards=sum(state.values), up=state.aside + up))
        faults += (
            because("status-space", space=chair.position, first=FIRST, last=LAST)
            for chair in state.chairs
            if not FIRST <= chair.position <= LAST
        )
        return tuple(faults)

    # The deck

    def _spell(self, word: str) -> str | None:
        return word if word in self._order else None

    def _sum(self, chair: Chair) -> str:
        return _signed(sum(self._value[card] for card in chair.up))

    def _too_many(self, state: State, cards: tuple[str, ...]) -> tuple[str, int] | None:
        """A card turned more often in this stage than the deck has copies, with the number of copies."""
        values = [self._value_index[card] for card in cards]
        for card, value in zip(cards, values, strict=True):
            code = self._codes.get(card)
            if code is not None and state.codes[code] + cards.count(card) > self._copies[code]:
                return card, self._copies[code]
            if state.values[value] + values.count(value) > self._value_copies[value]:
                return self._bare[value], self._value_copies[value]
        return None


def _on_table(state: State) -> int:
    return sum(chair.before + len(chair.up) for chair in state.chairs)


def _space(space: int) -> str:
    return "~start" if space == START else str(space)


def _signed(number: int) -> str:
    return f"{number:+d}" if number else "0"


def _story(state: State, seat: int, chair: Chair) -> Reason:
    if not chair.points:
        return because(_of("story-first", state, seat), here=_space(chair.position))
    sheet = tuple(str(points) for points in chair.points)
    return because(_of("story", state, seat), here=_space(chair.position), sheet=sheet)


def _of(key: str, state: State, seat: int) -> str:
    """The sentence for a seat: Leon has sentences of his own, because nobody gave him a name."""
    return f"{key}-leon" if is_leon(state, seat) else key
