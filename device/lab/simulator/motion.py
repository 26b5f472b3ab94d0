"""Motion: hands reach over the table's edge, take, turn, mark and lay cards, and leave."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from calibration.plan import Seating
from device.lab.simulator.bodies import Body, Journey
from referee.moves import Move, seat_name

IN_S, REACH_S, CARRY_S, OUT_S = 0.4, 0.2, 0.5, 0.4
STILL_S = 1.2
"""Seconds that the table rests after every move of quick players."""
NOTICED_S = 1.6
"""Seconds until a wrong play is noticed."""
SETTLED_S = 0.3
"""Seconds without hands and motion after which the table counts as settled."""
LIFT_MM = 28.0
BATCH = 3
"""Minimum number of cards with the same way that are swept together."""


@dataclass(frozen=True, slots=True)
class Pose:
    """A body in motion: its position, the side that is up, and its rotation about the long axis."""

    body: Body
    lean_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Reach:
    """A hand over the table: the position of its fingertips, and its seat."""

    seat: int
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class Moment:
    """Everything that moves at one instant; the rest is still."""

    moving: tuple[Pose, ...] = ()
    gone: frozenset[int] = frozenset()
    """Bodies that are not on the table (yet, or any more)."""
    reach: Reach | None = None
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Trip:
    """Journeys that one hand makes at once."""

    seat: int
    journeys: tuple[Journey, ...]


def plan_trips(move: Move | None, journeys: tuple[Journey, ...], seating: Seating) -> tuple[Trip, ...]:
    """Assign the journeys to hands, in order."""
    trips: list[Trip] = []
    for journey in journeys:
        seat = _hand_of(move, journey, seating)
        if trips and trips[-1].seat == seat and _alike(trips[-1].journeys[-1], journey):
            trips[-1] = Trip(seat, (*trips[-1].journeys, journey))
        else:
            trips.append(Trip(seat, (journey,)))
    return tuple(trips)


def _hand_of(move: Move | None, journey: Journey, seating: Seating) -> int:
    owner = next((seat.index for seat in seating.seats if seat.zone.name == journey.zone), None)
    mover = move.seat if move is not None and move.seat is not None else owner or 0
    if owner is None:
        return mover
    asked = move is not None and move.verb in ("reveal", "return")
    comes_back = journey.after is None and move is not None and move.verb != "take"
    return owner if asked or comes_back else mover


def _alike(one: Journey, other: Journey) -> bool:
    """Whether two journeys can be made with one sweep of the hand."""
    return (one.before is None, one.after is None) == (other.before is None, other.after is None)


def moments(trips: tuple[Trip, ...], seating: Seating, step_s: float, still_s: float = STILL_S) -> Iterator[Moment]:
    """Every instant from the first hand's arrival to the table's rest, `step_s` apart."""
    coming = {j.after.id for trip in trips for j in trip.journeys if j.before is None and j.after is not None}
    left: set[int] = set()
    shown: dict[int, Body] = {}
    pending = {j.before.id: j.before for trip in trips for j in trip.journeys if j.before is not None}
    for number, trip in enumerate(trips):
        home = _edge(seating, trip.seat)
        first, last = _start(trip.journeys[0], home), _end(trip.journeys[-1], home)
        still = tuple(Pose(body) for body in (*pending.values(), *shown.values()))
        if not number or trips[number - 1].seat != trip.seat:
            for share in _shares(IN_S, step_s):
                yield Moment(still, frozenset(coming | left), Reach(trip.seat, *_mix(home, first, share)))
        for sweep in _sweeps(trip.journeys):
            for journey in sweep:
                pending.pop(journey.before.id if journey.before else -1, None)
                coming.discard(journey.after.id if journey.after else -1)
            still = tuple(Pose(body) for body in (*pending.values(), *shown.values()))
            for share in _shares(REACH_S + CARRY_S, step_s):
                poses = tuple(_carried(journey, home, share) for journey in sweep)
                hand = (poses[-1].body.x_mm, poses[-1].body.y_mm)
                yield Moment((*still, *poses), frozenset(coming | left), Reach(trip.seat, *hand))
            left |= {journey.before.id for journey in sweep if journey.before and not journey.after}
            shown |= {journey.after.id: journey.after for journey in sweep if journey.after}
        still = tuple(Pose(body) for body in (*pending.values(), *shown.values()))
        if number + 1 == len(trips) or trips[number + 1].seat != trip.seat:
            for share in _shares(OUT_S, step_s):
                yield Moment(still, frozenset(coming | left), Reach(trip.seat, *_mix(last, home, share)))
    yield from rest(still_s, step_s)


def rest(seconds: float, step_s: float) -> Iterator[Moment]:
    """The table at rest."""
    for number in range(round(seconds / step_s)):
        yield Moment(settled=(number + 1) * step_s > SETTLED_S)


def _sweeps(journeys: tuple[Journey, ...]) -> Iterator[tuple[Journey, ...]]:
    """One card at a time, or many at once."""
    if len(journeys) >= BATCH:
        yield journeys
    else:
        yield from ((journey,) for journey in journeys)


def _carried(journey: Journey, home: tuple[float, float], share: float) -> Pose:
    """A body on its way, lifted in the middle; a card that is turned over shows its new side from half-way on."""
    before, after = journey.before, journey.after
    body = after or before
    assert body is not None, "a journey has a beginning or an end"
    start, end = _start(journey, home), _end(journey, home)
    smooth = share * share * (3 - 2 * share)
    x, y = _mix(start, end, smooth)
    lift = LIFT_MM * 4 * share * (1 - share)
    if before is not None and after is not None and before.face_up != after.face_up:
        side = before if share < 0.5 else after
        lean = 180 * share if share < 0.5 else 180 * (1 - share)
        return Pose(replace(side, x_mm=x, y_mm=y, height_mm=side.height_mm + lift), lean)
    side = before if before is not None and share < 0.5 else body
    turn = side.turn_deg
    if before is not None and after is not None:
        turn = before.turn_deg + ((after.turn_deg - before.turn_deg + 180) % 360 - 180) * smooth
    return Pose(replace(side, x_mm=x, y_mm=y, turn_deg=turn, height_mm=side.height_mm + lift))


def _start(journey: Journey, home: tuple[float, float]) -> tuple[float, float]:
    return (journey.before.x_mm, journey.before.y_mm) if journey.before else home


def _end(journey: Journey, home: tuple[float, float]) -> tuple[float, float]:
    return (journey.after.x_mm, journey.after.y_mm) if journey.after else home


def _edge(seating: Seating, seat: int) -> tuple[float, float]:
    """A point outside the table behind a seat, where its hand comes from."""
    frame = seating.frame_of(seat_name(seat))
    return frame.place(0.0, -170.0)


def _shares(seconds: float, step_s: float) -> Iterator[float]:
    frames = max(1, round(seconds / step_s))
    for number in range(frames):
        yield (number + 1) / frames


def _mix(one: tuple[float, float], other: tuple[float, float], share: float) -> tuple[float, float]:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share
