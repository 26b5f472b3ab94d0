"""The moves of dnp that a table may come from: sets laid, discarded, taken, beaten, and cards added to them."""

from collections.abc import Iterator
from dataclasses import dataclass

from models.cards import Deck
from referee.games.dnp.state import CardSet, Fate, Phase, State, flipped, is_duel, place_name, set_value, sets, value
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedCard, ObservedTable

MOST_READINGS = 4
"""So many ways to read the cards of one set are tried."""


@dataclass(frozen=True, slots=True)
class Change:
    """How one area differs from what should lie there."""

    seat: int
    area: int
    stays: bool
    """Whether some of the set that lay there is seen, or nothing lay there."""
    gone: bool
    """Whether nothing is seen of a set that lay there."""
    more: tuple[tuple[str, ...], ...]
    """Of every card that was not there the readings, best first."""
    size: int
    """How many cards lie there now."""


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """What was done with the sets."""
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
            # Somebody else may have beaten it, out of turn.
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
    """Nothing: who flips a hand, which nobody sees, might have done something else."""
    return None


def spot_name(state: State, area: int) -> str:
    """Where in front of a player an area is."""
    return f"set{area + 1}" if is_duel(state) else "set"


def _done_unseen(state: State, seen: ObservedTable) -> Iterator[Move]:
    """A card that whose turn it is added to a set of somebody else, gone before anybody looked."""
    seat = state.turn
    if state.players[seat].areas[state.area]:
        return
    for owner, area, _ in sets(state):
        gone = (seat_name(owner), spot_name(state, area)) not in seen
        if owner != seat and gone and _reached(seen, seat, seat_name(owner)):
            yield Move(seat, "add", (HIDDEN,), place_name(state, owner, area))


def _is_gathered(state: State, seen: ObservedTable) -> bool:
    """Whether everything that should lie there, a set or pile at least beside another, is gone."""
    places = [(seat_name(owner), spot_name(state, area)) for owner, area, _ in sets(state)]
    places += [("discard", "discard")] if state.discarded else []
    return len(places) > 1 and not any(place in seen for place in places)


def _reached(seen: ObservedTable, seat: int, zone: str) -> bool:
    """Whether a player was seen reaching into a zone."""
    name = seat_name(seat)
    return any(name == one for arm in seen.arms for one, _ in arm.seats if any(zone == at for at, _ in arm.over))


def _beats(state: State, other: Change, gone: Change) -> bool:
    """Whether whose turn it is has beaten a set that is gone, rightly or not, by what is new elsewhere."""
    lying = state.players[gone.seat].areas[gone.area]
    if not other.more or other.size != len(lying):
        return False
    if (other.seat, other.area) == (state.turn, state.area):
        return True
    return other.seat != state.turn and other.stays and bool(state.players[other.seat].areas[other.area])


def _taken(state: State, change: Change) -> Iterator[Move]:
    """Who may have taken a set: whose turn it is, or, where he may not take it either, anybody."""
    target = place_name(state, change.seat, change.area)
    if change.seat != state.turn and not state.players[state.turn].areas[state.area]:
        yield Move(state.turn, "take", (), target)
        return
    due = change.seat == state.turn and change.area == state.area
    for seat, player in enumerate(state.players):
        if not player.out and not (due and seat == state.turn):
            yield Move(seat, "take", (), target)


def _laid(state: State, change: Change, target: str) -> Iterator[Move]:
    """A set that somebody laid in an area of his, or cards that he put to a set of his."""
    place = target if is_duel(state) else None
    for cards in _readings(change.more):
        yield Move(change.seat, "play", cards, place)
        if len(cards) > 1 and not state.players[change.seat].areas[change.area]:
            # One of them may have been put to the set since.
            parts = dict.fromkeys((*cards[:number], *cards[number + 1 :]) for number in range(len(cards)))
            yield from (Move(change.seat, "play", part, place) for part in parts)
    other = (change.seat, change.area) != (state.turn, state.area)
    if change.seat == state.turn and other and change.stays and state.players[change.seat].areas[change.area]:
        yield from (Move(change.seat, "add", cards, target) for cards in _readings(change.more))


def _done_to(state: State, seat: int, change: Change, target: str) -> Iterator[Move]:
    """What whose turn it is did to a set of somebody else, and what that one laid there himself."""
    lying = state.players[change.seat].areas[change.area]
    if lying and change.stays:
        singles = dict.fromkeys(word for words in change.more for word in words)
        yield from (Move(seat, "add", (word,), target) for word in singles)
        if len(change.more) > 1:
            yield Move(seat, "add", next(_readings(change.more)), target)
    elif lying and len(change.more) == 1:
        # The set may lie under the card that was put to it, and not be found there.
        yield from (Move(seat, "add", (word,), target) for word in change.more[0] if value(word) == set_value(lying))
    if change.more and not (lying and change.stays):
        yield from _laid(state, change, target)


def _lies_still(deck: Deck, state: State, seen: ObservedTable) -> bool:
    """Whether a set of the round before has not been gathered: nobody can have begun the next one."""
    for one in state.dead:
        readings = [_words(deck, card) for card in seen.get((seat_name(one.seat), spot_name(state, one.area)), ())]
        if len(_compared(one.cards, readings)[1]) < len(one.cards):
            return True
    return False


def _changes(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Change]:
    """Every area that is not as it should be."""
    for seat, player in enumerate(state.players):
        for area, lying in enumerate(player.areas):
            cards = seen.get((seat_name(seat), spot_name(state, area)), ())
            readings = [_words(deck, card) for card in cards]
            more, missing = _compared(lying, readings)
            if missing and not more:
                # What may be a card of the set, but is rather another one, may also lie there instead of it.
                more, missing = _compared(lying, [words[:1] for words in readings])
            dead = [one for one in state.dead if (one.seat, one.area) == (seat, area) and one.fate is not Fate.STRAY]
            if more and dead and not any(_compared(tuple(card for one in dead for card in one.cards), more)):
                # What counts no more lies there still.
                more = []
            gone = bool(lying) and all(word in missing for word in lying)
            if more or gone:
                stays = not lying or not gone
                yield Change(seat, area, stays, gone, tuple(more), len(cards))


def _compared(wanted: CardSet, readings: list[tuple[str, ...]]) -> tuple[list[tuple[str, ...]], list[str]]:
    """The cards that are not wanted there, and the words that are not seen."""
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
    """What a card may be, as its owner sees it."""
    found = dict[str, None]()
    for code in card.likely() if card.face_up else ():
        printed = next((one for one in deck.cards if one.code == code), None)
        if printed is not None:
            pair = f"{printed.number('a')}/{printed.number('b')}"
            found[flipped(pair) if card.turned else pair] = None
    return tuple(found)


def _readings(cards: tuple[tuple[str, ...], ...]) -> Iterator[CardSet]:
    """Cards as they are read; with one read otherwise; and all turned so that they show one value."""
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
