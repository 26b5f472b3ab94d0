"""Killed at any moment of a game that a camera sees, it goes on as if nothing had happened."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from calibration.frames import Frame
from device.cameras.source import Health, Source, Status
from device.recording.bundle import import_bundle
from device.recording.film import FRAMES, VIDEO
from device.recording.folder import RIG
from device.recording.journal import JOURNAL, read_journal
from device.recording.lines import JSON
from device.recording.playback import SessionFrames
from device.session.folder import SessionFolder, begin, resume
from device.session.observer import Observer, WatchedCamera
from device.session.runner import SessionRunner
from device.settings import Settings
from device.watchdog import Watchdog
from referee.rules import Opening
from tests.device.small_table import FPS, ZONES, SlotEye, filmed
from vision.table import Table

LONG = bool(os.environ.get("KRUPIER_LONG"))
KILLS = 20 if LONG else 3
LENGTH = None if LONG else 145
"""How many frames of the film are played; all of them in the long run."""
ROOT = Path(__file__).parents[3]
NAMES = ("Ala", "Bartek")
TABLES = ((), ("9G0",), ("9G0", "5P1"), ("9G0", "5P1", "6B3"))
NAMED_AFTER = 52
"""The frame after which somebody says which card lies there: the second of two that are read wrong."""
Said = tuple[float, str, dict[str, JSON]]


def said_in(folder: Path) -> list[Said]:
    """What is in a journal but that it was interrupted."""
    entries, _ = read_journal(folder / JOURNAL)
    return [(entry.at_s, entry.kind, entry.data) for entry in entries if entry.kind != "note"]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session to be watched as a film, perhaps cut short."""
    stored = import_bundle(ROOT / "tests" / "recordings" / "dawaj2.krupier", tmp_path_factory.mktemp("film"))
    if LENGTH is not None:
        lines = (stored.path / FRAMES).read_bytes().splitlines(keepends=True)
        (stored.path / FRAMES).write_bytes(b"".join(lines[:LENGTH]))
        os.truncate(stored.path / VIDEO, json.loads(lines[LENGTH])["at"])
    return stored.path


def started(home: Path, *words: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", "from device.cli.app import main; main()", "run", *words]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home), "KRUPIER_THREADS": "1"},
    )


def session_in(home: Path) -> Path | None:
    return next((home / "krupier" / "recordings").glob("*-dawaj2"), None)


def refereed(home: Path, film: Path, kills: Sequence[tuple[int, float]]) -> Path:
    """A film refereed to its end by processes that are killed some seconds after so many entries."""
    first = ("--game", "dawaj2", "--players", ",".join(NAMES), "--camera", str(film), "--rig", str(film / RIG))
    for entries, later_s in kills:
        folder = session_in(home)
        with started(home, *(first if folder is None else ("--resume",))) as child:
            while child.poll() is None and (folder is None or len(said_in(folder)) < entries):
                time.sleep(0.01)
                found = session_in(home)
                folder = found if found is not None and (found / JOURNAL).exists() else None
            time.sleep(later_s)
            child.kill()
    folder = session_in(home)
    assert started(home, *(first if folder is None else ("--resume",))).wait() == 0
    folder = session_in(home)
    assert folder is not None
    return folder


def test_a_film_is_refereed_the_same_however_often_it_is_killed(film: Path, tmp_path: Path) -> None:
    whole = refereed(tmp_path / "whole", film, ())
    wanted = said_in(whole)
    kinds = [kind for _, kind, _ in wanted]
    assert {"table", "ruling", "question"} <= set(kinds)
    assert any("probability" in said for _, _, said in wanted)
    rng = Random(1)
    kills = [(1 + number * len(wanted) // KILLS, rng.random() * 0.4) for number in range(KILLS)]
    killed = refereed(tmp_path / "killed", film, kills)
    notes = [entry for entry in read_journal(killed / JOURNAL)[0] if entry.kind == "note"]
    assert len(notes) >= KILLS - 1, "it was resumed that often"
    assert said_in(killed) == wanted
    stored, again = ([frame.index for frame in SessionFrames(path).frames()] for path in (whole, killed))
    assert set(stored) <= set(again), "the recording has no hole"
    # Whoever resumes knows no frame before, so the first one is stored even if nothing moves in it.
    assert len(again) <= len(stored) + len(notes)
    assert again == sorted(set(again))
    assert (killed / VIDEO).is_file()


class Shown:
    """A source that is a film or a camera, as is wanted."""

    def __init__(self, live: bool, frames: Sequence[Frame] = ()) -> None:
        self.live, self._frames = live, frames

    @property
    def status(self) -> Status:
        return Status(Health.RUNNING, 0.0, 0, "")

    def frames(self) -> Iterator[Frame]:
        yield from self._frames

    def close(self) -> None:
        """Nothing to let go of."""


class Nobody:
    """Nobody says anything."""

    ended = True

    def take(self, timeout_s: float = 0.0) -> str | None:
        return None


def misreading() -> Observer:
    """An eye that takes one card for another."""
    return Observer(SlotEye({"5P1": "7P2"}), ZONES)


def seated(place: SessionFolder, source: Source, record: bool = False) -> SessionRunner:
    own = Settings(data=place.path.parent, history=place.path.parent / "history.sqlite", record=record)
    runner = SessionRunner(
        *(place, WatchedCamera(source, misreading()), own, lambda entry: None, Nobody()),
        *(lambda text, why: None, lambda reading: None, Watchdog({}, 1)),
    )
    runner.begin()
    return runner


def name_card(runner: SessionRunner, table: Table | None) -> None:
    """Somebody says which card was misread."""
    assert table is not None
    wrong = next(card for card in table.cards if card.code == "7P2")
    runner.session.pin(wrong.track, "5P1", "Ala", runner.session.at_s)


def test_a_card_that_was_named_is_named_when_its_film_is_watched_again(tmp_path: Path) -> None:
    frames = tuple(filmed(TABLES))
    whole = begin(tmp_path / "whole", Opening("dawaj2", NAMES))
    runner, last = seated(whole, Shown(False, frames)), None
    for frame in frames:
        seen = runner.session.see(frame)
        last = last if seen is None or seen.table is None else seen.table
        if frame.index == NAMED_AFTER:
            name_card(runner, last)
    whole.close()
    wanted = said_in(whole.path)
    kinds = [kind for _, kind, _ in wanted]
    assert kinds[kinds.index("card") :] == ["card", "table", "table"]
    lines = (whole.path / JOURNAL).read_bytes().splitlines(keepends=True)
    # Before the card was named the frames alone say everything.
    for at in range(kinds.index("card") + 1, len(lines) + 1):
        folder = tmp_path / str(at) / whole.path.name
        shutil.copytree(whole.path, folder, ignore=lambda _, names: {JOURNAL, "checksums.json"} & set(names))
        (folder / JOURNAL).write_bytes(b"".join(lines[:at]))
        seated(resume(folder), Shown(False, frames)).run()
        assert said_in(folder) == wanted, f"cut off after {at} entries"


def test_behind_a_camera_what_still_lies_there_is_what_it_was(tmp_path: Path) -> None:
    frames = tuple(filmed(TABLES))
    place = begin(tmp_path, Opening("dawaj2", NAMES))
    runner, last = seated(place, Shown(True)), None
    for frame in frames[: NAMED_AFTER + 1]:
        seen = runner.session.see(frame)
        last = last if seen is None or seen.table is None else seen.table
    name_card(runner, last)
    place.leave()
    runner = seated(resume(place.path), Shown(True))
    later = runner.session.frame + 100
    tables = []
    for number, frame in enumerate(frames[NAMED_AFTER + 1 :]):
        seen = runner.session.see(Frame(later + number, (later + number) / FPS, frame.image))
        tables += [seen.table] if seen is not None and seen.table is not None else []
    place.leave()
    assert last is not None
    tracks = [card.track for card in last.cards]
    known = [[(card.track, card.code, card.pinned) for card in table.cards] for table in tables]
    assert known[-1][:2] == [(tracks[0], "9G0", False), (tracks[1], "5P1", True)]
    assert known[-1][2][1:] == ("6B3", False)
    assert known[-1][2][0] > max(tracks)
