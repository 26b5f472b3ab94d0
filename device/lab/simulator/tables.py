"""Tables of a film: every resting table as a perfect eye would report it; nothing is drawn."""

from collections.abc import Iterator
from math import cos, radians, sin

from calibration.plan import Seating
from calibration.seats import Point, zone_of
from device.lab.simulator.bodies import Body
from device.lab.simulator.film import Film, Rest
from device.lab.simulator.motion import Trip
from referee.moves import seat_name
from vision.quads import wrapped
from vision.table import FOREIGN, Arm, Guess, Piece, PlacedCard, Quad, Table

CARD_MM = (63.0, 88.0)
"""Size of all our own cards."""
LOOKS = 3
"""Number of looks at a resting table."""


def resting_tables(film: Film, fps: float) -> Iterator[tuple[int, Table]]:
    """The table after every line of the record; an illegal play first as laid, then as taken back."""
    return ((rest.line, resting_table(rest, film.seating, fps)) for rest in film.rests())


def resting_table(rest: Rest, seating: Seating, fps: float) -> Table:
    """The table at the end of one scene; its cards are the bodies that are not pieces, in the same order."""
    cards = tuple(_placed(body, seating) for body in rest.bodies if not body.piece)
    pieces = tuple(_piece(body, seating) for body in rest.bodies if body.piece)
    arms = tuple(_arm(trip, rest.began / fps, rest.frame / fps) for trip in rest.trips)
    return Table(rest.frame / fps, rest.frame, cards, pieces, LOOKS, arms)


def _arm(trip: Trip, from_s: float, to_s: float) -> Arm:
    """The arm of a trip; only the scene is known, not the exact time."""
    bodies = [body for journey in trip.journeys for body in (journey.before, journey.after) if body is not None]
    points = tuple((body.x_mm, body.y_mm) for body in bodies)
    return Arm(((seat_name(trip.seat), 1.0),), points, from_s, to_s)


def _placed(body: Body, seating: Seating) -> PlacedCard:
    zone = zone_of(seating.zones, (body.x_mm, body.y_mm))
    upright_deg = next((one.turn_deg for one in seating.zones if one.name == zone), 0.0)
    turned_deg = wrapped(body.turn_deg - upright_deg)
    if not body.face_up:
        turned_deg = (turned_deg + 90.0) % 180.0 - 90.0
    return PlacedCard(
        body.id,
        body.code if body.face_up else FOREIGN,
        (Guess(body.code, 1.0),) if body.face_up else (),
        body.face_up,
        _corners(body),
        zone,
        turned_deg,
        1.0,
        body.marks,
        looks=LOOKS,
    )


def _piece(body: Body, seating: Seating) -> Piece:
    kind, _, owner = body.code.partition(" ")
    return Piece(kind, owner, body.x_mm, body.y_mm, zone_of(seating.zones, (body.x_mm, body.y_mm)))


def _corners(body: Body) -> Quad:
    turn = radians(body.turn_deg)
    right, down = (cos(turn), sin(turn)), (-sin(turn), cos(turn))
    half = CARD_MM[0] / 2, CARD_MM[1] / 2

    def corner(across: int, along: int) -> Point:
        return (
            body.x_mm + across * half[0] * right[0] + along * half[1] * down[0],
            body.y_mm + across * half[0] * right[1] + along * half[1] * down[1],
        )

    return corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)
