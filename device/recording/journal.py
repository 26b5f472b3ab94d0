"""The journal: what was ruled and said, on the disk before anybody sees it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device.recording.appended import MOST_LINES, open_lines
from device.recording.lines import JSON, NUMBER, LineError, Loss, line_of, read_lines
from device.recording.parts import Part, file_part

JOURNAL = "journal.jsonl"
KINDS = ("opening", "input", "ruling", "table", "camera", "note", "card", "pause", "challenge", "question")


class JournalError(ValueError):
    """An entry that cannot be noted; the message quotes it."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One line of the journal."""

    number: int
    """From 0, without holes."""
    at_s: float
    kind: str
    data: dict[str, JSON]

    @property
    def after(self) -> int:
        """The number of the last frame before it was noted; -1 for none. Older journals only have a table's own."""
        after = self.data.get("after", self.data.get("frame"))
        return after if isinstance(after, int) else -1


class Journal:
    """Appends entries; each is on the disk when `note` comes back."""

    def __init__(self, path: Path) -> None:
        """Begin a journal, or go on with one; a last line that was torn is cut off and named in `losses`."""
        lines, self._file = open_lines(path)
        self.losses: tuple[Loss, ...] = lines.losses
        self._next = lines.next_number

    @property
    def next_number(self) -> int:
        """The number of the entry that comes next."""
        return self._next

    def note(self, entry: JournalEntry) -> None:
        """Add an entry. JournalError if it is none; after OutputError (a full disk) it is not in the journal."""
        if entry.number != self._next:
            raise JournalError(f"entry number {entry.number}; wanted {self._next}, numbers have no holes")
        if entry.kind not in KINDS:
            raise JournalError(f"entry of kind {entry.kind!r}; wanted one of {', '.join(KINDS)}")
        try:
            line = line_of(entry.number, {"at_s": entry.at_s, "kind": entry.kind, "data": entry.data})
        except LineError as error:
            raise JournalError(f"{entry.kind}: {error}") from error
        self._file.append(line, sync=True)
        self._next += 1

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


def read_journal(source: Path | Part) -> tuple[tuple[JournalEntry, ...], tuple[Loss, ...]]:
    """All entries that are whole, and what is lost; SessionError only if there is no file."""
    part = source if isinstance(source, Part) else file_part(source)
    lines = read_lines(part.read(MOST_LINES), JOURNAL)
    entries, losses = [], list(lines.losses)
    for value in lines.values:
        entry = _entry(value)
        if entry is None:
            losses.append(Loss(JOURNAL, 0, f"line {value[NUMBER]} is no entry: {value!r:.80}"))
        else:
            entries.append(entry)
    return tuple(entries), tuple(losses)


def _entry(value: dict[str, Any]) -> JournalEntry | None:
    at_s, kind, data = value.get("at_s"), value.get("kind"), value.get("data")
    if not isinstance(at_s, int | float) or not isinstance(kind, str) or not isinstance(data, dict):
        return None
    return JournalEntry(value[NUMBER], at_s, kind, data)
