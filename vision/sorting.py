"""Sorting: which spot of its zone every card and piece of a table lies on, and as which one there."""

from dataclasses import replace
from math import hypot

from calibration.plan import Seating, Spot
from calibration.seats import Frame, Point, across
from vision.table import Piece, Placed, Table

LONGEST = 16
"""Cards of one spot."""
TOKENS = "tokens"
"""The spot of all pieces in front of a seat: they are only counted."""


def sort_table(table: Table, seating: Seating) -> Table:
    """The table with the spot of everything and the order of every card; what lies in no zone stays as it is."""
    spots = _spots(seating)
    cards: dict[int, Placed] = {}
    places: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for number, card in enumerate(table.cards):
        known = spots.get(card.zone, {})
        if not known:
            continue
        point = seen_from(seating.frame_of(card.zone), card.centre_mm)
        name, _ = min(((name, _away(spot, point)) for name, spot in known.items()), key=lambda pair: pair[1])
        places.setdefault((card.zone, name), []).append((_along(known[name], point), number))
    for (_, name), held in places.items():
        for order, (_, number) in enumerate(sorted(held)):
            cards[number] = replace(table.cards[number], spot=name, order=order)
    return replace(
        table,
        cards=tuple(cards.get(number, card) for number, card in enumerate(table.cards)),
        pieces=tuple(replace(piece, spot=piece.spot or _standing(piece, seating)) for piece in table.pieces),
    )


def seen_from(frame: Frame, point_mm: Point) -> Point:
    """A point of the table as somebody sees it: to the right and away, in mm."""
    right_x, right_y = across(frame.turn_deg)
    x, y = point_mm[0] - frame.x_mm, point_mm[1] - frame.y_mm
    return x * right_x + y * right_y, x * right_y - y * right_x


def _standing(piece: Piece, seating: Seating) -> str:
    """The spot of a piece; on a track, which begins at its space 0, the number of its space."""
    if any(seat.zone.name == piece.zone for seat in seating.seats):
        return TOKENS
    track = seating.plan.middle.get(piece.zone)
    if track is None or not any(track.step_mm):
        return ""
    return str(round(_along(track, seen_from(seating.middle, (piece.x_mm, piece.y_mm)))))


def _spots(seating: Seating) -> dict[str, dict[str, Spot]]:
    """The spots of every zone; a spot of the middle belongs to the zone in which it begins."""
    chairs = len(seating.seats)
    used = {name: spot for name, spot in seating.plan.seat.items() if not spot.chairs or chairs in spot.chairs}
    found = {seat.zone.name: used for seat in seating.seats}
    for zone in seating.zones:
        if zone.name in found:
            continue
        inside = {
            name: spot for name, spot in seating.plan.middle.items() if zone.holds(*seating.middle.place(*spot.at(0)))
        }
        found[zone.name] = inside
    return found


def _away(spot: Spot, point: Point) -> float:
    """How far a card is from where one of this spot would lie."""
    return min(
        hypot(point[0] - x, point[1] - y) for x, y in (spot.at(number) for number in range(spot.most or LONGEST))
    )


def _along(spot: Spot, point: Point) -> float:
    """Which one of its spot a card is, as a number that grows along it."""
    right, away = point[0] - spot.right_mm, point[1] - spot.away_mm
    step = spot.step_mm
    length = hypot(*step)
    if not length:
        return 0.0
    column = (right * step[0] + away * step[1]) / length**2
    if not spot.per_row:
        return column
    row = round((right * spot.row_mm[0] + away * spot.row_mm[1]) / hypot(*spot.row_mm) ** 2)
    return row * spot.per_row + column
