"""The possible hands of dnp, given all public information.

Every unseen card may be in any hand with room for it, either way up; the star card only in the hand that named it. A
played card that equals a known card of the hand is taken to be that one. This loses nothing: another copy may still be
anywhere it could have been before.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from referee.games.dnp.state import CardSet, Known, Player, State, flipped, printed, sets, value, with_player
from referee.moves import HIDDEN
from referee.verdicts import Reason, because


@dataclass(frozen=True, slots=True)
class SetFault:
    """Why a set cannot have come from a hand: the broken rule, the reason, and the ply of the guilty move."""

    rule: str
    reason: Reason
    about: int | None = None


def room(player: Player) -> int:
    """Number of cards of the hand that have not been seen since the deal."""
    return player.hand - len(player.known)


def without_known(player: Player, cards: CardSet) -> tuple[list[Known], list[str]]:
    """The known cards that stay in the hand, and the played cards that were not known."""
    stay, fresh = list(player.known), []
    for card in cards:
        for index, held in enumerate(stay):
            if held.card == card:
                del stay[index]
                break
        else:
            fresh.append(card)
    return stay, fresh


def find_fault(state: State, seat: int, cards: CardSet) -> SetFault | None:
    """Why these cards cannot come from a hand together; None if they can for some hands that fit all observations."""
    player, claim = state.players[seat], state.claim
    if len(cards) > player.hand:
        return SetFault("DN-K", because("hand-short", seat=seat, cards=len(cards), hand=player.hand))
    stay, fresh = without_known(player, tuple(card for card in cards if card != HIDDEN))
    if not fresh:
        return None
    pairs = [printed(card) for card in fresh]
    for card, pair in zip(fresh, pairs, strict=True):
        if pairs.count(pair) > state.unseen.count(pair):
            return _unturned(seat, [card], stay) or _no_copy(state, seat, card, cards.count(card))
    free = room(player)
    if len(fresh) > free:
        reason = because("no-room", seat=seat, card=fresh[0], hand=player.hand, unseen=free)
        return _unturned(seat, fresh, stay) or SetFault("DN-K", reason)
    if claim is None:
        return None
    if claim.seat != seat and claim.card in pairs:
        return SetFault("DN-2", because("star-elsewhere", seat=seat, card=claim.card, star_seat=claim.seat), claim.ply)
    if claim.seat == seat and claim.card not in pairs and len(fresh) == free:
        return _unturned(seat, fresh, stay) or SetFault(
            "DN-2", because("star-missing", seat=seat, card=claim.card, unseen=free), claim.ply
        )
    return None


def _unturned(seat: int, cards: list[str], stay: list[Known]) -> SetFault | None:
    """The fault if one of these cards is known in the hand the other way up."""
    for card in cards:
        for held in stay:
            if held.card == flipped(card):
                return SetFault("DN-5", because("unturned", seat=seat, card=card, known=held.card), held.ply)
    return None


def _no_copy(state: State, seat: int, card: str, laid: int) -> SetFault:
    pair = printed(card)
    table = sum(printed(lying) == pair for _, _, cards in sets(state) for lying in cards)
    known = sum(printed(held.card) == pair for player in state.players for held in player.known)
    discarded = sum(printed(gone) == pair for gone in state.discarded)
    copies = table + known + discarded + state.unseen.count(pair)
    if not copies:
        return SetFault("DN-K", because("not-in-play", seat=seat, card=card, players=len(state.players)))
    where = {"copies": copies, "discarded": discarded, "table": table, "known": known}
    return SetFault("DN-K", because("no-copy", seat=seat, card=card, laid=laid, **where))


def possible_sets(state: State, seat: int, active: int) -> Iterator[CardSet]:
    """Every set of a value that the hand may hold, its cards by rising dormant value."""
    player, claim = state.players[seat], state.claim
    own = Counter(held.card for held in player.known)
    free = Counter(state.unseen)
    if claim is not None and claim.seat != seat:
        del free[claim.card]
    kept = claim.card if claim is not None and claim.seat == seat else None
    upright = (card if value(card) == active else flipped(card) for card in free)
    cards = sorted({card for card in (*own, *upright) if value(card) == active}, key=lambda card: value(flipped(card)))

    def grow(index: int, chosen: CardSet, spare: int) -> Iterator[CardSet]:
        # The hand that named the star card keeps a place for it, unless the star card is played.
        if chosen and (spare or kept is None or any(printed(card) == kept for card in chosen)):
            yield chosen
        for later in range(index, len(cards)):
            card = cards[later]
            for copies in range(1, own[card] + free[printed(card)] + 1):
                left = spare - max(0, copies - own[card])
                if left < 0:
                    break
                yield from grow(later + 1, chosen + (card,) * copies, left)

    yield from grow(0, (), room(player))


def lay(state: State, seat: int, cards: CardSet) -> State | None:
    """The state after these cards have left the hand; None if the hand or the deck cannot have had them.

    If a human lets impossible cards stand, as little knowledge as possible is given up: a known card is taken the other
    way up, or the known cards of a hand are forgotten.
    """
    hand = state.players[seat].hand
    if len(cards) > hand:
        return None
    if HIDDEN in cards:
        return _lay_unseen(state, seat, cards)
    players, unseen = list(state.players), list(state.unseen)
    stay, fresh = without_known(players[seat], cards)
    hand -= len(cards) - len(fresh)
    for card in fresh:
        pair, turned = printed(card), next((held for held in stay if held.card == flipped(card)), None)
        if pair in unseen and len(stay) < hand:
            unseen.remove(pair)
        elif turned is not None:
            stay.remove(turned)
        elif pair in unseen or _forget(players, seat, pair, unseen):
            if len(stay) == hand:
                unseen.append(printed(stay.pop(0).card))
            unseen.remove(pair)
        else:
            return None
        hand -= 1
    players[seat] = replace(players[seat], hand=hand, known=tuple(stay))
    claim = state.claim
    if claim is not None and (claim.card not in unseen or not room(players[claim.seat])):
        claim = None
    return replace(state, players=tuple(players), unseen=tuple(unseen), claim=claim)


def _forget(players: list[Player], seat: int, pair: str, unseen: list[str]) -> bool:
    """Move a card that was thought to be known in another hand to the unseen ones; whether there was one."""
    for other, player in enumerate(players):
        for held in player.known:
            if other != seat and printed(held.card) == pair:
                rest = list(player.known)
                rest.remove(held)
                players[other] = replace(player, known=tuple(rest))
                unseen.append(pair)
                return True
    return False


def forget_hand(state: State, seat: int) -> State:
    """The state in which nothing is known about a hand any more."""
    player = state.players[seat]
    unseen = (*state.unseen, *(printed(held.card) for held in player.known))
    return replace(with_player(state, seat, replace(player, known=())), unseen=unseen)


def _lay_unseen(state: State, seat: int, cards: CardSet) -> State | None:
    """The state after unseen cards have left the hand; they may be any of its cards, also the star card."""
    if set(cards) != {HIDDEN}:
        return None
    state = forget_hand(state, seat)
    player = state.players[seat]
    claim = None if state.claim is not None and state.claim.seat == seat else state.claim
    return replace(with_player(state, seat, replace(player, hand=player.hand - len(cards))), claim=claim)
