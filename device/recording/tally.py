"""Counts of a session: frames, journal entries, length."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device.recording.appended import MOST_LINES
from device.recording.described import placed_from
from device.recording.film import FRAMES
from device.recording.journal import JOURNAL, read_journal
from device.recording.lines import picked_lines
from device.recording.parts import file_part


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """Counts of a session."""

    frames: int
    entries: int
    length_s: float


def tally(path: Path) -> SessionCounts:
    """Count the contents of a session folder."""
    times, frames, entries = [0.0], 0, 0
    if (path / FRAMES).is_file():
        lines = picked_lines(file_part(path / FRAMES).read(MOST_LINES), FRAMES, _time)
        times += [at_s for at_s in lines.values if at_s is not None]
        frames = len(times) - 1
    if (path / JOURNAL).is_file():
        noted, _ = read_journal(path / JOURNAL)
        times += [entry.at_s for entry in noted]
        entries = len(noted)
    return SessionCounts(frames, entries, max(times))


def _time(line: dict[str, Any]) -> float | None:
    placed = placed_from(line)
    return None if placed is None else placed.about.at_s
