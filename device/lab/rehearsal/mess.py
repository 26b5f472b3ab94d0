"""Mess: cards that are nudged, turned a little, squared up or pushed aside without being played."""

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
"""Range of the distance by which one card is nudged."""
MAX_SHIFT_MM = 35.0
"""Maximum total shift of a card or pile since it was laid."""
MAX_TURN_DEG = 20.0
"""Maximum total rotation of a card since it was laid."""
SQUARED = (0.3, 0.95)
"""Range of the fraction by which cards are pushed together; always less than 1, so that their order stays."""
TRIES = 8
"""Attempts to find an act that does not change where a card belongs."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Displacement of a card from where it was laid."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    turn_deg: float = 0.0

    def and_then(self, other: "Shift") -> "Shift":
        """Both shifts combined."""
        return Shift(self.x_mm + other.x_mm, self.y_mm + other.y_mm, self.turn_deg + other.turn_deg)

    @property
    def small(self) -> bool:
        """Whether the card still counts as being in the same place."""
        return hypot(self.x_mm, self.y_mm) <= MAX_SHIFT_MM and abs(self.turn_deg) <= MAX_TURN_DEG


Shifts = Mapping[int, Shift]
"""The shifts of displaced cards, by track."""


class Mess:
    """A course on which cards are shifted at some tables and stay so until they are played again."""

    def __init__(self, seating: Seating, rng: Random, share: float) -> None:
        self._seating, self._rng, self._share = seating, rng, share

    def __call__(self, tables: Iterator[Table]) -> Iterator[Table]:
        """The tables with the accumulated shifts."""
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
        """Shift something more, if possible."""
        for _ in range(TRIES if true.cards else 0):
            more = dict(shifts)
            for track, shift in self._act(shifted(true, shifts)).items():
                more[track] = shifts.get(track, Shift()).and_then(shift)
            if all(shift.small for shift in more.values()) and not self._misplaced(true, more):
                return more
        return shifts

    def _act(self, table: Table) -> Shifts:
        """A random act on cards as they are now."""
        rng, card = self._rng, self._rng.choice(table.cards)
        together = [other for other in table.cards if (other.zone, other.spot) == (card.zone, card.spot)]
        acts = ("nudge", "turn", "push", "square") if len(together) > 1 else ("nudge", "turn", "push")
        act = rng.choice(acts)
        if act == "turn":
            return {card.track: Shift(turn_deg=rng.uniform(-MAX_TURN_DEG, MAX_TURN_DEG))}
        if act == "square":
            return _squared(together, rng.uniform(*SQUARED))
        way, far_mm = rng.uniform(0, 2 * pi), rng.uniform(*(NUDGED_MM if act == "nudge" else (0.0, MAX_SHIFT_MM)))
        shift = Shift(far_mm * cos(way), far_mm * sin(way))
        return {other.track: shift for other in (together if act == "push" else (card,))}

    def _bearable(self, true: Table, shifts: Shifts) -> Shifts:
        """Drop the shifts in places where they would now change the meaning of a card."""
        while shifts and (places := self._misplaced(true, shifts)):
            kept = {
                card.track: shifts[card.track]
                for card in true.cards
                if card.track in shifts and (card.zone, card.spot) not in places
            }
            # A misplaced card may have been affected from another place; then drop all shifts.
            shifts = kept if len(kept) < len(shifts) else {}
        return shifts

    def _misplaced(self, true: Table, shifts: Shifts) -> set[tuple[str, str]]:
        """Places in which a shifted card would be taken for one of another place or order."""
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
    """A table with some cards shifted; the stacking order stays."""
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
    """Push cards of one place towards their middle, limited by the maximum shift."""
    x = sum(card.centre_mm[0] for card in cards) / len(cards)
    y = sum(card.centre_mm[1] for card in cards) / len(cards)
    farthest_mm = max(hypot(card.centre_mm[0] - x, card.centre_mm[1] - y) for card in cards)
    share = min(share, MAX_SHIFT_MM / farthest_mm) if farthest_mm else 0.0
    return {card.track: Shift(share * (x - card.centre_mm[0]), share * (y - card.centre_mm[1])) for card in cards}


def _lies_as(card: PlacedCard, before: PlacedCard) -> bool:
    """Whether a card has not been played since."""
    return (card.corners_mm, card.face_up, card.zone) == (before.corners_mm, before.face_up, before.zone)
