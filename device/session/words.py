"""Journal entries as lines for people; the same entry gives the same line."""

from collections.abc import Sequence

from rich.text import Text

from device.cameras.source import Health
from device.plain import plain
from device.recording.journal import JournalEntry
from device.session.events import (
    CameraChanged,
    CardNamed,
    GameOpened,
    GamePaused,
    LineJudged,
    QuestionAsked,
    RulingChallenged,
    SessionNote,
    TableObserved,
    readable,
)
from device.session.table_json import table_words
from referee.texts import Texts
from referee.verdicts import Reason, Ruling

_STYLES = {Ruling.LEGAL: ("✓", "green"), Ruling.ILLEGAL: ("✗", "bold red"), Ruling.UNCLEAR: ("?", "bold yellow")}
_WIDTH = 24


class EntryText:
    """Prints entries in one language, with the names of the players."""

    def __init__(self, texts: Texts | None, names: Sequence[str] = ()) -> None:
        """`texts` is None for a film without a game."""
        self._texts, self._names = texts, tuple(names)

    def say(self, entry: JournalEntry) -> Text:
        """One entry in a line."""
        line = Text(f"{entry.at_s:9.2f} s  ")
        match readable(entry):
            case LineJudged() as judged if self._texts is not None:
                self._say_ruling(line, judged, self._texts)
            case TableObserved():
                line.append(f"table   {plain(table_words(entry.data))}", "cyan")
            case CameraChanged(health, _, message):
                line.append(f"camera  {plain(_camera(health, message))}", "magenta")
            case CardNamed(code=code, was=was):
                line.append(f"card    {plain(was or '?')} is {plain(code)}", "cyan")
            case QuestionAsked() as question:
                line.append(plain(self._question(question)), "bold yellow")
            case GamePaused(paused):
                line.append("paused" if paused else "goes on", "magenta")
            case RulingChallenged(number, by, unsettled):
                line.append(f"line {number} {'challenged' if unsettled else 'settled'} by {plain(by)}", "magenta")
            case GameOpened(opening):
                line.append(plain(f"{opening.game}: {', '.join(self._names)}"), "bold")
            case SessionNote(what):
                line.append(f"! {plain(what)}", "magenta")
            case _:
                line.append(f"! {plain(str(entry.data))}", "magenta")
        return line

    def _say_ruling(self, line: Text, judged: LineJudged, texts: Texts) -> None:
        line.append(f"{judged.line!s:>4}  {plain(judged.text):<{_WIDTH}}  ")
        if judged.ruling is None or judged.reason is None:
            changed = ", ".join(f"{one.line} {one.ruling}" for one in judged.changed)
            refused = judged.refused
            line.append(f"! {plain(refused)}" if refused else f"→ {changed or '·'}", "red" if refused else "cyan")
        else:
            mark, style = _STYLES[judged.ruling]
            line.append(f"{mark} {judged.ruling:<7} {judged.rule:<6}", style)
            line.append(" " + texts.say(judged.reason, self._names))
            if judged.about is not None:
                line.append(f"  ⟵ {judged.about}", style)
        if judged.over is not None:
            line.append(f"  ■ {texts.say(judged.over.why, self._names)}", "bold")

    def _question(self, question: QuestionAsked) -> str:
        """The choices, and the cards that no move explains."""
        choices = [", ".join(choice) or "nothing" for choice in question.choices]
        words = [f"which one? {' | '.join(choices)}"] if choices else []
        unexplained = [self._unexplained(one) for one in question.unexplained]
        words += [f"unexplained: {' '.join(unexplained)}"] if unexplained else []
        return "? " + " · ".join(words) if words else "all is clear again"

    def _unexplained(self, one: Reason | str) -> str:
        if isinstance(one, str):
            return one
        return one.key if self._texts is None else self._texts.say(one, self._names)


def _camera(health: Health, message: str) -> str:
    why = f": {message}" if message else ""
    return f"back{why}" if health is Health.RUNNING else f"{health.value}{why}; the game waits"
