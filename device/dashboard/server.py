"""The server: listens, announces its address, and shuts down in order."""

import asyncio
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import segno
import uvicorn
from starlette.types import ASGIApp

from device.dashboard.app import build
from device.dashboard.events import GameEnded
from device.dashboard.refusals import Refusal
from device.dashboard.routers.pairing import join_address
from device.dashboard.services.app_state import AppState
from device.dashboard.services.game_runner import GameRequest
from device.dashboard.services.pairing import Pairing
from device.files import OutputError
from device.settings import Settings

SOCKET_BYTES = 4096
"""Longest WebSocket message of a client: clients have nothing to say."""
GRACE_S = 2
_SOMEWHERE = ("192.0.2.1", 9)
"""An address reserved for documentation: nothing is sent, but the system picks the outgoing interface."""


class Server(uvicorn.Server):
    """Leaves signals to us: a game has to be closed first."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield


def run(
    app_state: AppState,
    pairing: Pairing,
    game_request: GameRequest | None = None,
    resume: bool = False,
    port: int | None = None,
    browse: bool = False,
) -> None:
    """Serve until a signal comes, and resume or start a game; Refusal if the requested game cannot start."""
    settings = app_state.settings
    if game_request is not None:
        app_state.check(game_request)
    with listening(settings, settings.port if port is None else port) as listener:
        join = f"http://{_reached(settings)}:{listener.getsockname()[1]}"
        if browse:
            # In a thread, because it waits for the page; without a browser nothing happens.
            Thread(target=webbrowser.open, args=(join_address(join, pairing.codes.host),), daemon=True).start()
        asyncio.run(_serve(build(app_state, pairing, join), listener, app_state, pairing, join, game_request, resume))


@contextmanager
def listening(settings: Settings, port: int) -> Iterator[socket.socket]:
    """A listening socket; OutputError if the address is not available."""
    family = socket.AF_INET6 if ":" in settings.address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.address, port))
            # From here on, callers wait instead of being refused.
            listener.listen()
        except OSError as error:
            raise OutputError(
                f"{settings.address}:{port}: cannot be listened on: {error.strerror}; try --port"
            ) from error
        yield listener
    finally:
        listener.close()


def server_for(app: ASGIApp) -> Server:
    """A server that is not running yet."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=SOCKET_BYTES,
        ws_per_message_deflate=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    return Server(config)


async def _serve(
    app: ASGIApp,
    listener: socket.socket,
    app_state: AppState,
    pairing: Pairing,
    join: str,
    game_request: GameRequest | None,
    resume: bool,
) -> None:
    server = server_for(app)
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    async def stop(later: bool) -> None:
        app_state.watchdog.stopping()
        await asyncio.to_thread(app_state.close, later)
        server.should_exit = True

    def heard(number: signal.Signals) -> None:
        # A second signal ends the process at once.
        loop.remove_signal_handler(number)
        # Ctrl-C ends the game; a stopped service resumes it later.
        stopping.append(loop.create_task(stop(number is not signal.SIGINT)))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, heard, number)
    announce(join, pairing)
    app_state.watchdog.ready(join)
    # Loading the networks takes a while; the pages are served meanwhile.
    beginning = loop.create_task(asyncio.to_thread(_begin, app_state, game_request, resume))
    await server.serve([listener])
    await beginning
    for task in stopping:
        await task
    app_state.close(later=True)


def announce(join: str, pairing: Pairing) -> None:
    """Print the address and the codes; in a terminal also a QR code."""
    lines = [f"Krupier: {join}", f"host's code    {pairing.codes.host}", f"players' code  {pairing.codes.player}"]
    print("\n".join(lines), flush=True)
    if sys.stdout.isatty():
        segno.make(join_address(join, pairing.codes.player), error="l", micro=False).terminal(compact=True)
        sys.stdout.flush()


def _begin(app_state: AppState, game_request: GameRequest | None, resume: bool) -> None:
    """Resume or start a game; the server runs on if that fails."""
    try:
        if resume and (game_request is None or app_state.cut_off() is not None):
            print(f"session        {app_state.resume(None)}", flush=True)
        elif game_request is not None:
            print(f"session        {app_state.start(game_request)}", flush=True)
    except Refusal as refusal:
        print(f"krupier: {refusal.what}", file=sys.stderr, flush=True)
        app_state.hub.post(GameEnded(refusal.what))


def _reached(settings: Settings) -> str:
    """The address for others: that of the local network, or the one that the server listens on."""
    if settings.address not in ("0.0.0.0", "::"):
        return f"[{settings.address}]" if ":" in settings.address else settings.address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_SOMEWHERE)
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
