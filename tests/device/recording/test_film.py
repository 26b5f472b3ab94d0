"""Recordings: every stored frame comes back with its exact time, and damage costs only what it hits."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import av
import numpy as np
import pytest

from calibration.frames import Frame
from device.cameras.source import Health
from device.recording.film import FRAMES, VIDEO
from device.recording.folder import open_folder, reopen_session
from device.recording.journal import JOURNAL
from device.recording.manifest import MANIFEST, SessionState
from device.recording.parts import SessionError
from device.recording.playback import SessionFrames
from device.recording.recorder import Recorder
from device.recording.repair import repair
from tests.device.recordings import SIZE_PX, film, overwrite, recorded, same

FACES = 70
"""Frames of the recording: two key frames and a bit."""


@dataclass(frozen=True)
class Original:
    """A recording that nothing happened to."""

    path: Path
    frames: list[Frame]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    session = recorded(tmp_path_factory.mktemp("original"), FACES)
    session.finish()
    return Original(session.path, list(SessionFrames(session.path).frames()))


@pytest.fixture
def copy(original: Original, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original.path, tmp_path / original.path.name))


def test_every_frame_comes_back(original: Original) -> None:
    source = SessionFrames(original.path)
    frames = list(source.frames())
    assert len(frames) == FACES
    for frame, wanted in zip(frames, film(FACES), strict=True):
        assert (frame.index, frame.at_s, frame.camera) == (wanted.index, wanted.at_s, wanted.camera)
        assert frame.image.shape == wanted.image.shape
        assert np.abs(frame.image.astype(int) - wanted.image).mean() < 6
        assert not frame.image.flags.writeable
    assert source.losses == ()
    assert not source.live
    assert source.status.health is Health.ENDED
    assert open_folder(original.path).check() == ()
    assert open_folder(original.path).manifest.frames == FACES


def test_two_playbacks_are_the_same_to_the_last_bit(original: Original) -> None:
    again = list(SessionFrames(original.path).frames())
    assert all(same(one, other) for one, other in zip(again, original.frames, strict=True))


def test_the_same_frames_give_the_same_bytes(original: Original, tmp_path: Path) -> None:
    session = recorded(tmp_path, FACES)
    session.let_go()
    for name in (VIDEO, FRAMES, JOURNAL):
        assert (session.path / name).read_bytes() == (original.path / name).read_bytes(), name


def test_lossless_keeps_every_pixel(tmp_path: Path) -> None:
    session = recorded(tmp_path, 8, 1, lossless=True)
    session.finish()
    assert all(same(one, other) for one, other in zip(SessionFrames(session.path).frames(), film(8), strict=True))


def test_a_quiet_table_costs_almost_nothing(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, every_s=5.0, waits=True)
    still = next(film(1))
    for index in range(600):
        recorder.keep(replace(still, index=index, at_s=index / 10), worth=index in (0, 100, 333))
    recorder.close()
    source = SessionFrames(tmp_path)
    assert {frame.index for frame in source.frames()} >= {0, 50, 100, 150, 333}
    assert recorder.counts.stored == len([*source.frames()]) == 13
    assert recorder.counts.quiet == 587
    first, *others = [json.loads(row)["bytes"] for row in (tmp_path / FRAMES).read_text().splitlines()]
    assert max(others) < first / 5


def test_strange_frames_cost_only_themselves(tmp_path: Path) -> None:
    good = list(film(6))
    strange = [
        replace(good[1], image=good[1].image[:, :, 0]),
        replace(good[1], image=good[1].image.astype(np.uint16)),
        replace(good[1], image=np.zeros((0, 0, 3), np.uint8)),
        replace(good[1], image=np.zeros((8, 8, 3), np.uint8)),
        replace(good[1], at_s=float("nan")),
        replace(good[1], at_s=-5.0),
        replace(good[1], at_s=1e300),
    ]
    other = list(film(3, 10, (75, 51)))
    turned = replace(good[5], index=20, at_s=30.0, image=good[5].image[::-1, ::2], camera=(("Gain", float("inf")),))
    recorder = Recorder(tmp_path, waits=True)
    for frame in [*good[:3], *strange, *other, *good[3:], turned]:
        recorder.keep(frame)
    recorder.close()
    assert recorder.counts.refused == len(strange)
    assert "frame 1:" in recorder.refusal
    found = list(SessionFrames(tmp_path).frames())
    wanted = [*good[:3], *other, *good[3:], turned]
    assert [(frame.index, frame.at_s, frame.camera) for frame in found] == [(f.index, f.at_s, f.camera) for f in wanted]
    for frame, meant in zip(found, wanted, strict=True):
        assert frame.image.shape == meant.image.shape
        assert np.abs(frame.image.astype(int) - meant.image).mean() < 8


def test_a_frame_that_is_drawn_on_later_is_stored_as_it_was(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, waits=True, lossless=True)
    for frame in film(5):
        drawn = replace(frame, image=frame.image.copy())
        recorder.keep(drawn)
        drawn.image[:] = 0
    recorder.close()
    assert all(same(one, other) for one, other in zip(SessionFrames(tmp_path).frames(), film(5), strict=True))


def test_a_slow_disk_drops_frames_and_never_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    gate, true_write = Event(), os.pwrite

    def slow(file: int, data: bytes, at: int) -> int:
        assert gate.wait(30)
        return true_write(file, data, at)

    monkeypatch.setattr(os, "pwrite", slow)
    recorder = Recorder(tmp_path)
    for frame in film(60):
        recorder.keep(frame)
    gate.set()
    recorder.close()
    counts = recorder.counts
    assert counts.dropped >= 40
    assert counts.stored + counts.dropped == 60
    assert len(list(SessionFrames(tmp_path).frames())) == counts.stored


def test_one_picture_by_its_number(original: Original) -> None:
    source = SessionFrames(original.path)
    for index in (0, 29, 30, 47, FACES - 1):
        found = source.picture(index)
        assert found is not None
        assert same(found, original.frames[index])
    assert source.picture(FACES) is None


def test_closing_ends_it(original: Original) -> None:
    source = SessionFrames(original.path)
    taken = []
    for frame in source.frames():
        taken.append(frame.index)
        if len(taken) == 3:
            source.close()
    assert taken == [0, 1, 2]
    assert source.status.health is Health.ENDED


def test_others_play_it(original: Original) -> None:
    """libavformat, which nobody here wrote, reads container and pictures."""
    with av.open(str(original.path / VIDEO)) as container:
        assert container.format.name == "matroska,webm"
        assert container.duration == round((original.frames[-1].at_s + 0.001) * 1000) * 1000
        frames = list(container.decode(video=0))
        assert [round(float(frame.time or 0) * 1000) for frame in frames] == [
            round(frame.at_s * 1000) for frame in original.frames
        ]
        container.seek(5_000_000)
        assert 3 < float(next(container.decode(video=0)).time or 0) <= 5


def test_ffprobe_plays_it(original: Original) -> None:
    ffprobe = shutil.which("ffprobe")
    if ffprobe is None:
        pytest.skip("ffprobe is not installed: nobody else has played the video in this run")
    asked = ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,codec_name,width,height"]
    command = [ffprobe, *asked, "-of", "json", str(original.path / VIDEO)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr
    [stream] = json.loads(done.stdout)["streams"]
    assert stream == {"codec_name": "h264", "width": SIZE_PX[0], "height": SIZE_PX[1], "nb_read_frames": str(FACES)}


def places(path: Path) -> list[tuple[int, int, bool]]:
    """Where each frame begins and ends in the video, and whether it is a key frame."""
    rows = [json.loads(row) for row in (path / FRAMES).read_text("utf-8").splitlines()]
    return [(row["at"], row["at"] + row["bytes"], row["key"]) for row in rows]


def shown(path: Path) -> tuple[list[Frame], str]:
    """All frames that can be shown, and everything that is said to be lost."""
    source = SessionFrames(path)
    frames = list(source.frames())
    return frames, "\n".join(str(loss) for loss in (*source.losses, *open_folder(path).check()))


def test_cut_off_at_50_places(original: Original, copy: Path) -> None:
    whole, there = (original.path / VIDEO).read_bytes(), places(original.path)
    chance = random.Random(1)
    for at in (0, there[0][0], there[-1][1], *(chance.randrange(len(whole)) for _ in range(50))):
        overwrite(copy / VIDEO, whole[:at])
        frames, lost = shown(copy)
        left = sum(end <= at for _, end, _ in there)
        assert len(frames) == left
        assert all(same(one, other) for one, other in zip(frames, original.frames, strict=False))
        assert all(f"frame {index} (" in lost for index in range(left, FACES))
        assert f"{at} bytes, wanted {len(whole)}" in lost


def test_bits_flipped_at_50_places(original: Original, copy: Path) -> None:
    whole, there = (original.path / VIDEO).read_bytes(), places(original.path)
    chance = random.Random(2)
    for at in (*range(5), *(chance.randrange(len(whole)) for _ in range(50))):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << chance.randrange(8)
        overwrite(copy / VIDEO, flipped)
        frames, lost = shown(copy)
        hit = next((index for index, (begin, end, _) in enumerate(there) if begin <= at < end), FACES)
        back = next((index for index in range(hit + 1, FACES) if there[index][2]), FACES)
        wanted = [*original.frames[:hit], *original.frames[back:]]
        assert len(frames) == len(wanted), at
        assert all(same(one, other) for one, other in zip(frames, wanted, strict=True))
        assert all(f"frame {index} (" in lost for index in range(hit, back))
        assert f"{VIDEO}, byte 0: its hash is" in lost


def test_damaged_lines_cost_no_frame(original: Original, copy: Path) -> None:
    whole = (original.path / FRAMES).read_bytes()
    chance = random.Random(3)
    for kind in ("cut", "flip", "gone") * 5:
        at = chance.randrange(len(whole))
        flipped = whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
        overwrite(copy / FRAMES, {"cut": whole[:at], "flip": flipped, "gone": b""}[kind])
        frames, lost = shown(copy)
        assert all(same(one, other) for one, other in zip(frames, original.frames, strict=True))
        assert FRAMES in lost
    (copy / FRAMES).unlink()
    frames, lost = shown(copy)
    assert len(frames) == FACES
    assert "is gone; the video tells what was in it" in lost
    (copy / VIDEO).unlink()
    with pytest.raises(SessionError, match=r"no video.mkv in it; it was played without recording"):
        SessionFrames(copy)


def test_damage_is_repaired_as_far_as_it_goes(original: Original, copy: Path) -> None:
    there = places(original.path)
    data = bytearray((copy / VIDEO).read_bytes())
    data[there[40][0] + 60] ^= 1
    overwrite(copy / VIDEO, data[: there[65][0] + 9])
    overwrite(copy / FRAMES, (copy / FRAMES).read_bytes()[:900])
    overwrite(copy / MANIFEST, b"{")
    lost = "\n".join(map(str, repair(copy)))
    assert "frame 41 (4.433 s) cannot be shown: it builds on one that is lost" in lost
    assert "manifest.json" in lost
    manifest = open_folder(copy).manifest
    assert (manifest.state, manifest.frames, manifest.number) == (SessionState.REPAIRED, 64, 1)
    frames, after = shown(copy)
    wanted = [*original.frames[:40], *original.frames[60:65]]
    assert all(same(one, other) for one, other in zip(frames, wanted, strict=True))
    assert "wanted" not in after


@pytest.mark.parametrize("seed", range(8))
def test_after_a_power_cut_it_goes_on(original: Original, copy: Path, seed: int) -> None:
    """What is on the disk then: any beginning of either file, which was written last."""
    chance = random.Random(seed)
    video, rows = (original.path / VIDEO).read_bytes(), (original.path / FRAMES).read_bytes()
    at = chance.randrange(len(video))
    overwrite(copy / VIDEO, video[:at])
    overwrite(copy / FRAMES, rows[: chance.randrange(len(rows))])
    left = sum(end <= at for _, end, _ in places(original.path))
    session = reopen_session(copy)
    recorder = Recorder(copy, waits=True)
    for frame in film(40, 100):
        recorder.keep(frame)
    recorder.close()
    assert not recorder.trouble
    assert session.finish().state is SessionState.CLOSED
    frames = list(SessionFrames(copy).frames())
    assert [frame.index for frame in frames] == [*range(left), *range(100, 140)]
    assert all(same(one, other) for one, other in zip(frames, original.frames[:left], strict=False))
    with av.open(str(copy / VIDEO)) as container:
        assert sum(1 for _ in container.decode(video=0)) == left + 40
    assert open_folder(copy).check() == ()


CHILD = """
import sys
from pathlib import Path
from device.recording.recorder import Recorder
from tests.device.recordings import film
recorder = Recorder(Path(sys.argv[1]), waits=True)
for frame in film(100_000):
    recorder.keep(frame)
    print(frame.index, flush=True)
"""


def lines_of(child: "subprocess.Popen[str]") -> Iterator[int]:
    assert child.stdout is not None
    for line in child.stdout:
        yield int(line)


@pytest.mark.parametrize("after", [13, 47, 133])
def test_killed_while_it_records(tmp_path: Path, after: int) -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as child:
        for index in lines_of(child):
            if index == after:
                break
        child.send_signal(signal.SIGKILL)
    source = SessionFrames(tmp_path)
    frames = list(source.frames())
    # Twelve may wait for the disk, and one is being written.
    assert len(frames) >= after - 13
    assert [frame.index for frame in frames] == list(range(len(frames)))
    assert all(
        not same(one, other) and one.at_s == other.at_s for one, other in zip(frames, film(len(frames)), strict=True)
    )
    recorder = Recorder(tmp_path, waits=True)
    for frame in film(5, 200_000):
        recorder.keep(frame)
    recorder.close()
    again = SessionFrames(tmp_path)
    found = list(again.frames())
    assert again.losses == ()
    assert all(same(one, other) for one, other in zip(found, frames, strict=False))
    assert [frame.index for frame in found[len(frames) :]] == list(range(200_000, 200_005))
