"""Filmed truth: every table reported from a film, paired with the true table."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import dist
from pathlib import Path
from typing import Any

from device.lab.rehearsal.rehearsal import film_of, reported
from device.lab.simulator.bodies import Body
from device.lab.simulator.film import Rest, Studio
from device.lab.simulator.tables import resting_table
from device.recording.lines import JSON
from device.session.table_json import table_from_json, table_json
from referee.moves import seat_name
from referee.observed import Spot
from referee.record import Record
from vision.follow.spots import sort_table
from vision.table import PlacedCard, Table

SAME_MM = 12.0
"""Maximum distance between a true card and its sighting; layouts place cards at least 20 mm apart."""
Reach = tuple[str, str]
"""A seat (P1 …) and a zone that it reached into."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A reported table and the true one, both with the spots of everything."""

    seen: Table
    true: Table
    piles: frozenset[Spot]
    """Places with squared piles only: their number of cards cannot be seen."""
    reached: frozenset[Reach]
    """Who really reached where since the previous table, to move open cards."""
    handled: frozenset[str]
    """Zones in which cards were taken from or laid on a pile."""
    settled: bool = True
    """Whether the scene was over. A table reported early is compared with the nearer of the two scene ends around it,
    since the referee knows no others.
    """


def watched(record: Record, studio: Studio) -> Iterator[Compared]:
    """Watch the film of a record."""
    film, rests = film_of(record, studio), tuple(film_of(record, studio).rests())
    ends = tuple(sort_table(resting_table(rest, film.seating, studio.fps), film.seating) for rest in rests)
    bodies: dict[int, frozenset[Body]] = {}
    done = 0
    for shot, table in reported(film, record.opening.game):
        bodies[shot.index] = frozenset(shot.bodies)
        if table is None:
            continue
        seen = sort_table(table, film.seating)
        number = next(number for number, rest in enumerate(rests) if table.frame <= rest.frame)
        settled = bodies[table.frame] == frozenset(rests[number].bodies)
        if not settled and number and unlike(seen, ends[number - 1]) < unlike(seen, ends[number]):
            number -= 1
        yield beside_truth(seen, rests[number], ends[number], rests[done : number + 1], settled)
        done = max(done, number + 1)
        bodies = {index: there for index, there in bodies.items() if index >= table.frame}


def unlike(seen: Table, true: Table) -> int:
    """Number of cards of two tables that differ in card, side or spot."""
    pairs = paired(true.cards, seen.cards)
    alike = sum(
        (lies.zone, lies.spot, lies.face_up) == (card.zone, card.spot, card.face_up)
        and (not lies.face_up or lies.code == card.code)
        for lies, card in pairs
    )
    return len(seen.cards) + len(true.cards) - 2 * alike


def paired(true: Sequence[PlacedCard], seen: Sequence[PlacedCard]) -> list[tuple[PlacedCard, PlacedCard]]:
    """Pair true cards with sightings, nearest first."""
    near = sorted(
        (apart_mm, row, column)
        for row, lies in enumerate(true)
        for column, card in enumerate(seen)
        if (apart_mm := dist(lies.centre_mm, card.centre_mm)) <= SAME_MM
    )
    rows, columns, pairs = set[int](), set[int](), []
    for _, row, column in near:
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            pairs.append((true[row], seen[column]))
    return pairs


def beside_truth(seen: Table, rest: Rest, true: Table, scenes: Iterable[Rest], settled: bool) -> Compared:
    """Pair a reported table with the true one at a scene's end, given the scenes since the previous table."""
    cards = [body for body in rest.bodies if not body.piece]
    places: dict[Spot, list[Body]] = {}
    for body, card in zip(cards, true.cards, strict=True):
        places.setdefault((card.zone, card.spot), []).append(body)
    trips = [trip for scene in scenes for trip in scene.trips]
    moved = [
        (trip.seat, body)
        for trip in trips
        for journey in trip.journeys
        for body in (journey.before, journey.after)
        if body is not None and not body.piece
    ]
    return Compared(
        seen,
        true,
        frozenset(place for place, there in places.items() if all(body.pile for body in there)),
        frozenset((seat_name(seat), body.zone) for seat, body in moved if not body.pile),
        frozenset(body.zone for _, body in moved if body.pile),
        settled,
    )


def kept(path: Path, record: Record, studio: Studio) -> tuple[Compared, ...]:
    """The tables of a film from a cache file; a film that is not cached is watched first."""
    if not path.exists():
        lines = "".join(f"{json.dumps(compared_json(one))}\n" for one in watched(record, studio))
        partial = path.with_suffix(".partial")
        partial.write_text(lines, "utf-8")
        partial.replace(path)
    return tuple(compared_from_json(json.loads(line)) for line in path.read_text("utf-8").splitlines())


def compared_json(one: Compared) -> dict[str, JSON]:
    """A pair of tables as JSON values."""
    return {
        "at_s": one.seen.at_s,
        "seen": table_json(one.seen),
        "true": table_json(one.true),
        "piles": [list(place) for place in sorted(one.piles)],
        "reached": [list(reach) for reach in sorted(one.reached)],
        "handled": [*sorted(one.handled)],
        "settled": one.settled,
    }


def compared_from_json(data: Mapping[str, Any]) -> Compared:
    """A pair of tables from JSON values, with their rounding."""
    return Compared(
        table_from_json(data["seen"], data["at_s"]),
        table_from_json(data["true"], data["at_s"]),
        frozenset((zone, spot) for zone, spot in data["piles"]),
        frozenset((seat, zone) for seat, zone in data["reached"]),
        frozenset(data["handled"]),
        bool(data["settled"]),
    )
