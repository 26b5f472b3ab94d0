"""The game of a session: lines as they come, read, judged and folded into a match one by one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from device.recording.journal import JournalEntry
from device.recording.lines import JSON
from referee.edits import Correct, Edit, Play, Stand
from referee.match import AnyMatch, Match
from referee.moves import NotationError
from referee.record import MOST_LINES, Line, head_length, read_edit, write_line, write_record
from referee.rules import AnyRules, Opening
from referee.snapshot import to_json
from referee.transcript import Ruled, judge_line
from referee.verdicts import Reason

LINES = ("input", "ruling")
"""The kinds of journal entries that are lines of the record: said by a human, or brought by who watches the table."""
STAND_LAST = ("stand", "last")
"""What people may say instead of the line of the last move."""
PROBABILITY_DIGITS = 3
"""Decimal places of a probability in the journal, and so in the game: what is resumed is what was played."""


@dataclass(frozen=True, slots=True)
class Game:
    """A match and the lines of its record so far; every change is a new value."""

    match: AnyMatch
    lines: tuple[Line, ...]
    next_line: int

    @classmethod
    def open(cls, rules: AnyRules, opening: Opening) -> "Game":
        """A game before its first line."""
        return cls(Match.open(rules, opening), (), head_length(opening) + 1)

    @property
    def record(self) -> str:
        """The game as a record, as `krupier judge` reads it; lines that were lost are blank."""
        head = tuple(write_record(self.match.opening, iter(())))
        there = {line.number: line.text for line in self.lines}
        return "\n".join((*head, *(there.get(number, "") for number in range(len(head) + 1, self.next_line)), ""))

    def read(self, text: str, human: bool = False, number: int | None = None) -> Line | None:
        """A line in the notation of records; None if it says nothing. NotationError says what is wrong with it."""
        opening, number = self.match.opening, self.next_line if number is None else number
        head = head_length(opening)
        if "\n" in text or number <= head:
            raise NotationError(f"{text!r:.60}: wanted one line, number {head + 1} or more")
        if tuple(text.split()) == STAND_LAST and self.match.log:
            return self._line(Stand(), number)
        edit = read_edit(text, number, self.match.rules, len(opening.names))
        if human and isinstance(edit, Play):
            # A human's move is pinned: the camera never corrects it.
            edit = replace(edit, human=True)
        return None if edit is None else self._line(edit, number)

    def enter(self, edit: Edit) -> tuple["Game", Ruled]:
        """The game after an edit, and what the referee says of its line; the same game if it could not be done."""
        return self.judge(self._line(edit, self.next_line))

    def judge(self, line: Line) -> tuple["Game", Ruled]:
        """The game after a line, and what the referee says; the same game if the line could not be done."""
        assert line.meaning is not None, "a line that says nothing is not judged"
        if line.number > MOST_LINES:
            why = f"line {line.number} is one too many; a record has at most {MOST_LINES}"
            return self, Ruled(line, self.match, None, refused=why)
        ruled = judge_line(self.match, line, line.meaning)
        if ruled.refused is not None:
            return self, ruled
        return Game(ruled.match, (*self.lines, line), max(self.next_line, line.number + 1)), ruled

    def repeat(self, entry: JournalEntry) -> tuple["Game", dict[str, JSON]]:
        """The game after a line of a journal, by today's rules, and what is to be said of it."""
        text, number = str(entry.data.get("text", "")), entry.data.get("line")
        try:
            line = self.read(text, number=number if isinstance(number, int) else None)
        except NotationError as error:
            return self, {"line": number, "text": text, "ruling": None, "changed": [], "refused": str(error)}
        if line is None:
            return self, {"line": number, "text": text, "ruling": None, "changed": [], "refused": "it says nothing"}
        probability = entry.data.get("probability")
        if isinstance(line.meaning, Play | Correct) and isinstance(probability, float) and 0 <= probability < 1:
            # No line says how likely it is; the journal does.
            line = replace(line, meaning=replace(line.meaning, probability=probability))
        game, ruled = self.judge(line)
        return game, ruling_json(ruled)

    def _line(self, edit: Edit, number: int) -> Line:
        """The line of an edit, where a stand names its move and a probability has as many digits as in the journal."""
        if isinstance(edit, Stand) and edit.line is None:
            edit = Stand(self.match.log[-1].line if self.match.log else number - 1)
        elif isinstance(edit, Play | Correct):
            edit = replace(edit, probability=round(edit.probability, PROBABILITY_DIGITS))
        return Line(number, write_line(edit), edit)


def refold(
    game: Game, entries: Iterable[JournalEntry]
) -> tuple[Game, tuple[tuple[JournalEntry, dict[str, JSON]], ...]]:
    """A game rebuilt from its journal, and every entry of which today's rules say something else, with that."""
    changed = []
    for entry in entries:
        if entry.kind in LINES:
            game, said = game.repeat(entry)
            if said != said_of(entry):
                changed.append((entry, said))
    return game, tuple(changed)


def ruling_json(ruled: Ruled) -> dict[str, JSON]:
    """What the referee said of a line, as the journal keeps it: no language, no state."""
    match, verdict = ruled.match, ruled.verdict
    said: dict[str, JSON] = {"line": ruled.line.number, "text": ruled.line.text}
    probability = _probability(ruled.line.meaning)
    if probability < 1:
        said["probability"] = probability
    if verdict is None:
        changed: list[JSON] = [
            {"line": match.log[index].line, "ruling": match.verdicts[index].ruling.value, "rule": rule}
            for index, rule in ((index, match.verdicts[index].rule) for index in ruled.changed)
        ]
        said |= {"ruling": None, "changed": changed, "refused": ruled.refused}
    else:
        said |= {"ruling": verdict.ruling.value, "rule": verdict.rule, **reason_json(verdict.reason)}
        said["about"] = match.line_about(verdict)
    outcome = match.rules.outcome(match.state)
    if outcome is not None:
        said["over"] = {"winners": list(outcome.winners), **reason_json(outcome.why)}
    return said


def said_of(entry: JournalEntry) -> dict[str, JSON]:
    """The ruling in an entry, without when it came."""
    return {key: value for key, value in entry.data.items() if key != "after"}


def reason_of(said: Mapping[str, JSON]) -> Reason:
    """A reason that the journal keeps."""
    args = said.get("args")
    pairs = args.items() if isinstance(args, dict) else ()
    return Reason(str(said.get("reason")), tuple((key, _arg(value)) for key, value in pairs))


def _probability(edit: Edit | None) -> float:
    """How likely it is that what the camera brought was played; what a human says is certain."""
    match edit:
        case Play(human=False, probability=probability) | Correct(probability=probability):
            return round(probability, PROBABILITY_DIGITS)
    return 1.0


def _arg(value: JSON) -> int | str | tuple[int, ...] | tuple[str, ...]:
    if isinstance(value, list):
        numbers = tuple(item for item in value if isinstance(item, int))
        return numbers if len(numbers) == len(value) else tuple(str(item) for item in value)
    return value if isinstance(value, int) else str(value)


def reason_json(reason: Reason) -> dict[str, JSON]:
    """A reason as the journal keeps it."""
    return {"reason": reason.key, "args": {key: to_json(value) for key, value in reason.args}}
