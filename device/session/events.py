"""Events of a session: typed inside the program, JSON in the journal and on the wire."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from device.cameras.source import Health
from device.recording.journal import JournalEntry
from device.recording.lines import JSON
from device.session.table_json import table_from_json, table_json
from referee.edits import Correct, Edit, Play
from referee.rules import Opening
from referee.snapshot import to_json
from referee.transcript import Ruled
from referee.verdicts import Reason, Ruling
from vision.table import Point, Table

PROBABILITY_DIGITS = 3
"""Decimal places of a probability in the journal, and so in the game: a resumed game equals the played one."""
BY_HUMAN, BY_CAMERA = "input", "ruling"
"""The kinds of judged lines in the journal: entered by a human, or found by the camera."""
LINES = (BY_HUMAN, BY_CAMERA)


@dataclass(frozen=True, slots=True)
class GameOpened:
    """A game began."""

    opening: Opening


@dataclass(frozen=True, slots=True)
class ChangedRuling:
    """An earlier line whose ruling a later line has changed."""

    line: int
    ruling: Ruling
    rule: str


@dataclass(frozen=True, slots=True)
class GameEnd:
    """Who has won, and why."""

    winners: tuple[int, ...]
    why: Reason


@dataclass(frozen=True, slots=True)
class LineJudged:
    """A line of the record and its ruling."""

    by_camera: bool
    line: int | None
    """The number of the line; None where a damaged journal lacks it."""
    text: str
    ruling: Ruling | None = None
    """None for a line that only changes earlier ones, and for a refused line."""
    rule: str = ""
    reason: Reason | None = None
    about: int | None = None
    """The line of an earlier move that this line shows to be wrong."""
    changed: tuple[ChangedRuling, ...] = ()
    refused: str | None = None
    """Why the line could not be applied."""
    over: GameEnd | None = None
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class TableObserved:
    """A table came to rest, or was glimpsed before play went on."""

    table: Table


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """What people are asked now; nothing if all is clear again."""

    choices: tuple[tuple[str, ...], ...] = ()
    """Each choice as the lines that it would log."""
    unexplained: tuple[Reason | str, ...] = ()
    """Cards that no move explains; old journals have sentences instead of reasons."""


@dataclass(frozen=True, slots=True)
class CardNamed:
    """A human said which card lies somewhere."""

    track: int | None
    code: str
    was: str
    """What the card was read as before."""
    at_mm: Point | None
    by: str


@dataclass(frozen=True, slots=True)
class GamePaused:
    """The game was paused or goes on."""

    paused: bool


@dataclass(frozen=True, slots=True)
class RulingChallenged:
    """Somebody challenged a ruling, or the challenge was settled."""

    line: int | None
    by: str
    unsettled: bool


@dataclass(frozen=True, slots=True)
class CameraChanged:
    """The camera was lost or is back."""

    health: Health
    tries: int
    message: str


@dataclass(frozen=True, slots=True)
class SessionNote:
    """Something that people should know: a full disk, lost entries, a resumed session."""

    what: str


Event = (
    GameOpened
    | LineJudged
    | TableObserved
    | QuestionAsked
    | CardNamed
    | GamePaused
    | RulingChallenged
    | CameraChanged
    | SessionNote
)


class EventError(ValueError):
    """A journal entry that is no event; the message says what was found and what was wanted."""


def judged(ruled: Ruled, by_camera: bool) -> LineJudged:
    """The event of a line that was judged just now."""
    match, verdict, line = ruled.match, ruled.verdict, ruled.line
    outcome = match.rules.outcome(match.state)
    over = None if outcome is None else GameEnd(outcome.winners, outcome.why)
    probability = _probability(line.meaning)
    if verdict is None:
        changed = tuple(
            ChangedRuling(match.log[index].line, match.verdicts[index].ruling, match.verdicts[index].rule)
            for index in ruled.changed
        )
        refused = ruled.refused
        return LineJudged(
            by_camera, line.number, line.text, changed=changed, refused=refused, over=over, probability=probability
        )
    return LineJudged(
        by_camera,
        line.number,
        line.text,
        verdict.ruling,
        verdict.rule,
        verdict.reason,
        match.line_about(verdict),
        over=over,
        probability=probability,
    )


def encode(event: Event) -> tuple[str, dict[str, JSON]]:
    """The kind and the data of an event in the journal."""
    match event:
        case GameOpened(opening):
            options: list[JSON] = [list(pair) for pair in opening.options]
            names: list[JSON] = list(opening.names)
            return "opening", {"game": opening.game, "names": names, "options": options, "deck": opening.deck}
        case LineJudged():
            return BY_CAMERA if event.by_camera else BY_HUMAN, _line_json(event)
        case TableObserved(table):
            return "table", table_json(table)
        case QuestionAsked(choices, unexplained):
            if not choices and not unexplained:
                return "question", {}
            left: list[JSON] = [one if isinstance(one, str) else reason_json(one) for one in unexplained]
            return "question", {"choices": [list(choice) for choice in choices], "left": left}
        case CardNamed(track, code, was, at_mm, by):
            where: list[JSON] = [] if at_mm is None else [round(side, 2) for side in at_mm]
            return "card", {"track": track, "code": code, "was": was, "at_mm": where, "by": by}
        case GamePaused(paused):
            return "pause", {"paused": paused}
        case RulingChallenged(line, by, unsettled):
            return "challenge", {"line": line, "by": by, "open": unsettled}
        case CameraChanged(health, tries, message):
            return "camera", {"health": health.value, "tries": tries, "message": message}
        case SessionNote(what):
            return "note", {"what": what}


def decode(entry: JournalEntry) -> Event:
    """The event of a journal entry; EventError if it is none that Krupier knows."""
    data = entry.data
    try:
        match entry.kind:
            case "opening":
                return GameOpened(_opening(data))
            case "input" | "ruling":
                return _line(entry.kind == BY_CAMERA, data)
            case "table":
                return TableObserved(table_from_json(data, entry.at_s))
            case "question":
                return _question(data)
            case "card":
                return CardNamed(
                    _int(data.get("track")),
                    str(data.get("code") or ""),
                    str(data.get("was") or ""),
                    _point(data.get("at_mm")),
                    str(data.get("by") or ""),
                )
            case "pause":
                return GamePaused(bool(data.get("paused")))
            case "challenge":
                return RulingChallenged(_int(data.get("line")), str(data.get("by") or ""), bool(data.get("open")))
            case "camera":
                health = Health(str(data.get("health")))
                return CameraChanged(health, _int(data.get("tries")) or 0, str(data.get("message") or ""))
            case "note":
                return SessionNote(str(data.get("what") or ""))
    except (KeyError, TypeError, ValueError) as error:
        found = f"{entry.kind} {data!r:.80}"
        raise EventError(f"entry {entry.number}: {found}; wanted an event that can be read ({error})") from error
    raise EventError(f"entry {entry.number}: kind {entry.kind!r} is unknown to this version")


def readable(entry: JournalEntry) -> Event | None:
    """The event of a journal entry; None if it cannot be read by this version."""
    try:
        return decode(entry)
    except EventError:
        return None


def lines_of(entries: Iterable[JournalEntry]) -> Iterator[LineJudged]:
    """The judged lines among some journal entries."""
    return (event for event in map(readable, entries) if isinstance(event, LineJudged))


def reason_json(reason: Reason) -> dict[str, JSON]:
    """A reason in the journal."""
    return {"reason": reason.key, "args": {key: to_json(value) for key, value in reason.args}}


def reason_of(data: Mapping[str, JSON]) -> Reason:
    """A reason from the journal."""
    args = data.get("args")
    pairs = args.items() if isinstance(args, dict) else ()
    return Reason(str(data.get("reason")), tuple((key, _arg(value)) for key, value in pairs))


def _line_json(event: LineJudged) -> dict[str, JSON]:
    data: dict[str, JSON] = {"line": event.line, "text": event.text}
    if event.probability < 1:
        data["probability"] = event.probability
    if event.ruling is None or event.reason is None:
        changed: list[JSON] = [
            {"line": one.line, "ruling": one.ruling.value, "rule": one.rule} for one in event.changed
        ]
        data |= {"ruling": None, "changed": changed, "refused": event.refused}
    else:
        data |= {"ruling": event.ruling.value, "rule": event.rule, **reason_json(event.reason), "about": event.about}
    if event.over is not None:
        data["over"] = {"winners": list(event.over.winners), **reason_json(event.over.why)}
    return data


def _line(by_camera: bool, data: Mapping[str, JSON]) -> LineJudged:
    ruling, over, changed, probability = (data.get(key) for key in ("ruling", "over", "changed", "probability"))
    return LineJudged(
        by_camera,
        _int(data.get("line")),
        str(data.get("text", "")),
        None if ruling is None else Ruling(str(ruling)),
        str(data.get("rule") or ""),
        None if ruling is None else reason_of(data),
        _int(data.get("about")),
        tuple(_changed(one) for one in changed if isinstance(one, dict)) if isinstance(changed, list) else (),
        None if data.get("refused") is None else str(data["refused"]),
        _end(over) if isinstance(over, dict) else None,
        probability if isinstance(probability, float) and 0 <= probability < 1 else 1.0,
    )


def _changed(data: Mapping[str, JSON]) -> ChangedRuling:
    return ChangedRuling(_int(data["line"]) or 0, Ruling(str(data["ruling"])), str(data.get("rule") or ""))


def _end(data: Mapping[str, JSON]) -> GameEnd:
    winners = data.get("winners")
    return GameEnd(
        tuple(seat for seat in winners if isinstance(seat, int)) if isinstance(winners, list) else (), reason_of(data)
    )


def _opening(data: Mapping[str, JSON]) -> Opening:
    names, options = data.get("names"), data.get("options")
    pairs = [pair for pair in options if isinstance(pair, list)] if isinstance(options, list) else []
    return Opening(
        str(data.get("game")),
        tuple(str(name) for name in names) if isinstance(names, list) else (),
        tuple((str(key), str(value)) for key, value in pairs),
        str(data["deck"]) if data.get("deck") else None,
    )


def _question(data: Mapping[str, JSON]) -> QuestionAsked:
    choices, left = data.get("choices"), data.get("left")
    return QuestionAsked(
        tuple(tuple(map(str, one)) for one in choices if isinstance(one, list)) if isinstance(choices, list) else (),
        tuple(reason_of(one) if isinstance(one, dict) else str(one) for one in left) if isinstance(left, list) else (),
    )


def _probability(edit: Edit | None) -> float:
    """How likely a move of the camera was played; what a human enters is certain."""
    match edit:
        case Play(human=False, probability=probability) | Correct(probability=probability):
            return round(probability, PROBABILITY_DIGITS)
    return 1.0


def _arg(value: JSON) -> int | str | tuple[int, ...] | tuple[str, ...]:
    if isinstance(value, list):
        numbers = tuple(item for item in value if isinstance(item, int))
        return numbers if len(numbers) == len(value) else tuple(str(item) for item in value)
    return value if isinstance(value, int) else str(value)


def _int(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _point(value: JSON) -> Point | None:
    sides = [float(side) for side in value if isinstance(side, int | float)] if isinstance(value, list) else []
    return (sides[0], sides[1]) if len(sides) == 2 else None
