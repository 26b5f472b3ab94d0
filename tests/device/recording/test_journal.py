"""The journal: on disk before it is shown; torn and flipped lines are named, the others stay."""

import os
import random
from pathlib import Path

import pytest

from device.files import OutputError
from device.recording.journal import Journal, JournalEntry, JournalError, read_journal
from device.recording.parts import SessionError
from tests.device.recordings import entries, overwrite


def journal_of(folder: Path, count: int = 12) -> Path:
    path = folder / "journal.jsonl"
    journal = Journal(path)
    for entry in entries(count):
        journal.note(entry)
    journal.close()
    return path


def test_what_is_noted_is_read(tmp_path: Path) -> None:
    found, losses = read_journal(journal_of(tmp_path))
    assert list(found) == entries(12)
    assert not losses
    assert "Łucja" in (tmp_path / "journal.jsonl").read_text("utf-8")


def test_an_entry_is_on_the_disk_before_note_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    synced: list[int] = []
    true_fsync = os.fsync

    def fsync(file: int) -> None:
        true_fsync(file)
        synced.append(os.fstat(file).st_size)

    monkeypatch.setattr(os, "fsync", fsync)
    for entry in entries(3):
        journal.note(entry)
        assert synced[-1] == path.stat().st_size
        assert read_journal(path)[0][-1] == entry
    journal.close()


def test_no_holes_no_strange_kinds_no_strange_values(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    with pytest.raises(JournalError, match="number 3; wanted 0"):
        journal.note(JournalEntry(3, 0.0, "note", {}))
    with pytest.raises(JournalError, match="kind 'rule'; wanted one of opening"):
        journal.note(JournalEntry(0, 0.0, "rule", {}))
    with pytest.raises(JournalError, match="plain finite values"):
        journal.note(JournalEntry(0, 0.0, "note", {"x": float("nan")}))
    with pytest.raises(JournalError, match="plain finite values"):
        journal.note(JournalEntry(0, 0.0, "note", {"x": object()}))  # type: ignore[dict-item]
    journal.note(JournalEntry(0, 0.0, "note", {"x": "a\nb\ud800"}))
    journal.close()
    assert read_journal(tmp_path / "journal.jsonl")[0][0].data == {"x": "a\nb\ud800"}


def test_torn_anywhere_it_goes_on(tmp_path: Path) -> None:
    whole = journal_of(tmp_path, 4).read_bytes()
    path = tmp_path / "torn.jsonl"
    for cut in range(len(whole)):
        overwrite(path, whole[:cut])
        found, losses = read_journal(path)
        assert list(found) == entries(len(found))
        assert bool(losses) == (cut > 0 and whole[cut - 1 : cut] != b"\n" and whole[cut : cut + 1] != b"\n"), cut
        if cut % 31 and whole[cut : cut + 1] != b"\n":
            continue
        journal = Journal(path)
        assert journal.next_number == len(found)
        journal.note(entries(1, len(found))[0])
        journal.close()
        assert read_journal(path) == (tuple(entries(len(found) + 1)), ())


def test_flipped_bits_cost_the_lines_they_hit_and_are_named(tmp_path: Path) -> None:
    whole = journal_of(tmp_path).read_bytes()
    ends = [at for at, byte in enumerate(whole) if byte == 10]
    path = tmp_path / "journal.jsonl"
    chance = random.Random(6)
    for at in [*ends, *(chance.randrange(len(whole)) for _ in range(50))]:
        flipped = bytearray(whole)
        flipped[at] ^= 1 << chance.randrange(8)
        overwrite(path, flipped)
        hit = sum(end < at for end in ends)
        found, losses = read_journal(path)
        kept = {entry.number: entry for entry in found}
        assert all(kept[entry.number] == entry for entry in entries(12) if entry.number != hit), at
        if hit not in kept:
            assert any(f"line {hit} is damaged" in str(loss) or "the last line is torn" in str(loss) for loss in losses)
        else:
            assert at in ends
            assert kept[hit] == entries(1, hit)[0]
        if at % 4:
            continue
        journal = Journal(path)
        after = JournalEntry(journal.next_number, 9.0, "note", {})
        journal.note(after)
        journal.close()
        assert read_journal(path)[0][-1] == after


def test_lines_that_are_gone_or_come_twice_are_named(tmp_path: Path) -> None:
    path = journal_of(tmp_path)
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(rows[:3] + rows[5:7] + rows[6:]))
    found, losses = read_journal(path)
    assert [entry.number for entry in found] == [0, 1, 2, 5, 6, 7, 8, 9, 10, 11]
    assert [loss.what for loss in losses] == ["lines 3 to 4 are gone", "line 6 a second time; it is left out"]


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    first, second = entries(2)
    journal.note(first)
    true_write, room = os.pwrite, [20]

    def pwrite(file: int, data: bytes, at: int) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        took = true_write(file, bytes(data)[: room[0]], at)
        room[0] -= took
        return took

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", pwrite)
        with pytest.raises(OutputError, match="No space left on device"):
            journal.note(second)
    assert read_journal(path) == ((first,), ())
    journal.note(second)
    journal.close()
    assert read_journal(path) == ((first, second), ())


def test_no_journal(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="cannot be read: No such file"):
        read_journal(tmp_path / "journal.jsonl")
    (tmp_path / "journal.jsonl").write_bytes(os.urandom(1000).replace(b"\n", b"x"))
    found, losses = read_journal(tmp_path / "journal.jsonl")
    assert not found
    assert "torn" in str(losses[0])
