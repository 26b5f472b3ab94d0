"""The public side of a game of War, and who must do what next."""

from dataclasses import dataclass

from referee.moves import HIDDEN


@dataclass(frozen=True, slots=True)
class State:
    """What everybody can see."""

    ply: int
    stacks: tuple[int, ...]
    """Cards that each player has still to turn."""
    won: tuple[int, ...]
    """Cards that each player has won; they lie face down."""
    up: tuple[tuple[str, ...], ...]
    """The cards of this battle in front of each player, in the order in which they were turned."""
    aside: int
    """Cards that nobody plays with."""
    seen: tuple[str, ...] = ()
    """Every card that was turned so far."""


@dataclass(frozen=True, slots=True)
class Battle:
    """What a battle waits for: cards to be turned, a winner who takes them, or nobody to win it."""

    due: tuple[int, ...] = ()
    winner: int | None = None
    drawn: bool = False
    """Whether nobody can win it: those with equal highest cards have none left to turn."""


def battle_of(state: State, rank: dict[str, int]) -> Battle:
    """Who must turn a card, or who has won; nothing of both before the first card of a game that is over."""
    rivals = [seat for seat, cards in enumerate(state.up) if cards or state.stacks[seat]]
    if len(rivals) < 2 and not any(state.up):
        return Battle()
    depth = 1
    while True:
        due = tuple(seat for seat in rivals if len(state.up[seat]) < depth and state.stacks[seat])
        if due:
            return Battle(due)
        turned = {seat: state.up[seat][depth - 1] for seat in rivals if len(state.up[seat]) >= depth}
        if not turned:
            return Battle(drawn=True)
        # A card that could not be read beats nothing.
        ranks = {seat: -1 if card == HIDDEN else rank[card] for seat, card in turned.items()}
        rivals = [seat for seat in rivals if ranks.get(seat) == max(ranks.values())]
        if len(rivals) == 1:
            return Battle(winner=rivals[0])
        depth += 1
