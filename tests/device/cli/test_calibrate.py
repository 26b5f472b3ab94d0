"""Calibration at the command line, from pictures to a rig file and a page."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from device.cli.app import app
from device.lab.simulator.film import Film, Studio
from device.rigs import load_rig
from models.art.paper import Paper
from models.art.picture import rasterise
from models.art.rig import print_colour_strip
from models.cards import own_deck
from models.synth.scene import Image
from tests.referee.games_played import bot_game


def krupier(*words: str) -> Result:
    return CliRunner().invoke(app, ["calibrate", *words], env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def table_picture() -> Image:
    """A table laid for Trio, seen through a perfect lens."""
    played = bot_game("trio", 0)
    film = Film(played.record, own_deck("trio"), Studio((1640, 1232), difficulty=0.0, seed=2))
    return next(film.shots()).image


@pytest.fixture
def rig(tmp_path: Path, table_picture: Image) -> Path:
    """A rig file with a table in it, and the picture beside it."""
    cv2.imwrite(str(tmp_path / "table.png"), table_picture)
    path = tmp_path / "rig.toml"
    result = krupier("table", str(tmp_path / "table.png"), "--rig", str(path))
    assert result.exit_code == 0, result.output
    return path


def test_table_seats_check_and_report(rig: Path, tmp_path: Path) -> None:
    table = load_rig(rig).table
    assert table is not None
    assert table.error_mm < 1.5
    assert table.size_mm == pytest.approx((586, 796), rel=0.01), "the markers lie 31 mm from the edge"
    result = krupier("seats", "trio", "--players", "3", "--rig", str(rig))
    assert result.exit_code == 0, result.output
    assert [seat.zone.name for seat in load_rig(rig).seats] == ["P1", "P2", "P3"]
    checked = krupier("check", str(tmp_path / "table.png"), "--rig", str(rig))
    assert checked.exit_code == 1, "lens and colour are not calibrated"
    assert "drift" in checked.stdout
    assert "ok: 0.0 mm" in checked.stdout
    assert "krupier calibrate lens" in checked.stdout
    reported = krupier("report", str(tmp_path / "table.png"), "--rig", str(rig), "-o", str(tmp_path / "report.html"))
    assert reported.exit_code == 0, reported.output
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count("data:image/jpeg") == 4
    assert "http" not in page


def test_a_bumped_rig_is_noticed(rig: Path, tmp_path: Path, table_picture: Image) -> None:
    scale = 4.0
    moved = cv2.warpAffine(table_picture, np.array([[1, 0, scale * 3], [0, 1, scale * 2]], float), (1640, 1232))
    cv2.imwrite(str(tmp_path / "moved.png"), moved)
    checked = krupier("check", str(tmp_path / "moved.png"), "--rig", str(rig))
    assert checked.exit_code == 1
    assert "recalibrate:" in checked.stdout


def test_corners_by_hand(tmp_path: Path, table_picture: Image) -> None:
    cv2.imwrite(str(tmp_path / "table.png"), table_picture)
    path, picture = tmp_path / "rig.toml", str(tmp_path / "table.png")
    corners = "300,100 1300,110 1310,1100 310,1090"
    assert krupier("table", picture, "--rig", str(path), "--corners", corners).exit_code == 2
    assert not path.exists()
    result = krupier("table", picture, "--rig", str(path), "--corners", corners, "--size", "600x600")
    assert result.exit_code == 0, result.output
    table = load_rig(path).table
    assert table is not None
    assert table.size_mm == (600, 600)


def test_colours_from_the_strip(rig: Path, tmp_path: Path, table_picture: Image) -> None:
    page = rasterise(print_colour_strip(Paper.A4), 2.5)
    rows, columns = np.nonzero(page.min(2) < 250)
    strip = page[rows.min() : rows.max(), columns.min() : columns.max()]
    picture = table_picture.copy()
    picture[300 : 300 + strip.shape[0], 100 : 100 + strip.shape[1]] = strip
    cv2.imwrite(str(tmp_path / "strip.png"), picture)
    result = krupier("colour", str(tmp_path / "strip.png"), "--rig", str(rig))
    assert result.exit_code == 0, result.output
    colour = load_rig(rig).colour
    assert colour.error < 2
    assert load_rig(rig).table is not None, "the table stays"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("table", "nowhere.png"), "no such camera, file or folder"),
        (("table",), "wanted either a file or --camera"),
        (("table", "blank.png"), "marker"),
        (("table", "broken.png"), "is no picture"),
        (("table", "blank.png", "--size", "big"), "wanted WIDTHxHEIGHT in mm"),
        (("table", "blank.png", "--mat"), "the mat needs its size"),
        (("lens", "blank.png"), "board"),
        (("lens", "blank.png", "--board", "go:19x19"), "wanted charuco:"),
        (("lens", "empty"), "no pictures in it"),
        (("lens", "broken.mp4"), "is no video"),
        (("lens", "--camera", "usb:77"), "no camera there"),
        (("colour", "blank.png"), "strip"),
        (("seats", "dnp", "--players", "2"), "cannot be read"),
        (("check",), "cannot be read"),
        (("report", "blank.png", "-o", "x.html"), "cannot be read"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_and_nothing_is_written(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("blank.png", np.full((480, 640, 3), 90, np.uint8))
    Path("broken.png").write_bytes(b"\x89PNG broken")
    Path("broken.mp4").write_bytes(b"not a film")
    Path("empty").mkdir()
    before = sorted(tmp_path.rglob("*"))
    result = krupier(*words)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_refused_calibration_leaves_the_old_one(rig: Path, tmp_path: Path) -> None:
    before = rig.read_bytes()
    cv2.imwrite(str(tmp_path / "blank.png"), np.full((1232, 1640, 3), 90, np.uint8))
    for command in ("table", "colour", "lens"):
        assert krupier(command, str(tmp_path / "blank.png"), "--rig", str(rig)).exit_code == 2
    assert rig.read_bytes() == before


def test_a_small_table_is_refused_with_numbers(rig: Path) -> None:
    result = krupier("seats", "lucky_box", "--players", "12", "--rig", str(rig))
    assert result.exit_code == 2
    assert "lucky_box with 12 needs" in result.stderr
