"""Checked lines: JSON Lines with a number and a checksum each, so that damage is found and reported."""

import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | float | bool | None"

T = TypeVar("T")

NUMBER = "n"
_TAIL = re.compile(rb',"crc":"([0-9a-f]{8})"\}\Z')
_SEAM = re.compile(rb'(?<=[0-9a-f]"\}).(?=\{"n":)', re.DOTALL)
"""A damaged line break between two lines."""


class LineError(ValueError):
    """A value that cannot be written as a line; the message quotes it."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A damaged or missing piece of a recording."""

    file: str
    at: int
    """Offset of its first byte."""
    what: str

    def __str__(self) -> str:
        return f"{self.file}, byte {self.at}: {self.what}"


@dataclass(frozen=True, slots=True)
class Lines(Generic[T]):
    """The readable lines of a file, and its losses."""

    values: tuple[T, ...]
    losses: tuple[Loss, ...]
    next_number: int
    whole: int
    """Bytes up to the end of the last complete line; the rest is torn and was never confirmed."""


@dataclass(frozen=True, slots=True)
class _Piece:
    at: int
    size: int
    value: dict[str, Any] | None


def line_of(number: int, value: dict[str, JSON]) -> bytes:
    """Encode one line, with its line break."""
    try:
        text = json.dumps({NUMBER: number, **value}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise LineError(f"line {number}: cannot be written as JSON: {error}; wanted plain finite values") from error
    body = text.encode("utf-8", "surrogatepass")
    return b'%b,"crc":"%08x"}\n' % (body[:-1], zlib.crc32(body))


def read_lines(data: bytes, name: str) -> Lines[dict[str, Any]]:
    """Every intact line, and a loss for every damaged one; never raises."""
    return picked_lines(data, name, dict)


def picked_lines(data: bytes, name: str, pick: Callable[[dict[str, Any]], T]) -> Lines[T]:
    """`pick` of every intact line, and a loss for every damaged one; never raises."""
    values: list[T] = []
    losses: list[Loss] = []
    damaged: list[_Piece] = []
    wanted = 0
    for piece in _pieces(data):
        if piece.value is None:
            damaged.append(piece)
            continue
        number = piece.value[NUMBER]
        if number < wanted:
            losses.append(Loss(name, piece.at, f"line {number} a second time; it is left out"))
            continue
        losses += _missing(name, damaged, wanted, number - wanted, piece.at)
        values.append(pick(piece.value))
        wanted, damaged = number + 1, []
    torn = damaged.pop() if damaged and not data.endswith(b"\n") else None
    losses += _missing(name, damaged, wanted, len(damaged), len(data))
    if torn is not None:
        losses.append(Loss(name, torn.at, f"the last line is torn ({torn.size} bytes of it are there)"))
    return Lines(tuple(values), tuple(losses), wanted + len(damaged), len(data) if torn is None else torn.at)


def _pieces(data: bytes) -> Iterator[_Piece]:
    at = 0
    while at < len(data):
        found = data.find(b"\n", at)
        end = len(data) if found < 0 else found
        row = data[at:end]
        value = _checked(row)
        if value is not None:
            yield _Piece(at, len(row), value)
        elif row:
            for part in _SEAM.split(row):
                # A line whose line break was damaged is still intact.
                yield _Piece(at, len(part), _checked(part) or _checked(part[:-1]))
                at += len(part) + 1
        at = end + 1


def _checked(row: bytes) -> dict[str, Any] | None:
    """Decode a line; None if its checksum or its number is wrong."""
    tail = _TAIL.search(row)
    if tail is None:
        return None
    body = row[: tail.start()] + b"}"
    if zlib.crc32(body) != int(tail[1], 16):
        return None
    try:
        value = json.loads(body.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    number = value.get(NUMBER) if isinstance(value, dict) else None
    return value if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None


def _missing(name: str, damaged: list[_Piece], first: int, count: int, at: int) -> list[Loss]:
    """Losses for lines that were expected but not found."""
    if damaged:
        at = damaged[0].at
    if count > 0:
        lines = f"line {first} is" if count == 1 else f"lines {first} to {first + count - 1} are"
        return [Loss(name, at, f"{lines} {'damaged' if damaged else 'gone'}")]
    return [Loss(name, piece.at, f"{piece.size} bytes that are no line") for piece in damaged]
