"""Never loses a game: killed at any moment, cut off at any byte, on a disk that is full."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device.files import OutputError
from device.recording.film import FRAMES, VIDEO
from device.recording.journal import JOURNAL, Journal, JournalEntry, read_journal
from device.recording.manifest import SessionState
from device.recording.playback import SessionFrames
from device.recording.recorder import Recorder
from device.session.folder import begin, newest_cut_off, resume
from device.store import GameHistory
from tests.device.evening import TABLES, play, played, said, session_at
from tests.device.small_table import filmed

KILLS = 50 if os.environ.get("KRUPIER_LONG") else 8
CUTS = 300 if os.environ.get("KRUPIER_LONG") else 40
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("whole")
    place = begin(folder / "recordings", played().record.opening)
    return place.path, play(place, folder / "history.sqlite", lambda entry: None)


def killed(root: Path, lines: int, later_s: float) -> set[tuple[str, ...]]:
    """Play in a process that is killed a little after it showed so many entries; all that it showed."""
    command = [sys.executable, "-m", "tests.device.evening", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdout is not None
        shown = [child.stdout.readline() for _ in range(lines)]
        time.sleep(later_s)
        child.kill()
        shown += child.stdout
    return {tuple(line.split()) for line in shown if len(line.split()) == 2 and line.endswith("\n")}


@pytest.mark.parametrize("number", range(KILLS))
def test_killed_at_any_moment(number: int, uninterrupted: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    path, wanted = uninterrupted
    rng = random.Random(number)
    shown: set[tuple[str, ...]] = set()
    for _ in range(1 + number % 2):
        # Who is started again goes on with what was cut off, and is killed again.
        shown |= killed(tmp_path, rng.randrange(len(read_journal(path / JOURNAL)[0])), rng.random() * 0.02)
    found = sorted((tmp_path / "recordings").glob("*")) if (tmp_path / "recordings").exists() else []
    if shown:
        noted = {(entry.kind, str(entry.number)) for entry in read_journal(found[0] / JOURNAL)[0]}
        assert shown <= noted, "whatever was shown is there"
    place = resume(found[0]) if found else begin(tmp_path / "recordings", played().record.opening)
    assert play(place, tmp_path / "history.sqlite", lambda entry: None) == wanted
    assert len(GameHistory(tmp_path / "history.sqlite").games()) == 1
    assert place.recording.manifest.state is SessionState.CLOSED
    film = SessionFrames(place.path)
    indices = [frame.index for frame in film.frames()]
    assert not film.losses
    assert indices == sorted(set(indices))


def test_cut_off_at_any_byte(uninterrupted: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    whole, wanted = uninterrupted
    journal = (whole / JOURNAL).read_bytes()
    rng = random.Random(1)
    for number in range(CUTS):
        at = rng.randrange(len(journal) + 1)
        folder = tmp_path / f"{number:05d}-dawaj2"
        folder.mkdir()
        for name in ("manifest.json", "deck.toml"):
            shutil.copy(whole / name, folder / name)
        (folder / JOURNAL).write_bytes(journal[:at])
        place = resume(folder)
        confirmed = journal[:at].count(b'"kind":"input"') - (not journal[:at].endswith(b"\n"))
        assert len(place.game.lines) >= confirmed, at
        session = session_at(place, tmp_path / "history.sqlite", lambda entry: None)
        for text in said()[len(place.game.lines) :]:
            session.hear(text, session.at_s)
        assert session.game.record == wanted["record"], at
        place.leave()
        shutil.rmtree(folder)
    assert len(GameHistory(tmp_path / "history.sqlite").games()) >= 1


def test_a_session_goes_on_where_it_was(uninterrupted: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    place = begin(tmp_path, played().record.opening)
    recorder = Recorder(place.path, waits=True)
    session = session_at(place, tmp_path / "history", lambda entry: None, recorder)
    for frame in filmed(TABLES[:2]):
        session.see(frame)
    session.hear(said()[0], 33.5)
    recorder.close()
    place.leave()
    assert newest_cut_off(tmp_path) == place.path
    again = resume(place.path)
    assert (again.frame, again.at_s) == (session.frame, 33.5)
    assert again.game.record == session.game.record
    assert again.game.match.states == session.game.match.states
    assert again.recording.manifest.began == place.recording.manifest.began
    again.close()
    assert newest_cut_off(tmp_path) is None


def test_rulings_that_are_others_today_are_named(tmp_path: Path) -> None:
    place = begin(tmp_path, played().record.opening)
    session = session_at(place, tmp_path / "history", lambda entry: None)
    session.hear(said()[0], 1.0)
    place.leave()
    entries, _ = read_journal(place.path / JOURNAL)
    # The same journal as it would be if the rules had said something else.
    (place.path / JOURNAL).unlink()
    journal = Journal(place.path / JOURNAL)
    for entry in entries:
        data = {**entry.data, "ruling": "UNCLEAR"} if entry.kind == "input" else entry.data
        journal.note(JournalEntry(entry.number, entry.at_s, entry.kind, data))
    journal.close()
    again = resume(place.path)
    again.leave()
    assert len(again.news) == 1
    assert "by today's rules" in again.news[0]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of half a megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or shutil.which("mount") is None or subprocess.run(command, check=False).returncode != 0:
        pytest.skip("NOT TRIED: a full disk; that takes root and a tmpfs")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_stops_recording_and_nothing_else(small_disk: Path, tmp_path: Path) -> None:
    place = begin(small_disk, played().record.opening)
    recorder = Recorder(place.path, waits=True)
    shown: list[str] = []
    session = session_at(place, tmp_path / "history", lambda entry: shown.append(entry.kind), recorder)
    session.hear(said()[0], 0.0)
    (small_disk / "ballast").write_bytes(b"x" * 4096)
    ballast = (small_disk / "ballast").open("ab", buffering=0)
    try:
        while True:
            ballast.write(b"x" * 4096)
    except OSError:
        ballast.close()
    for frame in filmed(TABLES):
        session.see(frame)
        session.trouble(recorder.trouble)
    before, refused = session.game, 0
    for text in said()[1:]:
        # The last page of the journal may have room for a few more lines.
        try:
            session.hear(text, session.at_s)
        except OutputError:
            refused += 1
            break
        before = session.game
    assert refused
    assert session.game == before
    recorder.close()
    assert "the game goes on" in recorder.trouble
    assert shown.count("table") == len(TABLES), "the table is watched all the same"
    (small_disk / "ballast").unlink()
    for text in said()[len(session.game.lines) :]:
        session.hear(text, session.at_s)
    place.leave()
    again = resume(place.path)
    assert again.game.record == session.game.record
    assert again.game.match.states == session.game.match.states
    again.close()
    assert (place.path / JOURNAL).is_file()
    assert {VIDEO, FRAMES} <= {file.name for file in place.path.iterdir()}
    assert json.loads((place.path / "manifest.json").read_text("utf-8"))["state"] == "closed"
