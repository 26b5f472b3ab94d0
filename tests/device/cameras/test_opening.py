"""From names to sources: files, recorded sessions, simulated tables."""

import sys
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest

from device.cameras.files import FileSource
from device.cameras.live import LiveSource
from device.cameras.opening import open_source
from device.cameras.simulated import SimulatedCamera, SimulatedFile
from device.cameras.source import Health
from device.lab.simulator.film import Studio
from device.lab.simulator.game import read_simulated_game
from device.sources import SourceError, frames_from
from referee.rules import OpeningError

SMALL = "sim:trio?size=320x180&seed=4&fps=5&difficulty=0.1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(3):
        image = np.full((32, 48, 3), 40 * number, np.uint8)
        image[3, 4] = 200
        assert cv2.imwrite(str(tmp_path / f"{number}.png"), image)
    return tmp_path


def test_a_folder_is_read_whole_and_nothing_is_dropped(folder: Path) -> None:
    source = open_source(str(folder))
    assert not source.live
    assert source.status.health is Health.RUNNING
    frames = list(source.frames())
    assert [(frame.index, frame.at_s, int(frame.image[0, 0, 0])) for frame in frames] == [
        (0, 0.0, 0),
        (1, 1.0, 40),
        (2, 2.0, 80),
    ]
    assert not any(frame.image.flags.writeable for frame in frames)
    assert (source.status.health, source.status.since_s) == (Health.ENDED, 2.0)


def test_a_video_gives_what_its_decoder_gives(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (64, 48))
    for level in (10, 90, 200):
        writer.write(np.full((48, 64, 3), level, np.uint8))
    writer.release()
    frames = list(open_source(str(path)).frames())
    assert [(frame.index, frame.at_s) for frame in frames] == [(0, 0.0), (1, 0.2), (2, 0.4)]
    assert all(
        np.array_equal(one.image, other.image) for one, other in zip(frames, frames_from(str(path)), strict=True)
    )


def test_closing_stops_reading(folder: Path) -> None:
    source = open_source(str(folder))
    seen = []
    for frame in source.frames():
        seen.append(frame.index)
        source.close()
    assert seen == [0]
    assert source.status.message == "closed"
    assert list(source.frames()) == []


def test_a_single_picture_is_a_source(folder: Path) -> None:
    source = open_source(str(folder / "1.png"))
    assert isinstance(source, FileSource)
    assert [frame.index for frame in source.frames()] == [0]


@pytest.mark.parametrize("name", ["session", "session.krupier"])
def test_a_recorded_session_is_played_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    class SessionFrames:
        def __init__(self, folder: Path) -> None:
            self.folder = folder

    playback = ModuleType("device.recording.playback")
    playback.__dict__["SessionFrames"] = SessionFrames
    monkeypatch.setitem(sys.modules, "device.recording.playback", playback)
    path = tmp_path / name
    if path.suffix:
        path.write_bytes(b"bundle")
    else:
        path.mkdir()
        (path / "manifest.json").write_text("{}", "utf-8")
    source = open_source(str(path))
    assert isinstance(source, SessionFrames)
    assert source.folder == path


@pytest.mark.parametrize("name", ["nowhere", "usb:x", "usb:123", "pi2", "usb", ""])
def test_what_is_no_source_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=r"wanted|no pictures"):
        open_source(name)


def test_a_usb_camera_is_not_touched_before_it_is_asked() -> None:
    source = open_source("usb:98")
    assert isinstance(source, LiveSource)
    assert source.live
    source.close()
    assert source.status.health is Health.ENDED


def test_a_simulated_table_by_name() -> None:
    play = read_simulated_game(
        "sim:dawaj2?seed=7&players=4&fps=15&cheat=0.1&difficulty=0.5&size=640x360&rest=0.5&live=0"
    )
    assert (play.game, play.players, play.cheat, play.live) == (
        "dawaj2",
        ("Ala", "Bartek", "Celina", "Darek"),
        0.1,
        False,
    )
    assert play.studio == Studio((640, 360), 15.0, 0.5, 7, 0.5)
    assert read_simulated_game("sim:dawaj2?players=Zosia,Jan").players == ("Zosia", "Jan")
    usual = read_simulated_game("sim:trio")
    assert (usual.studio, usual.live, len(usual.players)) == (Studio(), True, 3)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("sim:bridge", "no game 'bridge'"),
        ("sim:", "no game ''"),
        ("sim:trio?sead=3", "unknown sead"),
        ("sim:trio?rest=0", "rest is '0'; wanted a number from 0.1 to 60"),
        ("sim:trio?seed=x", "seed is 'x'"),
        ("sim:trio?seed=1.5", "whole number"),
        ("sim:trio?seed=1&seed=2", "given twice"),
        ("sim:trio?seed", "cannot be read"),
        ("sim:trio?fps=0", "fps is '0'; wanted a number from 1 to 60"),
        ("sim:trio?fps=nan", "fps is 'nan'"),
        ("sim:trio?difficulty=2", "difficulty is '2'"),
        ("sim:trio?size=321x180", "size '321x180'"),
        ("sim:trio?size=big", "size 'big'"),
        ("sim:trio?live=2", "live is '2'"),
    ],
)
def test_a_simulated_table_that_cannot_be(name: str, says: str) -> None:
    with pytest.raises(SourceError, match=says.replace("?", r"\?")):
        open_source(name)


def test_too_many_players_are_refused() -> None:
    with pytest.raises(OpeningError, match="players"):
        open_source("sim:trio?players=11")


def test_the_same_name_gives_the_same_film_paced_or_not() -> None:
    as_file = open_source(f"{SMALL}&live=0")
    assert isinstance(as_file, SimulatedFile)
    frames = []
    for frame in as_file.frames():
        frames.append(frame)
        if len(frames) == 4:
            as_file.close()
    assert [frame.index for frame in frames] == [0, 1, 2, 3]
    assert [frame.at_s for frame in frames] == pytest.approx([0.0, 0.2, 0.4, 0.6])
    assert as_file.status.health is Health.ENDED

    now_s, slept = [20.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now_s[0] += seconds

    camera = SimulatedCamera(read_simulated_game(SMALL), lambda: now_s[0], sleep)
    pictures = []
    for number in range(4):
        picture = camera.read()
        assert picture is not None
        pictures.append(picture.image)
        # Whoever draws for too long comes late, but does not fall behind for good.
        now_s[0] += 0.3 if number == 1 else 0.05
    assert slept == pytest.approx([0.15, 0.05])
    assert [image.tobytes() for image in pictures] == [frame.image.tobytes() for frame in frames]


def test_a_simulated_table_is_a_live_source() -> None:
    source = open_source(SMALL)
    assert isinstance(source, LiveSource)
    frame = next(source.frames())
    assert frame.image.shape == (180, 320, 3)
    source.close()
    assert source.status.health is Health.ENDED
