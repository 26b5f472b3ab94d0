"""The game of a session: lines are read, judged and folded into a match one by one."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from device.session.events import PROBABILITY_DIGITS, LineJudged, judged
from referee.edits import Correct, Edit, Play, Stand
from referee.match import AnyMatch, Match
from referee.moves import NotationError
from referee.record import MOST_LINES, Line, head_length, read_edit, write_line, write_record
from referee.rules import AnyRules, Opening
from referee.transcript import Ruled, judge_line

STAND_LAST = ("stand", "last")
"""What people may type instead of the line number of the last move."""


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
        """The game as a record for `krupier judge`; lost lines are blank."""
        head = tuple(write_record(self.match.opening, iter(())))
        there = {line.number: line.text for line in self.lines}
        return "\n".join((*head, *(there.get(number, "") for number in range(len(head) + 1, self.next_line)), ""))

    def read(self, text: str, human: bool = False, number: int | None = None) -> Line | None:
        """A line in the notation of records; None for a comment or a blank line."""
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
        """The game after an edit, with its ruling; the same game if the edit was refused."""
        return self.judge(self._line(edit, self.next_line))

    def judge(self, line: Line) -> tuple["Game", Ruled]:
        """The game after a line, with its ruling; the same game if the line was refused."""
        assert line.meaning is not None, "a line that says nothing is not judged"
        if line.number > MOST_LINES:
            why = f"line {line.number} is one too many; a record has at most {MOST_LINES}"
            return self, Ruled(line, self.match, None, refused=why)
        ruled = judge_line(self.match, line, line.meaning)
        if ruled.refused is not None:
            return self, ruled
        return Game(ruled.match, (*self.lines, line), max(self.next_line, line.number + 1)), ruled

    def repeat(self, event: LineJudged) -> tuple["Game", LineJudged]:
        """The game after a line of a journal, and what today's rules say of that line."""
        try:
            line = self.read(event.text, number=event.line)
        except NotationError as error:
            return self, LineJudged(event.by_camera, event.line, event.text, refused=str(error))
        if line is None:
            return self, LineJudged(event.by_camera, event.line, event.text, refused="it says nothing")
        if isinstance(line.meaning, Play | Correct) and event.probability < 1:
            # The text of a line has no probability; the journal keeps it beside the text.
            line = replace(line, meaning=replace(line.meaning, probability=event.probability))
        game, ruled = self.judge(line)
        return game, judged(ruled, event.by_camera)

    def _line(self, edit: Edit, number: int) -> Line:
        """The line of an edit: a stand names its move, a probability is rounded as in the journal."""
        if isinstance(edit, Stand) and edit.line is None:
            edit = Stand(self.match.log[-1].line if self.match.log else number - 1)
        elif isinstance(edit, Play | Correct):
            edit = replace(edit, probability=round(edit.probability, PROBABILITY_DIGITS))
        return Line(number, write_line(edit), edit)


def refold(game: Game, lines: Iterable[LineJudged]) -> tuple[Game, tuple[tuple[LineJudged, LineJudged], ...]]:
    """A game rebuilt from its lines, and every line with another ruling by today's rules: as it was, as it is."""
    changed = []
    for event in lines:
        game, now = game.repeat(event)
        if now != event:
            changed.append((event, now))
    return game, tuple(changed)
