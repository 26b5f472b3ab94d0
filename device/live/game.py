"""The game of a session: lines as they come, read, judged and folded into a match one by one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from device.recording.journal import Entry
from device.recording.lines import JSON
from referee.interpreter import LAST
from referee.match import AnyMatch, LogError, Match
from referee.moves import NotationError
from referee.record import Line, Played, Revised, head_length, read_record, write_line, write_record
from referee.rules import AnyRules, Opening
from referee.snapshot import to_json
from referee.transcript import Ruled, revise
from referee.verdicts import Reason

LINES = ("input", "ruling")
"""The kinds of journal entries that are lines of the record: said by a human, or brought by who watches the table."""
_NAME = "line"


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
        number = self.next_line if number is None else number
        if text.split() == LAST.split() and self.lines:
            text = f"stand {self.lines[-1].number}"
        head = tuple(write_record(self.match.opening, iter(())))
        # What stands before it does not matter to how a line is read, only how many lines that are.
        blank = [""] * (number - len(head) - 1)
        if "\n" in text or number <= len(head):
            raise NotationError(f"{text!r:.60}: wanted one line, number {len(head) + 1} or more")
        try:
            line = read_record("\n".join((*head, *blank, text)), self.match.rules, _NAME).lines[-1]
        except NotationError as error:
            raise NotationError(str(error).removeprefix(f"{_NAME}:{number}: ")) from error
        if line.meaning is None:
            return None
        meaning = line.meaning
        if human and isinstance(meaning, Played):
            # A human's move is pinned: the camera never corrects it.
            meaning = replace(meaning, human=True)
        return Line(number, write_line(meaning), meaning)

    def judge(self, line: Line) -> tuple["Game", Ruled]:
        """The game after a line, and what the referee says; the same game if the line could not be done."""
        match = self.match
        if isinstance(line.meaning, Revised):
            try:
                revised = revise(match, line.meaning)
            except LogError as error:
                return self, Ruled(line, match, None, refused=str(error))
            pairs = enumerate(zip(match.verdicts, revised.verdicts, strict=False))
            ruled = Ruled(line, revised, None, tuple(index for index, (old, new) in pairs if old != new))
        else:
            assert line.meaning is not None, "a line that says nothing is not judged"
            played = match.play(line.meaning.move, line.number, human=line.meaning.human)
            ruled = Ruled(line, played, played.verdicts[-1])
        return Game(ruled.match, (*self.lines, line), max(self.next_line, line.number + 1)), ruled

    def repeat(self, entry: Entry) -> tuple["Game", dict[str, JSON]]:
        """The game after a line of a journal, by today's rules, and what is to be said of it."""
        text, number = str(entry.data.get("text", "")), entry.data.get("line")
        try:
            line = self.read(text, number=number if isinstance(number, int) else None)
        except NotationError as error:
            return self, {"line": number, "text": text, "ruling": None, "changed": [], "refused": str(error)}
        if line is None:
            return self, {"line": number, "text": text, "ruling": None, "changed": [], "refused": "it says nothing"}
        game, ruled = self.judge(line)
        return game, ruling_json(ruled)


def refold(game: Game, entries: Iterable[Entry]) -> tuple[Game, tuple[tuple[Entry, dict[str, JSON]], ...]]:
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


def said_of(entry: Entry) -> dict[str, JSON]:
    """The ruling in an entry, without when it came."""
    return {key: value for key, value in entry.data.items() if key != "after"}


def reason_of(said: Mapping[str, JSON]) -> Reason:
    """A reason that the journal keeps."""
    args = said.get("args")
    pairs = args.items() if isinstance(args, dict) else ()
    return Reason(str(said.get("reason")), tuple((key, _arg(value)) for key, value in pairs))


def _arg(value: JSON) -> int | str | tuple[int, ...] | tuple[str, ...]:
    if isinstance(value, list):
        numbers = tuple(item for item in value if isinstance(item, int))
        return numbers if len(numbers) == len(value) else tuple(str(item) for item in value)
    return value if isinstance(value, int) else str(value)


def reason_json(reason: Reason) -> dict[str, JSON]:
    """A reason as the journal keeps it."""
    return {"reason": reason.key, "args": {key: to_json(value) for key, value in reason.args}}
