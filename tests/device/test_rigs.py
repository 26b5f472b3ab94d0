"""Rig files: written whole, and the old one stays when anything fails."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.frames import CalibrationError
from calibration.rig import Rig
from calibration.seats import Seat, SeatFrame
from device.files import OutputError
from device.rigs import load_rig, save_rig
from tests.calibration.test_rig import COLOUR, LENS, RIG, TEXT


def test_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "rig.toml"
    save_rig(path, RIG)
    assert load_rig(path) == RIG
    assert path.stat().st_mode & 0o777 == 0o644
    save_rig(path, Rig())
    assert load_rig(path) == Rig()
    assert [found.name for found in tmp_path.iterdir()] == ["rig.toml"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.toml").symlink_to(tmp_path / "rig.toml")
    save_rig(tmp_path / "link.toml", RIG)
    assert (tmp_path / "link.toml").is_symlink()
    assert load_rig(tmp_path / "rig.toml") == RIG


BAD = [
    replace(RIG, lens=replace(LENS, focal_px=(-1.0, 1.0))),
    replace(RIG, camera="\ud800"),
    replace(RIG, zones=RIG.zones[1:]),
    replace(RIG, colour=replace(COLOUR, error=float("nan"))),
    replace(RIG, seats=(replace(RIG.seats[0], index=3), *RIG.seats[1:])),
    replace(RIG, seats=(Seat(0, RIG.seats[0].zone, SeatFrame(0.0, 0.0, 45.0)), *RIG.seats[1:])),
]


@pytest.mark.parametrize("rig", BAD)
def test_the_old_file_stays_when_a_rig_cannot_be_saved(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "rig.toml"
    save_rig(path, RIG)
    with pytest.raises(CalibrationError):
        save_rig(path, rig)
    assert path.read_text("utf-8") == TEXT
    assert [found.name for found in tmp_path.iterdir()] == ["rig.toml"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_the_old_file_stays_when_the_disk_fails(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "rig.toml"
    save_rig(path, RIG)
    monkeypatch.setattr(os if step == "fsync" else Path, step, full)
    with pytest.raises(OutputError, match="No space left on device"):
        save_rig(path, Rig())
    assert load_rig(path) == RIG
    assert [found.name for found in tmp_path.iterdir()] == ["rig.toml"]


def test_places_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match=r"none.toml: cannot be read: No such file.*krupier calibrate"):
        load_rig(tmp_path / "none.toml")
    with pytest.raises(CalibrationError, match="cannot be read: Is a directory"):
        load_rig(tmp_path)
    with pytest.raises(OutputError, match="cannot be written: No such file"):
        save_rig(tmp_path / "none" / "rig.toml", RIG)
    (tmp_path / "rig.toml").write_bytes(b"version = 1\ncamera = '\xff'\n")
    with pytest.raises(CalibrationError, match=r"rig.toml, line 2: not UTF-8"):
        load_rig(tmp_path / "rig.toml")
    (tmp_path / "rig.toml").write_bytes(b"#" * 5_000_000)
    with pytest.raises(CalibrationError, match="more than 4 MB"):
        load_rig(tmp_path / "rig.toml")
    (tmp_path / "rig.toml").write_bytes(b"\xef\xbb\xbfversion = 1\n")
    assert load_rig(tmp_path / "rig.toml") == Rig()
