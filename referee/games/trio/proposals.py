"""Proposals for Trio: moves that may explain a table (cards turned, put back rightly or wrongly, taken, exchanged).

The source of a card is visible, the player who asked for it is not: proposals always name the active player.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from models.cards import Deck
from referee.games.trio.hands import COPIES, End
from referee.games.trio.state import (
    AskedPlace,
    Phase,
    State,
    Swap,
    Up,
    ends_of,
    held,
    loose,
    members,
    seen_anyway,
    side_of,
    slot_name,
)
from referee.moves import HIDDEN, Move, seat_index, seat_name
from referee.observed import ObservedCard, ObservedTable

MIN_TRIO_CARDS = 2
"""New equal cards in front of a player that count as a trio; the third may be missed."""
MAX_UNSEEN_SOURCES = 3
"""Maximum number of hands that are tried as the source of an unseen card."""


class TableReader:
    """Compares a table with a state and proposes moves."""

    def __init__(self, deck: Deck, state: State, seen: ObservedTable) -> None:
        self._state, self._seen = state, seen
        self._code = {card.number("number"): card.code for card in deck.cards}
        self._value = {code: value for value, code in self._code.items()}

    def moves(self) -> Iterator[Move]:
        """Every move, legal or not, that may bring the layout nearer to the observed table."""
        phase = self._state.phase
        if phase is Phase.OVER:
            return
        yield from self._swaps()
        trio = None if phase is Phase.RETURN else self._new_trio()
        new, gone = self._new_faces(), self._gone() if trio is None else []
        if trio is not None:
            yield from self._taken(*trio)
        # Players turn cards before they put cards back; the reverse order is tried only if nothing else fits.
        if gone and (phase is not Phase.REVEAL or not any(face.likely() for _, face in new)):
            yield from self._returns(gone)
        if not gone or phase is not Phase.RETURN:
            yield from self._reveals(new)

    # Turning cards

    def _new_faces(self) -> list[tuple[str, ObservedCard]]:
        """New faces with their places; if a player has the expected number of faces, none is new."""
        new = []
        for number, slot in enumerate(self._state.slots):
            face = self._face(slot_name(number))
            if slot.lies and face is not None:
                new.append((slot_name(number), face))
        for seat in range(len(self._state.trios)):
            faces, old = self._shown(seat), self._up_at(seat_name(seat))
            if len(faces) > len(old) and held(self._state, seat):
                known = {id(face) for _, face in self._matched(old, faces)}
                new += [(seat_name(seat), face) for face in faces if id(face) not in known]
        return new

    def _reveals(self, new: list[tuple[str, ObservedCard]]) -> Iterator[Move]:
        """Turning one of the new faces; equal cards come before a card that differs."""
        alike = {self._code[self._state.up[0].value]} if self._state.up else self._twins(new)
        first = [(home, face) for home, face in new if alike.intersection(face.likely(most=1))] or new
        moves: dict[Move, None] = {}
        for home, face in first:
            for code in face.likely() or (HIDDEN,):
                moves |= dict.fromkeys(self._turned(home, code))
            known = self._state.slots[int(home[1:]) - 1].value if home[0] == "c" else None
            if known is not None:
                # A publicly known card may be misread as any other.
                moves[self._reveal(self._code[known], home)] = None
        yield from moves

    def _twins(self, new: list[tuple[str, ObservedCard]]) -> set[str]:
        counts = Counter(code for _, face in new for code in face.likely(most=1))
        return {code for code, count in counts.items() if count > 1}

    def _turned(self, home: str, code: str) -> Iterator[Move]:
        """Revealing a card of the centre, or the lowest or highest of a hand, likelier end first, or an unknown end."""
        seat = None if home[0] == "c" else seat_index(home)
        if seat is None or code == HIDDEN or held(self._state, seat) == 1:
            yield self._reveal(code, home)
            return
        ends = self._ends(seat, self._value[code])
        if len(ends) > 1:
            # An end that gives no information about the other cards is the same hypothesis as an unknown end.
            open_end = self._after(seat, self._value[code], None)
            ends = [end for end in ends if self._after(seat, self._value[code], end) != open_end]
            yield from (self._reveal(code, f"{home}.{end}") for end in ends)
            yield self._reveal(code, home)
            return
        claimed = ends or self._claimed(seat, self._value[code])
        yield from (self._reveal(code, f"{home}.{end}") for end in claimed)
        if len(claimed) != 1:
            yield self._reveal(code, home)
        if not ends:
            side = side_of(self._state, seat)
            if self._state.swaps[side] is Swap.OPEN and self._state.phase is Phase.REVEAL:
                # Perhaps the card was exchanged unseen.
                yield self._swap(side)

    def _after(self, seat: int, value: int, end: End | None) -> State:
        return seen_anyway(self._state, AskedPlace(seat, end=end), value)

    def _reveal(self, code: str, target: str) -> Move:
        return Move(self._state.turn, "reveal", (code,), target)

    def _ends(self, seat: int, value: int) -> list[End]:
        """The possible ends of a hand for a card, likelier first."""
        return sorted(ends_of(self._state, AskedPlace(seat), value), key=lambda end: -self._chance(seat, value, end))

    def _claimed(self, seat: int, value: int) -> list[End]:
        """The end that was claimed for a card that can be neither; a card beyond all known ones is that end."""
        sides = len(self._state.sides)
        hands = [guess[seat // sides] for guess in self._state.sides[seat % sides]]
        known = [card for hand in hands for card in hand.known]
        low = [*known, *(group.low for hand in hands for group in hand.unseen)]
        high = [*known, *(group.high for hand in hands for group in hand.unseen)]
        return [End.LOW] if value < min(low) else [End.HIGH] if value > max(high) else []

    def _chance(self, seat: int, value: int, end: End) -> float:
        """Approximate probability that a hand has no card beyond this one, if its others are random hidden cards."""
        hidden = loose(self._state)
        beyond = sum(hidden[:value] if end is End.LOW else hidden[value + 1 :])
        return float((1.0 - beyond / (sum(hidden) + 1)) ** (held(self._state, seat) - 1))

    # Putting cards back

    def _returns(self, gone: list[Up]) -> Iterator[Move]:
        """Returning the first of the missing faces; a hand card goes to its owner, because the hand is not visible."""
        turn, phase = self._state.turn, self._state.phase
        if phase is not Phase.RETURN and len(gone) > 1:
            yield Move(turn, "end")
        slots = enumerate(self._state.slots)
        backs = [slot_name(number) for number, slot in slots if not slot.lies and self._is_back(slot_name(number))]
        homes = {card.home for card in self._state.up}
        card = min(gone, key=self._doubt)
        code, central = self._code[card.value], card.home[0] == "c"
        yield Move(turn, "return", (code,), card.home)
        if central and card.home in backs:
            return
        wrong_homes = [home for home in backs if central or home not in homes]
        if central and not wrong_homes and not self._seen.get(("centre", card.home)):
            # The card may be in any hand.
            wrong_homes = [seat_name(turn)]
        yield from (Move(turn, "return", (code,), home) for home in wrong_homes)

    def _doubt(self, card: Up) -> int:
        """Rank of the doubt that a card went back: 0 if another is there, 1 if it is back, 2 if its place is empty."""
        if card.home[0] == "c" and not self._is_back(card.home):
            return 0 if self._face(card.home) else 2
        return 1

    def _gone(self) -> list[Up]:
        """Cards that are face up in the state and not on the table."""
        gone = []
        for home in dict.fromkeys(card.home for card in self._state.up):
            cards = self._up_at(home)
            if home[0] == "c":
                gone += cards if self._is_moved(cards[0]) else []
                continue
            faces = self._shown(seat_index(home))
            if len(faces) < len(cards):
                there = [id(card) for card, _ in self._matched(cards, faces)]
                gone += [card for card in cards if id(card) not in there]
            elif self._state.phase is Phase.RETURN and len(cards) == len(self._state.up):
                # All others are back: the next player may have asked the same hand before a table was observed.
                read = {code for face in faces for code in face.likely()}
                gone += [card for card in cards if self._code[card.value] not in read]
        return gone

    def _is_moved(self, card: Up) -> bool:
        """Whether a face-up centre card has left its place, rather than being misread."""
        face = self._face(card.home)
        if face is None:
            return True
        others = {self._code[other.value] for other in self._state.up if other.value != card.value}
        return self._code[card.value] not in face.likely() and bool(others & set(face.likely()))

    # Trios and exchanges

    def _new_trio(self) -> tuple[int, int] | None:
        """The seat and the value of a new trio."""
        state = self._state
        there = [self._seen.get((seat_name(seat), "trios"), ()) for seat in range(len(state.trios))]
        more = [len(cards) - COPIES * len(trios) for cards, trios in zip(there, state.trios, strict=True)]
        if state.phase is Phase.CLAIM:
            seat, value = more.index(max(more)), state.up[0].value
            enough = more[seat] >= MIN_TRIO_CARDS or any(self._code[value] in card.likely() for card in there[seat])
            return (seat, value) if more[seat] > 0 and enough else None
        for seat, cards in enumerate(there):
            if more[seat] < MIN_TRIO_CARDS:
                continue
            read = Counter(self._value[code] for card in cards for code in card.likely(most=1))
            for value, count in read.items():
                if (
                    value not in state.trios[seat]
                    and count >= MIN_TRIO_CARDS
                    and all(card.value == value for card in state.up)
                ):
                    return seat, value
        return None

    def _taken(self, seat: int, value: int) -> Iterator[Move]:
        """Taking a trio, perhaps after an unseen reveal of its third card."""
        code = self._code[value]
        if self._state.phase is Phase.CLAIM:
            yield Move(seat, "claim", (code,) * COPIES)
            return
        empty = [
            slot_name(number)
            for number, slot in enumerate(self._state.slots)
            if slot.lies and slot.value in (None, value) and not self._seen.get(("centre", slot_name(number)))
        ]
        yield from (self._reveal(code, home) for home in empty)
        if not empty:
            yield from islice(self._unseen(value), MAX_UNSEEN_SOURCES)

    def _unseen(self, value: int) -> Iterator[Move]:
        """Reveals of an unseen card from the likeliest hands."""
        owners = [seat for seat in range(len(self._state.trios)) if held(self._state, seat)]
        chances = {seat: max(self._chance(seat, value, end) for end in End) for seat in owners}
        for seat in sorted(owners, key=lambda seat: (not self._has(seat, value), -chances[seat])):
            for end in self._ends(seat, value)[:1]:
                yield self._reveal(self._code[value], f"{seat_name(seat)}.{end}")

    def _has(self, seat: int, value: int) -> bool:
        """Whether a hand is known to have a card."""
        sides = len(self._state.sides)
        return any(value in guess[seat // sides].known for guess in self._state.sides[seat % sides])

    def _swaps(self) -> Iterator[Move]:
        """Exchanges of partners who both have a face-down card in front of them."""
        if len(self._state.sides) == len(self._state.trios):
            return
        for side, swap in enumerate(self._state.swaps):
            if swap is not Swap.DONE and all(map(self._has_back, members(self._state, side))):
                yield self._swap(side)

    def _swap(self, side: int) -> Move:
        one, other = members(self._state, side)
        return Move(one, "swap", (HIDDEN,), seat_name(other))

    # The observed table

    def _face(self, home: str) -> ObservedCard | None:
        """The face at a place of the centre."""
        return next((card for card in self._seen.get(("centre", home), ()) if card.face_up), None)

    def _is_back(self, home: str) -> bool:
        """Whether a place of the centre has a face-down card and no face-up one."""
        return bool(self._seen.get(("centre", home))) and self._face(home) is None

    def _shown(self, seat: int) -> list[ObservedCard]:
        """The faces in front of a player."""
        return [card for card in self._seen.get((seat_name(seat), "shown"), ()) if card.face_up]

    def _has_back(self, seat: int) -> bool:
        """Whether a player has a face-down card in front of him."""
        return any(not card.face_up for card in self._seen.get((seat_name(seat), "shown"), ()))

    def _up_at(self, home: str) -> list[Up]:
        """The face-up cards of the state from one place."""
        return [card for card in self._state.up if card.home == home]

    def _matched(self, cards: list[Up], faces: list[ObservedCard]) -> Iterator[tuple[Up, ObservedCard]]:
        """Pairs of a card of the state and an observed face, most certain first."""
        cards, faces = list(cards), list(faces)
        while cards and faces:
            pairs = [(card, face) for card in cards for face in faces]
            card, face = max(pairs, key=lambda pair: dict(pair[1].candidates).get(self._code[pair[0].value], 0.0))
            yield card, face
            cards = [other for other in cards if other is not card]
            faces = [other for other in faces if other is not face]
