"""Installs the game of this folder as a real package, for the tests of this folder only."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.dashboard.services import catalogue

PROJECT = Path(__file__).parent


def pip_install(project: Path, target: Path) -> None:
    """Install a project into a folder with the build backend of the dev extra, without a network."""
    words = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *words, "--target", str(target), str(project)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nwanted hatchling: scripts/install dev"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package installed into it."""
    target = tmp_path_factory.mktemp("site")
    pip_install(PROJECT, target)
    return target


@pytest.fixture
def war(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of the game, while its package can be found."""
    monkeypatch.syspath_prepend(str(site))
    _forget()
    yield "war"
    _forget()


def _forget() -> None:
    """The dashboard keeps its catalogue for as long as it runs."""
    for kept in (catalogue.catalogue, catalogue.title, catalogue.spoken):
        kept.cache_clear()
