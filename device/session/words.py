"""Words: entries of a journal as lines for people; the same entry gives the same line."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from device.plain import plain
from device.recording.journal import JournalEntry
from device.session.game import LINES, reason_of
from device.session.table_json import table_words
from referee.texts import Texts
from referee.verdicts import Ruling

_STYLES = {Ruling.LEGAL: ("✓", "green"), Ruling.ILLEGAL: ("✗", "bold red"), Ruling.UNCLEAR: ("?", "bold yellow")}
_WIDTH = 24


class EntryText:
    """Says entries in one language, with the names of those who play."""

    def __init__(self, texts: Texts | None, names: Sequence[str] = ()) -> None:
        """Without texts, as for a film without a game, nothing is ruled."""
        self._texts, self._names = texts, tuple(names)

    def say(self, entry: JournalEntry) -> Text:
        """One entry in a line."""
        line = Text(f"{entry.at_s:9.2f} s  ")
        data = entry.data
        if entry.kind in LINES and self._texts is not None:
            self._rule(line, data, self._texts)
        elif entry.kind == "table":
            line.append(f"table   {plain(table_words(data))}", "cyan")
        elif entry.kind == "camera":
            line.append(f"camera  {plain(_camera(data))}", "magenta")
        elif entry.kind == "card":
            line.append(f"card    {plain(str(data.get('was') or '?'))} is {plain(str(data.get('code')))}", "cyan")
        elif entry.kind == "question":
            line.append(plain(self._question(data)), "bold yellow")
        elif entry.kind == "pause":
            line.append("paused" if data.get("paused") else "goes on", "magenta")
        elif entry.kind == "challenge":
            doubt = "challenged" if data.get("open") else "settled"
            line.append(f"line {data.get('line')} {doubt} by {plain(str(data.get('by')))}", "magenta")
        elif entry.kind == "opening":
            line.append(plain(f"{data.get('game')}: {', '.join(self._names)}"), "bold")
        else:
            line.append(f"! {plain(str(data.get('what', data)))}", "magenta")
        return line

    def _rule(self, line: Text, data: dict[str, Any], texts: Texts) -> None:
        line.append(f"{data.get('line')!s:>4}  {plain(str(data.get('text'))):<{_WIDTH}}  ")
        ruling = data.get("ruling")
        if ruling is None:
            changed = ", ".join(f"{one['line']} {one['ruling']}" for one in data.get("changed") or ())
            refused = data.get("refused")
            line.append(f"! {plain(str(refused))}" if refused else f"→ {changed or '·'}", "red" if refused else "cyan")
        else:
            mark, style = _STYLES[Ruling(ruling)]
            line.append(f"{mark} {ruling:<7} {data['rule']:<6}", style)
            line.append(" " + texts.say(reason_of(data), self._names))
            if data.get("about") is not None:
                line.append(f"  ⟵ {data['about']}", style)
        over = data.get("over")
        if isinstance(over, dict):
            line.append(f"  ■ {texts.say(reason_of(over), self._names)}", "bold")

    def _question(self, data: dict[str, Any]) -> str:
        """What is asked and what nobody can explain."""
        choices = [", ".join(map(str, choice)) or "nothing" for choice in data.get("choices") or ()]
        words = [f"which one? {' | '.join(choices)}"] if choices else []
        left = [self._left(one) for one in data.get("left") or ()]
        words += [f"unexplained: {' '.join(left)}"] if left else []
        return "? " + " · ".join(words) if words else "all is clear again"

    def _left(self, one: Any) -> str:
        """What nothing explains; older journals keep the words themselves."""
        if isinstance(one, dict) and self._texts is not None:
            return self._texts.say(reason_of(one), self._names)
        return str(one)


def _camera(data: dict[str, Any]) -> str:
    back = data.get("health") == "running"
    why = f": {data['message']}" if data.get("message") else ""
    return f"back{why}" if back else f"{data.get('health')}{why}; the game waits"
