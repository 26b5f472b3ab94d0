"""`krupier record` and `krupier session`."""

import json
from pathlib import Path

import cv2
import pytest
import typer
from typer.testing import CliRunner, Result

from device.cli.record import record
from device.cli.session import session
from device.recording.film import VIDEO
from device.recording.folder import open_folder
from device.recording.playback import SessionFrames
from tests.device.recordings import film, overwrite, recorded

app = typer.Typer()
app.command()(record)
app.add_typer(session, name="session")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "recordings"


def krupier(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_record_a_folder_of_pictures_and_show_it(root: Path, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for frame in film(4, size_px=(320, 240)):
        cv2.imwrite(str(pictures / f"{frame.index}.png"), frame.image)
    done = krupier("record", "--camera", pictures, "--recordings", root, "--all-frames", "--lossless")
    assert done.exit_code == 0, done.output
    assert "4 frames stored, 0 quiet, 0 dropped, 0 refused" in done.output
    [found] = json.loads(krupier("session", "list", "--recordings", root, "--json").stdout)
    assert (found["name"], found["frames"], found["camera"]) == ("00001-table", 4, str(pictures))
    assert [frame.index for frame in SessionFrames(root / "00001-table").frames()] == [0, 1, 2, 3]
    done = krupier("record", "--camera", pictures, "--out", tmp_path / "own", "--seconds", 2)
    assert done.exit_code == 0, done.output
    assert open_folder(tmp_path / "own").manifest.frames == 2
    again = krupier("record", "--camera", pictures, "--out", tmp_path / "own")
    assert again.exit_code == 2
    assert "is there already" in again.stderr


def test_list_show_pin_prune_repair(root: Path) -> None:
    assert "nothing is recorded yet" in krupier("session", "list", "--recordings", root).stdout
    for _ in range(2):
        recorded(root, 5, 4).finish()
    recorded(root, 5, 4).let_go()
    listed = krupier("session", "list", "--recordings", root).stdout
    assert "00002-dawaj2" in listed
    assert "Ala, Żaneta" in listed
    assert "cut off" in listed
    shown = krupier("session", "show", "2", "--recordings", root, "--check")
    assert shown.exit_code == 0, shown.output
    assert "1 input, 1 opening, 1 ruling, 1 table" in shown.stdout
    assert krupier("session", "pin", "1", "--recordings", root).exit_code == 0
    gone = krupier("session", "prune", "--limit", "1kB", "--dry-run", "--recordings", root).stdout
    assert "00002-dawaj2" in gone
    assert "00001-dawaj2" not in gone
    assert krupier("session", "prune", "--limit", "1kB", "--recordings", root).exit_code == 0
    assert [(root / f"0000{number}-dawaj2" / VIDEO).exists() for number in (1, 2, 3)] == [True, False, False]
    assert krupier("session", "repair", "00003-dawaj2", "--recordings", root).exit_code == 0
    states = [one["state"] for one in json.loads(krupier("session", "list", "--recordings", root, "--json").stdout)]
    assert states == ["pinned", "video pruned", "repaired, video pruned"]


def test_export_import_and_what_is_refused(root: Path, tmp_path: Path) -> None:
    recorded(root, 5, 4).finish()
    bundle = tmp_path / "game.krupier"
    assert krupier("session", "export", "1", "-o", bundle, "--recordings", root).exit_code == 0
    assert krupier("session", "show", bundle, "--recordings", root, "--check").exit_code == 0
    done = krupier("session", "import", bundle, "--as", "copy", "--recordings", root)
    assert "5 frames, 4 entries" in done.stdout
    assert krupier("session", "pin", bundle, "--recordings", root).exit_code == 2
    data = bytearray(bundle.read_bytes())
    data[len(data) // 3] ^= 1
    overwrite(bundle, bytes(data))
    bad = krupier("session", "import", bundle, "--recordings", root)
    assert bad.exit_code == 2
    assert "is damaged: video.mkv" in bad.stderr
    shown = krupier("session", "show", bundle, "--check", "--json", "--recordings", root)
    assert shown.exit_code == 1
    assert json.loads(shown.stdout)["losses"][0]["file"] == VIDEO
    none = krupier("session", "show", "77", "--recordings", root)
    assert none.exit_code == 2
    assert "no such session" in none.stderr
