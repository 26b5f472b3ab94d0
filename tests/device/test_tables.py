"""Tables as the journal keeps them."""

import json
from dataclasses import replace
from typing import Any

from device.session.table_json import table_from_json, table_json
from vision.table import Arm, Guess, Piece, PlacedCard, Table

CARD = PlacedCard(
    7,
    "9G0",
    (Guess("9G0", 0.83), Guess("6G0", 0.1012)),
    True,
    ((0.25, -1.5), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0)),
    "P1",
    -3.5,
    0.875,
    ("r1c2", "b3"),
    looks=2,
)
BACK = replace(CARD, track=8, code="", guesses=(), face_up=False, marks=(), zone="", pinned=True, looks=3)
ARM = Arm((("P1", 0.75), ("P2", 0.25)), ((1.5, -2.25), (30.0, 4.0)), 10.5, 11.25)
TABLE = Table(12.5, 125, (CARD, BACK), (Piece("figure", "P2", 1.25, 3.5, "track", "4"),), 3, (ARM,))


def kept(table: Table) -> dict[str, Any]:
    """As it comes back from the disk."""
    data: dict[str, Any] = json.loads(json.dumps(table_json(table)))
    return data


def test_a_table_comes_back_from_the_journal() -> None:
    assert table_from_json(kept(TABLE), 12.5) == TABLE


def test_a_sorted_table_comes_back_from_the_journal() -> None:
    card, arm = replace(CARD, spot="tens", order=2), replace(ARM, over=(("P1", "tens"), ("pile", "")))
    table = replace(TABLE, cards=(card,), arms=(arm,), hasty=True)
    assert table_from_json(kept(table), 12.5) == table


def test_what_comes_back_is_rounded_and_writes_the_same_again() -> None:
    exact = replace(CARD, turned_deg=1.23456, visible=0.98765, corners_mm=((0.12345, 1.0), *CARD.corners_mm[1:]))
    table = replace(TABLE, cards=(exact,), arms=(replace(ARM, from_s=1 / 3, seats=(("P1", 2 / 3), ("P2", 1 / 3))),))
    back = table_from_json(kept(table), 12.5)
    assert back != table
    assert back.cards[0].corners_mm[0] == (0.12, 1.0)
    assert kept(back) == kept(table)


def test_a_table_of_an_older_journal_was_looked_at_once_and_has_no_arms() -> None:
    data = kept(TABLE)
    del data["looks"], data["arms"]
    for card in data["cards"]:
        del card["looks"]
    old = table_from_json(data, 12.5)
    assert (old.looks, old.arms, [card.looks for card in old.cards]) == (1, (), [1, 1])
    assert [card.code for card in old.cards] == ["9G0", ""]
