"""A dashboard for the tests of the setup pages: its own folders, a host, a player and somebody who only looks."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from starlette.types import ASGIApp

from device.dashboard.app import build
from device.dashboard.services.app_state import AppState
from device.dashboard.services.pairing import Pairing, PairingCodes
from device.recording.bundle import import_bundle
from device.store import Finished, FinishedPlayer, GameHistory

CODES = PairingCodes("111111", "222222")
BUNDLE = Path(__file__).parents[2] / "recordings" / "dawaj2-opening.krupier"


class Client:
    """Somebody with a browser's cookies and none of its waiting."""

    def __init__(self, app: ASGIApp) -> None:
        self._http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost", timeout=60)

    def get(self, path: str, **more: Any) -> httpx.Response:
        """Ask."""
        return _done(lambda: self._http.get(path, **more))

    def post(self, path: str, **more: Any) -> httpx.Response:
        """Send."""
        return _done(lambda: self._http.post(path, **more))


def _done(ask: Callable[[], Coroutine[Any, Any, httpx.Response]]) -> httpx.Response:
    """What came of it; in a thread of its own, because a browser may have a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(ask())).result()


@dataclass(frozen=True, slots=True)
class Rooms:
    """What a test needs."""

    app_state: AppState
    app: ASGIApp
    host: Client
    player: Client
    stranger: Client
    home: Path

    @property
    def recordings(self) -> Path:
        """Where sessions are."""
        return self.app_state.settings.recordings_folder

    def recorded(self, name: str = "00001-dawaj2") -> str:
        """A real recording with video and rulings; its name."""
        self.recordings.mkdir(parents=True, exist_ok=True)
        return import_bundle(BUNDLE, self.recordings, name).path.name

    def played(self, count: int = 12) -> None:
        """Some finished games."""
        history = GameHistory(self.app_state.settings.history_file)
        for number in range(count):
            history.keep(finished(number))


def finished(number: int) -> Finished:
    """A game that is over."""
    names = ("Ala", "Bartek", "Cela")
    points = [(number * 7 + seat * 5) % 23 for seat in range(3)]
    best = max(points)
    order = sorted(points, reverse=True)
    players = tuple(
        FinishedPlayer(name, made, 1 + order.index(made), made == best)
        for name, made in zip(names, points, strict=True)
    )
    began = datetime(2026, 3, 1, 18, tzinfo=UTC) + timedelta(days=3 * number)
    game = ("dawaj2", "trio")[number % 2]
    return Finished(
        f"key {number}", game, began, 900.0 + number, players, "won", 40, recording=f"/secret/place/{number:05d}-{game}"
    )


def environ_of(home: Path, **more: str) -> dict[str, str]:
    """The environment of somebody who lives in that folder."""
    config = home / "settings.toml"
    if not config.exists():
        config.write_text(f'rig = "{home}/rig.toml"\ndata = "{home}/data"\n', "utf-8")
    return {"HOME": str(home), "KRUPIER_CONFIG": str(config), **more}


@contextmanager
def rooms(home: Path, **more: str) -> Iterator[Rooms]:
    """The dashboard in this process, and three clients of it."""
    app_state = AppState(environ_of(home, **more))
    app = build(app_state, Pairing(b"a secret for the tests", CODES, lambda: 0.0))
    host, player, stranger = Client(app), Client(app), Client(app)
    for client, code in ((host, CODES.host), (player, CODES.player)):
        assert client.post("/api/pair", json={"code": code, "name": "Ala"}).status_code < 300
    try:
        yield Rooms(app_state, app, host, player, stranger, home)
    finally:
        app_state.close(later=False)


def wanted(answer: Any, status: int = 200) -> Any:
    """The JSON of an answer that is as it should be."""
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None
