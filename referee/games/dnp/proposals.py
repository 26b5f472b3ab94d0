"""Proposals for dnp: moves that may explain a table (sets laid, discarded, taken, beaten, and cards added)."""

from collections.abc import Iterator
from dataclasses import dataclass

from models.cards import Deck
from referee.games.dnp.state import CardSet, Fate, Phase, State, flipped, is_duel, place_name, set_value, sets, value
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedCard, ObservedTable

MOST_READINGS = 4
"""Maximum number of readings of one set that are tried."""


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between one area and its layout."""

    seat: int
    area: int
    stays: bool
    """Whether part of the old set is still observed, or there was no set."""
    gone: bool
    """Whether a set was there and none of it is observed now."""
    more: tuple[tuple[str, ...], ...]
    """The readings of every new card, best first."""
    size: int
    """Number of observed cards."""


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Moves that may explain the changes of the sets."""
    if state.phase is Phase.OVER:
        return
    changes = list(_changes(deck, state, seen))
    if state.phase is Phase.STAR:
        if _lies_still(deck, state, seen):
            return
        yield from (Move(seat, "star") for seat in sorted({change.seat for change in changes if change.more}))
        return
    yield from _done_unseen(state, seen)
    if not changes:
        return
    if _is_gathered(state, seen):
        yield Move(None, "redeal")
    seat, here = state.turn, (state.turn, state.area)
    own = next((change for change in changes if (change.seat, change.area) == here), None)
    if state.players[seat].areas[state.area] and own is not None and own.gone:
        yield Move(seat, "discard")
        if ("discard", "discard") not in seen:
            yield from _taken(state, own)
        for change in changes:
            # Another player may have beaten the set out of turn.
            if change.seat != seat and change.more and change.size == len(state.players[seat].areas[state.area]):
                yield from _laid(state, change, place_name(state, change.seat, change.area))
        return
    for change in changes:
        target = place_name(state, change.seat, change.area)
        if change.gone and not any(_beats(state, other, change) for other in changes):
            yield from _taken(state, change)
        if change.seat == seat:
            yield from _laid(state, change, target)
        else:
            yield from _done_to(state, seat, change, target)


def follows(state: State) -> Move | None:
    """No forced moves: a player who flips the hand could also have made another move."""
    return None


def spot_name(state: State, area: int) -> str:
    """The spot of an area in front of its player."""
    return f"set{area + 1}" if is_duel(state) else "set"


def _done_unseen(state: State, seen: ObservedTable) -> Iterator[Move]:
    """A card that the active player added to another's set, which was gone before a table was observed."""
    seat = state.turn
    if state.players[seat].areas[state.area]:
        return
    for owner, area, _ in sets(state):
        gone = (seat_name(owner), spot_name(state, area)) not in seen
        if owner != seat and gone and _reached(seen, seat, seat_name(owner)):
            yield Move(seat, "add", (HIDDEN,), place_name(state, owner, area))


def _is_gathered(state: State, seen: ObservedTable) -> bool:
    """Whether all sets and piles are gone, if there were at least two."""
    places = [(seat_name(owner), spot_name(state, area)) for owner, area, _ in sets(state)]
    places += [("discard", "discard")] if state.discarded else []
    return len(places) > 1 and not any(place in seen for place in places)


def _reached(seen: ObservedTable, seat: int, zone: str) -> bool:
    """Whether the arm of a player was observed over a zone."""
    name = seat_name(seat)
    return any(name == one for arm in seen.arms for one, _ in arm.seats if any(zone == at for at, _ in arm.over))


def _beats(state: State, other: Change, gone: Change) -> bool:
    """Whether a new set of the active player may have beaten a set that is gone, legally or not."""
    lying = state.players[gone.seat].areas[gone.area]
    if not other.more or other.size != len(lying):
        return False
    if (other.seat, other.area) == (state.turn, state.area):
        return True
    return other.seat != state.turn and other.stays and bool(state.players[other.seat].areas[other.area])


def _taken(state: State, change: Change) -> Iterator[Move]:
    """The seats that may have taken a set: the active player, or anybody if that would be illegal, too."""
    target = place_name(state, change.seat, change.area)
    if change.seat != state.turn and not state.players[state.turn].areas[state.area]:
        yield Move(state.turn, "take", (), target)
        return
    due = change.seat == state.turn and change.area == state.area
    for seat, player in enumerate(state.players):
        if not player.out and not (due and seat == state.turn):
            yield Move(seat, "take", (), target)


def _laid(state: State, change: Change, target: str) -> Iterator[Move]:
    """A set that a player laid in his own area, or cards that he added to his own set."""
    place = target if is_duel(state) else None
    for cards in _readings(change.more):
        yield Move(change.seat, "play", cards, place)
        if len(cards) > 1 and not state.players[change.seat].areas[change.area]:
            # One of the cards may have been added later.
            parts = dict.fromkeys((*cards[:number], *cards[number + 1 :]) for number in range(len(cards)))
            yield from (Move(change.seat, "play", part, place) for part in parts)
    other = (change.seat, change.area) != (state.turn, state.area)
    if change.seat == state.turn and other and change.stays and state.players[change.seat].areas[change.area]:
        yield from (Move(change.seat, "add", cards, target) for cards in _readings(change.more))


def _done_to(state: State, seat: int, change: Change, target: str) -> Iterator[Move]:
    """Moves of the active player on another's set, and moves of its owner."""
    lying = state.players[change.seat].areas[change.area]
    if lying and change.stays:
        singles = dict.fromkeys(word for words in change.more for word in words)
        yield from (Move(seat, "add", (word,), target) for word in singles)
        if len(change.more) > 1:
            yield Move(seat, "add", next(_readings(change.more)), target)
    elif lying and len(change.more) == 1:
        # The set may be hidden under the added card.
        yield from (Move(seat, "add", (word,), target) for word in change.more[0] if value(word) == set_value(lying))
    if change.more and not (lying and change.stays):
        yield from _laid(state, change, target)


def _lies_still(deck: Deck, state: State, seen: ObservedTable) -> bool:
    """Whether a set of the previous round is still there, so that the next round cannot have begun."""
    for one in state.dead:
        readings = [_words(deck, card) for card in seen.get((seat_name(one.seat), spot_name(state, one.area)), ())]
        if len(_compared(one.cards, readings)[1]) < len(one.cards):
            return True
    return False


def _changes(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Change]:
    """Every area that differs from the layout."""
    for seat, player in enumerate(state.players):
        for area, lying in enumerate(player.areas):
            cards = seen.get((seat_name(seat), spot_name(state, area)), ())
            readings = [_words(deck, card) for card in cards]
            more, missing = _compared(lying, readings)
            if missing and not more:
                # A card that matches the set only as a less likely reading may also be a new card.
                more, missing = _compared(lying, [words[:1] for words in readings])
            dead = [one for one in state.dead if (one.seat, one.area) == (seat, area) and one.fate is not Fate.STRAY]
            if more and dead and not any(_compared(tuple(card for one in dead for card in one.cards), more)):
                # Cards that no longer count are still there.
                more = []
            gone = bool(lying) and all(word in missing for word in lying)
            if more or gone:
                stays = not lying or not gone
                yield Change(seat, area, stays, gone, tuple(more), len(cards))


def _compared(wanted: CardSet, readings: list[tuple[str, ...]]) -> tuple[list[tuple[str, ...]], list[str]]:
    """The readings of the extra cards, and the missing cards."""
    more, missing = list(readings), []
    for word in wanted:
        found = next((words for words in more if words and words[0] == word), None)
        found = found or next((words for words in more if word in words), None)
        if found is None:
            missing.append(word)
        else:
            more.remove(found)
    return [words for words in more if words], missing


def _words(deck: Deck, card: ObservedCard) -> tuple[str, ...]:
    """The likely readings of a card, as its owner sees it."""
    found = dict[str, None]()
    for code in card.likely() if card.face_up else ():
        printed = next((one for one in deck.cards if one.code == code), None)
        if printed is not None:
            pair = f"{printed.number('a')}/{printed.number('b')}"
            found[flipped(pair) if card.turned else pair] = None
    return tuple(found)


def _readings(cards: tuple[tuple[str, ...], ...]) -> Iterator[CardSet]:
    """The best readings, then those with one other candidate, then all cards turned to show one value."""
    if not cards:
        return
    best = tuple(words[0] for words in cards)
    ways = [best]
    for active in sorted({value(end) for word in best for end in (word, flipped(word))}):
        turned = tuple(
            next((end for word in words for end in (word, flipped(word)) if value(end) == active), "")
            for words in cards
        )
        if all(turned) and len(cards) > 1:
            ways.append(turned)
    for number, words in enumerate(cards):
        ways += [(*best[:number], other, *best[number + 1 :]) for other in words[1:]]
    yield from (tuple(sorted(way, key=_order)) for way in list(dict.fromkeys(ways))[:MOST_READINGS])


def _order(card: str) -> tuple[int, int]:
    return value(card), value(flipped(card))
