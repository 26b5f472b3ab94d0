"""Dawaj 2 on the table: the draw pile, and each player's two stacks and cards in transit."""

from collections.abc import Iterator

from models.cards import Deck
from referee.games.dawaj2.state import Phase, Player, Progress, State, left_of, reshuffle_due, swaps
from referee.layout import Face, Layout, Place, Spread, laid_out
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedCard, ObservedTable

WAY_MATTERS = False
DECLARED: tuple[str, ...] = ()
SHOWN_BY_OWNER: tuple[str, ...] = ()
TAKEN_BY_ACTOR: tuple[str, ...] = ()
HANDLED_UNSEEN: tuple[str, ...] = ()


def layout(deck: Deck, state: State) -> Layout:
    """The layout of a state."""
    places = [Place("pile", "draw", (HIDDEN,) * state.pile, Spread.PILE)]
    for seat, player in enumerate(state.players):
        zone = seat_name(seat)
        # A laid pair is face down on the stacks, where it will be turned.
        laid = (HIDDEN,) if player.step is Progress.LAID else ()
        places += [
            Place(zone, "tens", player.tens + laid, Spread.STACK),
            Place(zone, "units", player.units + laid + (HIDDEN,) * player.spare, Spread.STACK),
            Place(zone, "tray", (HIDDEN,) * player.tray, Spread.STACK),
            Place(zone, "shown", player.shown, Spread.STACK),
        ]
    return laid_out(places)


def faces(deck: Deck, word: str) -> tuple[Face, ...]:
    """A word is the code of its card."""
    return (Face(word),)


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Moves that may explain the trays, the stacks and the shown hands."""
    later = state.phase is Phase.PASS and _created(state, seen)
    for seat, player in enumerate(state.players):
        if player.exit is not None:
            continue
        yield from _swapped(seat, player, seen)
        if state.phase is Phase.PASS:
            yield from _passes(state, seat, seen)
            if player.tray and (later or len(seen.get((seat_name(seat), "tray"), ())) < player.tray):
                yield Move(seat, "take")
            if later and player.step is Progress.NOTHING:
                yield Move(seat, "pass", (HIDDEN,), seat_name(left_of(state, seat)))
        elif state.phase is Phase.CREATE:
            yield from _creations(deck, seat, player, seen)
    if reshuffle_due(state) or _gathered(state, seen):
        yield Move(None, "reshuffle")


def follows(state: State) -> Move | None:
    """Drawing the owed cards; their number is invisible."""
    if state.phase is Phase.DRAW and state.pile:
        for seat, player in enumerate(state.players):
            if player.owed:
                return Move(seat, "draw", (HIDDEN,) * min(player.owed, state.pile))
    return None


def _gathered(state: State, seen: ObservedTable) -> bool:
    """Whether cards are gone from the stacks, or the shown hand of a player who has dropped out is gone."""
    zones = [(seat_name(seat), player) for seat, player in enumerate(state.players)]
    fewer = any(len(seen.get((zone, "tens"), ())) + 1 < len(player.tens) for zone, player in zones)
    return fewer or any(len(player.shown) > 1 and (zone, "shown") not in seen for zone, player in zones)


def _created(state: State, seen: ObservedTable) -> bool:
    """Whether a player has laid or shown cards, which means that all have passed and taken, observed or not."""
    spots = ((seat_name(seat), player) for seat, player in enumerate(state.players) if player.exit is None)
    return any(
        len(seen.get((zone, "tens"), ())) > len(player.tens) or (zone, "shown") in seen for zone, player in spots
    )


def _passes(state: State, seat: int, seen: ObservedTable) -> Iterator[Move]:
    """New cards in a tray, which may have been passed by anybody."""
    for other, neighbour in enumerate(state.players):
        more = len(seen.get((seat_name(other), "tray"), ())) - neighbour.tray
        if more > 0 and state.players[seat].hand:
            yield from (Move(seat, "pass", (HIDDEN,) * cards, seat_name(other)) for cards in sorted({1, more}))


def _creations(deck: Deck, seat: int, player: Player, seen: ObservedTable) -> Iterator[Move]:
    """Laying a pair, turning a pair, or showing a hand."""
    tens, units, shown = (seen.get((seat_name(seat), spot), ()) for spot in ("tens", "units", "shown"))
    if shown:
        order = {card.code: number for number, card in enumerate(deck.cards)}
        # The whole hand is shown, so cards that were not found are unread ones.
        unseen = ((HIDDEN,),) * max(0, player.hand - len(shown))
        hands = _read([*(card.likely() or (HIDDEN,) for card in shown), *unseen])
        yield from (Move(seat, "out", tuple(sorted(hand, key=lambda code: order.get(code, -1)))) for hand in hands)
    more = (len(tens) - len(player.tens), len(units) - len(player.units))
    if player.step is Progress.NOTHING and max(more) > 0:
        yield from (Move(seat, "lay", (HIDDEN,) * cards) for cards in sorted({2, max(2, sum(more))}))
    if player.step is Progress.LAID:
        for first, second in _next_pairs(player, tens, units):
            yield from (
                Move(seat, "turn", (a, b)) for a in first.likely() or (HIDDEN,) for b in second.likely() or (HIDDEN,)
            )


def _swapped(seat: int, player: Player, seen: ObservedTable) -> Iterator[Move]:
    """Turning the last number with its digits swapped."""
    tops = [seen.get((seat_name(seat), spot), ())[-1:] for spot in ("tens", "units")]
    read = tuple(word for top in tops for card in top for word in card.likely(most=1))
    if swaps(player, read):
        yield Move(seat, "turn", read)


def _next_pairs(
    player: Player, tens: tuple[ObservedCard, ...], units: tuple[ObservedCard, ...]
) -> Iterator[tuple[ObservedCard, ObservedCard]]:
    """The pair on the known cards, and the pair on top; they differ if several numbers were created since."""
    places = {(len(player.tens), len(player.units)), (len(tens) - 1, len(units) - 1)}
    for upper, lower in sorted(places):
        if 0 <= upper < len(tens) and 0 <= lower < len(units) and tens[upper].face_up and units[lower].face_up:
            yield tens[upper], units[lower]


def _read(cards: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The best readings of all cards, then each card with its other candidates."""
    best = tuple(readings[0] for readings in cards)
    yield best
    for number, readings in enumerate(cards):
        yield from ((*best[:number], other, *best[number + 1 :]) for other in readings[1:])


def unseen(state: State) -> Iterator[tuple[Move, float]]:
    """No moves: every act is visible."""
    yield from ()


def public(deck: Deck, move: Move) -> str:
    """The whole move: everything about it is visible."""
    return str(move)
