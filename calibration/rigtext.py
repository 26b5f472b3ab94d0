"""The text of a rig: dataclasses to TOML and back, with errors that name the line."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from math import isfinite
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from calibration.frames import CalibrationError

Way = tuple[str | int, ...]
"""A place in a file: ("seat", 2, "turn_deg") is the rotation of the third seat."""
T = TypeVar("T")

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*$")
_KEY = re.compile(r"""^\s*([\w."'\s-]+?)\s*=(.*)$""")
_NOISE = re.compile(r""""(?:\\.|[^"\\])*"|'[^']*'|#.*$""")
"""Strings and comments: brackets in them mean nothing."""
_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "a text in quotes"}
_MANY = {float: "numbers", int: "whole numbers", bool: "trues and falses", str: "texts"}
MOST_SHOWN = 60
ROW = 9
"""A list of nine numbers is a matrix; it is written in three rows."""


@dataclass(frozen=True, slots=True)
class RigText:
    """A file that was read: its name for messages, its text, and the parsed TOML."""

    name: str
    text: str
    data: Mapping[str, Any]

    def fault(self, way: Way, words: str) -> CalibrationError:
        """An error that names the line and its content."""
        line = line_of(self.text, way)
        where = f"{self.name}, line {line}" if line else self.name
        return CalibrationError(f"{where}: {spelled(way)}: {words}" if way else f"{where}: {words}")

    def read(self, kind: type[T], data: Any, way: Way) -> T:
        """A table of the file as a dataclass."""
        if not isinstance(data, dict):
            raise self.fault(way, f"found {_shown(data)}; wanted a table, [{spelled(way)}] with its keys below")
        hints = get_type_hints(kind)
        known = {part.name: part for part in fields(kind)}  # type: ignore[arg-type]
        self.refuse_unknown(data, tuple(known), way)
        values = {}
        for name, part in known.items():
            if name in data:
                values[name] = self.value(hints[name], data[name], (*way, name))
            elif part.default is MISSING and part.default_factory is MISSING:
                raise self.fault(way, f"{name} is missing; wanted {_wanted(hints[name])}")
        return kind(**values)

    def read_list(self, kind: type[T], data: Any, way: Way) -> tuple[T, ...]:
        """A list of tables as dataclasses."""
        if not isinstance(data, list):
            raise self.fault(way, f"found {_shown(data)}; wanted a list of tables, [[{spelled(way)}]] for each")
        return tuple(self.read(kind, part, (*way, number)) for number, part in enumerate(data))

    def refuse_unknown(self, data: Mapping[str, Any], known: Sequence[str], way: Way) -> None:
        """Refuse an unknown key, and name the nearest known one."""
        for name in data:
            if name not in known:
                near = get_close_matches(name, known, 1, 0.5)
                hint = f"did you mean {near[0]}?" if near else f"wanted one of {', '.join(known)}"
                raise self.fault((*way, name), f"not known here; {hint}")

    def value(self, hint: Any, value: Any, way: Way) -> Any:
        """A value of the file, converted to its type."""
        if get_origin(hint) in (Union, UnionType):
            hint = next(part for part in get_args(hint) if part is not NoneType)
        if get_origin(hint) is tuple:
            return self._list(hint, value, way)
        if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
            # An integer is a valid float, unless it is too large.
            beyond = isinstance(value, int) and abs(value) > 10**300
            if not beyond and isfinite(value):
                return float(value)
        elif isinstance(value, hint) and isinstance(value, bool) == (hint is bool):
            return value
        raise self.fault(way, f"found {_shown(value)}; wanted {_wanted(hint)}")

    def _list(self, hint: Any, value: Any, way: Way) -> tuple[Any, ...]:
        parts = get_args(hint)
        any_length = len(parts) == 2 and parts[1] is Ellipsis
        if not isinstance(value, list) or (not any_length and len(value) != len(parts)):
            raise self.fault(way, f"found {_shown(value)}; wanted {_wanted(hint)}")
        hints = (parts[0],) * len(value) if any_length else parts
        return tuple(self.value(hint, part, (*way, n)) for n, (hint, part) in enumerate(zip(hints, value, strict=True)))


def parse(text: str, name: str) -> RigText:
    """Parse a TOML text."""
    try:
        return RigText(name, text, tomllib.loads(text))
    except RecursionError as error:
        raise CalibrationError(f"{name}: lists inside lists without end; wanted a rig as Krupier writes it") from error
    except ValueError as error:
        at = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        where = f"{name}, line {at[1]}, column {at[2]}" if at else name
        what = str(error)[: at.start()] if at else str(error)
        raise CalibrationError(f"{where}: {what}; wanted TOML: key = value") from error


def line_of(text: str, way: Way) -> int:
    """The line of a place in a file, or of the table around it; 0 if there is neither."""
    lines = dict(_standing(text))
    for length in range(len(way), 0, -1):
        if way[:length] in lines:
            return lines[way[:length]]
    return 0


def _standing(text: str) -> Iterator[tuple[Way, int]]:
    """Every header and key of a text with its line."""
    table: Way = ()
    counts: dict[Way, int] = {}
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        bare = _NOISE.sub(lambda found: "" if found[0].startswith("#") else '""', line)
        if depth == 0 and (header := _HEADER.match(bare)):
            table = ()
            for part in _parts(header[2]):
                # A table inside a list of tables belongs to the last one of the list.
                table = (*table, counts[table], part) if table in counts else (*table, part)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                yield table, number
                table = (*table, counts[table])
            yield table, number
            continue
        if depth == 0 and (key := _KEY.match(line)):
            yield (*table, *_parts(key[1])), number
        depth = max(0, depth + sum(bare.count(mark) for mark in "[{") - sum(bare.count(mark) for mark in "]}"))


def _parts(key: str) -> Way:
    return tuple(part.strip().strip("\"'") for part in key.split("."))


def spelled(way: Way) -> str:
    """A place in a file for people, who count from one: seat 3 turn_deg."""
    return " ".join(str(part + 1) if isinstance(part, int) else part for part in way)


def written(values: Mapping[str, Any], notes: Mapping[str, str]) -> str:
    """Keys and values with their notes, one per line; None is left out."""
    lines = []
    for name, value in values.items():
        if value is not None:
            note = notes.get(name)
            lines.append(f"{name} = {written_value(value)}" + (f"  # {note}" if note else ""))
    return "\n".join(lines) + "\n"


def written_value(value: Any) -> str:
    """A value as TOML; numbers are written exactly."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON strings are valid TOML, except for one character that TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        if len(value) == ROW and not isinstance(value[0], tuple | list):
            rows = (", ".join(written_value(part) for part in value[start : start + 3]) for start in (0, 3, 6))
            return "[\n" + "".join(f"    {row},\n" for row in rows) + "]"
        if len(value) > 4 and isinstance(value[0], tuple | list):
            return "[\n" + "".join(f"    {written_value(part)},\n" for part in value) + "]"
        return "[" + ", ".join(written_value(part) for part in value) + "]"
    # numpy numbers are written like plain ones.
    whole = hasattr(value, "__index__")
    return str(int(value)) if whole else repr(float(value))


def _wanted(hint: Any) -> str:
    if get_origin(hint) in (Union, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    if get_origin(hint) is not tuple:
        return _WORDS.get(hint, str(hint))
    parts = get_args(hint)
    some = len(parts) == 2 and parts[1] is Ellipsis
    inner = parts[0]
    if get_origin(inner) is tuple:
        return f"a list of {_wanted(inner).replace('a list', 'lists', 1)}"
    if not some and len(set(parts)) > 1:
        return f"a list of {len(parts)}: {', '.join(_WORDS[part] for part in parts)}"
    return f"a list of {_MANY[inner]}" if some else f"a list of {len(parts)} {_MANY[inner]}"


def _shown(value: Any) -> str:
    words = (
        written_value(value) if isinstance(value, bool | str) else "a table" if isinstance(value, dict) else str(value)
    )
    return words if len(words) <= MOST_SHOWN else words[: MOST_SHOWN - 1] + "…"
