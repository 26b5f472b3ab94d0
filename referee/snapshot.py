"""Snapshots: frozen values of the referee as plain JSON and back."""

from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class SnapshotError(ValueError):
    """JSON that does not fit the type it should become."""


def to_json(value: object) -> Any:
    """Dicts, lists, strings and numbers from dataclasses, tuples, enums and plain values."""
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    raise SnapshotError(f"{value!r} of type {type(value).__name__} cannot be kept; wanted frozen plain values")


def from_json(kind: type[T], data: Any) -> T:
    """The value of type `kind` that `to_json` made `data` from."""
    value: T = _build(kind, data)
    return value


def _build(kind: Any, data: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _build_union(get_args(kind), data)
    if origin is tuple:
        return _build_tuple(get_args(kind), data)
    if isinstance(kind, type) and is_dataclass(kind):
        if not isinstance(data, dict):
            raise SnapshotError(f"found {data!r}, wanted a {kind.__name__}")
        hints = get_type_hints(kind)
        try:
            return kind(**{field.name: _build(hints[field.name], data[field.name]) for field in fields(kind)})
        except KeyError as error:
            raise SnapshotError(f"no {error} in a {kind.__name__}") from error
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise SnapshotError(f"found {data!r}, wanted {kind}")
    return data


def _build_union(kinds: tuple[Any, ...], data: Any) -> Any:
    if data is None and NoneType in kinds:
        return None
    for kind in kinds:
        if kind is NoneType:
            continue
        try:
            return _build(kind, data)
        except (SnapshotError, ValueError):
            continue
    raise SnapshotError(f"found {data!r}, wanted one of {kinds}")


def _build_tuple(kinds: tuple[Any, ...], data: Any) -> Any:
    if not isinstance(data, list):
        raise SnapshotError(f"found {data!r}, wanted a list")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_build(kinds[0], item) for item in data)
    if len(kinds) != len(data):
        raise SnapshotError(f"{len(data)} items, wanted {len(kinds)}")
    return tuple(_build(kind, item) for kind, item in zip(kinds, data, strict=True))
