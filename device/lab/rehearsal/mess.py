"""Mess: cards that somebody nudges, turns a little, squares up or pushes aside without playing them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, hypot, pi, radians, sin
from random import Random

from calibration.plan import Seating
from calibration.seats import Point, zone_of
from vision.follow.spots import sort_table
from vision.quads import wrapped
from vision.table import PlacedCard, Quad, Table

NUDGED_MM = (20.0, 35.0)
"""How far one card is nudged."""
MOST_SHIFTED_MM = 35.0
"""How far a card or a pile is shifted at most, all shifts since it was laid together."""
MOST_TURNED_DEG = 20.0
"""How far a card is turned at most, all turns since it was laid together."""
SQUARED = (0.3, 0.95)
"""The share of their distances by which cards are pushed together; never all of it, so that their order stays."""
TRIES = 8
"""How often something else is tried if what was tried would change where a card belongs."""


@dataclass(frozen=True, slots=True)
class Shift:
    """How far a card is from where it was laid."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    turn_deg: float = 0.0

    def and_then(self, other: "Shift") -> "Shift":
        """Both shifts, one after the other."""
        return Shift(self.x_mm + other.x_mm, self.y_mm + other.y_mm, self.turn_deg + other.turn_deg)

    @property
    def small(self) -> bool:
        """Whether nobody would say that the card lies somewhere else."""
        return hypot(self.x_mm, self.y_mm) <= MOST_SHIFTED_MM and abs(self.turn_deg) <= MOST_TURNED_DEG


Shifts = Mapping[int, Shift]
"""The shift of every card that has one, by its track."""


class Mess:
    """A course on which something is shifted at some tables, and stays so until it is played again."""

    def __init__(self, seating: Seating, rng: Random, share: float) -> None:
        self._seating, self._rng, self._share = seating, rng, share

    def __call__(self, tables: Iterator[Table]) -> Iterator[Table]:
        """The tables as they lie there after all that."""
        shifts: Shifts = {}
        laid: dict[int, PlacedCard] = {}
        for table in tables:
            shifts = {
                card.track: shifts[card.track]
                for card in table.cards
                if card.track in shifts and _lies_as(card, laid[card.track])
            }
            laid = {card.track: card for card in table.cards}
            true = sort_table(table, self._seating)
            shifts = self._bearable(true, shifts)
            if self._rng.random() < self._share:
                shifts = self._messier(true, shifts)
            yield shifted(table, shifts) if shifts else table

    def _messier(self, true: Table, shifts: Shifts) -> Shifts:
        """Something more is shifted, if there is anything that can be."""
        for _ in range(TRIES if true.cards else 0):
            more = dict(shifts)
            for track, shift in self._act(shifted(true, shifts)).items():
                more[track] = shifts.get(track, Shift()).and_then(shift)
            if all(shift.small for shift in more.values()) and not self._misplaced(true, more):
                return more
        return shifts

    def _act(self, table: Table) -> Shifts:
        """What somebody does to cards as they lie there."""
        rng, card = self._rng, self._rng.choice(table.cards)
        together = [other for other in table.cards if (other.zone, other.spot) == (card.zone, card.spot)]
        acts = ("nudge", "turn", "push", "square") if len(together) > 1 else ("nudge", "turn", "push")
        act = rng.choice(acts)
        if act == "turn":
            return {card.track: Shift(turn_deg=rng.uniform(-MOST_TURNED_DEG, MOST_TURNED_DEG))}
        if act == "square":
            return _squared(together, rng.uniform(*SQUARED))
        way, far_mm = rng.uniform(0, 2 * pi), rng.uniform(*(NUDGED_MM if act == "nudge" else (0.0, MOST_SHIFTED_MM)))
        shift = Shift(far_mm * cos(way), far_mm * sin(way))
        return {other.track: shift for other in (together if act == "push" else (card,))}

    def _bearable(self, true: Table, shifts: Shifts) -> Shifts:
        """Without the shifts in places where, beside the cards that lie there now, they would mean something else."""
        while shifts and (places := self._misplaced(true, shifts)):
            kept = {
                card.track: shifts[card.track]
                for card in true.cards
                if card.track in shifts and (card.zone, card.spot) not in places
            }
            # What lies wrong may have been pushed there by nobody in its own place.
            shifts = kept if len(kept) < len(shifts) else {}
        return shifts

    def _misplaced(self, true: Table, shifts: Shifts) -> set[tuple[str, str]]:
        """The places of which a card would be taken for another place's, or for another one of its place."""
        bare = replace(true, cards=tuple(replace(card, spot="", order=0) for card in true.cards))
        now = sort_table(shifted(bare, shifts), self._seating)
        return {
            (was.zone, was.spot)
            for was, card in zip(true.cards, now.cards, strict=True)
            if (was.spot, was.order) != (card.spot, card.order) or self._leaves(was, card)
        }

    def _leaves(self, was: PlacedCard, card: PlacedCard) -> bool:
        return was.corners_mm != card.corners_mm and zone_of(self._seating.zones, card.centre_mm) != was.zone


def shifted(table: Table, shifts: Shifts) -> Table:
    """A table with some of its cards shifted; what lies on what stays as it is."""
    cards = (_moved(card, shifts[card.track]) if card.track in shifts else card for card in table.cards)
    return replace(table, cards=tuple(cards))


def _moved(card: PlacedCard, shift: Shift) -> PlacedCard:
    x, y = card.centre_mm
    turn = radians(shift.turn_deg)

    def corner(point: Point) -> Point:
        right, down = point[0] - x, point[1] - y
        return (
            x + shift.x_mm + right * cos(turn) - down * sin(turn),
            y + shift.y_mm + right * sin(turn) + down * cos(turn),
        )

    a, b, c, d = card.corners_mm
    corners: Quad = (corner(a), corner(b), corner(c), corner(d))
    turned_deg = wrapped(card.turned_deg + shift.turn_deg)
    if not card.face_up:
        turned_deg = (turned_deg + 90.0) % 180.0 - 90.0
    return replace(card, corners_mm=corners, turned_deg=turned_deg)


def _squared(cards: Sequence[PlacedCard], share: float) -> Shifts:
    """Cards of one place pushed together towards their middle, the farthest as far as anything is ever shifted."""
    x = sum(card.centre_mm[0] for card in cards) / len(cards)
    y = sum(card.centre_mm[1] for card in cards) / len(cards)
    farthest_mm = max(hypot(card.centre_mm[0] - x, card.centre_mm[1] - y) for card in cards)
    share = min(share, MOST_SHIFTED_MM / farthest_mm) if farthest_mm else 0.0
    return {card.track: Shift(share * (x - card.centre_mm[0]), share * (y - card.centre_mm[1])) for card in cards}


def _lies_as(card: PlacedCard, before: PlacedCard) -> bool:
    """Whether nobody has played a card since."""
    return (card.corners_mm, card.face_up, card.zone) == (before.corners_mm, before.face_up, before.zone)
