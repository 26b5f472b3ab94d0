"""Sessions on disk: manifests, bundles, pruning, and what a full disk does."""

import os
import random
import resource
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from device.files import OutputError
from device.recording.bundle import export_bundle, import_bundle, open_bundle
from device.recording.film import FRAMES, VIDEO
from device.recording.folder import create_session, is_running, journal_of, open_folder, reopen_session, sessions_in
from device.recording.journal import JOURNAL, Journal, JournalEntry, read_journal
from device.recording.manifest import MANIFEST, Manifest, SessionState, manifest_bytes, read_manifest
from device.recording.parts import SessionError
from device.recording.playback import SessionFrames
from device.recording.pruning import Room, SizeError, bytes_from, pin, prune, size_text
from device.recording.recorder import Recorder
from tests.device.recordings import ABOUT, entries, film, overwrite, recorded, same


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    session = recorded(tmp_path_factory.mktemp("original"), 35)
    session.finish()
    return session.path


def test_a_session_from_beginning_to_end(tmp_path: Path) -> None:
    session = recorded(tmp_path / "new", 10, 4)
    assert session.path.name == "00001-dawaj2"
    assert is_running(session.path)
    assert open_folder(session.path).manifest == replace(ABOUT, number=1)
    done = session.finish()
    assert not is_running(session.path)
    stored = open_folder(session.path)
    assert stored.manifest == done
    assert (done.state, done.frames, done.entries) == (SessionState.CLOSED, 10, 4)
    assert done.length_s == pytest.approx(0.9 + 1 / 3)
    assert [file.name for file in done.files] == [VIDEO, FRAMES, JOURNAL, "rig.toml", "deck.toml"]
    assert stored.check() == ()
    assert read_journal(journal_of(stored)) == (tuple(entries(4)), ())
    assert create_session(tmp_path / "new", Manifest()).path.name == "00002-table"
    with pytest.raises(OutputError, match="is there already"):
        create_session(tmp_path, ABOUT, path=session.path)


def test_only_one_process_writes_a_session(tmp_path: Path) -> None:
    session = create_session(tmp_path, ABOUT)
    with pytest.raises(SessionError, match="another process writes it"):
        reopen_session(session.path)
    session.let_go()
    again = reopen_session(session.path)
    assert again.manifest.state is SessionState.OPEN
    again.let_go()
    (tmp_path / "empty").mkdir()
    with pytest.raises(SessionError, match="is no recorded session"):
        reopen_session(tmp_path / "empty")
    with pytest.raises(SessionError, match="no such folder"):
        open_folder(tmp_path / "none")


def test_a_damaged_manifest_is_named_and_costs_nothing_else(original: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(original, tmp_path / original.name))
    whole = (copy / MANIFEST).read_bytes()
    chance = random.Random(4)
    for _ in range(50):
        at = chance.randrange(len(whole) - 1)
        flipped = whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
        overwrite(copy / MANIFEST, chance.choice((flipped, whole[:at])))
        stored = open_folder(copy)
        assert stored.losses[0].file == MANIFEST
        assert stored.manifest.number == 1
    assert len(list(SessionFrames(copy).frames())) == 35


BAD = [
    (b"[]", "is no manifest"),
    (b"\xff", "is no manifest, or damaged"),
    (b"[" * 100_000, "is no manifest"),
    (b'{"version": 2}', "version 2; this Krupier reads version 1"),
    (b'{"version": 1}', "its seal is None"),
    (manifest_bytes(ABOUT).replace(b"dawaj2", b"dawaj3"), "damaged or was changed"),
    (manifest_bytes(replace(ABOUT, number="x")), "found 'x', wanted int"),  # type: ignore[arg-type]
    (manifest_bytes(replace(ABOUT, names=(3,))), "found 3, wanted str"),  # type: ignore[arg-type]
    (manifest_bytes(replace(ABOUT, pinned=1)), "found 1, wanted bool"),  # type: ignore[arg-type]
    (manifest_bytes(replace(ABOUT, state="odd")), "'odd' is not a valid SessionState"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("data", "message"), BAD)
def test_bad_manifests_are_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(SessionError, match=message):
        read_manifest(data, MANIFEST)
    assert read_manifest(manifest_bytes(ABOUT), MANIFEST) == ABOUT


def test_a_bundle_is_the_session_and_always_the_same_bytes(original: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "game.krupier"
    size = export_bundle(original, bundle)
    assert size == bundle.stat().st_size
    assert open_bundle(bundle).check() == ()
    inside, outside = SessionFrames(bundle), SessionFrames(original)
    assert all(same(one, other) for one, other in zip(inside.frames(), outside.frames(), strict=True))
    assert inside.losses == ()
    assert read_journal(journal_of(inside.stored)) == (tuple(entries(20)), ())
    recorded(tmp_path / "root", 1, 1).finish()
    stored = import_bundle(bundle, tmp_path / "root")
    assert stored.path == tmp_path / "root" / "game"
    assert stored.manifest.number == 2
    for name, _ in stored.parts:
        assert (stored.path / name).read_bytes() == (original / name).read_bytes(), name
    export_bundle(stored.path, tmp_path / "again.krupier")
    assert (tmp_path / "again.krupier").read_bytes() == bundle.read_bytes()
    with pytest.raises(OutputError, match="is there already"):
        import_bundle(bundle, tmp_path / "root")
    with pytest.raises(SessionError, match=r"name '\.\./x'; wanted letters"):
        import_bundle(bundle, tmp_path / "root", "../x")
    with pytest.raises(OutputError, match=r"ends in \.krupier"):
        export_bundle(original, tmp_path / "game.zip")
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_session_that_was_cut_off_can_be_exported(tmp_path: Path) -> None:
    session = recorded(tmp_path, 3, 2)
    with pytest.raises(SessionError, match="is being recorded"):
        export_bundle(session.path, tmp_path / "x.krupier")
    session.let_go()
    export_bundle(session.path, tmp_path / "x.krupier")
    stored = open_bundle(tmp_path / "x.krupier")
    assert stored.manifest.state is SessionState.OPEN
    assert stored.check() == ()
    assert len(list(SessionFrames(stored).frames())) == 3


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def hostile() -> Iterator[tuple[list[tuple[zipfile.ZipInfo, bytes]], int, str]]:
    good = (entry(MANIFEST), manifest_bytes(ABOUT))
    for name in ("../rig.toml", "/etc/passwd", "a/rig.toml", "..", "C:\\rig.toml", "rig.toml\n", ".ssh", "video.mkv/"):
        yield [good, (entry(name), b"x")], zipfile.ZIP_STORED, "in it; wanted only manifest.json"
    yield [good, (entry("rig.toml", stat.S_IFLNK | 0o777), b"/etc/passwd")], zipfile.ZIP_STORED, "is a link or no file"
    yield [good, (entry("rig.toml", stat.S_IFDIR | 0o755), b"")], zipfile.ZIP_STORED, "is a link or no file"
    yield [good, (entry("rig.toml"), bytes(1_000_000))], zipfile.ZIP_DEFLATED, "is packed or locked"
    yield [good, *((entry(f"{n}.txt"), b"") for n in range(9))], zipfile.ZIP_STORED, "10 files in it; wanted at most 6"
    yield [good, (entry("rig.toml"), b"x")], zipfile.ZIP_STORED, "other files than its manifest lists: rig.toml"
    yield [(entry("rig.toml"), b"x")], zipfile.ZIP_STORED, r"no manifest.json in it"
    newer = manifest_bytes(ABOUT).replace(b'"version": 1', b'"version": 9')
    yield [(entry(MANIFEST), newer)], zipfile.ZIP_STORED, "version 9; this Krupier reads version 1"
    yield [(entry(MANIFEST), b" " * 5_000_000)], zipfile.ZIP_STORED, "5000000 bytes; wanted at most 4000000"


@pytest.mark.parametrize(("files", "packing", "message"), list(hostile()))
def test_hostile_bundles_are_refused_by_name(
    files: list[tuple[zipfile.ZipInfo, bytes]], packing: int, message: str, tmp_path: Path
) -> None:
    path, root = tmp_path / "bad.krupier", tmp_path / "root"
    root.mkdir()
    with zipfile.ZipFile(path, "w") as bundle:
        for info, data in files:
            bundle.writestr(info, data, packing)
    with pytest.raises(SessionError, match=message):
        import_bundle(path, root)
    assert list(root.iterdir()) == []
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.krupier", "root"]


def test_a_name_twice_and_a_bundle_too_large(original: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.krupier"
    with zipfile.ZipFile(path, "w") as bundle:
        bundle.writestr(entry(MANIFEST), b"x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            bundle.writestr(entry(MANIFEST), b"y")
    with pytest.raises(SessionError, match=r"manifest.json twice"):
        open_bundle(path)
    export_bundle(original, tmp_path / "large.krupier")
    with pytest.raises(SessionError, match="wanted at most 100"):
        open_bundle(tmp_path / "large.krupier", 100)


def test_damaged_bundles_never_come_in(original: Path, tmp_path: Path) -> None:
    path, root = tmp_path / "game.krupier", tmp_path / "root"
    root.mkdir()
    export_bundle(original, path)
    whole = path.read_bytes()
    wanted = {name: (original / name).read_bytes() for name, _ in open_folder(original).parts}
    chance = random.Random(5)
    came = named = 0
    for turn in range(60):
        at = chance.randrange(len(whole))
        flipped = whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
        overwrite(path, whole[:at] if turn % 2 else flipped)
        try:
            stored = import_bundle(path, root, f"try{turn}")
        except SessionError as error:
            named += str(path) in str(error)
            continue
        # A bit that means nothing, as a date: then everything is there.
        came += 1
        assert {name: (stored.path / name).read_bytes() for name, _ in stored.parts} == wanted
    assert came <= 3
    assert came + named == 60
    assert len(list(root.iterdir())) == came


def test_the_oldest_videos_go_first(tmp_path: Path) -> None:
    sessions = [recorded(tmp_path, 6, 2) for _ in range(5)]
    for session in sessions[:4]:
        session.finish()
    stored = sessions_in(tmp_path)
    assert [one.manifest.number for one in stored] == [1, 2, 3, 4, 5]
    pin(stored[1], True)
    size = sum(one.size for one in sessions_in(tmp_path))
    assert prune(tmp_path, size) == ()
    would = prune(tmp_path, size - 1, try_only=True)
    assert [one.path.name for one in would] == ["00001-dawaj2"]
    assert (stored[0].path / VIDEO).exists()
    gone = prune(tmp_path, 0)
    assert [one.path.name for one in gone] == ["00001-dawaj2", "00003-dawaj2", "00004-dawaj2"]
    left = sessions_in(tmp_path)
    assert sum(one.size for one in left) == size - sum(one.freed for one in gone)
    assert [one.part(VIDEO) is not None for one in left] == [False, True, False, False, True]
    assert all(one.check() == () for one in left)
    assert read_journal(journal_of(left[0])) == (tuple(entries(2)), ())
    with pytest.raises(SessionError, match="it was pruned to make room"):
        SessionFrames(left[0])
    assert "all others are pinned or pruned already" in Room(tmp_path, 1)()
    assert Room(tmp_path, size, 0)() == ""
    assert "the disk is full" in Room(tmp_path, None, 1 << 60)()
    sessions[4].let_go()


def test_a_limit_stops_the_recording_and_says_so(tmp_path: Path) -> None:
    recorded(tmp_path, 5, 1).finish()
    pin(sessions_in(tmp_path)[0], True)
    session = create_session(tmp_path, ABOUT)
    recorder = Recorder(session.path, waits=True, room=Room(tmp_path, 1000, 0))
    for frame in film(30):
        recorder.keep(frame)
    recorder.close()
    assert "recording has stopped, the game goes on: recordings take" in recorder.trouble
    session.finish()
    assert session.manifest.frames == 0


def fills_up(folder: Path) -> None:
    """Record until nothing more goes in: what is stored stays whole, and the game goes on."""
    session = create_session(folder, ABOUT)
    journal = Journal(session.path / JOURNAL)
    journal.note(JournalEntry(0, 0.0, "opening", {}))
    recorder = Recorder(session.path, waits=True)
    for frame in film(2000, size_px=(192, 128)):
        recorder.keep(frame)
        if recorder.trouble:
            break
    recorder.keep(next(film(1, 5000)))
    recorder.close()
    assert "recording has stopped, the game goes on" in recorder.trouble
    journal.close()
    session.let_go()
    source = SessionFrames(session.path)
    frames = list(source.frames())
    assert len(frames) >= recorder.counts.stored > 5
    assert [frame.index for frame in frames] == list(range(len(frames)))
    assert source.losses == ()
    assert len(read_journal(session.path / JOURNAL)[0]) == 1


def test_a_full_disk_stops_recording_only(tmp_path: Path) -> None:
    mount = shutil.which("mount")
    small = tmp_path / "small"
    small.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=256k", "none", str(small)]
    if mount is None or os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no small tmpfs can be mounted here: only a file limit was tried, not a full disk")
    try:
        fills_up(small)
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_file_limit_stops_recording_only(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
    try:
        fills_up(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_folder_that_cannot_be_written_stops_recording_only(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "none")
    recorder.keep(next(film(1)))
    recorder.close()
    assert "cannot be written: No such file" in recorder.trouble


def test_sizes_as_people_write_them() -> None:
    written = {"20GB": 20 * 10**9, "500 mb": 5 * 10**8, "1.5G": 15 * 10**8, "1000": 1000, "7 kB": 7000, "3b": 3}
    assert {text: bytes_from(text) for text in written} == written
    for text in ("", "GB", "-1GB", "1e9", "20 GiB", "nan"):
        with pytest.raises(SizeError, match="as 20GB"):
            bytes_from(text)
    assert [size_text(size) for size in (5, 1500, 2_500_000, 31e9)] == ["5 B", "1.5 kB", "2.5 MB", "31.0 GB"]
