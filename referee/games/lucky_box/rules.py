"""Lucky Box: cross off the number that was turned, complete lines, and let the bonuses run.

Standings count what is on the scorecard so far: completed cards written down and stars. Moons and half cells come
only with the end, when the points are the full total.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from models.cards import Deck
from referee.games.lucky_box.marks import COUNTS, Marks, Turn
from referee.games.lucky_box.state import (
    FULL,
    MOST_STARS,
    ROUNDS,
    SECOND,
    TURNS,
    WORTH,
    Box,
    Phase,
    Player,
    PlayerStep,
    State,
    completed,
    draw,
    face_code,
    free_name,
    handfuls,
    hidden,
    rank,
    remaining,
    reshuffle,
    reshuffle_due,
    seats_at,
    set_player,
    story,
    to_keep,
    totals,
    wipe,
    written,
)
from referee.games.lucky_box.turn import read_faces, read_numbers
from referee.moves import HIDDEN, Move
from referee.verdicts import Outcome, Reason, Standing, Verdict, because, illegal, legal, unclear
from referee.vocabulary import Spelling, Verb, hidden_only

TWO_COPIES_FROM = 7


class GameRules:
    """The rules of Lucky Box for one deck."""

    game = "lucky_box"
    seats = range(1, 13)
    state_type = State

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        faces = read_faces(deck)
        self._marks = Marks(faces)
        self._number = read_numbers(deck)
        self._number_copies = {card.code: card.count for card in deck.of("number")}
        self._codes = tuple(faces)
        self._index = {code: index for index, code in enumerate(self._codes)}
        names = (code + second for code in self._codes for second in ("", SECOND))
        self._rank = {name: place for place, name in enumerate(names)}
        self._judges: dict[str, Callable[[State, int, Move], Verdict]] = {
            "draw": self._judge_draw,
            "keep": self._judge_keep,
            "discard": self._judge_discard,
            "score": self._judge_score,
            "wipe": self._judge_wipe,
            "mark": self._judge_mark,
            "skip": self._judge_skip,
        }

    def choices(self, players: int) -> Mapping[str, tuple[str, ...]]:
        return {}

    def guests(self, players: int) -> tuple[str, ...]:
        return ()

    def verbs(self, players: int) -> Mapping[str, Verb]:
        boxes = _among(self._index)
        names, cells = boxes, _among(word for word in self._marks.cells if SECOND not in word)
        if _copies(players) > 1:
            names, cells = _among(self._rank), _among(self._marks.cells)
        return {
            "draw": Verb("P1 draw ? ? ?", hidden_only, 1, 20),
            "reshuffle": Verb("table reshuffle", seated=False),
            "keep": Verb("P1 keep 4 9 30", boxes, 1, 20, order=self._name_order),
            "discard": Verb("P1 discard 12 17", boxes, 1, 20, order=self._name_order),
            "number": Verb("table number n5", _among(self._number), 1, 1, seated=False),
            "mark": Verb(
                "P1 mark 49:r1c1 58:r2c1 spend=1 light=2 moon=1 star2=1",
                cells,
                1,
                9 * len(self._codes),
                counts=COUNTS,
                order=self._marks.order,
            ),
            "skip": Verb("P1 skip"),
            "score": Verb("P1 score 24", _points_word, 1, 1),
            "wipe": Verb("P1 wipe 49 58", names, 1, 20, order=self._name_order),
        }

    def start(self, players: int, options: Mapping[str, str]) -> State:
        unseen = (_copies(players),) * len(self._codes)
        table = tuple(Player() for _ in range(players))
        return State(0, 0, Phase.CARDS, sum(unseen), (), (), table, unseen, (unseen,))

    # Judging moves

    def legal_moves(self, state: State) -> Iterator[Move]:
        for seat, player in enumerate(state.players):
            if state.phase is Phase.OVER:
                return
            if player.step is PlayerStep.MARK:
                yield from self._marks.moves(self._turn(state, seat))
            elif player.step is PlayerStep.SCORE:
                points = len(completed(player)) * WORTH[state.round - 1]
                yield Move(seat, "score", (str(points),))
            elif player.step is PlayerStep.WIPE:
                yield Move(seat, "wipe", tuple(sorted(completed(player), key=self._name_order)))
            elif player.step is PlayerStep.DRAW:
                for cards in range(1, min(player.owed, state.deck) + 1):
                    yield Move(seat, "draw", (HIDDEN,) * cards)
            elif player.step in (PlayerStep.KEEP, PlayerStep.DISCARD):
                cards = to_keep(state, player) if player.step is PlayerStep.KEEP else hidden(player)
                for handful in handfuls(player.splits, state.pools, state.unseen, cards):
                    yield Move(seat, str(player.step), tuple(self._codes[card] for card in handful))
        if reshuffle_due(state):
            yield Move(None, "reshuffle")
        if state.phase is Phase.PLAY and len(state.numbers) < TURNS and not seats_at(state, PlayerStep.MARK):
            for code, copies in self._number_copies.items():
                if state.numbers.count(code) < copies:
                    yield Move(None, "number", (code,))

    def judge(self, state: State, move: Move) -> Verdict:
        if state.phase is Phase.OVER:
            return illegal(move, "LB-E1", "over")
        if move.seat is None:
            return self._judge_number(state, move) if move.verb == "number" else self._judge_reshuffle(state, move)
        return self._judges[move.verb](state, move.seat, move)

    def _judge_reshuffle(self, state: State, move: Move) -> Verdict:
        if reshuffle_due(state):
            return legal(move, "LB-R4", "reshuffle", cards=len(state.discard))
        return illegal(move, "LB-R4", "no-reshuffle", deck=state.deck, discard=len(state.discard))

    def _judge_number(self, state: State, move: Move) -> Verdict:
        if state.phase is Phase.CARDS:
            if seats_at(state, PlayerStep.SCORE):
                return illegal(move, "LB-R1", "number-unscored", seats=seats_at(state, PlayerStep.SCORE))
            if seats_at(state, PlayerStep.WIPE):
                return illegal(move, "LB-R2", "number-unwiped", seats=seats_at(state, PlayerStep.WIPE))
            waiting = seats_at(state, PlayerStep.DRAW, PlayerStep.KEEP, PlayerStep.DISCARD)
            return illegal(move, _drawing(state), "number-undrawn", seats=waiting)
        if len(state.numbers) >= TURNS:
            return illegal(move, "LB-S1", "number-tenth", round=state.round)
        if seats_at(state, PlayerStep.MARK):
            return illegal(move, "LB-9", "number-early", seats=seats_at(state, PlayerStep.MARK))
        code = move.cards[0]
        if code == HIDDEN:
            return unclear(move, "LB-1", "number-unread")
        number, copies = self._number[code], self._number_copies[code]
        if state.numbers.count(code) >= copies:
            return illegal(move, "LB-S1", "number-again", number=number, copies=copies, round=state.round)
        return legal(move, "LB-1", "number", number=number, turn=len(state.numbers) + 1, round=state.round)

    def _not_drawing(self, state: State, seat: int, move: Move) -> Verdict | None:
        """Why a player may not handle new cards now at all."""
        step = state.players[seat].step
        if state.phase is not Phase.CARDS:
            return _wrong_phase(state, move, Phase.CARDS)
        if step is PlayerStep.SCORE:
            return illegal(move, "LB-R1", "score-first", seat=seat, cards=completed(state.players[seat]))
        if step is PlayerStep.WIPE:
            return illegal(move, "LB-R2", "wipe-first", seat=seat, cards=completed(state.players[seat]))
        return None

    def _judge_draw(self, state: State, seat: int, move: Move) -> Verdict:
        player, cards = state.players[seat], len(move.cards)
        refusal = self._not_drawing(state, seat, move)
        if refusal is not None:
            return refusal
        if cards > player.owed:
            return illegal(move, _drawing(state), "draws-too-many", seat=seat, cards=cards, owed=player.owed)
        if cards > state.deck:
            return illegal(move, "LB-R4", "deck-short", cards=cards, deck=state.deck)
        return legal(move, _drawing(state), "draws", seat=seat, cards=cards, owed=player.owed - cards)

    def _judge_keep(self, state: State, seat: int, move: Move) -> Verdict:
        player, rule = state.players[seat], _drawing(state)
        refusal = self._not_drawing(state, seat, move)
        if refusal is not None:
            return refusal
        if player.step is PlayerStep.DRAW:
            return illegal(move, rule, "keep-early", seat=seat, owed=player.owed)
        if player.step is not PlayerStep.KEEP:
            return illegal(move, rule, "kept-already", seat=seat)
        due = to_keep(state, player)
        if len(move.cards) != due:
            return illegal(move, rule, "keep-count", seat=seat, cards=len(move.cards), due=due)
        return self._strange_cards(state, seat, move) or legal(move, rule, "keeps", seat=seat, cards=move.cards)

    def _judge_discard(self, state: State, seat: int, move: Move) -> Verdict:
        player, rule = state.players[seat], _drawing(state)
        refusal = self._not_drawing(state, seat, move)
        if refusal is not None:
            return refusal
        if player.step in (PlayerStep.DRAW, PlayerStep.KEEP):
            return illegal(move, rule, "discard-early", seat=seat)
        due = hidden(player)
        if len(move.cards) != due:
            return illegal(move, rule, "discard-count", seat=seat, cards=len(move.cards), due=due)
        return self._strange_cards(state, seat, move) or legal(move, rule, "discards", seat=seat, cards=move.cards)

    def _strange_cards(self, state: State, seat: int, move: Move) -> Verdict | None:
        """Why these cards cannot be among those the player drew."""
        known = [self._index[code] for code in move.cards if code != HIDDEN]
        for card in known:
            if known.count(card) > state.unseen[card]:
                copies = _copies(len(state.players))
                return illegal(move, "LB-K", "lies-elsewhere", seat=seat, card=self._codes[card], copies=copies)
        if len(known) < len(move.cards):
            return unclear(move, "LB-K", "unread", seat=seat)
        if not remaining(state.players[seat].splits, state.pools, state.unseen, tuple(known)):
            return illegal(move, "LB-K", "other-deck", seat=seat, cards=move.cards)
        return None

    def _judge_score(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.CARDS:
            return _wrong_phase(state, move, Phase.CARDS)
        if state.players[seat].step is not PlayerStep.SCORE:
            return illegal(move, "LB-R1", "nothing-to-score", seat=seat)
        cards, worth = len(completed(state.players[seat])), WORTH[state.round - 1]
        stated = int(move.cards[0])
        key, verdict = ("scores", legal) if stated == cards * worth else ("scores-wrong", illegal)
        return verdict(
            move,
            "LB-R1",
            key,
            seat=seat,
            cards=cards,
            worth=worth,
            points=cards * worth,
            stated=stated,
            round=state.round,
        )

    def _judge_wipe(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.CARDS:
            return _wrong_phase(state, move, Phase.CARDS)
        player = state.players[seat]
        if player.step is PlayerStep.SCORE:
            return illegal(move, "LB-R1", "score-first", seat=seat, cards=completed(player))
        if player.step is not PlayerStep.WIPE:
            return illegal(move, "LB-R2", "nothing-to-wipe", seat=seat)
        due = tuple(sorted(completed(player), key=self._name_order))
        if HIDDEN in move.cards and len(move.cards) == len(due):
            return unclear(move, "LB-R2", "unread", seat=seat)
        if move.cards != due:
            return illegal(move, "LB-R2", "wipes-wrong", seat=seat, cards=move.cards, due=due)
        return legal(move, "LB-R2", "wipes", seat=seat, cards=move.cards)

    def _no_turn(self, state: State, seat: int, move: Move) -> Verdict | None:
        if state.phase is not Phase.PLAY:
            return _wrong_phase(state, move, Phase.PLAY)
        if not state.numbers:
            return illegal(move, "LB-1", "no-number", round=state.round)
        if state.players[seat].step is not PlayerStep.MARK:
            return illegal(move, "LB-2", "turn-done", seat=seat, number=self._number[state.numbers[-1]])
        return None

    def _judge_mark(self, state: State, seat: int, move: Move) -> Verdict:
        return self._no_turn(state, seat, move) or self._marks.judge(self._turn(state, seat), move)

    def _judge_skip(self, state: State, seat: int, move: Move) -> Verdict:
        refusal = self._no_turn(state, seat, move)
        if refusal is not None:
            return refusal
        number = self._number[state.numbers[-1]]
        cell = self._marks.matching(state.players[seat].boxes, number)
        if cell is not None:
            return illegal(move, "LB-2", "skips-wrong", seat=seat, number=number, cell=cell)
        return legal(move, "LB-2", "skips", seat=seat, number=number)

    # Applying moves

    def apply(self, state: State, move: Move) -> State:
        seat = move.seat
        if seat is None:
            return self._number_turned(state, move) if move.verb == "number" else reshuffle(state, self._codes)
        player = state.players[seat]
        if state.phase is Phase.PLAY:
            return self._play(state, seat, move)
        if state.phase is Phase.OVER:
            return state
        if move.verb == "draw":
            return draw(state, seat, len(move.cards))
        if move.verb == "keep" and player.step in (PlayerStep.DRAW, PlayerStep.KEEP):
            return self._show(state, seat, move)
        if move.verb == "discard" and player.step is PlayerStep.DISCARD:
            return self._show(state, seat, move)
        if move.verb == "score" and player.step is PlayerStep.SCORE:
            points = list(player.points)
            points[state.round - 1] = int(move.cards[0])
            step = PlayerStep.WIPE if state.round < ROUNDS else PlayerStep.READY
            return set_player(state, seat, replace(player, points=tuple(points), step=step))
        if move.verb == "wipe" and player.step is PlayerStep.WIPE:
            return wipe(state, seat, move.cards)
        return state

    def _number_turned(self, state: State, move: Move) -> State:
        if state.phase is not Phase.PLAY or len(state.numbers) >= TURNS or HIDDEN in move.cards:
            return state
        players = tuple(replace(player, step=PlayerStep.MARK) for player in state.players)
        return replace(state, ply=state.ply + 1, numbers=(*state.numbers, *move.cards), players=players)

    def _play(self, state: State, seat: int, move: Move) -> State:
        player = state.players[seat]
        if not state.numbers:
            return state
        if move.verb == "skip" and player.step is PlayerStep.MARK:
            return set_player(state, seat, replace(player, step=PlayerStep.READY))
        if move.verb == "mark":
            marked = self._marks.apply(player, move)
            return state if replace(marked, step=player.step) == player else set_player(state, seat, marked)
        return state

    def _show(self, state: State, seat: int, move: Move) -> State:
        """Keep or discard drawn cards; cards that cannot be among them change nothing.

        A whole hand may be discarded unread, if a human lets that stand; then the place of these cards is unknown.
        """
        player = state.players[seat]
        unread = move.cards.count(HIDDEN)
        if unread and (move.verb == "keep" or len(move.cards) != hidden(player)):
            return state
        shown = tuple(self._index[code] for code in move.cards if code != HIDDEN)
        splits = remaining(player.splits, state.pools, state.unseen, shown)
        if not splits:
            return state
        if unread:
            splits = (tuple(0 for _ in splits[0]),)
        unseen = list(state.unseen)
        for card in shown:
            unseen[card] -= 1
        pools = tuple(tuple(map(min, pool, unseen)) for pool in state.pools)
        discard, boxes = state.discard, player.boxes
        if move.verb == "discard":
            discard += move.cards
        else:
            for code in move.cards:
                boxes += (Box(free_name(boxes, code)),)
        step = PlayerStep.DISCARD if sum(splits[0]) else PlayerStep.READY
        after = replace(player, boxes=boxes, step=step, owed=0, splits=splits)
        return set_player(replace(state, discard=discard, unseen=tuple(unseen), pools=pools), seat, after)

    # Standings, outcome and status

    def todo(self, state: State) -> tuple[Reason, ...]:
        if state.phase is Phase.OVER:
            return ()
        if state.phase is Phase.PLAY and not seats_at(state, PlayerStep.MARK):
            return (because("todo-number", turn=len(state.numbers) + 1, round=state.round),)
        todo = [because("todo-reshuffle", cards=len(state.discard))] if reshuffle_due(state) else []
        for seat, player in enumerate(state.players):
            if player.step is PlayerStep.MARK:
                number = self._number[state.numbers[-1]]
                key = "todo-skip" if self._marks.matching(player.boxes, number) is None else "todo-mark"
                todo.append(because(key, seat=seat, number=number, held=player.lightning))
            elif player.step is PlayerStep.SCORE:
                points = len(completed(player)) * WORTH[state.round - 1]
                todo.append(because("todo-score", seat=seat, points=points, cards=completed(player)))
            elif player.step is PlayerStep.WIPE:
                todo.append(because("todo-wipe", seat=seat, cards=completed(player)))
            elif player.step is PlayerStep.DRAW and state.deck:
                todo.append(because("todo-draw", seat=seat, cards=player.owed))
            elif player.step is PlayerStep.KEEP:
                todo.append(because("todo-keep", seat=seat, cards=to_keep(state, player), hand=hidden(player)))
            elif player.step is PlayerStep.DISCARD:
                todo.append(because("todo-discard", seat=seat, cards=hidden(player)))
        return tuple(todo)

    def standings(self, state: State) -> tuple[Standing, ...]:
        over = state.phase is Phase.OVER
        points = totals(state.players) if over else tuple(written(player) for player in state.players)
        return tuple(
            Standing(seat, hidden(player), points[seat], story(seat, player))
            for seat, player in enumerate(state.players)
        )

    def outcome(self, state: State) -> Outcome | None:
        if state.phase is not Phase.OVER:
            return None
        return rank(totals(state.players), tuple(player.moons for player in state.players))

    def status(self, state: State) -> tuple[Reason, ...]:
        copies = _copies(len(state.players))
        up = Counter(state.discard) + Counter(face_code(box.name) for p in state.players for box in p.boxes)
        cards = state.deck + sum(map(hidden, state.players)) + up.total()
        total = copies * len(self._codes)
        faults = [because("status-lost", cards=cards, total=total)] if cards != total else []
        if tuple(copies - up[code] for code in self._codes) != state.unseen or min(state.unseen) < 0:
            faults.append(because("status-seen"))
        for seat, player in enumerate(state.players):
            strange = min(player.lightning, player.moons, player.owed, *player.stars, *map(min, player.splits)) < 0
            if strange or max(player.stars) > MOST_STARS or any(box.crossed & ~FULL for box in player.boxes):
                faults.append(because("status-player", seat=seat))
        return tuple(faults)

    def _turn(self, state: State, seat: int) -> Turn:
        return Turn(seat, state.players[seat], state.round, self._number[state.numbers[-1]])

    def _name_order(self, name: str) -> int:
        return self._rank.get(name, len(self._rank))


def _copies(players: int) -> int:
    return 2 if players >= TWO_COPIES_FROM else 1


def _drawing(state: State) -> str:
    return "LB-R3" if state.round else "LB-S3"


def _wrong_phase(state: State, move: Move, wanted: Phase) -> Verdict:
    return illegal(move, "LB-T", "wrong-phase", wanted=f"~phase-{wanted}", phase=f"~phase-{state.phase}")


def _among(words: Iterable[str]) -> Spelling:
    known = {*words, HIDDEN}
    return lambda word: word if word in known else None


def _points_word(word: str) -> str | None:
    return str(int(word)) if word.isascii() and word.isdecimal() and len(word) <= 3 else None
