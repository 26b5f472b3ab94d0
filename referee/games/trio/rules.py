"""Trio: ask hands for their lowest or highest card, turn cards of the centre, find three alike."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from models.cards import Deck, DeckError
from referee.games.trio.hands import COPIES, HIGHEST, LOWEST, NEVER, End, EndFault, side_fault
from referee.games.trio.state import (
    CARDS,
    AskedPlace,
    Phase,
    State,
    Swap,
    Up,
    all_cards,
    can_be,
    can_show,
    can_turn,
    consequence,
    copies_seen,
    crossed,
    deal,
    due,
    guilty_claim,
    held,
    homes,
    lies,
    members,
    named_places,
    next_turn,
    opening_state,
    partner_of,
    places,
    put_back,
    seen_anyway,
    shown_hand,
    side_of,
    side_trios,
    slot_name,
    turned_slot,
    winning,
)
from referee.moves import HIDDEN, Move, seat_index, seat_name
from referee.verdicts import Outcome, Reason, Standing, Verdict, because, illegal, legal, unclear
from referee.vocabulary import Verb, hidden_only

VALUES = range(LOWEST, HIGHEST + 1)
MOST_SWAPPED = 4


class GameRules:
    """The rules of Trio for one deck."""

    game = "trio"
    seats = range(3, 7)
    state_type = State

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self._value = {card.code: card.number("number") for card in deck.cards}
        self._code = {value: code for code, value in self._value.items()}
        if sorted(self._value.values()) != list(VALUES):
            raise DeckError(f"numbers {sorted(self._value.values())}; Trio wants {LOWEST} to {HIGHEST}, once each")
        for card in deck.cards:
            if card.count != COPIES:
                raise DeckError(f"card {card.code!r}: count = {card.count}; Trio wants {COPIES} copies of each")
        self.links = {card.number("number"): self._linked(card.code, card.row("links")) for card in deck.cards}
        for value, others in self.links.items():
            for other in others:
                if value not in self.links[other]:
                    raise DeckError(f"{value} is linked to {other}, but {other} not to {value}; wanted both or none")
        self._places = named_places()
        self._judges: dict[str, Callable[[State, int, Move], Verdict]] = {
            "reveal": self._judge_reveal,
            "return": self._judge_return,
            "claim": self._judge_claim,
            "end": self._judge_end,
            "swap": self._judge_swap,
            "pass": self._judge_pass,
        }
        self._follow: dict[str, Callable[[State, int, Move], State]] = {
            "reveal": self._reveal,
            "return": self._return,
            "claim": self._claim,
            "end": self._end,
            "swap": self._swap,
            "pass": self._pass,
        }

    def choices(self, players: int) -> Mapping[str, tuple[str, ...]]:
        teams = ("solo", "team") if players in (4, 6) else ("solo",)
        first = tuple(seat_name(seat) for seat in range(players))
        return {"goal": ("mild", "spicy"), "format": teams, "first": first}

    def guests(self, players: int) -> tuple[str, ...]:
        return ()

    def verbs(self, players: int) -> Mapping[str, Verb]:
        hands = frozenset(seat_name(seat) for seat in range(players))
        slots = frozenset(slot_name(slot) for slot in range(deal(players, team=False)[1]))
        ends = frozenset(f"{hand}.{end}" for hand in hands for end in End)
        return {
            "reveal": Verb("P1 reveal 3 @ P2.low", self._spell, 1, 1, hands | ends | slots),
            "return": Verb("P1 return 3 @ P2", self._spell, 1, 1, hands | slots),
            "claim": Verb("P1 claim 2 2 2", self._spell, 1, COPIES, order=self._order),
            "end": Verb("P1 end"),
            "pass": Verb("P1 pass"),
            "swap": Verb("P1 swap ? @ P3", hidden_only, 1, MOST_SWAPPED, hands),
        }

    def start(self, players: int, options: Mapping[str, str]) -> State:
        first = seat_index(options["first"])
        return opening_state(players, options["format"] == "team", options["goal"] == "spicy", first)

    # Judging moves

    def legal_moves(self, state: State) -> Iterator[Move]:
        if state.phase is Phase.OVER:
            return
        for side, swap in enumerate(state.swaps):
            one, other = members(state, side)[0], members(state, side)[-1]
            if swap is Swap.OPEN and held(state, one) and held(state, other):
                yield Move(one, "swap", (HIDDEN,), seat_name(other))
                yield Move(other, "swap", (HIDDEN,), seat_name(one))
        if state.phase is Phase.REVEAL:
            yield from self._legal_slots(state)
            yield from self._legal_hands(state)
        elif state.phase is Phase.RETURN:
            for value, home in sorted({(card.value, card.home) for card in state.up}):
                yield Move(state.turn, "return", (self._code[value],), home)
        else:
            yield Move(state.turn, "claim", tuple(self._code[card.value] for card in state.up[:COPIES]))
            for card in state.up[COPIES:]:
                yield Move(state.turn, "return", (self._code[card.value],), card.home)

    def _legal_slots(self, state: State) -> Iterator[Move]:
        for index, slot in enumerate(state.slots):
            if slot.lies:
                for value in VALUES:
                    if can_turn(state, index, value):
                        yield Move(state.turn, "reveal", (self._code[value],), slot_name(index))

    def _legal_hands(self, state: State) -> Iterator[Move]:
        for seat in range(len(state.trios)):
            cards, name = held(state, seat), seat_name(seat)
            for value in VALUES if cards else ():
                ends = [end for end in End if can_show(state, seat, end, value)]
                targets = [f"{name}.{end}" for end in ends]
                if len(ends) == 1 or (ends and cards == 1):
                    targets.append(name)
                for target in targets:
                    yield Move(state.turn, "reveal", (self._code[value],), target)

    def judge(self, state: State, move: Move) -> Verdict:
        if state.phase is Phase.OVER:
            return illegal(move, "TR-E", "over")
        seat = move.seat or 0
        if seat != state.turn and move.verb != "swap":
            return illegal(move, "TR-8", "not-turn", seat=seat, turn_seat=state.turn)
        return self._judges[move.verb](state, seat, move)

    def _judge_reveal(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is Phase.RETURN:
            return illegal(move, "TR-4", "after-mismatch", seat=seat, cards=self._faces(state.up))
        if state.phase is Phase.CLAIM:
            return illegal(move, "TR-5", "fourth", seat=seat, card=self._code[state.up[0].value])
        place = self._places[move.target or ""]
        if place.slot is not None:
            if not lies(state, place.slot):
                key = "slot-up" if any(card.home == move.target for card in state.up) else "slot-gone"
                return illegal(move, "TR-1", key, slot=move.target or "")
        elif not held(state, place.seat or 0):
            return illegal(move, "TR-9", "hand-empty", owner_seat=place.seat or 0)
        if move.cards[0] == HIDDEN:
            return unclear(move, "TR-1", "unread", seat=seat if place.seat is None else place.seat)
        value = self._value[move.cards[0]]
        if place.slot is not None:
            return self._judge_slot(state, seat, move, place.slot, value)
        return self._judge_hand(state, seat, move, place, value)

    def _judge_slot(self, state: State, seat: int, move: Move, index: int, value: int) -> Verdict:
        slot = state.slots[index]
        if slot.value is not None and slot.value != value:
            args = {"slot": slot_name(index), "card": self._code[value], "before": self._code[slot.value]}
            return _about(illegal(move, "TR-M", "slot-changed", **args), slot.ply)
        fault = self._wrong_table(state, turned_slot(state, index, value), move, value)
        if fault is not None:
            return fault
        rule, then = consequence(state, value)
        return legal(move, rule, "turns-slot", seat=seat, slot=slot_name(index), card=self._code[value], then=then)

    def _judge_hand(self, state: State, seat: int, move: Move, place: AskedPlace, value: int) -> Verdict:
        owner = place.seat or 0
        faults = {end: self._wrong_hand(state, move, owner, end, value) for end in End if place.end in (None, end)}
        right = [end for end, fault in faults.items() if fault is None]
        if len(right) == 2 and held(state, owner) > 1:
            return unclear(move, "TR-1", "which-end", owner_seat=owner, card=self._code[value])
        if not right:
            return self._worst([fault for fault in faults.values() if fault is not None], move, owner, value)
        rule, then = consequence(state, value)
        key = "shows-last" if held(state, owner) == 1 else f"shows-{right[0]}"
        return legal(move, rule, key, seat=seat, owner_seat=owner, card=self._code[value], then=then)

    def _wrong_hand(self, state: State, move: Move, owner: int, end: End, value: int) -> Verdict | None:
        """The fault of a card as this end of a hand."""
        after = shown_hand(state, owner, end, value)
        if after is not None:
            return self._wrong_table(state, after, move, value)
        sides = len(state.sides)
        return self._accuse(move, owner, value, side_fault(state.sides[owner % sides], owner // sides, value, end))

    def _accuse(self, move: Move, owner: int, value: int, fault: EndFault) -> Verdict:
        against = self._code.get(fault.against, "")
        return _about(
            illegal(move, "TR-3", fault.key, owner_seat=owner, card=self._code[value], against=against), fault.ply
        )

    def _worst(self, faults: list[Verdict], move: Move, owner: int, value: int) -> Verdict:
        """The verdict on a card that can be neither end: by the whole table, or as no end at all."""
        if len(set(faults)) == 1:
            return faults[0]
        table = [fault for fault in faults if fault.rule != "TR-3"]
        return table[0] if table else self._accuse(move, owner, value, EndFault("no-end"))

    def _wrong_table(self, state: State, after: State, move: Move, value: int) -> Verdict | None:
        """The verdicts against a card from the rest of the table."""
        if can_be(after):
            return None
        if copies_seen(after, value) > COPIES:
            return illegal(move, "TR-K", "too-many", card=self._code[value], copies=COPIES)
        guilty = guilty_claim(after, state.ply)
        key = "cannot-be" if guilty is None else "cannot-both"
        return _about(illegal(move, "TR-F", key, card=self._code[value]), NEVER if guilty is None else guilty)

    def _judge_return(self, state: State, seat: int, move: Move) -> Verdict:
        if not state.up:
            return illegal(move, "TR-7", "nothing-up")
        if state.phase is Phase.REVEAL:
            return illegal(move, "TR-5", "return-early", seat=seat, cards=self._faces(state.up))
        target, code = move.target or "", move.cards[0]
        if state.phase is Phase.CLAIM and code not in self._faces(state.up[COPIES:]):
            return illegal(move, "TR-6", "return-trio", seat=seat, card=self._code[state.up[0].value])
        if code == HIDDEN:
            if any(card.home == target for card in state.up):
                return unclear(move, "TR-7", "unread", seat=seat)
            return illegal(move, "TR-7", "from-elsewhere", place=target, homes=homes(state.up))
        found = homes(card for card in state.up if card.value == self._value[code])
        if not found:
            return illegal(move, "TR-7", "not-up", card=code, cards=self._faces(state.up))
        if target not in found:
            return illegal(move, "TR-7", "wrong-place", card=code, place=target, homes=found)
        place = self._places[target]
        if place.slot is not None:
            return legal(move, "TR-7", "returns-slot", card=code, slot=target)
        return legal(move, "TR-7", "returns-hand", card=code, owner_seat=place.seat or 0)

    def _judge_claim(self, state: State, seat: int, move: Move) -> Verdict:
        up = self._faces(state.up)
        if state.phase is not Phase.CLAIM:
            key = "claim-nothing" if not up else "claim-unequal" if state.phase is Phase.RETURN else "claim-few"
            return illegal(move, "TR-6", key, seat=seat, cards=up)
        if len(move.cards) < COPIES or any(card not in (HIDDEN, up[0]) for card in move.cards):
            return illegal(move, "TR-6", "claim-others", seat=seat, claimed=move.cards, cards=up)
        if HIDDEN in move.cards:
            return unclear(move, "TR-6", "unread", seat=seat)
        trios = (*side_trios(state, side_of(state, seat)), state.up[0].value)
        how = winning(trios, state.spicy, self.links)
        if how is not None:
            return legal(move, "TR-E", f"takes-{how}", seat=seat, card=up[0])
        return legal(move, "TR-6", "takes", seat=seat, card=up[0])

    def _judge_end(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is Phase.RETURN:
            return illegal(move, "TR-7", "end-unreturned", seat=seat, cards=self._faces(state.up))
        if state.phase is Phase.CLAIM:
            return illegal(move, "TR-6", "end-unclaimed", seat=seat, card=self._code[state.up[0].value])
        key = ("end-none", "end-one", "end-pair")[len(state.up)]
        return illegal(move, "TR-5", key, seat=seat, cards=self._faces(state.up))

    def _judge_pass(self, state: State, seat: int, move: Move) -> Verdict:
        return unclear(move, "TR-1", "unseen-turn" if not state.up else "unseen-card", seat=seat)

    def _judge_swap(self, state: State, seat: int, move: Move) -> Verdict:
        other, partner = seat_index(move.target or ""), partner_of(state, seat)
        if partner is None:
            return illegal(move, "TR-S5", "swap-solo")
        rule = "TR-11" if any(state.trios) else "TR-S5"
        if other != partner:
            return illegal(move, rule, "swap-stranger", seat=seat, partner_seat=partner)
        swap = state.swaps[side_of(state, seat)]
        if swap is not Swap.OPEN:
            return illegal(move, rule if swap is not Swap.CLOSED else "TR-11", f"swap-{swap}", seats=(seat, partner))
        if len(move.cards) != 1:
            return illegal(move, rule, "swap-count", seats=(seat, partner), cards=len(move.cards))
        empty = tuple(each for each in (seat, partner) if not held(state, each))
        if empty:
            return illegal(move, rule, "swap-empty", seats=empty)
        return legal(move, rule, "swaps", seats=(seat, partner))

    # Applying moves

    def apply(self, state: State, move: Move) -> State:
        if state.phase is Phase.OVER:
            return state
        after = self._follow[move.verb](state, move.seat or 0, move)
        return after if after is state else replace(after, ply=state.ply + 1)

    def _reveal(self, state: State, seat: int, move: Move) -> State:
        place, code = self._places[move.target or ""], move.cards[0]
        there = lies(state, place.slot) if place.slot is not None else held(state, place.seat or 0) > 0
        if code == HIDDEN or not there:
            return state
        after = seen_anyway(state, place, self._value[code])
        if after is state:
            return state
        # An extra card stays face up like the others: after a mismatch it goes back with them, beside a trio alone.
        phase = state.phase if state.phase is Phase.RETURN else due(after.up)
        turn = state.turn if state.up else seat
        return replace(after, phase=phase, turn=turn, swaps=(Swap.CLOSED,) * len(state.swaps))

    def _return(self, state: State, seat: int, move: Move) -> State:
        target, code = move.target or "", move.cards[0]
        alike = [card for card in state.up if code in (HIDDEN, self._code[card.value])]
        home = [card for card in alike if card.home == target]
        if not home and (not alike or (code == HIDDEN and len(alike) > 1)):
            return state
        after = put_back(state, (home or alike)[0], self._places[target])
        if after is None:
            return state
        if state.phase is Phase.RETURN:
            return after if after.up else next_turn(after)
        return replace(after, phase=due(after.up))

    def _claim(self, state: State, seat: int, move: Move) -> State:
        if state.phase is not Phase.CLAIM or any(
            card not in (HIDDEN, self._code[state.up[0].value]) for card in move.cards
        ):
            return state
        mine = (*state.trios[seat], state.up[0].value)
        trios = (*state.trios[:seat], mine, *state.trios[seat + 1 :])
        after = replace(state, up=state.up[COPIES:], trios=trios)
        side = side_of(state, seat)
        if winning(side_trios(after, side), state.spicy, self.links) is not None:
            return replace(after, phase=Phase.OVER)
        if len(state.sides) < len(trios):
            swaps = tuple(Swap.SCORED if each == side else Swap.OPEN for each in range(len(state.sides)))
            after = replace(after, swaps=swaps)
        return replace(after, phase=Phase.RETURN) if after.up else next_turn(after)

    def _end(self, state: State, seat: int, move: Move) -> State:
        """A turn that was broken off: the face-up cards still have to go back."""
        if state.phase is not Phase.RETURN:
            return replace(state, phase=Phase.RETURN) if state.up else next_turn(state)
        after = state
        for card in state.up:
            after = put_back(after, card, self._places[card.home]) or after
        return next_turn(replace(after, up=()))

    def _pass(self, state: State, seat: int, move: Move) -> State:
        """An unseen reveal: a card that did not match and went back, or a whole turn of that kind."""
        if state.phase is not Phase.REVEAL:
            return state
        return replace(state, phase=Phase.RETURN) if state.up else next_turn(state)

    def _swap(self, state: State, seat: int, move: Move) -> State:
        other = seat_index(move.target or "")
        cards = min(len(move.cards), held(state, seat), held(state, other))
        return crossed(state, seat, other, cards) if cards and other != seat else state

    # Standings, outcome and status

    def todo(self, state: State) -> tuple[Reason, ...]:
        if state.phase is Phase.OVER:
            return ()
        seat, up = state.turn, self._faces(state.up)
        swaps = tuple(
            because("todo-swap", seats=members(state, side))
            for side, swap in enumerate(state.swaps)
            if swap is Swap.OPEN and all(held(state, each) for each in members(state, side))
        )
        if state.phase is Phase.CLAIM:
            return (*swaps, because("todo-claim", seat=seat, card=up[0]))
        if state.phase is Phase.REVEAL:
            key = ("todo-first", "todo-second", "todo-third")[len(up)]
            return (*swaps, because(key, seat=seat, card=up[0] if up else ""))
        todo = []
        for card in state.up:
            place, code = self._places[card.home], self._code[card.value]
            if place.slot is not None:
                todo.append(because("todo-return-slot", card=code, slot=card.home))
            else:
                todo.append(because("todo-return-hand", card=code, owner_seat=place.seat or 0))
        return (*swaps, *todo)

    def standings(self, state: State) -> tuple[Standing, ...]:
        return tuple(self._standing(state, seat) for seat in range(len(state.trios)))

    def _standing(self, state: State, seat: int) -> Standing:
        trios, partner = side_trios(state, side_of(state, seat)), partner_of(state, seat)
        key = "story" if partner is None else "story-team"
        codes = tuple(self._code[value] for value in trios)
        args = {} if partner is None else {"partner_seat": partner}
        story = because(key, trios=codes, **args) if trios else because(f"{key}-none", **args)
        return Standing(seat, held(state, seat), len(trios), story)

    def outcome(self, state: State) -> Outcome | None:
        if state.phase is not Phase.OVER:
            return None
        ends = [winning(side_trios(state, side), state.spicy, self.links) for side in range(len(state.sides))]
        winner = next(side for side, how in enumerate(ends) if how is not None)
        trios = tuple(self._code[value] for value in side_trios(state, winner))
        winners = members(state, winner)
        return Outcome(winners, because(f"won-{ends[winner]}", seats=winners, trios=trios), places(state, winner))

    def status(self, state: State) -> tuple[Reason, ...]:
        cards = all_cards(state)
        faults = [because("status-lost", cards=cards, total=CARDS)] if cards != CARDS else []
        sizes = ({tuple(hand.cards for hand in guess) for guess in guesses} for guesses in state.sides)
        if any(len(size) != 1 for size in sizes):
            faults.append(because("status-hands"))
        if not can_be(state):
            faults.append(because("status-impossible"))
        return tuple(faults)

    # The deck

    def _linked(self, code: str, row: tuple[str, ...]) -> tuple[int, ...]:
        for word in row:
            if not word.isdecimal() or int(word) not in VALUES or int(word) == self._value[code]:
                raise DeckError(f"card {code!r}: link {word!r}; wanted other numbers from {LOWEST} to {HIGHEST}")
        return tuple(int(word) for word in row)

    def _spell(self, word: str) -> str | None:
        return word if word in self._value or word == HIDDEN else None

    def _order(self, code: str) -> int:
        return self._value.get(code, HIGHEST + 1)

    def _faces(self, up: tuple[Up, ...]) -> tuple[str, ...]:
        return tuple(self._code[card.value] for card in up)


def _about(verdict: Verdict, ply: int) -> Verdict:
    return verdict if ply == NEVER else replace(verdict, about=ply)
