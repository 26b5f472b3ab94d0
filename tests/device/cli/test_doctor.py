"""The doctor: what is well, what is not, and that every fault comes with a way to mend it."""

import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import NamedTuple

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from calibration.colour import Colour
from calibration.frames import Frame, Image
from calibration.rig import Rig
from device.cameras.source import Health, Status
from device.cli.doctor import doctor, watch
from device.doctor import (
    CheckResult,
    CheckState,
    check_clock,
    check_disk,
    check_frames,
    check_heat,
    check_history,
    check_port,
    check_python,
    check_rig,
    flicker_of,
    run_time_libraries,
)
from device.heat import Heat, read_heat, run_quietly
from device.rigs import save_rig
from device.sources import SourceError
from device.store import GameHistory
from tests.calibration.test_rig import RIG
from tests.device.test_store import a_game
from vision.look.network import ModelError


def states(findings: list[CheckResult]) -> dict[str, CheckState]:
    """How everything is; of two findings about one thing the last."""
    for one in findings:
        assert one.mend or one.state in (CheckState.WELL, CheckState.UNKNOWN) or one.what == "light", one
        assert one.says
    return {one.what: one.state for one in findings}


def table(level: int = 90, size: tuple[int, int] = (640, 480)) -> Image:
    """A table with a few bright cards on it."""
    image = np.full((size[1], size[0], 3), level, np.uint8)
    for x in range(60, size[0] - 80, 120):
        image[100:190, x : x + 62] = 230
        image[120:170, x + 10 : x + 50] = (40, 40, 200)
    return image


def film(*images: Image) -> list[Frame]:
    return [Frame(index, index / 10, image) for index, image in enumerate(images)]


def test_python_and_libraries() -> None:
    assert "numpy" in run_time_libraries()
    assert "pytest" not in run_time_libraries()
    assert states(list(check_python(run_time_libraries()))) == {"python": CheckState.WELL, "libraries": CheckState.WELL}
    assert states(list(check_python(()))) == {"python": CheckState.WELL, "libraries": CheckState.UNKNOWN}
    assert states(list(check_python(("no-such-library",), (3, 10)))) == {
        "python": CheckState.BAD,
        "libraries": CheckState.BAD,
    }


def test_a_whole_rig_is_well(tmp_path: Path) -> None:
    save_rig(tmp_path / "rig.toml", RIG)
    findings, rig = check_rig(tmp_path / "rig.toml", datetime.now(UTC))
    assert states(findings) == {"rig": CheckState.WELL}
    assert rig == RIG


@pytest.mark.parametrize(
    ("rig", "state", "says"),
    [
        (replace(RIG, table=None), CheckState.BAD, "no table"),
        (replace(RIG, seats=(), zones=()), CheckState.BAD, "no seats"),
        (replace(RIG, colour=Colour()), CheckState.ODD, "colour of the light is not known"),
        (replace(RIG, lens=None), CheckState.ODD, "lens is not known"),
    ],
)
def test_what_a_rig_lacks_is_named(tmp_path: Path, rig: Rig, state: CheckState, says: str) -> None:
    save_rig(tmp_path / "rig.toml", rig)
    findings, _ = check_rig(tmp_path / "rig.toml", datetime.now(UTC))
    assert [(one.what, one.state) for one in findings] == [("rig", state)]
    assert says in findings[0].says
    assert "krupier calibrate" in findings[0].mend


def test_a_rig_that_is_old_missing_or_broken(tmp_path: Path) -> None:
    path = tmp_path / "rig.toml"
    assert states(check_rig(path, datetime.now(UTC))[0]) == {"rig": CheckState.BAD}
    save_rig(path, RIG)
    later = datetime.now(UTC) + timedelta(days=400)
    assert states(check_rig(path, later)[0]) == {"rig": CheckState.ODD}
    path.write_text("version = 99")
    assert states(check_rig(path, later)[0]) == {"rig": CheckState.BAD}


def test_good_pictures() -> None:
    frames = [replace(frame, camera=(("exposure_us", 10_000.0), ("gain", 2.0))) for frame in film(*[table()] * 5)]
    findings = list(check_frames(frames, None, "usb:0"))
    assert states(findings) == {"camera": CheckState.WELL, "light": CheckState.WELL}
    assert findings[0].says == "usb:0: 5 pictures of 640x480 (10.0 ms, gain 2.0)"


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (np.zeros((480, 640, 3), np.uint8), "too dim"),
        (np.full((480, 640, 3), 128, np.uint8), "hardly any contrast"),
        (np.full((480, 640, 3), 255, np.uint8), "burnt out"),
    ],
)
def test_bad_light_is_named(image: Image, says: str) -> None:
    findings = list(check_frames(film(image), None, "usb:0"))
    assert says in " ".join(one.says for one in findings if one.state is CheckState.ODD)


def test_flicker_is_seen_and_a_hand_is_none() -> None:
    steady = film(*[table()] * 12)
    assert flicker_of(steady) == 0
    pulsing = film(*(np.asarray(table() * (1 - 0.05 * (n % 2)), np.uint8) for n in range(12)))
    assert flicker_of(pulsing) > 0.015
    rows = np.arange(480)[:, None, None]
    banded = film(*(np.asarray(table() * (1 + 0.06 * np.sin(rows / 40 + n)), np.uint8) for n in range(12)))
    assert flicker_of(banded) > 0.015
    assert "flickers" in " ".join(one.says for one in check_frames(banded, None, "usb:0"))
    moved = [table() for _ in range(12)]
    for number, image in enumerate(moved):
        image[:, 20 * number : 20 * number + 120] = (120, 150, 200)
    assert flicker_of(film(*moved)) < 0.015
    rng = np.random.default_rng(1)
    noisy = film(*(np.asarray(np.clip(table() + rng.normal(0, 6, (480, 640, 3)), 0, 255), np.uint8) for _ in range(12)))
    assert flicker_of(noisy) < 0.01
    assert flicker_of(film(table(), table(size=(320, 240)), table())) == 0


def test_pictures_of_another_size_than_the_rigs() -> None:
    findings = list(check_frames(film(table()), RIG, "usb:0"))
    assert states(findings)["drift"] is CheckState.BAD
    assert "settings set size 1640x1232" in next(one.mend for one in findings if one.what == "drift")


def test_a_camera_that_looks_elsewhere() -> None:
    findings = list(check_frames(film(table(size=(1640, 1232))), RIG, "usb:0"))
    assert states(findings)["drift"] is CheckState.ODD


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.mark.parametrize(("free_gb", "state"), [(50.0, CheckState.WELL), (1.5, CheckState.ODD), (0.5, CheckState.BAD)])
def test_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_gb: float, state: CheckState) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**12, 0, int(free_gb * 1e9)))
    found = check_disk(tmp_path / "not" / "there" / "yet", 4, (1280, 720), 10, 1.0)
    assert found.state is state
    assert not (tmp_path / "not").exists(), "looking makes nothing"
    assert states([found])


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = check_disk(tmp_path / "file" / "recordings", 4, (1280, 720), 10, 1.0)
    assert found.state is CheckState.BAD
    assert "cannot be written to" in found.says


def test_the_history(tmp_path: Path) -> None:
    path = tmp_path / "h"
    assert check_history(path).says.endswith("0 games")
    GameHistory(path).keep(a_game())
    assert check_history(path) == CheckResult("history", CheckState.WELL, f"{path}: 1 games")
    path.write_text("broken")
    assert check_history(path).state is CheckState.BAD


def test_ports() -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
        door.listen()
        taken = check_port("127.0.0.1", port)
    assert taken.state is CheckState.BAD
    assert "another port" in taken.mend
    assert check_port("127.0.0.1", port).state is CheckState.WELL
    assert check_port("192.0.2.1", port).state is CheckState.BAD, "an address that is not ours"


@pytest.mark.parametrize(
    ("clocks", "synchronised", "state"),
    [
        (((5.0, 1.8e9), (5.2, 1.8e9 + 0.2)), "yes", CheckState.WELL),
        (((5.0, 1.8e9), (5.2, 1.8e9 + 0.2)), None, CheckState.WELL),
        (((5.0, 1.8e9), (5.2, 1.8e9 + 0.2)), "no", CheckState.ODD),
        (((5.0, 1.8e9), (5.2, 1.8e9 + 3600.2)), "yes", CheckState.ODD),
        (((5.0, 1.8e9), (5.2, 1.8e9 - 60.0)), "yes", CheckState.ODD),
        (((5.0, 1e6), (5.2, 1e6 + 0.2)), "yes", CheckState.ODD),
        (((5.0, 1.8e9), (5.0, 1.8e9 + 0.2)), "yes", CheckState.BAD),
    ],
)
def test_clocks(clocks: tuple[tuple[float, float], ...], synchronised: str | None, state: CheckState) -> None:
    told = iter(clocks)
    found = check_clock(lambda: next(told), lambda _: None, lambda _: synchronised)
    assert found.state is state
    assert states([found])


@pytest.mark.parametrize(
    ("heat", "state", "says"),
    [
        (Heat(None, None), CheckState.UNKNOWN, "not known"),
        (Heat(48.2, None), CheckState.WELL, "48 °C"),
        (Heat(48.2, 0), CheckState.WELL, "48 °C"),
        (Heat(72.0, 0), CheckState.ODD, "wanted less than 70"),
        (Heat(85.0, None), CheckState.BAD, "85 °C"),
        (Heat(60.0, 0x50000), CheckState.ODD, "since it was switched on: supply voltage too low, throttled"),
        (Heat(60.0, 0x50005), CheckState.BAD, "now: supply voltage too low, throttled"),
        (Heat(60.0, 0x80008), CheckState.BAD, "soft temperature limit"),
    ],
)
def test_heat(heat: Heat, state: CheckState, says: str) -> None:
    found = check_heat(heat)
    assert found.state is state
    assert says in found.says


def test_heat_is_read_from_files_or_from_the_firmware(tmp_path: Path) -> None:
    assert read_heat(tmp_path, lambda _: "throttled=0x1") == Heat(None, None), "no Pi, no firmware to ask"
    for number, text in enumerate(("51300\n", "48000\n", "garbage", "-274000")):
        zone = tmp_path / f"class/thermal/thermal_zone{number}"
        zone.mkdir(parents=True)
        (zone / "temp").write_text(text)
    model = tmp_path / "firmware/devicetree/base/model"
    model.parent.mkdir(parents=True)
    model.write_text("Raspberry Pi 5 Model B Rev 1.0\0")
    assert read_heat(tmp_path, lambda _: "throttled=0x50000") == Heat(51.3, 0x50000)
    assert read_heat(tmp_path, lambda _: None) == Heat(51.3, None)
    firmware = tmp_path / "devices/platform/soc/soc:firmware/get_throttled"
    firmware.parent.mkdir(parents=True)
    firmware.write_text("4\n")
    assert read_heat(tmp_path, lambda _: None).now == ("throttled",)


def test_commands_that_fail_say_nothing() -> None:
    assert run_quietly(("echo", "x")) == "x"
    assert run_quietly(("false",)) is None
    assert run_quietly(("no-such-command-anywhere",)) is None


class HangingCamera:
    """Gives two frames and then nothing until it is closed."""

    live = True

    def __init__(self) -> None:
        self.closed = Event()
        self.status = Status(Health.LOST, 0.0, 1, "usb:0: unplugged")

    def frames(self) -> Iterator[Frame]:
        yield from film(table(), table())
        self.closed.wait(30)

    def close(self) -> None:
        self.closed.set()


def test_a_camera_that_hangs_is_not_waited_for() -> None:
    camera = HangingCamera()
    frames, message = watch(lambda: camera, 15, 0.3)
    assert len(frames) == 2
    assert message == "usb:0: unplugged"
    assert camera.closed.is_set()


class BrokenCamera(HangingCamera):
    """Fails at once."""

    def frames(self) -> Iterator[Frame]:
        raise SourceError("no frame that can be read")
        yield


def test_a_camera_that_fails_says_why() -> None:
    assert watch(BrokenCamera, 15, 5) == ([], "no frame that can be read")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place where everything is well."""
    (tmp_path / "pictures").mkdir()
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"pictures/{number}.png"), table(size=RIG.lens.size_px if RIG.lens else (0, 0)))
    save_rig(tmp_path / "rig.toml", RIG)
    (tmp_path / "settings.toml").write_text('camera = "pictures"\nrig = "rig.toml"\ndata = "data"\nspare_gb = 0')
    for name in [name for name in os.environ if name.startswith("KRUPIER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("KRUPIER_CONFIG", str(tmp_path / "settings.toml"))
    monkeypatch.setattr("device.cli.doctor.load_networks", lambda *_: None)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def krupier(*words: str) -> Result:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = str(door.getsockname()[1])
    app = typer.Typer()
    app.command()(doctor)
    return CliRunner().invoke(app, ["--port", port, "--hours", "0", *words], env={"COLUMNS": "200"})


def test_the_command_when_all_is_well(home: Path) -> None:
    result = krupier("--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["well"] is True
    what = {one["what"] for one in found["findings"]}
    assert what >= {"python", "models", "rig", "camera", "light", "disk", "history", "port", "clock", "heat", "drift"}
    assert not list(home.glob("data*")), "looking makes nothing"


def test_the_command_says_how_to_mend(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_model(*_: object) -> None:
        raise ModelError("finder.onnx: its sha256 is another")

    monkeypatch.setattr("device.cli.doctor.load_networks", no_model)
    (home / "rig.toml").unlink()
    result = krupier("--camera", "nowhere.mp4")
    assert result.exit_code == 1, result.output
    for words in (
        "✗ models",
        "its sha256 is another",
        "✗ rig",
        "→ see calibration/README.md",
        "✗ camera",
        "nowhere.mp4",
    ):
        assert words in " ".join(result.stdout.split()), words
