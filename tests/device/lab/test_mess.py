"""Cards that are shifted without being played, and tables that nobody sees."""

from collections.abc import Iterator
from dataclasses import replace
from math import dist
from random import Random

import pytest

from calibration.seats import zone_of
from device.lab.rehearsal.courses import hasty, with_next
from device.lab.rehearsal.mess import MAX_SHIFT_MM, MAX_TURN_DEG, Mess
from tests.referee.explaining import played, seating_for, tables_of
from vision.follow.spots import sort_table
from vision.quads import wrapped
from vision.table import Arm, Quad, Table


@pytest.mark.parametrize(("game", "players"), [("dnp", 3), ("trio", 3), ("lucky_box", 2), ("kto_drugi", 3)])
def test_what_is_shifted_stays_where_it_belongs(game: str, players: int) -> None:
    record = played(game, players, 1)
    seating, tables = seating_for(record), list(tables_of(record))
    messy = list(Mess(seating, Random(1), 0.5)(iter(tables)))
    moved = 0
    for true, seen in zip(tables, messy, strict=True):
        assert (seen.frame, seen.pieces) == (true.frame, true.pieces)
        before, after = sort_table(true, seating).cards, sort_table(seen, seating).cards
        assert [(one.track, one.spot, one.order) for one in before] == [
            (one.track, one.spot, one.order) for one in after
        ]
        for one, other in zip(before, after, strict=True):
            if one.corners_mm != other.corners_mm:
                moved += 1
                assert zone_of(seating.zones, other.centre_mm) == one.zone
                assert dist(one.centre_mm, other.centre_mm) <= MAX_SHIFT_MM + 1e-6
                assert abs(wrapped(one.turned_deg - other.turned_deg)) <= MAX_TURN_DEG + 1e-6
    assert moved > len(tables)


class Fading(Random):
    """Chance by which nothing happens any more once it is calm."""

    calm = False

    def random(self) -> float:
        return 1.0 if self.calm else super().random()

    def getrandbits(self, k: int, /) -> int:
        return super().getrandbits(k)


def test_a_shift_lasts_until_the_card_is_played() -> None:
    record = played("dnp", 3, 1)
    *_, table = tables_of(record)
    first = table.cards[0]
    elsewhere = replace(first, corners_mm=aside(first.corners_mm))
    played_on = replace(table, cards=(elsewhere, *table.cards[1:]))

    def of(seed: int) -> list[Table]:
        chance = Fading(seed)

        def tables() -> Iterator[Table]:
            yield table
            chance.calm = True
            yield from (table, played_on)

        return list(Mess(seating_for(record), chance, 1.0)(tables()))

    one, two, _ = of(1)
    assert one == two != table
    for seed in range(60):
        one, two, three = of(seed)
        if one.cards[0] != first:
            assert three.cards[0] == elsewhere
            return
    pytest.fail("the first card was never shifted")


def aside(quad: Quad) -> Quad:
    """A card one millimetre to the right."""
    a, b, c, d = ((x + 1.0, y) for x, y in quad)
    return a, b, c, d


def numbered(count: int) -> list[Table]:
    arms = [Arm((("P1", 1.0),), (), float(number), number + 0.5) for number in range(count)]
    return [Table(float(number), number, (), arms=(arm,)) for number, arm in enumerate(arms)]


def test_tables_that_nobody_sees_leave_their_arms_to_the_next() -> None:
    tables = numbered(100)
    seen = list(hasty(iter(tables), Random(1), 0.3))
    assert 50 < len(seen) < 90
    assert (seen[0], seen[-1].frame) == (tables[0], 99)
    assert [arm for table in seen for arm in table.arms] == [arm for table in tables for arm in table.arms]
    assert list(hasty(iter(tables), Random(1), 0.0)) == tables
    assert [one.frame for one in hasty(iter(tables), Random(1), 1.0)] == [0, 99]


def test_every_table_comes_with_the_next() -> None:
    tables = numbered(3)
    assert list(with_next(iter(tables))) == [(tables[0], tables[1]), (tables[1], tables[2]), (tables[2], None)]
    assert list(with_next(iter(()))) == []
