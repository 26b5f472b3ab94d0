"""A dashboard at the small table: a dashboard with an eye for coloured squares, and clients of every kind."""

import asyncio
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from calibration.frames import Frame
from calibration.lens import Lens
from calibration.rig import Rig
from calibration.seats import Seat, SeatFrame
from calibration.table import TablePose
from device.dashboard.app import build
from device.dashboard.server import server_for
from device.dashboard.services.app_state import AppState
from device.dashboard.services.pairing import Pairing, PairingCodes
from device.eyes import Eye
from device.recording.folder import create_session
from device.recording.manifest import Manifest
from device.recording.recorder import Recorder
from device.rigs import save_rig
from models.faces import Faces
from tests.device.small_table import SIZE_PX, ZONES, SlotEye, filmed

CODES = PairingCodes("111111", "222222")
SOON_S = 60.0
JSON = {"Content-Type": "application/json"}


class SmallOptician:
    """Has one eye, for the small table."""

    def __init__(self, misread: dict[str, str] | None = None) -> None:
        self.misread = misread

    def open_eye(self, rig: Rig | None, deck: str | None = None, faces: Faces | None = None) -> Eye:
        """That eye."""
        return SlotEye(self.misread)


@dataclass(frozen=True, slots=True)
class Rooms:
    """Everything there is in a test."""

    app_state: AppState
    pairing: Pairing
    app: Any
    folder: Path
    url: str
    spectator: httpx.Client
    player: httpx.Client
    host: httpx.Client

    def client(self) -> httpx.Client:
        """Somebody new; who uses it closes it."""
        return _client(self.url)

    def follow(self, query: str = "", **headers: str) -> ClientConnection:
        """Somebody who looks on."""
        return connect(f"ws{self.url.removeprefix('http')}/api/live{query}", additional_headers=headers, proxy=None)

    def state(self) -> dict[str, Any]:
        """What everybody sees."""
        found: dict[str, Any] = self.spectator.get("/api/state").json()
        return found


@contextmanager
def rooms(folder: Path, misread: dict[str, str] | None = None) -> Iterator[Rooms]:
    """A dashboard that is open, with a spectator, a player and a host."""
    environ = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder)}
    eye_factory = SmallOptician(misread)
    app_state = AppState(environ, {"rig": str(folder / "rig.toml")}, lambda threads: eye_factory)
    pairing = Pairing(b"s" * 32, CODES, monotonic)
    app = build(app_state, pairing, "http://192.168.1.7:8080")
    with served(app) as url, _client(url) as spectator, _client(url) as player, _client(url) as host:
        for client, code, name in ((player, CODES.player, "Ala"), (host, CODES.host, "Hela")):
            answer = client.post("/api/pair", json={"code": code, "name": name})
            assert answer.status_code == 200, answer.text
        try:
            yield Rooms(app_state, pairing, app, folder, url, spectator, player, host)
        finally:
            app_state.close(later=False)


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=SOON_S)


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The application behind a real socket; its address."""
    server = server_for(app)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            eventually(lambda: server.started)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def eventually(test: Any, seconds: float = SOON_S) -> Any:
    """What a test gives as soon as it is true."""
    end = monotonic() + seconds
    while not (found := test()):
        assert monotonic() < end, "it never came true"
        sleep(0.02)
    return found


def film(folder: Path, tables: Sequence[Sequence[str]]) -> str:
    """A recording of the small table, to be used as a camera."""
    session = create_session(folder, Manifest(began="2026-01-01T10:00:00+01:00"), path=folder / "film")
    recorder = Recorder(session.path, waits=True, lossless=True)
    for frame in filmed(tables):
        recorder.keep(Frame(frame.index, frame.at_s, frame.image))
    recorder.close()
    session.finish()
    return str(session.path)


def small_rig(larger: int = 1) -> Rig:
    """The rig of the small table: five mm a pixel, or a camera with so many times more; the middle in the middle."""
    wide, tall = SIZE_PX[0] * larger, SIZE_PX[1] * larger
    lens = Lens((wide, tall), (200.0 * larger,) * 2, (wide / 2, tall / 2), (0.0, 0.0, 0.0, 0.0, 0.0))
    mm = 5.0 / larger
    pose = TablePose((800.0, 450.0), (mm, 0.0, -400.0, 0.0, mm, -225.0, 0.0, 0.0, 1.0))
    seats = tuple(Seat(number, zone, SeatFrame(0.0, 225.0, 0.0)) for number, zone in enumerate(ZONES))
    return Rig(lens, pose, seats=seats, zones=ZONES)


def save_small_rig(folder: Path) -> None:
    """The rig as the file that the dashboard reads."""
    save_rig(folder / "rig.toml", small_rig())
