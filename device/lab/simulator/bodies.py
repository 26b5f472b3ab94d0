"""Bodies: the physical cards, piles and pieces of a simulated table, and their way from one layout to the next."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from random import Random

from calibration.plan import Seating, Spot
from models.art.pieces import board_of
from models.cards import Deck
from referee.layout import Counter, Layout, Layouts, Place, Spread
from referee.moves import HIDDEN

CARD_MM = 0.31


@dataclass(frozen=True, slots=True)
class Body:
    """One object on the table: a card, a squared pile of cards, a figure or a token."""

    id: int
    word: str
    """The referee's name for it; `?` for a face-down card."""
    code: str
    """The printed card; for pieces their kind and owner, as figure P1."""
    zone: str
    spot: str
    number: int
    """Its index within the place."""
    face_up: bool
    x_mm: float
    y_mm: float
    turn_deg: float
    height_mm: float = 0.0
    cards: int = 1
    """More than one for a pile."""
    marks: tuple[str, ...] = ()
    piece: bool = False

    @property
    def pile(self) -> bool:
        """Whether it is a squared pile."""
        return self.spot.startswith("pile:")

    @property
    def place(self) -> tuple[str, str, int]:
        """Zone, spot and index where it belongs."""
        return self.zone, self.spot, self.number


@dataclass(frozen=True, slots=True)
class Journey:
    """The change of one body; None before if it comes from a hand, None after if it goes to one."""

    before: Body | None
    after: Body | None
    zone: str
    """Where it happens; this decides whose hand brings or takes the body."""


class SimulatedTable:
    """All bodies, and the way from one layout to the next. Jitter is seeded, so a game is always laid out alike."""

    def __init__(self, deck: Deck, layouts: Layouts, seating: Seating, seed: int, neatness: float = 0.5) -> None:
        self._deck, self._layouts, self._seating = deck, layouts, seating
        self._board = board_of(deck.game)
        self._rng = Random(seed)
        self._mess = 1.5 - neatness
        self._ids = count(1)
        self._kind = {card.code: card.kind for card in deck.cards}
        self._revealed: set[int] = set()
        """Bodies whose face was seen; they keep their card."""
        self._left: dict[str, int] = {}
        """When each face-up card left the table; identical copies take turns."""
        self.bodies: tuple[Body, ...] = ()

    def become(self, layout: Layout, before: Sequence[Body] = ()) -> tuple[Journey, ...]:
        """Change the table to `layout`; returns the journeys in the order in which hands make them.

        A card that is only put back keeps its identity.
        """
        known = {(body.place, body.word): body for body in before}
        wanted = list(self._wanted(layout))
        old = {body.place: body for body in self.bodies}
        journeys: list[Journey] = []
        kept: list[Body] = []
        missing: list[Body] = []
        for body in wanted:
            same = old.get(body.place)
            if same is None or not _same(same, body):
                missing.append(body)
                continue
            del old[body.place]
            after = self._settled(same, body, kept)
            kept.append(after)
            if _moves(same, after):
                journeys.append(Journey(same, after, body.zone))
        new: list[Body] = []
        for body in missing:
            source = self._source(body, old)
            was = known.get((body.place, body.word)) if source is None else None
            laid = self._laid(body, source or was, [*kept, *new, *old.values()])
            new.append(laid)
            if source is not None:
                del old[source.place]
            journeys.append(Journey(source, laid, body.zone))
        journeys += self._piled(kept, old)
        journeys += [Journey(body, None, body.zone) for body in old.values()]
        self._left |= {body.code: next(self._ids) for body in old.values() if body.face_up}
        # Bodies that stay keep their stacking order; new ones are laid on top.
        stay = {body.id: body for body in kept}
        order = [stay[body.id] for body in self.bodies if body.id in stay]
        self.bodies = (*order, *new)
        return tuple(journeys)

    def _wanted(self, layout: Layout) -> Iterator[Body]:
        for place in layout.places:
            yield from self._wanted_cards(place)
        for counter in layout.counters:
            yield from self._wanted_pieces(counter)

    def _wanted_cards(self, place: Place) -> Iterator[Body]:
        frame, spot = self._seating.frame_of(place.zone), self._spot(place.zone, place.spot)
        tops = {body.number: body.word for body in self.bodies if body.place[:2] == (place.zone, f"pile:{place.spot}")}
        for number, pile in enumerate(_as_they_lie(_piles(place), tops)):
            x, y = frame.place(*spot.at(number))
            word = pile[-1]
            code = self._code(word, place.kind)
            yield Body(
                0, word, code, place.zone, f"pile:{place.spot}", number, word != HIDDEN, x, y, frame.turn_deg,
                cards=len(pile),
            )  # fmt: skip
        if place.spread in (Spread.PILE, Spread.PAIR):
            return
        for number, word in enumerate(place.cards):
            x, y = frame.place(*spot.at(number))
            marks = place.marks[number] if place.marks else ()
            height = CARD_MM * number if place.spread in (Spread.STACK, Spread.FAN) else 0.0
            yield Body(
                0, word, self._code(word, place.kind), place.zone, place.spot, number, word != HIDDEN, x, y,
                frame.turn_deg, height, marks=marks,
            )  # fmt: skip

    def _wanted_pieces(self, counter: Counter) -> Iterator[Body]:
        if self._board is not None and counter.zone == self._board.zone:
            x, y = self._board.place(int(counter.spot), int(counter.owner[1:]) - 1)
            code = f"{counter.kind} {counter.owner}"
            yield Body(0, code, code, counter.zone, code, 0, True, x, y, 0.0, piece=True)
            return
        frame, spot = self._seating.frame_of(counter.zone), self._spot(counter.zone, counter.kind)
        for number in range(counter.count):
            x, y = frame.place(*spot.at(number))
            yield Body(
                0, counter.kind, counter.kind, counter.zone, counter.kind, number, True, x, y, frame.turn_deg,
                0.2 * number, piece=True,
            )  # fmt: skip

    def _spot(self, zone: str, spot: str) -> Spot:
        seated = any(seat.zone.name == zone for seat in self._seating.seats)
        name = spot if seated or spot in self._seating.plan.middle else zone
        return self._seating.spot_of(zone, name)

    def _code(self, word: str, kind: str) -> str:
        if word != HIDDEN:
            return self._layouts.faces(self._deck, word)[0].code
        return next(card.code for card in self._deck.cards if not kind or card.kind == kind)

    def _settled(self, old: Body, wanted: Body, others: list[Body]) -> Body:
        """The same body in the same place: perhaps turned over, marked, or a pile that grew or shrank."""
        if old.pile or old.piece:
            on_board = old.piece and self._board is not None and old.zone == self._board.zone
            moved = (wanted.x_mm, wanted.y_mm) if on_board else (old.x_mm, old.y_mm)
            return replace(
                old, word=wanted.word, code=wanted.code, face_up=wanted.face_up, cards=wanted.cards,
                x_mm=moved[0], y_mm=moved[1],
            )  # fmt: skip
        if old.word == wanted.word:
            return replace(old, marks=wanted.marks, height_mm=wanted.height_mm)
        if wanted.word == HIDDEN:
            return replace(old, word=HIDDEN, face_up=False, marks=())
        return self._shown(replace(old, face_up=True, word=wanted.word, marks=wanted.marks), others)

    def _piled(self, kept: list[Body], free: dict[tuple[str, str, int], Body]) -> Iterator[Journey]:
        """Cards that are laid face up on piles, from the table or from a hand."""
        tops = {body.id: body.word for body in self.bodies if body.pile}
        for pile in kept:
            if pile.face_up and tops.get(pile.id, pile.word) != pile.word:
                source = self._source(pile, free)
                if source is not None:
                    del free[source.place]
                top = replace(pile, id=source.id if source else next(self._ids), cards=1)
                yield Journey(source, replace(top, height_mm=CARD_MM * pile.cards), source.zone if source else top.zone)

    def _source(self, wanted: Body, free: dict[tuple[str, str, int], Body]) -> Body | None:
        """A body that could become the wanted one: the same card elsewhere, or a face-down one in the same zone."""
        singles = [body for body in free.values() if not body.pile and not body.piece]
        if wanted.piece or (wanted.pile and not wanted.face_up):
            return None
        for body in singles:
            if body.word == wanted.word and wanted.word != HIDDEN:
                return body
        for body in singles:
            # A card laid face up on a pile came from in front of a player.
            near = body.zone == wanted.zone or (wanted.pile and self._kind[body.code] == self._kind[wanted.code])
            if near and HIDDEN in (body.word, wanted.word):
                return body
        return None

    def _laid(self, wanted: Body, source: Body | None, others: list[Body]) -> Body:
        """A body at its new place, slightly displaced and rotated."""
        rng, mess = self._rng, self._mess * (0.3 if wanted.pile or wanted.piece else 1.0)
        body = replace(
            wanted,
            id=source.id if source else next(self._ids),
            code=source.code if source and wanted.word in (HIDDEN, source.word) else wanted.code,
            x_mm=wanted.x_mm + rng.gauss(0, 1.2) * mess,
            y_mm=wanted.y_mm + rng.gauss(0, 1.2) * mess,
            turn_deg=wanted.turn_deg + rng.gauss(0, 1.4) * mess,
        )
        return body if wanted.word == HIDDEN or wanted.piece else self._shown(body, others)

    def _shown(self, body: Body, others: list[Body]) -> Body:
        """Assign a face: a possible printed card that is not elsewhere on the table, rotated as required."""
        faces = self._layouts.faces(self._deck, body.word)
        taken = [other.code for other in (*others, *self.bodies) if other.face_up and other.id != body.id]
        free = [face for face in faces if face.code not in taken]
        face = next((face for face in free if face.code == body.code and body.id in self._revealed), None)
        face = face or min(free or faces, key=lambda face: self._left.get(face.code, 0))
        self._revealed.add(body.id)
        upright = self._seating.frame_of(body.zone).turn_deg
        askew = (body.turn_deg - upright + 90) % 180 - 90
        return replace(body, code=face.code, turn_deg=upright + askew + (180 if face.turned else 0))


def _piles(place: Place) -> tuple[tuple[str, ...], ...]:
    """The squared piles of a place."""
    if place.spread is Spread.PILE:
        return (place.cards,)
    if place.spread is Spread.PAIR:
        return tuple(pile for pile in (place.cards[:-1], place.cards[-1:]) if pile)
    return ()


def _as_they_lie(piles: tuple[tuple[str, ...], ...], tops: Mapping[int, str]) -> tuple[tuple[str, ...], ...]:
    """Swap two piles if otherwise the top card of one would have to move to the other."""
    crossed = any(tops.get(1 - number) == pile[-1] for number, pile in enumerate(piles))
    return piles[::-1] if len(piles) > 1 and crossed else piles


def _same(old: Body, wanted: Body) -> bool:
    """Whether the body in a place can be the wanted one: the same card, or one that was turned over."""
    return old.pile or old.piece or old.word == wanted.word or HIDDEN in (old.word, wanted.word)


def _moves(before: Body, after: Body) -> bool:
    """Whether a change requires a hand on the table."""
    if before.pile:
        return False
    return (before.word, before.marks, before.x_mm, before.y_mm) != (after.word, after.marks, after.x_mm, after.y_mm)
