"""`krupier serve`: says where it is, lets people in, and stops in good order."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from device.cli.app import app
from device.dashboard.server import listening
from device.files import OutputError
from device.recording.folder import sessions_in
from device.recording.manifest import SessionState
from device.settings import Settings
from tests.device.dashboard.table_side import eventually
from tests.device.evening import played, said

ROOT = Path(__file__).parents[3]
SOON_S = 60
NAMES = ",".join(played().record.opening.names)


@contextmanager
def serving(home: Path, *words: str) -> Iterator[tuple["subprocess.Popen[str]", str, str]]:
    """The command, its address and what it said first."""
    command = [sys.executable, "-c", "from device.cli.app import main; main()", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--code", "111111", "--player-code", "222222", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)},
    ) as child:
        assert child.stdout is not None
        said_first = "".join(child.stdout.readline() for _ in range(3))
        address = re.search(r"http://127\.0\.0\.1:[0-9]+", said_first)
        try:
            assert address is not None, said_first + child.communicate(timeout=5)[1]
            yield child, address[0], said_first
        finally:
            child.kill()


@contextmanager
def paired(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=SOON_S) as client:
        assert client.post("/api/pair", json={"code": "111111", "name": "Hela"}).status_code == 200
        yield client


@pytest.mark.parametrize(
    ("number", "state"), [(signal.SIGTERM, SessionState.OPEN), (signal.SIGINT, SessionState.CLOSED)]
)
def test_a_game_that_is_on_when_it_stops(tmp_path: Path, number: signal.Signals, state: SessionState) -> None:
    with serving(tmp_path, "--game", "dawaj2", "--players", NAMES, "--no-camera") as (child, url, words):
        assert "111111" in words
        assert "222222" in words
        with paired(url) as host:
            eventually(lambda: host.get("/api/state").json()["game"])
            assert host.post("/api/game/line", json={"text": said()[0]}).status_code == 200
        # Somebody who looks on does not keep it from ending.
        with connect(f"ws{url.removeprefix('http')}/api/live", proxy=None) as socket:
            assert json.loads(socket.recv(SOON_S))["state"]["game"]["log"]
            child.send_signal(number)
            _, err = child.communicate(timeout=SOON_S)
        assert child.returncode == 0, err
        assert "Traceback" not in err
    (session,) = sessions_in(tmp_path / "krupier" / "recordings")
    assert session.manifest.state is state
    if state is SessionState.OPEN:
        with serving(tmp_path, "--resume") as (child, url, _):
            found = eventually(lambda: (state := httpx.get(f"{url}/api/state").json())["game"] and state)
            assert found["game"]["session"] == session.path.name
            assert len(found["rulings"]) == 1


def test_without_a_game_and_with_nothing_to_resume(tmp_path: Path) -> None:
    with serving(tmp_path, "--resume") as (child, url, _):
        state = eventually(lambda: (found := httpx.get(f"{url}/api/state").json())["notes"] and found)
        assert state["game"] is None
        assert "no game was cut off" in json.dumps(state["notes"])
        child.terminate()
        _, err = child.communicate(timeout=SOON_S)
    assert child.returncode == 0, err
    assert "no game was cut off" in err


@pytest.mark.parametrize(
    ("words", "said_so"),
    [
        (["--game", "chess"], "no game 'chess'"),
        (["--game", "dawaj2", "--camera", "sim:chess"], "no game 'chess'"),
        (["--game", "dawaj2", "--camera", "sim:trio"], "shows trio for 3; wanted dawaj2 for 3"),
        (["--game", "dawaj2", "--camera", "/no/such/film"], "no such camera"),
        (["--code", "1"], "wanted 4 to 20"),
        (["--code", "444444", "--player-code", "444444"], "wanted different ones"),
    ],
)
def test_what_cannot_be_served_is_named(
    tmp_path: Path, words: list[str], said_so: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    done = CliRunner().invoke(app, ["serve", "--port", "0", *words])
    assert done.exit_code == 2
    assert said_so in done.output


def test_a_port_that_is_taken_is_named() -> None:
    with listening(Settings(), 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(OutputError, match=f"127.0.0.1:{port}: cannot be listened on"), listening(Settings(), port):
            pass


def test_only_this_machine_unless_asked() -> None:
    with listening(Settings(), 0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
    with listening(Settings(lan=True), 0) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"
