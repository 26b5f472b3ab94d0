"""Recordings: every bundle in tests/recordings is a test. Export a session there and it is one more."""

from pathlib import Path

import pytest

from device.live.lookout import Lookout, outline_of
from device.live.place import rig_of
from device.live.replay import changes, read_recorded, replay
from device.live.words import Words
from device.optician import Optician
from device.recording.bundle import SUFFIX, open_bundle
from referee.texts import load_texts

FOLDER = Path(__file__).parent.parent / "recordings"
BUNDLES = sorted(path.name for path in FOLDER.glob(f"*{SUFFIX}"))


@pytest.fixture(scope="module")
def optician() -> Optician:
    return Optician(threads=1)


def test_there_are_recordings() -> None:
    assert BUNDLES


@pytest.mark.parametrize("name", BUNDLES)
def test_two_runs_give_the_same_log(name: str, optician: Optician) -> None:
    stored = open_bundle(FOLDER / name)
    assert not stored.check()
    recorded = read_recorded(stored)
    game = recorded.game
    assert game is not None
    words = Words(load_texts(game.match.opening.game, "en"), game.match.names)
    rig = rig_of(stored)
    logs, runs = [], []
    for _ in range(2):
        eye = optician.open_eye(rig, game.match.opening.game)
        lookout = Lookout(eye, rig.zones if rig is not None else (), outline_px=outline_of(rig))
        entries, losses = replay(recorded, game, lookout)
        assert not losses
        logs.append("\n".join(words.say(entry).plain for entry in entries))
        runs.append(entries)
    assert logs[0] == logs[1]
    assert runs[0] == runs[1]
    assert not changes(recorded.entries, runs[0], tables=False), "the rulings are what they were"
