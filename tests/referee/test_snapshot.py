"""Snapshots: what goes out comes back, and what does not fit is refused."""

from dataclasses import dataclass
from enum import StrEnum

import pytest

from referee.snapshot import SnapshotError, from_json, to_json


class Suit(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Pile:
    suit: Suit
    cards: tuple[str, ...]
    pair: tuple[int, str]
    under: "Pile | None" = None


PILE = Pile(Suit.RED, ("a", "b"), (1, "x"), Pile(Suit.RED, (), (0, "")))


def test_values_come_back() -> None:
    data = to_json(PILE)
    assert data["under"]["suit"] == "red"
    assert from_json(Pile, data) == PILE


@pytest.mark.parametrize("value", [[1], {"a": 1}, 1.5, object()])
def test_only_frozen_plain_values_are_kept(value: object) -> None:
    with pytest.raises(SnapshotError):
        to_json(value)


@pytest.mark.parametrize(
    "change",
    [{"cards": "ab"}, {"cards": [1]}, {"pair": [1]}, {"pair": [True, "x"]}, {"under": 3}],
)
def test_what_does_not_fit_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(SnapshotError):
        from_json(Pile, {**to_json(PILE), **change})


def test_missing_parts_are_named() -> None:
    with pytest.raises(SnapshotError, match="no 'cards' in a Pile"):
        from_json(Pile, {"suit": "red"})
    with pytest.raises(SnapshotError, match="wanted a Pile"):
        from_json(Pile, [])
