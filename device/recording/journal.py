"""The journal: every event of a session, written to the disk before anyone sees it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device.recording.appended import MOST_LINES, open_lines
from device.recording.lines import JSON, NUMBER, LineError, Loss, line_of, read_lines
from device.recording.parts import Part, file_part

JOURNAL = "journal.jsonl"
KINDS = ("opening", "input", "ruling", "table", "camera", "note", "card", "pause", "challenge", "question")


class JournalError(ValueError):
    """An entry that cannot be written; the message quotes it."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One line of the journal."""

    number: int
    """Counts from 0 without gaps."""
    at_s: float
    kind: str
    data: dict[str, JSON]

    @property
    def after(self) -> int:
        """Number of the last frame before the entry; -1 for none. Older journals store it for tables only."""
        after = self.data.get("after", self.data.get("frame"))
        return after if isinstance(after, int) else -1


class Journal:
    """Appends entries; each is on the disk when `note` returns."""

    def __init__(self, path: Path) -> None:
        """Open or create a journal; a torn last line is cut off and reported in `losses`."""
        lines, self._file = open_lines(path)
        self.losses: tuple[Loss, ...] = lines.losses
        self._next = lines.next_number

    @property
    def next_number(self) -> int:
        """The number of the next entry."""
        return self._next

    def note(self, entry: JournalEntry) -> None:
        """Append an entry. JournalError if it is invalid; after OutputError (a full disk) it is not in the journal."""
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
        """Close the file."""
        self._file.close()


def read_journal(source: Path | Part) -> tuple[tuple[JournalEntry, ...], tuple[Loss, ...]]:
    """All complete entries, and the losses; SessionError only if the file is missing."""
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
