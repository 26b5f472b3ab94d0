"""Short ways to set up a table of Lucky Box in tests."""

from collections import Counter
from dataclasses import replace

from referee.games.lucky_box.state import Box, Phase, Player, PlayerStep, State, face_code
from referee.match import AnyMatch
from tests.referee.games_played import rules_of
from tests.referee.table_talk import open_match


def boxes(text: str) -> tuple[Box, ...]:
    """Cards with their crossed cells: "49:12.13 58" is card 49 with r1c2 and r1c3 crossed, and card 58."""
    made = []
    for word in text.split():
        name, _, cells = word.partition(":")
        crossed = sum(1 << 3 * (int(cell[0]) - 1) + int(cell[1]) - 1 for cell in cells.split(".") if cell)
        made.append(Box(name, crossed))
    return tuple(made)


def table(*hands: str, number: int | None = None, turned: int = 0, at: int = 1) -> AnyMatch:
    """Round `at` with these cards in front of the players; `turned` numbers were turned before `number`."""
    match = open_match(rules_of("lucky_box"), len(hands))
    step = PlayerStep.READY if number is None else PlayerStep.MARK
    players = tuple(Player(boxes=boxes(hand), step=step, owed=0) for hand in hands)
    numbers = tuple(f"n{9 - place // 2}" for place in range(turned)) + ((f"n{number}",) if number else ())
    state: State = match.state
    up = Counter(face_code(box.name) for player in players for box in player.boxes)
    codes = [card.code for card in match.rules.deck.of("box")]  # type: ignore[attr-defined]
    unseen = tuple(copies - up[code] for code, copies in zip(codes, state.unseen, strict=True))
    state = replace(
        state,
        round=at,
        phase=Phase.PLAY,
        deck=sum(unseen),
        numbers=numbers,
        players=players,
        unseen=unseen,
        pools=(unseen,),
    )
    assert not match.rules.status(state)
    return replace(match, states=(state,))


def changed(match: AnyMatch, seat: int = 0, **fields: object) -> AnyMatch:
    """The same match with something else about a player."""
    player = replace(match.state.players[seat], **fields)
    players = (*match.state.players[:seat], player, *match.state.players[seat + 1 :])
    return replace(match, states=(replace(match.state, players=players),))


def dealt(players: int) -> list[str]:
    """Moves that deal: the first player keeps 1 2 3 and discards 4 5, the second keeps 6 7 8 …"""
    moves = []
    for seat in range(players):
        name, first = f"P{seat + 1}", 5 * seat + 1
        hand = [str((first + place - 1) % 60 + 1) for place in range(5)]
        moves += [
            f"{name} draw ? ? ? ? ?",
            f"{name} keep {' '.join(hand[:3])}",
            f"{name} discard {' '.join(hand[3:])}",
        ]
    return moves
