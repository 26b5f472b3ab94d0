"""War: everybody turns the top card, the highest one takes them all."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from models.cards import Deck, DeckError
from referee.moves import HIDDEN, Move
from referee.verdicts import Outcome, Reason, Standing, Verdict, because, illegal, legal, unclear
from referee.vocabulary import Verb

from .state import Battle, State, battle_of

SHORT_STACK = 5
"""Cards that each player is dealt in a short game."""


class GameRules:
    """The rules of War for one deck."""

    game = "war"
    seats = range(2, 5)
    state_type = State

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.rank = {card.code: card.number("rank") for card in deck.cards}
        if any(card.count != 1 for card in deck.cards) or len(deck.cards) < self.seats[-1]:
            raise DeckError(f"deck {deck.name!r} has copies or too few cards; War wants one of each, at least 4 cards")

    def choices(self, players: int) -> Mapping[str, tuple[str, ...]]:
        return {"length": ("full", "short")}

    def verbs(self, players: int) -> Mapping[str, Verb]:
        return {
            "turn": Verb("P1 turn 7H", self._spell, 1, 1),
            "take": Verb("P1 take"),
            "clear": Verb("table clear", seated=False),
        }

    def guests(self, players: int) -> tuple[str, ...]:
        return ()

    def start(self, players: int, options: Mapping[str, str]) -> State:
        each = SHORT_STACK if options["length"] == "short" else len(self.rank) // players
        nothing = (0,) * players
        return State(0, (each,) * players, nothing, ((),) * players, len(self.rank) - each * players)

    def battle(self, state: State) -> Battle:
        """What the battle waits for."""
        return battle_of(state, self.rank)

    def legal_moves(self, state: State) -> Iterator[Move]:
        battle = self.battle(state)
        for seat in battle.due:
            yield from (Move(seat, "turn", (code,)) for code in self.rank if code not in state.seen)
        if battle.winner is not None:
            yield Move(battle.winner, "take")
        if battle.drawn:
            yield Move(None, "clear")

    def judge(self, state: State, move: Move) -> Verdict:
        if self.outcome(state) is not None:
            return illegal(move, "WR-5", "over")
        if move.verb == "turn":
            return self._judge_turn(state, move)
        return self._judge_take(state, move) if move.verb == "take" else self._judge_clear(state, move)

    def apply(self, state: State, move: Move) -> State:
        seat, cards = move.seat, sum(len(shown) for shown in state.up)
        if move.verb == "turn" and seat is not None and state.stacks[seat]:
            return replace(
                state,
                ply=state.ply + 1,
                stacks=_changed(state.stacks, seat, -1),
                up=(*state.up[:seat], state.up[seat] + move.cards, *state.up[seat + 1 :]),
                seen=tuple(sorted({*state.seen, *move.cards} - {HIDDEN})),
            )
        if move.verb == "turn" or not cards:
            return state
        cleared = replace(state, ply=state.ply + 1, up=((),) * len(state.up))
        if seat is None:
            return replace(cleared, aside=state.aside + cards)
        return replace(cleared, won=_changed(state.won, seat, cards))

    def todo(self, state: State) -> tuple[Reason, ...]:
        battle = self.battle(state)
        if battle.due:
            return (because("todo-turn", seats=battle.due),)
        if battle.winner is not None:
            return (because("todo-take", seat=battle.winner),)
        return (because("todo-clear"),) if battle.drawn else ()

    def standings(self, state: State) -> tuple[Standing, ...]:
        return tuple(
            # Nobody holds cards: the stacks lie on the table.
            Standing(seat, 0, won, because("story", won=won, left=state.stacks[seat]))
            for seat, won in enumerate(state.won)
        )

    def outcome(self, state: State) -> Outcome | None:
        if self.battle(state) != Battle():
            return None
        places = tuple(
            tuple(seat for seat, won in enumerate(state.won) if won == points)
            for points in sorted(set(state.won), reverse=True)
        )
        key = "wins" if len(places[0]) == 1 else "shared"
        return Outcome(places[0], because(key, seats=places[0], won=max(state.won)), places)

    def status(self, state: State) -> tuple[Reason, ...]:
        cards = sum(state.stacks) + sum(state.won) + sum(map(len, state.up)) + state.aside
        return () if cards == len(self.rank) else (because("status-lost", cards=cards, total=len(self.rank)),)

    def _spell(self, word: str) -> str | None:
        return word if word == HIDDEN else word.upper() if word.upper() in self.rank else None

    def _judge_turn(self, state: State, move: Move) -> Verdict:
        seat, card, battle = move.seat or 0, move.cards[0], self.battle(state)
        if not battle.due:
            return illegal(move, "WR-3", "decided", seat=seat)
        if seat not in battle.due:
            return illegal(move, "WR-2", "not-due", seat=seat, due_seats=battle.due)
        if card == HIDDEN:
            return unclear(move, "WR-2", "unread", seat=seat)
        if card in state.seen:
            return illegal(move, "WR-K", "twice", seat=seat, card=card)
        return legal(move, "WR-2", "turns", seat=seat, card=card)

    def _judge_take(self, state: State, move: Move) -> Verdict:
        seat, battle = move.seat or 0, self.battle(state)
        if battle.due:
            return illegal(move, "WR-3", "too-early", seat=seat, due_seats=battle.due)
        if battle.winner is None:
            return illegal(move, "WR-4", "nobody-wins", seat=seat)
        if seat != battle.winner:
            return illegal(move, "WR-3", "not-winner", seat=seat, winner_seat=battle.winner)
        return legal(move, "WR-3", "takes", seat=seat, cards=sum(map(len, state.up)))

    def _judge_clear(self, state: State, move: Move) -> Verdict:
        if not self.battle(state).drawn:
            return illegal(move, "WR-4", "not-drawn")
        return legal(move, "WR-4", "clears", cards=sum(map(len, state.up)))


def _changed(counts: tuple[int, ...], seat: int, by: int) -> tuple[int, ...]:
    return (*counts[:seat], counts[seat] + by, *counts[seat + 1 :])
