"""Dawaj 2: pass a card, create a growing two-digit number, draw for it; who stays in longest wins."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from models.cards import Deck, DeckError
from referee.games.dawaj2.state import (
    DEALT,
    KEPT_NUMBERS,
    Exit,
    Phase,
    Player,
    Progress,
    State,
    all_ready,
    allot,
    collectable,
    extend_run,
    hands_unable,
    held,
    left_of,
    rank,
    reshuffle_due,
    swaps,
    unready,
)
from referee.moves import HIDDEN, Move, seat_name
from referee.verdicts import Outcome, Reason, Standing, Verdict, because, illegal, legal, unclear
from referee.vocabulary import Verb, hidden_only

COLOURS = ("blue", "pink", "green")


class GameRules:
    """The rules of Dawaj 2 for one deck."""

    game = "dawaj2"
    seats = range(2, 7)
    state_type = State

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        cards = deck.cards
        self._codes = tuple(card.code for card in cards)
        self._index = {card.code: index for index, card in enumerate(cards)}
        self._copies = tuple(card.count for card in cards)
        self._total = sum(self._copies)
        self._digit = {card.code: card.number("digit") for card in cards}
        self._colour = {card.code: card.word("colour") for card in cards}
        self._stars = {card.code: card.number("stars") for card in cards}
        for card in cards:
            if not 1 <= self._digit[card.code] <= 9 or self._stars[card.code] not in (0, 1, 2):
                raise DeckError(f"card {card.code!r}: wanted digit 1 to 9 and 0, 1 or 2 stars")
            if self._colour[card.code] not in COLOURS:
                raise DeckError(
                    f"card {card.code!r}: colour = {self._colour[card.code]!r}, wanted {', '.join(COLOURS)}"
                )
        if self._total < DEALT * self.seats[-1]:
            raise DeckError(f"{self._total} cards; Dawaj 2 wants at least {DEALT * self.seats[-1]}")
        self._judges: dict[str, Callable[[State, int, Move], Verdict]] = {
            "pass": self._judge_pass,
            "take": self._judge_take,
            "lay": self._judge_lay,
            "turn": self._judge_turn,
            "out": self._judge_out,
            "draw": self._judge_draw,
        }

    def choices(self, players: int) -> Mapping[str, tuple[str, ...]]:
        return {"strict": ("no", "yes")}

    def guests(self, players: int) -> tuple[str, ...]:
        return ()

    def verbs(self, players: int) -> Mapping[str, Verb]:
        seats = frozenset(seat_name(seat) for seat in range(players))
        return {
            "pass": Verb("P1 pass ? @ P2", hidden_only, 1, DEALT, seats),
            "take": Verb("P1 take"),
            "lay": Verb("P1 lay ? ?", hidden_only, 1, DEALT),
            "turn": Verb("P1 turn 3P1 3G1", self._spell, 2, 2),
            "out": Verb("P1 out 8P0 7B1 3G0", self._spell, 0, self._total, order=self._order),
            "draw": Verb("P1 draw ? ?", hidden_only, 1, 20),
            "reshuffle": Verb("table reshuffle", seated=False),
        }

    def start(self, players: int, options: Mapping[str, str]) -> State:
        pile = self._total - DEALT * players
        table = tuple(Player() for _ in range(players))
        return State(0, 1, Phase.PASS, pile, table, (0,) * len(self._codes), options["strict"] == "yes")

    # Judging moves

    def legal_moves(self, state: State) -> Iterator[Move]:
        for seat, player in enumerate(state.players):
            if player.exit is not None:
                continue
            if state.phase is Phase.PASS:
                if player.step is Progress.NOTHING:
                    yield Move(seat, "pass", (HIDDEN,), seat_name(left_of(state, seat)))
                elif player.tray:
                    yield Move(seat, "take")
            elif state.phase is Phase.CREATE:
                yield from self._legal_creations(state, seat, player)
            elif state.phase is Phase.DRAW:
                for cards in range(1, min(player.owed, state.pile) + 1):
                    yield Move(seat, "draw", (HIDDEN,) * cards)
        if reshuffle_due(state):
            yield Move(None, "reshuffle")

    def _legal_creations(self, state: State, seat: int, player: Player) -> Iterator[Move]:
        if player.step is Progress.NOTHING:
            yield Move(seat, "lay", (HIDDEN, HIDDEN))
        if player.step is Progress.LAID and all_ready(state):
            free = [code for code, seen, all_ in zip(self._codes, state.seen, self._copies, strict=True) if seen < all_]
            for tens in free:
                for units in free:
                    move = Move(seat, "turn", (tens, units))
                    if self._too_many(state, move.cards) is None and (state.strict or self._grows(player, tens, units)):
                        yield move
        if player.step is not Progress.TURNED and player.tens:
            left = tuple(copies - seen for copies, seen in zip(self._copies, state.seen, strict=True))
            digits = tuple(self._digit[code] for code in self._codes)
            for hand in hands_unable(digits, left, held(player), self._number(player)):
                yield Move(seat, "out", tuple(self._codes[index] for index in hand))

    def judge(self, state: State, move: Move) -> Verdict:
        if state.phase is Phase.OVER:
            return illegal(move, "D2-E1", "over")
        if move.seat is None:
            if reshuffle_due(state):
                return legal(move, "D2-R2", "reshuffle", cards=collectable(state.players))
            return illegal(move, "D2-R1", "no-reshuffle", pile=state.pile)
        if state.players[move.seat].exit is not None:
            return illegal(move, "D2-X1", "is-out", seat=move.seat)
        return self._judges[move.verb](state, move.seat, move)

    def _judge_pass(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.PASS:
            return _wrong_phase(state, move, Phase.PASS)
        if state.players[seat].step is Progress.PASSED:
            return illegal(move, "D2-P4", "passed-already", seat=seat)
        neighbour = left_of(state, seat)
        if move.target != seat_name(neighbour):
            return illegal(move, "D2-P4", "wrong-neighbour", seat=seat, target=move.target or "", left_seat=neighbour)
        if len(move.cards) != 1:
            return illegal(move, "D2-P4", "pass-count", seat=seat, cards=len(move.cards))
        return legal(move, "D2-P4", "passes", seat=seat, left_seat=neighbour)

    def _judge_take(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.PASS:
            return _wrong_phase(state, move, Phase.PASS)
        if state.players[seat].step is not Progress.PASSED:
            return illegal(move, "D2-P5", "take-early", seat=seat)
        if not state.players[seat].tray:
            return illegal(move, "D2-P5", "take-nothing", seat=seat)
        return legal(move, "D2-P5", "takes", seat=seat)

    def _judge_lay(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.CREATE:
            return _wrong_phase(state, move, Phase.CREATE)
        if state.players[seat].step is not Progress.NOTHING:
            return illegal(move, "D2-C1", "laid-already", seat=seat)
        if len(move.cards) != 2:
            return illegal(move, "D2-C1", "lay-count", seat=seat, cards=len(move.cards))
        return legal(move, "D2-C1", "lays", seat=seat)

    def _judge_turn(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.CREATE:
            return _wrong_phase(state, move, Phase.CREATE)
        player = state.players[seat]
        if swaps(player, move.cards):
            return illegal(move, "D2-C2", "turn-swapped", seat=seat)
        if player.step is not Progress.LAID:
            return illegal(move, "D2-C1", "turn-unlaid", seat=seat)
        if not all_ready(state):
            return illegal(move, "D2-C2", "turn-early", seats=unready(state))
        if HIDDEN in move.cards:
            return unclear(move, "D2-C2", "unread", seat=seat)
        doubled = self._too_many(state, move.cards)
        if doubled is not None:
            return illegal(move, "D2-K", "too-many", card=doubled, copies=self._copies[self._index[doubled]])
        number, before = 10 * self._digit[move.cards[0]] + self._digit[move.cards[1]], self._number(player)
        if number > before:
            if not player.tens:
                return legal(move, "D2-C3", "first-number", seat=seat, number=number)
            return legal(move, "D2-C3", "grows", seat=seat, number=number, before=before)
        if state.strict:
            return legal(move, "D2-C3", "strict-out", seat=seat, number=number, before=before)
        return illegal(move, "D2-C3", "not-greater", seat=seat, number=number, before=before)

    def _judge_out(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.CREATE:
            return _wrong_phase(state, move, Phase.CREATE)
        player = state.players[seat]
        if player.step is Progress.TURNED:
            return illegal(move, "D2-C5", "out-after-turn", seat=seat)
        before = self._number(player)
        if not player.tens:
            return illegal(move, "D2-C5", "out-first-round", seat=seat)
        if not move.cards:
            return unclear(move, "D2-C7", "out-unshown", seat=seat, before=before, cards=held(player))
        digits = sorted((self._digit[card] for card in move.cards if card != HIDDEN), reverse=True)
        best = 10 * digits[0] + digits[1] if len(digits) > 1 else 0
        if best > before:
            return illegal(move, "D2-C7", "out-false", seat=seat, best=best, before=before)
        if len(move.cards) != held(player):
            return illegal(move, "D2-C7", "out-count", seat=seat, shown=len(move.cards), cards=held(player))
        if HIDDEN in move.cards:
            return unclear(move, "D2-C7", "unread", seat=seat)
        doubled = self._too_many(state, move.cards)
        if doubled is not None:
            return illegal(move, "D2-K", "too-many", card=doubled, copies=self._copies[self._index[doubled]])
        return legal(move, "D2-C7", "out-true", seat=seat, best=best, before=before)

    def _judge_draw(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.DRAW:
            return _wrong_phase(state, move, Phase.DRAW)
        player, cards = state.players[seat], len(move.cards)
        if cards > player.owed:
            return illegal(move, "D2-D0", "draws-too-many", seat=seat, cards=cards, owed=player.owed)
        if cards > state.pile:
            return illegal(move, "D2-R1", "pile-short", cards=cards, pile=state.pile)
        return legal(move, "D2-D0", "draws", seat=seat, cards=cards, awards=_spoken(player.awards))

    # Applying moves

    def apply(self, state: State, move: Move) -> State:
        seat = move.seat
        if seat is None:
            return self._reshuffle(state) if state.phase is not Phase.OVER and collectable(state.players) else state
        player = state.players[seat]
        if state.phase is Phase.OVER or player.exit is not None:
            return state
        if move.verb == "pass" and state.phase is Phase.PASS:
            return self._pass(state, seat, move)
        if move.verb == "take" and state.phase is Phase.PASS and player.tray:
            return self._set(state, seat, replace(player, hand=player.hand + player.tray, tray=0))
        if move.verb == "lay" and state.phase is Phase.CREATE and player.step is Progress.NOTHING:
            spare = max(0, min(len(move.cards), player.hand) - 2)
            return self._set(
                state, seat, replace(player, hand=player.hand - 2 - spare, step=Progress.LAID, spare=spare)
            )
        if (
            move.verb == "turn"
            and state.phase is Phase.CREATE
            and player.step is Progress.LAID
            and HIDDEN not in move.cards
        ):
            return self._turn(state, seat, move.cards)
        if move.verb == "turn" and swaps(player, move.cards):
            tens, units = (*player.tens[:-1], move.cards[0]), (*player.units[:-1], move.cards[1])
            return self._set(state, seat, replace(player, tens=tens, units=units))
        if move.verb == "out" and state.phase is Phase.CREATE and player.step is not Progress.TURNED:
            shown = move.cards if len(move.cards) == held(player) else ()
            return self._set(state, seat, replace(self._leave(state, player), shown=shown), up=shown)
        if move.verb == "draw" and state.phase is Phase.DRAW and state.pile:
            cards = min(len(move.cards), state.pile)
            drawn = replace(player, hand=player.hand + cards, owed=max(0, player.owed - cards))
            return self._set(replace(state, pile=state.pile - cards), seat, drawn)
        return state

    def _pass(self, state: State, seat: int, move: Move) -> State:
        player = state.players[seat]
        target = int((move.target or "P1")[1:]) - 1
        cards = min(len(move.cards), player.hand)
        if not cards or state.players[target].exit is not None:
            return state
        players = list(state.players)
        players[seat] = replace(player, hand=player.hand - cards, step=Progress.PASSED)
        players[target] = replace(players[target], tray=players[target].tray + cards)
        return self._advance(replace(state, ply=state.ply + 1, players=tuple(players)))

    def _turn(self, state: State, seat: int, cards: tuple[str, ...]) -> State:
        player = state.players[seat]
        if state.strict and not self._grows(player, *cards):
            return self._set(state, seat, self._leave(state, player))
        tens_run, tens_triple = extend_run(player.tens_run, self._colour[cards[0]])
        units_run, units_triple = extend_run(player.units_run, self._colour[cards[1]])
        awards: tuple[str, ...] = ("double",) if self._digit[cards[0]] == self._digit[cards[1]] else ()
        awards += (f"{tens_run[0]}-tens",) if tens_triple else ()
        awards += (f"{units_run[0]}-units",) if units_triple else ()
        turned = replace(
            player,
            tens=(*player.tens, cards[0]),
            units=(*player.units, cards[1]),
            tens_run=tens_run,
            units_run=units_run,
            awards=awards,
            step=Progress.TURNED,
            hand=player.hand + player.spare,
            spare=0,
        )
        return self._set(state, seat, turned, up=cards)

    def _set(self, state: State, seat: int, player: Player, up: tuple[str, ...] = ()) -> State:
        players = (*state.players[:seat], player, *state.players[seat + 1 :])
        seen = self._seen(state.seen, up, +1) if up else state.seen
        return self._advance(State(state.ply + 1, state.round, state.phase, state.pile, players, seen, state.strict))

    def _advance(self, state: State) -> State:
        """Go on to the next phase when everybody is done with this one."""
        active = [player for player in state.players if player.exit is None]
        if state.phase is Phase.PASS:
            done = all(player.step is Progress.PASSED and not player.tray for player in active)
            return self._begin_create(state) if done else state
        if state.phase is Phase.CREATE:
            return self._end_create(state) if all(player.step is Progress.TURNED for player in active) else state
        if state.phase is Phase.DRAW:
            return state if any(player.owed for player in active) else self._begin_round(state)
        return state

    def _begin_round(self, state: State) -> State:
        fresh = (replace(player, step=Progress.NOTHING, awards=(), owed=0) for player in state.players)
        state = replace(state, round=state.round + 1, phase=Phase.PASS, players=tuple(fresh))
        left = tuple(p if p.exit or p.hand else self._leave(state, p) for p in state.players)
        over = sum(player.exit is None for player in left) < 2
        return replace(state, phase=Phase.OVER if over else Phase.PASS, players=left)

    def _begin_create(self, state: State) -> State:
        state = replace(state, phase=Phase.CREATE)
        fresh = (replace(player, step=Progress.NOTHING) for player in state.players)
        stuck = (p if p.exit or (p.hand >= 2 and self._number(p) < 99) else self._leave(state, p) for p in fresh)
        return self._advance(replace(state, players=tuple(stuck)))

    def _end_create(self, state: State) -> State:
        if sum(player.exit is None for player in state.players) < 2:
            return replace(state, phase=Phase.OVER)
        return self._advance(replace(state, phase=Phase.DRAW, players=allot(state, self._award(state))))

    def _award(self, state: State) -> tuple[Player, ...]:
        """The number of draws for each player: highest number, most stars, and the earnings of the turned cards."""
        active = [player for player in state.players if player.exit is None]
        highest = max(self._number(player) for player in active)
        most = max(self._new_stars(player) for player in active)
        players = []
        for player in state.players:
            if player.exit is None:
                awards: tuple[str, ...] = ("highest",) if self._number(player) == highest else ()
                awards += ("stars",) if most and self._new_stars(player) == most else ()
                awards += player.awards
                player = replace(player, awards=awards, owed=len(awards))
            players.append(player)
        return tuple(players)

    def _reshuffle(self, state: State) -> State:
        """Cards of those who are out, and all but the newest numbers, become the pile."""
        seen, players = state.seen, []
        for player in state.players:
            keep = KEPT_NUMBERS if player.exit is None else 0
            old = max(0, len(player.tens) - keep)
            seen = self._seen(seen, (*player.tens[:old], *player.units[:old], *player.shown), -1)
            hand = player.hand if player.exit is None else 0
            players.append(replace(player, hand=hand, tens=player.tens[old:], units=player.units[old:], shown=()))
        pile = state.pile + collectable(state.players)
        return replace(state, ply=state.ply + 1, pile=pile, players=tuple(players), seen=seen)

    def _leave(self, state: State, player: Player) -> Player:
        gone = Exit(state.round, state.phase, held(player), self._number(player))
        return replace(player, hand=held(player), step=Progress.NOTHING, spare=0, awards=(), owed=0, exit=gone)

    # Standings, outcome and status

    def todo(self, state: State) -> tuple[Reason, ...]:
        if state.phase is Phase.OVER:
            return ()
        if reshuffle_due(state):
            return (because("todo-reshuffle", cards=collectable(state.players)),)
        ready = state.phase is Phase.CREATE and all_ready(state)
        todo = []
        for seat, player in enumerate(state.players):
            if player.exit is not None or (player.step is Progress.TURNED and not player.owed):
                continue
            if state.phase is Phase.PASS and player.step is Progress.NOTHING:
                todo.append(because("todo-pass", seat=seat, left_seat=left_of(state, seat)))
            elif state.phase is Phase.PASS and player.tray:
                todo.append(because("todo-take", seat=seat))
            elif ready:
                todo.append(because("todo-turn", seat=seat))
            elif state.phase is Phase.CREATE and player.step is Progress.NOTHING:
                key = "todo-create" if player.tens else "todo-create-any"
                todo.append(because(key, seat=seat, before=self._number(player)))
            elif state.phase is Phase.DRAW:
                todo.append(because("todo-draw", seat=seat, cards=player.owed, awards=_spoken(player.awards)))
        return tuple(todo)

    def standings(self, state: State) -> tuple[Standing, ...]:
        return tuple(
            Standing(seat, player.hand, self._number(player), self._story(seat, player))
            for seat, player in enumerate(state.players)
        )

    def _story(self, seat: int, player: Player) -> Reason:
        if player.exit is None:
            return because("story-in", seat=seat, number=self._number(player))
        return because("story-out", seat=seat, round=player.exit.round, phase=f"~phase-{player.exit.phase}")

    def outcome(self, state: State) -> Outcome | None:
        if state.phase is not Phase.OVER:
            return None
        return rank(state.players)

    def status(self, state: State) -> tuple[Reason, ...]:
        cards = state.pile + sum(held(p) + p.tray + len(p.tens) + len(p.units) for p in state.players)
        faults = [because("status-lost", cards=cards, total=self._total)] if cards != self._total else []
        up = Counter(card for p in state.players for card in (*p.tens, *p.units, *p.shown))
        if tuple(up[code] for code in self._codes) != state.seen:
            faults.append(because("status-seen"))
        return tuple(faults)

    # The deck

    def _spell(self, word: str) -> str | None:
        return word if word in self._index or word == HIDDEN else None

    def _order(self, code: str) -> int:
        return self._index.get(code, len(self._codes))

    def _number(self, player: Player) -> int:
        return 10 * self._digit[player.tens[-1]] + self._digit[player.units[-1]] if player.tens else 0

    def _grows(self, player: Player, tens: str, units: str) -> bool:
        return 10 * self._digit[tens] + self._digit[units] > self._number(player)

    def _new_stars(self, player: Player) -> int:
        return self._stars[player.tens[-1]] + self._stars[player.units[-1]]

    def _too_many(self, state: State, cards: tuple[str, ...]) -> str | None:
        """A card that would be face up more often than the deck has copies."""
        for card in cards:
            index = self._index[card]
            if state.seen[index] + cards.count(card) > self._copies[index]:
                return card
        return None

    def _seen(self, seen: tuple[int, ...], cards: tuple[str, ...], step: int) -> tuple[int, ...]:
        counts = list(seen)
        for card in cards:
            if card != HIDDEN:
                counts[self._index[card]] += step
        return tuple(counts)


def _wrong_phase(state: State, move: Move, wanted: Phase) -> Verdict:
    return illegal(move, "D2-T1", "wrong-phase", wanted=f"~phase-{wanted}", phase=f"~phase-{state.phase}")


def _spoken(awards: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"~award-{award}" for award in awards)
