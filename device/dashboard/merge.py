"""JSON merge patches (RFC 7396): the change from one state to the next; a member that is null counts as absent."""

from typing import Any


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The patch that turns `old` into `new`; identical objects are skipped."""
    patch: dict[str, Any] = {}
    for key in old.keys() - new.keys():
        if old[key] is not None:
            patch[key] = None
    for key, after in new.items():
        before = old.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            inner = {} if before is after else difference(before, after)
            if inner:
                patch[key] = inner
        elif not _same(before, after):
            patch[key] = after
    return patch


def merged(target: Any, patch: Any) -> Any:
    """The value after a patch, as the RFC defines it."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def without_nulls(value: Any) -> Any:
    """A state as a client has it after patches: null members are absent."""
    if not isinstance(value, dict):
        return value
    return {key: without_nulls(member) for key, member in value.items() if member is not None}


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON: true is not 1."""
    if one is other:
        return True
    if type(one) is not type(other) or one != other:
        return False
    if isinstance(one, list):
        return all(_same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return all(_same(one[key], other[key]) for key in one)
    return True
