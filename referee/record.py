"""A record: the text of a game, read line by line and written back to the last byte."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from referee.edits import Amend, Correct, Edit, Play, Redo, Stand, Undo
from referee.moves import Move, NotationError
from referee.rules import AnyRules, Opening
from referee.vocabulary import Verb, spell

FIRST_LINE = "krupier record 1"
MOST_LINES = 20_000
MOST_BYTES = 4_000_000
HUMAN = "!"

_KEYS = ("game", "players", "option", "deck", "date", "note")
_LINE = re.compile(r"[1-9][0-9]{0,4}\Z")
_COMMENT = re.compile(r"(?:^|\s)#.*\Z")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the body; blank lines and comments mean nothing but are kept."""

    number: int
    text: str
    meaning: Edit | None


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record: its opening, its lines, and its head as it was written."""

    opening: Opening
    head: tuple[str, ...]
    lines: tuple[Line, ...]

    def __str__(self) -> str:
        return "\n".join((*self.head, *(line.text for line in self.lines)))


def decode(data: bytes, name: str) -> str:
    """The text of a record file; NotationError if it cannot be one."""
    if len(data) > MOST_BYTES:
        raise NotationError(f"{name}: {len(data)} bytes; a record has at most {MOST_BYTES}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x}"
        raise NotationError(f"{name}:{line}: {found} is not UTF-8 text; wanted a record in UTF-8") from error


def read_opening(text: str, name: str = "record") -> Opening:
    """The opening of a record, read before the game's vocabulary is known."""
    return _opening(_split(text, name)[0], name)


def read_record(text: str, rules: AnyRules, name: str = "record") -> Record:
    """Read a whole record; NotationError names the file, the line, what was found and what was wanted."""
    head, body = _split(text, name)
    opening = _opening(head, name)
    players = len(opening.names)
    verbs, chairs = rules.verbs(players), players + len(rules.guests(players))
    lines = []
    for number, line in enumerate(body, len(head) + 1):
        try:
            lines.append(Line(number, line, _edit(line, number, verbs, chairs)))
        except NotationError as error:
            raise NotationError(f"{name}:{number}: {error}") from error
    return Record(opening, head, tuple(lines))


def read_edit(text: str, number: int, rules: AnyRules, players: int) -> Edit | None:
    """The edit in one line of the body, by the number it has in its record; None if the line is blank or a comment."""
    return _edit(text, number, rules.verbs(players), players + len(rules.guests(players)))


def write_record(opening: Opening, edits: Iterator[Edit], note: str = "") -> Iterator[str]:
    """The lines of a new record, one at a time as the game goes on."""
    yield FIRST_LINE
    yield f"game {opening.game}"
    yield f"players {', '.join(opening.names)}"
    for name, value in opening.options:
        yield f"option {name}={value}"
    if opening.deck is not None:
        yield f"deck {opening.deck}"
    if note:
        yield f"note {note}"
    yield ""
    for edit in edits:
        yield write_line(edit)


def write_line(edit: Edit) -> str:
    """One line of the body; ValueError for a stand without its line, which no record can hold."""
    match edit:
        case Play(move, human):
            return f"{HUMAN} {move}" if human else str(move)
        case Undo():
            return "undo"
        case Redo():
            return "redo"
        case Correct(line, move):
            return f"correct {line} {move}"
        case Amend(line, move):
            return f"amend {line} {move}"
        case Stand(None):
            raise ValueError("a stand without a line cannot be written; wanted the line of a move")
        case Stand(line):
            return f"stand {line}"


def head_length(opening: Opening, note: str = "") -> int:
    """Number of lines before the first move of a new record."""
    return sum(1 for _ in write_record(opening, iter(()), note))


def _split(text: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    rows = text.split("\n")
    if len(rows) > MOST_LINES:
        raise NotationError(f"{name}: {len(rows)} lines; a record has at most {MOST_LINES}")
    if rows[0].removeprefix("\ufeff").strip() != FIRST_LINE:
        raise NotationError(f"{name}:1: found {_quote(rows[0])}, wanted {FIRST_LINE!r}")
    end = next((number for number, row in enumerate(rows) if not row.strip()), len(rows))
    return tuple(rows[:end]), tuple(rows[end:])


def _opening(head: tuple[str, ...], name: str) -> Opening:
    found: dict[str, str] = {}
    options: list[tuple[str, str]] = []
    for number, row in enumerate(head[1:], 2):
        key, _, value = row.strip().partition(" ")
        value = value.strip()
        if key.startswith("#"):
            continue
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise NotationError(f"{name}:{number}: unknown {_quote(key)}; wanted one of {', '.join(_KEYS)}{hint}")
        if key == "option":
            option, equals, chosen = value.partition("=")
            if not equals:
                raise NotationError(f"{name}:{number}: found {_quote(value)}, wanted option NAME=VALUE")
            options.append((option.strip(), chosen.strip()))
        elif key in found and key != "note":
            raise NotationError(f"{name}:{number}: a second {key!r}; wanted one")
        elif not value:
            raise NotationError(f"{name}:{number}: nothing after {key!r}")
        else:
            found[key] = value
    for key in ("game", "players"):
        if key not in found:
            raise NotationError(f"{name}: no line {key!r} before the first blank line")
    try:
        names = player_names(found["players"])
    except NotationError as error:
        raise NotationError(f"{name}: {error}") from error
    return Opening(found["game"], names, tuple(options), found.get("deck"))


def player_names(text: str) -> tuple[str, ...]:
    """Names separated by commas, one a seat, clockwise."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not name or len(name) > 40 or not name.isprintable():
            raise NotationError(f"player name {_quote(name)}; wanted 1 to 40 printable characters")
        if names.count(name) > 1:
            raise NotationError(f"two players are called {_quote(name)}; wanted different names")
    return names


def _edit(text: str, number: int, verbs: Mapping[str, Verb], chairs: int) -> Edit | None:
    text = _COMMENT.sub("", text).strip()
    if not text:
        return None
    word, _, rest = text.partition(" ")
    if word in ("undo", "redo"):
        if rest:
            raise NotationError(f"found {_quote(rest)} after {word}, wanted nothing")
        return Undo() if word == "undo" else Redo()
    if word in ("amend", "correct", "stand"):
        target, _, move = rest.strip().partition(" ")
        if not _LINE.match(target) or int(target) >= number:
            raise NotationError(f"found {_quote(target)} after {word}, wanted the number of an earlier line")
        if word == "stand":
            if move:
                raise NotationError(f"found {_quote(move)} after stand {target}, wanted nothing")
            return Stand(int(target))
        replacement = spell(Move.parse(move), verbs, chairs)
        return Amend(int(target), replacement) if word == "amend" else Correct(int(target), replacement)
    human = word == HUMAN
    return Play(spell(Move.parse(rest if human else text), verbs, chairs), human)


def _quote(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
