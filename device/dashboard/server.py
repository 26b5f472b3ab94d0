"""The server: listens, says where, and stops in good order."""

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
from device.dashboard.events import Closed
from device.dashboard.refusals import Refusal
from device.dashboard.routers.pairing import join_address
from device.dashboard.services.app_state import House
from device.dashboard.services.game_runner import Wish
from device.dashboard.services.pairing import Doors
from device.files import OutputError
from device.settings import Settings

SOCKET_BYTES = 4096
"""Clients have nothing to say; who says more is cut off."""
GRACE_S = 2
_SOMEWHERE = ("192.0.2.1", 9)
"""An address that nobody has: nothing is sent, the system only says which way it would go."""


class Server(uvicorn.Server):
    """Leaves the signals to us: a game has to be put away first."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing is captured."""
        yield


def run(
    house: House,
    doors: Doors,
    wish: Wish | None = None,
    resume: bool = False,
    port: int | None = None,
    browse: bool = False,
) -> None:
    """Serve until a signal comes, with a game that is resumed or started; Refusal if there can be no such game."""
    own = house.own
    if wish is not None:
        house.check(wish)
    with listening(own, own.port if port is None else port) as listener:
        join = f"http://{_reached(own)}:{listener.getsockname()[1]}"
        if browse:
            # It waits until the page is there; where there is no browser nothing happens.
            Thread(target=webbrowser.open, args=(join_address(join, doors.codes.host),), daemon=True).start()
        asyncio.run(_serve(build(house, doors, join), listener, house, doors, join, wish, resume))


@contextmanager
def listening(own: Settings, port: int) -> Iterator[socket.socket]:
    """A socket that listens; OutputError if the address cannot be had."""
    family = socket.AF_INET6 if ":" in own.address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((own.address, port))
            # From here on callers wait instead of being refused.
            listener.listen()
        except OSError as error:
            raise OutputError(f"{own.address}:{port}: cannot be listened on: {error.strerror}; try --port") from error
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
    app: ASGIApp, listener: socket.socket, house: House, doors: Doors, join: str, wish: Wish | None, resume: bool
) -> None:
    server = server_for(app)
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    async def stop(later: bool) -> None:
        house.watchdog.stopping()
        await asyncio.to_thread(house.close, later)
        server.should_exit = True

    def heard(number: signal.Signals) -> None:
        # The second time it ends at once.
        loop.remove_signal_handler(number)
        # Ctrl-C ends a game; a service that is stopped goes on with it later.
        stopping.append(loop.create_task(stop(number is not signal.SIGINT)))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, heard, number)
    announce(join, doors)
    house.watchdog.ready(join)
    # The page is there at once; loading the networks takes a while.
    beginning = loop.create_task(asyncio.to_thread(_begin, house, wish, resume))
    await server.serve([listener])
    await beginning
    for task in stopping:
        await task
    house.close(later=True)


def announce(join: str, doors: Doors) -> None:
    """Where it is, how one gets in; in a terminal also as a QR code."""
    lines = [f"Krupier: {join}", f"host's code    {doors.codes.host}", f"players' code  {doors.codes.player}"]
    print("\n".join(lines), flush=True)
    if sys.stdout.isatty():
        segno.make(join_address(join, doors.codes.player), error="l", micro=False).terminal(compact=True)
        sys.stdout.flush()


def _begin(house: House, wish: Wish | None, resume: bool) -> None:
    """Go on with a game or start one; that it cannot be done is no reason not to serve."""
    try:
        if resume and (wish is None or house.cut_off() is not None):
            print(f"session        {house.resume(None)}", flush=True)
        elif wish is not None:
            print(f"session        {house.start(wish)}", flush=True)
    except Refusal as refusal:
        print(f"krupier: {refusal.what}", file=sys.stderr, flush=True)
        house.hub.post(Closed(refusal.what))


def _reached(own: Settings) -> str:
    """How others reach this machine: its address in the local network, or what it listens on."""
    if own.address not in ("0.0.0.0", "::"):
        return f"[{own.address}]" if ":" in own.address else own.address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_SOMEWHERE)
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
