"""Proposals for Kto drugi: moves that may explain a table (cards laid, heaps turned, figures moved, table cleared).

A face-down card does not show who laid it. In rounds in which it may be laid anywhere this does not matter: the
proposal names one player who has not laid yet, preferably the owner of the place. Where it matters, every possible
player is proposed.
"""

from collections.abc import Iterator, Mapping, Sequence

from models.cards import Card, Deck
from referee.games.kto_drugi.state import (
    FIRST,
    LAST,
    ROUNDS,
    START,
    Phase,
    State,
    clamp,
    is_leon,
    leon_plays,
    missing,
    own_only,
    to_turn,
)
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedCard, ObservedTable

SPACES = frozenset(range(FIRST, LAST + 1))


def proposals(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Moves, legal or not, that bring the layout nearer to the observed table."""
    if state.phase is Phase.LAY:
        lays = tuple(_lays(state, seen))
        yield from lays
        if not lays:
            yield from _turns(deck, state, seen)
            yield from _unseen_lays(state, seen)
            yield from _out_of_turn(state, seen)
    elif state.phase is Phase.TURN:
        yield from _turns(deck, state, seen)
        yield from _late_lays(state, seen)
        yield from _out_of_turn(state, seen)
    elif state.phase is Phase.MOVE:
        yield from _pushes(deck, state, seen) if state.tactical else _steps(deck, state, seen)
        if _gone(deck, state, seen):
            # Illegal if a figure has not been moved yet.
            yield Move(None, "clear")
    elif state.phase is Phase.CLEAR and _gone(deck, state, seen):
        yield Move(None, "clear")
    elif state.phase is Phase.CLEAR:
        yield from _out_of_turn(state, seen)


def _out_of_turn(state: State, seen: ObservedTable) -> Iterator[Move]:
    """A figure moved while none is due, or a table that is cleared too early.

    When a stage is over the figures go back to the start, sooner or later.
    """
    over = state.phase is Phase.CLEAR and state.round == ROUNDS
    for seat, chair in enumerate(state.chairs):
        space = _space(seat, seen)
        if space not in (None, chair.position, START if over else None):
            yield _step(seat, seat, space or 0)
    yield from _swept(state, seen)


def _swept(state: State, seen: ObservedTable) -> Iterator[Move]:
    """Clearing the table, if all cards in front of the players are gone."""
    if any(chair.up or chair.before for chair in state.chairs) and not any(
        _laid(seat, seen) for seat in range(len(state.chairs))
    ):
        yield Move(None, "clear")


# Laying


def _lays(state: State, seen: ObservedTable) -> Iterator[Move]:
    """One newly laid card; several candidates only where they decide who is at fault."""
    late = missing(state)
    more = [seat for seat in range(len(state.chairs)) if _more(state, seat, seen) > 0]
    own = next((seat for seat in more if seat in late), None)
    if own is not None:
        yield _lay(own, own)
        if state.tactical and _more(state, own, seen) > 1:
            yield _lay(own, own, 2)
    if more and not own_only(state):
        yield from (_lay(seat, more[0]) for seat in late if (seat, more[0]) != (own, own))
    elif own is not None:
        return
    elif more:
        yield from (_lay(seat, more[0]) for seat in late)
        if not is_leon(state, more[0]) and state.chairs[more[0]].hand:
            yield _lay(more[0], more[0])


def _late_lays(state: State, seen: ObservedTable) -> Iterator[Move]:
    """An extra card after everybody has laid one; anybody with cards may have laid it."""
    target = next((seat for seat in range(len(state.chairs)) if _more(state, seat, seen) > 0), None)
    if target is not None:
        yield from (_lay(seat, target) for seat in range(state.players) if state.chairs[seat].hand)


def _unseen_lays(state: State, seen: ObservedTable) -> Iterator[Move]:
    """A laid card that was missed: several heaps are turned, so everybody has laid a card."""
    heaps = [seat for seat in range(len(state.chairs)) if any(card.face_up for card in _laid(seat, seen))]
    if len(heaps) > 1:
        late = missing(state)[0]
        yield _lay(late, late)


def _lay(seat: int, target: int, cards: int = 1) -> Move:
    return Move(seat, "lay", (HIDDEN,) * cards, seat_name(target))


def _more(state: State, seat: int, seen: ObservedTable) -> int:
    """Number of observed cards in front of a chair minus those of the state, without Leon's turned top card."""
    cards, chair = _laid(seat, seen), state.chairs[seat]
    top = leon_plays(state, seat) and any(card.face_up for card in cards)
    return len(cards) - top - len(chair.up) - chair.before


# Turning


def _turns(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Heaps that are face up now, one after the other because their order does not matter.

    Last come those that cannot be: with a card that was turned before in this stage, or turned in part.
    """
    spent, odd = _spent(deck, state), []
    for seat in range(len(state.chairs)):
        heaps = _heaps(deck, state, seat, seen)
        read = [word for heap in heaps for card in heap for word in card.likely(most=1)]
        if not heaps:
            yield from _inferred(deck, state, seat, seen)
            continue
        if _left_over(state, spent & set(read)):
            continue
        if all(len(heap) == to_turn(state, seat) for heap in heaps) and not spent & set(read):
            yield from _turned(deck, state, seat, heaps)
            return
        odd.append((seat, heaps))
    for seat, heaps in odd:
        yield from _turned(deck, state, seat, heaps)


def _left_over(state: State, spent: frozenset[str]) -> bool:
    """Whether face-up cards in the lay phase are left over from the round before.

    They were turned before in this stage, or it has just begun, is not the first one, and nobody else has laid a card.
    """
    begun = state.stage == 1 or any(state.codes) or len(missing(state)) < state.players - 1
    return state.phase is Phase.LAY and (bool(spent) or not begun)


def _heaps(deck: Deck, state: State, seat: int, seen: ObservedTable) -> Sequence[Sequence[ObservedCard]]:
    """Candidates for the heap turned in front of a chair; a part of it only if all its cards are observed."""
    chair, laid, wanted = state.chairs[seat], _laid(seat, seen), to_turn(state, seat)
    faces = _new_faces(deck, chair.up, laid)
    if not wanted or not faces or (len(faces) < wanted and len(laid) < len(chair.up) + chair.before):
        return ()
    if len(faces) == wanted + 1:
        # One of the cards belongs to another heap, or is a false detection.
        return [(*faces[:number], *faces[number + 1 :]) for number in range(len(faces))]
    return (faces,)


def _turned(deck: Deck, state: State, seat: int, heaps: Sequence[Sequence[ObservedCard]]) -> Iterator[Move]:
    """Turning a heap, with the best reading and with the alternatives."""
    order = {card.code: number for number, card in enumerate(deck.cards)}
    for heap in heaps:
        for words in _read([_readings(deck, state, card) or (HIDDEN,) for card in heap]):
            yield Move(seat, "turn", tuple(sorted(words, key=lambda word: order.get(word, len(order)))))


def _readings(deck: Deck, state: State, card: ObservedCard) -> tuple[str, ...]:
    """The likely readings of a card; in the basic game, one for each value."""
    values = {one.code: _value(one) for one in deck.of("race")}
    # A reading of another kind of card is no candidate, because no heap has one.
    likely = tuple(code for code in card.likely() if code in values)
    if state.tactical or len(likely) < 2:
        return likely
    spent = _spent(deck, state)
    kept: dict[str, str] = {}
    for code in likely:
        kept.setdefault(code if code in spent else values[code], code)
    return tuple(kept.values())


def _spent(deck: Deck, state: State) -> frozenset[str]:
    """Cards of which all copies were turned in this stage."""
    return frozenset(card.code for card, times in zip(deck.of("race"), state.codes, strict=True) if times >= card.count)


def _inferred(deck: Deck, state: State, seat: int, seen: ObservedTable) -> Iterator[Move]:
    """A heap with one missed card, whose value follows from the position of the figure."""
    chair, laid, space = state.chairs[seat], _laid(seat, seen), _space(seat, seen)
    if state.tactical or state.phase is not Phase.TURN or not all(card.face_up for card in laid):
        return
    if chair.up or len(laid) + 1 != to_turn(state, seat) or space in (None, chair.position, FIRST, LAST):
        return
    cards = {card.code: card for card in deck.of("race")}
    codes = [word for card in laid for word in card.likely(most=1) if word in cards]
    value = (space or 0) - chair.position - sum(cards[code].number("value") for code in codes)
    word = f"{value:+d}"
    if len(codes) == len(laid) and word in map(_value, cards.values()):
        yield Move(seat, "turn", (word, *sorted(codes, key=list(cards).index)))


def _new_faces(deck: Deck, up: Sequence[str], laid: Sequence[ObservedCard]) -> tuple[ObservedCard, ...]:
    """The face-up cards that were not turned before; known cards may be written by value only."""
    faces = [card for card in laid if card.face_up]
    for word in up if faces else ():
        alone = word.lstrip("+-").isdecimal()
        codes = {card.code for card in deck.of("race") if _value(card) == word} if alone else {word}
        known = next((card for card in faces if codes & set(card.likely())), None)
        if known is not None:
            faces.remove(known)
    return tuple(faces)


def _value(card: Card) -> str:
    return f"{card.number('value'):+d}"


def _read(cards: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The best readings of all cards, then each card with its other candidates."""
    best = tuple(readings[0] for readings in cards)
    yield best
    for number, readings in enumerate(cards):
        yield from ((*best[:number], other, *best[number + 1 :]) for other in readings[1:])


# Moving


def _steps(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Basic game: figures move to their goals, one after the other because the order is free; or to a wrong space."""
    due = [seat for seat, chair in enumerate(state.chairs) if chair.goal is not None]
    there = [seat for seat in due if _space(seat, seen) == state.chairs[seat].goal]
    # Once the cards are cleared, the figures must have been moved, wherever they are observed.
    for seat in (there or due if _gone(deck, state, seen) else there)[:1]:
        yield _step(seat, seat, state.chairs[seat].goal or 0)
    if _back_at_start(deck, state, seen):
        return
    for seat, chair in enumerate(state.chairs):
        space = _space(seat, seen)
        if space not in (None, chair.position, chair.goal):
            yield _step(seat, seat, space or 0)


def _pushes(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Tactical game: the next mover moves a figure, correctly or not, or another player moves out of turn."""
    spaces = [_space(seat, seen) for seat in range(len(state.chairs))]
    values = {card.code: card.number("value") for card in deck.of("race")}
    cleared = _gone(deck, state, seen)
    astray = [seat for seat, chair in enumerate(state.chairs) if spaces[seat] not in (None, chair.position)]
    if not astray and not cleared:
        return
    first, *others = state.queue
    if _back_at_start(deck, state, seen):
        figures = (first.seat,) if is_leon(state, first.seat) else range(len(state.chairs))
        for figure in figures:
            yield _step(first.seat, figure, clamp(state.chairs[figure].position + values[first.card]))
        return
    pushed = _first_pushed(state, values, spaces, cleared)
    if pushed is not None:
        yield _step(first.seat, pushed, clamp(state.chairs[pushed].position + values[first.card]))
        return
    for figure in astray:
        position, space = state.chairs[figure].position, spaces[figure] or 0
        quicker = [due for due in others if clamp(position + values[due.card]) == space]
        right = clamp(position + values[first.card]) == space
        yield _step(first.seat if right or not quicker else quicker[0].seat, figure, space)
    if cleared:
        yield _step(first.seat, first.seat, clamp(state.chairs[first.seat].position + values[first.card]))


def _first_pushed(state: State, values: Mapping[str, int], spaces: Sequence[int | None], cleared: bool) -> int | None:
    """The figure that was moved first, if the fewest possible next movers explain all observed positions.

    Once the cards are cleared, all of them have moved. Any of several explanations leads to the same state.
    """
    ways: dict[tuple[int, ...], int | None] = {tuple(chair.position for chair in state.chairs): None}
    for number, due in enumerate(state.queue, 1):
        left, longer = len(state.queue) - number, dict[tuple[int, ...], int | None]()
        figures = (due.seat,) if is_leon(state, due.seat) else range(len(state.chairs))
        for positions, first in ways.items():
            for figure in figures:
                space = clamp(positions[figure] + values[due.card])
                after = (*positions[:figure], space, *positions[figure + 1 :])
                apart = sum(seen not in (None, here) for seen, here in zip(spaces, after, strict=True))
                if not apart and not (cleared and left):
                    return figure if first is None else first
                if apart <= left:
                    longer.setdefault(after, figure if first is None else first)
        ways = longer
    return None


def _step(seat: int, figure: int, space: int) -> Move:
    return Move(seat, "move", (seat_name(figure),), str(space))


# The observed table


def _laid(seat: int, seen: ObservedTable) -> tuple[ObservedCard, ...]:
    return seen.get((seat_name(seat), "laid"), ())


def _space(seat: int, seen: ObservedTable) -> int | None:
    """The observed space of a figure; None if it is missed, beside the track, or detected twice."""
    places = seen.pieces.get(("figure", seat_name(seat)), {})
    if len(places) != 1:
        return None
    zone, spot = next(iter(places))
    space = int(spot) if zone == "track" and spot.lstrip("-").isdecimal() else None
    return space if space in SPACES else None


def _back_at_start(deck: Deck, state: State, seen: ObservedTable) -> bool:
    """Whether the next stage is set up, so that the last positions of the figures are no longer visible."""
    spaces = {_space(seat, seen) for seat in range(len(state.chairs))}
    return state.round == ROUNDS and _gone(deck, state, seen) and spaces <= {None, START}


def _gone(deck: Deck, state: State, seen: ObservedTable) -> bool:
    """Whether most of the turned cards are gone; single cards may be missed."""
    up = kept = 0
    for seat, chair in enumerate(state.chairs):
        faces = [card for card in _laid(seat, seen) if card.face_up]
        up += len(chair.up)
        kept += len(faces) - len(_new_faces(deck, chair.up, faces))
    return 3 * kept < up
