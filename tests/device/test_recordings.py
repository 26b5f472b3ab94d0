"""Recordings: every bundle in tests/recordings is a test. Export a session there and it is one more."""

from pathlib import Path

import pytest

from device.eyes import EyeFactory
from device.lab.rehearsal.rehearsal import judged
from device.lab.rehearsal.result import Result
from device.recording.bundle import SUFFIX, open_bundle
from device.recording.journal import JournalEntry
from device.session.events import lines_of
from device.session.folder import rig_of
from device.session.game import Game, refold
from device.session.observer import build_observer
from device.session.replay import changes, read_recorded, replay
from device.session.words import EntryText
from referee.record import read_record
from referee.rules import games
from referee.texts import load_texts
from referee.verdicts import Ruling

FOLDER = Path(__file__).parent.parent / "recordings"
BUNDLES = sorted(path.name for path in FOLDER.glob(f"*{SUFFIX}"))
TRUTHS = sorted(path.stem for path in FOLDER.glob("*.txt"))
MOST_BYTES, MOST_BYTES_IN_ALL = 4_000_000, 25_000_000


@pytest.fixture(scope="module")
def eye_factory() -> EyeFactory:
    return EyeFactory(threads=1)


def replayed(name: str, eye_factory: EyeFactory) -> tuple[Game, tuple[JournalEntry, ...]]:
    """A recording through today's eye and rules; nothing of it is lost, and all its rulings are what they were."""
    stored = open_bundle(FOLDER / name)
    assert not stored.check()
    recorded = read_recorded(stored)
    game, rig = recorded.game, rig_of(stored)
    assert game is not None
    played = game.match.opening.game
    eye = eye_factory.open_eye(rig, played)
    observer = build_observer(eye, rig, played)
    entries, losses = replay(recorded, game, observer)
    assert not losses
    assert not changes(recorded.entries, entries, tables=False), "the rulings are what they were"
    return refold(game, lines_of(entries))[0], entries


def test_there_is_a_recording_of_every_game() -> None:
    assert set(TRUTHS) >= set(games())
    assert {f"{name}{SUFFIX}" for name in TRUTHS} <= set(BUNDLES)


def test_recordings_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert {name for name, size in sizes.items() if size > MOST_BYTES} == set()
    assert sum(sizes.values()) <= MOST_BYTES_IN_ALL


@pytest.mark.parametrize("name", sorted(set(BUNDLES) - {f"{name}{SUFFIX}" for name in TRUTHS}))
def test_two_runs_give_the_same_log(name: str, eye_factory: EyeFactory) -> None:
    logs, runs = [], []
    for _ in range(2):
        game, entries = replayed(name, eye_factory)
        words = EntryText(load_texts(game.match.opening.game, "en"), game.match.names)
        logs.append("\n".join(words.say(entry).plain for entry in entries))
        runs.append(entries)
    assert logs[0] == logs[1]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("name", TRUTHS)
def test_what_was_played_is_told_and_who_cheats_is_flagged(name: str, eye_factory: EyeFactory) -> None:
    game, _ = replayed(f"{name}{SUFFIX}", eye_factory)
    record = read_record((FOLDER / f"{name}.txt").read_text("utf-8"), game.match.rules, name)
    result = Result(judged(record, game.match.rules), game.match, 0, 0)
    assert (result.missing, result.extra) == ({}, {})
    assert result.right
    assert [verdict.ruling for verdict in game.match.verdicts].count(Ruling.ILLEGAL) == result.cheats == 1
