"""Merge patches: whatever two states there are, the patch leads from one to the other."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from device.dashboard.merge import difference, merged, without_nulls

SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2).map(lambda x: x + 0.0) | st.text("ab", max_size=2)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)
STATES = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


def same(one: Any, other: Any) -> bool:
    """Equal to the letter: to a browser true and 1 are two things."""
    return repr(one) == repr(other) if not isinstance(one, dict) else _same_members(one, other)


def _same_members(one: dict[str, Any], other: Any) -> bool:
    return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)


@given(STATES, STATES)
def test_a_patch_leads_to_the_new_state(old: dict[str, Any], new: dict[str, Any]) -> None:
    patch = difference(old, new)
    assert same(merged(without_nulls(old), patch), without_nulls(new))
    assert same(without_nulls(merged(old, patch)), without_nulls(new)), "also for who began with the whole state"


@given(STATES)
def test_nothing_new_is_an_empty_patch(state: dict[str, Any]) -> None:
    assert difference(state, state) == {}
    assert difference(state, dict(state)) == {}


@given(STATES, STATES, STATES)
def test_a_client_that_follows_every_change_knows_the_last_state(a: Any, b: Any, c: Any) -> None:
    known = without_nulls(a)
    for old, new in ((a, b), (b, c), (c, a)):
        known = merged(known, difference(old, new))
        assert same(known, without_nulls(new))


def test_true_is_not_one() -> None:
    assert difference({"paused": 1}, {"paused": True}) == {"paused": True}
    assert difference({"cards": [1]}, {"cards": [True]}) == {"cards": [True]}


def test_small_changes_are_small() -> None:
    old = {"table": {"cards": {"1": {"code": "7B1", "x": 1}, "2": {"code": "4G0", "x": 2}}, "motion": "still"}}
    new = {"table": {"cards": {"1": {"code": "7B1", "x": 1}, "3": {"code": "4G0", "x": 2}}, "motion": "hand"}}
    patch = difference(old, new)
    assert patch == {"table": {"cards": {"2": None, "3": {"code": "4G0", "x": 2}}, "motion": "hand"}}
