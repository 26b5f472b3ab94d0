"""`krupier run`: typed lines, cameras that come and go, stopping in good order."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest
from typer.testing import CliRunner

from device.cameras.live import LiveSource
from device.cameras.source import CameraError, Picture
from device.cli.app import app
from device.heat import Heat
from device.recording.folder import sessions_in
from device.recording.journal import JOURNAL, JournalEntry, read_journal
from device.recording.manifest import SessionState
from device.session.folder import newest_cut_off
from device.session.game import Game
from device.session.inbox import Inbox
from device.session.loop import Loop
from device.session.meter import Meter, MeterReading, percentile
from device.session.session import MemoryJournal, Publish, Session
from device.store import GameHistory
from device.watchdog import Watchdog
from tests.device.evening import observer, played, said
from tests.device.small_table import SIZE_PX, picture

runner = CliRunner()
ROOT = Path(__file__).parents[3]
SOON_S = 60


def started(home: Path, *words: str) -> "subprocess.Popen[str]":
    names = ",".join(played().record.opening.names)
    options = [word for name, value in played().record.opening.options for word in ("--option", f"{name}={value}")]
    command = [
        sys.executable,
        "-c",
        "from device.cli.app import main; main()",
        "run",
        "--game",
        "dawaj2",
        "--no-camera",
    ]
    return subprocess.Popen(
        [*command, "--players", names, *options, "--lang", "en", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)},
    )


def test_a_typed_game_from_its_first_line_to_the_history(tmp_path: Path) -> None:
    with started(tmp_path) as child:
        out, err = child.communicate("\n".join((*said(), "P1 sing", "status")) + "\n", SOON_S)
    assert child.returncode == 0, err
    assert out.count("LEGAL") >= 10
    assert "■" in out
    assert "'sing' is not a verb" in err
    assert "not recorded" in err
    (session,) = sessions_in(tmp_path / "krupier" / "recordings")
    assert session.manifest.state is SessionState.CLOSED
    (game,) = GameHistory(tmp_path / "krupier" / "history.sqlite").games()
    assert game.game == "dawaj2"
    assert game.recording == str(session.path)


def test_a_stopped_service_leaves_its_game_to_be_resumed(tmp_path: Path) -> None:
    with started(tmp_path) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(said()[0] + "\n")
        child.stdin.flush()
        while "LEGAL" not in child.stdout.readline():
            continue
        child.send_signal(signal.SIGTERM)
        # Standard input stays open: nobody has to type anything for it to end.
        assert child.wait(SOON_S) == 0
        child.stdin.close()
        assert child.stderr is not None
        assert "krupier run --resume" in child.stderr.read()
    root = tmp_path / "krupier" / "recordings"
    (session,) = sessions_in(root)
    assert session.manifest.state is not SessionState.CLOSED
    assert newest_cut_off(root) == session.path
    entries, losses = read_journal(session.path / JOURNAL)
    assert [entry.kind for entry in entries] == ["opening", "input"]
    assert not losses


def test_nothing_to_resume_is_no_error(tmp_path: Path) -> None:
    done = runner.invoke(app, ["run", "--resume", "--recordings", str(tmp_path)])
    assert done.exit_code == 0
    assert "nothing to resume" in done.output


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ([], "--game"),
        (["00001"], "--resume"),
        (["--resume", "--game", "trio"], "goes on with the game"),
        (["--game", "poker"], "no game"),
        (["--game", "dawaj2", "--players", "1"], "players"),
        (["--game", "dawaj2", "--camera", "nowhere.mp4"], "no such camera"),
        (["--resume", "4711"], "no such session"),
    ],
)
def test_what_cannot_be_run_is_refused_and_leaves_nothing(words: list[str], wanted: str, tmp_path: Path) -> None:
    done = runner.invoke(app, ["run", *words, "--recordings", str(tmp_path)])
    assert done.exit_code == 2
    assert wanted in done.output
    assert not list(tmp_path.iterdir())


class Pipe:
    """Somebody who types."""

    def __init__(self) -> None:
        reading, self.file = os.pipe()
        self.inbox = Inbox(reading)
        self._reading = reading

    def type(self, *lines: str) -> None:
        os.write(self.file, "".join(f"{line}\n" for line in lines).encode())

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.close()


def test_lines_come_whole_and_end(pipe: Pipe) -> None:
    os.write(pipe.file, b"P1 ta")
    assert pipe.inbox.take(0.05) is None
    os.write(pipe.file, "ke\n\nżółw\xff".encode("latin-1", "replace") + b"\n last")
    assert pipe.inbox.take(SOON_S) == "P1 take"
    assert "\n" not in (pipe.inbox.take(SOON_S) or "\n"), "what is no UTF-8 is a line all the same"
    pipe.close()
    assert pipe.inbox.take(SOON_S) == "last"
    assert pipe.inbox.take(SOON_S) is None
    assert pipe.inbox.ended


class Unplugged:
    """A camera that gives what is put into it; an error loses it."""

    size_px = SIZE_PX

    def __init__(self, feed: "Queue[Picture | CameraError | None]") -> None:
        self._feed = feed

    def read(self) -> Picture | None:
        item = self._feed.get()
        if isinstance(item, CameraError):
            raise item
        return item

    def close(self) -> None:
        """Nothing to let go of."""


def loop_over(source: LiveSource | None, pipe: Pipe, notes: MemoryJournal, publish: Publish) -> tuple[Loop, list[str]]:
    game = Game.open(played().rules, played().record.opening)
    session = Session(game, notes, publish, observer())
    told: list[str] = []
    loop = Loop(
        session,
        source,
        pipe.inbox,
        lambda: 100.0,
        Watchdog({}, 1),
        lambda text, why: told.append(f"{text}: {why}"),
        lambda reading: told.append(str(reading)),
    )
    return loop, told


def test_a_camera_that_is_lost_and_back_while_people_go_on(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.cameras.retrying.BACK_OFF_S", (0.3,))
    feed: Queue[Picture | CameraError | None] = Queue()
    source = LiveSource(lambda: Unplugged(feed), leave_s=0.1)
    notes = MemoryJournal()
    seen: list[str] = []

    def follow(entry: JournalEntry) -> None:
        seen.append(str(entry.data.get("health") or entry.data.get("line")))
        if entry.data.get("health") == "lost":
            # The game waits for the camera, not for the people.
            pipe.type(said()[0])
            feed.put(Picture(picture(())))
        elif entry.data.get("health") == "running":
            pipe.type("undo", "undo", "status", "end")

    loop, told = loop_over(source, pipe, notes, follow)
    feed.put(Picture(picture(())))
    feed.put(CameraError("usb:0: unplugged"))
    loop.run()
    source.close()
    feed.put(None)
    assert seen[0] == "lost"
    assert "running" in seen
    assert [entry.kind for entry in notes.entries].count("input") == 2, "a line, and taking it back"
    assert any("nothing to undo" in line for line in told)
    assert any("frames/s" in line for line in told)


def test_without_a_camera_it_ends_with_the_lines(pipe: Pipe) -> None:
    notes: MemoryJournal = MemoryJournal()
    loop, told = loop_over(None, pipe, notes, lambda entry: None)
    pipe.type(*said()[:2])
    pipe.close()
    loop.run()
    assert [entry.kind for entry in notes.entries] == ["input", "input"]
    assert not told


def test_the_meter_tells_how_it_goes() -> None:
    now = iter(range(100, 1000))
    meter = Meter(lambda: float(next(now)), lambda: Heat(61.0, 0b100))
    for _ in range(5):
        meter.frame()
    for number in range(1, 11):
        meter.settled(number / 10)
    reading: MeterReading = meter.read(None, 3, 7, None)
    assert reading.fps == pytest.approx(0.8)
    assert (reading.p50_s, reading.p90_s) == (0.6, 1.0)
    words = str(reading)
    for part in ("3 dropped", "7 looks", "61 °C", "throttled", "not recorded"):
        assert part in words
    assert percentile([], 0.5) is None
