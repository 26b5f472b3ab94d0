"""Filmed truth: every table that Krupier's own eye reports of a film, beside the table that really lay there."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calibration.plan import Seating
from device.evaluation.rehearsal import film_of, reported
from device.live.tables import table_from_json, table_json
from device.recording.lines import JSON
from device.simulator.bodies import Body
from device.simulator.film import Rest, Studio
from device.simulator.tables import resting_table
from referee.moves import seat_name
from referee.record import Record
from referee.seen import Spot
from vision.sorting import sort_table
from vision.table import Arm, Table

Reach = tuple[str, str]
"""A seat (P1 …) and a zone that it reached into."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A reported table and the true one, both with the spots of everything."""

    seen: Table
    true: Table
    piles: frozenset[Spot]
    """Places where only squared piles lie: how many cards these have cannot be seen."""
    reached: frozenset[Reach]
    """Who really reached where since the table before, to move cards that lie open."""
    handled: frozenset[str]
    """Zones in which somebody took cards from a pile, or laid some on it."""
    dropped: int = 0
    """Tables since the one before that were reported in the middle of a scene: no layout is true of these."""


def watched(record: Record, studio: Studio) -> Iterator[Compared]:
    """Watch the film of a record; a table that is reported in the middle of a scene is compared with nothing."""
    film, rests = film_of(record, studio), tuple(film_of(record, studio).rests())
    bodies: dict[int, frozenset[Body]] = {}
    done, dropped, arms = 0, 0, tuple[Arm, ...]()
    for shot, table in reported(film, record.opening.game):
        bodies[shot.index] = frozenset(shot.bodies)
        if table is None:
            continue
        arms += table.arms
        number = next(number for number, rest in enumerate(rests) if table.frame <= rest.frame)
        if bodies[table.frame] == frozenset(rests[number].bodies):
            scenes = rests[done : number + 1]
            one = beside_truth(replace(table, arms=arms), rests[number], scenes, film.seating, studio.fps)
            yield replace(one, dropped=dropped)
            done, dropped, arms = number + 1, 0, ()
            bodies = {index: there for index, there in bodies.items() if index >= table.frame}
        else:
            dropped += 1


def beside_truth(table: Table, rest: Rest, scenes: Iterable[Rest], seating: Seating, fps: float) -> Compared:
    """A reported table beside the end of the scene in which it was seen, with the scenes since the table before."""
    true = sort_table(resting_table(rest, seating, fps), seating)
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
        sort_table(table, seating),
        true,
        frozenset(place for place, there in places.items() if all(body.pile for body in there)),
        frozenset((seat_name(seat), body.zone) for seat, body in moved if not body.pile),
        frozenset(body.zone for _, body in moved if body.pile),
    )


def kept(path: Path, record: Record, studio: Studio) -> tuple[Compared, ...]:
    """The tables of a film from a file; a film that was never watched to its end is watched first, and kept there."""
    if not path.exists():
        lines = "".join(f"{json.dumps(compared_json(one))}\n" for one in watched(record, studio))
        partial = path.with_suffix(".partial")
        partial.write_text(lines, "utf-8")
        partial.replace(path)
    return tuple(compared_from_json(json.loads(line)) for line in path.read_text("utf-8").splitlines())


def compared_json(one: Compared) -> dict[str, JSON]:
    """A pair of tables as plain values."""
    return {
        "at_s": one.seen.at_s,
        "seen": table_json(one.seen),
        "true": table_json(one.true),
        "piles": [list(place) for place in sorted(one.piles)],
        "reached": [list(reach) for reach in sorted(one.reached)],
        "handled": [*sorted(one.handled)],
        "dropped": one.dropped,
    }


def compared_from_json(data: Mapping[str, Any]) -> Compared:
    """A pair of tables, as it was rounded."""
    return Compared(
        table_from_json(data["seen"], data["at_s"]),
        table_from_json(data["true"], data["at_s"]),
        frozenset((zone, spot) for zone, spot in data["piles"]),
        frozenset((seat, zone) for seat, zone in data["reached"]),
        frozenset(data["handled"]),
        int(data["dropped"]),
    )
